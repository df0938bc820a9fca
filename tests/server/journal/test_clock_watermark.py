"""The time of running hands: on the disk before it is told, also where nobody plays."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from racing_demon_protocol.enums import Phase
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Snapshot
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal.clock_watermark import ClockWatermark, ShiftedClockWatermark
from racing_demon_server.journal.operations import Change, Operation
from racing_demon_server.journal.sqlite.database import open_journal
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.registry import Registry
from racing_demon_server.tables.room import Room
from tests.support.cases import for_each
from tests.support.virtual_journal import VirtualJournal
from tests.support.virtual_rooms import FakeConnection, in_virtual_time, now, say, seat_at, virtual

SECOND = 1_000_000


class Watched(VirtualJournal):
    """A journal that notes when times were written, and which."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, random.Random(1))
        self.times: list[tuple[int, int]] = []

    def write(self, changes: Sequence[Change], told: Callable[[], None]) -> None:
        """Write changes, and note the time that is among them."""
        self.times += [
            (now(), values[0]) for operation, values in changes if operation is Operation.KEEP_TIME
        ]
        super().write(changes, told)


@asynccontextmanager
async def opened(path: Path) -> AsyncIterator[tuple[Registry, Watched]]:
    """Run the tables of a server, whose hands do not end by themselves within minutes."""
    journal = Watched(path)
    registry = Registry(ServerSettings(seed=bytes(32)), now, journal)
    registry.restore()
    yield registry, journal
    registry.close(for_good=False)
    await journal.drained()
    journal.close()


async def begin(registry: Registry, **options: object) -> tuple[Room, FakeConnection]:
    """Let somebody sit down at a new table, and a hand begin in which nothing is played."""
    asked = {"countdown_ms": 0, "pause_after_ms": None, "auto_first_turn": False, **options}
    room = registry.open(Options.model_validate(asked))
    seat, conn = seat_at(room, "Ann")
    await say(room, conn, seat, cl.Start(counter=1))
    await asyncio.sleep(0.5)
    assert room.shown.view.phase is Phase.PLAYING
    return room, conn


