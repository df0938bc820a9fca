"""The tally: what a hand is worth at the table, and who has won the match (seed 002, "Marking")."""

from .options import OnLeave, TieBreak
from .view import TableView

__all__ = ["hand_points", "match_winners"]


def hand_points(view: TableView, out: int | None) -> tuple[int, ...]:
    """Return the points of the hand on the table, in the order of its seats."""
    points = view.points_with(out)
    forfeits = view.options.on_leave is OnLeave.FORFEIT
    return tuple(0 if forfeits and view.seats[seat].left else points[seat] for seat in view.hand_seats)


def match_winners(view: TableView) -> tuple[int, ...] | None:
    """Return who has won the match after the hand just tallied; ``None`` while it goes on.

    The highest total wins (A17, A18). Whoever left cannot win, unless everybody has.
    """
    totals = view.totals()
    active = [seat for seat, state in view.seats.items() if not state.left]
    contenders = active or list(totals)
    best = max((totals[seat] for seat in contenders), default=0)
    winners = tuple(seat for seat in contenders if totals[seat] == best)
    options = view.options
    played_out = len(view.results) >= options.hands or (options.target is not None and best >= options.target)
    tied = len(winners) > 1 and options.tie_break is TieBreak.HAND
    if active and (not played_out or tied):
        return None
    return winners
