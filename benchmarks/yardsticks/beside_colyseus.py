"""Beside Colyseus: how many plays a second, and how late they are seen."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from benchmarks.yardsticks.colyseus_room import NotThere, colyseus, sit_at_colyseus
from benchmarks.yardsticks.loading import Kind, Load, Measured, program
from benchmarks.yardsticks.rows import Row, ratios
from benchmarks.yardsticks.script import Step, cycle, singles
from benchmarks.yardsticks.throughput import Contestant, compiled, contestants

DEFAULT: Final = "Colyseus, its default (a patch every 50 ms)"
FASTEST: Final = "Colyseus, a patch after each play"
MESSAGE: Final = "Colyseus, a message after each play"
MODES: Final = {DEFAULT: "default", FASTEST: "patch", MESSAGE: "message"}
WINDOW: Final = 12
"""Steps on their way at each table where plays are told every 50 ms only; more would only wait longer."""
TOGETHER: Final = f", {WINDOW} rounds on their way"
SLOW_RATE: Final = 400
AIM_PLAYS, AIM_FASTEST_P99, AIM_DEFAULT_P99 = 1.25, 1.0, 0.1
AIM_P99_MS: Final = 100


def rooms() -> list[Contestant]:
    """Return Colyseus in all its modes.

    Raises:
        NotThere: it cannot be run here.

    """
    return [
        Contestant(title, colyseus(mode), sit_at_colyseus, Kind.COLYSEUS, WINDOW if mode == "default" else 1)
        for title, mode in MODES.items()
    ]


def beside_colyseus(script: Sequence[Step], rounds: int, seconds: float, tables: int) -> list[Row]:
    """Measure Colyseus and ours in turn, round after round: at their limit, and at a slow rate."""
    try:
        measured = rooms()
    except NotThere as error:
        sys.stderr.write(f"        left out: {error}\n")
        return []
    own = [each for each in contestants() if each.kind is Kind.GAME and "uvloop" in each.name]
    own += compiled()
    measured += own
    together = [replace(each, name=each.name + TOGETHER, kind=Kind.CYCLE, window=WINDOW) for each in own]
    many: dict[str, list[Measured]] = {each.name: [] for each in together}
    most: dict[str, list[Measured]] = {each.name: [] for each in measured}
    slow: dict[str, list[Measured]] = {each.name: [] for each in measured}
    for _ in range(rounds):
        for each in measured:
            with program(*each.command) as server:  # the slow rate comes second: Node has warmed up then
                most[each.name].append(each.measure(server, tables, Load(steps=script, seconds=seconds)))
                easy = Load(steps=singles(script), seconds=seconds, rate=SLOW_RATE)
                slow[each.name].append(each.measure(server, tables, easy))
        for each in together:
            many[each.name].append(each.run(tables, Load(steps=cycle(), seconds=seconds)))
    return [*_at_their_limit(most, many, tables), *_at_a_slow_rate(slow, tables)]


def _at_their_limit(
    found: dict[str, list[Measured]], many: dict[str, list[Measured]], tables: int
) -> list[Row]:
    """Return all at their limit; ``many`` is ours with as many rounds on their way as its default has."""
    section = f"Colyseus: {tables} tables of 8, as many plays as go, every delivery waited for"
    rows = []
    for name, results in (found | many).items():
        rows += [
            Row(section, f"{name}: plays", "1/s", [m.plays for m in results]),
            Row(section, f"{name}: p99", "ms", [m.p99 / 1_000 for m in results], at_most=AIM_P99_MS),
            Row(section, f"{name}: CPU a play", "us", [m.server_us for m in results]),
            Row(section, f"{name}: load busy", "%", [100 * m.load_busy for m in results]),
        ]
    best = [_most_in_time(turn) for turn in zip(found[FASTEST], found[MESSAGE], strict=True)]
    default = [m.plays for m in found[DEFAULT]]
    for name in list(found)[len(MODES) :]:
        plays = [m.plays for m in found[name]]
        title = f"{name} / Colyseus where each play is told, plays"
        rows.append(Row(section, title, "", ratios(plays, best), at_least=AIM_PLAYS))
    for name, results in many.items():  # its default tells states and not plays: nothing to aim at
        title = f"{name} / Colyseus' default, plays"
        rows.append(Row(section, title, "", ratios([m.plays for m in results], default)))
    return rows


def _at_a_slow_rate(found: dict[str, list[Measured]], tables: int) -> list[Row]:
    section = f"Colyseus: {tables} tables of 8, {SLOW_RATE} plays a second together"
    p99 = {name: [m.p99 / 1_000 for m in results] for name, results in found.items()}
    cost = {name: [m.server_us for m in results] for name, results in found.items()}
    rows = []
    for name, results in found.items():
        rows += [
            Row(section, f"{name}: p50", "ms", [m.p50 / 1_000 for m in results]),
            Row(section, f"{name}: p99", "ms", p99[name]),
            Row(section, f"{name}: CPU a play", "us", cost[name]),
        ]
    for name in list(found)[len(MODES) :]:
        title = f"{name} / {MESSAGE}, CPU a play"
        rows.append(Row(section, title, "", ratios(cost[name], cost[MESSAGE])))
        for other, aim in ((FASTEST, AIM_FASTEST_P99), (DEFAULT, AIM_DEFAULT_P99)):
            rows.append(
                Row(section, f"{name} / {other}, p99", "", ratios(p99[name], p99[other]), at_most=aim)
            )
    return rows


def _most_in_time(turn: Sequence[Measured]) -> float:
    """Return the most plays a second that were seen in time; where none were, the most of all."""
    in_time = [m.plays for m in turn if m.p99 <= 1_000 * AIM_P99_MS]
    return max(in_time or [m.plays for m in turn])
