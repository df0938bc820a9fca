"""A match whose table is gone: what it came to is still worth knowing."""

from typing import Final

from racing_demon_protocol.reasons import EndReason
from racing_demon_protocol.table.scoring import hand_points, leaders
from racing_demon_protocol.table.view import TableView
from racing_demon_protocol.wire.messages import events as ev

__all__ = ["end_match"]

UNTOLD: Final = "0" * 64
"""Stands for the secret of a hand that the server did not tell any more."""


def end_match(view: TableView) -> bool:
    """End the match on a view where nothing more comes: the hand counts as far as it came.

    Returns:
        Whether there is a tally to show: not where no hand was played, or the match was over before.

    """
    if view.in_hand:
        points = hand_points(view, None)
        over = ev.HandOver(
            seq=view.seq + 1, reason=EndReason.ABANDONED, out=None, elapsed_ms=0, points=points, seed=UNTOLD
        )
        view.apply(over)
    if view.between_matches or not view.results:
        return False
    view.apply(ev.MatchOver(seq=view.seq + 1, winners=leaders(view)[0]))
    return True
