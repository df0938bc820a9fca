"""Races on identical deals: who is ahead, and what may be told of one player to the others.

Whoever holds the same cards sees the future of another's layout in it. So of all that happens in such a race,
other players are told one number only: how far somebody has come (catalogue 6.8).
"""

from collections.abc import Iterable
from typing import NamedTuple

from .board import Board, Pile

__all__ = ["Runner", "may_see", "order", "veil", "veiled"]


class Runner(NamedTuple):
    """How far one player has come.

    Attributes:
        seat: whose.
        progress: what :meth:`~.rules.base.Rules.progress` says.
        out: whether the goal is reached.
        at: when the last progress was made, on the clock of whoever calls.

    """

    seat: int
    progress: int
    out: bool = False
    at: int = 0


def order(runners: Iterable[Runner]) -> list[tuple[int, ...]]:
    """Return the seats from the first place on, those together that tie.

    Who has won is before all others, and of several who won first; then who has come further, and of those
    who have come equally far, whoever did so earlier.
    """
    places: dict[tuple[bool, int, int], list[int]] = {}
    for runner in runners:
        key = (not runner.out, 0 if runner.out else -runner.progress, runner.at)
        places.setdefault(key, []).append(runner.seat)
    return [tuple(places[key]) for key in sorted(places)]


def may_see(pile: Pile, seat: int | None) -> bool:
    """Tell whether a seat, or with ``None`` somebody without one, may see what lies on a pile.

    This alone decides it, for snapshots and for refusals.
    """
    return pile.seat == seat


def veiled(board: Board, dealt: Board, seat: int | None) -> Board:
    """Return a board as a seat, or with ``None`` everybody else, may see it: others' layouts as dealt.

    Args:
        board: the board as it is.
        dealt: the board as it was dealt.
        seat: the seat that looks.

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
    """Lay a seat's piles as they were dealt: whoever takes the seat next has not played them.

    Args:
        board: the board to change.
        dealt: the board as it was dealt.
        seat: the seat that somebody else has now.

    """
    for pile in board.piles:
        if may_see(pile, seat):
            board.cards[pile.number][:] = dealt.cards[pile.number]
            board.came.pop(pile.number, None)
    board.redeals.pop(seat, None)
    board.liberties.pop(seat, None)
