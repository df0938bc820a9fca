"""How to play, in four panels side by side and below each other."""

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from racing_demon_client.shared.guide_text import (
    GESTURES,
    Panel,
    PilePicture,
    house_rules,
    intro,
    panels_of,
    played,
)
from racing_demon_client.shared.pile_names import MAX_COLUMNS
from racing_demon_client.terminal.style import Glyphs, Highlight, Role, cut, suit_role, wrapped
from racing_demon_protocol.engine.cards import UNKNOWN, Card, suit
from racing_demon_protocol.wire.options import Options

from .canvas import Canvas, HitArea

WIDE: Final = 150
"""The width from which all panels stand side by side."""
CARD_WIDTH: Final = 4
FAN_STEP: Final = 3


class _Line(NamedTuple):
    """A row of a panel: text, or a row of its picture."""

    text: str = ""
    ink: int = Role.TEXT
    picture: Sequence[PilePicture] = ()
    row: int = 0


def draw_guide(
    options: Options, labels: Mapping[str, str], first: int, size: tuple[int, int], glyphs: Glyphs
) -> Canvas:
    """Return the picture of how a table's game is played, starting at one of its rows.

    Args:
        options: the table's options.
        labels: what is printed on the key of each action.
        first: the row.
        size: the width and height.
        glyphs: the glyphs.

    """
    width, height = size
    canvas = Canvas(width, height)
    count = 4 if width >= WIDE else 2
    room = width // count
    panels = [_lines(panel, piles, said, labels, room - 4) for panel, piles, said in panels_of(options)]
    above = wrapped(intro(options), width - 4) if intro(options) else []
    top = 2 + len(above) + bool(above) - first
    bottom = top
    for column in range(count):
        y = top
        for lines in panels[column * 4 // count : (column + 1) * 4 // count]:
            for line in lines:
                _draw(canvas, column * room + 2, y, line, glyphs)
                y += 1
            y += 1
        bottom = max(bottom, y - 1)
    for row, text in enumerate(above, start=2 - first):
        canvas.put(2, row, text, Role.DIM)
    _draw_frame(canvas, options, glyphs, has_more=bottom > height - 2)
    return canvas


def _lines(
    panel: Panel, piles: Sequence[PilePicture], said: Sequence[str], labels: Mapping[str, str], room: int
) -> list[_Line]:
    """Return the rows of a panel."""
    lines = [_Line(panel.title, Role.ACCENT | Highlight.STRONG)]
    rows = max((len(pile.cards) if pile.fan == "down" else 1 for pile in piles), default=0)
    rows += any(pile.label for pile in piles)
    lines += [_Line(picture=piles, row=row) for row in range(rows)]
    lines += [_Line(text) for sentence in said for text in wrapped(sentence, room)]
    lines += [_Line(text, Role.KEY) for text in wrapped(_keys(panel.name, labels), room) if text]
    return lines


def _keys(panel: str, labels: Mapping[str, str]) -> str:
    """Return what keys do, if there are such keys: spectators have none."""
    columns = [f"column-{number}" for number in range(1, MAX_COLUMNS + 1)]
    known = {
        **labels,
        "columns": "".join(labels.get(column, "") for column in columns),
        "ups": "".join(labels.get(f"{column}-up", "") for column in columns),
    }
    text = GESTURES[panel]["terminal"]
    names = re.findall(r"{([\w-]+)}", text)
    if not all(known.get(name) for name in names):
        return ""
    return re.sub(r"{([\w-]+)}", lambda found: known[found[1]], text)


def _draw(canvas: Canvas, x: int, y: int, line: _Line, glyphs: Glyphs) -> None:
    """Draw a row of a panel."""
    if not line.picture:
        canvas.put(x, y, line.text, line.ink)
        return
    for at, pile in enumerate(line.picture):
        if pile.fan == "arrow":
            x = canvas.put(x, y, f" {glyphs.held} " if line.row == 0 else "   ", Role.ACCENT)
            continue
        following = line.picture[at + 1 : at + 2]
        goes = pile.fan == "right" or (
            following and following[0].fan == "arrow" and UNKNOWN not in pile.cards
        )
        depth = len(pile.cards) if pile.fan == "down" else 1
        if pile.fan == "right" and line.row == 0:
            for below in pile.cards[:-1]:
                canvas.put(x, y, glyphs.slot[0] + glyphs.card(below), _ink(below))
                x += FAN_STEP
        if line.row < depth:
            card = None if not pile.cards else pile.cards[line.row if pile.fan == "down" else -1]
            _draw_card(canvas, (x, y), card, glyphs, goes=bool(goes))
        elif pile.label and line.row == depth:
            canvas.put(x, y, pile.label, Role.TEXT)
        is_end_of_pair = at > 0 and line.picture[at - 1].fan == "arrow"
        x += max(CARD_WIDTH, len(pile.label) + 1) + (3 if is_end_of_pair else 1)


def _draw_card(canvas: Canvas, at: tuple[int, int], card: Card | None, glyphs: Glyphs, *, goes: bool) -> None:
    """Draw a card between its edges, or an empty place."""
    x, y = at
    edge = Role.ACCENT | Highlight.STRONG if goes else Role.FRAME
    x = canvas.put(x, y, glyphs.slot[0], edge)
    name = glyphs.dot * 2 if card is None else glyphs.card(card)
    x = canvas.put(x, y, name, Role.DIM if card is None else _ink(card) | (Highlight.STRONG if goes else 0))
    canvas.put(x, y, glyphs.slot[1], edge)


def _ink(card: Card) -> int:
    return Role.BACK if card == UNKNOWN else suit_role(suit(card))


def _draw_frame(canvas: Canvas, options: Options, glyphs: Glyphs, *, has_more: bool) -> None:
    width, height = canvas.width, canvas.height
    for row in (0, height - 1):
        canvas.put(0, row, " " * width)
    x = canvas.put(
        1, 0, cut(f"How to play: {played(options)}", width - 2, glyphs), Role.ACCENT | Highlight.STRONG
    )
    rules = ", ".join(house_rules(options))
    if rules:
        canvas.put(x + 2, 0, cut(f"here: {rules}", max(2, width - x - 4), glyphs), Role.WARNING)
    canvas.rule(1, 0, width, glyphs.rule)
    canvas.rule(height - 2, 0, width, glyphs.rule)
    more = "down: more   " if has_more else ""
    canvas.put(2, height - 1, f"{more}tab: all keys   any other key: back", Role.DIM)
    canvas.touch(HitArea(0, height - 2, width, 2, action="back"))
