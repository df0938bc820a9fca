"""Standings and matches as JSON; docs/wire.md describes the fields."""

from collections import Counter
from collections.abc import Callable
from typing import Any, Final

from racing_demon_protocol.records.ratings import RatedPlayers, Rating
from racing_demon_protocol.records.standings import (
    Standing,
    Standings,
    TeamStanding,
    corrected_winners,
    side_points,
)
from racing_demon_protocol.records.summary import MatchSummary
from racing_demon_server.players.store import folded

from .query import StandingsQuery
from .store import Result
from .visibility import Sight

ROWS: Final = 50
"""The rows of a page of standings."""


def standings_json(  # noqa: PLR0913 - what is shown, and to whom
    standings: Standings,
    rated: RatedPlayers,
    query: StandingsQuery,
    sees: Sight,
    met_ms: Callable[[str], int | None],
    *,
    with_corrections: bool,
) -> dict[str, Any]:
    """Return a page of standings, with the ratings of its players, as far as somebody may see them.

    Args:
        standings: the standings.
        rated: the ratings.
        query: what is asked for.
        sees: tells whom the one who asks may see.
        met_ms: returns when a player was first met, which tells namesakes apart.
        with_corrections: whether the corrections are shown.

    """
    rows = [row for row in standings.rows if sees(row.key) and not (query.people and row.key.bot)]
    teams = [row for row in standings.teams if all(map(sees, row.players))]
    namesakes = Counter(folded(row.key.name) for row in rows if not row.key.bot)

    def met(row: Standing) -> int | None:
        is_one_of_many = row.key.player and namesakes[folded(row.key.name)] > 1
        return met_ms(row.key.player) if is_one_of_many else None

    shown = slice((query.page - 1) * ROWS, query.page * ROWS)
    return {
        "matches": standings.matches,
        "unfinished": standings.unfinished,
        "casual": standings.casual,
        "early": standings.early,
        "page": query.page,
        "pages": max(1, -(-len(rows) // ROWS)),
        "rows": [{**standing_row(row, rated.rating(row.key)), "met_ms": met(row)} for row in rows[shown]],
        "teams": [_team(row) for row in teams[:ROWS]],
        "corrections": [each._asdict() for each in standings.corrected[-ROWS:] if with_corrections],
    }


def standing_row(row: Standing, rating: Rating | None) -> dict[str, Any]:
    """Return a row of standings, with the rating of its player if there is one."""
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
    """Return a match, with what follows from its summary: points of seats or teams, and who has won.

    Whoever has the link is not told the table's code, with which one could join it while it is open.
    """
    return {
        "link": result.link,
        "over": result.is_over,
        "points": {str(seat): points for seat, points in side_points(summary).items()},
        "winners": list(corrected_winners(summary)),
        "summary": summary.model_dump(mode="json", exclude={"id", "code", "promises"}),
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
