"""Races on identical deals: who is ahead, and what may be told of one player to the others.

Whoever holds the same cards sees the future of another's layout in it. So of all that happens in such a race,
other players are told one number only: how far somebody has come (catalogue 6.8).
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from .board import Board
from .cards import Card
from .declaration import Deals
from .rules import Rules

__all__ = ["Runner", "is_private", "order", "told", "veiled"]


class Runner(NamedTuple):
    """How far one player has come.

    Attributes:
        seat: whose.
        progress: what :meth:`~.rules.Rules.progress` says.
        out: whether the goal is reached.
        at: when the last progress was made, on the clock of whoever calls.

    """

    seat: int
    progress: int
    out: bool = False
    at: int = 0


def is_private(rules: Rules) -> bool:
    """Tell whether the players of a hand must not see each other's layouts: they hold the same cards."""
    return rules.game.deals is Deals.IDENTICAL and len(rules.layout.seats) > 1


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


def told(rules: Rules, before: Mapping[int, int], board: Board) -> dict[int, int]:
    """Return what everybody may hear after a play: the progress of the seats where it has changed.

    Args:
        rules: the rules of the hand.
        before: each seat's progress before the play.
        board: the board after it.

    """
    now = {seat: rules.progress(board, seat) for seat in rules.layout.seats}
    return {seat: progress for seat, progress in now.items() if before.get(seat) != progress}


def veiled(rules: Rules, board: Board, viewer: int | None) -> tuple[tuple[Card, ...], ...]:
    """Return the cards of all piles as one viewer may see them: those of other seats are not there at all.

    Args:
        rules: the rules of the hand.
        board: the public board.
        viewer: the seat that looks; ``None`` for a spectator, who sees no seat's piles.

    """
    if not is_private(rules):
        return tuple(tuple(cards) for cards in board.cards)
    return tuple(
        tuple(cards) if pile.seat in {None, viewer} else ()
        for pile, cards in zip(board.piles, board.cards, strict=True)
    )
