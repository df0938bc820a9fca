"""Against whom a player won and lost races, and by how much, from the results of their matches. Pure."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from statistics import median_low
from typing import Any

from racing_demon_protocol.records.standings import Key
from racing_demon_protocol.records.summary import MatchSummary


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

    def add(self, summary: MatchSummary, own: Collection[int], seen: Mapping[int, Key]) -> None:
        """Add a match.

        Args:
            summary: the match.
            own: the player's seats.
            seen: who the others are, by seat, as far as the viewer may see them.

        """
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
                "name": key.name,
                "bot": key.bot,
                "player": key.player,
                "won": won.count,
                "lost": lost.count,
                "won_by_us": won.margin(),
                "lost_by_us": lost.margin(),
            }
            for key, (won, lost) in closest[:most]
        ]
