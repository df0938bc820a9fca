"""The journal of a server that keeps its tables: one thread writes all that waits, and tells the tables.

While the store takes nothing, all that waits is kept in its order and tried again; nothing is told meanwhile.
"""

import asyncio
import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, Protocol

from .interface import JournalReader, Store
from .operations import Change

__all__ = ["CROWD", "PACE_SECONDS", "DurableJournal", "JournalEntry", "JournalMeter"]

MOST_WAITING: Final = 10_000
"""So many entries may wait for a disk that takes its time; then tables stand still until they are written."""
RETRY_SECONDS: Final = 0.25
"""How long the thread waits before it tries a disk again that took nothing."""
CROWD: Final = 3
"""Where so many entries have come to one transaction, more are coming; then the next one waits for them."""
PACE_SECONDS: Final = 0.001
"""From the beginning of such a transaction to that of the next at least."""

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

    changes: Sequence[Change]
    told: Callable[[], None]
    came: float


class DurableJournal:
    """The journal of a server that keeps its tables: nothing is told that is not written.

    See :class:`.interface.Journal`.

    Args:
        store: where it is written; closed with it.
        meter: is told how it does.

    """

    keeps = True
    ahead_us = 1_000_000

    def __init__(self, store: Store, meter: JournalMeter | None = None) -> None:
        self.is_halted = False
        self.halted: Callable[[bool], None] = lambda halted: None
        self._store = store
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

    def write(self, changes: Sequence[Change], told: Callable[[], None]) -> None:
        """Write statements in one transaction, and call back when it is done, in the order of the calls."""
        self._waiting += 1
        self._empty.clear()
        self._queue.put(JournalEntry(changes, told, time.perf_counter()))
        if self._waiting > MOST_WAITING and not self.is_halted:
            self._loop.call_soon(self._fail, "the disk is too slow")

    def new_number(self) -> int:
        """Return a new table's number."""
        return self._store.new_number()

    @contextlib.contextmanager
    def reading(self) -> Iterator[Sequence[JournalReader]]:
        """Open the store to be read.

        Raises:
            JournalUnusable: it cannot be read.

        """
        with self._store.reading() as reader:
            yield [reader]

    async def drained(self) -> None:
        """Wait until nothing waits."""
        await self._empty.wait()

    def close(self) -> None:
        """Write what waits, if it can be written, and close the store."""
        self._stopping.set()
        self._queue.put(None)
        self._thread.join()
        self._store.close()

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
                self._store.commit([change for entry in group for change in entry.changes])
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

    def _call(self, function: Callable[..., None], *arguments: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(function, *arguments)
