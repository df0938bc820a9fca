"""What a play costs the server from its inbox to its listeners, in steps of the interpreter.

python benchmarks/play.py
python benchmarks/play.py --spectators 10 --delay 1000

Four players make legal plays at random, always the same, in virtual time and without sockets or a journal.
Steps are exact, so two versions can be compared on a busy machine: copied into the checkout of an older one,
this program measures that, if PYTHONPATH has its protocol, server and client.
"""

import argparse
import asyncio
import gc
import random
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.virtual_rooms import FakeConnection, in_virtual_time, open_room, say, seat_at

from racing_demon_protocol.engine.deal import hand_seeds
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Signalled
from racing_demon_server.encoded_messages import Batch
from racing_demon_server.tables.room import Room

NAMES = ("Ann", "Ben", "Cat", "Dan")
PACKAGES = "racing_demon_"
PACE_SECONDS = 0.02
"""Virtual time between two plays, in which spectators are served."""


class Sink(FakeConnection):
    """A listener that asks for the bytes of each write, and keeps nothing."""

    def send(self, events: Batch) -> None:
        """Ask for the bytes, once others have asked, too."""
        assert events[self.encoding]


class Steps:
    """Counts the interpreter's steps in this project's own functions."""

    def __init__(self) -> None:
        self.counts = Counter[str]()

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count meanwhile."""
        sys.settrace(self._enter)
        try:
            yield
        finally:
            sys.settrace(None)

    def _enter(self, frame: FrameType, event: str, arg: object) -> Any:
        _, found, path = frame.f_code.co_filename.rpartition(PACKAGES)
        if not found:
            return None
        name = f"{path} {frame.f_code.co_name}"
        frame.f_trace_opcodes, frame.f_trace_lines = True, False

        def step(frame: FrameType, event: str, arg: object) -> Any:
            if event == "opcode":
                self.counts[name] += 1
            return step

        return step


async def _opened(spectators: int, delay_ms: int) -> tuple[Room, list[tuple[int, FakeConnection]]]:
    room = open_room(contributions=False, seeds=hand_seeds(bytes(32)), watch_delay_ms=delay_ms)
    seats = [seat_at(room, name) for name in NAMES]
    for _ in range(spectators):
        room.watch(Sink(), "", "")
    await say(room, seats[0][1], seats[0][0], cl.Start(counter=1))
    await seats[0][1].until(Signalled)
    for _, connection in seats:
        connection.__class__ = Sink
    await asyncio.sleep(5)
    return room, seats


async def _play(steps: Steps, plays: int, spectators: int, delay_ms: int) -> None:
    """Let the players make so many plays, and count their steps, without those that choose a play."""
    room, seats = await _opened(spectators, delay_ms)
    rng, counters = random.Random(5), [1, 0, 0, 0]  # noqa: S311 - the same plays every time
    gc.disable()
    for _ in range(plays):
        view = room.table.view
        assert view.hand is not None
        rules, board = view.hand.rules, view.hand.board
        seat, play = rng.choice(
            [(seat, play) for seat, _ in seats for play in rules.legal_plays(board, seat)]
        )
        counters[seat] += 1
        command = cl.PlayCards.of(play, counter=counters[seat], seen=view.seq)
        with steps.counted():
            await say(room, seats[seat][1], seat, command)
            await asyncio.sleep(PACE_SECONDS)
    gc.enable()
    room.close()


def main(argv: list[str] | None = None) -> int:
    """Count, and print what a play costs."""
    parser = argparse.ArgumentParser(prog="benchmarks/play.py", description=__doc__.split("\n")[0])
    parser.add_argument("--plays", type=int, default=500, help="how many (default 500)")
    parser.add_argument("--spectators", type=int, default=0, help="how many watch (default 0)")
    parser.add_argument("--delay", type=int, default=0, help="how late they see it, in ms (default 0)")
    parser.add_argument("--functions", type=int, default=0, help="list so many that take the most steps")
    arguments = parser.parse_args(argv)
    steps, plays = Steps(), arguments.plays
    in_virtual_time(_play(steps, plays, arguments.spectators, arguments.delay))
    sys.stdout.write(f"{sum(steps.counts.values()) / plays:,.0f} steps a play\n")
    for name, count in steps.counts.most_common(arguments.functions):
        sys.stdout.write(f"{count / plays:7.1f}  {name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
