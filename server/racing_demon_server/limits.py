"""A token bucket: so much a second for long, so much at once."""

__all__ = ["Bucket"]


class Bucket:
    """Counts what is taken from it. Times are microseconds on one rising clock.

    Args:
        per_second: what flows in.
        burst: what it holds.

    """

    def __init__(self, per_second: float, burst: float) -> None:
        self._per_us = per_second / 1_000_000
        self._burst = burst
        self._level = burst
        self._at = 0

    def take(self, at: int) -> bool:
        """Take one, if one is there."""
        if at > self._at:
            self._level = min(self._burst, self._level + (at - self._at) * self._per_us)
            self._at = at
        if self._level < 1:
            return False
        self._level -= 1
        return True
