"""The help: made from the keys."""

import re

from rich.cells import cell_len

from racing_demon_client.shared.rules_text import WIDTH, rules_of
from racing_demon_client.terminal.appearance import Appearance
from racing_demon_client.terminal.drawing.help import MOUSE, SIGNS, draw_help, help_lines
from racing_demon_client.terminal.keymap import (
    KEYBOARD_LAYOUTS,
    ChosenByKey,
    Keymap,
    lobby_keymap,
    pile_keymap,
    replay_keymap,
    table_keymap,
    watch_keymap,
)
from racing_demon_client.terminal.screens.dialogs import TextScreen
from racing_demon_client.terminal.style import ASCII, UNICODE
from racing_demon_protocol.games import declare
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each
from tests.support.view_models import SIZES, rows_of

QWERTY = KEYBOARD_LAYOUTS["qwerty"]
KEYMAPS = [
    table_keymap(QWERTY, {}),
    table_keymap(
        KEYBOARD_LAYOUTS["dvorak"], {"turn": "t", "stuck": ""}, ChosenByKey(columns=9, reserve=True)
    ),
    table_keymap(KEYBOARD_LAYOUTS["digits"], {}, ChosenByKey(columns=9, reserve=True)),
    lobby_keymap({}),
    pile_keymap({}, ChosenByKey(piles=30, foundations=8), alone=True),
    pile_keymap({}, ChosenByKey(piles=2, places=12), alone=True),
]
of_keymaps = for_each("keymap", KEYMAPS, ids=["seven", "bound", "digits", "lobby", "letters", "ranks"])
SERIES = ("column", "place", "pile", "foundation")


def of_keys(keymap: Keymap) -> list[tuple[str, str]]:
    """Return the lines of the help that speak of keys."""
    lines = help_lines(keymap)
    return [line for line in lines[: lines.index(("", "Mouse"))] if line[0]]


@of_keymaps
def test_the_help_names_all_keys_and_no_others(keymap: Keymap) -> None:
    """Each action that has keys has one line, with all of them and what it does."""
    single = [action for action in keymap.actions if not action.id.startswith(SERIES)]
    expected = {(keymap.all_labels(action.id), action.description) for action in single}
    assert {pair for pair in expected if pair[0]} == {
        pair for pair in of_keys(keymap) if not any(f"a {kind}" in pair[1] for kind in SERIES)
    }


def test_the_columns_share_their_lines() -> None:
    """What can be done with any column is told once, with the keys of all columns in their order."""
    told = [keys for keys, does in of_keys(KEYMAPS[0]) if "column" in does]
    assert told == ["asdfjkl", "qweruio", "ASDFJKL"]
    told = [keys for keys, does in of_keys(KEYMAPS[2]) if "column" in does]
    assert told == ["123456789", "qwertyuio"]


def test_the_piles_share_their_lines() -> None:
    """So it is with piles that have letters, ranks or digits; of a long row the ends are told."""
    told = [keys for keys, does in of_keys(KEYMAPS[4]) if "a pile" in does or "a foundation" in does]
    assert told == ["a-zA-D", "12345678"]
    told = [keys for keys, does in of_keys(KEYMAPS[5]) if "a pile" in does or "a place" in does]
    assert told == ["a2-9tjq", "ATJQ", "bc", "BC"]


def test_all_keys_of_a_column_are_named() -> None:
    """A column that was given two keys has both in the help."""
    keymap = table_keymap(QWERTY, {"column-1": "a g"})
    assert any("g" in keys for keys, does in of_keys(keymap) if does.startswith("pick up from"))


@of_keymaps
def test_headings_are_those_of_groups_with_keys(keymap: Keymap) -> None:
    """A group without any key has no heading; what the screen is for comes first, mouse and signs last."""
    groups = dict.fromkeys(action.group for action in keymap.actions if action.id in keymap.labels)
    headings = [does for keys, does in help_lines(keymap) if not keys]
    assert [*map(str, groups), "Mouse", "Signs"] == headings


