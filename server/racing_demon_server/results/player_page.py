"""A player's page as JSON, with rivals and best moments; docs/wire.md describes the fields. Pure."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final

from racing_demon_protocol.records.player_total import PlayedMatch, PlayerTotal
from racing_demon_protocol.records.ratings import Rating
from racing_demon_protocol.records.standings import Key

from .answers import standing_row
from .visibility import Sight

MAX_RIVALS: Final = 10
MAX_MATCHES: Final = 50
"""The most rivals and matches on the page."""
UNSEEN: Final = "Another player"
"""The name of somebody whom the viewer may not see."""


def player_json(
    total: PlayerTotal, name: str, rating: Rating | None, history: Iterable[tuple[int, float]], sees: Sight
) -> dict[str, Any]:
    """Return a player's page: the row of the standings, ratings, rivals, moments, and the newest matches.

    Whom the viewer may not see has no name there.

    Args:
        total: the sums over the player's matches.
        name: what the player is called.
        rating: the player's rating, if there is one.
        history: the last ratings, each with its time.
        sees: tells whom the viewer may see.

    """
    return {
        "row": standing_row(replace(total.row, key=total.row.key._replace(name=name)), rating),
        "ratings": [list(point) for point in history],
        "rivals": [
            {
                "name": rival.name,
                "bot": rival.key.bot,
                "player": rival.key.player,
                "won": rival.won.count,
                "lost": rival.lost.count,
                "won_by_us": rival.won.margin,
                "lost_by_us": rival.lost.margin,
            }
            for rival in total.rivals.closest(MAX_RIVALS, sees)
        ],
        "moments": [
            {"moment": moment, "value": value, **_heading(played, sees)}
            for moment, (value, played) in total.moments.best.items()
        ],
        "matches": [
            {
                **_heading(played, sees),
                "points": played.points,
                "place": played.place,
                "of": played.seats,
                "won": played.won,
            }
            for played in total.played[-MAX_MATCHES:][::-1]
        ],
    }


def _heading(played: PlayedMatch, sees: Sight) -> dict[str, Any]:
    return {
        "game": played.game,
        "ended_ms": played.ended_ms,
        "against": [each.name if sees(Key.of(each)) else UNSEEN for each in played.against],
    }
