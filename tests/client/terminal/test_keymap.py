"""Which key does what."""

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from racing_demon_client.terminal.actions import (
    ACTIONS,
    LOBBY_ACTIONS,
    MAX_COLUMNS,
    MAX_FOUNDATIONS,
    MAX_PILES,
    REPLAY_ACTIONS,
)
from racing_demon_client.terminal.keymap import (
    KEYBOARD_LAYOUTS,
    LONG_NAMES,
    NEXT,
    ChosenByKey,
    Keymap,
    key_ranges,
    known_actions,
    lobby_keymap,
    pile_keymap,
    replay_keymap,
    table_keymap,
    watch_keymap,
)
from racing_demon_protocol.enums import BotLevel
from tests.support.cases import for_each
from tests.support.effort import examples

HOSTING: Final = Path(__file__).parents[3] / "docs" / "host.md"
of_every_preset = for_each("preset", KEYBOARD_LAYOUTS)
COLUMNS = range(1, 15)
KEYS = {
    "Enter": "enter",
    "Backspace": "backspace",
    "Tab": "tab",
    "^C": "ctrl+c",
    "^Q": "ctrl+q",
    **{f"F{number}": f"f{number}" for number in range(1, 13)},
}
"""What the keys are called by the terminal, where their labels differ."""


def keys_of(keymap: Keymap) -> dict[str, list[str]]:
    """Return the labels of each action's keys."""
    return {action.id: keymap.all_labels(action.id).split() for action in keymap.actions}


def labels_of(keymap: Keymap) -> list[str]:
    """Return the labels of all keys."""
    return [label for labels in keys_of(keymap).values() for label in labels]


def all_keymaps() -> Iterator[Keymap]:
    """Yield the keys of all games on all keyboards, and those around the hands and in replays."""
    for preset, columns, reserve in product(
        KEYBOARD_LAYOUTS.values(), range(1, MAX_COLUMNS + 1), (False, True)
    ):
        yield table_keymap(preset, {}, ChosenByKey(columns=columns, reserve=reserve, shift=reserve))
        yield table_keymap(
            preset, {}, ChosenByKey(columns=columns, reserve=reserve, foundations=4), alone=True
        )
    for piles, foundations, alone in product(range(1, MAX_PILES + 1), (0, 8, MAX_FOUNDATIONS), (False, True)):
        yield pile_keymap({}, ChosenByKey(piles=piles, foundations=foundations), alone=alone)
    yield watch_keymap({})
    yield watch_keymap({}, seated=True)
    for piles, places in product(range(4), (12, 13)):
        yield pile_keymap({}, ChosenByKey(piles=piles, places=places))
    yield lobby_keymap({})
    yield replay_keymap({})


# Presets.


@of_every_preset
def test_a_preset_has_every_key_once(preset: str) -> None:
    """Three rows of ten keys, and no key in two places."""
    shown = KEYBOARD_LAYOUTS[preset]
    assert [len(row) for row in (shown.upper, shown.home, shown.lower)] == [10, 10, 10]
    assert len(set(shown.upper + shown.home + shown.lower)) == 30


@of_every_preset
def test_no_key_has_two_meanings(preset: str) -> None:
    """Of all keys of a game each belongs to one action, and does what the action says."""
    for columns, reserve in product(COLUMNS, (False, True)):
        keymap = table_keymap(KEYBOARD_LAYOUTS[preset], {}, ChosenByKey(columns=columns, reserve=reserve))
        labels = labels_of(keymap)
        assert len(labels) == len(set(labels)), (columns, reserve)
        for action_id, own in keys_of(keymap).items():
            assert {action_id} >= {keymap.action(KEYS.get(label, label)) for label in own}, (columns, reserve)


@of_every_preset
def test_up_to_nine_columns_have_keys(preset: str) -> None:
    """Each column has a key, and one above it that sends up; the waste too."""
    shown = KEYBOARD_LAYOUTS[preset]
    for columns in range(1, 10):
        keymap = table_keymap(shown, {}, ChosenByKey(columns=columns))
        for name in [*(f"column-{number}" for number in range(1, columns + 1)), "waste"]:
            home, up = keymap.labels[name], keymap.labels[f"{name}-up"]
            assert shown.home.index(home) == shown.upper.index(up), (columns, name)


