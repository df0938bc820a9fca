"""What is measured, in Prometheus' words. Whoever only counts need not load its library."""

import platform
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Final

from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.metrics_core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from racing_demon_protocol import __version__
from racing_demon_protocol.codec import VERSION

from .durations import Durations

__all__ = ["counter", "gauge", "histogram", "text"]

PREFIX: Final = "racing_demon_"


class _Collected(Collector):
    """Tells what was collected before."""

    def __init__(self, families: list[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterator[Metric]:
        """Yield it."""
        yield from self._families


def text(families: list[Metric]) -> str:
    """Return metrics in Prometheus' text format, with what runs here and what the process takes."""
    registry = CollectorRegistry(auto_describe=False)
    ProcessCollector(registry=registry)
    build = {"version": __version__, "protocol": str(VERSION), "python": platform.python_version()}
    info = InfoMetricFamily(f"{PREFIX}build", "What runs here.", build)
    registry.register(_Collected([info, *families]))
    return generate_latest(registry).decode()


def counter(name: str, what: str, numbers: int | Mapping[str, int], label: str = "") -> Metric:
    """Return what only grows, by the values of a label where there is one."""
    if not isinstance(numbers, Mapping):
        return CounterMetricFamily(PREFIX + name, what, numbers)
    family = CounterMetricFamily(PREFIX + name, what, labels=[label])
    for value, number in numbers.items():
        family.add_metric([value], number)
    return family


def gauge(name: str, what: str, numbers: int | Mapping[str, int], label: str = "") -> Metric:
    """Return what comes and goes, by the values of a label where there is one."""
    if not isinstance(numbers, Mapping):
        return GaugeMetricFamily(PREFIX + name, what, numbers)
    family = GaugeMetricFamily(PREFIX + name, what, labels=[label])
    for value, number in numbers.items():
        family.add_metric([value], number)
    return family


def histogram(name: str, what: str, durations: Mapping[str, Durations], label: str = "") -> Metric:
    """Return how long something took, by the values of a label where there is one."""
    family = HistogramMetricFamily(PREFIX + name, what, labels=[label] if label else [])
    for value, each in durations.items():
        ends = [*map(str, each.bounds), "+Inf"]
        buckets = list(zip(ends, accumulate(each.counts), strict=True))
        family.add_metric([value] if label else [], buckets, each.seconds)
    return family
