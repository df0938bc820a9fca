"""A connection to a journal's file that also reads it, row by row."""

import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from racing_demon_protocol.wire.messages.events import Played
from racing_demon_server.journal.interface import JournalReader, StoredTable
from racing_demon_server.journal.play_runs import LONGEST, RUN

_BETWEEN: Final = """id BETWEEN
    coalesce(
        (SELECT id FROM marks WHERE table_id = :table AND seq <= :first ORDER BY seq DESC LIMIT 1),
        (SELECT id FROM marks WHERE table_id = :table ORDER BY seq LIMIT 1),
        1
    )
    AND coalesce(
        (SELECT id FROM marks WHERE table_id = :table AND seq >= :end ORDER BY seq LIMIT 1),
        (SELECT last_event FROM tables WHERE id = :table),
        9223372036854775807
    )
"""
"""The marks around some events of one table, among the rows of all tables."""

Rows = Iterable[tuple[Any, ...]]


class JournalFile(sqlite3.Connection, JournalReader):
    """A connection to a file. See :class:`~racing_demon_server.journal.interface.JournalReader`."""

    errors: tuple[type[Exception], ...] = (sqlite3.Error,)

    def rows(self, sql: str, *values: object) -> Rows:
        """Return the rows that a query finds."""
        return self.execute(sql, values)

    def tables(self, *, only_open: bool = False) -> Iterator[StoredTable]:
        """Yield the tables, oldest first."""
        where = "WHERE closed_ms IS NULL " if only_open else ""
        for row in self.execute(f"SELECT * FROM tables {where}ORDER BY id"):  # noqa: S608 - two texts of our own
            yield StoredTable(*row)

    def events(self, table_id: int, first: int, last: int, *, rest: bool = False) -> Rows:
        """Return the events and whispers of a table between two numbers, in order."""
        bounds = {"table": table_id, "first": first, "last": last, "end": last + LONGEST, "rest": rest}
        in_checkpoint = ":rest AND id <= (SELECT last_play FROM checkpoints WHERE table_id = :table)"
        where = "WHERE table_id = :table AND seq BETWEEN :first AND"
        columns = "kind, at_us, at_ms, frame"
        return self.execute(
            f"SELECT seq, {columns} FROM ("  # noqa: S608
            f"SELECT seq, id * (kind = {RUN}) AS place, {columns} FROM events {where} :end AND {_BETWEEN} "
            f"AND NOT (kind = {RUN} AND {in_checkpoint}) "
            f"UNION ALL SELECT seq, id, {Played.TAG}, at_us, at_ms, frame FROM whispers "
            f"{where} :last AND NOT :rest) "
            f"ORDER BY seq, kind = {RUN}, place",  # older whispers have rows of their own
            bounds,
        )

    def seeds(self, table_id: int) -> Rows:
        """Return the seeds of a table's hands."""
        return self.rows("SELECT hand_id, seed FROM seeds WHERE table_id = ?", table_id)

    def last_us(self) -> int:
        """Return the newest time of open tables; values that are not numbers are ignored."""
        of_open_tables = "WHERE table_id IN (SELECT id FROM tables WHERE closed_ms IS NULL)"
        marks = f"SELECT max(id) AS last FROM marks {of_open_tables} GROUP BY table_id"  # noqa: S608 - of our own
        recent = f"AND id >= (SELECT min(last) FROM ({marks}))"  # noqa: S608
        times = (
            f"events {of_open_tables} {recent}",
            f"whispers {of_open_tables}",
            f"snapshots {of_open_tables}",
            "clock WHERE TRUE",
        )
        sql = "SELECT coalesce(max(at_us), 0) FROM {} AND typeof(at_us) = 'integer'"
        return int(max(self.execute(sql.format(where)).fetchone()[0] for where in times))

    @contextmanager
    def moment(self) -> Iterator[None]:
        """Read a consistent state while the context lasts."""
        with self:  # which ends it
            self.execute("BEGIN DEFERRED")
            yield

    def faults(self) -> Iterator[str]:
        """Yield the faults that SQLite finds in the file."""
        for (text,) in self.execute("PRAGMA integrity_check"):
            if text != "ok":
                yield text
