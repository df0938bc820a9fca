"""The list of open tables for browsers."""

import json
from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

from racing_demon_protocol.discovery.mdns import MOST_TABLES
from racing_demon_protocol.table.state import TableState

from .assets import ALONE, HttpResponse


def table_list(listed: Iterable[dict[str, Any]]) -> HttpResponse:
    """Return as many tables as a browser shows, those with free seats first."""
    first = sorted(listed, key=lambda table: bool(table["players"] >= table["seats"]))[:MOST_TABLES]
    body = json.dumps(first).encode()
    headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store"), *ALONE]
    return HttpResponse(HTTPStatus.OK, headers, body)


def listing(view: TableState) -> dict[str, Any]:
    """Return what is listed of a table."""
    return {
        "code": view.code,
        "game": view.options.game,
        "host": view.host_name,
        "players": sum(not state.left for state in view.seats.values()),
        "seats": view.options.seats,
        "locked": view.locked,
        "running": not view.between_matches,
    }
