"""What waits for spectators who see a table later: bounded in bytes, and never shown too early."""

import asyncio
import gc
import weakref
from itertools import count
from typing import Any, Final

import pytest

from racing_demon_protocol.enums import Reaction
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.codec import Encoding
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Event, Said
from racing_demon_protocol.wire.messages.server import Snapshot
from racing_demon_protocol.wire.options import Options
from racing_demon_server.encoded_messages import EncodedEvent
from racing_demon_server.match.hand import HandClock
from racing_demon_server.tables.feed import Backlog, Reader
from racing_demon_server.tables.room import Room
from racing_demon_server.tables.spectators import STEP_SECONDS
from tests.support.builds import pure
from tests.support.cases import for_each
from tests.support.effort import amount
from tests.support.virtual_rooms import FakeConnection, in_virtual_time, now, open_room, say, seat_at, virtual

DELAY: Final = 60
MAX_BYTES: Final = 20_000
SECOND_US: Final = 1_000_000
SNAPSHOTS: Final = 3_000
"""More than two snapshots take."""
DELAYED: Final[dict[str, Any]] = {"watch_delay_ms": DELAY * 1_000}


def mirror(conn: FakeConnection) -> TableState:
    """Return the table as somebody has heard of it."""
    view: TableState | None = None
    for message in conn.heard:
        if isinstance(message, Snapshot):
            view = TableState.from_snapshot(message)
        elif isinstance(message, Event):
            assert view is not None
            view.apply(message)
    assert view is not None
    return view


async def change(
    room: Room, host: FakeConnection, counters: "count[int]", number: int, **more: object
) -> None:
    """Change a table's options so often."""
    for _ in range(number):
        counter = next(counters)
        options = Options.model_validate({**DELAYED, "hands": 1 + counter % 100, **more})
        await say(room, host, 0, cl.SetOptions(counter=counter, options=options))


@virtual
async def test_what_waits_of_one_table_is_bounded() -> None:
    """However much happens at a table, no more waits for its spectators than its bound and two snapshots."""
    backlog = Backlog(MAX_BYTES, 10 * MAX_BYTES)
    room = open_room(backlog=backlog, **DELAYED)
    _, ann = seat_at(room, "Ann")
    counters, sizes = count(1), []
    for _ in range(3 * DELAY):
        await change(room, ann, counters, 10)
        sizes.append(backlog.size)
        await asyncio.sleep(1)
    assert MAX_BYTES / 2 < max(sizes) < MAX_BYTES + SNAPSHOTS
    room.close()
    assert backlog.size == 0


class Held:
    """A table whose events are held back for a second."""

    def __init__(self) -> None:
        self.view = self.settled = TableState("TEST", Options())
        self.hand_clock = HandClock()

    @staticmethod
    def hold_us() -> int:
        """Return how long."""
        return SECOND_US

    @staticmethod
    def durable_time(at: int) -> int:
        """Return the argument."""
        return at


def reader_of(backlog: Backlog) -> Reader:
    """Return a reader for whom an event is held back."""
    reader = Reader(Held(), lambda: 0, backlog)
    reader.append([EncodedEvent(Said(seq=1, seat=0, text="a" * 100), 0)], None)
    return reader


@pytest.mark.long
@pure("refers weakly to a reader")
def test_a_reader_for_whom_nothing_is_held_back_is_not_kept() -> None:
    """Neither one that has gone on nor one that was closed: tables come and go by the thousands."""
    backlog = Backlog(MAX_BYTES, 10 * MAX_BYTES)
    readers = [reader_of(backlog) for _ in range(2)]
    kept = [weakref.ref(reader) for reader in readers]
    assert [entry.seq for entry in readers[0].take(SECOND_US, 10)] == [1]
    readers[1].close()
    readers.clear()
    gc.collect()
    assert [reference() for reference in kept] == [None, None]
    assert backlog.size == 0


@pytest.mark.long
@for_each("encoding", [Encoding.MSGPACK, pytest.param(Encoding.JSON, marks=pytest.mark.long)])
def test_spectators_of_a_table_where_too_much_happens_see_it_in_steps(encoding: Encoding) -> None:
    """They see nothing before its time, something new every other delay, and in the end all of it."""
    in_virtual_time(see_in_steps(encoding))


