"""Keeps the server's time on the disk, also while hands run in which nobody plays.

A restart goes on from the newest time in the journal. So that no time that was told runs backwards then, the
journal has a time that is still to come for as long as times are told, and none behind it is told.
"""

import asyncio
from collections.abc import Callable
from functools import partial

from racing_demon_server.wakeup import seconds_until

from .interface import Journal
from .operations import Operation

__all__ = ["Timekeeper"]


class Timekeeper:
    """Keeps the time of all tables of one server.

    Attributes:
        kept: a time that is on the disk.

    Args:
        journal: where it is kept.
        clock: tells the time, in microseconds.

    """

    def __init__(self, journal: Journal, clock: Callable[[], int]) -> None:
        self.kept = 0
        self._journal = journal
        self._clock = clock
        self._running: set[int] = set()
        self._until = 0
        self._timer: asyncio.TimerHandle | None = None
        self._is_writing = self._is_closed = False

    def certain(self, at: int) -> int:
        """Return a moment, or the last one before it that no restart goes back behind."""
        return min(at, self.kept)

    def note(self, table_id: int, *, runs: bool, until: int = 0) -> None:
        """Note whether a hand runs at a table, or else until when times of it are told.

        A time ahead is kept before whatever is written next.
        """
        if runs:
            self._running.add(table_id)
        else:
            self._running.discard(table_id)
        self._until = max(self._until, until)
        if self._timer is None and not self._is_writing:
            self._keep()

    def note_written(self, at: int) -> None:
        """Note that something that happened at a moment is on the disk."""
        self.kept = max(self.kept, at)

    def close(self) -> None:
        """Keep no more times, whatever is noted."""
        self._is_closed = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _keep(self) -> None:
        """Keep a time ahead as soon as the one before has come, for as long as times are told."""
        self._timer = None
        now = self._clock()
        if self._is_closed or (not self._running and now >= self._until):
            return
        if now < self.kept:
            wait = seconds_until(self.kept, now)
            self._timer = asyncio.get_running_loop().call_later(wait, self._keep)
            return
        self._is_writing = True
        ahead = now + self._journal.ahead_us
        self._journal.write([(Operation.KEEP_TIME, (ahead,))], partial(self._go_on, ahead))

    def _go_on(self, kept: int) -> None:
        self._is_writing = False
        self.note_written(kept)
        self._keep()
