"""What a server keeps in memory: for a spectator, for a table, and after many hands."""

import asyncio
import gc
import tracemalloc
from collections.abc import Sequence
from typing import Final

from benchmarks.yardsticks.entering import Socket, sit_down, watch
from benchmarks.yardsticks.inside import KEPT, Party
from benchmarks.yardsticks.loading import Load, measure, measure_phases, ours, program
from benchmarks.yardsticks.rows import Row
from benchmarks.yardsticks.script import SEATS, Step, rounds

AIM_SPECTATOR_KIB, AIM_TABLE_KIB, AIM_FLAT = 20, 200, 1.05
SPECTATORS: Final = 200
GROWTH: Final = 4
"""So many times the seconds hands are played, one after the other."""


def memory(script: Sequence[Step], number: int, tables: int, seconds: float) -> list[Row]:
    """Return what spectators and tables take, and whether a server grows with the hands that are played."""
    section = "Memory"
    lookers, with_sockets = list[float](), list[float]()
    for _ in range(number):
        looker, table = _spectators_and_tables(script, tables, seconds)
        lookers.append(looker)
        with_sockets.append(table)
    inside = [log_bytes(KEPT) / 1_024]
    alone = [table - SEATS * looker for table, looker in zip(with_sockets, lookers, strict=True)]
    hands, growth = _growth(script, seconds)
    return [
        Row(section, f"an idle spectator, of {SPECTATORS}", "KiB", lookers, at_most=AIM_SPECTATOR_KIB),
        Row(section, f"a table of eight, of {tables}, with its connections", "KiB", with_sockets),
        Row(section, "the same but for eight spectators' connections", "KiB", alone, at_most=AIM_TABLE_KIB),
        Row(
            section, "its objects alone, with all events that are kept", "KiB", inside, at_most=AIM_TABLE_KIB
        ),
        Row(section, f"after {hands:,} more hands / before", "", [growth], at_most=AIM_FLAT),
    ]


def _spectators_and_tables(script: Sequence[Step], tables: int, seconds: float) -> tuple[float, float]:
    """Return the KiB of an idle spectator, and of a table on which was played for a while."""
    load = Load(steps=script, seconds=seconds)
    with program(*ours()) as server:
        sockets, codes = sit_down(server.url, 1)
        measure(server, load, sockets)  # what is loaded, and kept for all, is there
        before = server.memory()
        lookers = watch(server.url, codes, SPECTATORS)
        looker = (server.memory() - before) / SPECTATORS / 1_024
        before = server.memory()
        others, _ = sit_down(server.url, tables)
        measure(server, load, others)
        table = (server.memory() - before) / tables / 1_024
        _close(sockets, lookers, others)
    return looker, table


def _growth(script: Sequence[Step], seconds: float) -> tuple[int, float]:
    """Return how many short hands were played at a table, and how much more memory there is then."""
    before = list[int]()
    load = Load(steps=script[:1], seconds=GROWTH * seconds, warm_up=GROWTH * seconds / 4, phases=4)
    with program(*ours()) as server:
        sockets, _ = sit_down(server.url, 1)
        measured = measure_phases(server, load, sockets, lambda _: before.append(server.memory()))
        growth = server.memory() / before[0]
        _close(sockets)
    return round(measured.plays * load.seconds / len(script[0].plays)), growth


def _close(*parties: Sequence[Socket]) -> None:
    for party in parties:
        for each in party:
            each.close()


def log_bytes(events: int) -> int:
    """Return what a table takes after a number of events, without its connections; the same each time."""
    return asyncio.run(_log_bytes(events))


async def _log_bytes(events: int) -> int:
    first = await _played(events)  # what is made once for all tables is there, also what plays need first
    tracemalloc.start()
    gc.collect()
    before, _ = tracemalloc.get_traced_memory()
    second = await _played(events)
    gc.collect()
    taken = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    for each in (first, second):
        each.room.close()
    return taken


async def _played(events: int) -> Party:
    """Return a table after a number of events."""
    party = await Party.dealt()
    while party.room.table.view.seq < events:
        for step in rounds():
            await party.play(step)
        if party.room.table.view.seq < events:
            await party.end_hand()
    return party
