"""Files beside a journal, for what a server remembers besides: results, players, notices."""

import contextlib
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final, NamedTuple

from racing_demon_server.journal.interface import JournalUnusable, SqlStore

from .database import empty_log, is_read_only, transaction

MAX_SECONDS: Final = 5.0
"""How long another process is waited for that is making the same file."""
PAUSE_SECONDS: Final = 0.02


class SideFile(NamedTuple):
    """A kind of such files.

    Attributes:
        holds: what is in it, for people.
        application_id: identifies it (``PRAGMA application_id``).
        version: the version that this program writes (``PRAGMA user_version``).
        layout: the statements that create its tables, where they are missing.
        synchronous: ``FULL`` if a power failure may take nothing, otherwise ``NORMAL``.

    """

    holds: str
    application_id: int
    version: int
    layout: str
    synchronous: str

    def open(self, path: Path | None) -> sqlite3.Connection:
        """Open a file, for its owner only, or create it. Any thread may use the connection, one at a time.

        It begins no transaction by itself, and waits five seconds for another program. Without a path,
        everything is in memory.

        Raises:
            JournalUnusable: the file cannot be used.

        """
        try:
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch(mode=0o600)
        except OSError as error:
            raise JournalUnusable(f"The {self.holds} in {path} cannot be opened: {error}.") from error
        return self._opened(path, ":memory:" if path is None else path.absolute().as_uri(), self._prepare)

    def open_to_read(self, path: Path) -> sqlite3.Connection:
        """Open a file that exists, for reading only.

        Raises:
            JournalUnusable: it cannot be read.

        """
        address = f"{path.absolute().as_uri()}?mode=ro&immutable={int(is_read_only(path.parent))}"
        return self._opened(path, address, self._verify)

    def _opened(
        self, path: Path | None, address: str, check: Callable[[sqlite3.Connection, Path | None], None]
    ) -> sqlite3.Connection:
        """Open a file by its address for SQLite, and close it again if it does not pass a check."""
        try:
            db = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
        except sqlite3.Error as error:
            raise JournalUnusable(f"The {self.holds} in {path} cannot be opened: {error}.") from error
        with contextlib.ExitStack() as undoing:
            undoing.callback(db.close)
            try:
                check(db, path)
            except sqlite3.Error as error:
                raise JournalUnusable(f"The {self.holds} in {path} cannot be used: {error}.") from error
            undoing.pop_all()
        return db

    def _verify(self, db: sqlite3.Connection, path: Path | None) -> None:
        """Check that a file is of this kind, and not of a newer version.

        Raises:
            JournalUnusable: it is not.

        """
        with db:  # all from one moment: another process may be making the file
            db.execute("BEGIN")
            application, version = (
                db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
            )
            is_new = not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if not is_new and application != self.application_id:
            raise JournalUnusable(f"{path} is no file of {self.holds}. It was left as it is.")
        if version > self.version:
            raise JournalUnusable(f"A newer version wrote the {self.holds} in {path}. Update this program.")

    def _prepare(self, db: sqlite3.Connection, path: Path | None) -> None:
        self._verify(db, path)
        _write_ahead(db)
        db.execute(f"PRAGMA synchronous={self.synchronous}")
        db.execute("PRAGMA secure_delete=ON")  # who is forgotten leaves no name between the rows
        db.executescript(
            f"BEGIN IMMEDIATE; {self.layout}; PRAGMA application_id={self.application_id}; "
            f"PRAGMA user_version={self.version}; COMMIT"
        )


def _write_ahead(db: sqlite3.Connection) -> None:
    """Let a file have a log; SQLite does not wait for another process that does the same at this moment."""
    until = time.monotonic() + MAX_SECONDS
    while True:
        try:
            db.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(PAUSE_SECONDS)
        else:
            return


class SideFileStore(SqlStore):
    """A side file that is open.

    Args:
        kind: what is in it.
        path: the file, which is created if it is missing; ``None`` keeps everything in memory.
        writes: whether it is to be written; otherwise it must exist.

    Raises:
        JournalUnusable: the file cannot be used.

    """

    def __init__(self, kind: SideFile, path: Path | None, *, writes: bool = True) -> None:
        self._db = kind.open(path) if writes or path is None else kind.open_to_read(path)

    def rows(self, sql: str, *values: object) -> Sequence[Sequence[Any]]:
        """Carry out a statement, with parameters like ``?1``, and return the rows that it finds."""
        return self._db.execute(sql, values).fetchall()

    def stream(self, sql: str, *values: object) -> Iterator[Sequence[Any]]:
        """Yield the rows that a query finds, one at a time."""
        with contextlib.closing(self._db.execute(sql, values)) as rows:
            yield from rows

    def transaction(self) -> AbstractContextManager[None]:
        """Write everything inside the context, or nothing; no other process writes meanwhile."""
        return transaction(self._db)

    def tidy(self) -> None:
        """Leave nothing in the file's log that was deleted since; if somebody reads it, not this time."""
        empty_log(self._db)

    def interrupt(self) -> None:
        """End what another thread waits for."""
        self._db.interrupt()

    def close(self) -> None:
        """Close the file."""
        self._db.close()
