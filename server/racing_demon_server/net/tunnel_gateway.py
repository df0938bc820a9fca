"""The tunnel's listener: strangers from the internet, none of whom counts as local.

It has its own limits of connections, pages and names. Whoever enters a table needs its invitation, or the
token of a seat; nobody opens or lists tables here. A switch opens and closes it while the
server's other connections stay.
"""

import asyncio
import contextlib
import hmac
import logging
from collections.abc import Callable, Coroutine, Sequence
from http import HTTPStatus
from typing import Final, NoReturn

from websockets.http11 import Request, Response

from racing_demon_protocol.constants import WEBSOCKET_PATH
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages.server import Seated
from racing_demon_server.match.seat_tokens import hash_token
from racing_demon_server.players.keeper import PlayersKeeper
from racing_demon_server.rate_limits import HANDSHAKE, NOT_SAID
from racing_demon_server.tables.registry import Registry
from racing_demon_server.tables.room import Room

from . import http
from .assets import AT_ROOT, RESULTS_PATH, TABLE_PATH
from .connection import Connection
from .gateway import Gateway
from .handler import ServerContext, Service
from .http import HttpRequest, Route
from .origin import Origin
from .routes import ASSETS, Routes, accept
from .table_service import TableHandler, TableService
from .tunnel import Tunnel

NO_INVITATION: Final = (
    "This invitation opens no table. Over the internet you need the whole link, as the table's host sees it."
)
NO_NEW_TABLES: Final = "Over the internet you can only join the table that you were invited to."
OTHER_NAME: Final = "This server has a different name.\n"
OTHER_PAGE: Final = "Pages from other sites cannot play here.\n"

LOOPBACK: Final = "127.0.0.1"
"""Where a tunnel's program connects to, and nobody else."""
CLOSED: Final = (
    "The host has closed the way over the internet. Your seat is kept: whoever has an invitation can return."
)

KeepOpen = Callable[[Tunnel, Sequence[str], int, str], Coroutine[None, None, None]]

log = logging.getLogger("racing_demon_server")


def tunnel_of(context: ServerContext) -> Tunnel:
    """Return what is known of the tunnel of a server that has one."""
    assert context.tunnel is not None
    return context.tunnel


class TunnelGateway(Gateway):
    """Accepts connections that a tunnel forwards."""

    def _open_routes(self, context: ServerContext, service: Service) -> Routes:
        return TunnelRoutes(context, service, self._admitted.__len__)

    def _origin_of(self, connection: Connection, request: Request) -> Origin:
        return tunnel_of(self._context).origin(request)

    def _address_before_request(self, connection: Connection) -> str:
        return NOT_SAID


class TunnelRoutes(Routes):
    """The pages for strangers: the game, and whether the server is well, not which tables it has."""

    def _list(self) -> list[Route]:
        own_name = self._own_name
        routes = [
            Route(WEBSOCKET_PATH, accept, self._own_page, HANDSHAKE),
            Route("/healthz", self._instance, own_name),
        ]
        if self._settings.web:
            routes += [
                Route("/tables.json", self._no_tables, own_name),
                Route("/presets.json", self._preset_list, own_name),
                Route("/origin.json", self._origin, own_name),
                *(Route(f"/{name}", self._asset, own_name) for name in sorted(AT_ROOT)),
                Route(ASSETS, self._asset, own_name),
                Route(RESULTS_PATH, self._asset, own_name),
                Route(TABLE_PATH, self._asset, own_name),
            ]
        if self._context.results is not None:
            routes += self._result_pages(self._context.results).routes_of_matches()
        # The room's other pages are not there, though their paths may look like those of tables.
        shown = {route.path for route in routes}
        others = [route.path for route in super()._list() if route.path not in shown]
        return routes + [Route(path, self._nothing, own_name) for path in others]

    def _is_allowed_host(self, _: HttpRequest) -> bool:
        return True  # the tunnel's own name alone decides

    def _own_name(self, asked: HttpRequest) -> Response | None:
        if self._tunnel.is_own_name(asked.request):
            return None
        return http.text(HTTPStatus.MISDIRECTED_REQUEST, OTHER_NAME)

    def _own_page(self, asked: HttpRequest) -> Response | None:
        if (refusal := self._own_name(asked)) is not None or self._tunnel.is_own_page(asked.request):
            return refusal
        return http.text(HTTPStatus.FORBIDDEN, OTHER_PAGE)

    def _instance(self, _: HttpRequest) -> Response:
        """Return which server this is, by which it knows itself at the address."""
        return http.json({"status": "ok", "instance": self._tunnel.instance})

    def _nothing(self, _: HttpRequest) -> None:
        """Return no page."""

    def _no_tables(self, _: HttpRequest) -> Response:
        return http.json([])

    def _origin(self, _: HttpRequest) -> Response:
        return http.json({"origin": self._tunnel.address})

    @property
    def _tunnel(self) -> Tunnel:
        return tunnel_of(self._context)


