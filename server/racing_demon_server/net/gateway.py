"""The gateway: one port, its connections and limits, and its answers to plain HTTP."""

import asyncio
import logging
import os
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any, Final, NamedTuple
from urllib.parse import urlsplit

from websockets.http11 import Request, Response
from websockets.server import ServerProtocol

from racing_demon_cluster.proxy import SPLICED, Visit
from racing_demon_protocol import __version__
from racing_demon_protocol.constants import WEBSOCKET_PATH
from racing_demon_protocol.enums import CloseCode
from racing_demon_protocol.wire.addresses import COUNTS_RELAYED, bracketed
from racing_demon_protocol.wire.codec import VERSION
from racing_demon_protocol.wire.messages.server import Versions
from racing_demon_server.web.assets import ALONE, TABLE_PATH
from racing_demon_server.web.site import Site
from racing_demon_server.web.table_list import listing

from . import http
from .address_limits import Origin, named_clients, networks, origin, parsed
from .costs import HANDSHAKE, PICTURE, REQUEST
from .service import Service
from .session import Session
from .transport import READ_AT_ONCE, Connection

ACCEPTED_AT_ONCE: Final = 8
"""Connections accepted before the loop turns to others: asyncio uses the backlog for that."""
MOST_WAITING: Final = 512
"""Connections that the system queues until they are accepted."""
METRICS_KEPT_US: Final = 1_000_000
"""Metrics are formatted once a second at most, however many ask for them."""

UNKNOWN_NAME: Final = (
    "This server does not answer to that name: it could be a stranger's. Use its address, the numbers that "
    "the table's host sees.\nWho runs the server allows a name with racing-demon-server --name NAME.\n"
)
TOO_LONG: Final = (
    "The request is too long. Usually these are cookies, which browsers keep for all programs of a host "
    "together: delete those of this address, or open it in a private window.\n"
)
SOFTWARE: Final = f"racing-demon-server {__version__}"
GOING_AWAY: Final = 1001
"""The close code of a server that stops (RFC 6455, 7.4.1)."""

log = logging.getLogger("racing_demon_server")


class Admitted(NamedTuple):
    """A connection's session, its address, and the timer that closes it without a place at a table."""

    session: Session
    address: str
    entry: asyncio.TimerHandle


