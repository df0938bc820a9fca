"""The gateway: one port, its connections, and their limits."""

import asyncio
import logging
from collections.abc import Awaitable
from http import HTTPStatus
from typing import Any, Final, NamedTuple

from websockets.http11 import Request, Response
from websockets.server import ServerProtocol

from racing_demon_protocol import __version__
from racing_demon_protocol.constants import WEBSOCKET_PATH
from racing_demon_protocol.enums import CloseCode
from racing_demon_protocol.wire.capabilities import (
    COUNTS_RELAYED,
    ERASES,
    LISTS,
    PROVES,
    REMEMBERS,
    UNLISTED,
    announced,
)
from racing_demon_protocol.wire.codec import VERSION
from racing_demon_protocol.wire.messages.server import Versions
from racing_demon_protocol.wire.redirects import bracketed
from racing_demon_server.rate_limits import REQUEST

from . import http
from .assets import ALONE
from .connection import READ_AT_ONCE, Connection
from .handler import Handler, ServerContext, Service
from .http import HttpRequest
from .origin import Origin, named_clients, networks, origin, parsed
from .routes import Routes

ACCEPTED_AT_ONCE: Final = 8
"""Connections accepted in one turn of the loop: asyncio uses the backlog for that."""
MAX_WAITING: Final = 512
"""Connections that the system queues before they are accepted."""
TOO_LONG: Final = (
    "The request is too long. Usually these are cookies, which browsers keep for all programs of a host "
    "together: delete those of this address, or open it in a private window.\n"
)
SOFTWARE: Final = f"racing-demon-server {__version__}"

log = logging.getLogger("racing_demon_server")


class Admitted(NamedTuple):
    """A connection's handler, and the timer that closes it if it has not joined a table."""

    handler: Handler
    entry: asyncio.TimerHandle


