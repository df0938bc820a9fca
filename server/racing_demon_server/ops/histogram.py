"""A histogram of durations in plain numbers: those of the Prometheus library take a lock each time."""

from bisect import bisect_left
from collections.abc import Sequence


class Histogram:
    """Counts durations by buckets.

    Attributes:
        bounds: the upper bound of each bucket but the last, in seconds, rising.
        counts: the number in each bucket; the last is for durations above all bounds.
        seconds: their sum.

    """

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.seconds = 0.0

    def observe(self, seconds: float) -> None:
        """Count a duration."""
        self.counts[bisect_left(self.bounds, seconds)] += 1
        self.seconds += seconds
