"""What a play costs where its journal is in SQLite, in PostgreSQL with a synchronous standby, or nowhere.

    PYTHONPATH=. python benchmarks/stores.py [--rounds N] [--rate PLAYS]

Tables of eight in this process, without sockets, play a recorded hand, some plays a second or as many as
possible. The three take turns, round after round. The figures are of the game loop's thread: processor time a
play, with what it takes to give the plays; and the time from a play to the word of it, once it is durable.
Primary and standby share this machine's disk and processors with the game, so that only ratios mean
anything.
"""

import argparse
import asyncio
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import repeat
from pathlib import Path
from statistics import median, quantiles
from typing import Final, NamedTuple

from tests.support.postgres import SETTINGS, postgres

from benchmarks.yardsticks.inside import Listener
from benchmarks.yardsticks.script import OPTIONS, SEATS, SEED, Step, rounds
from benchmarks.yardsticks.whole import disk_folder
from racing_demon_cluster.postgres.store import PostgresStore
from racing_demon_cluster.settings import ClusterSettings
from racing_demon_protocol.wire.codec import Encoding
from racing_demon_protocol.wire.messages.client import Start
from racing_demon_server.encoded_messages import Batch
from racing_demon_server.enums import Durability
from racing_demon_server.journal.clock_watermark import ClockWatermark
from racing_demon_server.journal.interface import Journal
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.journal.sqlite.store import SqliteStore
from racing_demon_server.journal.table_journal import TableJournal
from racing_demon_server.journal.writer import DurableJournal
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.feed import Backlog
from racing_demon_server.tables.passphrase import Passphrase
from racing_demon_server.tables.room import InitialState, Room, RoomContext
from racing_demon_server.tables.spectators import FairScheduler

TABLES: Final = 25
STEPS: Final = 40
KEY: Final = bytes(32)

Opening = Callable[[], Journal]


class Figures(NamedTuple):
    """What one turn has shown: µs of the loop a play, plays a second, and milliseconds until word of them."""

    cpu_us: float
    per_second: float
    p50_ms: float
    p99_ms: float


class Timed(Listener):
    """A listener that notes how long its table's plays took, in seconds."""

    def __init__(self, took: list[float]) -> None:
        super().__init__(Encoding.MSGPACK)
        self.began = self.awaited = 0.0
        self._took = took

    def send(self, events: Batch) -> None:
        """Take events."""
        super().send(events)
        if self.awaited and self.had >= self.awaited:
            self._took.append(time.perf_counter() - self.began)
            self.awaited = 0


class TimedTable:
    """A room of eight, of whom one notes the time."""

    def __init__(self, journal: Journal, clock_watermark: ClockWatermark, took: list[float]) -> None:
        settings = ServerSettings(kept_events=2_048)
        context = RoomContext(
            settings, clock, Backlog(1, 1), FairScheduler(), lambda: True, lambda room: None
        )
        code = f"T{journal.new_number()}"
        self.room = Room(
            InitialState.of_new_table(code, OPTIONS, repeat(SEED), context, locked=False),
            context,
            journal=TableJournal(journal, journal.new_number(), lambda: 0, clock_watermark),
            lock=Passphrase(bytes(16)),
            epoch="",
            bot_seed=b"",
        )
        self.timed = Timed(took)
        self._players = [self.timed, *(Listener(Encoding.MSGPACK) for _ in range(SEATS - 1))]
        self._counters = [0] * SEATS
        for seat, player in enumerate(self._players):
            self.room.join(f"Player {seat + 1}", bytes([seat]) * 32, "")
            self.room.attach(player, seat, "0" * 64)
        self.room.put(self._players[0], 0, Start(counter=1), clock())
        self._counters[0] = 1

    def play(self, step: Step) -> None:
        """Give the plays of a step, which arrive together."""
        self.timed.began, self.timed.awaited = time.perf_counter(), self.timed.had + step.frames
        for written in step.plays:
            self._counters[written.seat] += 1
            message = written.message(self._counters[written.seat], self.room.table.view.seq)
            self.room.put(self._players[written.seat], written.seat, message, clock())


def clock() -> int:
    """Return the microseconds on a rising clock."""
    return time.monotonic_ns() // 1_000


async def turn(opening: Opening, script: Sequence[Step], rate: float) -> Figures:
    """Let tables play through some steps on a new journal, at a rate or as fast as possible."""
    journal = opening()
    took: list[float] = []
    clock_watermark = ClockWatermark(journal, clock)
    tables = [TimedTable(journal, clock_watermark, took) for _ in range(TABLES)]
    while not all(table.room.shown.view.in_hand for table in tables):  # noqa: ASYNC110 - nobody could tell
        await asyncio.sleep(0.001)
    await journal.drained()
    took.clear()
    plays = sum(len(step.plays) for step in script) * TABLES
    began, before = time.perf_counter(), time.thread_time()
    due = began
    for step in script:
        for table in tables:
            if rate:
                due += len(step.plays) / rate
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
            while table.timed.awaited:  # noqa: ASYNC110 - nor here
                await asyncio.sleep(0.000_5)
            table.play(step)
            if not rate:
                await asyncio.sleep(0)
    await journal.drained()
    used, elapsed = time.thread_time() - before, time.perf_counter() - began
    await asyncio.sleep(0)
    for table in tables:
        table.room.close()
    clock_watermark.close()
    await asyncio.to_thread(journal.close)
    cut = quantiles(took, n=100)
    return Figures(1e6 * used / plays, plays / elapsed, 1e3 * cut[49], 1e3 * cut[98])


@contextmanager
def stores(folder: Path) -> Iterator[dict[str, Opening]]:
    """Yield what opens a new journal in each store."""
    numbers = iter(range(10**6))
    with postgres(SETTINGS.replace("fsync = off", "fsync = on")) as servers:
        yield {
            "none": NullJournal,
            "sqlite": lambda: DurableJournal(
                SqliteStore(folder / f"{next(numbers)}.sqlite", Durability.FULL)
            ),
            "postgres": lambda: DurableJournal(
                PostgresStore(
                    ClusterSettings(database=servers.url(servers.new_database()), keys=(KEY,)), "bench"
                )
            ),
        }


def main(argv: Sequence[str]) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rate", type=float, default=2_000.0, help="plays a second")
    asked = parser.parse_args(argv)
    script = rounds(STEPS)
    with disk_folder() as folder, stores(Path(folder)) as all_:
        for rate in (asked.rate, 0.0):
            found: dict[str, list[Figures]] = {name: [] for name in all_}
            for _ in range(asked.rounds):
                for name, opening in all_.items():
                    found[name].append(asyncio.run(turn(opening, script, rate)))
            sys.stdout.write(f"{rate:.0f} plays a second\n" if rate else "as many as possible\n")
            for name, each in found.items():
                cpu, speed, p50, p99 = (median(column) for column in zip(*each, strict=True))
                figures = f"loop {cpu:6.1f} µs a play, {speed:7.0f}/s, p50 {p50:6.2f} ms, p99 {p99:6.1f} ms"
                sys.stdout.write(f"  {name:9} {figures}\n")
            ratios = [p.cpu_us / s.cpu_us for p, s in zip(found["postgres"], found["sqlite"], strict=True)]
            sys.stdout.write(
                f"  loop, postgres / sqlite: {median(ratios):.2f} ({min(ratios):.2f} - {max(ratios):.2f})\n"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
