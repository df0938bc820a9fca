"""How late a play is seen by the last of eight: from the moment it is due until it is read."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from benchmarks.yardsticks.entering import sit_at_relay
from benchmarks.yardsticks.loading import Kind, Load, Measured, relay
from benchmarks.yardsticks.rows import Row, ratios
from benchmarks.yardsticks.script import Step, cycle, singles
from benchmarks.yardsticks.sizes import EVENT_BYTES
from benchmarks.yardsticks.throughput import Contestant, compiled, contestants

AIM_P50, AIM_P99 = 1.3, 2.0
AIM_DURABLE_MS = 1.5
MEASURED = [each for each in contestants() if "uvloop" in each.name]
R0, NONE, FULL = (each.name for each in MEASURED)
KEPT = Contestant("R0 with our journal, full", relay("kept", EVENT_BYTES), sit_at_relay, Kind.RELAY)
RUNS = 3
HALF = 0.5
WARM_UP = 1.5
ENDLESS = ", hands never end"
PACE = 2
"""What a quick player plays a second, for long."""


def latency(script: Sequence[Step], rounds: int, seconds: float, tables: int, rate: float) -> list[Row]:
    """Measure R0 and ours at one rate: with 0 that at which R0 is busy for half of the time, here and now.

    Ours also without the ends of hands, and their deals, for which R0 has nothing to do; and R0 with our
    journal, which tells what full durability costs who does nothing else.
    """
    plays = singles(script)
    rate = rate or half_load(plays, tables, seconds)
    section = f"Latency: {tables} tables of 8, {rate:g} plays a second together, ms to the last of eight"
    load = Load(steps=plays, seconds=seconds, rate=rate, warm_up=WARM_UP)
    turning = replace(load, steps=singles(cycle()))
    own = [*MEASURED[1:], *compiled()]
    runs = [
        (MEASURED[0], load),
        *((each, load) for each in own),
        *((_endless(each), turning) for each in own),
    ]
    found = _measure([*runs, (KEPT, load)], rounds, tables)
    return [
        *_rows(section, found),
        *_beside_r0(section, found),
        *_beside_r0(section, found, ENDLESS),
        *_beside_kept(section, found),
        *(
            Row(
                section,
                f"{each.name}{where} / R0, {figure}",
                "",
                _ratio(found[each.name + where], found[R0], figure),
            )
            for each in compiled()
            for where in ("", ENDLESS)
            for figure in ("p50", "p99")
        ),
    ]


def half_load(plays: Sequence[Step], tables: int, seconds: float) -> float:
    """Return how many of these plays a second keep R0 busy for half of the time, to the hundred.

    At its limit many plays share a turn of the loop, so half of the limit takes more than half of the time.
    """
    plain, load = MEASURED[0], Load(steps=plays, seconds=seconds)
    rate = HALF * plain.run(tables, load).plays
    for _ in range(RUNS):
        rate *= HALF / plain.run(tables, replace(load, rate=rate)).server_busy
    return round(rate, -2)


def crowded(  # noqa: PLR0913, PLR0917
    script: Sequence[Step], rounds: int, seconds: float, tables: int, idle: int, rate: float
) -> list[Row]:
    """Measure them with many tables and a number of idle spectators; a rate of 0 is the pace of people."""
    rate = rate or tables * 8 * PACE
    section = f"Latency: {tables} tables of 8, {rate:g} plays a second together, ms; {idle} idle spectators"
    load = Load(steps=singles(script), seconds=seconds, rate=rate, warm_up=WARM_UP)
    found = _measure([(each, load) for each in (*MEASURED, KEPT)], rounds, tables, idle)
    return [*_rows(section, found), *_beside_r0(section, found), *_beside_kept(section, found)]


def _measure(
    runs: Sequence[tuple[Contestant, Load]], rounds: int, tables: int, idle: int = 0
) -> dict[str, list[Measured]]:
    found: dict[str, list[Measured]] = {}
    for _ in range(rounds):
        for contestant, load in runs:
            found.setdefault(contestant.name, []).append(contestant.run(tables, load, idle))
    return found


def _endless(contestant: Contestant) -> Contestant:
    """Return the same with hands that never end: stocks are turned until all is as it was, and again."""
    return replace(contestant, name=contestant.name + ENDLESS, kind=Kind.CYCLE)


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
    return rows


def _beside_r0(section: str, found: dict[str, list[Measured]], where: str = "") -> list[Row]:
    """Return how ours compares with R0; ``where`` is what is added to the names of ours."""
    plain, none, full = found[R0], found[NONE + where], found[FULL + where]
    return [
        Row(section, f"without durability / R0, p50{where}", "", _ratio(none, plain, "p50"), at_most=AIM_P50),
        Row(section, f"without durability / R0, p99{where}", "", _ratio(none, plain, "p99"), at_most=AIM_P99),
        Row(section, f"full durability - R0, p50{where}", "ms", _more(full, plain), at_most=AIM_DURABLE_MS),
        Row(section, f"full durability / R0, p99{where}", "", _ratio(full, plain, "p99"), at_most=AIM_P99),
    ]


def _beside_kept(section: str, found: dict[str, list[Measured]]) -> list[Row]:
    """Return how ours with full durability compares with R0 where that has the same journal."""
    return [
        Row(section, f"full durability / {KEPT.name}, p50", "", _ratio(found[FULL], found[KEPT.name], "p50")),
        Row(section, f"full durability / {KEPT.name}, p99", "", _ratio(found[FULL], found[KEPT.name], "p99")),
        Row(section, f"{KEPT.name} / R0, p99", "", _ratio(found[KEPT.name], found[R0], "p99")),
    ]


def _ratio(some: Sequence[Measured], others: Sequence[Measured], figure: str) -> list[float]:
    return ratios([getattr(m, figure) for m in some], [getattr(m, figure) for m in others])


def _more(some: Sequence[Measured], others: Sequence[Measured]) -> list[float]:
    return [(one.p50 - other.p50) / 1_000 for one, other in zip(some, others, strict=True)]
