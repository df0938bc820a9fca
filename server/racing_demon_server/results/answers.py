"""Results as JSON; docs/wire.md describes the fields."""

from collections.abc import Iterable
from typing import Any, Final

from racing_demon_protocol.records.ratings import RatedPlayers, Rating
from racing_demon_protocol.records.standings import (
    Key,
    Standing,
    Standings,
    TeamStanding,
    corrected_winners,
    side_points,
)
from racing_demon_protocol.records.summary import MatchSummary

from .moments import Moments
from .query import StandingsQuery
from .rivals import Rivals
from .store import Result
from .visibility import Sight

ROWS: Final = 50
"""The rows of a page of standings."""
MAX_RIVALS: Final = 10
MAX_MATCHES: Final = 50
"""The most rivals and matches on a player's page."""
UNSEEN: Final = "Another player"
"""The name of somebody whom the viewer may not see."""


def standings_json(
    found: Standings, rated: RatedPlayers, query: StandingsQuery, sees: Sight, *, with_corrections: bool
) -> dict[str, Any]:
    """Return a page of standings, with the ratings of its players, as far as somebody may see them."""
    rows = [row for row in found.rows if sees(row.key) and not (query.people and row.key.bot)]
    teams = [row for row in found.teams if all(map(sees, row.players))]
    shown = slice((query.page - 1) * ROWS, query.page * ROWS)
    return {
        "matches": found.matches,
        "unfinished": found.unfinished,
        "page": query.page,
        "pages": max(1, -(-len(rows) // ROWS)),
        "rows": [_row(row, rated.rating(row.key)) for row in rows[shown]],
        "teams": [_team(row) for row in teams[:ROWS]],
        "corrections": [each._asdict() for each in found.corrected[-ROWS:] if with_corrections],
    }


def _row(row: Standing, rating: Rating | None) -> dict[str, Any]:
    return {
        "name": row.key.name,
        "bot": row.key.bot,
        "player": row.key.player,
        "matches": row.matches,
        "wins": row.wins,
        "hands": row.hands,
        "points": row.points,
        "outs": row.outs,
        "races_won": row.races_won,
        "races_lost": row.races_lost,
        "streak": row.streak,
        "longest": row.longest,
        "form": [int(won) for won in row.form],
        "rating": None if rating is None else round(rating.ordinal, 2),
        "estimate": None if rating is None else round(rating.estimate, 2),
        "doubt": None if rating is None else round(rating.doubt, 2),
        "provisional": None if rating is None else rating.is_provisional,
    }


def _team(row: TeamStanding) -> dict[str, Any]:
    return {
        "players": [key.name for key in row.players],
        "matches": row.matches,
        "wins": row.wins,
        "hands": row.hands,
        "points": row.points,
    }


def match_json(result: Result, summary: MatchSummary) -> dict[str, Any]:
    """Return a match, with what follows from its summary: points of seats or teams, and who has won."""
    return {
        "link": result.link,
        "over": result.is_over,
        "points": {str(seat): points for seat, points in side_points(summary).items()},
        "winners": list(corrected_winners(summary)),
        "summary": summary.model_dump(mode="json", exclude={"id", "promises"}),
    }


def brief_json(result: Result, summary: MatchSummary) -> dict[str, Any]:
    """Return what a list shows of a match, with the players of its summary."""
    return {
        "link": result.link,
        "over": result.is_over,
        "game": summary.game,
        "started_ms": summary.started_ms,
        "ended_ms": summary.ended_ms,
        "hands": len(summary.hands),
        "casual": summary.casual,
        "players": [player.name for player in summary.players],
    }


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
        rivals.add(summary, own, seen)
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
        "row": _row(row, rating),
        "ratings": [list(point) for point in history],
        "rivals": rivals.rows(MAX_RIVALS),
        "moments": moments.rows(),
        "matches": matches[-MAX_MATCHES:][::-1],
    }
