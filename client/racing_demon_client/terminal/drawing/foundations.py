"""The foundations: one row per suit, or rows in pile order."""

from racing_demon_client.terminal.style.ink import Mark, Role, suit_role
from racing_demon_protocol.engine.cards import RANK_NAMES, rank
from racing_demon_protocol.engine.specification import Base, Foundations

from .canvas import Hit
from .cards import draw_frame
from .context import DrawContext
from .slots import Slots

MARGIN = 5
"""The columns left of the first slot, for the suit's sign."""


def draw_foundations(sheet: DrawContext, y: int) -> int:
    """Draw the foundations from a row on and return the row below them."""
    slots = Slots(sheet.rules, sheet.scene.focus)
    pitch = max(3, min(sheet.density.slot[0], (sheet.width - MARGIN) // max(1, slots.columns)))
    height = max(1, min(sheet.density.slot[1], sheet.canvas.height * 2 // 5 // max(1, slots.rows)))
    sheet.canvas.touch(Hit(0, y, sheet.width, slots.rows * height, action="foundations"))
    places = {place: pile for pile, place in sheet.scene.slots.items()}
    middle = 1 if height > 2 else 0
    for row in range(slots.rows):
        top = y + row * height
        if slots.by_suit:
            sign = sheet.glyphs.suit(row)
            sheet.canvas.put(sheet.left + 1, top + middle, sign, suit_role(row) | Mark.STRONG)
        elif slots.base and row == 0:
            sheet.canvas.put(sheet.left + 1, top + middle, _base(sheet), Role.KEY)
        for column in range(slots.columns):
            pile = places.get((row, column))
            x = sheet.left + MARGIN + column * pitch
            if slots.by_suit or pile is not None:
                _draw_slot(sheet, (x, top), (pitch, height), pile)
    return y + slots.rows * height


def _draw_slot(sheet: DrawContext, at: tuple[int, int], size: tuple[int, int], pile: int | None) -> None:
    (x, y), (width, height) = at, size
    cards = sheet.board.cards[pile] if pile is not None else []
    mark = sheet.scene.pile_mark(pile) if pile is not None else Mark.NONE
    text, ink = sheet.glyphs.dot, Role.DIM | mark
    if pile is not None and cards:
        text = sheet.glyphs.card(cards[-1], ten=width > 7)
        ink = sheet.scene.ink(pile, len(cards) - 1, cards[-1])
    frame = Role.FRAME if cards else Role.DIM
    if height > 2:
        draw_frame(sheet.canvas, (x, y), (width - 1, 3), sheet.glyphs, dashed=not cards)
        sheet.canvas.put(x + 2, y + 1, text, ink)
    elif width > 7:
        sheet.canvas.put(x, y, sheet.glyphs.slot[0], frame)
        sheet.canvas.put(x + 4 - len(text), y, text, ink)
        sheet.canvas.put(x + 5, y, sheet.glyphs.slot[1], frame)
    else:
        sheet.canvas.put(x, y, text, ink)
    if pile is not None:
        sheet.canvas.touch(Hit(x, y, width - 1, max(1, height - 1), pile))


def _base(sheet: DrawContext) -> str:
    """Return the rank that the foundations start with, once it is known."""
    for pile in sheet.scene.slots:
        group, cards = sheet.rules.layout.groups[pile], sheet.board.cards[pile]
        if cards and isinstance(group, Foundations) and group.base is Base.FIRST:
            return f"{sheet.glyphs.held}{RANK_NAMES[rank(cards[0]) - 1]}"
    return f"{sheet.glyphs.held}?"
