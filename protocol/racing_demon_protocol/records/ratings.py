"""Ratings from match totals: the Bradley-Terry model over all pairs of a match, by openskill.

A rating estimates a player's strength and its uncertainty. Players of a match are compared by their places; a
shared place is half a win against each player who shares it. (Plackett-Luce, openskill's usual model, counts
shared places in the middle as losses.) Bots are rated like people, which makes people comparable who never
met; but not those that adapt, whose strength is that of somebody else.
"""

from collections.abc import Iterable
from typing import NamedTuple

from openskill.models import BradleyTerryFull, BradleyTerryFullRating

from racing_demon_protocol.enums import BotLevel

from .standings import Key, corrected_winners, total_points
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
        keys = list(scores)
        before = [[known.get(key) or model.rating()] for key in keys]
        after = model.rate(before, scores=[scores[key] for key in keys])
        for key, (rating,) in zip(keys, after, strict=True):
            known[key] = rating
            matches[key] = matches.get(key, 0) + 1
    return {
        key: Rating(key, rating.ordinal(), rating.mu, rating.sigma, matches[key])
        for key, rating in known.items()
    }


def _scores(summary: MatchSummary) -> dict[Key, float]:
    """Return the score that ranks each player; winners rank above all others, even those who left.

    Where bots of one level share a name, the best of them counts.
    """
    is_void = any(correction.void for correction in summary.corrections)
    adapts = any(player.bot == BotLevel.ADAPTIVE for player in summary.players)
    if not summary.finished or is_void or adapts or summary.handicaps:
        return {}
    totals, winners = total_points(summary), corrected_winners(summary)
    best = max(totals.values(), default=0)
    scores: dict[Key, float] = {}
    for player in summary.players:
        key = Key(player.name, player.bot)
        score = float(best + 1 if player.seat in winners else totals[player.seat])
        scores[key] = max(score, scores.get(key, score))
    return scores
