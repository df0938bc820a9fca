"""Metrics in Prometheus' format. Code that only counts need not import its library."""

import platform
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Final, TypeVar

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
from racing_demon_protocol.wire.codec import VERSION

from .histogram import Histogram

PREFIX: Final = "racing_demon_"

T = TypeVar("T")


class _Collected(Collector):
    """Returns metrics that were collected before."""

    def __init__(self, families: list[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics."""
        yield from self._families


def formatted(families: list[Metric]) -> str:
    """Return metrics in Prometheus' text format, with those of the platform and the process."""
    registry = CollectorRegistry(auto_describe=False)
    ProcessCollector(registry=registry)
    build = {"version": __version__, "protocol": str(VERSION), "python": platform.python_version()}
    info = InfoMetricFamily(f"{PREFIX}build", "What runs here.", build)
    registry.register(_Collected([info, *families]))
    return generate_latest(registry).decode()


def counter(name: str, what: str, numbers: int | Mapping[str, int], label: str = "") -> Metric:
    """Return a counter, by the values of a label if there is one."""
    return _filled(CounterMetricFamily(PREFIX + name, what, labels=_labels(label)), numbers)


def gauge(name: str, what: str, numbers: int | Mapping[str, int] | None, label: str = "") -> Metric:
    """Return a gauge, by the values of a label if there is one; without a sample if it has no number."""
    family = GaugeMetricFamily(PREFIX + name, what, labels=_labels(label))
    return family if numbers is None else _filled(family, numbers)


def histogram(
    name: str, what: str, durations: Histogram | Mapping[str, Histogram], label: str = ""
) -> Metric:
    """Return a histogram, by the values of a label if there is one."""
    family = HistogramMetricFamily(PREFIX + name, what, labels=_labels(label))
    for values, each in _by_values(durations):
        ends = [*map(str, each.bounds), "+Inf"]
        family.add_metric(values, list(zip(ends, accumulate(each.counts), strict=True)), each.seconds)
    return family


def _filled(
    family: CounterMetricFamily | GaugeMetricFamily, numbers: int | Mapping[str, int]
) -> CounterMetricFamily | GaugeMetricFamily:
    for values, number in _by_values(numbers):
        family.add_metric(values, number)
    return family


def _labels(label: str) -> list[str]:
    return [label] if label else []


def _by_values(numbers: T | Mapping[str, T]) -> list[tuple[list[str], T]]:
    """Return the samples, each with the label's value if there is one."""
    if isinstance(numbers, Mapping):
        return [([value], each) for value, each in numbers.items()]
    return [([], numbers)]
