"""Options in words: names, values with units, and what is typed."""

import pytest
from pydantic import ValidationError

from racing_demon_client.shared.option_text import (
    TEXTS,
    called,
    options_text,
    read,
    refusal,
    value_text,
)
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each

MAX_LENGTH = 34
"""So wide is the column of names on the screen of the options."""


def test_every_option_is_called_by_words() -> None:
    """No name has the protocol's marks or units in it, and each fits its column."""
    assert sorted(TEXTS) == sorted(Options.model_fields)
    for name in Options.model_fields:
        assert len(called(name)) <= MAX_LENGTH, name
        assert "_" not in called(name)
        assert not called(name).endswith(" ms")
    assert not any(" ms" in text.meaning or "millisecond" in text.meaning for text in TEXTS.values())


@for_each(
    ("name", "value", "words"),
    [
        ("grace_ms", 1_000, "1 s"),
        ("grace_ms", 1_500, "1.5 s"),
        ("grace_ms", 250, "0.25 s"),
        ("grace_ms", 0, "0 s"),
        ("time_limit_ms", 90_000, "90 s"),
        ("time_limit_ms", 600_000, "10 min"),
    ],
)
def test_times_have_units_and_are_read_back(name: str, value: int, words: str) -> None:
    """What a time is told as can be typed again; without a unit seconds are meant."""
    assert words == value_text(name, value)
    assert value == read(name, words)
    assert value == read(name, f"{value} ms")
    assert value == read(name, f"{value / 1_000:g}")


def test_no_value_says_what_it_means() -> None:
    """For limits it means none, for the games' own options what the game has."""
    assert (value_text("time_limit_ms", None), value_text("pause_after_ms", None)) == ("none", "never")
    assert value_text("turn", None) == "the game's own"


def test_the_numbers_on_offer_are_those_that_a_table_takes() -> None:
    """The page offers some of each option that is a number, all of which the server takes."""
    numbers = {name for name, of in Options.model_fields.items() if "ge=" in str(of) or "Ge(" in str(of)}
    assert numbers == {name for name, text in TEXTS.items() if text.offered}
    for name, text in TEXTS.items():
        for number in text.offered:
            Options.model_validate({name: number})


def test_a_table_is_told_in_words() -> None:
    """What is not as usual stands there with its name and unit."""
    options = Options(hands=3, grace_ms=2_000, hints=True, call_out="shout")
    expected = "3 hands, going out: when the player calls, grace after a call: 2 s, hints: yes"
    assert expected == options_text(options)


@for_each(
    ("name", "text", "words"),
    [
        ("grace_ms", "9 s", "grace after a call: 5 s or less."),
        ("time_limit_ms", "0.5 s", "time limit of a hand: 1 s or more."),
        ("grace_ms", "soon", "grace after a call: a time, like 1.5 s or 2 min."),
        ("hands", "0", "hands in a match: 1 or more."),
        ("hands", "many", "hands in a match: a whole number."),
    ],
)
def test_what_is_wrong_is_told_in_the_same_words(name: str, text: str, words: str) -> None:
    """The refusal names the option and its limit as the screen does."""
    with pytest.raises(ValidationError) as refused:
        Options.model_validate({name: read(name, text)})
    assert words == refusal(refused.value)
