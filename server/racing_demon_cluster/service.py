"""Connections of players and spectators to the tables of a cluster."""

import asyncio
import time
from collections.abc import Iterator, Sequence
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
from racing_demon_server.net.table_service import PORT, TableHandler, TableService
from racing_demon_server.players.keeper import Identity, PlayersKeeper
from racing_demon_server.rate_limits import MANY_SEARCHES
from racing_demon_server.tables.registry import Registry

from .proxy import PLAYER, PROXIED, Handshake, proxy
from .table_lookup import Found, Location, SearchResult

HOLD_SECONDS: Final = 3.0
"""How long a client waits for the table of a dead server, which another takes over soon after the lease."""
AGAIN_SECONDS: Final = 0.25
"""Seconds until the table is looked for again."""


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

    def locate(self, code: str, found: Found) -> None:
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

    def search(self, address: str, code: str, found: Found) -> None:
        """Look for a table at other servers, and call back once.

        A search counts until it ends, even if its connection is lost before, so that an address cannot run
        more searches than it may have misses.
        """
        context = self.context
        if context.addresses.begin_search(address, context.clock()):
            self._locator.locate(code, partial(self._end_search, address, found))
        else:
            found(SearchResult.BUSY)

    def _end_search(self, address: str, found: Found, where: Location | SearchResult) -> None:
        addresses = self.context.addresses
        addresses.end_search(address)
        if where is SearchResult.UNKNOWN:
            addresses.count_miss(address, self.context.clock())
        found(where)


class TableSearch:
    """A search for a client's table.

    Attributes:
        code: the table's code.
        may_go_on: whether the table has not been found here before.

    """

    def __init__(self, code: str) -> None:
        self.code = code
        self.may_go_on = True
        self._until = time.monotonic() + HOLD_SECONDS

    @property
    def is_patient(self) -> bool:
        """Whether to look again if no server has the table just now."""
        return time.monotonic() < self._until


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
        self._search: TableSearch | None = None
        self._hello: tuple[bool, bytes]

    @property
    def has_entered(self) -> bool:
        """Whether the connection has a place at a table, here or at another server."""
        return super().has_entered or self._is_proxied

    def greet(self, hello: cl.Hello) -> None:
        """Hold the greeting, which is repeated to the server that has the table."""
        super().greet(hello)
        self._hello = self.message
        if self.identity is not None and self.identity.handover and self._cluster.players is not None:
            self.hold(outlasts_entry=True)
            self._cluster.start_task(self._recognize(self._cluster.players, self.identity))

    async def _recognize(self, players: PlayersKeeper, identity: Identity) -> None:
        """Find out who uses the connection, which another server knows."""
        await players.recognize(identity)
        if not self.is_closing:
            self.go_on()

    def enter(self, request: Message) -> None:
        """Open a table, or join, watch or return to one, wherever it is."""
        try:
            super().enter(request)
        except TableNotHere as missing:
            self.hold(outlasts_entry=False)
            self._search = TableSearch(missing.code)
            self._start_search(self._search)

    def _start_search(self, search: TableSearch) -> None:
        if self._search is search and not self.is_closing:
            self._cluster.search(self.address, search.code, self._end_search)

    def _end_search(self, found: Location | SearchResult) -> None:
        search = self._search
        if search is None or self.is_closing:
            return
        if isinstance(found, Location) and self._may_follow(found):
            self._stop_waiting()
            self.reply(Moved(host=found.host, port=found.port))
        elif isinstance(found, Location) and not self._is_proxied_here:
            self._cluster.start_task(self._proxy(search, found))
        elif found is SearchResult.HERE and search.may_go_on:
            self.replay(self._stop_waiting())
            if self._search is not None:  # it was not here after all
                self._search.may_go_on = False
        elif found is SearchResult.UNKNOWN:
            self._stop_waiting()
            self.refuse(Reason.UNKNOWN_TABLE, "No table here has that code.")
        elif found is SearchResult.BUSY:
            self.close(CloseCode.TRY_AGAIN, MANY_SEARCHES)
        else:
            self._wait(search, "The table is on its way to another server; come back in a moment.")

    def _stop_waiting(self) -> Sequence[tuple[bool, bytes]]:
        self._search = None
        return self.release()

    def _wait(self, search: TableSearch, advice: str) -> None:
        """Look for a table again in a moment; if that did not help, ask the client to reconnect."""
        if search.is_patient and search.may_go_on and not self._is_proxied_here:
            asyncio.get_running_loop().call_later(AGAIN_SECONDS, self._start_search, search)
        else:
            self.close(CloseCode.TRY_AGAIN, advice)

    def _may_follow(self, found: Location) -> bool:
        """Return whether the client can be redirected there: to the host that it dialled, or a subdomain."""
        try:
            dialled = urlsplit(f"//{self._handshake.host}").hostname or ""
        except ValueError:
            return False
        is_there = bool(found.host) and not self._is_proxied_here and is_below(found.host, dialled)
        return is_there and understands(self.software, FOLLOWS_MOVED)

    async def _proxy(self, search: TableSearch, location: Location) -> None:
        """Proxy this connection to the server that has the table."""
        players = self._cluster.players
        handover = "" if players is None else await players.handover(self.identity)
        handshake = self._handshake._replace(player=handover)
        self._is_proxied = await proxy(self.connection, handshake, self._messages, location)
        if self._is_proxied:
            self._stop_waiting()
        else:
            self._wait(search, "The table's server is not reached; come back in a moment.")

    def _messages(self) -> Sequence[tuple[bool, bytes]]:
        """Return the client's messages so far, for the server that has the table."""
        return [self._hello, *self.held]
