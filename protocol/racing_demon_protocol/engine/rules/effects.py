"""The interface of a special rule's effect on a building game: see :mod:`.special_rules`."""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from racing_demon_protocol.engine.board import FOUNDATIONS, Board, Kind, Play
from racing_demon_protocol.engine.cards import Card
from racing_demon_protocol.engine.layout import Layout

from .columns import ColumnRules
from .foundations import FoundationRules
from .stock import StockRules
from .transfers import has_stock


class RulesContext(Protocol):
    """The part of the rules that effects use: see :class:`.candidates.Candidates`."""

    layout: Layout
    columns: ColumnRules
    foundations: FoundationRules
    stock: StockRules

    def open_foundations(
        self, board: Board, seat: int, card: Card, source: int | None = None
    ) -> Iterator[int]:
        """Yield the foundations that accept a card now."""
        ...

    def plain_plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the plays of cards without special rules."""
        ...


class Effect:
    """The effect of one special rule. The base class has none.

    Attributes:
        redeals_seen: redeals beyond this number make no difference to it.
        liberties_seen: liberties beyond this number make no difference to it.

    """

    redeals_seen = 0
    liberties_seen = 0

    def __init__(self, table: RulesContext, special: Any) -> None:
        self.table = table
        self.special = special

    def arrange(self, deck: Sequence[Card]) -> Sequence[Card]:
        """Return a seat's shuffled cards in the order in which they are dealt."""
        return deck

    def plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the plays that this rule adds."""
        yield from ()

    def resolve(self, board: Board, seat: int, play: Play) -> Play | None:
        """Return a play as it is carried out, if it is one of this rule's own."""
        for own in self.plays(board, seat):
            upward = play.destination == FOUNDATIONS and board.piles[own.destination].kind is Kind.FOUNDATION
            if own == play or (upward and own._replace(destination=FOUNDATIONS) == play):
                return self.carried_out(own)
        return None

    def carried_out(self, play: Play) -> Play:
        """Return one of this rule's own plays as it is carried out."""
        return play

    def due(self, board: Board, seat: int) -> str:
        """Return what this rule requires first, in words; empty if nothing."""
        return ""

    def refuses(self, board: Board, seat: int, play: Play) -> str:
        """Return why this rule forbids an otherwise legal play; empty if it does not."""
        return self.due(board, seat)

    def automatic(self, board: Board, seat: int) -> Play | None:
        """Return this rule's next automatic play."""
        return None

    def may_help(self, board: Board, seat: int) -> bool:
        """Return whether this rule allows something, now or after turning the stock."""
        return next(self.plays(board, seat), None) is not None

    def piles(self, seat: int, group: str) -> tuple[int, ...]:
        """Return the numbers of the piles of a group."""
        return self.table.layout.named(seat, group)

    def hand_out(self, board: Board, seat: int) -> bool:
        """Return whether stock and waste are empty."""
        return not has_stock(self.table.layout, board, seat)

    def passed(self, board: Board, seat: int) -> bool:
        """Return whether a full pass led to nothing, and no card can be played now.

        The stock must count.
        """
        return self.turned_through(board, seat) and next(self.table.plain_plays(board, seat), None) is None

    def turned_through(self, board: Board, seat: int) -> bool:
        """Return whether all cards have been turned since the pass began. The stock must count."""
        turns = board.came.get(self.table.layout.stock[seat], 0)
        return turns >= self.table.stock.pass_length(board, seat)

    def stuck(self, board: Board, seat: int) -> bool:
        """Return whether nothing can be played or turned without special rules."""
        nothing = next(self.table.plain_plays(board, seat), None) is None
        return nothing and next(self.table.stock.plays(board, seat), None) is None
