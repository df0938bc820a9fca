"""Reads the state of many tables in a few queries, instead of several for each table."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from racing_demon_cluster.seed_encryption import ClusterKeys
from racing_demon_server.journal.interface import StoredTable
from racing_demon_server.journal.operations import BEGINS
from racing_demon_server.journal.play_runs import MAX_RUN

from .connection import Database
from .reader import COLUMNS, PostgresReader, Rows

TABLES: Final = f"""
    SELECT {COLUMNS}, greatest(
        (SELECT max(at_us) FROM (SELECT at_us FROM events WHERE table_id = tables.id
            ORDER BY first DESC LIMIT 100) AS newest),
        (SELECT max(at_us) FROM whispers WHERE table_id = tables.id),
        (SELECT max(at_us) FROM snapshots WHERE table_id = tables.id),
        (SELECT at_us + clock_offset_us FROM clock WHERE writer = clock_node),
        0)
    FROM tables WHERE id = ANY($1) AND owner = $2 AND closed_ms IS NULL ORDER BY id
"""  # noqa: S608 - names of our own
SNAPSHOTS: Final = (
    f"SELECT table_id, seq, frame, at_us, {BEGINS} FROM snapshots WHERE table_id = ANY($1) ORDER BY seq"  # noqa: S608
)
SEEDS: Final = (
    "SELECT table_id, hand_id, commitment, key_id, salt, masked FROM seeds WHERE table_id = ANY($1)"
)
CLAIMS: Final = "SELECT table_id, actor, token_hash, counter, reply FROM claims WHERE table_id = ANY($1)"
EPOCHS: Final = "SELECT table_id, epoch, seq FROM epochs WHERE table_id = ANY($1) ORDER BY id"
BANS: Final = "SELECT table_id, name, token_hash, address_hash FROM bans WHERE table_id = ANY($1) ORDER BY id"
CHECKPOINTS: Final = "SELECT table_id, seq, hand_id, salt, frame FROM checkpoints WHERE table_id = ANY($1)"
QUERIES: Final = SNAPSHOTS, SEEDS, CLAIMS, EPOCHS, BANS, CHECKPOINTS
EVENTS: Final = f"""
    SELECT wanted.id, log.seq, kind, at_us, at_ms, frame
    FROM unnest($1::bigint[], $2::int[], $3::bool[]) AS wanted (id, begin, rest), LATERAL (
        SELECT seq, 0 AS place, kind, at_us, at_ms, frame FROM events
        WHERE table_id = wanted.id AND first >= wanted.begin - {MAX_RUN} AND seq >= wanted.begin
        UNION ALL
        SELECT seq, id, kind, at_us, at_ms, frame FROM whispers
        WHERE table_id = wanted.id AND seq >= wanted.begin AND id > coalesce(
            (SELECT last_play FROM checkpoints WHERE table_id = wanted.id AND wanted.rest), 0)
    ) AS log ORDER BY wanted.id, log.seq, place
"""  # noqa: S608 - numbers of our own

Row = tuple[Any, ...]


class TableReader(PostgresReader):
    """Reads one table from rows that were read ahead.

    Attributes:
        table: the table.
        log: its events from the number on that a restart needs; ``None`` until they are read.

    Args:
        db: the connection, for everything else.
        keys: decrypt seeds.
        table: the table.
        last_us: the newest time that clients have seen, on its own clock.
        rows: its rows of :data:`QUERIES`, in their order.

    """

    def __init__(
        self, db: Database, keys: ClusterKeys, table: StoredTable, last_us: int, rows: Sequence[list[Row]]
    ) -> None:
        super().__init__(db, keys)
        self.table = table
        self._last_us = last_us
        self._snapshots, self._seeds, self._claims, self._epochs, self._bans, self._checkpoints = rows
        self.log: list[Row] | None = None

    def events(self, table_id: int, first: int, last: int, *, rest: bool = False) -> Rows:
        """Return the events that were read ahead; before that, any others."""
        return super().events(table_id, first, last, rest=rest) if self.log is None else self.log

    def masked(self, _table_id: int) -> Rows:
        """Return the encrypted seeds of the table's hands."""
        return self._seeds

    def claims(self, _table_id: int) -> Rows:
        """Return the claims of the table."""
        return self._claims

    def bans(self, _table_id: int) -> Rows:
        """Return the bans of the table."""
        return self._bans

    def checkpoint(self, _table_id: int) -> Rows:
        """Return the checkpoint of the table, if it has one."""
        return self._checkpoints

    def epochs(self, _table_id: int) -> Rows:
        """Return the epochs of the table."""
        return self._epochs

    def beginnings(self, _table_id: int) -> Rows:
        """Return the snapshots at the beginnings of the stretches of the table's log."""
        return [(seq, frame) for seq, frame, _, begins in self._snapshots if begins]

    def snapshots(self, _table_id: int, until_us: int, most: int) -> Rows:
        """Return some snapshots of the table, the newest first."""
        old = [(seq, frame) for seq, frame, at_us, _ in reversed(self._snapshots) if at_us <= until_us]
        return old[:most]

    def last_us(self) -> int:
        """Return the newest time of the table that clients have seen, on its own clock."""
        return self._last_us


def read_ahead(db: Database, keys: ClusterKeys, owner: int, tables: Sequence[int]) -> list[TableReader]:
    """Read all but the events of these tables, without those that the incarnation does not own."""
    ids = list(tables)
    with db.pipeline():
        found = db.execute(TABLES, (ids, owner))
        cursors = [db.execute(sql, (ids,)) for sql in QUERIES]
        rows = list(map(_by_table, cursors))
        return [
            TableReader(db, keys, StoredTable(*row), last_us, [kept.get(row[0], []) for kept in rows])
            for *row, last_us in found
        ]


def read_events(db: Database, wanted: Mapping[TableReader, tuple[int, bool]]) -> None:
    """Read the events of tables, from a number on for each, perhaps without the plays in its checkpoint."""
    ids = [reader.table.id for reader in wanted]
    firsts, rests = [first for first, _ in wanted.values()], [rest for _, rest in wanted.values()]
    rows = _by_table(db.execute(EVENTS, (ids, firsts, rests)))
    for reader in wanted:
        reader.log = rows.get(reader.table.id, [])


def _by_table(rows_read: Rows) -> dict[int, list[Row]]:
    rows: defaultdict[int, list[Row]] = defaultdict(list)
    for table_id, *row in rows_read:
        rows[table_id].append(tuple(row))
    return rows
