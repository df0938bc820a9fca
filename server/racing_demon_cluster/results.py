"""The results of a cluster's matches, in its database, and what removes the events of old ones."""

import asyncio
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from racing_demon_server.journal.interface import Fenced, JournalReader, JournalUnusable
from racing_demon_server.journal.matches import BlankedFrame
from racing_demon_server.results.store import ResultsStore, blanking

from .postgres.connection import NOW_MS, WRONG_MS
from .side_store import SideStore

RESULTS_LOCK: Final = 4
RETENTION_LOCK: Final = 5
JOURNAL: Final = ""
"""The name of the journal that all servers share."""
MAX_UNFINISHED: Final = 1_000
"""The most tables that one server finishes at a time."""
ROWS: Final = 2_000
"""The most rows that are deleted in a transaction."""
REST_SECONDS: Final = 0.05
"""How long a server rests between two of them."""
LOGS: Final = (("events", "first"), ("whispers", "id"), ("beaten", "id"))
OF_TABLES: Final = ("seeds", "claims", "snapshots", "epochs", "bans", "checkpoints")
"""The other rows of one table: a few each."""

log = logging.getLogger("racing_demon_server")


class PostgresResults(SideStore, ResultsStore):
    """The results in the database. See :class:`~racing_demon_server.results.store.ResultsStore`.

    Every server makes those of its own tables, and of closed ones of servers that were fenced.

    Args:
        url: the database.
        node: the number of this incarnation.

    """

    is_shared = True

    def __init__(self, url: str, node: int) -> None:
        super().__init__(url, node, RESULTS_LOCK, waits=False)
        self._own_node = node

    def unfinished(self, _journal: str, _reader: JournalReader) -> Iterator[int]:
        """Yield closed tables without all results that no other running server had, the newest first."""
        sql = (
            "SELECT tables.id FROM tables LEFT JOIN nodes ON nodes.id = owner "
            "WHERE closed_ms IS NOT NULL AND NOT has_results AND (owner = ?1 OR fenced IS NOT false) "
            "ORDER BY tables.id DESC LIMIT ?2"
        )
        return (table_id for (table_id,) in self.rows(sql, self._own_node, MAX_UNFINISHED))

    def set_finished(self, _journal: str, table_id: int) -> None:
        """Record that a closed table has all of its results."""
        with self.transaction():
            self.rows("UPDATE tables SET has_results = true WHERE id = ?1", table_id)

    def blank(self, table_id: int, frames: Sequence[BlankedFrame]) -> None:
        """Store events of a closed table in the journal anew."""
        with self.transaction():
            for sql, values in blanking(table_id, frames):
                self.rows(sql, *values)

    def table_of(self, code: str, token_hash: bytes) -> int | None:
        """Return the number of an open table at which a token has a seat; ``None`` if there is none."""
        sql = (
            "SELECT id FROM tables JOIN claims ON table_id = id "
            "WHERE code = ?1 AND closed_ms IS NULL AND token_hash = ?2"
        )
        return next((table_id for (table_id,) in self.rows(sql, code, token_hash)), None)


class Retention:
    """Deletes tables that were closed long ago and have all of their results, a few rows at a time.

    How old they are is counted by the database's clock. A server that has another time than the database
    deletes nothing: one of the two is wrong, and nobody knows which.

    Args:
        url: the database.
        node: the number of this incarnation.
        days: how long they are kept.
        clock_ms: returns this server's milliseconds since 1970.

    """

    def __init__(
        self,
        url: str,
        node: int,
        days: int,
        clock_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        self._clock_ms = clock_ms
        self._store = SideStore(url, node, RETENTION_LOCK, waits=False)
        self._days = days
        self._thread = ThreadPoolExecutor(1, "retention")

    async def prune(self) -> None:
        """Delete all that is old enough.

        Raises:
            OSError: the database cannot be used now.

        """
        loop = asyncio.get_running_loop()
        try:
            now_ms = await loop.run_in_executor(self._thread, self._trusted_now)
            is_done = now_ms is None
            before_ms = (now_ms or 0) - self._days * 86_400_000
            while not is_done:
                is_done = not await loop.run_in_executor(self._thread, self._delete_some, before_ms)
                await asyncio.sleep(REST_SECONDS)
        except (JournalUnusable, Fenced) as error:
            raise OSError(str(error)) from error

    async def close(self) -> None:
        """Close the connection after the step that is being done."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._store.close)
        self._thread.shutdown()

    def _trusted_now(self) -> int | None:
        """Return the database's time; ``None`` if this server's is another."""
        ((now_ms,),) = self._store.rows(f"SELECT {NOW_MS}")
        apart_ms = self._clock_ms() - int(now_ms)
        if abs(apart_ms) <= WRONG_MS:
            return int(now_ms)
        log.warning(
            "nothing is pruned: this server's clock and the database's are apart; let both follow NTP",
            extra={"seconds": apart_ms // 1_000},
        )
        return None

    def _delete_some(self, before_ms: int) -> bool:
        """Delete an old table, or some of the log of a deleted one; return whether there was anything."""
        rows = self._store.rows
        with self._store.transaction():
            for (table_id,) in rows("SELECT table_id FROM pruned LIMIT 1"):
                for name, key in LOGS:
                    some = f"SELECT {key} FROM {name} WHERE table_id = ?1 ORDER BY {key} LIMIT ?2"  # noqa: S608 - our own names
                    sql = f"DELETE FROM {name} WHERE table_id = ?1 AND {key} IN ({some}) RETURNING 1"  # noqa: S608
                    if rows(sql, table_id, ROWS):
                        return True
                rows("DELETE FROM pruned WHERE table_id = ?1", table_id)
                return True
            old = "SELECT id FROM tables WHERE has_results AND closed_ms < ?1 ORDER BY closed_ms LIMIT 1"
            for (table_id,) in rows(old, before_ms):
                for name in OF_TABLES:
                    rows(f"DELETE FROM {name} WHERE table_id = ?1", table_id)  # noqa: S608 - our own names
                rows("DELETE FROM corrections WHERE match LIKE ?1", f"{table_id}.%")
                rows("DELETE FROM tables WHERE id = ?1", table_id)
                rows("INSERT INTO pruned VALUES (?1)", table_id)
                return True
        return False
