"""Connections of players and spectators to the tables of a cluster."""

import asyncio
import time
from collections.abc import Coroutine, Iterator, Sequence
from functools import partial
from typing import Any, Final, Protocol
from urllib.parse import urlsplit

from websockets.http11 import Request

from racing_demon_protocol.enums import CloseCode, Reason
from racing_demon_protocol.errors import CommandRefused, RacingDemonError
from racing_demon_protocol.wire.capabilities import FOLLOWS_MOVED, understands
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Moved
from racing_demon_protocol.wire.redirects import is_below
from racing_demon_server.net.connection import Connection
from racing_demon_server.net.handler import ServerContext
from racing_demon_server.net.origin import Origin
from racing_demon_server.net.table_service import PORT, TableHandler, TableService, list_entry
from racing_demon_server.players.keeper import Identity, PlayersKeeper
from racing_demon_server.rate_limits import MANY_SEARCHES
from racing_demon_server.tables.registry import Registry

from .proxy import PLAYER, PROXIED, Handshake, proxy
from .table_lookup import Location, SearchCallback, SearchResult

HOLD_SECONDS: Final = 3.0
"""How long a client waits for the table of a dead server, which another takes over soon after the lease."""
AGAIN_SECONDS: Final = 0.25
"""Seconds until the table is looked for again."""
ON_ITS_WAY: Final = "The table is on its way to another server; come back in a moment."
OUT_OF_REACH: Final = "The table's server is not reached; come back in a moment."


class Locator(Protocol):
    """Knows the tables of other servers."""

    @property
    def listed(self) -> Sequence[dict[str, Any]]:
        """Their entries in the browsers' list."""

    @property
    def takes_tables(self) -> bool:
        """Whether tables may be opened here."""

    @property
    def hosts(self) -> Sequence[str]:
        """Host and port of every server's address for players."""

    def locate(self, code: str, callback: SearchCallback) -> None:
        """Search for a table, and call back once."""


class TableNotHere(RacingDemonError):
    """A table is not here; other servers are to be searched for ``code``."""

    def __init__(self, code: str) -> None:
        super().__init__(f"table {code} is not here")
        self.code = code


class ClusterService(TableService):
    """Finds the tables of all servers.

    Args:
        context: what all connections share.
        registry: keeps the tables of this server.
        locator: finds those of others.
        players: keeps the players; ``None`` if all are guests.

    """

    def __init__(
        self,
        context: ServerContext,
        registry: Registry,
        locator: Locator,
        players: PlayersKeeper | None = None,
    ) -> None:
        super().__init__(context, registry, players)
        self._locator = locator

    def listing(self) -> Iterator[dict[str, Any]]:
        """Yield what browsers may list of the open tables."""
        yield from super().listing()
        yield from self._locator.listed

    def entry(self, code: str, _address: str) -> dict[str, Any] | None:
        """Return what is told of a table that is listed; others may be at any server."""
        if not self.context.settings.lists_tables:
            return None
        for room in self.registry.rooms:
            if room.is_listed and room.shown.view.code == code:
                return list_entry(room.shown.view)
        return next((listed for listed in self._locator.listed if listed["code"] == code), None)

    def handler(self, connection: Connection, request: Request, origin: Origin) -> TableHandler:
        """Return the handler of a connection whose handshake is complete."""
        handler = ClusterHandler(connection, self, request, origin)
        handler.signed_in = self.sign_in.of(request.headers, connection.address)
        handler.schemes = self.context.dialled_schemes(request, connection.address)
        return handler

    def same_hosts(self, host: str) -> tuple[str, ...]:
        """Return a host that leads here, and others from which a client was sent here.

        They are the name of all servers, if this one is below it, and the same host with the ports of others.
        """
        name, common = PORT.sub("", host), self.context.settings.common_host
        above = (host.replace(name, common, 1),) if common and name == self.context.settings.own_host else ()
        return (host, *above, *(each for each in self._locator.hosts if PORT.sub("", each) == name))

    def check_opening(self, address: str) -> None:
        """Check that an address may open another table.

        Raises:
            CommandRefused: it may not, or the server is stopping.

        """
        if not self._locator.takes_tables:
            text = "This server is about to stop. Open a table at another one."
            raise CommandRefused(Reason.SERVER_FULL, text)
        super().check_opening(address)

    def miss(self, address: str, code: str, at: int, unknown: CommandRefused) -> None:
        """Have the table looked for at other servers.

        Raises:
            TableNotHere: always.

        """
        raise TableNotHere(code.strip().upper()) from unknown

    async def search(self, address: str, code: str) -> Location | SearchResult:
        """Return where a table is.

        A search counts until it ends, even if its connection is lost before, so that an address cannot run
        more searches than it may have misses.
        """
        context = self.context
        if not context.addresses.begin_search(address, context.clock()):
            return SearchResult.BUSY
        searching: asyncio.Future[Location | SearchResult] = asyncio.get_running_loop().create_future()
        self._locator.locate(code, partial(_set_unless_cancelled, searching))
        where = await searching
        context.addresses.end_search(address)
        if where is SearchResult.UNKNOWN:
            context.addresses.count_miss(address, context.clock())
        return where


