"""Timers: how long a loop sleeps until something is due."""

import asyncio
from collections.abc import Callable


def seconds_until(due: int, now: int = 0) -> float:
    """Return the seconds until something is due; both arguments are microseconds.

    The result is whole milliseconds, rounded up, because uvloop's timers have that resolution. Woken early,
    the caller would find nothing due, and be woken again and again.
    """
    return -(-max(0, due - now) // 1_000) / 1_000


class Alarm:
    """A timer on the running loop that can be set again.

    Args:
        clock: returns the time, in microseconds.
        ring: called at that time; the timer is then unset.

    """

    def __init__(self, clock: Callable[[], int], ring: Callable[[], None]) -> None:
        self._clock = clock
        self._ring = ring
        self._loop = asyncio.get_running_loop()
        self._due: int | None = None
        self._timer: asyncio.TimerHandle | None = None

    def set(self, due: int | None) -> None:
        """Ring at this time only, in microseconds; ``None`` for never."""
        if due == self._due:
            return
        self._due = due
        if self._timer is not None:
            self._timer.cancel()
        wait = None if due is None else seconds_until(due, self._clock())
        self._timer = None if wait is None else self._loop.call_later(wait, self._wake)

    def _wake(self) -> None:
        self._timer = self._due = None
        self._ring()