@of_every_preset
def test_up_to_eight_columns_leave_room_for_a_reserve(preset: str) -> None:
    """The reserve then has a key on the home row, and the one above it."""
    shown = KEYBOARD_LAYOUTS[preset]
    for columns in range(1, 9):
        labels = table_keymap(shown, {}, ChosenByKey(columns=columns, reserve=True)).labels
        assert shown.home.index(labels["reserve"]) == shown.upper.index(labels["reserve-up"]), columns


@of_every_preset
def test_beside_nine_columns_the_reserve_has_a_key(preset: str) -> None:
    """The game of nine columns and a reserve, which the options allow, can be played with keys alone."""
    keymap = table_keymap(KEYBOARD_LAYOUTS[preset], {}, ChosenByKey(columns=9, reserve=True))
    assert "reserve" in keymap.labels


@of_every_preset
def test_columns_lie_from_left_to_right(preset: str) -> None:
    """The order of the columns is that of their keys, however many there are."""
    shown = KEYBOARD_LAYOUTS[preset]
    for columns in range(1, 10):
        keymap = table_keymap(shown, {}, ChosenByKey(columns=columns))
        places = [shown.home.index(keymap.labels[f"column-{n}"]) for n in range(1, columns + 1)]
        assert sorted(places) == places


def test_the_usual_keyboard() -> None:
    """On QWERTY seven columns lie under the fingers, the waste under the last; the row above sends up."""
    keymap = table_keymap(KEYBOARD_LAYOUTS["qwerty"], {})
    columns = [f"column-{number}" for number in range(1, 8)]
    assert [*columns, "waste"] == [keymap.action(key) for key in "asdfjkl;"]
    assert [f"{name}-up" for name in [*columns, "waste"]] == [keymap.action(key) for key in "qweruiop"]
    assert [keymap.action(key) for key in "xcvb"] == ["drop", "call", "stuck", "hint"]
    assert [keymap.action(key) for key in ("space", "backspace", "enter")] == ["turn", "drop", "enter"]
    assert [keymap.action(key) for key in ("/", "?", "z", "escape")] == ["chat", "help", None, None]


def test_shift_and_a_columns_letter_mean_one_card() -> None:
    """Capital letters put a single card down, on every keyboard that has letters there."""
    assert table_keymap(KEYBOARD_LAYOUTS["qwerty"], {}).action("S") == "column-2-one"
    assert table_keymap(KEYBOARD_LAYOUTS["dvorak"], {}).action("O") == "column-2-one"
    nine = table_keymap(KEYBOARD_LAYOUTS["qwerty"], {}, ChosenByKey(columns=9))
    assert nine.action("L") == "column-9-one"
    assert table_keymap(KEYBOARD_LAYOUTS["digits"], {}).action("1") == "column-1"


def test_without_a_reserve_there_are_no_keys_for_it() -> None:
    """A game without a reserve does not speak of one."""
    keymap = table_keymap(KEYBOARD_LAYOUTS["qwerty"], {})
    assert not any(action.id.startswith("reserve") for action in keymap.actions)
    assert keymap.action("g") is None


def test_more_than_nine_columns_have_digits() -> None:
    """What finds no room on the home row has a digit, and the reserve the 0."""
    keymap = table_keymap(KEYBOARD_LAYOUTS["qwerty"], {}, ChosenByKey(columns=12, reserve=True))
    assert [keymap.action(key) for key in "130"] == ["column-10", "column-12", "reserve"]


def test_places_have_the_keys_of_their_ranks() -> None:
    """Where each place belongs to a rank, what is written on a card is the key of its place."""
    keymap = pile_keymap({}, ChosenByKey(piles=2, places=12), alone=True)
    places = [f"place-{number}" for number in range(1, 13)]
    assert places == [keymap.action(key) for key in "a23456789tjq"]
    assert [keymap.action(key) for key in "Tbc"] == ["place-10-up", "pile-1", "pile-2"]
    assert keymap.footer()[0] == ("a2-9tjq bc", "piles")


def test_where_no_card_goes_up_no_key_sends_one() -> None:
    """Without foundations capitals do nothing, nor is anything told of going up; with them both is there."""
    for upward in (False, True):
        keymap = pile_keymap({}, ChosenByKey(piles=3, upward=upward), alone=True)
        assert ("pile-1-up" if upward else None) == keymap.action("A")
        assert upward is any(action.id.endswith("-up") for action in keymap.actions)


