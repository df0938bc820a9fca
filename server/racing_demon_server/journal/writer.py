"""Writes the journal: one thread, one transaction for all that waits, and word to the tables when it is done.

While the disk takes nothing, all that waits is kept in its order and tried again; nothing is told meanwhile.
"""

import asyncio
import contextlib
import itertools
import logging
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Final, NamedTuple, Protocol

from racing_demon_server.durability import Durability

from .database import open_journal, telling_damage
from .lock_file import LockFile

__all__ = [
    "CROWD",
    "INSERT_EVENT",
    "KEEP_CLAIM",
    "KEEP_TIME",
    "PACE_SECONDS",
    "Journal",
    "JournalMeter",
    "Statement",
]

MOST_WAITING: Final = 10_000
"""So many entries may wait for a disk that takes its time; then tables stand still until they are written."""
RETRY_SECONDS: Final = 0.25
"""How long the thread waits before it tries a disk again that took nothing."""
CROWD: Final = 3
"""Where so many entries have come to one transaction, more are coming; then the next one waits for them."""
PACE_SECONDS: Final = 0.001
"""From the beginning of such a transaction to that of the next at least."""

INSERT_EVENT: Final = "INSERT INTO events VALUES (NULL, ?, ?, ?, ?, ?, ?)"
KEEP_CLAIM: Final = "INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?)"
KEEP_TIME: Final = "INSERT OR REPLACE INTO clock VALUES (1, ?)"
ROWS: Final = 100
"""So many rows are written with one statement at most."""
HOT: Final = {
    INSERT_EVENT: ", (NULL, ?, ?, ?, ?, ?, ?)",
    KEEP_CLAIM: ", (?, ?, ?, ?, ?)",
    KEEP_TIME: ", (1, ?)",
}
"""What is written again and again: SQL that ends with a row, and what adds one more."""

Statement = tuple[str, Sequence[Any]]
"""SQL, and its parameters."""
_SQL: Final = itemgetter(0)

log = logging.getLogger("racing_demon_server")


class JournalMeter(Protocol):
    """Is told how the journal does, on the loop's thread."""

    def written(self, seconds: float) -> None:
        """Note that a transaction was written, so long after the first of it came."""

    def failed(self) -> None:
        """Note that the disk took nothing."""

    def waiting(self, entries: int) -> None:
        """Note how much waits."""


class JournalEntry(NamedTuple):
    """What belongs together: all of it is in the journal, or nothing; and when it came, in seconds."""

    statements: Sequence[Statement]
    told: Callable[[], None]
    came: float


class Journal:
    """The journal of one server. To be used on the loop's thread alone.

    Attributes:
        path: the file, with no symbolic link on the way.
        numbers: gives each new table its number in the file.
        is_halted: whether the disk takes nothing at the moment.
        halted: is told when that changes.

    Args:
        path: the file; made if it is missing.
        durability: how certain it is to be; not ``none``.
        meter: is told how it does.

    Raises:
        JournalUnusable: the file cannot be used, or another server uses it.

    """

    def __init__(self, path: Path, durability: Durability, meter: JournalMeter | None = None) -> None:
        self._lock = LockFile(path)
        self.path = path = self._lock.path
        with contextlib.ExitStack() as undoing:
            undoing.callback(self._lock.release)
            self._db = open_journal(path, write=True, durability=durability)
            undoing.callback(self._db.close)
            with telling_damage(path):
                newest = self._db.execute("SELECT max(id) FROM tables").fetchone()[0] or 0
            undoing.pop_all()
        self.numbers = itertools.count(newest + 1)
        self.is_halted = False
        self.halted: Callable[[bool], None] = lambda halted: None
        self._meter = meter
        self._waiting = 0
        self._empty = asyncio.Event()
        self._empty.set()
        self._queue: queue.SimpleQueue[JournalEntry | None] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._run, name="journal", daemon=True)
        self._thread.start()

    def __len__(self) -> int:
        """Return how many entries wait to be written."""
        return self._waiting

    def write(self, statements: Sequence[Statement], told: Callable[[], None]) -> None:
        """Write statements in one transaction, and call back when it is done, in the order of the calls."""
        self._waiting += 1
        self._empty.clear()
        self._queue.put(JournalEntry(statements, told, time.perf_counter()))
        if self._waiting > MOST_WAITING and not self.is_halted:
            self._loop.call_soon(self._fail, "the disk is too slow")

    async def drained(self) -> None:
        """Wait until nothing waits."""
        await self._empty.wait()

    def close(self) -> None:
        """Write what waits, if the disk takes it, and close the file."""
        self._stopping.set()
        self._queue.put(None)
        self._thread.join()
        self._db.close()
        self._lock.release()

    # On the loop's thread.

    def _tell(self, entries: list[JournalEntry]) -> None:
        if self._meter is not None:
            self._meter.written(time.perf_counter() - entries[0].came)
        self._note_waiting()
        for entry in entries:
            self._waiting -= 1
            try:
                entry.told()
            except Exception:
                log.exception("what was written could not be told")
        self._note_waiting()
        if not self._waiting:
            self._empty.set()
        if self.is_halted:
            self.is_halted = False
            log.warning("the journal's disk works again", extra={"entries": len(entries)})
            self.halted(False)

    def _fail(self, text: str) -> None:
        if self._meter is not None:
            self._meter.failed()
        self._note_waiting()
        if not self.is_halted:
            self.is_halted = True
            log.error("the journal's disk takes nothing: tables stand still", extra={"why": text})
            self.halted(True)

    def _note_waiting(self) -> None:
        if self._meter is not None:
            self._meter.waiting(self._waiting)

    # In the writer's thread.

    def _run(self) -> None:
        group: list[JournalEntry] = []
        closing = False
        while not closing:
            closing = self._gather(group)
            began = time.monotonic()
            try:
                self._commit(group)
            except Exception as error:  # whatever it is, nothing is told that is not written
                self._call(self._fail, str(error))
                self._stopping.wait(RETRY_SECONDS)
                continue
            if group:
                self._call(self._tell, group)
                if len(group) >= CROWD:  # a transaction costs as much as some plays
                    time.sleep(max(0.0, began + PACE_SECONDS - time.monotonic()))
                group = []

    def _gather(self, group: list[JournalEntry]) -> bool:
        """Add all that waits to a group, waiting if it is empty; tell whether it was the last."""
        with contextlib.suppress(queue.Empty):
            while (entry := self._queue.get(block=not group)) is not None:
                group.append(entry)
            return True
        return False

    def _commit(self, group: list[JournalEntry]) -> None:
        statements = list(_joined([statement for entry in group for statement in entry.statements]))
        try:
            if len(statements) > 1:  # one alone is whole by itself
                statements = [("BEGIN IMMEDIATE", ()), *statements, ("COMMIT", ())]
            for sql, values in statements:
                self._db.execute(sql, values)
        except Exception:
            if self._db.in_transaction:
                with contextlib.suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
            raise

    def _call(self, function: Callable[..., None], *arguments: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(function, *arguments)


def _joined(statements: Sequence[Statement]) -> Iterator[Statement]:
    """Yield statements that write the same, rows of a kind together.

    With each statement the thread lets others go on, and has to wait for them.
    """
    if {sql for sql, _ in statements} <= HOT.keys():  # they do not depend on each other
        statements = sorted(statements, key=_SQL)
    for sql, alike in groupby(statements, _SQL):
        rows = [values for _, values in alike]
        most = ROWS if sql in HOT else 1
        for begin in range(0, len(rows), most):
            some = rows[begin : begin + most]
            yield sql + HOT.get(sql, "") * (len(some) - 1), [value for row in some for value in row]
