"""A room whose disk takes nothing for a while."""

import asyncio
import random
from pathlib import Path

from racing_demon_protocol.reasons import Reason
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Readied
from racing_demon_protocol.wire.messages.server import Accepted, Refused
from racing_demon_protocol.wire.options import Options
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.registry import Registry
from tests.support.rooms import Ear, in_virtual_time, now, open_room, say, seat_at, virtual
from tests.support.virtual_journal import VirtualJournal


def test_what_was_judged_before_the_disk_was_full_is_not_refused(tmp_path: Path) -> None:
    """Sent again meanwhile it is answered when its event is told, not before; a new command is refused."""

    async def history() -> None:
        journal = VirtualJournal(tmp_path / "journal.db", random.Random(1))
        room = Registry(ServerSettings(), now, journal).open(Options())
        ear = Ear()
        room.broadcast.take_seat(ear, room.join("Ann", b"token"))
        await journal.drained()
        room.broadcast.catch_up(ear, 0)
        journal.is_failing = True
        command = cl.Ready(counter=1)
        room.put(ear, 0, command, now())
        await asyncio.sleep(1)
        assert room.is_halted
        room.put(ear, 0, command, now())
        room.put(ear, 0, cl.Ready(counter=2), now())
        await asyncio.sleep(1)
        assert [Reason.HALTED] == [reply.reason for reply in ear.replies if isinstance(reply, Refused)]
        assert not [event for event in ear.events if isinstance(event, Readied)]
        assert not [reply for reply in ear.replies if isinstance(reply, Accepted)]
        journal.is_failing = False
        await asyncio.sleep(1)
        assert 1 == len([event for event in ear.events if isinstance(event, Readied)])
        assert [1, 1] == [reply.counter for reply in ear.replies if isinstance(reply, Accepted)]
        room.close()
        journal.close()

    in_virtual_time(history())


@virtual
async def test_who_does_not_speak_for_a_seat_any_more_is_not_told_its_answers() -> None:
    """While the table is halted a connection that was taken over is refused, whatever it sends again."""
    room = open_room()
    _, ann = seat_at(room, "Ann")
    await say(room, ann, 0, cl.Ready(counter=1))
    room.broadcast.take_seat(Ear(), 0)
    room.halt(True)
    await say(room, ann, 0, cl.Ready(counter=1))
    assert [Reason.HALTED] == [reply.reason for reply in ann.replies if isinstance(reply, Refused)]