@of_keymaps
@for_each("size", [*SIZES, (149, 30), (40, 10)])
def test_page_by_page_all_is_shown(keymap: Keymap, size: tuple[int, int]) -> None:
    """Going on by what a page holds shows every line; only the last page does not offer more."""
    lines = help_lines(keymap)
    step = (size[1] - 4) * (2 if size[0] >= 150 else 1)
    pages = [
        "\n".join(rows_of(draw_help(lines, first, size, UNICODE))) for first in range(0, len(lines), step)
    ]
    told = "\n".join(pages)
    room = size[0] // (2 if size[0] >= 150 else 1) - 4 - 13
    for keys, does in lines:
        assert keys in told
        assert (does if len(does) <= room else does[: room - 1]) in told
    assert [*[True] * (len(pages) - 1), False] == ["down: more" in page for page in pages]


@for_each("size", SIZES)
def test_nothing_is_cut(size: tuple[int, int]) -> None:
    """On the terminals that the table is made for, every line of the help is told to its end."""
    lines = help_lines(KEYMAPS[0])
    rows = "\n".join(
        "\n".join(rows_of(draw_help(lines, first, size, UNICODE))) for first in range(len(lines))
    )
    assert [does for _, does in lines if does not in rows] == []


@for_each("size", [*SIZES, (151, 24)])
def test_every_row_is_as_wide_as_the_screen(size: tuple[int, int]) -> None:
    """The two columns do not push each other, nor the edge."""
    canvas = draw_help(help_lines(KEYMAPS[1]), 0, size, UNICODE)
    assert [size[0]] * size[1] == [cell_len(row) for row in rows_of(canvas)]


def test_in_letters() -> None:
    """Without signs the help of a keyboard of ASCII is ASCII."""
    assert draw_help(help_lines(KEYMAPS[0]), 0, (80, 60), ASCII).text().isascii()


def test_a_click_below_goes_back() -> None:
    """The last two rows are a button."""
    canvas = draw_help(help_lines(KEYMAPS[0]), 0, (80, 24), UNICODE)
    hits = [canvas.hit(5, y) for y in (21, 22, 23)]
    assert [hit and hit.action for hit in hits] == [None, "back", "back"]


def test_mouse_and_signs_are_explained() -> None:
    """What the pointer does, and what the signs beside cards and names mean, is told everywhere."""
    for keymap in KEYMAPS:
        assert {*MOUSE, *SIGNS} <= set(help_lines(keymap))


@for_each("keymap", [table_keymap(QWERTY, {}, alone=True), replay_keymap({})], ids=["alone", "replay"])
def test_what_leaves_at_once_says_so(keymap: Keymap) -> None:
    """Where nobody is asked before leaving, the help does not say that somebody is."""
    assert ("^C ^Q", "leave, at once") in help_lines(keymap)
    assert ("^C ^Q", "leave the table (asks first)") in help_lines(lobby_keymap({}))


def test_spectators_are_told_what_they_can_do() -> None:
    """The help of those who look on speaks of no bots, no pause, no deal and no chat."""
    told = help_lines(lobby_keymap({}, seated=False), watch_keymap({}))
    keys = [does for _, does in told[: told.index(("", "Mouse"))]]
    assert not [does for does in keys if re.search("bot|pause|deal|say something|host", does)]
    assert ("Enter", "to the cards") in told
    assert ("o", "game and options") in told


@for_each("width", [80, 60, 120])
def test_the_rules_are_told_to_their_end(width: int) -> None:
    """On any terminal every word of the rules can be read."""
    game = declare(Options(), 2)
    screen = TextScreen(lambda room: rules_of(game, min(room, WIDTH)), Appearance)
    text = screen._draw(Appearance(), width, 400).text()
    assert " ".join(" ".join(rules_of(game)).split()) in " ".join(text.replace("\u2500", "").split())
    assert "\u2026" not in text
