"""The clocks of tests that wait for real sockets."""

import time


def clock() -> int:
    """Return the microseconds on the machine's rising clock."""
    return time.monotonic_ns() // 1_000


class Standing:
    """A clock that stands still until it is told to move.

    Attributes:
        now: its microseconds.

    """

    def __init__(self) -> None:
        self.now = clock()

    def __call__(self) -> int:
        """Return the microseconds."""
        return self.now

    def move(self, seconds: float) -> None:
        """Let time pass."""
        self.now += round(seconds * 1_000_000)
