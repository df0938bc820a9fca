"""The dealer, who knows the hidden cards.

During a hand the dealer exists only on the server. Once the seed is revealed, anybody can create one to
verify the hand.
"""

from collections.abc import Sequence

from racing_demon_protocol.engine.rules.dead_hand import can_progress, columns_can_progress, turnable_cards

from .board import Board, CardRef, Counts, Play
from .cards import Card
from .deal import decks, reshuffle
from .rules.base import Rules
from .rules.building import BuildingRules
from .sliced_search import SearchSteps, SlicedSearch
from .specification import Deals, Stock


class Dealer:
    """Deals one hand from its seed, and reveals cards as they are turned up.

    Args:
        seed: the hand's 32 bytes.
        rules: the rules of the hand.

    """

    def __init__(self, seed: bytes, rules: Rules) -> None:
        self._seed = seed
        self._rules = rules
        self._shuffled = rules.layout.shuffled
        self._board = rules.deal(decks(seed, rules.game, len(rules.layout.seats)))

    def first_cards(self) -> tuple[Card, ...]:
        """Return the cards that are face up after the deal, in the order of the piles."""
        return self._cards(self._rules.layout.face_up_refs)

    def move(self, play: Play, refs: Sequence[CardRef]) -> tuple[Card, ...]:
        """Make a play among the hidden cards, and return those that it turned up (a :data:`Revealer`).

        A redeal shuffles the stock if the game says so.
        """
        if play.destination in self._shuffled:
            self._put_back(play)
        else:
            self._board.move_known(play)
        return self._cards(refs) if refs else ()

    def rotate(self) -> None:
        """Shift every stock by one card: the stall rule ``rotate``."""
        self._board.rotate()

    def shift(self, stock: int) -> None:
        """Move the top card of one player's stock to its bottom."""
        self._board.shift(stock)

    def open_board(self) -> Board:
        """Return a board with all cards known. Nobody may see it during the hand."""
        return self._board.copy()

    def restore(self, cards: Sequence[Sequence[Card]], counts: Counts) -> None:
        """Put the cards where they lay at an earlier moment of the hand: see :meth:`open_board`."""
        self._board = Board(self._board.piles, cards)
        self._board.counts = counts

    def is_dead(self, board: Board, seats: Sequence[int]) -> bool:
        """Return whether none of these seats can ever play again.

        This may take seconds: see :meth:`search`.

        Args:
            board: the public board of the hand.
            seats: the seats still playing.

        """
        return not any(self.search(board, seat).finish() for seat in seats)

    def search(self, board: Board, seat: int) -> SlicedSearch[bool]:
        """Return a search for whether a seat can get any further on this board."""
        return SlicedSearch(self._can_progress(board, seat))

    def _can_progress(self, board: Board, seat: int) -> SearchSteps:
        rules = self._rules
        if not isinstance(rules, BuildingRules):
            return rules.can_progress(board, seat, self._board)
        if rules.move_generator.are_columns_searched:
            return self._columns_can_progress(rules, board, seat)
        return can_progress(rules, board, self._board, seat)

    def _columns_can_progress(self, rules: BuildingRules, board: Board, seat: int) -> SearchSteps:
        has_play = yield from columns_can_progress(rules, board, seat, self._turnable_cards(board, seat))
        return has_play or rules.may_help(board, seat)

    def _cards(self, refs: Sequence[CardRef]) -> tuple[Card, ...]:
        cards = self._board.cards
        return tuple([cards[pile][index] for pile, index in refs])

    def _put_back(self, play: Play) -> None:
        """Make a play to a stock that is shuffled by every redeal."""
        stock, before = play.destination, self._board.redeals
        self._board.move_known(play)
        seat = self._rules.layout.piles[stock].seat
        if before is not self._board.redeals and seat is not None:
            player = 0 if self._rules.game.deals is Deals.IDENTICAL else self._rules.layout.seats.index(seat)
            label = f"redeal/{player}/{self._board.redeals[seat]}"
            self._board.cards[stock] = tuple(reshuffle(self._seed, label, self._board.cards[stock]))

    def _turnable_cards(self, board: Board, seat: int) -> set[Card]:
        layout = self._rules.layout
        if seat not in layout.stock or seat not in layout.waste:
            return set()
        stock = layout.groups[layout.stock[seat]]
        assert isinstance(stock, Stock)
        hand, waste = self._board.cards[layout.stock[seat]], self._board.cards[layout.waste[seat]]
        redeals, shifts = board.redeals.get(seat, 0), board.shifts.get(seat, 0)
        return turnable_cards(stock, hand, waste, redeals, shifts)