class Gateway:
    """Accepts connections, and gives each a handler.

    Attributes:
        settings: the server's.
        routes: its pages.
        closed: the number of connections that have been closed.

    Args:
        context: what all connections share.
        service: what they are for.

    """

    def __init__(self, context: ServerContext, service: Service) -> None:
        self.settings = settings = context.settings
        self.closed = 0
        self._context = context
        self._service = service
        self._connections: set[Connection] = set()
        self._buffer = memoryview(bytearray(READ_AT_ONCE))
        self._handshakes: dict[Connection, str] = {}
        self._admitted: dict[Connection, Admitted] = {}
        self._listening: list[asyncio.Server] = []
        self._is_closing = False
        self._lost = asyncio.Event()
        self._proxies, self._relays = context.proxies, networks(settings.relays)
        self.routes = self._open_routes(context, service)

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
                waiting.listen(MAX_WAITING)

    def connect(self) -> Connection:
        """Return the protocol of a new connection."""
        return Connection(self, self.settings, self._buffer)

    def open(self, connection: Connection, request: Request) -> Handler:
        """Give a connection its handler after the handshake, and send the protocol's versions."""
        self._handshakes.pop(connection, None)
        origin = self._origin_of(connection, request)
        handler = self._service.handler(connection, request, origin)
        if not origin.is_relay and (ban := self._context.bans.of_address(handler.address)) is not None:
            handler.close(CloseCode.KICKED, ban.text, "banned")
            return handler
        is_allowed = self._context.addresses.enter(handler.address)
        if is_allowed and len(self._admitted) < self.settings.max_connections:
            entry_seconds = self.settings.entry_seconds
            entry = asyncio.get_running_loop().call_later(entry_seconds, handler.check_entry)
            self._admitted[connection] = Admitted(handler, entry)
            words = (
                [UNLISTED, LISTS]
                + [COUNTS_RELAYED] * origin.is_relay
                + [REMEMBERS, PROVES, ERASES] * handler.remembers
            )
            software = announced(SOFTWARE, *words)
            handler.reply(Versions(oldest=VERSION, newest=VERSION, software=software))
            return handler
        self._context.addresses.leave(handler.address)
        if is_allowed:
            handler.close(CloseCode.FULL, "The server is full. Try again later.")
        else:
            handler.close(CloseCode.FULL, "Too many connections from your address.", "address")
        return handler

    def _open_routes(self, context: ServerContext, service: Service) -> Routes:
        """Return what answers plain HTTP."""
        return Routes(context, service, self._admitted.__len__)

    def add_pending(self, connection: Connection) -> None:
        """Add a connection without a request.

        If there are too many, the oldest is closed. A client behind a trusted proxy is known only from its
        request.
        """
        address = self._address_before_request(connection)
        self._connections.add(connection)
        self._handshakes[connection] = address
        settings = self.settings
        if self._is_closing:
            connection.transport.abort()
            return
        neighbors = [each for each, other in self._handshakes.items() if other == address] if address else []
        if len(neighbors) > settings.handshakes_per_address:
            self._cut_off(neighbors[0])
        elif len(self._handshakes) > settings.max_handshakes:
            self._cut_off(next(iter(self._handshakes)))

    def _address_before_request(self, connection: Connection) -> str:
        """Return the name under which a connection is counted without a request; empty if not at all."""
        peer = parsed(connection.address)
        is_proxy = peer is not None and any(peer in each for each in (*self._proxies, *self._relays))
        return "" if is_proxy else origin(connection.address, (), ()).counted_as

    def _cut_off(self, pending: Connection) -> None:
        del self._handshakes[pending]
        self._context.count_cut(0, "handshake")
        pending.transport.abort()

    def remove(self, connection: Connection) -> None:
        """Remove a connection that is lost."""
        self.closed += 1
        self._connections.discard(connection)
        self._handshakes.pop(connection, None)
        self._lost.set()
        admitted = self._admitted.pop(connection, None)
        if admitted is not None:
            admitted.entry.cancel()
            self._context.addresses.leave(admitted.handler.address)
            admitted.handler.leave()

    def disconnect_banned(self) -> int:
        """Close the connections of those who are banned. Return how many there were."""
        bans = self._context.bans
        banned = [
            (handler, ban)
            for handler, _ in self._admitted.values()
            if not (handler.origin.is_relay or handler.is_closing)
            and (ban := bans.of(handler.person)) is not None
        ]
        for handler, ban in banned:
            if bans.kick_of(handler.person) is not None:
                handler.lose_seat(ban.text)
            handler.close(CloseCode.KICKED, ban.text, "banned")
        return len(banned)

    def close(self, code: int = CloseCode.GOING_AWAY, reason: str = "") -> None:
        """Stop listening, and close all connections with a reason for people."""
        self._is_closing = True
        for listening in self._listening:
            listening.close()
        self._service.close()
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
        """Return where a request comes from."""
        headers = request.headers
        forwarded = named_clients(headers.get_all("X-Forwarded-For"), headers.get_all("Forwarded"))
        return origin(connection.address, forwarded, self._proxies, self._relays)

    def refuse_long(self, connection: Connection) -> Response | None:
        """Refuse a request that is too long, in words unless its address has sent too many."""
        address = self._handshakes.get(connection, "")
        if not self._context.addresses.count_request(address, self._context.clock(), REQUEST):
            return None
        response = http.text(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, TOO_LONG)
        response.headers["Server"] = SOFTWARE
        return response

    def answer(
        self, connection: Connection, request: Request, handshake: ServerProtocol
    ) -> Response | Awaitable[Response]:
        """Return the answer to a request, perhaps later: a page, an error, or the handshake's."""
        try:
            response = self._answer(connection, request) or handshake.accept(request)
        except Exception:
            response = _failed()
        return _completed(response, request) if isinstance(response, Response) else _later(response, request)

    def _answer(self, connection: Connection, request: Request) -> Response | Awaitable[Response] | None:
        """Answer plain HTTP; ``None`` lets the WebSocket through."""
        address = self._origin_of(connection, request).counted_as
        path = request.path.partition("?")[0]
        host, port, *_ = connection.transport.get_extra_info("sockname") or ("", 0)
        return self.routes.answer(HttpRequest(request, path, address, connection.address, (host, port)))


async def _later(response: Awaitable[Response], request: Request) -> Response:
    try:
        return _completed(await response, request)
    except Exception:
        return _completed(_failed(), request)


def _failed() -> Response:
    log.exception("a request could not be answered")
    return http.text(HTTPStatus.INTERNAL_SERVER_ERROR, "The server made an error.\n")


def _completed(response: Response, request: Request) -> Response:
    """Return an answer with the headers that every answer has."""
    response.headers["Server"] = SOFTWARE
    if response.status_code >= HTTPStatus.BAD_REQUEST and ALONE[0][0] not in response.headers:
        response.headers.update(ALONE)  # what the library refuses
    if request.method == "HEAD":  # RFC 9110, 9.3.2: the same answer as to GET, without the body
        return Response(response.status_code, response.reason_phrase, response.headers)
    return response


def url_of(host: str, port: int, base_path: str = "") -> str:
    """Return the URL of a listening server."""
    return f"ws://{bracketed(host)}:{port}{base_path}{WEBSOCKET_PATH}"
