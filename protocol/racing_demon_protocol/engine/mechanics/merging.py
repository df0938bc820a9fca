"""Merging equals: rows of four, equal tops together, four equal ones out (Cheney 45).

There is no choice: the order in which equal tops move affects neither their ranks nor the outcome.

Groups: ``pile`` (one row), ``stock``, ``waste`` (in which the piles are gathered), ``out``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from racing_demon_protocol.engine.board import Board, Play
from racing_demon_protocol.engine.cards import SUITS, rank
from racing_demon_protocol.engine.sliced_search import SearchSteps
from racing_demon_protocol.engine.specification import Mechanic

from .common import MechanicRules

MAX_DEALS: Final = 1_000
"""The number of deals after which the search gives up with "not dead".

In 2,000 searches 37 was the maximum.
"""
DEAL_UNITS: Final = 8
"""The work of dealing all cards once and merging them."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Merging(Mechanic):
    """Equal tops are merged, and leave when all of a row are equal.

    Attributes:
        close_up: whether piles move left to fill gaps.
        gathered: whether four equal cards that have come together on one pile leave, too.

    """

    close_up: bool = False
    gathered: bool = False


class MergingRules(MechanicRules[Merging]):
    """The rules of games that merge equals."""

    refusal = "Equal tops move to the leftmost of them; when none are left, the next row is dealt."

    def legal_plays(self, board: Board, seat: int) -> Iterator[Play]:
        """Yield every legal play: remove four, else merge, else deal a row, else gather."""
        piles, stock = self.group_piles(seat, "pile"), self.single_pile(seat, "stock")
        tops = [rank(board.cards[pile][-1]) if board.cards[pile] else None for pile in piles]
        if None not in tops and len(set(tops)) == 1:
            yield from (Play(pile, 1, self.single_pile(seat, "out")) for pile in piles)
            return
        merges = [
            Play(pile, 1, piles[tops.index(top)])
            for number, (pile, top) in enumerate(zip(piles, tops, strict=True))
            if top is not None and tops.index(top) < number
        ]
        if merges:
            yield from merges
        elif board.cards[stock]:
            yield Play(stock, 1, piles[0])
        else:
            yield from self._gather(board, seat)

    def automatic_play(self, board: Board, seat: int) -> Play | None:
        """Return the next automatic play: the rest of a row, of four that leave, or of a gathering."""
        piles, stock = self.group_piles(seat, "pile"), self.single_pile(seat, "stock")
        out, waste = self.single_pile(seat, "out"), self.single_pile(seat, "waste")
        if len(board.cards[out]) % len(piles):
            leaving = rank(board.cards[out][-1])
            return next(
                Play(p, 1, out) for p in piles if board.cards[p] and rank(board.cards[p][-1]) == leaving
            )
        for pile in piles if self.mechanic.gathered else ():
            if _are_gathered([rank(card) for card in board.cards[pile][-len(piles) :]]):
                return Play(pile, len(piles), out)
        if board.cards[waste]:
            return next(self._gather(board, seat), Play(waste, len(board.cards[waste]), stock))
        if missing := len(board.cards[stock]) % len(piles):
            return Play(stock, 1, piles[-missing])
        for left, right in pairwise(piles) if self.mechanic.close_up else ():
            if board.cards[right] and not board.cards[left]:
                return Play(right, len(board.cards[right]), left)
        return None

    def is_out(self, board: Board, seat: int) -> bool:
        """Return whether all cards have left."""
        return not any(
            board.cards[pile] for name in ("pile", "stock", "waste") for pile in self.group_piles(seat, name)
        )

    def is_irreversible(self, board: Board, seat: int, play: Play) -> bool:
        """Return whether a play removes cards: through all others positions may repeat."""
        return play.destination == self.single_pile(seat, "out")

    def can_progress(self, board: Board, seat: int, hidden: Board) -> SearchSteps:
        """Find out whether a card will ever leave again, or the cards return to the same order."""
        piles = [[rank(card) for card in hidden.cards[pile]] for pile in self.group_piles(seat, "pile")]
        stock = [rank(card) for card in hidden.cards[self.single_pile(seat, "stock")]]
        seen: set[tuple[int, ...]] = set()
        if self.single_pile(seat, "stock") in self.layout.shuffled:
            return bool(stock or any(piles))  # cards of a rank leave together, and may come together again
        while tuple(stock) not in seen or any(piles):
            if not any(piles):
                seen.add(tuple(stock))
            if len(seen) > MAX_DEALS or self._deal_and_merge(piles, stock):
                return True
            stock = [rank_ for pile in piles for rank_ in pile][::-1]
            piles = [[] for _ in piles]
            yield DEAL_UNITS
        return False

    def progress(self, board: Board, seat: int) -> int:
        """Return how many cards have left."""
        return len(board.cards[self.single_pile(seat, "out")])

    def _deal_and_merge(self, piles: list[list[int]], stock: list[int]) -> bool:
        """Deal the rest of the stock and merge, with ranks only; stop and return true at four equals."""
        while True:
            while _merge_one(piles) or (self.mechanic.close_up and _close_one(piles)):
                if self.mechanic.gathered and any(_are_gathered(pile[-SUITS:]) for pile in piles):
                    return True
            if all(piles) and len({pile[-1] for pile in piles}) == 1:
                return True
            if not stock:
                return False
            for pile in piles:
                pile.append(stock.pop())

    def _gather(self, board: Board, seat: int) -> Iterator[Play]:
        waste = self.single_pile(seat, "waste")
        for pile in self.group_piles(seat, "pile"):
            if board.cards[pile]:
                yield Play(pile, len(board.cards[pile]), waste)
                return


def _merge_one(piles: list[list[int]]) -> bool:
    """Merge one top with the leftmost equal one, unless all are equal; return whether there was one."""
    tops = [pile[-1] if pile else 0 for pile in piles]
    if 0 not in tops and len(set(tops)) == 1:
        return False
    for number, top in enumerate(tops):
        left = tops.index(top)
        if top and left < number:
            piles[left].append(piles[number].pop())
            return True
    return False


def _are_gathered(ranks: Sequence[int]) -> bool:
    """Return whether these are the four cards of a rank."""
    return len(ranks) == SUITS and len(set(ranks)) == 1


def _close_one(piles: list[list[int]]) -> bool:
    """Move one pile left into a gap; return whether there was one."""
    for number, pile in enumerate(piles[1:]):
        if pile and not piles[number]:
            piles[number], piles[number + 1] = pile, []
            return True
    return False
