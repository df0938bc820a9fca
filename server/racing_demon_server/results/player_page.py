"""A player's page as JSON, with rivals and best moments; docs/wire.md describes the fields. Pure."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import median_low
from typing import Any, Final

from racing_demon_protocol.records.ratings import Rating
from racing_demon_protocol.records.standings import Key, Standing, corrected_winners, side_points
from racing_demon_protocol.records.summary import MatchSummary

from .answers import standing_row
from .visibility import Sight

MAX_RIVALS: Final = 10
MAX_MATCHES: Final = 50
"""The most rivals and matches on the page."""
UNSEEN: Final = "Another player"
"""The name of somebody whom the viewer may not see."""


def player_json(
    row: Standing,
    rating: Rating | None,
    summaries: Iterable[MatchSummary],
    history: Iterable[tuple[int, float]],
    sees: Sight,
) -> dict[str, Any]:
    """Return a player's page: the row of the standings, ratings, rivals, moments, and the newest matches.

    Whom the viewer may not see has no name there.
    """
    rivals, moments = Rivals(), Moments()
    matches: list[dict[str, Any]] = []
    for summary in summaries:
        if not summary.counts:
            continue
        seen = {player.seat: key for player in summary.players if sees(key := Key.of(player))}
        names = {each.seat: each.name if each.seat in seen else UNSEEN for each in summary.players}
        own = {player.seat for player in summary.players if player.player == row.key.player}
        rivals.add(summary, own, seen, names)
        moments.add(summary, own, names)
        points = side_points(summary)
        best = max((points[seat] for seat in own), default=0)
        matches.append(
            {
                "game": summary.game,
                "ended_ms": summary.ended_ms,
                "points": best,
                "place": 1 + sum(other > best for other in points.values()),
                "of": len(points),
                "won": not own.isdisjoint(corrected_winners(summary)),
                "against": [name for seat, name in names.items() if seat not in own],
            }
        )
    return {
        "row": standing_row(row, rating),
        "ratings": [list(point) for point in history],
        "rivals": rivals.rows(MAX_RIVALS),
        "moments": moments.rows(),
        "matches": matches[-MAX_MATCHES:][::-1],
    }


@dataclass(slots=True)
class _Races:
    """Races with the same outcome, and the margins in microseconds of those in which the loser came, too."""

    count: int = 0
    margins: list[int] = field(default_factory=list)

    def add(self, late_us: int | None) -> None:
        self.count += 1
        if late_us is not None:
            self.margins.append(late_us)

    def margin(self) -> int | None:
        """Return the median margin; ``None`` if nobody came too late."""
        return median_low(self.margins) if self.margins else None


class Rivals:
    """A player's rivals. Two of one name are two."""

    def __init__(self) -> None:
        self._rivals: dict[Key, tuple[_Races, _Races]] = {}
        self._names: dict[Key, str] = {}

    def add(
        self, summary: MatchSummary, own: Collection[int], seen: Mapping[int, Key], names: Mapping[int, str]
    ) -> None:
        """Add a match.

        Args:
            summary: the match.
            own: the player's seats.
            seen: who the others are, by seat, as far as the viewer may see them.
            names: what everybody is called, by seat.

        """
        self._names |= {key: names[seat] for seat, key in seen.items()}
        for hand in summary.hands:
            for winner, loser, _, late_us in hand.races:
                other = loser if winner in own else winner
                if other in seen and (winner in own) != (loser in own):
                    won, lost = self._rivals.setdefault(seen[other], (_Races(), _Races()))
                    (won if winner in own else lost).add(late_us)

    def rows(self, most: int) -> list[dict[str, Any]]:
        """Return those with most races, each with the races won and lost and the median margins."""
        closest = sorted(self._rivals.items(), key=lambda rival: -sum(races.count for races in rival[1]))
        return [
            {
                "name": self._names[key],
                "bot": key.bot,
                "player": key.player,
                "won": won.count,
                "lost": lost.count,
                "won_by_us": won.margin(),
                "lost_by_us": lost.margin(),
            }
            for key, (won, lost) in closest[:most]
        ]


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
