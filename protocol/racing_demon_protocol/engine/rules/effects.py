"""What a rule of its own may do to a building game: see :mod:`.special_rules`."""

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from racing_demon_protocol.engine.board import FOUNDATIONS, Board, Kind, Play
from racing_demon_protocol.engine.cards import Card
from racing_demon_protocol.engine.layout import Layout
from racing_demon_protocol.engine.specification import Game, Tableau

__all__ = ["Effect", "RulesContext"]


class RulesContext(Protocol):
    """What an effect asks of the rules."""

    game: Game
    layout: Layout

    def open_foundations(
        self, board: Board, seat: int, card: Card, source: int | None = None
    ) -> Iterator[int]:
        """Yield the foundations that take a card now."""
        ...

    def goals(self, seat: int) -> Sequence[int]:
        """Return the foundations that a seat builds on."""
        ...

    def wanted_above(self, board: Board, seat: int) -> frozenset[Card]:
        """Return the cards of the first pack that the foundations take from a seat now."""
        ...

    def plain_plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield the plays of cards by no rule of its own."""
        ...

    def continues(self, column: Tableau, below: Card, above: Card) -> bool:
        """Tell whether a card may lie on another in a column."""
        ...

    def can_turn(self, board: Board, seat: int) -> bool:
        """Tell whether the stock can be used."""
        ...

    def pass_length(self, board: Board, seat: int) -> int:
        """Return how many turns make a pass through all cards of stock and waste."""
        ...


class Effect:
    """One rule of its own, at work. By itself it changes nothing.

    Attributes:
        redeals_seen: redeals beyond so many make no difference to it.
        liberties_seen: the same of liberties.

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
        """Yield the plays that this rule allows beside all others."""
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
        """Say what this rule wants before anything else; an empty text if that is nothing."""
        return ""

    def refuses(self, board: Board, seat: int, play: Play) -> str:
        """Say why this rule forbids a play that is legal otherwise; an empty text if it does not."""
        return self.due(board, seat)

    def automatic(self, board: Board, seat: int) -> Play | None:
        """Return the next play that the game makes by itself through this rule."""
        return None

    def may_help(self, board: Board, seat: int) -> bool:
        """Tell whether this rule allows something, now or after turning the stock."""
        return next(self.plays(board, seat), None) is not None

    def piles(self, seat: int, group: str) -> tuple[int, ...]:
        """Return the numbers of the piles of a group."""
        return self.table.layout.named(seat, group)

    def hand_out(self, board: Board, seat: int) -> bool:
        """Tell whether stock and waste are empty."""
        layout = self.table.layout
        return not any(board.cards[p] for p in layout.own(seat, Kind.STOCK) + layout.own(seat, Kind.WASTE))

    def passed(self, board: Board, seat: int) -> bool:
        """Tell whether a pass through all cards has led to nothing, and no card can be played now.

        The stock must count.
        """
        return self.turned_through(board, seat) and next(self.table.plain_plays(board, seat), None) is None

    def turned_through(self, board: Board, seat: int) -> bool:
        """Tell whether all cards have been turned since the pass began. The stock must count."""
        return board.came.get(self.table.layout.stock[seat], 0) >= self.table.pass_length(board, seat)

    def stuck(self, board: Board, seat: int) -> bool:
        """Tell whether nothing is left to play or to turn in the ordinary way."""
        nothing = next(self.table.plain_plays(board, seat), None) is None
        return nothing and not self.table.can_turn(board, seat)