@for_each(("space", "told"), [("turn", "turn the stock, or turn the waste over"), ("next", NEXT), ("", None)])
def test_the_space_bar_does_what_is_told(space: str, told: str | None) -> None:
    """Where there is a stock it is turned; else there may be a next play; else the key is not spoken of."""
    keymap = pile_keymap({}, ChosenByKey(piles=3, space=space))
    assert told == next((action.description for action in keymap.actions if action.id == "turn"), None)
    assert (None if told is None else "turn") == keymap.action("space")


@for_each(
    ("labels", "told"),
    [
        (("F5", "6", "7", "8"), "F5678"),
        ("abc", "abc"),
        ("abcd", "a-d"),
        ("a23456789tjqk", "a2-9tjqk"),
        ("jklä", "jklä"),
    ],
)
def test_keys_in_short(labels: str, told: str) -> None:
    """Four that follow each other are told by the first and the last; no other key is hidden."""
    assert told == key_ranges(tuple(labels))


# One's own keys.


def test_a_binding_replaces_the_keys() -> None:
    """All keys of the action are those bound to it, and its label is the first of them."""
    keymap = table_keymap(KEYBOARD_LAYOUTS["qwerty"], {"turn": "t enter"})
    assert [keymap.action(key) for key in ("t", "enter", "space")] == ["turn", "turn", None]
    assert keymap.labels["turn"] == "t"
    assert keymap.all_labels("turn") == "t Enter"


def test_a_bound_key_loses_its_former_meaning() -> None:
    """The action that had the key keeps its others, or has none, and is not spoken of any more."""
    keymap = table_keymap(KEYBOARD_LAYOUTS["qwerty"], {"turn": "a x"})
    assert keymap.action("a") == "turn"
    assert "column-1" not in keymap.labels
    assert keymap.labels["drop"] == "Backspace"
    assert keymap.all_labels("column-1") == ""


def test_signs_may_be_called_by_their_names() -> None:
    """Where a sign is hard to write in the settings, its name does."""
    for name, sign in LONG_NAMES.items():
        assert table_keymap(KEYBOARD_LAYOUTS["azerty"], {"stuck": name}).action(sign) == "stuck"


def test_an_empty_binding_takes_the_keys_away() -> None:
    """An action without keys is neither done nor named."""
    keymap = table_keymap(KEYBOARD_LAYOUTS["qwerty"], {"stuck": ""})
    assert keymap.action("v") is None
    assert "stuck" not in keymap.labels


def test_bindings_of_other_screens_do_nothing() -> None:
    """What is bound in the lobby leaves the table's keys alone, and the other way round."""
    keymap = table_keymap(KEYBOARD_LAYOUTS["qwerty"], {"bot-easy": "a", "no such action": "s"})
    assert [keymap.action(key) for key in "as"] == ["column-1", "column-2"]
    assert lobby_keymap({"column-1": "1"}).action("1") == "bot-easy"


@examples(100)
@given(
    st.sampled_from(sorted(KEYBOARD_LAYOUTS)),
    st.integers(1, 14),
    st.booleans(),
    st.dictionaries(
        st.sampled_from(sorted(known_actions())),
        st.lists(st.sampled_from([*"asdfqwerASD/?1", "space", "f1", "comma"]), max_size=3).map(" ".join),
        max_size=6,
    ),
)
def test_bindings_never_leave_a_key_with_two_meanings(
    preset: str, columns: int, reserve: bool, bindings: dict[str, str]
) -> None:
    """Whatever is bound, every label stands for a key that does just what the label is shown for."""
    keymap = table_keymap(KEYBOARD_LAYOUTS[preset], bindings, ChosenByKey(columns=columns, reserve=reserve))
    for action_id, own in keys_of(keymap).items():
        assert all(action_id == keymap.action(KEYS.get(label, label)) for label in own)
    assert keymap.labels.keys() == {name for name, own in keys_of(keymap).items() if own}


# What is said of keys.


