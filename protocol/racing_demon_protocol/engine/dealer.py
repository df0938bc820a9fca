"""The dealer, who knows the hidden cards.

During a hand the dealer exists only on the server. Once the seed is revealed, anybody can create one to
verify the hand.
"""

from collections.abc import Sequence

from racing_demon_protocol.engine.rules.dead_hand import columns_lead_on, leads_on, surfacing

from .board import Board, Place, Play
from .cards import Card
from .deal import decks, reshuffled
from .rules.base import Rules
from .rules.building import BuildingRules
from .sliced_search import Search, Steps
from .specification import Deals, Stock


class Dealer:
    """Deals one hand from its seed, and names cards as they are turned up.

    Args:
        seed: the hand's 32 bytes.
        rules: the rules of the hand.

    """

    def __init__(self, seed: bytes, rules: Rules) -> None:
        self._seed = seed
        self._rules = rules
        self._open = rules.deal(decks(seed, rules.game, len(rules.layout.seats)))

    def first_cards(self) -> tuple[Card, ...]:
        """Return the cards that are face up after the deal, in the order of the piles."""
        return self._cards(self._rules.layout.first_places)

    def follow(self, play: Play, places: Sequence[Place]) -> tuple[Card, ...]:
        """Make a play among the hidden cards and return those that it turned up (the rules' ``Namer``).

        A redeal shuffles the stock if the game says so.
        """
        if play.destination in self._rules.layout.shuffled:
            self._put_back(play)
        else:
            self._open.carry(play)
        return self._cards(places) if places else ()

    def rotate(self) -> None:
        """Shift every stock by one card, under the stall rule."""
        self._open.rotate()

    def open_board(self) -> Board:
        """Return a board with all cards known, for checks only: nobody may see it during the hand."""
        return self._open.copy()

    def is_dead(self, board: Board, seats: Sequence[int]) -> bool:
        """Return whether none of these seats can ever make a play again.

        This may take seconds: see :meth:`search`.

        Args:
            board: the public board of the hand.
            seats: the seats still playing.

        """
        return not any(self.search(board, seat).finish() for seat in seats)

    def search(self, board: Board, seat: int) -> Search[bool]:
        """Return a search for whether a seat can get any further on this board."""
        return Search(self._leads_on(board, seat))

    def _leads_on(self, board: Board, seat: int) -> Steps:
        rules = self._rules
        if not isinstance(rules, BuildingRules):
            return rules.leads_on(board, seat, self._open)
        if rules.move_generator.is_classic:
            return self._classic_leads_on(rules, board, seat)
        return leads_on(rules, board, self._open, seat)

    def _classic_leads_on(self, rules: BuildingRules, board: Board, seat: int) -> Steps:
        can_play = yield from columns_lead_on(rules, board, seat, self._surfacing(board, seat))
        return can_play or rules.may_help(board, seat)

    def _cards(self, places: Sequence[Place]) -> tuple[Card, ...]:
        cards = self._open.cards
        return tuple([cards[pile][index] for pile, index in places])

    def _put_back(self, play: Play) -> None:
        """Make a play to a stock that every redeal shuffles."""
        stock, before = play.destination, dict(self._open.redeals)
        self._open.carry(play)
        seat = self._rules.layout.piles[stock].seat
        if before != self._open.redeals and seat is not None:
            player = 0 if self._rules.game.deals is Deals.IDENTICAL else self._rules.layout.seats.index(seat)
            label = f"redeal/{player}/{self._open.redeals[seat]}"
            self._open.cards[stock] = reshuffled(self._seed, label, self._open.cards[stock])

    def _surfacing(self, board: Board, seat: int) -> set[Card]:
        layout = self._rules.layout
        if seat not in layout.stock or seat not in layout.waste:
            return set()
        stock = layout.groups[layout.stock[seat]]
        assert isinstance(stock, Stock)
        hand, waste = self._open.cards[layout.stock[seat]], self._open.cards[layout.waste[seat]]
        return surfacing(stock, hand, waste, board.redeals.get(seat, 0))
