"""What it costs to tell many: eight players, and spectators by the hundred."""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import replace
from types import FrameType
from typing import Final

from benchmarks.yardsticks.entering import sit_at_relay, sit_down, watch
from benchmarks.yardsticks.inside import Listener, Party
from benchmarks.yardsticks.loading import Load, Measured, measure, program
from benchmarks.yardsticks.rows import Row, ratios
from benchmarks.yardsticks.script import Step, rounds, singles
from benchmarks.yardsticks.throughput import Contestant, contestants
from racing_demon_protocol.wire import codec
from racing_demon_protocol.wire.codec import Encoding
from racing_demon_protocol.wire.messages.events import Played

RATE: Final = 100
"""Plays a second: eight people do not play faster together."""
AIM_R1: Final = 1.3
AIM_ENCODINGS: Final = len(Encoding)


def fan_out(script: Sequence[Step], number: int, seconds: float, spectators: int) -> list[Row]:
    """Measure a table that many watch, on R1 and on ours in turn."""
    _, r1, none, full, *_ = contestants()
    found: dict[str, list[Measured]] = {each.name: [] for each in (r1, none, full)}
    load = Load(steps=singles(script), seconds=seconds, rate=RATE)
    for _ in range(number):
        for each in (r1, none, full):
            found[each.name].append(_watched(each, load, spectators))
    section = f"Fan-out: one table of 8, {spectators} spectators, {RATE} plays a second"
    cost = {name: [m.delivery_us for m in results] for name, results in found.items()}
    rows = [Row(section, f"{name}: server CPU a delivery", "us", values) for name, values in cost.items()]
    for name, results in found.items():
        rows.append(Row(section, f"{name}: p99 of the players", "ms", [m.p99 / 1_000 for m in results]))
    for each in (none, full):
        ratio = ratios(cost[each.name], cost[r1.name])
        rows.append(Row(section, f"{each.name} / R1, CPU a delivery", "", ratio, at_most=AIM_R1))
    told = encodings(spectators)
    return [*rows, Row(section, "encodings of an event, of two kinds", "", [told], at_most=AIM_ENCODINGS)]


def _watched(contestant: Contestant, load: Load, spectators: int) -> Measured:
    with program(*contestant.command) as server:
        if contestant.enter is sit_at_relay:
            sockets = sit_at_relay(server.url, 1)
            lookers = sit_at_relay(server.url, 1, spectators)
        else:
            sockets, codes = sit_down(server.url, 1)
            lookers = watch(server.url, codes, spectators)
        try:
            return measure(server, replace(load, kind=contestant.kind), sockets, lookers)
        finally:
            for found in (*sockets, *lookers):
                found.close()


def encodings(spectators: int, steps: int = 5) -> float:
    """Return how often an event is encoded that players and spectators in two encodings are told."""
    return asyncio.run(_encodings(spectators, steps))


async def _encodings(spectators: int, steps: int) -> float:
    encoded, kinds = 0, list(Encoding)

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal encoded
        if event != "call" or frame.f_code not in {codec.encode.__code__, codec.pack.__code__}:
            return
        if frame.f_locals.get("encoding") is not Encoding.MSGPACK:  # for that encode asks pack
            encoded += isinstance(frame.f_locals["message"], Played)

    party = await Party.dealt()
    lookers = [Listener(kinds[number % 2]) for number in range(spectators)]
    for looker in lookers:
        party.room.broadcast.watch(looker)
    told, before = 0, sys.getprofile()
    sys.setprofile(note)
    try:
        for step in rounds()[:steps]:
            told += await party.play(step)
            await party.until(lambda: all(looker.had >= told for looker in lookers))  # noqa: B023
    finally:
        sys.setprofile(before)
        party.room.close()
    return encoded / told
