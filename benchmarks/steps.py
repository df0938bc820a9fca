"""The longest step of the event loop in a hand of expert bots, for every game, in milliseconds of CPU time.

python benchmarks/steps.py
python benchmarks/steps.py --games trios,judges --hands 3

Every game is played by as many bots as it has seats, in virtual time, by the room as the server runs it.
A step is one callback of the loop: while it runs, no other table is served. A hand that is not measured comes
first: at the end of a process's first hand, validators of messages are built, once, for 3 ms.
"""

import argparse
import asyncio
import gc
import statistics
import sys
import time
from collections.abc import Callable
from contextvars import Context
from pathlib import Path
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.virtual_rooms import FakeConnection, VirtualLoop, in_virtual_time, open_room, say

from racing_demon_protocol.engine.deal import hand_seeds
from racing_demon_protocol.enums import BotLevel
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import HandOver
from racing_demon_server.ops import garbage_collection

BOUND_MS = 2.0
MAX_HAND_SECONDS = 1_800


class Step(NamedTuple):
    """One callback of the loop: how long it took, and what it was."""

    ms: float
    name: str


class TimedLoop(VirtualLoop):
    """A loop in virtual time that notes how much CPU time each callback takes."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        super().__init__()

    def call_soon(  # type: ignore[override]  # its arguments are not told apart here
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        """Call something in the next iteration."""
        return super().call_soon(self._timed, callback, *args, context=context)

    def call_at(  # type: ignore[override]  # its arguments are not told apart here
        self, when: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Call something at a time."""
        return super().call_at(when, self._timed, callback, *args, context=context)

    def _timed(self, callback: Callable[..., object], *args: object) -> None:
        begun = time.thread_time_ns()
        try:
            callback(*args)
        finally:
            took = (time.thread_time_ns() - begun) / 1e6
            self.steps.append(Step(took, getattr(callback, "__qualname__", type(callback).__name__)))


async def _play(game: str, number: int) -> tuple[str, list[Step]]:
    """Play one hand of expert bots; return why it ended, and its steps."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, TimedLoop)
    seeds = hand_seeds(number.to_bytes(32, "big"))
    room = open_room(seeds=seeds, game=game, hands=1, tally_ms=600_000, pause_after_ms=None)
    host = FakeConnection()
    room.add_host(b"host")
    room.broadcast.take_seat(host, None)
    room.broadcast.catch_up(host, 0)
    bots = GAMES[game].max_seats
    await say(room, host, None, *(cl.AddBot(counter=n + 1, level=BotLevel.EXPERT) for n in range(bots)))
    await say(room, host, None, cl.Start(counter=bots + 1))
    loop.steps.clear()
    try:
        async with asyncio.timeout(MAX_HAND_SECONDS):
            await host.until(HandOver)
    except TimeoutError:
        reason = "not over"
    else:
        reason = room.table.view.results[-1].reason
    room.close()
    return reason, list(loop.steps)


def _played(game: str, number: int) -> tuple[str, list[Step]]:
    """Play one hand on a loop of its own; it has the same steps each time."""
    gc.collect()
    return in_virtual_time(_play(game, number), TimedLoop)


def main(argv: list[str] | None = None) -> int:
    """Play every game, and print its longest steps."""
    parser = argparse.ArgumentParser(prog="benchmarks/steps.py", description=__doc__.split("\n")[0])
    parser.add_argument("--games", default=",".join(GAMES), help="which, with commas (default: all)")
    parser.add_argument("--hands", type=int, default=1, help="hands of each (default 1)")
    parser.add_argument(
        "--again", type=int, default=1, help="play each hand this many times, and take the least of each step"
    )
    arguments = parser.parse_args(argv)
    games = arguments.games.split(",")
    if unknown := [game for game in games if game not in GAMES]:
        parser.error(f"there is no game {unknown[0]!r}: `racing-demon games` lists them")
    with garbage_collection.small_collections():
        _measure(games, arguments.hands, arguments.again)
    return 0


def _measure(games: list[str], hands: int, again: int) -> None:
    """Play these games, some hands of each, and print a line for each."""
    in_virtual_time(_play("racing-demon", 0), TimedLoop)
    over = 0
    sys.stdout.write(
        f"{'game':22} {'longest':>8} {'99.9 %':>7} {'median':>7} {'total':>8} {'>2 ms':>5}  end, longest\n"
    )
    for game in games:
        steps: list[Step] = []
        reasons: list[str] = []
        for number in range(hands):
            played = [_played(game, number) for _ in range(again)]
            reasons.append(played[0][0])
            steps += map(min, zip(*(more for _, more in played), strict=True))
        longest = max(steps)
        total, median = sum(step.ms for step in steps), statistics.median(step.ms for step in steps)
        late = sum(step.ms > BOUND_MS for step in steps)
        rare = statistics.quantiles((step.ms for step in steps), n=1_000, method="inclusive")[-1]
        over += late > 0
        sys.stdout.write(f"{game:22} {longest.ms:8.2f} {rare:7.2f} {median:7.3f} {total:8.0f} {late:5}  ")
        sys.stdout.write(f"{'/'.join(sorted(set(reasons)))}, {longest.name}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{over} games have steps above {BOUND_MS:g} ms\n")


if __name__ == "__main__":
    sys.exit(main())