class Gateway:
    """Accepts connections, and gives each a session.

    Attributes:
        settings: the server's.
        closed: the number of connections that have been closed.

    Args:
        service: what all sessions share.

    """

    def __init__(self, service: Service) -> None:
        self.settings = settings = service.settings
        self.closed = 0
        self._service = service
        self._connections: set[Connection] = set()
        self._buffer = memoryview(bytearray(READ_AT_ONCE))
        self._handshakes: dict[Connection, str] = {}
        self._admitted: dict[Connection, Admitted] = {}
        self._listening: list[asyncio.Server] = []
        self._is_closing = False
        self._lost = asyncio.Event()
        self._proxies, self._relays = networks(settings.proxies), networks(settings.relays)
        self._site = Site(self._listed) if settings.web else None
        self._metrics: tuple[int, str] = (-METRICS_KEPT_US, "")

    @property
    def connections(self) -> set[Connection]:
        """The connections to which messages can be sent."""
        return {connection for connection in self._connections if connection.is_open}

    @property
    def port(self) -> int:
        """The first port that it listens on."""
        return int(self._listening[0].sockets[0].getsockname()[1])

    async def listen(self, **where: Any) -> None:
        """Accept connections at an address, or on a listening socket.

        Raises:
            OSError: the address cannot be listened on.

        """
        # The library logs every connection and every broken handshake: a port scan would fill the log.
        logging.getLogger("websockets.server").setLevel(logging.CRITICAL)
        loop = asyncio.get_running_loop()
        listening = await loop.create_server(self.connect, backlog=ACCEPTED_AT_ONCE, **where)
        self._listening.append(listening)
        for accepting in listening.sockets:
            with accepting.dup() as waiting:
                waiting.listen(MOST_WAITING)

    def connect(self) -> Connection:
        """Return the protocol of a new connection."""
        return Connection(self, self.settings, self._buffer)

    def open(self, connection: Connection, request: Request) -> Session:
        """Give a connection its session after the handshake, and send the protocol's versions."""
        self._handshakes.pop(connection, None)
        came = self._origin_of(connection, request)
        address, headers = came.counted_as, request.headers
        visit = Visit(headers.get("Host", ""), request.path, came, is_spliced=SPLICED in headers)
        session = Session(connection, self._service, address, visit)
        is_allowed = self._service.addresses.enter(address)
        if is_allowed and len(self._admitted) < self.settings.max_connections:
            entry_seconds = self.settings.entry_seconds
            entry = asyncio.get_running_loop().call_later(entry_seconds, session.check_entry)
            self._admitted[connection] = Admitted(session, address, entry)
            software = f"{SOFTWARE} {COUNTS_RELAYED}" if came.is_relay else SOFTWARE
            session.reply(Versions(oldest=VERSION, newest=VERSION, software=software))
            return session
        self._service.addresses.leave(address)
        if is_allowed:
            session.close(CloseCode.FULL, "The server is full. Try again later.")
        else:
            session.close(CloseCode.FULL, "Too many connections from your address.", "address")
        return session

    def note_pending(self, connection: Connection) -> None:
        """Note a connection without a request. If there are too many, the oldest is cut off.

        Who may be behind a trusted proxy is not known before the request.
        """
        peer = parsed(connection.address)
        is_proxy = peer is not None and any(peer in each for each in (*self._proxies, *self._relays))
        address = "" if is_proxy else origin(connection.address, (), ()).counted_as
        self._connections.add(connection)
        self._handshakes[connection] = address
        settings = self.settings
        if self._is_closing:
            connection.transport.abort()
            return
        neighbors = [each for each, other in self._handshakes.items() if other == address]
        if address and len(neighbors) > settings.handshakes_per_address:
            self._cut_off(neighbors[0])
        elif len(self._handshakes) > settings.max_handshakes:
            self._cut_off(next(iter(self._handshakes)))

    def _cut_off(self, pending: Connection) -> None:
        del self._handshakes[pending]
        self._service.note_cut(0, "handshake")
        pending.transport.abort()

    def forget(self, connection: Connection) -> None:
        """Forget a connection that is lost."""
        self.closed += 1
        self._connections.discard(connection)
        self._handshakes.pop(connection, None)
        self._lost.set()
        admitted = self._admitted.pop(connection, None)
        if admitted is not None:
            admitted.entry.cancel()
            self._service.addresses.leave(admitted.address)
            admitted.session.gone()

    def close(self, code: int = GOING_AWAY, reason: str = "") -> None:
        """Stop listening, and close all connections with a reason for people."""
        self._is_closing = True
        for listening in self._listening:
            listening.close()
        if self._service.relay is not None:
            self._service.relay.close()
        self._service.hasher.close()
        for connection in self._connections:
            if connection.is_open:
                connection.close(code, reason)
            else:
                connection.transport.abort()

    async def wait_closed(self) -> None:
        """Wait until all connections are lost."""
        for listening in self._listening:
            await listening.wait_closed()
        while self._connections:
            self._lost.clear()
            await self._lost.wait()

    def _origin_of(self, connection: Connection, request: Request) -> Origin:
        headers = request.headers
        forwarded = named_clients(headers.get_all("X-Forwarded-For"), headers.get_all("Forwarded"))
        return origin(connection.address, forwarded, self._proxies, self._relays)

    def refuse_long(self, connection: Connection) -> Response | None:
        """Refuse a request that is too long, in words unless its address has sent too many."""
        address = self._handshakes.get(connection, "")
        if not self._service.addresses.take_request(address, self._service.clock(), REQUEST):
            return None
        response = http.text(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, TOO_LONG)
        response.headers["Server"] = SOFTWARE
        return response

    def answer(self, connection: Connection, request: Request, handshake: ServerProtocol) -> Response:
        """Return the answer to a request: a page, an error, or the handshake's."""
        try:
            response = self._answer(connection, request) or handshake.accept(request)
        except Exception:
            log.exception("a request could not be answered")
            response = http.text(HTTPStatus.INTERNAL_SERVER_ERROR, "The server made an error.\n")
        response.headers["Server"] = SOFTWARE
        if response.status_code >= HTTPStatus.BAD_REQUEST and ALONE[0][0] not in response.headers:
            response.headers.update(ALONE)  # what the library refuses
        if request.method == "HEAD":
            response.body = b""  # RFC 9110, 9.3.2: the same answer as to GET, without the body
        return response

    def _answer(self, connection: Connection, request: Request) -> Response | None:
        """Answer plain HTTP; ``None`` lets the WebSocket through."""
        address = self._origin_of(connection, request).counted_as
        path = request.path.partition("?")[0]
        if not self._service.addresses.take_request(address, self._service.clock(), _units(path)):
            return http.too_many()
        if not http.is_meant(request, self.settings.hosts):
            return http.text(HTTPStatus.MISDIRECTED_REQUEST, "This server has a different name.\n")
        if path != WEBSOCKET_PATH and not http.is_own_name(request, self.settings.hosts):
            return http.text(HTTPStatus.MISDIRECTED_REQUEST, UNKNOWN_NAME)
        if path == "/healthz":
            registry = self._service.registry
            return http.health(
                len(self._service.relay or registry),
                self.settings.shards,
                is_halted=registry.is_halted,
                needs=registry.needs,
            )
        if path == "/metrics":
            return self._measured(connection, request)
        return self._enter(request) if path == WEBSOCKET_PATH else self._asset(connection, request, path)

    def _measured(self, connection: Connection, request: Request) -> Response:
        """Return metrics in Prometheus' text format."""
        if not self.settings.metrics_public and not http.is_local(connection.address, request):
            return http.text(HTTPStatus.NOT_FOUND, "Metrics can be read from this machine only.\n")
        now = self._service.clock()
        if now - self._metrics[0] >= METRICS_KEPT_US:
            self._metrics = now, self._service.meter.text(len(self._admitted), self._service.listeners)
        return http.text(HTTPStatus.OK, self._metrics[1], "text/plain; version=0.0.4; charset=utf-8")

    def _enter(self, request: Request) -> Response | None:
        """Accept programs and this server's own page, and no page of another site."""
        if http.is_own_page(request, self.settings.hosts, self.settings.shards):
            return None
        return http.text(HTTPStatus.FORBIDDEN, "Pages from other sites cannot play here.\n")

    def _asset(self, connection: Connection, request: Request, path: str) -> Response:
        """Answer browsers."""
        settings = self.settings
        if (location := self._lasting(request, path)) is not None:
            return http.redirect(location)
        headers = {name.lower(): value for name, value in request.headers.raw_items()}
        local = (connection.transport.get_extra_info("sockname") or [""])[0]
        origin = http.origin_for_others(request, settings.hosts, local, self._elsewhere)
        where = origin, headers, http.sockets(request, settings.shards)
        found = self._site.answer(path, *where) if self._site is not None else None
        if found is None:
            return http.text(HTTPStatus.NOT_FOUND, f"The game is at {WEBSOCKET_PATH}, over WebSocket.\n")
        return http.respond(found.status, found.headers, found.body)

    def _elsewhere(self, scheme: str, port: int) -> str | None:
        """Return the server's origin on its network; ``None`` if it has none, or if a port was forwarded."""
        from racing_demon_server.network_interfaces import reachable  # noqa: PLC0415 - seldom needed

        if self.settings.join_urls:  # the operator knows best
            named = urlsplit(self.settings.join_urls[0])
            return f"{'https' if named.scheme == 'wss' else 'http'}://{named.netloc}"
        if port not in {self.port, *self.settings.shards.ports}:
            return None
        found = [each.ip for each in reachable(self.settings.host, os.environ) if not each.is_loopback]
        return f"{scheme}://{bracketed(str(found[0]))}:{port}" if found else None

    def _lasting(self, request: Request, path: str) -> str | None:
        """Return the address of a page at the name of all servers, if it was asked for at this one's own.

        A page can connect to its own host only, so one of a server that dies would not find the others.
        """
        common = self.settings.common_host
        if not common or self._site is None or not TABLE_PATH.fullmatch(path):
            return None
        asked = urlsplit(http.origin_of(request))
        host, colon, port = asked.netloc.lower().partition(":")
        if host != self.settings.own_host:
            return None
        return f"{asked.scheme}://{common}{colon}{port}{request.path}"

    def _listed(self) -> Iterator[dict[str, Any]]:
        """Yield the tables that browsers may list; none if they are not announced to anybody else either."""
        if self.settings.lists_tables:
            yield from (listing(table.view) for table in self._service.registry)
            if self._service.locator is not None:
                yield from self._service.locator.listed


def _units(path: str) -> int:
    """Return the units that a request costs its address."""
    if path == WEBSOCKET_PATH:
        return HANDSHAKE
    return PICTURE if path.startswith("/qr/") else REQUEST


def url_of(host: str, port: int) -> str:
    """Return the URL of a listening server."""
    return f"ws://{bracketed(host)}:{port}{WEBSOCKET_PATH}"
