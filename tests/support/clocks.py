"""The clock of tests that wait for real sockets."""

import time

__all__ = ["clock"]


def clock() -> int:
    """Return the microseconds on the machine's rising clock."""
    return time.monotonic_ns() // 1_000
