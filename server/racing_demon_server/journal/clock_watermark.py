"""The clock's durable high-water mark, which is written even when nobody plays.

A restart continues from the newest time in the journal. So that no client sees time run backwards, the
journal holds a time in the future while hands run, and no later time is sent.
"""

import asyncio
from collections.abc import Callable
from functools import partial

from racing_demon_server.wakeup import seconds_until

from .interface import Journal
from .operations import Operation


class ClockWatermark:
    """The newest time on the disk for all tables of one server.

    Attributes:
        durable_until: the newest time on the disk.
        offset_us: how far the tables' clocks are ahead of the server's.

    Args:
        journal: the journal.
        clock: the clock, in microseconds.

    """

    offset_us = 0

    def __init__(self, journal: Journal, clock: Callable[[], int]) -> None:
        self.durable_until = 0
        self._journal = journal
        self._clock = clock
        self._running: set[int] = set()
        self._until = 0
        self._timer: asyncio.TimerHandle | None = None
        self._is_writing = self._is_closed = False

    def durable_time(self, at: int) -> int:
        """Clamp a time to the last durable one: after a restart the clock never resumes before it."""
        return min(at, self.durable_until)

    def track(self, table_id: int, until: int | None) -> None:
        """Record until when times of a table are sent; ``None`` while a hand runs.

        The next write is preceded by a time in the future.
        """
        if until is None:
            self._running.add(table_id)
        else:
            self._running.discard(table_id)
            self._until = max(self._until, until)
        if self._timer is None and not self._is_writing:
            self._write_ahead()

    def advance(self, at: int) -> None:
        """Advance to the time of something that is on the disk."""
        self.durable_until = max(self.durable_until, at)

    def close(self) -> None:
        """Stop writing times."""
        self._is_closed = True

    def _write_ahead(self) -> None:
        """While times are sent, write a time in the future whenever the previous one is reached."""
        self._timer = None
        now = self._clock()
        if self._is_closed or (not self._running and now >= self._until):
            return
        if now < self.durable_until:
            wait = seconds_until(self.durable_until, now)
            self._timer = asyncio.get_running_loop().call_later(wait, self._write_ahead)
            return
        self._is_writing = True
        ahead = now + self._journal.lead_us
        self._journal.write([(Operation.KEEP_TIME, (ahead,))], partial(self._on_written, ahead))

    def _on_written(self, ahead: int) -> None:
        self._is_writing = False
        self.advance(ahead)
        self._write_ahead()


class ShiftedClockWatermark:
    """The clock watermark of one table that another server began, with a clock of its own.

    Attributes:
        offset_us: how far that clock is ahead of the server's; negative if it is behind.

    Args:
        clock_watermark: the clock watermark of all tables.
        offset_us: the same.

    """

    def __init__(self, clock_watermark: ClockWatermark, offset_us: int) -> None:
        self._clock_watermark = clock_watermark
        self.offset_us = offset_us

    def durable_time(self, at: int) -> int:
        """Clamp a time to the last durable one: after a restart the clock never resumes before it."""
        return self._clock_watermark.durable_time(at - self.offset_us) + self.offset_us

    def track(self, table_id: int, until: int | None) -> None:
        """Record until when times of the table are sent; ``None`` while a hand runs."""
        self._clock_watermark.track(table_id, None if until is None else until - self.offset_us)

    def advance(self, at: int) -> None:
        """Advance to the time of something that is on the disk."""
        self._clock_watermark.advance(at - self.offset_us)
