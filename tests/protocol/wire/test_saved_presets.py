import json

import pytest

from racing_demon_protocol.errors import InvalidPreset
from racing_demon_protocol.wire.options import Options
from racing_demon_protocol.wire.presets import PRESETS
from racing_demon_protocol.wire.saved_presets import (
    MAX_BYTES,
    as_data,
    listed,
    new_preset,
    read_list,
    read_preset,
)
from tests.support.cases import for_each

OURS = Options(game="classic", reserve=10, countdown_ms=5_000, win_lead=30)


def test_a_saved_preset_comes_back() -> None:
    """What is written of options under a title is read as the same."""
    preset = new_preset(" At Grandma's, 2 ", OURS)
    assert (preset.name, preset.title, preset.options) == ("at-grandma-s-2", "At Grandma's, 2", OURS)
    assert preset == read_preset(preset.name, json.dumps(as_data(preset)).encode())
    assert [preset] == list(read_list(json.loads(json.dumps(listed([preset])))))


@for_each("title", ["", "   ", "♥♥", "Nerts", "x" * 41, "a\nb"])
def test_titles_that_no_preset_can_have(title: str) -> None:
    """Without a letter or digit, with the name of a well-known preset, too long, or not printable."""
    with pytest.raises(InvalidPreset):
        new_preset(title, OURS)


@for_each(
    ("name", "data", "why"),
    [
        ("ours", b"{", "no JSON"),
        ("ours", b"[]", "not understood"),
        ("ours", b'{"title": "Ours"}', "options"),
        ("ours", b'{"title": "Ours", "options": {"hands": 0}}', "options.hands"),
        ("ours", b'{"title": "Ours", "options": {"house": 1}}', "options.house"),
        ("ours", b" " * (MAX_BYTES + 1), "at most 4,096 bytes"),
        ("Ours!", b"{}", "letters, digits"),
        ("nerts", b"{}", "well-known"),
    ],
)
def test_files_that_hold_no_preset(name: str, data: bytes, why: str) -> None:
    """Each is refused with a sentence that says what is wrong."""
    with pytest.raises(InvalidPreset, match=why):
        read_preset(name, data)


def test_of_a_list_only_what_is_understood_is_shown() -> None:
    """A server may be newer, or hostile: other entries are passed over."""
    ours = listed([new_preset("Ours", OURS)])[0]
    changes = (
        {"name": "../x"},
        {"options": {"future": 1}},
        {"title": "\x1b[2J"},
        {"name": next(iter(PRESETS))},
    )
    strange = [7, {}, *({**ours, **change} for change in changes)]
    assert [each.name for each in read_list([*strange, {**ours, "more": 1}])] == ["ours"]
