"""Races on identical deals: the ranking, and what players may learn about each other.

Players with the same cards could read their own future in another's layout. So players of such a race see
only one number of each other: their progress.
"""

from collections.abc import Iterable
from typing import NamedTuple

from .board import Board, Pile


class Runner(NamedTuple):
    """One player's progress.

    Attributes:
        seat: the player's seat.
        progress: the value of :meth:`~.rules.base.Rules.progress`.
        out: whether the goal is reached.
        at: when the last progress was made, on the caller's clock.

    """

    seat: int
    progress: int
    out: bool = False
    at: int = 0


def order(runners: Iterable[Runner]) -> list[tuple[int, ...]]:
    """Return the seats from the first place on; tied seats share a tuple.

    Winners rank first, the earliest first; then players by progress, and at equal progress by who reached it
    earlier.
    """
    places: dict[tuple[bool, int, int], list[int]] = {}
    for runner in runners:
        key = (not runner.out, 0 if runner.out else -runner.progress, runner.at)
        places.setdefault(key, []).append(runner.seat)
    return [tuple(places[key]) for key in sorted(places)]


def may_see(pile: Pile, seat: int | None) -> bool:
    """Return whether a seat, or a spectator with ``None``, may see a pile's cards.

    Snapshots and refusals both rely on this alone.
    """
    return pile.seat == seat


def veiled(board: Board, dealt: Board, seat: int | None) -> Board:
    """Return a board as a seat, or a spectator with ``None``, may see it: others' layouts as dealt.

    Args:
        board: the board.
        dealt: the board as it was dealt.
        seat: the viewer's seat.

    """
    seen = dealt.copy()
    for pile in seen.piles:
        if may_see(pile, seat):
            seen.cards[pile.number] = list(board.cards[pile.number])
            if pile.number in board.came:
                seen.came[pile.number] = board.came[pile.number]
    seen.redeals = {own: count for own, count in board.redeals.items() if own == seat}
    seen.liberties = {own: count for own, count in board.liberties.items() if own == seat}
    return seen


def veil(board: Board, dealt: Board, seat: int) -> None:
    """Reset a seat's piles to the deal: its new player has not played them.

    Args:
        board: the board to change.
        dealt: the board as it was dealt.
        seat: the seat with a new player.

    """
    for pile in board.piles:
        if may_see(pile, seat):
            board.cards[pile.number][:] = dealt.cards[pile.number]
            board.came.pop(pile.number, None)
    board.redeals.pop(seat, None)
    board.liberties.pop(seat, None)
