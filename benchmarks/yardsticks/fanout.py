"""What it costs to tell many: eight players, and spectators by the hundred."""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import repeat
from types import FrameType
from typing import Final

from racing_demon_protocol import codec
from racing_demon_protocol.codec import Encoding
from racing_demon_protocol.messages import Event, Message
from racing_demon_protocol.messages.client import Start
from racing_demon_protocol.messages.server import Seated
from racing_demon_protocol.reasons import CloseCode
from racing_demon_server.listener import Batch
from racing_demon_server.room import Room

from .entering import sit_at_relay, sit_down, watch
from .loading import Load, Measured, measure, program
from .rows import Row, ratios
from .script import OPTIONS, SEATS, SEED, Step, rounds, singles
from .throughput import Contestant, contestants

__all__ = ["encodings", "fan_out"]

RATE: Final = 100
"""Plays a second: eight people do not play faster together."""
POLL_SECONDS: Final = 0.001
AIM_R1: Final = 1.3
AIM_ENCODINGS: Final = len(Encoding)


def fan_out(script: Sequence[Step], number: int, seconds: float, spectators: int) -> list[Row]:
    """Measure a table that many watch, on R1 and on ours in turn."""
    _, r1, none, full, *_ = measured = contestants()
    found: dict[str, list[Measured]] = {each.name: [] for each in measured[:4]}
    load = Load(steps=singles(script), seconds=seconds, rate=RATE)
    for _ in range(number):
        for each in measured[:4]:
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


class _Listener:
    """A listener that has no socket, and asks for the bytes of all that it is sent."""

    def __init__(self, encoding: Encoding) -> None:
        self.encoding = encoding
        self.had = 0

    def send(self, events: Batch) -> None:
        """Take events."""
        events.framed(self.encoding)
        self.had += len(events.frames)

    def reply(self, message: Message) -> None:
        """Take a message."""

    def close(self, code: CloseCode, reason: str) -> None:
        """Take the end."""


def encodings(spectators: int, steps: int = 5) -> float:
    """Return how often an event is encoded that players and spectators in two encodings are told."""
    return asyncio.run(_encodings(spectators, steps))


async def _encodings(spectators: int, steps: int) -> float:
    loop, kinds, encoded = asyncio.get_running_loop(), list(Encoding), 0

    def clock() -> int:
        return int(loop.time() * 1e6)

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal encoded
        if event == "call" and frame.f_code is codec.encode.__code__:
            encoded += isinstance(frame.f_locals["message"], Event)

    room = Room("TEST", OPTIONS, repeat(SEED), clock, bot_speed=1, bot_seed=b"", kept_events=9)
    players = [_Listener(kinds[seat % 2]) for seat in range(SEATS)]
    for seat, player in enumerate(players):
        room.join(f"Player {seat + 1}", bytes([seat]) * 32)
        room.audience.take_seat(player, seat)
        room.enter(player, seat, Seated(code="TEST", seat=seat), 0)
    room.put(players[0], 0, Start(counter=1), clock(), 0)
    while not room.table.view.in_hand:  # noqa: ASYNC110 - that is set by nobody who could tell
        await asyncio.sleep(0)
    lookers = [_Listener(kinds[number % 2]) for number in range(spectators)]
    for looker in lookers:
        room.audience.watch(looker)
    told = 0
    sys.setprofile(note)
    try:
        for number, step in enumerate(rounds()[:steps], 1):
            for written in step.plays:
                counter = number + (written.seat == 0)
                message = written.message(counter, room.table.view.seq)
                room.put(players[written.seat], written.seat, message, clock(), 0)
            told += step.frames
            while any(looker.had < told for looker in lookers):  # noqa: ASYNC110
                await asyncio.sleep(POLL_SECONDS)
    finally:
        sys.setprofile(None)
        room.close()
    return encoded / told
