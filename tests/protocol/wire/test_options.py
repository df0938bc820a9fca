import pytest
from pydantic import ValidationError

from racing_demon_protocol.games import declare
from racing_demon_protocol.wire.codec import decode_client, encode
from racing_demon_protocol.wire.messages.client import Create, SetOptions
from racing_demon_protocol.wire.options import LATER, CallOut, OnLeave, Options, StallRule, TieBreak
from tests.support.cases import for_each
from tests.support.options import CHANGED


def test_defaults_are_the_seeds() -> None:
    """By default a table plays Racing Demon for five hands: no shout, no shifting, joint winners."""
    options = Options()
    assert (
        options.game,
        options.hands,
        options.target,
        options.tie_break,
        options.call_out,
        options.stall_rule,
        options.auto_first_turn,
        options.on_leave,
    ) == ("racing-demon", 5, None, TieBreak.JOINT, CallOut.AUTO, StallRule.NONE, False, OnLeave.FREEZE)


@for_each("name", CHANGED)
def test_an_option_can_be_changed(name: str) -> None:
    """Each option alone makes options that differ from the defaults, and survive a dump."""
    options = Options.model_validate({name: CHANGED[name]})
    assert Options() != options
    assert options == Options.model_validate(options.model_dump(mode="json"))


@for_each("name", LATER)
def test_a_later_option_is_left_out_at_its_default(name: str) -> None:
    """Older clients never see it where a table does not use it; in older encodings it is at its default."""
    assert name not in Options().model_dump()
    assert name not in Options.model_validate({name: getattr(Options(), name)}).model_dump(mode="json")
    assert name in Options.model_validate({name: CHANGED[name]}).model_dump()
    named = SetOptions(counter=1, options=Options.model_validate({name: getattr(Options(), name)}))
    assert decode_client(encode(named)) == named
    assert name in named.to_array()[1]


def test_a_new_table_names_only_what_differs() -> None:
    """All other options are at the defaults of the server."""
    assert Create(name="Ann", options=Options(hands=3, target=None)).to_array()[1] == {"hands": 3}


def test_options_stand_in_sets() -> None:
    """Options are values: equal ones hash equally."""
    assert {Options()} == {Options(), Options(game="racing-demon")}


def test_options_do_not_change() -> None:
    """Options are frozen."""
    with pytest.raises(ValidationError, match="frozen"):
        Options().hands = 7  # type: ignore[misc]


@for_each(
    ("name", "value"),
    [
        ("game", ""),
        ("game", "Klondike race"),
        ("game", "x" * 33),
        ("hands", 0),
        ("hands", 101),
        ("hands", True),
        ("hands", 5.0),
        ("hands", "5"),
        ("target", 0),
        ("tie_break", "duel"),
        ("call_out", True),
        ("grace_ms", -1),
        ("grace_ms", 5_001),
        ("stall_rule", "rotate1"),
        ("auto_first_turn", 1),
        ("late_join", "yes"),
        ("countdown_ms", 30_001),
        ("tally_ms", 600_001),
        ("turn", 0),
        ("turn", 6),
        ("redeals", -1),
        ("waste_view", 0),
        ("take_back", "toSpace"),
        ("columns", 10),
        ("reserve", 31),
        ("reserve_card", 1),
        ("out_bonus", 101),
        ("win_lead", 0),
        ("teams", 1),
        ("teams", 5),
        ("king_bonus", 11),
        ("spaces", "any"),
        ("stock_shift", "never"),
        ("house_rule", 1),
    ],
)
def test_values_that_no_option_takes(name: str, value: object) -> None:
    """Values out of bounds, of another type, or of unknown options are refused."""
    with pytest.raises(ValidationError):
        Options.model_validate({name: value})


@for_each(
    "name",
    [
        "hands",
        "target",
        "win_lead",
        "match_score",
        "tie_break",
        "call_out",
        "stall_rule",
        "on_leave",
        "casual",
    ],
)
def test_options_of_the_table_leave_the_rules_alone(name: str) -> None:
    """Options about the match change no declaration."""
    assert declare(Options(), 4) == declare(Options.model_validate({name: CHANGED[name]}), 4)
