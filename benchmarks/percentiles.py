"""Percentiles, as all benchmarks tell them."""

from collections.abc import Iterable
from typing import Final

PERCENTILES: Final = (50, 95, 99)


def percentiles(values: Iterable[float]) -> dict[str, float]:
    """Return, as ``p50`` and so on, the values that these percentages of them do not exceed."""
    ordered = sorted(values)
    return {f"p{share}": ordered[-(-share * len(ordered) // 100) - 1] for share in PERCENTILES}
