"""Reads a journal from the database, row by row."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final

import psycopg

from racing_demon_cluster.seed_encryption import ClusterKeys, EncryptedSeed
from racing_demon_server.journal.interface import JournalReader, StoredTable
from racing_demon_server.journal.play_runs import MAX_RUN

from .connection import Database, numbered

Rows = Iterable[tuple[Any, ...]]

COLUMNS: Final = ", ".join(StoredTable._fields)
"""The columns that are read of a table."""


class PostgresReader(JournalReader):
    """Reads over one connection. See :class:`~racing_demon_server.journal.interface.JournalReader`.

    Args:
        db: the connection.
        keys: decrypt seeds.
        owner: the incarnation whose open tables are returned; ``None`` for all.

    """

    errors: tuple[type[Exception], ...] = (psycopg.Error,)

    def __init__(self, db: Database, keys: ClusterKeys, owner: int | None = None) -> None:
        self._db = db
        self._keys = keys
        self._owner = owner

    def rows(self, sql: str, *values: object) -> Rows:
        """Return the rows that a query finds."""
        return self._db.execute(numbered(sql), values)

    def tables(self, *, only_open: bool = False) -> Iterator[StoredTable]:
        """Yield the tables, the oldest first; open ones are the owner's."""
        rows = self._db.execute(
            f"SELECT {COLUMNS} FROM tables "  # noqa: S608 - names of our own
            "WHERE NOT $1 OR closed_ms IS NULL AND (owner = $2 OR $2 IS NULL) ORDER BY id",
            (only_open, self._owner),
        )
        return map(StoredTable._make, rows.fetchall())

    def find_table(self, table_id: int) -> StoredTable | None:
        """Return a table; ``None`` if the database does not have it any more."""
        row = self._db.execute(f"SELECT {COLUMNS} FROM tables WHERE id = $1", (table_id,)).fetchone()  # noqa: S608
        return None if row is None else StoredTable(*row)

    def events(self, table_id: int, first: int, last: int, *, rest: bool = False) -> Rows:
        """Return the events and whispers of a table between two numbers, in order."""
        return self._db.execute(
            "SELECT seq, kind, at_us, at_ms, frame FROM ("  # noqa: S608 - numbers of our own
            "SELECT seq, 0 AS place, kind, at_us, at_ms, frame FROM events "
            f"WHERE table_id = $1 AND first BETWEEN $2::int - {MAX_RUN} AND $3 AND seq >= $2 UNION ALL "
            "SELECT seq, id, kind, at_us, at_ms, frame FROM whispers "
            "WHERE table_id = $1 AND seq BETWEEN $2 AND $3 AND id > coalesce("
            "(SELECT last_play FROM checkpoints WHERE table_id = $1 AND $4), 0)) AS log ORDER BY seq, place",
            (table_id, first, last, rest),
        )

    def seeds(self, table_id: int) -> Rows:
        """Return the seeds of a table's hands, each with its commitment.

        Raises:
            UnknownContents: one cannot be decrypted.

        """
        for hand_id, commitment, *kept in self.masked(table_id):
            seed = self._keys.decrypt(table_id, hand_id, EncryptedSeed(*kept), commitment)
            yield hand_id, seed, commitment

    def masked(self, table_id: int) -> Rows:
        """Return hand id, commitment and encrypted seed of a table's hands."""
        return self.rows(
            "SELECT hand_id, commitment, key_id, salt, masked FROM seeds WHERE table_id = ?1", table_id
        )

    def last_us(self) -> int:
        """Return the newest time of the owner's open tables, or of servers of its name."""
        row = self._db.execute(
            "WITH playing AS ("
            "SELECT id FROM tables WHERE closed_ms IS NULL AND (owner = $1 OR $1::bigint IS NULL)) "
            "SELECT greatest((SELECT max(at_us) FROM playing, LATERAL ("
            "SELECT at_us FROM events WHERE table_id = playing.id ORDER BY first DESC LIMIT 100) AS newest), "
            "(SELECT max(at_us) FROM whispers WHERE table_id IN (SELECT id FROM playing)), "
            "(SELECT max(at_us) FROM snapshots WHERE table_id IN (SELECT id FROM playing)), "
            "(SELECT max(at_us) FROM clock JOIN nodes ON nodes.id = writer "
            "WHERE $1 IS NULL OR name = (SELECT name FROM nodes WHERE id = $1)), 0)",
            (self._owner,),
        ).fetchone()
        assert row is not None
        return int(row[0])

    @contextmanager
    def moment(self) -> Iterator[None]:
        """Read everything as of one moment."""
        with self._db.transaction(force_rollback=True):
            self._db.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield

    def faults(self) -> Iterator[str]:
        """Return nothing: PostgreSQL checks its pages when it reads them."""
        return iter(())
