"""What the server's port answers to plain HTTP, beside the game."""

import ipaddress
import json
from collections.abc import Callable, Collection
from http import HTTPStatus
from typing import Final, NamedTuple

from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request, Response

from racing_demon_protocol.reasons import Reason

from .siblings import Siblings

__all__ = ["NO_METER", "Meter", "health", "is_local", "is_meant", "metrics", "too_many"]

FORWARDED: Final = ("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via")
"""What a proxy says of those for whom it asks."""
RETRY_SECONDS: Final = 5
"""After so long an address that asked too much may ask again."""


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


def health(connection: ServerConnection, tables: int, siblings: Siblings, *, is_halted: bool) -> Response:
    """Say how the server is, and how many tables it keeps; of several processes, which one says so.

    Where its disk takes nothing and all tables stand still, it is not well (503).
    """
    facts: dict[str, object] = {"status": "halted" if is_halted else "ok", "tables": tables}
    if not siblings.is_alone:
        facts |= {"process": siblings.number, "ports": siblings.ports}
    status = HTTPStatus.SERVICE_UNAVAILABLE if is_halted else HTTPStatus.OK
    return _page(connection, json.dumps(facts) + "\n", "application/json", status)


def too_many(connection: ServerConnection) -> Response:
    """Refuse a request of an address that asks too much."""
    text = "Too many requests from your address. Wait a few seconds, and try again.\n"
    response = connection.respond(HTTPStatus.TOO_MANY_REQUESTS, text)
    response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response


def metrics(connection: ServerConnection, text: str) -> Response:
    """Hand out metrics in Prometheus' text format."""
    return _page(connection, text, "text/plain; version=0.0.4; charset=utf-8")


def is_local(connection: ServerConnection, request: Request) -> bool:
    """Tell whether a request comes from this machine, and neither through a proxy on it nor a web page.

    A web page's name may be made to lead to this machine (DNS rebinding), so it must be asked for by
    its address.
    """
    if any(name in request.headers for name in FORWARDED) or not _is_address(_host(request)):
        return False
    try:
        address = ipaddress.ip_address(connection.remote_address[0])
    except (TypeError, ValueError):  # gone already, or no address of the Internet's
        return False
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback


def is_meant(request: Request, hosts: Collection[str]) -> bool:
    """Tell whether a request asks for this server by one of its names, or by an address; no names: any."""
    host = _host(request)
    return not hosts or _is_address(host) or host in {name.lower() for name in hosts}


def _host(request: Request) -> str:
    """Return the host that a request asks for, without its port; empty if it names none, or several."""
    named = request.headers.get_all("Host")
    if len(named) != 1:
        return ""
    host = named[0].strip().lower()
    return host.partition("]")[0].lstrip("[") if host.startswith("[") else host.partition(":")[0]


def _is_address(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _page(connection: ServerConnection, text: str, kind: str, status: HTTPStatus = HTTPStatus.OK) -> Response:
    response = connection.respond(status, text)
    del response.headers["Content-Type"]
    response.headers["Content-Type"] = kind
    response.headers["Cache-Control"] = "no-store"
    return response
