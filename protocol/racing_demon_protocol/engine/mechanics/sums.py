"""Sums: two cards whose ranks add up to a number leave the table (Cheney 8, 16 and 48).

A pair is one card played onto the other; the game removes both and fills their places. Entry 48 covers the
pair where it lies: covered cards never matter, so removing it is equivalent.

Groups: ``place`` (the cards on the table, in rows), ``stock``, ``out``; for exchanges ``aside``, which
counts; to gather lower rows ``waste``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import permutations

from racing_demon_protocol.engine.board import Board, Play
from racing_demon_protocol.engine.cards import Card, rank, suit
from racing_demon_protocol.engine.specification import Game, Mechanic

from .common import MechanicRules

COURTS = frozenset({11, 12, 13})


class Reach(StrEnum):
    """Where the two cards of a pair must lie."""

    ANYWHERE = "anywhere"
    LINE = "line"
    """In one row or in one column."""


class Courts(StrEnum):
    """What happens to jacks, queens and kings."""

    COUNT = "count"
    """They count eleven, twelve and thirteen."""
    TRIO = "trio"
    """One of each leave together, if they lie in one row, or are of one suit."""
    STAY = "stay"
    """They stay. At first they go under the stock; in the end only they are left on the table."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sums(Mechanic):
    """Pairs that add up to a number.

    Attributes:
        total: the number.
        reach: where the two must lie.
        courts: what happens to court cards.
        exchanges: how often two cards may change places if there is no pair, while the stock lasts.
        regather: whether, after the stock, the cards of the lower rows are shuffled and fill the gaps of the
            upper ones. Lower rows are those that the remaining cards would not fill.

    """

    total: int
    reach: Reach = Reach.ANYWHERE
    courts: Courts = Courts.COUNT
    exchanges: int = 0
    regather: bool = False


