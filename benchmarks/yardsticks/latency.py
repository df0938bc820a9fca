"""How late a play is seen by the last of eight: from the moment it is due until it is read."""

from collections.abc import Callable, Sequence
from statistics import median

from .loading import Load, Measured
from .rows import Row, ratios
from .script import Step, singles
from .throughput import Contestant, contestants

__all__ = ["crowded", "latency"]

AIM_P50, AIM_P99 = 1.3, 2.0
AIM_DURABLE_MS = 1.5
RUNS = 3
PACE = 2
"""What a quick player plays a second, for long."""


def latency(script: Sequence[Step], rounds: int, seconds: float, tables: int, rate: float) -> list[Row]:
    """Measure R0 and ours at one rate: with 0 half of what R0 does here, in some runs just before."""
    rate = rate or half_load(script, tables, seconds)
    section = f"Latency: {tables} tables of 8, {rate:g} plays a second together, ms to the last of eight"
    return _rows(section, _measure(script, rounds, seconds, tables, rate))


def half_load(script: Sequence[Step], tables: int, seconds: float) -> float:
    """Return half of the plays that R0 does in a second at its limit, to the hundred."""
    plain, load = _measured()[0], Load(steps=script, seconds=seconds)
    return round(median(plain.run(tables, load).plays for _ in range(RUNS)) / 2, -2)


def crowded(script: Sequence[Step], rounds: int, seconds: float, tables: int, idle: int) -> list[Row]:
    """Measure them with many tables, at the pace of people, and so many idle spectators elsewhere."""
    section = f"Latency: {tables} tables of 8, {PACE} plays a second each, ms; {idle} idle spectators"
    return _rows(section, _measure(script, rounds, seconds, tables, tables * 8 * PACE, idle))


def _measure(  # noqa: PLR0913, PLR0917
    script: Sequence[Step], rounds: int, seconds: float, tables: int, rate: float, idle: int = 0
) -> dict[str, list[Measured]]:
    found: dict[str, list[Measured]] = {}
    load = Load(steps=singles(script), seconds=seconds, rate=rate, warm_up=1.5)
    for _ in range(rounds):
        for contestant in _measured():
            found.setdefault(contestant.name, []).append(contestant.run(tables, load, idle))
    return found


def _measured() -> list[Contestant]:
    return [contestant for contestant in contestants() if "uvloop" in contestant.name]


def _rows(section: str, found: dict[str, list[Measured]]) -> list[Row]:
    rows = []
    for name, results in found.items():
        figures: list[tuple[str, Callable[[Measured], float]]] = [
            ("p50", lambda m: m.p50 / 1_000),
            ("p99", lambda m: m.p99 / 1_000),
            ("longest", lambda m: m.most / 1_000),
            ("server busy, %", lambda m: 100 * m.server_busy),
            ("plays a second", lambda m: m.plays),
        ]
        rows += [
            Row(section, f"{name}: {what}", "", [figure(m) for m in results]) for what, figure in figures
        ]
    names = list(found)
    plain, none, full = (found[name] for name in (names[0], *_ours(names)))
    rows += [
        Row(section, "without durability / R0, p50", "", _ratio(none, plain, "p50"), at_most=AIM_P50),
        Row(section, "without durability / R0, p99", "", _ratio(none, plain, "p99"), at_most=AIM_P99),
        Row(section, "full durability - R0, p50", "ms", _more(full, plain), at_most=AIM_DURABLE_MS),
        Row(section, "full durability / R0, p99", "", _ratio(full, plain, "p99"), at_most=AIM_P99),
    ]
    return rows


def _ours(names: Sequence[str]) -> tuple[str, str]:
    none = next(name for name in names if "durability none" in name)
    full = next(name for name in names if "durability full" in name)
    return none, full


def _ratio(some: Sequence[Measured], others: Sequence[Measured], figure: str) -> list[float]:
    return ratios([getattr(m, figure) for m in some], [getattr(m, figure) for m in others])


def _more(some: Sequence[Measured], others: Sequence[Measured]) -> list[float]:
    return [(one.p50 - other.p50) / 1_000 for one, other in zip(some, others, strict=True)]
