"""A player's best moments, from the results of their matches. Pure."""

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import Any

from racing_demon_protocol.records.standings import corrected_winners, side_points
from racing_demon_protocol.records.summary import MatchSummary


class Moment(StrEnum):
    """What a player may be proud of. The numbers are those that go with it."""

    WIN = "win"
    """The match that was won by most points, or hands."""
    OUT = "out"
    """The hand in which the player went out soonest, in milliseconds."""
    HAND = "hand"
    """The hand with most points."""
    RACES = "races"
    """The hand with most races won."""
    STREAK = "streak"
    """The most matches won in a row; with the last of them."""


class Moments:
    """The best moments in matches, which are added in the order in which they ended."""

    def __init__(self) -> None:
        self._best: dict[Moment, tuple[int, dict[str, Any]]] = {}
        self._streak = 0

    def add(self, summary: MatchSummary, own: Collection[int], names: Mapping[int, str]) -> None:
        """Add a match.

        Args:
            summary: the match.
            own: the player's seats.
            names: what everybody is called, by seat.

        """
        match = {
            "game": summary.game,
            "ended_ms": summary.ended_ms,
            "against": [name for seat, name in names.items() if seat not in own],
        }
        for hand in summary.hands:
            for seat in own:
                if seat in hand.points:
                    self._offer(Moment.HAND, hand.points[seat], match)
            if hand.out in own:
                self._offer(Moment.OUT, hand.elapsed_ms, match)
            self._offer(Moment.RACES, sum(winner in own for winner, _, _, _ in hand.races), match)
        if summary.finished:
            self._add_end(summary, own, match)

    def _add_end(self, summary: MatchSummary, own: Collection[int], match: dict[str, Any]) -> None:
        """Add the end of a match: the lead over the best of those who lost, and the streak."""
        winners = set(corrected_winners(summary))
        if winners.isdisjoint(own):
            self._streak = 0
            return
        self._streak += 1
        self._offer(Moment.STREAK, self._streak, match)
        points = side_points(summary)
        won = max(points[seat] for seat in own)
        lost = [total for seat, total in points.items() if seat not in winners | set(own) and total < won]
        if lost:
            self._offer(Moment.WIN, won - max(lost), match)

    def _offer(self, moment: Moment, value: int, match: dict[str, Any]) -> None:
        """Keep a moment if it is the best of its kind, and the first such."""
        if value <= 0:
            return
        best = self._best.get(moment)
        if best is None or (value < best[0] if moment is Moment.OUT else value > best[0]):
            self._best[moment] = value, match

    def rows(self) -> list[dict[str, Any]]:
        """Return the moments that there were, each with its match."""
        return [
            {"moment": moment, "value": self._best[moment][0], **self._best[moment][1]}
            for moment in Moment
            if moment in self._best
        ]
