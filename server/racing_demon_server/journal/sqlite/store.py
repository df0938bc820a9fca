"""One SQLite file as the store of a server's journal."""

import contextlib
import itertools
from contextlib import AbstractContextManager
from pathlib import Path

from racing_demon_server.durability import Durability
from racing_demon_server.journal.operations import Change

from .database import open_journal, reading, telling_damage
from .file import JournalFile
from .lock_file import LockFile
from .statements import joined


class SqliteStore:
    """Writes the file of one server. See :class:`~racing_demon_server.journal.interface.Store`.

    Attributes:
        path: the file, with symbolic links resolved.
        db: its connection, which the writer's thread uses.

    Args:
        path: the file; made if it is missing.
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
        statements = list(joined(changes))
        with self.db:  # which commits, or rolls back
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
