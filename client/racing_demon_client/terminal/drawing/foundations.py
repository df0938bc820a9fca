"""The foundations: one row per suit, or rows in pile order, in fixed places that players learn."""

from collections.abc import Mapping
from typing import Final

from racing_demon_client.terminal.style import Highlight, Role, suit_role
from racing_demon_protocol.engine.board import Board
from racing_demon_protocol.engine.cards import RANK_NAMES, rank, suit
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.engine.specification import Base, Foundations, Owner, SuitRule

from .canvas import CardRect, HitArea, draw_face, draw_frame
from .scene import DrawContext

SUITS: Final = 4
MAX_SLOTS_PER_ROW: Final = 8


class FoundationSlots:
    """The places of the foundations that one seat may build on, in rows and columns.

    If the table's foundations are built up in suit, each suit has a row, and a pile gets the next free place
    of its row when its first card is played. All others lie in pile order.

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
        self.rows = SUITS if self.by_suit else -(-len(self._piles) // MAX_SLOTS_PER_ROW)
        self.columns = (
            -(-len(self._piles) // SUITS) if self.by_suit else min(len(self._piles), MAX_SLOTS_PER_ROW)
        )
        self._places: dict[int, tuple[int, int]] = {}
        if not self.by_suit:
            self._places = {
                pile: divmod(number, MAX_SLOTS_PER_ROW) for number, pile in enumerate(self._piles)
            }

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


def draw_foundations(ctx: DrawContext, y: int) -> int:
    """Draw the foundations from a row on and return the row below them."""
    slots = FoundationSlots(ctx.rules, ctx.scene.focus)
    pitch = max(3, min(ctx.density.slot[0], (ctx.width - MARGIN) // max(1, slots.columns)))
    height = max(1, min(ctx.density.slot[1], ctx.canvas.height * 2 // 5 // max(1, slots.rows)))
    ctx.canvas.touch(HitArea(0, y, ctx.width, slots.rows * height, action="foundations"))
    places = {place: pile for pile, place in ctx.scene.slots.items()}
    middle = 1 if height > 2 else 0
    for row in range(slots.rows):
        top = y + row * height
        if slots.by_suit:
            sign = ctx.glyphs.suit(row)
            ctx.canvas.put(ctx.left + 1, top + middle, sign, suit_role(row) | Highlight.STRONG)
        elif slots.base and row == 0:
            ctx.canvas.put(ctx.left + 1, top + middle, _base(ctx), Role.KEY)
        for column in range(slots.columns):
            pile = places.get((row, column))
            x = ctx.left + MARGIN + column * pitch
            if slots.by_suit or pile is not None:
                _draw_slot(ctx, (x, top), (pitch, height), pile)
    return y + slots.rows * height


def _draw_slot(ctx: DrawContext, at: tuple[int, int], size: tuple[int, int], pile: int | None) -> None:
    (x, y), (width, height) = at, size
    cards = ctx.board.cards[pile] if pile is not None else []
    mark = ctx.scene.pile_mark(pile) if pile is not None else Highlight.NONE
    text, ink = ctx.glyphs.dot, Role.DIM | mark
    if pile is not None and cards:
        text = ctx.glyphs.card(cards[-1], ten=width > 3)
        ink = ctx.scene.ink(pile, len(cards) - 1, cards[-1])
    frame = Role.FRAME if cards else Role.DIM
    if height > 2 and cards:
        draw_face(ctx.canvas, CardRect((x, y), (width - 1, 3)), text, ink, ctx.glyphs)
    elif height > 2:
        draw_frame(ctx.canvas, (x, y), (width - 1, 3), ctx.glyphs, dashed=True)
        ctx.canvas.put(x + 2, y + 1, text, ink)
    elif width > 7:
        ctx.canvas.put(x, y, ctx.glyphs.slot[0], frame)
        ctx.canvas.put(x + 4 - len(text), y, text, ink)
        ctx.canvas.put(x + 5, y, ctx.glyphs.slot[1], frame)
    else:
        ctx.canvas.put(x, y, text, ink)
    if pile is not None:
        ctx.canvas.touch(HitArea(x, y, width - 1, max(1, height - 1), pile))


def _base(ctx: DrawContext) -> str:
    """Return the rank that the foundations start with, once it is known."""
    for pile in ctx.scene.slots:
        group, cards = ctx.rules.layout.groups[pile], ctx.board.cards[pile]
        if cards and isinstance(group, Foundations) and group.base is Base.FIRST:
            return f"{ctx.glyphs.held}{RANK_NAMES[rank(cards[0]) - 1]}"
    return f"{ctx.glyphs.held}?"
