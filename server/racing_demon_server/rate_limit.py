"""Token buckets: a sustained rate and a burst. Times are microseconds on one rising clock."""

from collections.abc import Sequence
from copy import copy
from math import inf
from typing import Final

ROUNDING_US: Final = 1
"""A token may be taken this much early, because the refill per microsecond is fractional."""


class Bucket:
    """A token bucket.

    Attributes:
        per_second: tokens that flow in.

    Args:
        per_second: tokens that flow in.
        burst: the most tokens it holds.

    """

    def __init__(self, per_second: float, burst: float) -> None:
        self.per_second = per_second
        self._each_us = 1_000_000 / per_second
        self._burst_us = burst * self._each_us
        self._spent_until = -inf

    def take(self, at: int, units: int = 1) -> bool:
        """Take tokens if there are enough; otherwise take none."""
        spent_until, full_until = self._spent_until, at - self._burst_us
        # ``max`` would take the interpreter ten times as long, for every frame.
        spent_until = (spent_until if spent_until > full_until else full_until) + self._each_us * units
        if spent_until > at + ROUNDING_US:
            return False
        self._spent_until = spent_until
        return True

    def is_empty(self, at: int, units: int = 1) -> bool:
        """Tell whether that many tokens are missing now."""
        return not copy(self).take(at, units)

    def used(self, at: int) -> float:
        """Return how many tokens it lacks now until it is full."""
        return max(0.0, (self._spent_until - at + self._burst_us) / self._each_us)

    def overdraw(self, at: int, units: int = 1) -> int:
        """Take tokens that are not there. Return the microseconds until the debt is paid."""
        self._spent_until = max(self._spent_until, at - self._burst_us) + self._each_us * units
        return max(0, round(self._spent_until - at))


class Allowance:
    """What one connection may use: its own share, and pools that it shares with others.

    Others cannot use up its share.

    Args:
        share: its own bucket.
        pools: buckets for everything beyond the share; each use takes from all of them.

    """

    def __init__(self, share: Bucket, pools: Sequence[Bucket]) -> None:
        self._share = share
        self._pools = list(pools)
        self._owed = 0

    def add_pool(self, pool: Bucket) -> None:
        """Add another pool."""
        self._pools.append(pool)

    def charge(self, units: int) -> None:
        """Note units that were used before anybody knew how many. The next use pays for them, too."""
        self._owed += units

    def take(self, at: int, units: int = 1) -> bool:
        """Take units if there are enough; otherwise take none."""
        if self._owed:
            units += self._owed
        if not self._share.take(at, units):
            if any(pool.is_empty(at, units) for pool in self._pools):
                return False
            for pool in self._pools:
                pool.take(at, units)
        self._owed = 0
        return True

    def settle(self, at: int) -> bool:
        """Pay what is owed, if there is enough. Return whether nothing is owed any more."""
        return not self._owed or self.take(at, 0)

    def overdraw(self, at: int) -> int:
        """Take a unit that is not there from the share, and what is owed, but no more than a second brings.

        Return the microseconds until the share has paid for that.
        """
        part = min(self._owed, max(1, int(self._share.per_second)))
        self._owed -= part
        return self._share.overdraw(at, 1 + part)
