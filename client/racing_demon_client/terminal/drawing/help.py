"""The keys as a picture: made from the registry, so that it cannot say anything else than the keys do."""

from ..actions import Group
from ..ink import Mark, Role
from ..keymap import Keymap
from .canvas import Canvas, Hit
from .glyphs import Glyphs, fit

__all__ = ["draw_help", "help_lines"]

KEYS = 12

SIGNS = (
    ("underlined", "your card is in the air: the server has not answered yet"),
    ("= ? x", "beside a player: stuck, connection lost, left"),
    ("[a] #3", "the column's key, and how many of its cards lie face down"),
)
MOUSE = (
    ("click", "pick up, put down; on the stock: turn"),
    ("drag", "a card or a run to where it goes"),
    ("double", "or right click: up to the foundations"),
)


def help_lines(keymap: Keymap) -> list[tuple[str, str]]:
    """Return the help, line by line: keys and what they do; a heading has no keys."""
    lines: list[tuple[str, str]] = []
    for group in Group:
        columns = _column_lines(keymap) if group is Group.PLAY else []
        others = [a for a in keymap.actions if a.group is group and not a.id.startswith("column-")]
        pairs = [(labels, a.does) for a in others if (labels := keymap.all_labels(a.id))]
        if columns or pairs:
            lines += [("", str(group.value)), *columns, *pairs]
    return [*lines, ("", "Mouse"), *MOUSE, ("", "Signs"), *SIGNS]


def _column_lines(keymap: Keymap) -> list[tuple[str, str]]:
    """Return one line for each thing that can be done with any column, with the keys of all columns."""
    keys: dict[str, str] = {}
    for action in keymap.actions:
        if action.id.startswith("column-"):
            does = action.does.replace(f"column {action.id.split('-')[1]}", "a column")
            keys[does] = keys.get(does, "") + keymap.labels.get(action.id, "")
    return [(labels, does) for does, labels in keys.items() if labels]


def draw_help(lines: list[tuple[str, str]], first: int, size: tuple[int, int], glyphs: Glyphs) -> Canvas:
    """Return the picture of the help from one of its lines on."""
    width, height = size
    canvas = Canvas(width, height)
    canvas.put(1, 0, "Racing Demon: keys", Role.ACCENT | Mark.STRONG)
    canvas.rule(1, 0, width, glyphs.rule)
    columns = 2 if width >= 150 else 1
    rows = height - 4
    for number, (keys, does) in enumerate(lines[first : first + rows * columns]):
        column, row = divmod(number, rows)
        x = 2 + column * (width // 2)
        room = width // columns - 4
        if not keys:
            canvas.put(x, 2 + row, does, Role.KEY | Mark.STRONG)
            continue
        canvas.put(x, 2 + row, fit(keys, KEYS, glyphs), Role.ACCENT)
        canvas.put(x + KEYS + 1, 2 + row, fit(does, room - KEYS - 1, glyphs), Role.TEXT)
    canvas.rule(height - 2, 0, width, glyphs.rule)
    more = "down: more   " if first + rows * columns < len(lines) else ""
    canvas.put(2, height - 1, f"{more}any other key: back", Role.DIM)
    canvas.touch(Hit(0, height - 2, width, 2, action="back"))
    return canvas
