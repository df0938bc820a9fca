"""Requests and answers of plain HTTP, and checks of hosts and origins."""

import re
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Sequence
from email.utils import formatdate
from functools import cache
from http import HTTPStatus
from json import dumps
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from racing_demon_protocol.wire.redirects import bracketed
from racing_demon_server.rate_limits import REQUEST
from racing_demon_server.sharding import Shards

from .assets import ALONE
from .origin import Network, forwarded_hops, named_clients, parsed, trusted_hops

HOME_SUFFIXES: Final = ("home.arpa", "fritz.box", "home", "internal", "lan", "local", "localdomain")
"""Suffixes that home routers give to the names of machines. Nobody can register such a name."""
FORWARDED: Final = ("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via")
"""The header in which a proxy names its client."""
SCHEMES: Final = ("ws", "wss")
"""How a client may dial: without TLS, and with it."""
AS_SCHEME: Final = {"http": "ws", "ws": "ws", "https": "wss", "wss": "wss"}
USUAL_PORTS: Final = {"ws": ":80", "wss": ":443"}
RETRY_SECONDS: Final = 5
"""Seconds after which a refused address may try again."""


class HttpRequest(NamedTuple):
    """A request for a page.

    Attributes:
        request: the request.
        path: its path, without a query, and without the path below which all pages are.
        client: the name under which its client is counted.
        peer: the address of the peer.
        local: the address and port of this machine that the peer has connected to.

    """

    request: Request
    path: str
    client: str
    peer: str
    local: tuple[str, int]


class CutOff(Exception):
    """The rest of an answer cannot be made."""


class StreamedResponse(Response):
    """An answer whose body is made while it is sent.

    Attributes:
        pieces: the body. Empty pieces say that there is progress; :class:`CutOff` says that there is no more.

    Args:
        status: the status.
        headers: the headers, beside the usual ones.
        pieces: the body.

    """

    def __init__(
        self, status: HTTPStatus, headers: Iterable[tuple[str, str]], pieces: AsyncIterator[bytes]
    ) -> None:
        usual = {
            "Date": formatdate(usegmt=True),
            "Connection": "close",
            "Transfer-Encoding": "chunked",  # so that a body that was cut off is known as such
        }
        super().__init__(status.value, status.phrase, Headers([*usual.items(), *headers]))
        self.pieces = pieces


Page = Callable[[HttpRequest], Response | Awaitable[Response] | None]
"""Answers a request, perhaps later; ``None`` if there is no such page, or to accept a WebSocket."""
Access = Callable[[HttpRequest], Response | None]
"""Refuses a request; ``None`` if it is allowed."""


class Route(NamedTuple):
    """A page, or a kind of pages.

    Attributes:
        path: the path, or a pattern of paths.
        page: answers requests.
        access: refuses requests that are not allowed.
        units: what a request costs its address.

    """

    path: str | re.Pattern[str]
    page: Page
    access: Access
    units: int = REQUEST


def respond(status: HTTPStatus, headers: Iterable[tuple[str, str]], body: bytes) -> Response:
    """Answer a request. The connection is closed after the answer."""
    usual = {"Date": formatdate(usegmt=True), "Connection": "close", "Content-Length": str(len(body))}
    return Response(status.value, status.phrase, Headers([*usual.items(), *headers]), body)


def text(status: HTTPStatus, words: str, kind: str = "text/plain; charset=utf-8") -> Response:
    """Answer with a text that must not be cached."""
    return respond(status, [("Content-Type", kind), ("Cache-Control", "no-store"), *ALONE], words.encode())


def json(value: object, status: HTTPStatus = HTTPStatus.OK) -> Response:
    """Answer with JSON that must not be cached."""
    return text(status, dumps(value) + "\n", "application/json")


def redirect(location: str) -> Response:
    """Redirect a browser temporarily."""
    response = text(HTTPStatus.TEMPORARY_REDIRECT, f"{location}\n")
    response.headers["Location"] = location
    return response


def too_many() -> Response:
    """Refuse a request from an address that has sent too many."""
    words = "Too many requests from your address. Wait a few seconds, and try again.\n"
    response = text(HTTPStatus.TOO_MANY_REQUESTS, words)
    response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response


def has_valid_host(request: Request) -> bool:
    """Return whether a request names one host at most, and with a possible port (RFC 9110, 7.2).

    Whatever reads the host later, for a page's address or for a redirect, may rely on that.
    """
    named = request.headers.get_all("Host")
    if len(named) > 1:
        return False
    host = "".join(named).strip()
    try:
        parts = urlsplit(f"//{host}")
        return parts.netloc == host and "@" not in host and parts.port != 0
    except ValueError:  # no port, an open bracket, or letters that stand for others
        return False


def is_local(peer: str, request: Request) -> bool:
    """Return whether a request comes from this machine, neither through a proxy nor from a web page.

    Another site's name can be made to point to this machine (DNS rebinding), so the request must use an
    address.
    """
    if any(name in request.headers for name in FORWARDED) or not _is_address(_host(request)):
        return False
    address = parsed(peer)
    return address is not None and address.is_loopback


def is_allowed_host(request: Request, hosts: Collection[str]) -> bool:
    """Return whether a request uses one of the server's names, or an address. Without names, any will do."""
    host = _host(request)
    return not hosts or _is_address(host) or host in {name.lower() for name in hosts}


def is_own_name(request: Request, hosts: Collection[str]) -> bool:
    """Return whether a browser uses a name that nobody else can point here.

    Such names are addresses, the machine's own names, and those that the operator has given. A stranger can
    make any other name point to this machine (DNS rebinding).
    """
    return is_allowed_host(request, hosts or _names_of_machine())


