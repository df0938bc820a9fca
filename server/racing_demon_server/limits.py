"""A token bucket: so much a second for long, so much at once."""

from copy import copy
from math import inf
from typing import Final

__all__ = ["Bucket"]

ROUNDING_US: Final = 1
"""So much earlier than it flows in one may be taken: what flows in is no whole number of microseconds."""


class Bucket:
    """Counts what is taken from it. Times are microseconds on one rising clock.

    Args:
        per_second: what flows in.
        burst: what it holds.

    """

    def __init__(self, per_second: float, burst: float) -> None:
        self._each_us = 1_000_000 / per_second
        self._burst_us = burst * self._each_us
        self._spent_until = -inf

    def take(self, at: int) -> bool:
        """Take one, if one is there."""
        spent_until, full_until = self._spent_until, at - self._burst_us
        # ``max`` would take the interpreter ten times as long, for every frame.
        spent_until = (spent_until if spent_until > full_until else full_until) + self._each_us
        if spent_until > at + ROUNDING_US:
            return False
        self._spent_until = spent_until
        return True

    def is_empty(self, at: int) -> bool:
        """Tell whether none could be taken now."""
        return not copy(self).take(at)
