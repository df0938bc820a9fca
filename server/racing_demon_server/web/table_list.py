"""The list of open tables for browsers."""

import json
from collections.abc import Iterable
from http import HTTPStatus
from itertools import islice

from racing_demon_protocol.discovery.mdns import MOST_TABLES
from racing_demon_protocol.table.view import TableView

from .assets import HttpResponse

__all__ = ["table_list"]


def table_list(tables: Iterable[TableView]) -> HttpResponse:
    """Return the oldest tables, as many as a browser shows."""
    body = json.dumps([_table(view) for view in islice(tables, MOST_TABLES)]).encode()
    return HttpResponse(
        HTTPStatus.OK, [("Content-Type", "application/json"), ("Cache-Control", "no-store")], body
    )


def _table(view: TableView) -> dict[str, object]:
    return {
        "code": view.code,
        "game": view.options.game,
        "host": view.host_name,
        "players": sum(not state.left for state in view.seats.values()),
        "seats": view.options.seats,
        "locked": view.locked,
        "running": not view.between_matches,
    }
