"""The sums over one player's matches: the row of the standings, rivals and best moments. Pure.

The standings' own sums decide which matches count, and what a match is worth.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import median_low
from typing import NamedTuple

from .standings import Key, Standing, StandingsTotal, corrected_winners, side_points
from .summary import MatchSummary, PlayerSummary

Sees = Callable[[Key], bool]
"""Tells whom somebody may see."""


class PlayerTotal(StandingsTotal):
    """The sums over the matches of a player whom a server remembers, added in the order in which they ended.

    Attributes:
        row: the player's row of the standings, over these matches.
        rivals: against whom the player has raced.
        moments: the player's best moments.
        played: the matches.

    Args:
        player: the player's id.

    """

    def __init__(self, player: str) -> None:
        super().__init__()
        self.row = Standing(Key("", "", player))
        self.rivals = Rivals()
        self.moments = Moments()
        self.played: list[PlayedMatch] = []

    def _count(self, summary: MatchSummary) -> None:
        """Add a match that counts."""
        super()._count(summary)
        own = {player.seat for player in summary.players if player.player == self.row.key.player}
        self.row = self.row_of(self.row.key.player) or self.row
        played = PlayedMatch.of(summary, own)
        self.played.append(played)
        self.rivals.add(summary, own)
        self.moments.add(summary, own, played, self.row.streak)


class PlayedMatch(NamedTuple):
    """A match as one of its players sees it.

    Attributes:
        game: the name of its game.
        ended_ms: when it ended, in milliseconds since 1970.
        points: the player's points, or the team's, after corrections.
        place: the player's place; who has as much shares it.
        seats: how many seats there were.
        won: whether the player has won.
        against: the others.

    """

    game: str
    ended_ms: int | None
    points: int
    place: int
    seats: int
    won: bool
    against: tuple[PlayerSummary, ...]

    @classmethod
    def of(cls, summary: MatchSummary, own: Collection[int]) -> "PlayedMatch":
        """Return a match as whoever had these seats sees it."""
        points = side_points(summary)
        best = max((points[seat] for seat in own), default=0)
        return cls(
            summary.game,
            summary.ended_ms,
            best,
            1 + sum(other > best for other in points.values()),
            len(points),
            not set(own).isdisjoint(corrected_winners(summary)),
            tuple(player for player in summary.players if player.seat not in own),
        )


@dataclass(slots=True)
class Races:
    """Races with the same outcome, and the margins in microseconds of those in which the loser came, too."""

    count: int = 0
    margins: list[int] = field(default_factory=list)

    def add(self, late_us: int | None) -> None:
        """Add a race; ``None`` if the loser never came."""
        self.count += 1
        if late_us is not None:
            self.margins.append(late_us)

    @property
    def margin(self) -> int | None:
        """The median margin; ``None`` if nobody came too late."""
        return median_low(self.margins) if self.margins else None


class Rival(NamedTuple):
    """Somebody against whom a player has raced: who, under the last name, and the races won and lost."""

    key: Key
    name: str
    won: Races
    lost: Races


class Rivals:
    """A player's rivals. Two of one name are two."""

    def __init__(self) -> None:
        self._races: dict[Key, tuple[Races, Races]] = {}
        self._names: dict[Key, str] = {}

    def add(self, summary: MatchSummary, own: Collection[int]) -> None:
        """Add a match, in which the player has these seats."""
        others = {player.seat: player for player in summary.players if player.seat not in own}
        for hand in summary.hands:
            for winner, loser, _, late_us in hand.races:
                other = others.get(loser if winner in own else winner)
                if other is not None and (winner in own) != (loser in own):
                    key = Key.of(other)
                    self._names[key] = other.name
                    won, lost = self._races.setdefault(key, (Races(), Races()))
                    (won if winner in own else lost).add(late_us)

    def closest(self, most: int, sees: Sees) -> list[Rival]:
        """Return those with most races, among whom somebody may see."""
        seen = [
            Rival(key, self._names[key], won, lost) for key, (won, lost) in self._races.items() if sees(key)
        ]
        return sorted(seen, key=lambda rival: -(rival.won.count + rival.lost.count))[:most]


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
        self._best: dict[Moment, tuple[int, PlayedMatch]] = {}

    @property
    def best(self) -> Mapping[Moment, tuple[int, PlayedMatch]]:
        """The moments that there were, each with its value and its match."""
        return {moment: self._best[moment] for moment in Moment if moment in self._best}

    def add(self, summary: MatchSummary, own: Collection[int], played: PlayedMatch, streak: int) -> None:
        """Add a match.

        Args:
            summary: the match.
            own: the player's seats.
            played: the match as the player sees it.
            streak: how many matches the player has won in a row, with this one.

        """
        corrected = Counter[tuple[int | None, int | None]]()
        for correction in summary.corrections:
            corrected[correction.hand, correction.seat] += correction.points
        for hand in summary.hands:
            for seat in own:
                if seat in hand.points:
                    self._offer(Moment.HAND, hand.points[seat] + corrected[hand.hand, seat], played)
            if hand.out in own:
                self._offer(Moment.OUT, hand.elapsed_ms, played)
            self._offer(Moment.RACES, sum(winner in own for winner, *_ in hand.races), played)
        if summary.finished and played.won:
            self._offer(Moment.STREAK, streak, played)
            self._offer(Moment.WIN, _lead(summary, own), played)

    def _offer(self, moment: Moment, value: int, played: PlayedMatch) -> None:
        """Keep a moment if it is the best of its kind, and the first such."""
        if value <= 0:
            return
        best = self._best.get(moment)
        if best is None or (value < best[0] if moment is Moment.OUT else value > best[0]):
            self._best[moment] = value, played


def _lead(summary: MatchSummary, own: Collection[int]) -> int:
    """Return by how much the winners are ahead of the best of those who have lost; 0 if nobody has."""
    points, winners = side_points(summary), corrected_winners(summary)
    won = max(points[seat] for seat in own)
    lost = [total for seat, total in points.items() if seat not in {*winners, *own} and total < won]
    return won - max(lost) if lost else 0