@pytest.mark.long
def test_labels_are_short_and_plain() -> None:
    """Labels are signs or words, and all keys of an action find room in the help."""
    for keymap in all_keymaps():
        for action in keymap.actions:
            assert keymap.all_labels(action.id).isprintable()
            assert len(keymap.all_labels(action.id)) <= 12
    assert {"space", "Backspace", "Tab", "F2", "^C", "Enter", "?"} <= set(
        labels_of(table_keymap(KEYBOARD_LAYOUTS["qwerty"], {}))
    )


def test_the_footer_of_the_usual_table() -> None:
    """Columns first, in one word each; then what has a brief name and a key, hints where they are allowed."""
    keymap = table_keymap(KEYBOARD_LAYOUTS["qwerty"], {}, ChosenByKey(columns=4, reserve=True))
    footer = keymap.footer(hints=False)
    assert ("b", "hint") in keymap.footer(hints=True)
    assert footer == [
        ("asdf", "move"),
        ("qwer", "up"),
        ("space", "turn"),
        (";", "waste"),
        ("g", "reserve"),
        ("v", "stuck"),
        ("?", "help"),
    ]


@pytest.mark.long
def test_the_footer_names_only_keys_that_there_are() -> None:
    """A key in any footer does what stands beside it; nothing with a brief name and a key is left out."""
    for keymap in all_keymaps():
        brief = {action.summary: action.id for action in keymap.actions if action.summary}
        named = {does: keys for keys, does in keymap.footer()}
        for does, keys in named.items():
            if does in brief:
                assert keys == keymap.labels[brief[does]]
            elif does == "piles":
                for text in keys.split():
                    chosen = [str(keymap.action(key)) for key in _spelt_out(text)]
                    kind = chosen[0].removesuffix("-1")
                    assert kind in {"pile", "place"}
                    assert [f"{kind}-{number}" for number in range(1, len(chosen) + 1)] == chosen
                    assert f"{kind}-{len(chosen) + 1}" not in keymap.labels
            else:
                actions = [keymap.action(key) for key in keys]
                assert all(name is not None and name.startswith("column-") for name in actions)
                assert all(str(name).endswith("-up") == (does == "up") for name in actions)
        assert {does for does, action in brief.items() if action in keymap.labels} <= named.keys()


def test_a_footer_without_columns() -> None:
    """Around the hands no columns are spoken of."""
    assert lobby_keymap({}).footer()[0] == ("b", "add a bot")


# The registry.


def test_every_action_is_known() -> None:
    """The settings accept a key for whatever can be done anywhere, and for nothing else."""
    used = {action.id for keymap in all_keymaps() for action in keymap.actions}
    assert used == known_actions()


def test_actions_have_one_name_each() -> None:
    """No two actions share a name, and all say what they do."""
    actions = [*ACTIONS, *LOBBY_ACTIONS, *REPLAY_ACTIONS]
    assert len(actions) == len({action.id for action in actions})
    assert all(action.description and action.summary.isprintable() for action in actions)


def test_the_manual_names_the_keys_that_add_bots() -> None:
    """Its table has each level, with the digit that adds a bot of it."""
    stated = re.findall(r"^\| `(\w+)` \| `(\d)` \|", HOSTING.read_text("utf-8"), re.MULTILINE)
    actions = {action.id: action.keys for action in LOBBY_ACTIONS}
    assert stated == [(level, *actions[f"bot-{level}"]) for level in BotLevel]


def test_around_the_hands_nothing_is_played() -> None:
    """The lobby has no keys for cards, and none with two meanings."""
    keymap = lobby_keymap({})
    assert all(keymap.action(key) is None for key in ("a", "space", "x", "left", "backspace"))
    assert keymap.action("enter") == "enter"
    labels = labels_of(keymap)
    assert len(labels) == len(set(labels))


def _spelt_out(text: str) -> str:
    """Return all keys of a row that is told in short."""
    return re.sub("(.)-(.)", lambda ends: "".join(map(chr, range(ord(ends[1]), ord(ends[2]) + 1))), text)


def test_who_plays_from_the_next_deal_on_can_speak() -> None:
    """Chat, reactions and who plays are for everybody who has a seat; a spectator may ignore somebody."""
    seated, watching = watch_keymap({}, seated=True), watch_keymap({})
    reaction = seated.action("1")
    assert (seated.action("/"), seated.action("f8")) == ("chat", "players")
    assert reaction is not None
    assert reaction.startswith("react-")
    assert (watching.action("f8"), watching.action("/")) == ("players", None)