class TunnelTables(TableService):
    """Finds tables by their invitations."""

    def __init__(
        self, context: ServerContext, registry: Registry, players: PlayersKeeper | None = None
    ) -> None:
        super().__init__(context, registry, players)
        self._tunnel = tunnel_of(context)

    def handler(self, connection: Connection, request: Request, origin: Origin) -> "TunnelHandler":
        """Return the handler of a connection whose handshake is complete."""
        handler = TunnelHandler(connection, self, origin, request.headers.get("Host", ""))
        handler.schemes = ("wss",)  # a tunnel's address is one of https
        return handler

    def find(self, address: str, code: str, at: int, token_hash: bytes = b"") -> Room:
        """Return the room of an invitation, or of a seat whose token was sent.

        All wrong words are refused alike, so that nobody learns which codes there are.
        """
        own = self._tunnel.code_of(code, [table.view.code for table in self.registry])
        if own is None and self.registry.has_seat(code, token_hash):
            own = code
        if own is not None:  # whoever knows the word has guessed nothing, whatever others at the address do
            self.registry.room(own).catch_up()
            return self.registry.room(own)
        if not self.context.addresses.may_miss(address, at):
            raise self.context.addresses.too_many_misses()
        self.context.addresses.count_miss(address, at)
        raise CommandRefused(Reason.UNKNOWN_TABLE, NO_INVITATION)

    def token_hash(self, code: str, token: str) -> bytes:
        """Return the hash by which a table knows the seat of a token, which the host may have given out."""
        given = hash_token(token)
        own = self._tunnel.code_of(code, [table.view.code for table in self.registry])
        for known in self.registry.token_hashes(own or code).values():
            if hmac.compare_digest(hash_token(self._tunnel.seat_token(known)), given):
                return bytes(known)
        return given

    def check_opening(self, address: str) -> NoReturn:
        """Refuse another table."""
        raise CommandRefused(Reason.NOT_NOW, NO_NEW_TABLES)


class TunnelHandler(TableHandler):
    """Handles the messages of a player or a spectator who comes through the tunnel.

    Where the tunnel names no addresses all strangers share one. Then players who become known are counted at
    the table to which they were invited, when they take a seat, and whoever takes none is forgotten.
    """

    _is_new = False
    """Whether somebody has become known on this connection who is not counted yet."""

    def may_enroll(self) -> bool:
        """Count a player who becomes known on this connection, if that is not left to the seat.

        Return whether one may.
        """
        if self.address != NOT_SAID:
            return super().may_enroll()
        if self._is_new or self.has_entered:
            return False
        self._is_new = True
        return True

    def take_seat(self, room: Room, seat: int, name: str) -> None:
        """Record who has taken a seat. A new player beyond what the table may have is a guest."""
        if self._is_new:
            invited = f"{NOT_SAID} {room.table.view.code}"
            if self.context.addresses.count_player(invited, self.arrived):
                self._is_new = False
            else:
                self._forget(unless_seated=False)
        super().take_seat(room, seat, name)

    def part(self) -> None:
        """Forget who uses the connection, which is lost; whoever is new and took no seat, for good."""
        may_stay = self._is_new and self.context.addresses.count_player(self.address, self.arrived)
        self._forget(unless_seated=may_stay)  # by another connection
        super().part()

    def _forget(self, *, unless_seated: bool) -> None:
        identity, players = self.identity, self._tables.players
        if self._is_new and identity is not None and identity.device is not None and players is not None:
            self._is_new = False
            players.forget_new(self, identity, unless_seated=unless_seated)

    def reply(self, message: Message) -> None:
        """Send a message to this connection only; it returns by the invitation, not by the table's code."""
        if isinstance(message, Seated):
            word = tunnel_of(self.context).word(message.code)
            message = message.model_copy(update={"code": word})
        super().reply(message)


class TunnelSwitch:
    """Opens and closes a tunnel: its listener, and its program.

    Args:
        tunnel: what is known of it.
        new_gateway: returns a gateway for those who come through it.
        gateways: the server's gateways, to which that is added while the tunnel is open.
        port: the port of its listener; 0 for any free one.
        keep_open: runs the tunnel's program with its command line, the listener's port, and the address.

    """

    def __init__(
        self,
        tunnel: Tunnel,
        new_gateway: Callable[[], Gateway],
        gateways: list[Gateway],
        port: int,
        keep_open: KeepOpen,
    ) -> None:
        self._tunnel = tunnel
        self._new_gateway = new_gateway
        self._gateways = gateways
        self._port = port
        self._keep_open = keep_open
        self._gateway: Gateway | None = None
        self._running: asyncio.Task[None] | None = None
        self._turning = asyncio.Lock()

    async def open(self, command: Sequence[str], address: str) -> None:
        """Listen, start the tunnel's program, and check that its address leads here. Leave an open one.

        Args:
            command: the program's command line; empty if it runs by itself.
            address: the tunnel's address; empty to read it from the program's output.

        Raises:
            OSError: the port cannot be listened on.

        """
        async with self._turning:
            if self._gateway is not None:
                return
            gateway = self._new_gateway()
            await gateway.listen(host=LOOPBACK, port=self._port)
            self._gateway = gateway
            self._gateways.append(gateway)
            self._tunnel.start()
            keeping = self._keep_open(self._tunnel, command, gateway.port, address)
            self._running = asyncio.create_task(keeping)

    async def close(self, code: int, reason: str) -> None:
        """Close the connections through the tunnel with a reason for people, then end its program."""
        async with self._turning:
            gateway, self._gateway = self._gateway, None
            if gateway is None:
                return
            self._tunnel.end()
            gateway.close(code, reason)
            await gateway.wait_closed()
            self._gateways.remove(gateway)
            running, self._running = self._running, None
            if running is not None:
                running.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await running
            log.info("tunnel closed")
