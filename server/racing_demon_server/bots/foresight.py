"""What a play leads to where each plays alone: the rest of the hand, played on imagined deals.

Nobody else's play matters on identical deals, so a bot can play a hand to its end in its mind. It imagines
the cards that it has not seen in any order, and plays on as well as it can without thinking, once after each
play that it may make. This is the rollout method of Yan, Diaconis, Rusmevichientong and Van Roy, "Solitaire:
Man Versus Machine" (2004).
"""

import random
from collections.abc import Generator, Sequence
from typing import Final, TypeGuard

from racing_demon_protocol.engine.board import Board, Kind, Play
from racing_demon_protocol.engine.cards import PACK_SIZE, UNKNOWN, Card
from racing_demon_protocol.engine.rules.base import Rules
from racing_demon_protocol.engine.rules.building import BuildingRules
from racing_demon_protocol.engine.specification import Stock, Tableau

from .values import value_of

STEP_UNITS: Final = 10
"""The work of one imagined play: see :mod:`.engine.sliced_search`."""
MAX_STEPS: Final = 400
"""The most imagined plays of a hand; demons take about a hundred."""
STRAY: Final = 0.1
"""The probability of another play than the best one, so that the imagined hands differ."""


class StockMemory:
    """What a bot has seen of its stock and waste, in the order in which they are turned.

    A turned card is covered by the next one, but comes again in the same place.
    """

    def __init__(self) -> None:
        self._cards: list[Card] = []
        self._turned = 0

    def observe(self, stock: Sequence[Card], waste: Sequence[Card]) -> None:
        """Remember the cards that are face up, and forget one that was played from the waste since."""
        size = len(stock) + len(waste)
        if self._turned and size == len(self._cards) - 1:
            del self._cards[self._turned - 1]
        elif size != len(self._cards):
            self._cards = [UNKNOWN] * size
        self._turned = len(waste)
        for place, card in enumerate(waste):
            if card != UNKNOWN:
                if self._cards[place] not in {UNKNOWN, card}:  # the stock was shifted
                    self._cards = [UNKNOWN] * size
                self._cards[place] = card

    @property
    def stock(self) -> list[Card]:
        """The cards of the stock, the next one last; unknown where the bot has not seen them."""
        return self._cards[self._turned :][::-1]

    @property
    def waste(self) -> list[Card]:
        """The cards of the waste, the top one last."""
        return self._cards[: self._turned]


class Foresight:
    """Compares the plays of a seat by what they lead to.

    Args:
        rules: the rules of a hand for which :meth:`applies` is true.
        seat: the seat.
        rng: the source of the imagined deals.

    """

    def __init__(self, rules: BuildingRules, seat: int, rng: random.Random) -> None:
        self._rules = rules
        self._seat = seat
        self._rng = rng
        layout = rules.layout
        self._stock, self._waste = layout.stock[seat], layout.waste[seat]
        self._foundations = rules.foundations.piles_of(seat)
        self._reserves = layout.seat_piles(seat, Kind.RESERVE)
        piles = {pile.number for pile in layout.piles if pile.seat == seat}
        self._own = sorted(piles | set(self._foundations))
        self._opened = Board([pile.opened() for pile in layout.piles])
        self._memory = StockMemory()

    @staticmethod
    def applies(rules: Rules, seat: int) -> TypeGuard[BuildingRules]:
        """Return whether a game can be imagined: of one pack with open columns, without special rules."""
        layout, game = rules.layout, rules.game
        if not (rules.is_private and isinstance(rules, BuildingRules) and game.packs == 1) or game.specials:
            return False
        if seat not in layout.stock or seat not in layout.waste:
            return False
        stock = layout.groups[layout.stock[seat]]
        columns = [layout.groups[pile] for pile in layout.seat_piles(seat, Kind.TABLEAU)]
        are_open = all(isinstance(column, Tableau) and max(column.shape) == 1 for column in columns)
        return (
            bool(columns) and are_open and isinstance(stock, Stock) and not stock.shuffle and not stock.rounds
        )

    def observe(self, board: Board) -> None:
        """Remember what lies face up."""
        self._memory.observe(board.cards[self._stock], board.cards[self._waste])

    def best(self, board: Board, plays: Sequence[Play], deals: int) -> Generator[int, None, Play | None]:
        """Return the play that leads furthest on average, or ``None`` if turning the stock does.

        Args:
            board: the public board.
            plays: the plays to compare, which are not empty.
            deals: how many deals are imagined.

        """
        turn = self._rules.stock_play(board, self._seat)
        options = [*plays] if turn is None else [*plays, turn]
        totals = [0] * len(options)
        for _ in range(deals):
            imagined = self._imagined(board)
            for place, play in enumerate(options):
                totals[place] += yield from self._lead(imagined.copy(), play)
        best = options[totals.index(max(totals))]
        return None if best == turn else best

    def _imagined(self, board: Board) -> Board:
        """Return the board with the cards that the bot has not seen in any order."""
        imagined = self._opened.copy()
        imagined.counts = board.counts
        for pile in self._own:
            imagined.cards[pile] = board.cards[pile]
        imagined.cards[self._stock] = tuple(self._memory.stock)
        imagined.cards[self._waste] = tuple(self._memory.waste)
        first = self._rules.layout.seats.index(self._seat) * PACK_SIZE
        seen = {card for pile in self._own for card in imagined.cards[pile]}
        unseen = [card for card in range(first, first + PACK_SIZE) if card not in seen]
        self._rng.shuffle(unseen)
        for pile in self._own:
            cards = [unseen.pop() if card == UNKNOWN else card for card in imagined.cards[pile]]
            imagined.cards[pile] = tuple(cards)
        return imagined

    def _lead(self, board: Board, play: Play) -> Generator[int, None, int]:
        """Return how far a hand comes after a play: the cards up, less those left in reserves."""
        rules, seat = self._rules, self._seat
        fruitless = 0
        self._carry_out(board, play)
        for _ in range(MAX_STEPS):
            yield STEP_UNITS
            valued = [
                (value, self._rng.random(), play)
                for play in rules.resolved_plays(board, seat)
                if (value := value_of(rules, board, seat, play, sees_ahead=True)) is not None
            ]
            if valued and self._rng.random() < STRAY:
                valued = [*self._rng.sample(valued, self._rng.randrange(2))]
            if valued:
                self._carry_out(board, max(valued)[2])
                fruitless = 0
                continue
            left = len(board.cards[self._stock]) + len(board.cards[self._waste])
            turn = rules.stock_play(board, seat)
            fruitless += 1
            if turn is None or fruitless > left // rules.turn_size + 2:
                break
            self._carry_out(board, turn)
        up = sum(len(board.cards[pile]) for pile in self._foundations)
        return up - sum(len(board.cards[pile]) for pile in self._reserves)

    def _carry_out(self, board: Board, play: Play) -> None:
        board.move_known(play)
        while (automatic := self._rules.automatic_play(board, self._seat)) is not None:
            board.move_known(automatic)
