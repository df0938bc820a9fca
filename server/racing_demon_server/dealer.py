"""The dealer: the one who knows the hidden cards. It exists on the server alone."""

from collections.abc import Sequence

from racing_demon_protocol.board import Board, Place, Play
from racing_demon_protocol.cards import Card
from racing_demon_protocol.declaration import Stock
from racing_demon_protocol.endgame import can_progress, surfacing
from racing_demon_protocol.rules import Rules
from racing_demon_protocol.shuffle import deck

__all__ = ["Dealer"]


class Dealer:
    """Deals one hand from its seed, and names cards as they are turned up.

    Args:
        seed: the hand's 32 bytes.
        rules: the rules of the hand.

    """

    def __init__(self, seed: bytes, rules: Rules) -> None:
        self._rules = rules
        self._board = rules.deal([deck(seed, number) for number in range(len(rules.layout.seats))])

    def cards(self, places: Sequence[Place]) -> tuple[Card, ...]:
        """Name the cards at places. The caller vouches that these lie face up."""
        return tuple(self._board.cards[pile][index] for pile, index in places)

    def follow(self, play: Play, places: Sequence[Place]) -> tuple[Card, ...]:
        """Make a play among the hidden cards and name those that it turned up (a rules' ``Namer``)."""
        self._board.shift(play)
        return self.cards(places)

    def rotate(self) -> None:
        """Shift every stock by one, as the stall rule wants it."""
        self._board.rotate()

    def is_dead(self, board: Board, seats: Sequence[int]) -> bool:
        """Tell whether none of these seats can ever make a play again (catalogue 1.8.1, first test).

        Args:
            board: the public board of the hand.
            seats: those who still play; whoever left has no play.

        """
        return not any(can_progress(self._rules, board, seat, self._surfacing(board, seat)) for seat in seats)

    def _surfacing(self, board: Board, seat: int) -> set[Card]:
        layout = self._rules.layout
        stock = layout.groups[layout.stock[seat]]
        assert isinstance(stock, Stock)
        hand, waste = self._board.cards[layout.stock[seat]], self._board.cards[layout.waste[seat]]
        return surfacing(stock, hand, waste, board.redeals.get(seat, 0))

    def open_board(self) -> Board:
        """Return all cards, for checks after the hand; never for anybody's eyes before."""
        return self._board.copy()
