"""Files beside a journal, for what a server remembers besides: results, players, notices."""

import contextlib
import sqlite3
from pathlib import Path
from typing import NamedTuple

from racing_demon_server.journal.interface import JournalUnusable


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
            db = sqlite3.connect(path or ":memory:", isolation_level=None, check_same_thread=False)
        except (OSError, sqlite3.Error) as error:
            raise JournalUnusable(f"The {self.holds} in {path} cannot be opened: {error}.") from error
        with contextlib.ExitStack() as undoing:
            undoing.callback(db.close)
            try:
                self._prepare(db, path)
            except sqlite3.Error as error:
                raise JournalUnusable(f"The {self.holds} in {path} cannot be used: {error}.") from error
            undoing.pop_all()
        return db

    def _prepare(self, db: sqlite3.Connection, path: Path | None) -> None:
        application, version = (
            db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
        )
        is_new = not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if not is_new and application != self.application_id:
            raise JournalUnusable(f"{path} is no file of {self.holds}. It was left as it is.")
        if version > self.version:
            raise JournalUnusable(f"A newer version wrote the {self.holds} in {path}. Update this program.")
        db.execute("PRAGMA journal_mode=WAL")
        db.execute(f"PRAGMA synchronous={self.synchronous}")
        db.executescript(
            f"BEGIN IMMEDIATE; {self.layout}; PRAGMA application_id={self.application_id}; "
            f"PRAGMA user_version={self.version}; COMMIT"
        )
