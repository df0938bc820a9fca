"""Fixed places for the foundations: players learn where they are."""

from collections.abc import Mapping
from typing import Final

from racing_demon_protocol.engine.board import Board
from racing_demon_protocol.engine.cards import suit
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.engine.specification import Base, Foundations, Owner, SuitRule

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