def shown(room: Room) -> Snapshot:
    """Return the table as it is shown to somebody who comes now."""
    conn = FakeConnection()
    room.broadcast.watch(conn)
    room.broadcast.discard(conn)
    return conn.snapshots[-1]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where a journal is to be."""
    return tmp_path / "journal.sqlite"


@virtual
async def test_while_hands_run_a_time_ahead_is_on_the_disk(path: Path) -> None:
    """It is told exactly, but for the moments in which the next second is written, and always lies behind."""
    async with opened(path) as (registry, _):
        room, _ = await begin(registry)
        signal_at = room.table.hand_clock.signal_at
        assert signal_at is not None
        for _ in range(150):
            await asyncio.sleep(0.037)
            with contextlib.closing(open_journal(path)) as db:
                kept = db.last_us()
            told = signal_at + 1_000 * shown(room).elapsed_ms
            assert told <= kept <= now() + SECOND
            assert now() - told <= 30_000


@virtual
async def test_the_time_of_all_tables_is_written_once_a_second(path: Path) -> None:
    """However many hands run, and only while one does."""
    async with opened(path) as (registry, journal):
        tables = [await begin(registry) for _ in range(5)]
        await asyncio.sleep(60)
        written = [at for at, _ in journal.times]
        assert 50 <= len(written) <= 63
        assert min(b - a for a, b in pairwise(written)) >= SECOND
        for room, conn in tables:
            await say(room, conn, 0, cl.Pause(counter=2, paused=True))
        written = [at for at, _ in journal.times]
        await asyncio.sleep(60)
        assert len(journal.times) <= len(written) + 1


def test_the_hand_of_a_closed_table_keeps_no_time(path: Path) -> None:
    """A table that everybody has left in mid-hand is closed some time later; the disk has peace then."""

    async def story() -> None:
        async with opened(path) as (registry, journal):
            room, _ = await begin(registry)
            registry.discard(room)
            await asyncio.sleep(1)
            written = len(journal.times)
            await asyncio.sleep(60)
            assert len(journal.times) <= written + 1

    in_virtual_time(story())


@pytest.mark.parametrize("is_writing", [True, False])
@virtual
async def test_a_timekeeper_that_is_closed_keeps_no_more_times(path: Path, is_writing: bool) -> None:
    """Whether a time is just being written, or the next one is waited for."""
    journal = Watched(path)
    clock_watermark = ClockWatermark(journal, now)
    clock_watermark.track(1, None)
    if not is_writing:
        await journal.drained()
    clock_watermark.close()
    clock_watermark.track(2, None)
    await asyncio.sleep(60)
    assert len(journal.times) == 1
    journal.close()


@virtual
async def test_after_a_rest_the_time_is_kept_again(path: Path) -> None:
    """For hours no hand runs, and no time is written; then one begins."""
    journal = Watched(path)
    clock_watermark = ClockWatermark(journal, now)
    clock_watermark.track(1, None)
    await asyncio.sleep(10)
    clock_watermark.track(1, 0)
    await asyncio.sleep(3_600)
    clock_watermark.track(1, None)
    await asyncio.sleep(10)
    assert now() <= journal.times[-1][1] <= now() + SECOND
    clock_watermark.close()
    journal.close()


@virtual
async def test_while_the_disk_takes_nothing_the_time_that_is_told_stands_still(path: Path) -> None:
    """What is told then is not on the disk, and would run backwards if the server died."""
    async with opened(path) as (registry, journal):
        room, _ = await begin(registry)
        journal.is_failing = True
        await asyncio.sleep(30)
        with contextlib.closing(open_journal(path)) as db:
            kept = db.last_us()
        signal_at = room.table.hand_clock.signal_at
        assert signal_at is not None
        assert signal_at + 1_000 * shown(room).elapsed_ms <= kept < now() - 20 * SECOND
        journal.is_failing = False
        await asyncio.sleep(1)


@virtual
async def test_the_time_goes_on_until_those_who_watch_later_have_seen_all(path: Path) -> None:
    """After a pause, which they see a minute later, the time on the disk still goes on for that minute."""
    async with opened(path) as (registry, journal):
        room, conn = await begin(registry, watch_delay_ms=60_000)
        await say(room, conn, 0, cl.Pause(counter=2, paused=True))
        paused_at = now()
        await asyncio.sleep(300)
        assert paused_at + 58 * SECOND <= journal.times[-1][0] <= paused_at + 60 * SECOND


@virtual
async def test_a_server_goes_on_from_the_time_on_the_disk(path: Path) -> None:
    """The clock of the next one begins no earlier than any time that was told."""
    async with opened(path) as (registry, journal):
        await begin(registry)
        await asyncio.sleep(10)
        told = now()
        journal.die()
    with contextlib.closing(open_journal(path)) as db:
        assert told - 30_000 <= db.last_us() <= told + SECOND


@for_each("offset_us", [5_000_000, -5_000_000])
def test_a_table_of_another_server_keeps_its_own_clock(offset_us: int) -> None:
    """What is told of it to the server's timekeeper, and what that answers, is shifted by the difference."""
    told: list[tuple[object, ...]] = []

    class Keeping(ClockWatermark):
        def __init__(self) -> None:
            """Keep nothing."""

        def durable_time(self, at: int) -> int:
            return at - 7

        def track(self, table_id: int, until: int | None) -> None:
            told.append((table_id, until))

        def advance(self, at: int) -> None:
            told.append((at,))

    shifted = ShiftedClockWatermark(Keeping(), offset_us)
    at = 1_000_000_000
    shifted.track(3, at + offset_us)
    shifted.track(3, None)
    shifted.advance(at + offset_us)
    assert [(3, at), (3, None), (at,)] == told
    assert at + offset_us - 7 == shifted.durable_time(at + offset_us)


@virtual
async def test_the_time_goes_on_between_hands(path: Path) -> None:
    """Whoever comes then is told how long ago the hand has ended, which says when the next one begins."""
    async with opened(path) as (registry, _):
        room, _ = await begin(registry, time_limit_ms=60_000, tally_ms=60_000, hands=2)
        signal_at = room.table.hand_clock.signal_at
        assert signal_at is not None
        await asyncio.sleep(100)
        assert room.shown.view.phase == Phase.TALLY
        assert now() - signal_at - 30_000 <= 1_000 * shown(room).elapsed_ms <= now() - signal_at
