"""Ratings from match totals: the Bradley-Terry model over all pairs of a match, by openskill.

A rating estimates a player's strength and its uncertainty. Players of a match are compared by their places; a
shared place is half a win against each player who shares it. (Plackett-Luce, openskill's usual model, counts
shared places in the middle as losses.) Where there were teams, these are compared: a team is as strong as its
players' strengths added up, and what it proves is shared out among them. Bots are rated like people, which
makes people comparable who never met; but not those that adapt, whose strength is that of somebody else.
"""

from collections.abc import Iterable
from typing import NamedTuple

from openskill.models import BradleyTerryFull, BradleyTerryFullRating

from racing_demon_protocol.enums import BotLevel

from .standings import Key, corrected_winners, side_points
from .summary import MatchSummary


class Rating(NamedTuple):
    """One player's rating: the estimate, its uncertainty, and the number of matches it is based on.

    ``ordinal`` is a conservative estimate: three standard deviations below ``mu``.
    """

    key: Key
    ordinal: float
    estimate: float
    doubt: float
    matches: int


def ratings(summaries: Iterable[MatchSummary]) -> dict[Key, Rating]:
    """Return all ratings after matches, which are in the order in which they ended.

    Void, unfinished and solo matches do not count, nor do those with a handicap or a bot that
    adapts.
    """
    model = BradleyTerryFull()
    known: dict[Key, BradleyTerryFullRating] = {}
    matches: dict[Key, int] = {}
    for summary in summaries:
        scores = _scores(summary)
        if len(scores) < 2:
            continue
        before = [[known.get(key) or model.rating() for key in side] for side in scores]
        after = model.rate(before, scores=list(scores.values()))
        for side, rated in zip(scores, after, strict=True):
            for key, rating in zip(side, rated, strict=True):
                known[key] = rating
                matches[key] = matches.get(key, 0) + 1
    return {
        key: Rating(key, rating.ordinal(), rating.mu, rating.sigma, matches[key])
        for key, rating in known.items()
    }


def _scores(summary: MatchSummary) -> dict[tuple[Key, ...], float]:
    """Return the score that ranks each team, or each player alone where there are no teams.

    Winners rank above all others, even those who left. Where bots of one level share a name, the best of
    them counts.
    """
    is_void = any(correction.void for correction in summary.corrections)
    adapts = any(player.bot == BotLevel.ADAPTIVE for player in summary.players)
    if not summary.finished or is_void or adapts or summary.handicaps:
        return {}
    totals, winners = side_points(summary), corrected_winners(summary)
    best = max(totals.values(), default=0)
    of_players: dict[Key, float] = {}
    teams: dict[Key, int | None] = {}
    for player in summary.players:
        key = Key(player.name, player.kind)
        score = float(best + 1 if player.seat in winners else totals[player.seat])
        if score >= of_players.get(key, score):
            of_players[key], teams[key] = score, player.team
    scores: dict[tuple[Key, ...], float] = {}
    for team in dict.fromkeys(teams.values()):
        members = tuple(key for key, own in teams.items() if own == team)
        sides = [(key,) for key in members] if team is None else [members]
        scores |= {side: max(of_players[key] for key in side) for side in sides}
    return scores
