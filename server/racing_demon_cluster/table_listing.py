"""The list of open tables of all servers, for browsers: each server writes its own and reads the others'."""

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from psycopg.types.json import Jsonb

from racing_demon_cluster.postgres.connection import Database
from racing_demon_protocol.table.state import TableState
from racing_demon_server.net.table_service import list_entry
from racing_demon_server.tables.registry import Registry

from .database_thread import DatabaseThread

REFRESH_SECONDS: Final = 2.0
MAX_TABLES: Final = 500
"""The most tables of other servers that are read."""

Row = tuple[int, str, str, int, bool, dict[str, Any]]
"""A table's number, game, phase, free seats, whether it has a passphrase, and its entry in the list."""


class TableListing:
    """Lists the open tables of all servers; it may be some seconds old.

    Attributes:
        others: the entries for tables of other servers.

    Args:
        node: this server's number.
        registry: its tables.
        thread: writes and reads them.

    """

    def __init__(self, node: int, registry: Registry, thread: DatabaseThread) -> None:
        self.others: Sequence[dict[str, Any]] = ()
        self._node = node
        self._registry = registry
        self._thread = thread
        self._written: dict[int, Row] = {}
        self._timer: asyncio.TimerHandle | None = None

    def refresh(self) -> None:
        """Write changes of this server's tables and read the others, repeatedly."""
        numbered = [(room.journal.number, room.shown.view) for room in self._registry.rooms if room.is_listed]
        rows = {number: _row(number, view) for number, view in numbered}
        changed = [row for number, row in rows.items() if self._written.get(number) != row]
        self._thread.do(
            partial(_exchange, node=self._node, changed=changed), partial(self._on_exchanged, rows)
        )
        self._timer = asyncio.get_running_loop().call_later(REFRESH_SECONDS, self.refresh)

    def close(self) -> None:
        """Stop refreshing."""
        if self._timer is not None:
            self._timer.cancel()

    def _on_exchanged(self, rows: dict[int, Row], read: list[dict[str, Any]] | Exception) -> None:
        if not isinstance(read, Exception):
            self._written, self.others = rows, read


def _row(number: int, view: TableState) -> Row:
    record = list_entry(view)
    free = record["seats"] - record["players"]
    return number, view.options.game, str(view.phase), free, view.locked, record


def _exchange(db: Database, *, node: int, changed: Sequence[Row]) -> list[dict[str, Any]]:
    with db.transaction():
        db.execute("SET LOCAL synchronous_commit = off")
        for *row, record in changed:
            db.execute(
                "INSERT INTO listings VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (table_id) DO UPDATE SET "
                "phase = excluded.phase, free = excluded.free, locked = excluded.locked, "
                "record = excluded.record",
                (*row, Jsonb(record)),
            )
        db.execute(
            "DELETE FROM listings USING tables WHERE table_id = id AND owner = $1 AND closed_ms IS NOT NULL",
            (node,),
        )
    rows = db.execute(
        "SELECT record FROM listings JOIN tables ON id = table_id JOIN nodes ON nodes.id = owner "
        "WHERE closed_ms IS NULL AND owner <> $1 AND NOT fenced ORDER BY free = 0, table_id LIMIT $2",
        (node, MAX_TABLES),
    )
    return [record for (record,) in rows]
