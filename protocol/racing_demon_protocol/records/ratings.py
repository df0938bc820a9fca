"""Ratings from the totals of matches: Bradley-Terry, all pairs of a match, by openskill.

A rating says how strong somebody probably is, and how sure that is. Who plays with others is compared by the
places in each match; a shared place is half a win against each who shares it. (Plackett-Luce, openskill's
usual model, lets those lose who share a place in the middle.) Bots are rated like people, so that people who
never met are compared by way of them.
"""

from collections.abc import Iterable
from typing import NamedTuple

from openskill.models import BradleyTerryFull, BradleyTerryFullRating

from .digest import Digest
from .standings import Key, points_of, winners_of

__all__ = ["Rating", "ratings"]


class Rating(NamedTuple):
    """One player's rating: the estimate, how unsure it is, and the matches that it rests on.

    ``ordinal`` is what somebody is almost certainly worth: three times the doubt below the estimate.
    """

    key: Key
    ordinal: float
    estimate: float
    doubt: float
    matches: int


def ratings(digests: Iterable[Digest]) -> dict[Key, Rating]:
    """Return everybody's rating after matches, which come in the order in which they ended.

    Matches that are void, that have not ended, or that one player played alone, say nothing.
    """
    model = BradleyTerryFull()
    known: dict[Key, BradleyTerryFullRating] = {}
    matches: dict[Key, int] = {}
    for digest in digests:
        scores = _scores(digest)
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


def _scores(digest: Digest) -> dict[Key, float]:
    """Return what each player is ranked by; winners stand before all others, whoever left among them.

    Where bots of one level share a name, the best of them stands for all.
    """
    if not digest.finished or any(correction.void for correction in digest.corrections):
        return {}
    totals, winners = points_of(digest), winners_of(digest)
    best = max(totals.values(), default=0)
    scores: dict[Key, float] = {}
    for player in digest.players:
        key = Key(player.name, player.bot)
        score = float(best + 1 if player.seat in winners else totals[player.seat])
        scores[key] = max(score, scores.get(key, score))
    return scores