async def see_in_steps(encoding: Encoding) -> None:
    """Let much happen at a table, and see it as its spectators and those who come later do."""
    room = open_room(backlog=Backlog(MAX_BYTES, 10 * MAX_BYTES), **DELAYED)
    _, ann = seat_at(room, "Ann")
    eve, counters, reached = FakeConnection(encoding), count(1), [room.table.view.seq]
    room.broadcast.watch(eve)
    for second in range(amount(3, 5) * DELAY):
        await change(room, ann, counters, 10)
        await asyncio.sleep(0.5)
        reached.append(room.table.view.seq)
        late = FakeConnection()
        room.broadcast.watch(late)
        room.broadcast.discard(late)
        for seen in (mirror(eve).seq, late.snapshots[-1].seq):
            assert seen <= reached[max(0, second + 1 - DELAY)]
            assert seen >= reached[max(0, second - 1 - 2 * DELAY)]
        await asyncio.sleep(0.5)
    await asyncio.sleep(DELAY + 1)
    assert room.table.view.snapshot_for(None, 0) == mirror(eve).snapshot_for(None, 0)


@pytest.mark.long
@virtual
async def test_the_longest_queue_makes_room() -> None:
    """Where too much waits at all tables together, the spectators of the busiest get a snapshot."""
    backlog = Backlog(10 * MAX_BYTES, 2 * MAX_BYTES)
    busy, calm = (open_room(backlog=backlog, **DELAYED) for _ in range(2))
    conns = [seat_at(room, "Ann")[1] for room in (busy, calm)]
    eves = [FakeConnection(), FakeConnection()]
    for room, eve in zip((busy, calm), eves, strict=True):
        room.broadcast.watch(eve)
    counters = count(1), count(1)
    for second in range(DELAY):
        await change(busy, conns[0], counters[0], 20)
        await change(calm, conns[1], counters[1], second % 10 == 0)
        assert backlog.size < 2 * MAX_BYTES + SNAPSHOTS
        await asyncio.sleep(0.5)
    await asyncio.sleep(2 * DELAY)
    assert len(eves[0].snapshots) > 1
    assert len(eves[1].snapshots) == 1
    for room, eve in zip((busy, calm), eves, strict=True):
        assert room.table.view.seq == mirror(eve).seq
    assert backlog.size == 0


@virtual
async def test_the_time_of_the_hand_is_right_after_a_snapshot() -> None:
    """Spectators are told the time of the hand that they see, also where a snapshot replaced events."""
    room = open_room(backlog=Backlog(600, MAX_BYTES), **DELAYED)
    _, ann = seat_at(room, "Ann")
    await say(room, ann, 0, cl.Start(counter=1))
    began = now()
    eve = FakeConnection()
    for counter in range(2, 7):
        await asyncio.sleep(10)
        await say(room, ann, 0, cl.React(counter=counter, reaction=Reaction.LAUGH))
    await asyncio.sleep(DELAY + STEP_SECONDS)
    room.broadcast.watch(eve)
    lag_ms = (now() - began) // 1_000 - eve.snapshots[-1].elapsed_ms
    assert lag_ms == pytest.approx(DELAY * 1_000, abs=2)
    assert eve.snapshots[-1].hand == 1


@virtual
async def test_a_delay_that_comes_and_goes_bounds_nothing_less() -> None:
    """What waits is counted, too, where the host takes the delay away and sets it again all the time."""
    backlog = Backlog(MAX_BYTES, 10 * MAX_BYTES)
    room = open_room(backlog=backlog, **DELAYED)
    _, ann = seat_at(room, "Ann")
    eve, counters = FakeConnection(), count(1)
    room.broadcast.watch(eve)
    for second in range(DELAY):
        await change(room, ann, counters, 10, watch_delay_ms=DELAY * 1_000 * (second % 2))
        assert backlog.size < MAX_BYTES + SNAPSHOTS
        await asyncio.sleep(1)
    await asyncio.sleep(2 * DELAY)
    assert room.table.view.seq == mirror(eve).seq


def test_a_snapshot_that_is_longer_than_what_it_replaces_is_taken_once() -> None:
    """There is not less then, and it is not replaced again."""
    (entry,) = reader_of(Backlog(10_000, 50)).take(SECOND_US, 10)
    assert entry.is_snapshot
