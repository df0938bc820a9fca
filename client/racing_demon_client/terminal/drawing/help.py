"""The help page, generated from the registry of actions."""

import re

from racing_demon_client.terminal.actions import ActionGroup
from racing_demon_client.terminal.keymap import Keymap, key_ranges
from racing_demon_client.terminal.style import Glyphs, Highlight, Role, cut

from .canvas import Canvas, HitArea

KEYS = 12
PILES = ("column-", "place-", "pile-", "foundation-")
"""The prefixes of actions that exist for each pile of a kind."""

SIGNS = (
    ("underlined", "your play is on its way: the server has not answered yet"),
    ("= ? + x", "beside a player: stuck, connection lost, a bot stands in, left"),
    ("number", "beside a column's key: how many of its cards lie face down"),
    ("bars", "beside a player: cards in each quarter of the last minute"),
)
MOUSE = (
    ("click", "pick up, put down; on the stock: turn"),
    ("drag", "a card or a run to where it goes"),
    ("double", "or right click: up to the foundations"),
)


def help_lines(*keymaps: Keymap) -> list[tuple[str, str]]:
    """Return the help as pairs of keys and effect; a heading has no keys.

    Args:
        keymaps: the asking screen's keymap, then others; shared keys are listed once.

    """
    lines: list[tuple[str, str]] = []
    for group in dict.fromkeys([*(action.group for action in keymaps[0].actions), *ActionGroup]):
        if pairs := [pair for keymap in keymaps for pair in _group_lines(keymap, group)]:
            lines += [("", str(group.value)), *dict.fromkeys(pairs)]
    return [*lines, ("", "Mouse"), *MOUSE, ("", "Signs"), *SIGNS]


def _group_lines(keymap: Keymap, group: ActionGroup) -> list[tuple[str, str]]:
    piles = _pile_lines(keymap) if group is ActionGroup.PLAY else []
    others = [a for a in keymap.actions if a.group is group and not a.id.startswith(PILES)]
    return piles + [(labels, a.description) for a in others if (labels := keymap.all_labels(a.id))]


def _pile_lines(keymap: Keymap) -> list[tuple[str, str]]:
    """Return one line for each action on any pile of a kind, with all its keys."""
    keys: dict[str, list[str]] = {}
    for action in keymap.actions:
        if action.id.startswith(PILES):
            kind = action.id.partition("-")[0]
            does = re.sub(rf"{kind} \w+", f"a {kind}", action.description, count=1)
            keys.setdefault(does, []).append(keymap.all_labels(action.id))
    return [
        (_joined([label for label in labels if label]), does) for does, labels in keys.items() if any(labels)
    ]


def _joined(labels: list[str]) -> str:
    """Join the keys of all piles of a kind; a long row shows its first and last."""
    if any(len(label) > 1 for label in labels):
        return " ".join(labels)
    return "".join(labels) if len(labels) < KEYS else key_ranges(labels)


def draw_help(
    lines: list[tuple[str, str]], first: int, size: tuple[int, int], glyphs: Glyphs, other: str = ""
) -> Canvas:
    """Return the picture of the help, starting at one of its lines; ``other`` says what else there is."""
    width, height = size
    canvas = Canvas(width, height)
    canvas.put(1, 0, "Racing Demon: keys", Role.ACCENT | Highlight.STRONG)
    canvas.rule(1, 0, width, glyphs.rule)
    columns = 2 if width >= 150 else 1
    rows = height - 4
    for number, (keys, does) in enumerate(lines[first : first + rows * columns]):
        column, row = divmod(number, rows)
        x = 2 + column * (width // 2)
        room = width // columns - 4
        if not keys:
            canvas.put(x, 2 + row, does, Role.KEY | Highlight.STRONG)
            continue
        used = max(KEYS, canvas.put(x, 2 + row, cut(keys, room, glyphs), Role.ACCENT) - x) + 1
        canvas.put(x + used, 2 + row, cut(does, room - used, glyphs), Role.TEXT)
    _draw_end(canvas, glyphs, other, has_more=first + rows * columns < len(lines))
    return canvas


def draw_text(lines: list[tuple[str, str]], first: int, size: tuple[int, int], glyphs: Glyphs) -> Canvas:
    """Return the picture of a text, starting at one of its lines; its first line is its title."""
    width, height = size
    canvas = Canvas(width, height)
    canvas.put(1, 0, cut(lines[0][1], width - 2, glyphs), Role.ACCENT | Highlight.STRONG)
    canvas.rule(1, 0, width, glyphs.rule)
    rows = height - 4
    shown = lines[1 + first : 1 + first + rows]
    for row, (_, text) in enumerate(shown):
        canvas.put(2, 2 + row, cut(text, width - 4, glyphs), Role.TEXT)
    _draw_end(canvas, glyphs, has_more=1 + first + rows < len(lines))
    return canvas


def _draw_end(canvas: Canvas, glyphs: Glyphs, other: str = "", *, has_more: bool) -> None:
    width, height = canvas.width, canvas.height
    canvas.rule(height - 2, 0, width, glyphs.rule)
    more = "down: more   " if has_more else ""
    canvas.put(2, height - 1, f"{more}{other}any other key: back", Role.DIM)
    canvas.touch(HitArea(0, height - 2, width, 2, action="back"))
