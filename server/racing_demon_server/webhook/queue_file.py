"""The queue of a webhook, in a file beside the journal, or in memory where there is none.

The notices of a table are written together with its step: after a crash no notice is missing, and none is
sent again that the receiver has accepted.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from racing_demon_server.journal.sqlite.side_file import SideFile, SideFileStore

from .notices import Step

MAX_WAITING: Final = 4_000
"""The most notices that wait; the oldest are dropped beyond that."""
KEPT_MS: Final = 7 * 86_400_000
"""How long a notice waits that nobody accepts."""
MAX_TABLES: Final = 10_000
"""The most tables whose last step is known: far more than are open."""

_LAYOUT: Final = """
    CREATE TABLE IF NOT EXISTS notices (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL,
        body BLOB NOT NULL,
        made_ms INTEGER NOT NULL,
        due_ms INTEGER NOT NULL
    );
    CREATE TABLE IF NOT EXISTS told (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        code TEXT NOT NULL UNIQUE,
        match INTEGER NOT NULL,
        step INTEGER NOT NULL
    );
"""
NOTICES: Final = SideFile("webhook notices", int.from_bytes(b"RDW1", "big"), 1, _LAYOUT, "FULL")
"""The files of notices. ``told``: the last step of the newest tables; the notices until then are in
``notices``, or were accepted."""


class QueuedNotice(NamedTuple):
    """A notice in the queue."""

    number: int
    id: str
    body: bytes


class TableStep(NamedTuple):
    """A step of a table, with its notices.

    Attributes:
        code: the table's code.
        step: how far the table is.
        notices: the id and the body of each notice.
        made_ms: the time, in milliseconds since 1970.
        due_ms: when the notices may be sent.

    """

    code: str
    step: Step
    notices: Sequence[tuple[str, bytes]] = ()
    made_ms: int = 0
    due_ms: int = 0


class QueueFile(SideFileStore):
    """The notices that wait.

    Args:
        path: the file, which is created if it is missing; ``None`` for a queue in memory.

    Raises:
        JournalUnusable: the file cannot be used.

    """

    def __init__(self, path: Path | None) -> None:
        super().__init__(NOTICES, path)

    def __len__(self) -> int:
        """Return the number of waiting notices."""
        ((count,),) = self.rows("SELECT count(*) FROM notices")
        return int(count)

    def last_steps(self) -> Mapping[str, Step]:
        """Return the last step of each table, by its code."""
        rows = self.rows("SELECT code, match, step FROM told ORDER BY number")
        return {code: Step(match, step) for code, match, step in rows}

    def add(self, batch: Sequence[TableStep], now_ms: int) -> int:
        """Write steps with their notices, all or nothing. Return how many older notices were dropped.

        Raises:
            sqlite3.Error: it cannot be written now.

        """
        with self.transaction():
            for code, step, notices, made_ms, due_ms in batch:
                self.rows("INSERT OR REPLACE INTO told VALUES (NULL, ?1, ?2, ?3)", code, *step)
                for id_, body in notices:
                    self.rows("INSERT INTO notices VALUES (NULL, ?1, ?2, ?3, ?4)", id_, body, made_ms, due_ms)
            self.rows("DELETE FROM told WHERE number <= (SELECT max(number) FROM told) - ?1", MAX_TABLES)
            dropped = self.rows(
                "DELETE FROM notices WHERE made_ms < ?1 OR number NOT IN "
                "(SELECT number FROM notices ORDER BY number DESC LIMIT ?2) RETURNING number",
                *(now_ms - KEPT_MS, MAX_WAITING),
            )
            return len(dropped)

    def first(self, now_ms: int) -> QueuedNotice | None:
        """Return the first notice that is due; ``None`` if there is none."""
        due = self.rows(
            "SELECT number, id, body FROM notices WHERE due_ms <= ?1 ORDER BY due_ms, number LIMIT 1", now_ms
        )
        return QueuedNotice(*due[0]) if due else None

    def next_due_ms(self) -> int | None:
        """Return when the first notice is due; ``None`` if none waits."""
        first: int | None
        ((first,),) = self.rows("SELECT min(due_ms) FROM notices")
        return first

    def remove(self, number: int) -> None:
        """Delete a notice that the receiver has accepted."""
        self.rows("DELETE FROM notices WHERE number = ?1", number)

    def postpone(self, number: int, due_ms: int) -> None:
        """Delay a notice that the receiver refuses, so that it does not hold up the others."""
        self.rows("UPDATE notices SET due_ms = ?1 WHERE number = ?2", due_ms, number)
