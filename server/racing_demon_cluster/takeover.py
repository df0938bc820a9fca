"""Opens the tables that this node has received, a few at a time, first those that clients wait for."""

import logging
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Final, NamedTuple

from racing_demon_cluster.postgres.connection import Database
from racing_demon_cluster.postgres.read_ahead import TableReader, read_ahead, read_events
from racing_demon_cluster.seed_encryption import ClusterKeys, UnknownKey
from racing_demon_server.journal.interface import StoredTable
from racing_demon_server.journal.reader import UnknownContents
from racing_demon_server.journal.recovery import saved_state_of, wanted_events
from racing_demon_server.match.table import SavedState
from racing_demon_server.tables.registry import Registry, log_unrestorable
from racing_demon_server.tables.room import Clock

from .database_thread import DatabaseThread
from .statements import give_back, store_offsets

AT_ONCE: Final = 20
"""The most tables read in one transaction; none is read while as many with long hands are being opened."""

log = logging.getLogger("racing_demon_server")


class Read(NamedTuple):
    """A table read from the database.

    Attributes:
        stored: the table.
        saved_state: what is needed to continue it, or why it cannot be read.
        last_us: the newest time that clients have seen, on its own clock.
        offset_us: how far that clock is ahead of the node's.

    """

    stored: StoredTable
    saved_state: SavedState | Exception
    last_us: int
    offset_us: int


class Takeover:
    """Opens the tables that the node has received.

    Attributes:
        unrestorable: tables that cannot continue here; they stay in the database.

    Args:
        node: the node's number.
        keys: decrypt seeds.
        registry: keeps the tables.
        clock: returns the node's time, in any thread.
        thread: reads tables.

    """

    def __init__(
        self, node: int, keys: ClusterKeys, registry: Registry, clock: Clock, thread: DatabaseThread
    ) -> None:
        self.unrestorable: set[int] = set()
        self._node = node
        self._keys = keys
        self._registry = registry
        self._clock = clock
        self._thread = thread
        self._given_back: set[int] = set()
        self._waiting: dict[int, None] = {}
        self._callbacks: dict[int, list[Callable[[bool], None]]] = {}
        self._reading: Sequence[int] = ()
        self._opening: set[int] = set()

    def open_soon(self, tables: Iterable[int]) -> None:
        """Open tables in the background."""
        known = {*self._reading, *self._opening, *self.unrestorable, *self._registry.leaving}
        self._waiting.update(dict.fromkeys(table for table in tables if table not in known))
        self._read_next()

    def open_first(self, table: int, opened: Callable[[bool], None]) -> None:
        """Open a table before all others, and call back when it is open or cannot be opened."""
        self._callbacks.setdefault(table, []).append(opened)
        self.open_soon([table])

    def _read_next(self) -> None:
        here = self._registry.numbers
        for table in here & self._waiting.keys():
            del self._waiting[table]
            self._answer(table, is_here=True)
        if self._reading or not self._waiting or len(self._opening) >= AT_ONCE:
            return
        first = sorted(self._waiting, key=lambda table: table not in self._callbacks)[:AT_ONCE]
        self._reading = first
        for table in first:
            del self._waiting[table]
        read = partial(_read, node=self._node, keys=self._keys, tables=first, clock=self._clock)
        self._thread.do(read, self._open)

    def _open(self, read: list[Read] | Exception) -> None:
        tables, self._reading = self._reading, ()
        self._read_next()  # the thread reads while the loop opens these
        for each in () if isinstance(read, Exception) else read:
            if each.stored.id not in self._registry.numbers | self._opening:
                self._adopt(each)
        here = self._registry.numbers
        for table in tables:
            if table not in self._opening:
                self._answer(table, is_here=table in here)

    def _adopt(self, read: Read) -> None:
        stored, saved_state = read.stored, read.saved_state
        if isinstance(saved_state, UnknownKey):
            if stored.id not in self._given_back:
                self._given_back.add(stored.id)
                log.warning(
                    "a table is left to a server that has its key",
                    extra={"code": stored.code, "why": str(saved_state)},
                )
            return
        if isinstance(saved_state, Exception):
            self.unrestorable.add(stored.id)
            log_unrestorable(stored, saved_state)
            return
        self._opening.add(stored.id)
        self._registry.adopt(stored, saved_state, read.last_us, read.offset_us, partial(self._end, stored.id))

    def _end(self, table: int) -> None:
        """Answer those who asked for a table: it is here, or cannot be."""
        self._opening.discard(table)
        is_here = table in self._registry.numbers
        if not is_here:
            self.unrestorable.add(table)
        self._answer(table, is_here=is_here)
        self._read_next()

    def _answer(self, table: int, *, is_here: bool) -> None:
        for opened in self._callbacks.pop(table, ()):
            opened(is_here)


def _read(db: Database, *, node: int, keys: ClusterKeys, tables: Sequence[int], clock: Clock) -> list[Read]:
    """Read tables in a transaction that ends with a write, so that all data read is on the standby."""
    with db.transaction():
        pasts = {reader: _begin(reader) for reader in read_ahead(db, keys, node, tables)}
        read_events(
            db,
            {
                each: wanted_events(saved_state)
                for each, saved_state in pasts.items()
                if isinstance(saved_state, SavedState)
            },
        )
        found = [_as_read(reader, saved_state, clock) for reader, saved_state in pasts.items()]
        with db.pipeline():
            store_offsets(db, node, {each.stored.id: each.offset_us for each in found})
            give_back(
                db, node, [each.stored.id for each in found if isinstance(each.saved_state, UnknownKey)]
            )
            db.execute("SELECT fence($1)", (node,))
    return found


def _begin(reader: TableReader) -> SavedState | Exception:
    """Return the saved state of a table, without its log yet, or why it cannot be read."""
    try:
        return saved_state_of(reader, reader.table)
    except UnknownContents as error:
        return error


def _as_read(reader: TableReader, saved_state: SavedState | Exception, clock: Clock) -> Read:
    """Return the tables that were read; their events are decoded later, a little at a time."""
    last_us = reader.last_us()
    return Read(reader.table, saved_state, last_us, last_us - clock())
