"""What a room makes of those who have no seat, of a stop, and of what is due already."""

import asyncio
import gc
import weakref
from collections.abc import Sequence
from typing import Any

from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Accepted, Refused
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.match.seat_tokens import GONE
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.observer import Observer
from racing_demon_server.tables.registry import Registry
from racing_demon_server.tables.room import Room
from tests.support.builds import pure
from tests.support.virtual_rooms import (
    FakeConnection,
    RoundingLoop,
    answered,
    in_virtual_time,
    now,
    open_room,
    say,
    seat_at,
    virtual,
)

READY = cl.Ready(counter=1, ready=True)


class Observing(Observer):
    """Notes what was answered, and which plays were counted."""

    def __init__(self) -> None:
        self.answers: list[tuple[cl.Command, Accepted | Refused, int]] = []
        self.counted: list[Sequence[int]] = []

    def carried_out(self, table: object, took_us: Sequence[int]) -> None:
        """Note it."""
        self.counted.append(took_us)

    def answered(self, table: object, command: cl.Command, reply: Accepted | Refused, took_us: int) -> None:
        """Note it."""
        self.answers.append((command, reply, took_us))


@virtual
async def test_a_spectator_hears_that_it_has_no_seat() -> None:
    """Whoever looks on and sends a command is told that the seat was given up."""
    room, eve = open_room(), FakeConnection()
    room.broadcast.watch(eve)
    await say(room, eve, 0, READY)
    assert [Refused(counter=1, reason=Reason.NOT_SEATED, text=GONE)] == eve.replies


@virtual
async def test_an_older_connection_hears_that_it_has_no_seat() -> None:
    """Whoever lost the seat to another connection is told so."""
    room = open_room()
    ann, older = seat_at(room, "Ann")
    room.broadcast.take_seat(FakeConnection(), ann)
    await say(room, older, ann, READY)
    text = "This connection no longer has that seat."
    assert [Refused(counter=1, reason=Reason.NOT_SEATED, text=text)] == older.replies


@virtual
async def test_a_refusal_without_a_seat_is_measured_and_is_no_play() -> None:
    """Observers hear the command, its answer, and how long that took; nothing is counted as played."""
    observing = Observing()
    room = Registry(ServerSettings(), now, NullJournal(), [observing]).open(Options())
    ann, older = seat_at(room, "Ann")
    room.broadcast.take_seat(FakeConnection(), ann)
    room.put(older, ann, READY, now() - 500)
    await answered()
    (told,) = observing.answers
    assert (READY, older.replies[0], 500) == told
    assert observing.counted == []


@virtual
async def test_a_stopped_room_judges_nothing() -> None:
    """A command that arrives after the stop is not answered: the client sends it to the next server."""
    room = open_room()
    ann, conn = seat_at(room, "Ann")
    room.stop()
    await say(room, conn, ann, READY)
    assert conn.replies == []
    assert not room.table.view.seats[ann].ready


async def _closed_in_a_countdown() -> "weakref.ref[Room]":
    room = open_room(countdown_ms=10_000, contributions=False)
    ann, conn = seat_at(room, "Ann")
    await say(room, conn, ann, cl.AddBot(counter=1, level="easy"), cl.Start(counter=2))
    assert room.table.view.phase is Phase.COUNTDOWN
    room.close()
    return weakref.ref(room)


@pure("refers weakly to a room")
@virtual
async def test_a_closed_room_is_freed_before_its_timer() -> None:
    """A room that was closed in a countdown is not held until the signal would have come."""
    room = await _closed_in_a_countdown()
    gc.collect()
    assert room() is None


def test_what_is_due_just_now_is_done_before_anything_else() -> None:
    """Whoever comes at the moment of the signal comes after it, though the timer has not run yet."""

    async def history() -> None:
        room = open_room(countdown_ms=1_000, contributions=False)
        ann, conn = seat_at(room, "Ann")
        await say(room, conn, ann, cl.AddBot(counter=1, level="easy"), cl.Start(counter=2))
        assert room.table.view.phase is Phase.COUNTDOWN
        loop, due = asyncio.get_running_loop(), room.table.next_timer_at
        assert isinstance(loop, RoundingLoop)
        assert due is not None
        loop.let_pass((due - now()) / 1e6)
        assert due == room.catch_up()
        assert room.table.view.phase is not Phase.COUNTDOWN
        room.close()

    in_virtual_time(history(), RoundingLoop)


def test_what_was_due_is_done_no_more_where_a_command_came_before_it() -> None:
    """A pause that was read just before the signal leaves the timer, which comes late, nothing to do."""

    async def history() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, RoundingLoop)
        failures: list[dict[str, Any]] = []
        loop.set_exception_handler(lambda _, what: failures.append(what))
        room = open_room(countdown_ms=1_000, contributions=False)
        (ann, conn), _ = seat_at(room, "Ann"), seat_at(room, "Ben")
        await say(room, conn, ann, cl.Start(counter=1))
        due = room.table.next_timer_at
        assert due is not None
        loop.call_at((due - 1_000) / 1e6, room.put, conn, ann, cl.Pause(counter=2, paused=True), due - 1_000)
        loop.let_pass((due - now()) / 1e6 + 1)
        await asyncio.sleep(0.01)
        assert (room.table.view.paused, room.table.view.phase) == (True, Phase.COUNTDOWN)
        assert room.table.next_timer_at is None
        assert failures == []
        room.close()

    in_virtual_time(history(), RoundingLoop)