class ClusterHandler(TableHandler):
    """Handles the messages of a client whose table may be at another server.

    While the table is looked for, the client's messages are held. Then the client is redirected, or its
    connection is proxied.
    """

    def __init__(
        self, connection: Connection, service: ClusterService, request: Request, origin: Origin
    ) -> None:
        headers = request.headers
        host, is_proxied_here = headers.get("Host", ""), PROXIED in headers
        # The client was asked who it is already, where it is connected.
        identity = Identity((), headers.get(PLAYER, "")) if is_proxied_here else None
        super().__init__(connection, service, origin, host, identity)
        self._cluster = service
        self._handshake = Handshake(host, request.path, connection.encoding, origin.hops)
        self._is_proxied_here = is_proxied_here
        self._is_proxied = False
        self._is_searching = self._was_found_here = False
        self._search_until = 0.0
        self._hello: bytes

    @property
    def has_entered(self) -> bool:
        """Whether the connection has a place at a table, here or at another server."""
        return super().has_entered or self._is_proxied

    def greet(self, hello: cl.Hello) -> None:
        """Keep the greeting, which is repeated to the server that has the table."""
        super().greet(hello)
        self._hello = self.message
        if self.identity is not None and self.identity.handover and self._cluster.players is not None:
            self.answer_later(self.recognize(self._cluster.players, self.identity))

    def enter(self, request: Message) -> None:
        """Open a table, or join, watch or return to one, wherever it is."""
        self._was_found_here = False
        self._search_until = time.monotonic() + HOLD_SECONDS
        super().enter(request)

    @property
    def may_be_late(self) -> bool:
        """Whether the time to enter a table does not count now; a search does not stop it."""
        return super().may_be_late and not self._is_searching

    def attempt(self, request: Message) -> Coroutine[Any, Any, bool] | None:
        """Give the connection the place that it asks for; first look for a table that is not here."""
        self._is_searching = False
        try:
            return super().attempt(request)
        except TableNotHere as missing:
            self._is_searching = True
            return self._find(missing.code)

    async def _find(self, code: str) -> bool:
        """Look for a table, and let the client go there. Return whether it is here after all."""
        while not self.is_closing:
            result = await self._cluster.search(self.address, code)
            if self.is_closing:
                break
            advice = ON_ITS_WAY
            if isinstance(result, Location) and self._may_follow(result):
                self.reply(Moved(host=result.host, port=result.port))
                break
            if isinstance(result, Location) and not self._is_proxied_here:
                if await self._proxy(result):
                    break
                advice = OUT_OF_REACH
            elif result is SearchResult.HERE and not self._was_found_here:
                self._was_found_here = True
                return True
            elif result is SearchResult.UNKNOWN:
                raise CommandRefused(Reason.UNKNOWN_TABLE, "No table here has that code.")
            elif result is SearchResult.BUSY:
                self.close(CloseCode.TRY_AGAIN, MANY_SEARCHES)
                break
            if not self._may_search_again:
                self.close(CloseCode.TRY_AGAIN, advice)
                break
            await asyncio.sleep(AGAIN_SECONDS)
        return False

    @property
    def _may_search_again(self) -> bool:
        """Whether to look again if no server has the table just now."""
        is_early = time.monotonic() < self._search_until
        return is_early and not (self._was_found_here or self._is_proxied_here)

    def _may_follow(self, location: Location) -> bool:
        """Return whether the client can be redirected there: to the host that it dialled, or a subdomain."""
        try:
            dialled = urlsplit(f"//{self._handshake.host}").hostname or ""
        except ValueError:
            return False
        is_there = bool(location.host) and not self._is_proxied_here and is_below(location.host, dialled)
        return is_there and understands(self.software, FOLLOWS_MOVED)

    async def _proxy(self, location: Location) -> bool:
        """Proxy this connection to the server that has the table; return whether that is reached."""
        players = self._cluster.players
        handover = "" if players is None else await players.handover(self.identity)
        handshake = self._handshake._replace(player=handover)
        self._is_proxied = await proxy(self.connection, handshake, self._messages, location)
        if self._is_proxied:  # that server has them now
            self.drop_held()
        return self._is_proxied

    def _messages(self) -> Sequence[bytes]:
        """Return the client's messages so far, for the server that has the table."""
        return [self._hello, *self.held]


def _set_unless_cancelled(
    searching: "asyncio.Future[Location | SearchResult]", where: Location | SearchResult
) -> None:
    if not searching.cancelled():
        searching.set_result(where)
