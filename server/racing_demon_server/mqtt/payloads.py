"""The JSON payloads. Names of people appear in payloads only, never in topics."""

import json
from collections.abc import Sequence
from typing import Any

from racing_demon_protocol.discovery.directory import VERSION
from racing_demon_protocol.games import GAMES, seats_of
from racing_demon_protocol.table import scoring
from racing_demon_protocol.table.state import TableState


def is_open(view: TableState) -> bool:
    """Tell whether spectators may watch. If not, the broker learns only that the table exists."""
    return view.options.spectators and not view.locked


def record(view: TableState, node: str, urls: Sequence[str]) -> bytes:
    """Return the directory's record of a table: a :class:`~.mqtt.discovery.directory.Listed`."""
    totals = scoring.totals(view)
    there = {seat: state for seat, state in sorted(view.seats.items()) if not state.left}
    named = there if is_open(view) else {}
    return as_json(
        {
            "v": VERSION,
            "node": node,
            "code": view.code,
            "urls": list(urls),
            "game": view.options.game,
            "title": GAMES[view.options.game].title,
            "phase": view.phase.value,
            "hand": view.hand_number,
            "hands": view.options.hands,
            "target": view.options.target,
            "taken": len(there),
            "free": seats_of(view.options) - len(there if view.between_matches else view.seats),
            "late_join": view.options.late_join,
            "locked": view.locked,
            "spectators": view.options.spectators,
            "players": [
                {
                    "seat": seat,
                    "name": state.name,
                    "bot": state.bot,
                    "host": seat == view.host,
                    "total": totals[seat],
                }
                for seat, state in named.items()
            ],
        }
    )


def state(view: TableState) -> bytes:
    """Return the state of a table: its phase, and the scores of this hand and of the match."""
    points, totals = scoring.points(view), scoring.totals(view)
    seats = sorted(view.seats.items()) if is_open(view) else []
    return as_json(
        {
            "v": VERSION,
            "code": view.code,
            "phase": view.phase.value,
            "paused": view.paused,
            "hand": view.hand_number,
            "hands": view.options.hands,
            "scores": [
                {"seat": seat, "name": seat_state.name, "points": points.get(seat, 0), "total": totals[seat]}
                for seat, seat_state in seats
            ],
        }
    )


def as_json(value: dict[str, Any]) -> bytes:
    """Return ASCII-only JSON."""
    return json.dumps(value, separators=(",", ":")).encode()