def dialled_schemes(
    request: Request, peer: str, proxies: Sequence[Network], public_urls: Iterable[str]
) -> Collection[str]:
    """Return the schemes with which a client may have dialled: ``ws``, ``wss``, or both where nothing tells.

    For its host, an address tells that the operator has published; otherwise a trusted proxy that says https.
    One that says http may stand behind another that ends TLS.

    Args:
        request: the request.
        peer: the address of the peer.
        proxies: the networks of trusted proxies.
        public_urls: the published addresses.

    """
    host = "".join(request.headers.get_all("Host")).strip().lower()
    published = {AS_SCHEME.get(urlsplit(url).scheme, "") for url in public_urls if _is_at(url, host)} - {""}
    if published:
        return published
    standard = request.headers.get_all("Forwarded")
    proto = request.headers.get_all("X-Forwarded-Proto")
    said = ",".join(proto).split(",") if proto else [hop.get("proto", "") for hop in forwarded_hops(standard)]
    trusted = trusted_hops(peer, named_clients(request.headers.get_all("X-Forwarded-For"), standard), proxies)
    # What clients say of themselves stands before what the outermost trusted proxy says.
    outermost = said[max(0, len(said) - trusted) :][:1] if trusted else []
    return ("wss",) if [AS_SCHEME.get(each.strip().lower()) for each in outermost] == ["wss"] else SCHEMES


def _is_at(url: str, host: str) -> bool:
    """Return whether a published address is that of a host and port, as clients send them."""
    parts = urlsplit(url.lower())
    usual = USUAL_PORTS.get(AS_SCHEME.get(parts.scheme, ""), "")
    return bool(parts.netloc) and parts.netloc.removesuffix(usual) == host.removesuffix(usual)


def is_own_page(
    request: Request,
    hosts: Collection[str],
    shards: Shards,
    shared_port: int,
    schemes: Collection[str] = SCHEMES,
) -> bool:
    """Return whether a handshake comes from a program, or from a page of this server.

    Otherwise a page of another site could make its visitors join tables. A page that was opened at the port
    of all processes, or at that of https in front of it, connects to the port of its table's process. Where
    the server is dialled with TLS alone, a page without it may be anybody's who is on the network.
    """
    origins = request.headers.get_all("Origin")
    if not origins:
        return True
    own = request.headers.get_all("Host")
    if len(origins) != 1 or len(own) != 1 or not is_own_name(request, hosts):
        return False
    try:
        origin, host = urlsplit(origins[0].lower()), urlsplit(f"//{own[0].strip().lower()}")
        ports: set[int | None] = {host.port, *shards.ports} if host.port else {None}
        if host.port and not shards.is_alone:
            ports |= {shared_port, None if origin.scheme == "https" else shared_port}
        is_safe = origin.scheme == "https" or (origin.scheme == "http" and "ws" in schemes)
        return is_safe and origin.hostname == host.hostname and origin.port in ports
    except ValueError:  # an invalid port
        return False


def sockets(request: Request, shards: Shards) -> list[str]:
    """Return the other origins that a page may connect to: the server's other processes."""
    if shards.is_alone:
        return []
    shown = bracketed(_host(request))
    return [f"{scheme}://{shown}:{port}" for port in shards.ports for scheme in ("ws", "wss")]


def origin_of(request: Request) -> str:
    """Return this server's origin as the browser sees it: scheme, host and port."""
    proto = ",".join(request.headers.get_all("X-Forwarded-Proto")).partition(",")[0]
    standard = forwarded_hops(request.headers.get_all("Forwarded"))
    if not proto and standard:
        proto = standard[0].get("proto", "")
    scheme = "https" if proto.strip().lower() in {"https", "wss"} else "http"
    return f"{scheme}://{request.headers['Host'].strip()}"


def origin_for_others(
    request: Request, hosts: Collection[str], local: str, elsewhere: Callable[[str, int], str | None]
) -> str | None:
    """Return the origin at which other devices reach this server; ``None`` if none is known.

    A browser on the server's machine may use ``localhost``, which means another machine elsewhere.

    Args:
        request: the browser's request.
        hosts: the names that the operator has given.
        local: the address of this machine that the browser has connected to.
        elsewhere: returns the origin for others, given the request's scheme and port.

    """
    host = _host(request)
    address, reached = parsed(host), parsed(local)
    is_inside = host == "localhost" or (
        address is not None and (address.is_loopback or address.is_unspecified)
    )
    is_direct = reached is not None and reached.is_loopback
    is_proxied = any(name in request.headers for name in FORWARDED)
    is_local_name = address is None and host in _names_of_machine() and host not in hosts
    if not is_inside and (is_proxied or not (is_local_name and is_direct)):
        return origin_of(request)
    parts = urlsplit(origin_of(request))
    return elsewhere(parts.scheme, parts.port or 0) if is_direct and not is_proxied else None


@cache
def _names_of_machine() -> frozenset[str]:
    name = socket.gethostname().lower()
    label = name.partition(".")[0]
    return frozenset({name, label, *(f"{label}.{suffix}" for suffix in HOME_SUFFIXES)})


def _host(request: Request) -> str:
    """Return the host that a request names, without its port; empty if it names none, or several."""
    named = request.headers.get_all("Host")
    if len(named) != 1:
        return ""
    host = named[0].strip().lower()
    if host.startswith("["):
        return host.partition("]")[0].lstrip("[")
    return host.partition(":")[0].removesuffix(".")  # a name may end with the root's dot


def _is_address(host: str) -> bool:
    return host == "localhost" or parsed(host) is not None
