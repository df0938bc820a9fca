"""How much processor time a play takes, and how many there are a second: ours beside the yardsticks."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from benchmarks.yardsticks.entering import Socket, look_on, sit_at_relay, sit_down, stand_by_relay
from benchmarks.yardsticks.loading import Kind, Load, Measured, Program, measure, ours, program, relay
from benchmarks.yardsticks.rows import Row, ratios
from benchmarks.yardsticks.script import Step
from benchmarks.yardsticks.sizes import EVENT_BYTES

AIM_R0 = 0.7
AIM_FLAT = 1.1
COMPILED: Final = Path(__file__).parents[2] / ".venv-fast/bin/python"
"""The Python beside which `make fast` installs the compiled build."""


@dataclass(frozen=True)
class Contestant:
    """A server that is measured.

    Attributes:
        name: what the rows call it.
        command: how it is started.
        enter: seats eight at each of a number of tables.
        kind: what its load is made for.
        window: how many steps may be on their way at each of its tables.

    """

    name: str
    command: Sequence[str]
    enter: Callable[[str, int], list[Socket]]
    kind: Kind = Kind.GAME
    window: int = 1

    def run(self, tables: int, load: Load, idle: int = 0) -> Measured:
        """Start it, fill its tables, let some more look on idly, and measure it under a load."""
        with program(*self.command) as server:
            idlers = (look_on if self.kind is Kind.GAME else stand_by_relay)(server.url, idle)
            try:
                return self.measure(server, tables, load)
            finally:
                for found in idlers:
                    found.close()

    def measure(self, server: Program, tables: int, load: Load) -> Measured:
        """Fill tables of a running server, and measure it under a load."""
        sockets = self.enter(server.url, tables)
        try:
            return measure(server, replace(load, kind=self.kind, window=self.window), sockets)
        finally:
            for found in sockets:
                found.close()


def contestants() -> list[Contestant]:
    """Return the yardsticks, and ours on both loops."""
    return [
        Contestant("R0, the bare relay on uvloop", relay("plain", EVENT_BYTES), sit_at_relay, Kind.RELAY),
        Contestant("R1, the floor", relay("floor", EVENT_BYTES), sit_at_relay, Kind.RELAY),
        Contestant("ours, uvloop, durability none", ours("uvloop"), seated),
        Contestant("ours, uvloop, durability full", ours("uvloop", durability="full"), seated),
        Contestant("ours, asyncio, durability full", ours("asyncio", durability="full"), seated),
    ]


def compiled() -> list[Contestant]:
    """Return ours as `make fast` has compiled it, if it has: without durability, and with."""
    return [
        Contestant(f"ours compiled, durability {durability}", command, seated)
        for durability in ("none", "full")
        for command in [ours(python=str(COMPILED), durability=durability)]
        if COMPILED.exists()
    ]


def seated(url: str, tables: int) -> list[Socket]:
    """Return the sockets of a number of tables of ours."""
    return sit_down(url, tables)[0]


def throughput(script: Sequence[Step], rounds: int, seconds: float, tables: int) -> list[Row]:
    """Measure everybody in turn, round after round, with as many plays as go."""
    found: dict[str, list[Measured]] = {}
    measured = contestants()
    r0, r1, none, full, _ = (contestant.name for contestant in measured)
    measured += compiled()
    load = Load(steps=script, seconds=seconds)
    for _ in range(rounds):
        for contestant in measured:
            found.setdefault(contestant.name, []).append(contestant.run(tables, load))
    section = f"Throughput: {tables} tables of 8, as many plays as go"
    rows = []
    for name, results in found.items():
        rows += [
            Row(section, f"{name}: server CPU a play", "us", [m.server_us for m in results]),
            Row(section, f"{name}: plays", "1/s", [m.plays for m in results]),
            Row(section, f"{name}: server busy", "%", [100 * m.server_busy for m in results]),
            Row(section, f"{name}: load busy", "%", [100 * m.load_busy for m in results]),
        ]
    cost = {name: [m.server_us for m in results] for name, results in found.items()}
    rows += [
        Row(
            section,
            "ours, durability full / R0, CPU a play",
            "",
            ratios(cost[full], cost[r0]),
            at_most=AIM_R0,
        ),
        Row(section, "ours, durability none / R0, CPU a play", "", ratios(cost[none], cost[r0])),
        Row(section, "ours, durability none / R1, CPU a play", "", ratios(cost[none], cost[r1])),
    ]
    for each in compiled():
        rows.append(Row(section, f"{each.name} / R0, CPU a play", "", ratios(cost[each.name], cost[r0])))
    return rows


def scaling(script: Sequence[Step], rounds: int, seconds: float, tables: Sequence[int]) -> list[Row]:
    """Measure ours with few tables and with many."""
    contestant = contestants()[2]
    cost: dict[int, list[float]] = {number: [] for number in tables}
    for _ in range(rounds):
        for number in tables:
            cost[number].append(contestant.run(number, Load(steps=script, seconds=seconds)).server_us)
    section = "Tables beside each other: ours, server CPU a play"
    rows = [
        Row(section, f"{number} table{'s' * (number > 1)}", "us", values) for number, values in cost.items()
    ]
    first, last = tables[0], tables[-1]
    ratio = ratios(cost[last], cost[first])
    return [*rows, Row(section, f"{last} tables / {first}", "", ratio, at_most=AIM_FLAT)]
