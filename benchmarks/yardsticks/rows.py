"""What was measured, row by row: as a table for people, as JSON for machines."""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that was measured, once in each round.

    Attributes:
        section: what it belongs to.
        name: what it is.
        unit: in what; empty for a ratio or a count.
        values: what came out, round by round.
        at_most: the aim, where less is better.
        at_least: the aim, where more is better.

    """

    section: str
    name: str
    unit: str
    values: Sequence[float]
    at_most: float | None = None
    at_least: float | None = None

    @property
    def median(self) -> float:
        """The middle of the values."""
        return statistics.median(self.values)

    @property
    def verdict(self) -> str:
        """The aim, and whether the median reaches it."""
        if self.at_most is not None:
            return f"<= {self.at_most:g}: " + ("reached" if self.median <= self.at_most else "MISSED")
        if self.at_least is not None:
            return f">= {self.at_least:g}: " + ("reached" if self.median >= self.at_least else "MISSED")
        return ""


def ratios(values: Sequence[float], others: Sequence[float]) -> list[float]:
    """Return round by round how many times as much the first are as the others."""
    return [value / other for value, other in zip(values, others, strict=True)]


def numbers_of(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """Return the rows for machines."""
    return [
        {
            "section": row.section,
            "name": row.name,
            "unit": row.unit,
            "median": row.median,
            "low": min(row.values),
            "high": max(row.values),
            "values": list(row.values),
            "aim": row.verdict,
        }
        for row in rows
    ]


def table_of(rows: Iterable[Row]) -> str:
    """Return the rows for people."""
    lines, section = list[str](), ""
    for row in rows:
        if row.section != section:
            section = row.section
            lines += ["", f"{section:62}{'median':>10}{'range':>22}  aim"]
        spread = f"{_short(min(row.values))} - {_short(max(row.values))}" if len(row.values) > 1 else ""
        name = f"  {row.name}" + (f", {row.unit}" if row.unit else "")
        lines.append(f"{name:62}{_short(row.median):>10}{spread:>22}  {row.verdict}".rstrip())
    return "\n".join(lines)


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1_000 else f"{value:.3g}"
