"""One SQLite file as the store of a server's journal."""

import contextlib
import itertools
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

from racing_demon_server.enums import Durability
from racing_demon_server.journal.operations import COMMON_SQL, IS_UNUSED, KEEP_CHECKPOINT, Change, Operation
from racing_demon_server.journal.play_runs import RUN

from .database import JournalFile, open_journal, reading, telling_damage
from .lock_file import LockFile

_BEFORE: Final = "(SELECT max(id) FROM tables WHERE id < ?1)"

SQL: Final[dict[Operation, Sequence[str]]] = COMMON_SQL | {
    Operation.ADD_EVENT: ("INSERT INTO events VALUES (NULL, ?, ?, ?, ?, ?, ?)",),
    Operation.ADD_WHISPER: (),  # see :func:`_among_events`
    Operation.KEEP_CLAIM: ("INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?)",),
    Operation.KEEP_CHECKPOINT: (KEEP_CHECKPOINT.format(last_play="SELECT max(id) FROM events"),),
    Operation.KEEP_TIME: ("INSERT OR REPLACE INTO clock VALUES (1, ?)",),
    Operation.ADD_SEED: ("INSERT INTO seeds VALUES (?, ?, ?, ?)",),
    Operation.OPEN_TABLE: ("INSERT INTO tables VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL, 1)",),
    Operation.FORGET_UNUSED: (
        f"DELETE FROM tables WHERE id = {_BEFORE} AND closed_ms IS NOT NULL "  # noqa: S608
        f"AND NOT EXISTS (SELECT 1 FROM marks WHERE table_id = {_BEFORE})",
    ),
    Operation.CLOSE_TABLE: (
        "UPDATE tables SET closed_ms = ?, last_event = (SELECT max(id) FROM events) WHERE id = ?",
    ),
    Operation.FORGET_CLOSED: (
        *COMMON_SQL[Operation.FORGET_CLOSED],
        # The newest table stays until there is a newer one, so that its number is not used again.
        f"DELETE FROM tables WHERE id = ?1 AND {IS_UNUSED} AND id < (SELECT max(id) FROM tables)",  # noqa: S608
    ),
}

ROWS: Final = 100
"""The most rows written with one statement."""
HOT: Final = {
    Operation.ADD_EVENT: ", (NULL, ?, ?, ?, ?, ?, ?)",
    Operation.KEEP_CLAIM: ", (?, ?, ?, ?, ?)",
    Operation.KEEP_TIME: ", (1, ?)",
}
"""Frequent operations, with the SQL for one more row."""

_OPERATION: Final = itemgetter(0)
ADD_WHISPER: Final = Operation.ADD_WHISPER
"""Looked up once, because members of an enumeration are slow to look up."""


def _among_events(values: Sequence[Any]) -> Change:
    """Return how a run of whispers is written: like other runs, with the number of the event before."""
    table_id, seq, _, at_us, at_ms, frame = values
    return Operation.ADD_EVENT, (table_id, seq, RUN, at_us, at_ms, frame)


def batched(changes: Sequence[Change]) -> Iterator[tuple[str, Sequence[Any]]]:
    """Yield SQL for changes, each with its parameters, rows of a kind together.

    The thread releases the interpreter lock with each statement, and has to wait for it again.
    """
    changes = [_among_events(each[1]) if each[0] is ADD_WHISPER else each for each in changes]
    if {operation for operation, _ in changes} <= HOT.keys():  # they do not depend on each other
        changes = sorted(changes, key=_OPERATION)
    for operation, alike in groupby(changes, _OPERATION):
        rows = [values for _, values in alike]
        if operation in HOT:
            (sql,) = SQL[operation]
            for begin in range(0, len(rows), ROWS):
                some = rows[begin : begin + ROWS]
                yield sql + HOT[operation] * (len(some) - 1), [value for row in some for value in row]
        else:
            for row in rows:
                for sql in SQL[operation]:
                    yield sql, row


class SqliteStore:
    """Writes the file of one server. See :class:`~racing_demon_server.journal.interface.Store`.

    Attributes:
        path: the file, with symbolic links resolved.
        db: its connection, which the writer's thread uses.

    Args:
        path: the file; created if it is missing.
        durability: the durability; not ``none``.

    Raises:
        JournalUnusable: the file cannot be used, or another server uses it.

    """

    patience: float | None = None

    def __init__(self, path: Path, durability: Durability) -> None:
        self._lock = LockFile(path)
        self.path = path = self._lock.path
        with contextlib.ExitStack() as undoing:
            undoing.callback(self._lock.release)
            self.db = open_journal(path, write=True, durability=durability)
            undoing.callback(self.db.close)
            with telling_damage(path):
                newest = self.db.execute("SELECT max(id) FROM tables").fetchone()[0] or 0
            undoing.pop_all()
        self._numbers = itertools.count(newest + 1)

    def commit(self, changes: list[Change]) -> None:
        """Write changes in one transaction."""
        statements = list(batched(changes))
        with self.db:  # commits, or rolls back
            if len(statements) > 1:  # a single statement is atomic anyway
                self.db.execute("BEGIN IMMEDIATE")
            for sql, values in statements:
                self.db.execute(sql, values)

    def reading(self) -> AbstractContextManager[JournalFile]:
        """Open another connection for reading.

        Raises:
            JournalUnusable: it cannot be opened, or is damaged.

        """
        return reading(self.path)

    def new_number(self) -> int:
        """Return a new table's number in the file."""
        return next(self._numbers)

    def close(self) -> None:
        """Close the file, and release its lock."""
        self.db.close()
        self._lock.release()
