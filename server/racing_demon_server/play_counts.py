"""What is counted at every play, as plain numbers: the library's own counters take a lock each time."""

from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate
from typing import Final

from prometheus_client import CollectorRegistry
from prometheus_client.metrics_core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

__all__ = ["PLAYERS", "PlayCounts"]

PLAYERS: Final = ("person", "bot", "table")
"""Who makes a play; the table does where the game moves by itself."""
RESULTS: Final = ("accepted", "refused")
BUCKETS: Final = (50e-6, 100e-6, 200e-6, 500e-6, 1e-3, 2e-3, 5e-3, 10e-3, 20e-3, 50e-3, float("inf"))


class PlayCounts(Collector):
    """Counts plays, and how long they took.

    Attributes:
        by: how many were carried out, by each of :data:`PLAYERS`.

    Args:
        registry: where they are told.

    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self.by = dict.fromkeys(PLAYERS, 0)
        self._counts = {result: [0] * len(BUCKETS) for result in RESULTS}
        self._sums = dict.fromkeys(RESULTS, 0.0)
        registry.register(self)

    def note(self, result: str, seconds: float) -> None:
        """Note how long it took from a play's arrival to its answer, one of :data:`RESULTS`."""
        self._counts[result][bisect_left(BUCKETS, seconds)] += 1
        self._sums[result] += seconds

    def collect(self) -> Iterator[Metric]:
        """Yield what was counted until now."""
        plays = CounterMetricFamily("racing_demon_plays", "Plays that were carried out.", labels=["by"])
        for player, number in self.by.items():
            plays.add_metric([player], number)
        yield plays
        seconds = HistogramMetricFamily(
            "racing_demon_play_seconds",
            "From the arrival of a play to its answer, which for an accepted one is its broadcast.",
            labels=["result"],
        )
        for result, counts in self._counts.items():
            names = [*map(str, BUCKETS[:-1]), "+Inf"]
            buckets = list(zip(names, accumulate(counts), strict=True))
            seconds.add_metric([result], buckets, self._sums[result])
        yield seconds
