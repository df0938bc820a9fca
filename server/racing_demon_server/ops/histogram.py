"""How long something took, as plain numbers: the library's own histograms take a lock each time."""

from bisect import bisect_left
from collections.abc import Sequence

__all__ = ["Histogram"]


class Histogram:
    """Counts how often something took how long.

    Attributes:
        bounds: the longest that each bucket but the last holds, in seconds, rising.
        counts: how many fell into each bucket; the last one has those that took longer than all bounds.
        seconds: all of them together.

    """

    def __init__(self, bounds: Sequence[float]) -> None:
        self.bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.seconds = 0.0

    def note(self, seconds: float) -> None:
        """Count one more."""
        self.counts[bisect_left(self.bounds, seconds)] += 1
        self.seconds += seconds
