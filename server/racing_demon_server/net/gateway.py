"""The gateway: one port, who is let in, and what it answers to plain HTTP."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from functools import partial
from http import HTTPStatus
from typing import Any, Final, cast

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from racing_demon_protocol import __version__
from racing_demon_protocol.reasons import CloseCode
from racing_demon_protocol.table.view import TableView
from racing_demon_protocol.wire.codec import MAX_CLIENT_FRAME, VERSION, Encoding
from racing_demon_protocol.wire.messages.server import Versions
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.registry import Registry
from racing_demon_server.tables.room import Clock
from racing_demon_server.web.site import Site

from . import http
from .address_limits import believed_address, networks
from .costs import HANDSHAKE, PICTURE, REQUEST
from .service import Service
from .session import Session
from .transport import Connection

__all__ = ["MOST_WAITING", "PATH", "Gateway", "listen", "start", "url_of"]

PATH: Final = "/v1"
"""Where the game is; the same port answers plain HTTP at ``/healthz`` and ``/metrics``."""

ACCEPTED_AT_ONCE: Final = 8
"""So many connections are accepted before the loop turns to others: asyncio goes by the backlog."""
MOST_WAITING: Final = 512
"""Connections that wait to be accepted, in the system."""
METRICS_KEPT_US: Final = 1_000_000
"""Metrics are written down once a second at the most, however many ask for them."""

UNKNOWN_NAME: Final = (
    "This server does not know itself by that name. Use its address, or start it with --name.\n"
)
SOFTWARE: Final = f"racing-demon-server {__version__}"


class Gateway:
    """Lets connections in, and gives each its session.

    Attributes:
        settings: the server's.
        closed: how many connections there were that are closed by now.

    Args:
        settings: the server's.
        registry: keeps the tables.
        clock: tells the time.
        meter: is told what happens to connections, and writes down what ``/metrics`` shows.

    """

    def __init__(self, settings: ServerSettings, registry: Registry, clock: Clock, meter: http.Meter) -> None:
        self.settings = settings
        self.closed = 0
        self._service = Service(settings, registry, clock, meter)
        self._handshakes: dict[Connection, None] = {}
        self._proxies = networks(settings.proxies)
        self._site = Site(self._listed) if settings.web else None
        self._metrics: tuple[int, str] = (-METRICS_KEPT_US, "")
        self._sessions: set[Session] = set()

    async def serve(self, connection: ServerConnection) -> None:
        """Look after one connection until it is closed."""
        assert isinstance(connection, Connection)
        self.forget_handshake(connection)
        address = self._address_of(connection)
        connection.response = None  # nobody asks for it again; of an idle spectator it would be a tenth
        session = Session(connection, self._service, address)
        is_allowed = self._service.addresses.enter(address)
        try:
            await self._converse(connection, session, is_allowed)
        finally:
            self._service.addresses.leave(address)

    async def _converse(self, connection: Connection, session: Session, is_allowed: bool) -> None:
        if len(self._sessions) >= self.settings.max_connections or not is_allowed:
            if is_allowed:
                session.close(CloseCode.FULL, "The server is full; try again later.")
            else:
                session.close(CloseCode.FULL, "Too many connections from your address.", "address")
            connection.begin(session)
            await connection.wait_closed()
            return
        self._sessions.add(session)
        entry = asyncio.get_running_loop().call_later(self.settings.entry_seconds, self._check_entry, session)
        session.reply(Versions(oldest=VERSION, newest=VERSION, software=SOFTWARE))
        connection.begin(session)
        try:
            await connection.wait_closed()
        finally:
            entry.cancel()
            self._sessions.discard(session)
            session.gone()

    def await_handshake(self, connection: Connection) -> None:
        """Let a fresh connection say what it wants; where too many are silent, the oldest goes."""
        self._handshakes[connection] = None
        if len(self._handshakes) > self.settings.max_handshakes:
            oldest = next(iter(self._handshakes))
            del self._handshakes[oldest]
            self.cut_off(oldest, "handshake")

    def forget_handshake(self, connection: Connection) -> None:
        """Wait for a connection no more: it has said what it wants."""
        self._handshakes.pop(connection, None)

    def forget(self, connection: Connection) -> None:
        """Forget a connection that is lost."""
        self.closed += 1
        self.forget_handshake(connection)

    def _address_of(self, connection: ServerConnection) -> str:
        peer = connection.remote_address
        headers = connection.request.headers if connection.request is not None else None
        forwarded = headers.get_all("X-Forwarded-For") if headers is not None else []
        return believed_address(str(peer[0]) if peer else "", forwarded, self._proxies)

    def answer(self, connection: ServerConnection, request: Request) -> Response | None:
        """Answer plain HTTP; ``None`` lets the WebSocket through."""
        address, units = self._address_of(connection), _units(_path(request))
        if self._service.addresses.take_request(address, self._service.clock(), units):
            response = self._page(connection, request)
        else:
            response = http.too_many(connection)
        if response is not None and request.method == "HEAD":
            response.body = b""  # RFC 9110, 9.3.2: all but that is as with GET
        return response

    def _page(self, connection: ServerConnection, request: Request) -> Response | None:
        path = _path(request)
        if not http.is_meant(request, self.settings.hosts):
            return connection.respond(HTTPStatus.MISDIRECTED_REQUEST, "This server has another name.\n")
        if path == "/healthz":
            registry = self._service.registry
            return http.health(connection, len(registry), self.settings.shards, is_halted=registry.is_halted)
        if path == "/metrics":
            return self._measured(connection, request)
        return self._enter(connection, request) if path == PATH else self._asset(connection, request, path)

    def _measured(self, connection: ServerConnection, request: Request) -> Response:
        """Answer who asks for metrics; also where there are none, as the path could be a table's code."""
        write = self._service.meter.text
        if write is None:
            return connection.respond(HTTPStatus.NOT_FOUND, "This server keeps no metrics.\n")
        if not self.settings.metrics_public and not http.is_local(connection, request):
            return connection.respond(HTTPStatus.NOT_FOUND, "Metrics are for this machine only.\n")
        return http.metrics(connection, self._write_metrics(write))

    def _enter(self, connection: ServerConnection, request: Request) -> Response | None:
        """Let programs and the own page through, and no page of another site."""
        if http.is_own_page(request, self.settings.hosts, self.settings.shards):
            return None
        return connection.respond(HTTPStatus.FORBIDDEN, "Pages of other sites cannot play here.\n")

    def _asset(self, connection: ServerConnection, request: Request, path: str) -> Response:
        """Answer what browsers ask for."""
        settings = self.settings
        if not http.is_own_name(request, settings.hosts):
            return connection.respond(HTTPStatus.MISDIRECTED_REQUEST, UNKNOWN_NAME)
        headers = {name.lower(): value for name, value in request.headers.raw_items()}
        where = http.origin_of(request), headers, http.sockets(request, settings.shards)
        found = self._site.answer(path, *where) if self._site is not None else None
        if found is None:
            return connection.respond(HTTPStatus.NOT_FOUND, f"The game is at {PATH}, over WebSocket.\n")
        return http.asset(connection, found)

    def _listed(self) -> Iterator[TableView]:
        """Yield the tables that browsers are told of: none, where nobody else is told of them, either."""
        tables = self._service.registry if self.settings.lists_tables else ()
        return (table.view for table in tables)

    def _write_metrics(self, write: Callable[[int], str]) -> str:
        now = self._service.clock()
        if now - self._metrics[0] >= METRICS_KEPT_US:
            self._metrics = now, write(len(self._sessions))
        return self._metrics[1]

    def cut_off(self, connection: Connection, why: str) -> None:
        """End a connection that nobody reads yet."""
        self._service.note_cut(0, why)
        connection.transport.abort()

    @staticmethod
    def _check_entry(session: Session) -> None:
        if not session.entered:
            session.close(CloseCode.TOO_LATE, "No table was asked for in time.")


