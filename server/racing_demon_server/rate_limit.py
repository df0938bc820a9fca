"""Token buckets: so much a second for long, so much at once. Times are microseconds on one rising clock."""

from collections.abc import Sequence
from copy import copy
from math import inf
from typing import Final

__all__ = ["Allowance", "Bucket"]

ROUNDING_US: Final = 1
"""So much earlier than it flows in one may be taken: what flows in is no whole number of microseconds."""


class Bucket:
    """Counts what is taken from it.

    Args:
        per_second: what flows in.
        burst: what it holds.

    """

    def __init__(self, per_second: float, burst: float) -> None:
        self._each_us = 1_000_000 / per_second
        self._burst_us = burst * self._each_us
        self._spent_until = -inf

    def take(self, at: int, units: int = 1) -> bool:
        """Take one unit or several, if they are there; none if they are not."""
        spent_until, full_until = self._spent_until, at - self._burst_us
        # ``max`` would take the interpreter ten times as long, for every frame.
        spent_until = (spent_until if spent_until > full_until else full_until) + self._each_us * units
        if spent_until > at + ROUNDING_US:
            return False
        self._spent_until = spent_until
        return True

    def is_empty(self, at: int, units: int = 1) -> bool:
        """Tell whether so many could not be taken now."""
        return not copy(self).take(at, units)

    def overdraw(self, at: int) -> int:
        """Take one unit that is not there; return the microseconds until all debts are paid."""
        self._spent_until = max(self._spent_until, at - self._burst_us) + self._each_us
        return max(0, round(self._spent_until - at))


class Allowance:
    """The units that one connection may use: a share of its own, and pools that it has in common with others.

    Whatever others use, its share stays its own.

    Args:
        share: its own.
        pools: those that everything beyond the share is taken from, from all of them at once.

    """

    def __init__(self, share: Bucket, pools: Sequence[Bucket]) -> None:
        self._share = share
        self._pools = list(pools)

    def add_pool(self, pool: Bucket) -> None:
        """Add another pool."""
        self._pools.append(pool)

    def take(self, at: int, units: int = 1) -> bool:
        """Take units, if they are there; none if they are not."""
        if self._share.take(at, units):
            return True
        if any(pool.is_empty(at, units) for pool in self._pools):
            return False
        for pool in self._pools:
            pool.take(at, units)
        return True

    def overdraw(self, at: int) -> int:
        """Take one unit that is not there from the share; return the microseconds until that is paid."""
        return self._share.overdraw(at)
