"""The foundations: one row per suit, or rows in pile order, in fixed places that players learn."""

from collections.abc import Mapping
from typing import Final

from racing_demon_client.terminal.style import Mark, Role, suit_role
from racing_demon_protocol.engine.board import Board
from racing_demon_protocol.engine.cards import RANK_NAMES, rank, suit
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.engine.specification import Base, Foundations, Owner, SuitRule

from .canvas import Hit, draw_frame
from .scene import DrawContext

SUITS: Final = 4
WIDEST: Final = 8


class Slots:
    """The places of the foundations that one seat may build on, in rows and columns.

    If the table's foundations are built up in suit, each suit has a row, and a pile gets the next free place
    of
    its row when its first card is played. All others lie in pile order.

    Attributes:
        seat: the seat; it also uses the table's foundations.
        by_suit: whether rows are suits.
        rows: the number of rows.
        columns: the number of places in a row.
        base: whether the rank of the first card is open, and so worth showing.

    Args:
        rules: the rules of the hand.
        seat: the seat.

    """

    def __init__(self, rules: Rules, seat: int | None) -> None:
        layout = rules.layout
        self.seat = seat
        self._piles = [pile for pile in layout.foundations if layout.piles[pile].seat in {None, seat}]
        groups = [layout.groups[pile] for pile in self._piles]
        self.by_suit = bool(groups) and all(
            isinstance(group, Foundations) and group.suit is SuitRule.SAME and group.owner is Owner.TABLE
            for group in groups
        )
        self.base = any(isinstance(group, Foundations) and group.base is Base.FIRST for group in groups)
        self.rows = SUITS if self.by_suit else -(-len(self._piles) // WIDEST)
        self.columns = -(-len(self._piles) // SUITS) if self.by_suit else min(len(self._piles), WIDEST)
        self._places: dict[int, tuple[int, int]] = {}
        if not self.by_suit:
            self._places = {pile: divmod(number, WIDEST) for number, pile in enumerate(self._piles)}

    def places(self, board: Board) -> Mapping[int, tuple[int, int]]:
        """Return the row and column of each pile that has a place."""
        if self.by_suit:
            rows = {pile: suit(board.cards[pile][0]) for pile in self._piles if board.cards[pile]}
            for pile in list(self._places):
                if self._places[pile][0] != rows.get(pile):  # an unconfirmed card was refused
                    del self._places[pile]
            for pile, row in rows.items():
                if pile not in self._places:
                    taken = {column for other, column in self._places.values() if other == row}
                    free = next(column for column in range(len(self._piles)) if column not in taken)
                    self._places[pile] = (row, free)
        return dict(self._places)


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