def _units(path: str) -> int:
    """Return what an address pays for a request."""
    if path == PATH:
        return HANDSHAKE
    return PICTURE if path.startswith("/qr/") else REQUEST


def _path(request: Request) -> str:
    return request.path.partition("?")[0]


def url_of(host: str, port: int) -> str:
    """Return the URL of a server that listens there."""
    return f"ws://[{host}]:{port}{PATH}" if ":" in host else f"ws://{host}:{port}{PATH}"


async def start(
    settings: ServerSettings, registry: Registry, clock: Clock, meter: http.Meter = http.NO_METER
) -> Server:
    """Open the port and serve the registry's tables until the returned server is closed.

    Args:
        settings: the server's.
        registry: keeps the tables.
        clock: tells the time.
        meter: is told what happens to connections, and writes down what ``/metrics`` shows.

    Raises:
        OSError: the address cannot be listened on.

    """
    return await listen(Gateway(settings, registry, clock, meter), host=settings.host, port=settings.port)


async def listen(gateway: Gateway, **where: Any) -> Server:
    """Let a gateway have whoever comes to an address, or to a socket that listens already.

    Raises:
        OSError: the address cannot be listened on.

    """
    # The library reports every torn handshake with a traceback; a port scan would fill the log.
    logging.getLogger("websockets.server").setLevel(logging.CRITICAL)
    settings = gateway.settings
    server = await serve(
        gateway.serve,
        **where,
        subprotocols=[Subprotocol(encoding) for encoding in Encoding],
        process_request=gateway.answer,
        create_connection=cast("type[ServerConnection]", partial(Connection, gateway)),
        compression=None,
        max_size=MAX_CLIENT_FRAME,
        ping_interval=settings.ping_seconds,
        ping_timeout=settings.ping_seconds,
        open_timeout=settings.entry_seconds,
        close_timeout=1,
        write_limit=settings.backlog_bytes,
        server_header=SOFTWARE,
        backlog=ACCEPTED_AT_ONCE,
    )
    for listening in server.sockets:
        with listening.dup() as waiting:
            waiting.listen(MOST_WAITING)
    return server
