"""Ratings from match totals: the Bradley-Terry model over all pairs of a match, by openskill.

A rating estimates a player's strength and its uncertainty. Players of a match are compared by their places; a
shared place is half a win against each player who shares it. (Plackett-Luce, openskill's usual model, counts
shared places in the middle as losses.) Where there were teams, these are compared: a team is as strong as its
players' strengths added up, and what it proves is shared out among them. Bots are rated like people, which
makes people comparable who never met; but not those that adapt, whose strength is that of somebody else.

A rating is provisional until it rests on enough matches against enough people. Of the matches that the same
people play within a day, the first count in full and the others less and less: an evening of many short
matches moves a rating, but not like as many evenings.
"""

from collections import defaultdict, deque
from collections.abc import Iterable
from itertools import chain
from typing import Final, NamedTuple

from openskill.models import BradleyTerryFull, BradleyTerryFullRating

from racing_demon_protocol.enums import BotLevel

from .standings import Key, corrected_winners, side_points
from .summary import MatchSummary

MIN_MATCHES: Final = 10
"""A rating is provisional before this many matches against people …"""
MIN_PEOPLE: Final = 5
"""… and against this many different people."""
FULL_MATCHES: Final = 5
"""How many matches of the same people within a day count in full."""
DAY_MS: Final = 24 * 3_600_000


class Rating(NamedTuple):
    """One player's rating: the estimate, its uncertainty, and the number of matches it is based on.

    ``ordinal`` is a conservative estimate: three standard deviations below ``mu``. ``is_provisional``: too
    few matches, or against too few people, to compare the player with others.
    """

    key: Key
    ordinal: float
    estimate: float
    doubt: float
    matches: int
    is_provisional: bool


def ratings(summaries: Iterable[MatchSummary]) -> dict[Key, Rating]:
    """Return all ratings after matches, which are in the order in which they ended."""
    rated = RatedPlayers()
    for summary in summaries:
        rated.add(summary)
    return rated.ratings()


class RatedPlayers:
    """All ratings, to which matches are added in the order in which they end.

    Void, casual, unfinished and solo matches do not count, nor do those with a handicap or a bot that adapts,
    nor those that were ended early: otherwise a host who leads could stop.
    """

    def __init__(self) -> None:
        self._model = BradleyTerryFull()
        self._ratings: dict[Key, BradleyTerryFullRating] = {}
        self._met: dict[Key, _Opponents] = defaultdict(_Opponents)
        self._days = _Days()

    def add(self, summary: MatchSummary) -> bool:
        """Rate the players of a match; return whether it counts."""
        model, ratings = self._model, self._ratings
        scores = _scores(summary)
        if len(scores) < 2:
            return False
        weight = self._days.weight(frozenset(chain.from_iterable(scores)), summary.ended_ms)
        before = [[ratings.get(key) or model.rating() for key in side] for side in scores]
        after = model.rate(before, scores=list(scores.values()))
        for side, former, rated in zip(scores, before, after, strict=True):
            opponents = {key for other in scores if other != side for key in other if not key.bot}
            for key, old, new in zip(side, former, rated, strict=True):
                ratings[key] = model.rating(
                    mu=old.mu + weight * (new.mu - old.mu), sigma=old.sigma + weight * (new.sigma - old.sigma)
                )
                self._met[key].add(opponents)
        return True

    def rating(self, key: Key) -> Rating | None:
        """Return a player's rating; ``None`` without a match that counts."""
        rating = self._ratings.get(key.identity)
        if rating is None:
            return None
        met = self._met[key.identity]
        return Rating(key, rating.ordinal(), rating.mu, rating.sigma, met.matches, met.are_few)

    def ratings(self) -> dict[Key, Rating]:
        """Return all ratings."""
        return {key: rating for key in self._ratings if (rating := self.rating(key)) is not None}


class _Opponents:
    """Whom a player was rated against."""

    def __init__(self) -> None:
        self.matches = 0
        self._with_people = 0
        self._people: set[Key] = set()

    def add(self, people: set[Key]) -> None:
        """Count a match against people; against none if all opponents were bots."""
        self.matches += 1
        self._with_people += bool(people)
        self._people |= people

    @property
    def are_few(self) -> bool:
        """Whether these are too few for a rating that stands."""
        return self._with_people < MIN_MATCHES or len(self._people) < MIN_PEOPLE


class _Days:
    """The matches of each group of people within the last day."""

    def __init__(self) -> None:
        self._ended: dict[frozenset[Key], deque[int]] = defaultdict(deque)

    def weight(self, players: frozenset[Key], ended_ms: int | None) -> float:
        """Count a match, and return its weight: 1 if it counts in full, or if its time is unknown.

        Bots make no other group of the same people; without people they are the group.
        """
        if ended_ms is None:
            return 1.0
        ended = self._ended[frozenset(key for key in players if not key.bot) or players]
        while ended and ended[0] <= ended_ms - DAY_MS:
            ended.popleft()
        ended.append(ended_ms)
        return min(1.0, FULL_MATCHES / len(ended))


def _scores(summary: MatchSummary) -> dict[tuple[Key, ...], float]:
    """Return the score that ranks each team, or each player alone where there are no teams.

    Winners rank above all others, even those who left. Where bots of one level share a name, the best of
    them counts.
    """
    adapts = any(player.bot == BotLevel.ADAPTIVE for player in summary.players)
    if not (summary.finished and summary.counts) or summary.early or adapts or summary.handicaps:
        return {}
    totals, winners = side_points(summary), corrected_winners(summary)
    best = max(totals.values(), default=0)
    of_players: dict[Key, float] = {}
    teams: dict[Key, int | None] = {}
    for player in summary.players:
        key = Key.of(player)
        score = float(best + 1 if player.seat in winners else totals[player.seat])
        if score >= of_players.get(key, score):
            of_players[key], teams[key] = score, player.team
    scores: dict[tuple[Key, ...], float] = {}
    for team in dict.fromkeys(teams.values()):
        members = tuple(key for key, own in teams.items() if own == team)
        sides = [(key,) for key in members] if team is None else [members]
        scores |= {side: max(of_players[key] for key in side) for side in sides}
    return scores
