"""The durable journal: a thread writes the waiting entries, and then the tables are called back.

While the store fails, entries wait in order and are tried again. Nothing is sent meanwhile.
"""

import asyncio
import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, Protocol

from .interface import Fenced, JournalReader, Store, StoreLacks
from .operations import Change

MAX_WAITING: Final = 10_000
"""The most entries that wait for a slow disk; beyond that, tables halt until they are written."""
RETRY_SECONDS: Final = 0.25
"""How long the thread waits after a failure before it tries again."""
CLOSE_SECONDS: Final = 5.0
"""How long a stopping server waits for a store that does not answer."""
CROWD: Final = 3
"""If this many entries share a transaction, more will soon follow, and the next transaction waits for
them."""
PACE_SECONDS: Final = 0.001
"""The shortest time between the starts of such transactions."""

log = logging.getLogger("racing_demon_server")


class JournalMeter(Protocol):
    """Receives measurements of the journal, on the loop's thread."""

    def written(self, seconds: float) -> None:
        """Count a transaction that was written, with the time since its first entry came."""

    def failed(self) -> None:
        """Count a failed write."""

    def waiting(self, entries: int) -> None:
        """Set the number of waiting entries."""


class JournalEntry(NamedTuple):
    """Changes that are written atomically, their callback, and their time of arrival in seconds."""

    changes: Sequence[Change]
    on_written: Callable[[], None]
    came: float


class DurableJournal:
    """The journal of a server with durability: nothing is sent before it is written.

    See :class:`.interface.Journal`.

    Attributes:
        store: the store.
        written_at: the time of the last write, in seconds on the monotonic clock.

    Args:
        store: the store; closed with the journal.
        meter: receives measurements.

    """

    is_durable = True
    lead_us = 1_000_000
    needs = ""
    _why = ""

    def __init__(self, store: Store, meter: JournalMeter | None = None) -> None:
        self.is_halted = False
        self.halted: Callable[[bool], None] = lambda halted: None
        self.fenced: Callable[[str], None] = lambda why: None
        self.written_at = time.monotonic()
        self.store = store
        self._meter = meter
        self._waiting = 0
        self._empty = asyncio.Event()
        self._empty.set()
        self._queue: queue.SimpleQueue[JournalEntry | None] = queue.SimpleQueue()
        self._stopping = threading.Event()
        self._loop = asyncio.get_running_loop()
        self._answered: float  # the time of the last answer, or of the first waiting entry
        self._watching: asyncio.TimerHandle | None = None
        if store.patience is not None:
            self._watch(store.patience)
        self._worker = threading.Thread(target=self._run, name="journal", daemon=True)
        self._worker.start()

    def __len__(self) -> int:
        """Return the number of waiting entries."""
        return self._waiting

    def write(self, changes: Sequence[Change], on_written: Callable[[], None]) -> None:
        """Write changes in one transaction, and call back in order when they are durable."""
        if not self._waiting:
            self._answered = self._loop.time()
        self._waiting += 1
        self._empty.clear()
        self._queue.put(JournalEntry(changes, on_written, time.perf_counter()))
        if self._waiting > MAX_WAITING and not self.is_halted:
            self._loop.call_soon(self._fail, "the disk is too slow")

    def new_number(self) -> int:
        """Return a new table's number."""
        return self.store.new_number()

    @contextlib.contextmanager
    def reading(self) -> Iterator[Sequence[JournalReader]]:
        """Open the store for reading.

        Raises:
            JournalUnusable: it cannot be read.

        """
        with self.store.reading() as reader:
            yield [reader]

    async def drained(self) -> None:
        """Wait until everything is written."""
        await self._empty.wait()

    def close(self) -> None:
        """Write what waits, if possible, and close the store."""
        if self._watching is not None:
            self._watching.cancel()
        self._stopping.set()
        self._queue.put(None)
        self._worker.join(None if self.store.patience is None else CLOSE_SECONDS)
        if not self._worker.is_alive():  # otherwise it waits for an answer, and ends with the process
            self.store.close()

    # On the loop's thread.

    def _watch(self, patience: float) -> None:
        """Halt the tables when the store has not answered for too long; the thread keeps waiting."""
        if self._waiting and self._loop.time() - self._answered > patience and not self.is_halted:
            self._fail(f"it has not answered for {patience:g} seconds")
        self._watching = self._loop.call_later(patience / 4, self._watch, patience)

    def _end(self, why: str) -> None:
        self._empty.set()  # the waiting entries will never be written
        self.is_halted = True
        log.error("this server was fenced: others have its tables", extra={"why": why})
        self.fenced(why)

    def _acknowledge(self, entries: list[JournalEntry]) -> None:
        self._answered = self._loop.time()
        if self._meter is not None:
            self._meter.written(time.perf_counter() - entries[0].came)
        self._measure_waiting()
        for entry in entries:
            self._waiting -= 1
            try:
                entry.on_written()
            except Exception:
                log.exception("what was written could not be told")
        self._measure_waiting()
        if not self._waiting:
            self._empty.set()
        if self.is_halted:
            self.is_halted = False
            self.needs = self._why = ""
            log.warning("the journal can be written again", extra={"entries": len(entries)})
            self.halted(False)

    def _fail(self, text: str) -> None:
        if self._meter is not None:
            self._meter.failed()
        self._measure_waiting()
        if text != self._why:  # the first failure is seldom the lasting one
            self._why = text
            log.error("the journal cannot be written: all tables are halted", extra={"why": text})
        if not self.is_halted:
            self.is_halted = True
            self.halted(True)

    def report_needs(self, text: str) -> None:
        """Report what an operator must give a store that does not answer, if another connection knows."""
        if self.is_halted and text:
            self.needs = text
            self._fail(text)

    def _report_failure(self, error: Exception) -> None:
        self.needs = str(error) if isinstance(error, StoreLacks) else ""
        self._fail(str(error))

    def _measure_waiting(self) -> None:
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
                self.store.commit([change for entry in group for change in entry.changes])
                self.written_at = time.monotonic()
            except Fenced as error:
                self._call(self._end, str(error))
                return
            except Exception as error:  # whatever the error: nothing is sent before it is written
                self._call(self._report_failure, error)
                self._stopping.wait(RETRY_SECONDS)
                continue
            if group:
                self._call(self._acknowledge, group)
                if len(group) >= CROWD:  # a transaction costs as much as several plays
                    time.sleep(max(0.0, began + PACE_SECONDS - time.monotonic()))
                group = []

    def _gather(self, group: list[JournalEntry]) -> bool:
        """Add all waiting entries to a group; wait while it is empty. Return whether the journal closes."""
        with contextlib.suppress(queue.Empty):
            while (entry := self._queue.get(block=not group)) is not None:
                group.append(entry)
            return True
        return False

    def _call(self, function: Callable[..., None], *arguments: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(function, *arguments)
