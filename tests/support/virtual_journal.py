"""A journal in virtual time: real SQLite, written without a thread, by a clock that can be turned."""

import asyncio
import random
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

from racing_demon_server.enums import Durability
from racing_demon_server.journal.operations import Change
from racing_demon_server.journal.sqlite.store import SqliteStore
from racing_demon_server.journal.writer import DurableJournal, JournalEntry


class VirtualJournal(DurableJournal):
    """A journal that writes without a thread, some time later, and may die with the server.

    Args:
        path: the file.
        rng: how long writing takes.

    """

    def __init__(self, path: Path, rng: random.Random) -> None:
        self.path = path
        self.is_failing = False
        self.is_dead = False
        self._rng = rng
        self.store = SqliteStore(path, Durability.NORMAL)
        self.is_halted = False
        self.halted: Callable[[bool], None] = lambda halted: None
        self._meter = None
        self._waiting = 0
        self._empty = asyncio.Event()
        self._empty.set()
        self._loop = asyncio.get_running_loop()
        self._group: list[JournalEntry] = []
        self._written: deque[list[JournalEntry]] = deque()
        self._timer: asyncio.TimerHandle | None = None

    def write(self, changes: Sequence[Change], on_written: Callable[[], None]) -> None:
        """Write changes some time later, together with others."""
        self._waiting += 1
        self._empty.clear()
        self._group.append(JournalEntry(changes, on_written, self._loop.time()))
        self._wind_up(self._rng.choice([0.0002, 0.001, 0.02]))

    def close(self) -> None:
        """Write what waits, if nobody died."""
        if not self.is_dead:
            self._commit(self._group)
            self.die()

    def die(self) -> None:
        """Write nothing any more, and tell nobody."""
        self.is_dead = True
        self.store.close()

    def _wind_up(self, seconds: float) -> None:
        if self._timer is None:
            self._timer = self._loop.call_later(seconds, self._flush)

    def _flush(self) -> None:
        self._timer = None
        if self.is_dead:
            return
        if self.is_failing:
            self._fail("no space is left")
            self._wind_up(0.25)
            return
        group, self._group = self._group, []
        self._commit(group)
        self._written.append(group)
        self._loop.call_later(self._rng.choice([0.0, 0.0001, 0.005]), self._tell_next)

    def _commit(self, group: list[JournalEntry]) -> None:
        self.store.commit([change for entry in group for change in entry.changes])

    def _tell_next(self) -> None:
        """Tell the tables of the oldest group that they know nothing of: in order, as the thread does."""
        if not self.is_dead:
            self._acknowledge(self._written.popleft())
