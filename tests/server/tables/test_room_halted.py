"""A room whose disk takes nothing for a while."""

import asyncio
import random
from pathlib import Path

from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Readied
from racing_demon_protocol.wire.messages.server import Accepted, Halted, Refused
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.observer import Observer
from racing_demon_server.tables.registry import Registry
from tests.support.virtual_journal import VirtualJournal
from tests.support.virtual_rooms import FakeConnection, answered, now, open_room, say, seat_at, virtual


class Measuring(Observer):
    """Notes which commands were answered, and how long that took, in microseconds."""

    def __init__(self) -> None:
        self.took: list[tuple[cl.Command, int]] = []

    def answered(self, table: object, command: cl.Command, reply: object, took_us: int) -> None:
        """Note it."""
        self.took.append((command, took_us))


@virtual
async def test_what_was_judged_before_the_disk_was_full_is_not_refused(tmp_path: Path) -> None:
    """Sent again meanwhile it is answered when its event is told, not before; a new command is refused."""
    journal = VirtualJournal(tmp_path / "journal.db", random.Random(1))
    room = Registry(ServerSettings(), now, journal).open(Options())
    conn = FakeConnection()
    room.broadcast.take_seat(conn, room.join("Ann", b"token", ""))
    await journal.drained()
    room.broadcast.catch_up(conn, 0)
    journal.is_failing = True
    command = cl.Ready(counter=1)
    room.put(conn, 0, command, now())
    await asyncio.sleep(1)
    assert room.is_halted
    room.put(conn, 0, command, now())
    room.put(conn, 0, cl.Ready(counter=2), now())
    await asyncio.sleep(1)
    assert [reply.reason for reply in conn.replies if isinstance(reply, Refused)] == [Reason.HALTED]
    assert not [event for event in conn.events if isinstance(event, Readied)]
    assert not [reply for reply in conn.replies if isinstance(reply, Accepted)]
    journal.is_failing = False
    await asyncio.sleep(1)
    assert len([event for event in conn.events if isinstance(event, Readied)]) == 1
    assert [reply.counter for reply in conn.replies if isinstance(reply, Accepted)] == [1, 1]
    room.close()
    journal.close()


@virtual
async def test_what_was_sent_again_to_a_halted_room_is_measured() -> None:
    """Observers hear how long the answer has taken, from the moment in which it was read."""
    observing = Measuring()
    room = Registry(ServerSettings(), now, NullJournal(), [observing]).open(Options())
    ann, conn = seat_at(room, "Ann")
    ready = cl.Ready(counter=1)
    await say(room, conn, ann, ready)
    room.halt(True)
    room.put(conn, ann, ready, now() - 700)
    await answered()
    assert [(ready, 0), (ready, 700)] == observing.took
    room.close()


@virtual
async def test_a_hand_stands_still_while_a_room_is_halted() -> None:
    """Its clock does, too, and goes on with the room."""
    room = open_room()
    (ann, conn), _ = seat_at(room, "Ann"), seat_at(room, "Ben")
    await say(room, conn, ann, cl.Start(counter=1))
    await asyncio.sleep(1)
    assert Phase.PLAYING is room.table.view.phase
    room.halt(True)
    elapsed = room.table.hand_clock.elapsed_ms(now())
    await asyncio.sleep(100)
    assert (True, elapsed) == (room.table.view.paused, room.table.hand_clock.elapsed_ms(now()))
    room.halt(False)
    await asyncio.sleep(1)
    assert (False, elapsed + 1_000) == (room.table.view.paused, room.table.hand_clock.elapsed_ms(now()))
    room.close()


@virtual
async def test_everybody_is_told_when_a_room_is_halted_and_when_it_goes_on() -> None:
    """Players and spectators, once each way."""
    room = open_room()
    (_, ann), eve = seat_at(room, "Ann"), FakeConnection()
    room.broadcast.watch(eve)
    for halted in (True, False):
        room.halt(halted)
    for conn in (ann, eve):
        assert [told.halted for told in conn.heard if isinstance(told, Halted)] == [True, False]
    room.close()


@virtual
async def test_who_does_not_speak_for_a_seat_any_more_is_not_told_its_answers() -> None:
    """While the table is halted a connection that was taken over is refused, whatever it sends again."""
    room = open_room()
    _, ann = seat_at(room, "Ann")
    await say(room, ann, 0, cl.Ready(counter=1))
    room.broadcast.take_seat(FakeConnection(), 0)
    room.halt(True)
    await say(room, ann, 0, cl.Ready(counter=1))
    assert [reply.reason for reply in ann.replies if isinstance(reply, Refused)] == [Reason.HALTED]
