"""What the server's port answers to plain HTTP, beside the game."""

import ipaddress
import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Final, NamedTuple

from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response

from racing_demon_protocol.reasons import Reason

__all__ = ["NO_METER", "Meter", "health", "is_local", "metrics"]

FORWARDED: Final = ("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via")
"""What a proxy says of those for whom it asks."""


class Meter(NamedTuple):
    """Who is told what happens to connections, which no table sees.

    Attributes:
        text: writes down all metrics, given how many connections are open; ``None``: there are none.
        cut: counts a connection that the server ended, by a word that says why.
        refused: counts a command that the server refused before a table saw it.

    """

    text: Callable[[int], str] | None
    cut: Callable[[str], None]
    refused: Callable[[Reason], None]


NO_METER: Final = Meter(None, lambda _why: None, lambda _reason: None)


def health(connection: ServerConnection, tables: int) -> Response:
    """Say that the server is well, and how many tables it keeps."""
    return _page(connection, json.dumps({"status": "ok", "tables": tables}) + "\n", "application/json")


def metrics(connection: ServerConnection, text: str) -> Response:
    """Hand out metrics in Prometheus' text format."""
    return _page(connection, text, "text/plain; version=0.0.4; charset=utf-8")


def is_local(connection: ServerConnection, request: Request) -> bool:
    """Tell whether a request comes from this machine, and not through a proxy on it."""
    if any(name in request.headers for name in FORWARDED):
        return False
    try:
        address = ipaddress.ip_address(connection.remote_address[0])
    except (TypeError, ValueError):  # gone already, or no address of the Internet's
        return False
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def _page(connection: ServerConnection, text: str, kind: str) -> Response:
    response = connection.respond(HTTPStatus.OK, text)
    del response.headers["Content-Type"]
    response.headers["Content-Type"] = kind
    response.headers["Cache-Control"] = "no-store"
    return response