class SumsRules(MechanicRules[Sums]):
    """The rules of games of sums."""

    refusal = "These two make no pair here."

    def __init__(self, game: Game, seats: Sequence[int], extra_heap: Sequence[int] = ()) -> None:
        super().__init__(game, seats, extra_heap)
        self._stays = COURTS if self.mechanic.courts is Courts.STAY else frozenset()
        rows = next(group.rows for group in game.groups if group.name == "place")
        self._width = rows[0]
        self._row_of = [row for row, width in enumerate(rows) for _ in range(width)]

    def legal_plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield every legal play: pairs, the court cards of a trio one by one, and what helps when stuck."""
        places = self.group_piles(seat, "place")
        trio = next((place for place in places if len(board.cards[place]) > 1), None)
        if trio is not None:
            yield from (Play(place, 1, trio) for place in self._thirds(board, places, trio))
            return
        pairs = list(self._pairs(board, places))
        yield from pairs
        if self.mechanic.courts is Courts.TRIO:
            yield from self._trios(board, places)
        if self._may_deal(board, seat):
            yield Play(self.single_pile(seat, "stock"), 1, places[0])
        if not pairs and self._may_exchange(board, seat):
            yield from (Play(one, 1, other) for one, other in permutations(places, 2))
        if self._may_gather(board, seat):
            yield Play(self._lower(board, seat)[0], 1, self.single_pile(seat, "waste"))

    def automatic_play(self, board: Board, seat: int) -> Play | None:
        """Return the next automatic play: remove a sum, complete an exchange or a gathering, fill a gap."""
        places, stock = self.group_piles(seat, "place"), self.single_pile(seat, "stock")
        gap = next((place for place in places if not board.cards[place]), None)
        for place in places:
            cards = board.cards[place]
            if len(cards) > 1:
                return self._clear(seat, place, cards)
        if self.mechanic.exchanges and board.cards[aside := self.single_pile(seat, "aside")]:
            assert gap is not None
            return Play(aside, 1, gap)
        if self.mechanic.regather and board.cards[waste := self.single_pile(seat, "waste")]:
            lower = self._lower(board, seat)
            return Play(lower[0], 1, waste) if lower else Play(waste, len(board.cards[waste]), stock)
        if self._is_dealing(board, seat):
            for place in places:
                if board.cards[place] and rank(board.cards[place][-1]) in COURTS:
                    return Play(place, 1, stock)
        return Play(stock, 1, gap) if gap is not None and board.cards[stock] else None

    def is_out(self, board: Board, seat: int) -> bool:
        """Return whether only cards that may stay are left."""
        left = [card for place in self.group_piles(seat, "place") for card in board.cards[place]]
        return not board.cards[self.single_pile(seat, "stock")] and all(
            rank(card) in self._stays for card in left
        )

    def goal(self, seat: int) -> int:
        """Return the progress when only cards that may stay are left."""
        ranks = self.game.ranks
        return self.game.deck_size * sum(one not in self._stays for one in ranks) // len(ranks)

    def progress(self, board: Board, seat: int) -> int:
        """Return how many cards were removed."""
        return len(board.cards[self.single_pile(seat, "out")])

    # Pairs and trios.

    def _pairs(self, board: Board, places: Sequence[int]) -> Iterator[Play]:
        holding: dict[int, list[int]] = {}
        for number, place in enumerate(places):
            if board.cards[place]:
                holding.setdefault(rank(board.cards[place][-1]), []).append(number)
        for number, one in enumerate(places):
            needed = self.mechanic.total - rank(board.cards[one][-1]) if board.cards[one] else 0
            for other in holding.get(needed, ()):
                if other != number and self._reaches(number, other):
                    yield Play(one, 1, places[other])

    def _reaches(self, one: int, other: int) -> bool:
        if self.mechanic.reach is Reach.ANYWHERE:
            return True
        return self._row_of[one] == self._row_of[other] or one % self._width == other % self._width

    def _trios(self, board: Board, places: Sequence[int]) -> Iterator[Play]:
        """Yield the first plays of trios.

        Two cards of one suit begin a trio of that suit, two of different suits one of their row: so the two
        determine what must follow, and each trio begins with a pair.
        """
        courts = [place for place in places if board.cards[place] and rank(board.cards[place][-1]) in COURTS]
        for one, other in permutations(courts, 2):
            pair = [board.cards[one][-1], board.cards[other][-1]]
            same_row = self._row(places, one) == self._row(places, other)
            if suit(pair[0]) == suit(pair[1]) or same_row:
                rest = [place for place in courts if place not in {one, other}]
                if any(self._completes(pair, other, places, place, board) for place in rest):
                    yield Play(one, 1, other)

    def _thirds(self, board: Board, places: Sequence[int], trio: int) -> Iterator[int]:
        pair = board.cards[trio]
        for place in places:
            if place != trio and board.cards[place] and self._completes(pair, trio, places, place, board):
                yield place

    def _completes(
        self, pair: Sequence[Card], trio: int, places: Sequence[int], place: int, board: Board
    ) -> bool:
        third = board.cards[place][-1]
        if {rank(card) for card in (*pair, third)} != COURTS:
            return False
        if suit(pair[0]) == suit(pair[1]):
            return suit(third) == suit(pair[0])
        return self._row(places, place) == self._row(places, trio)

    def _row(self, places: Sequence[int], place: int) -> int:
        return self._row_of[places.index(place)]

    def _clear(self, seat: int, place: int, cards: Sequence[Card]) -> Play | None:
        """Return the play that removes cards lying on each other."""
        ranks = [rank(card) for card in cards]
        if sum(ranks) == self.mechanic.total or len(cards) > 2:
            return Play(place, len(cards), self.single_pile(seat, "out"))
        if self.mechanic.courts is Courts.TRIO:
            return None  # two of a trio wait for the third
        return Play(place, -1, self.single_pile(seat, "aside"))

    # Dealing, exchanging, gathering.

    def _is_dealing(self, board: Board, seat: int) -> bool:
        """Return whether court cards still go under the stock: until the first pair is removed."""
        return self.mechanic.courts is Courts.STAY and not board.cards[self.single_pile(seat, "out")]

    def _may_deal(self, board: Board, seat: int) -> bool:
        """Return whether the player may begin to deal the table, where that is not a plain deal."""
        return not any(board.cards[place] for place in self.group_piles(seat, "place")) and bool(
            board.cards[self.single_pile(seat, "stock")]
        )

    def _may_exchange(self, board: Board, seat: int) -> bool:
        if not self.mechanic.exchanges or not board.cards[self.single_pile(seat, "stock")]:
            return False
        return board.came.get(self.single_pile(seat, "aside"), 0) < self.mechanic.exchanges

    def _may_gather(self, board: Board, seat: int) -> bool:
        if not self.mechanic.regather or board.cards[self.single_pile(seat, "stock")]:
            return False
        upper = self.group_piles(seat, "place")[: self._upper(board, seat)]
        return bool(self._lower(board, seat)) and not all(board.cards[place] for place in upper)

    def _upper(self, board: Board, seat: int) -> int:
        """Return how many places of the rows the remaining cards fill; at least one row."""
        places = self.group_piles(seat, "place")
        left = sum(len(board.cards[pile]) for pile in (*places, self.single_pile(seat, "waste")))
        return max(1, left // self._width) * self._width

    def _lower(self, board: Board, seat: int) -> list[int]:
        """Return the places of the lower rows that hold a card."""
        lower = self.group_piles(seat, "place")[self._upper(board, seat) :]
        return [place for place in lower if board.cards[place]]
