"""What all sessions share: the registry, limits across connections, and how connections are cut off."""

import asyncio
import itertools
import logging
import math
from collections.abc import Callable
from functools import partial
from typing import Final
from weakref import WeakKeyDictionary

from racing_demon_cluster.relay.tables import Relay
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused, RacingDemonError
from racing_demon_protocol.formatting import counted
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.options import Options
from racing_demon_server.frames import Listener
from racing_demon_server.rate_limit import Allowance, Bucket
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.backlog import Backlog
from racing_demon_server.tables.locator import Location, Locator, Whereabouts
from racing_demon_server.tables.passphrase import Passphrase, PassphraseHasher
from racing_demon_server.tables.registry import Registry, TableUnread
from racing_demon_server.tables.room import Clock, Room

from .address_limits import MINUTE, POOL_SECONDS, AddressLimits, Origin, networks_of
from .http import Meter

SHARE_SECONDS: Final = 20.0
"""A connection's share holds what flows into it in this many seconds."""

log = logging.getLogger("racing_demon_server")


class Missing(RacingDemonError):
    """A table is not here; ``code`` is the one to look for at other servers."""

    def __init__(self, code: str) -> None:
        super().__init__(f"table {code} is not here")
        self.code = code


class Service:
    """What all sessions share.

    Attributes:
        settings: the server's.
        registry: keeps the tables.
        clock: the server's clock.
        meter: counts what happens to connections.
        addresses: the limits of addresses.
        numbers: numbers of connections for the log.
        locator: finds tables on other servers; ``None`` if there are none.
        tasks: connections that are being passed on.
        hasher: hashes passphrases.
        relay: shows the tables of another server; ``None`` if this one has its own.

    """

    def __init__(
        self,
        settings: ServerSettings,
        registry: Registry,
        clock: Clock,
        meter: Meter,
        locator: Locator | None = None,
    ) -> None:
        self.settings = settings
        self.registry = registry
        self.clock = clock
        self.meter = meter
        self.addresses = AddressLimits(settings)
        self.locator = locator
        self.tasks: set[asyncio.Task[None]] = set()
        self.hasher = PassphraseHasher()
        self.numbers = itertools.count(1)
        self.relay: Relay | None = None
        if settings.relay:
            backlog = Backlog(settings.delayed_bytes_of_table, settings.delayed_bytes)
            self.relay = Relay(settings.relay, settings.max_tables, clock, backlog, self.addresses)
        self._units = self._pool(settings.units_per_server)
        self._tables: WeakKeyDictionary[Room, Bucket] = WeakKeyDictionary()

    @property
    def listeners(self) -> int:
        """The number of listeners at all tables, players and spectators."""
        return self.registry.listeners if self.relay is None else self.relay.listeners

    def allowance(self, address: str) -> Allowance:
        """Return the allowance of a new connection from an address."""
        per_second = self.settings.units_per_connection
        share = Bucket(per_second, per_second * SHARE_SECONDS)
        return Allowance(share, [*self.addresses.pools(address), self._units])

    def units_of(self, room: Room) -> Bucket:
        """Return the units that all players of a table share."""
        if room not in self._tables:
            self._tables[room] = self._pool(self.settings.units_per_table)
        return self._tables[room]

    @staticmethod
    def _pool(per_second: float) -> Bucket:
        return Bucket(per_second, per_second * POOL_SECONDS)

    def take_table(self, address: str, at: int) -> None:
        """Count a table that an address opens at a time.

        Raises:
            CommandRefused: there are too many, or the server stops.

        """
        self._check_tables(address)
        if not self.addresses.take_table(address, at):
            wait = counted(math.ceil(MINUTE / self.settings.tables_per_minute), "second")
            text = f"Too many tables from your address: the next one may be opened in {wait}."
            raise CommandRefused(Reason.TOO_FAST, text)

    def open(self, address: str, options: Options, lock: Passphrase) -> Room:
        """Open a table for an address, which :meth:`take_table` has counted.

        Raises:
            CommandRefused: the options cannot be played, there are too many tables, or the server stops.

        """
        self._check_tables(address)
        return self.registry.open(options, lock, address, self.addresses.units(address))

    def _check_tables(self, address: str) -> None:
        """Check that an address may open another table."""
        if self.locator is not None and not self.locator.takes_tables:
            text = "This server is about to stop. Open a table at another one."
            raise CommandRefused(Reason.SERVER_FULL, text)
        registry = self.registry
        for name, times in networks_of(address) if address else ():
            most = self.settings.tables_per_address * times
            if sum((name, times) in networks_of(opener) for opener in registry.openers()) < most:
                continue
            tables = counted(most, "table")
            text = f"Your address has {tables} here, and gets no more until one of them is closed."
            raise CommandRefused(Reason.SERVER_FULL, text)

    def find(self, address: str, code: str, at: int, token_hash: bytes = b"") -> Room:
        """Return a table's room.

        An address that guesses codes is refused for a while, but keeps its seats.

        Args:
            address: the client's address.
            code: the table's code.
            at: the time.
            token_hash: the hash of a seat's token, if the client sent one.

        Raises:
            CommandRefused: there is no such table, or too many wrong codes came from this address of late.
            TableElsewhere: another process has the table.
            TableUnread: the table is still being read from the journal.
            Missing: the table may be on another server.

        """
        may_miss, room = self.addresses.may_miss(address, at), None
        try:
            room = self.registry.room(code)
        except CommandRefused as error:
            if self.locator is not None and may_miss and error.reason is Reason.UNKNOWN_TABLE:
                raise Missing(code.strip().upper()) from None
            if may_miss:
                self.addresses.note_miss(address, at)
                raise
        except TableUnread:
            if may_miss:
                raise
        if room is None or not (may_miss or room.table.seat_tokens.knows(token_hash)):
            raise self._too_many_misses()
        room.catch_up()  # an earlier command may have given the seat up
        return room

    def enter_relay(self, listener: Listener, request: Message, origin: Origin, at: int) -> None:
        """Let a listener watch a table of the other server.

        Raises:
            CommandRefused: it cannot be watched, or too many wrong codes came from this address of late.

        """
        assert self.relay is not None
        if not self.addresses.may_miss(origin.counted_as, at):
            raise self._too_many_misses()
        self.relay.enter(listener, request, origin)

    def _too_many_misses(self) -> CommandRefused:
        seconds = math.ceil(MINUTE / self.settings.misses_per_minute)
        text = f"Too many wrong codes from your address: wait {counted(seconds, 'second')}, and try again."
        return CommandRefused(Reason.TOO_FAST, text)

    def search(self, address: str, code: str, found: Callable[[Location | Whereabouts], None]) -> None:
        """Look for a table at other servers, and call back once.

        It counts until it ends, even if its connection is gone before: many connections of one address
        start no more searches than it may have misses.
        """
        assert self.locator is not None
        if self.addresses.begin_search(address, self.clock()):
            self.locator.locate(code, partial(self._end_search, address, found))
        else:
            found(Whereabouts.BUSY)

    def _end_search(
        self, address: str, found: Callable[[Location | Whereabouts], None], where: Location | Whereabouts
    ) -> None:
        self.addresses.end_search(address)
        if where is Whereabouts.UNKNOWN:
            self.addresses.note_miss(address, self.clock())
        found(where)

    def note_cut(
        self, number: int, why: str, event: str = "connection cut", level: int = logging.WARNING
    ) -> None:
        """Log and count a connection that the server closes."""
        log.log(level, event, extra={"connection": number, "why": why})
        self.meter.cut(why)
