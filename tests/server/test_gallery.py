"""The spectators of a table: what they see, and when."""

import asyncio
import random
from pathlib import Path

from racing_demon_protocol.messages import client as cl
from racing_demon_protocol.options import Options
from racing_demon_server.hall import Hall
from racing_demon_server.room import Room
from racing_demon_server.settings import Settings

from ..support.rooms import Ear, in_virtual_time, now, say
from ..support.virtual_journal import VirtualJournal

DELAY = 60


def _seen_by_a_spectator(room: Room) -> int:
    ear = Ear()
    room.audience.watch(ear)
    assert ear.snapshots[-1].locked
    return ear.snapshots[-1].seq


def test_a_delay_goes_on_when_the_server_is_started_anew(tmp_path: Path) -> None:
    """Who watches sees the table as it was a minute ago, and then all that was to come, each in its time."""

    async def story() -> None:
        journal = VirtualJournal(tmp_path / "journal.db", random.Random(1))
        hall = Hall(Settings(), now, (), journal)
        room = hall.open(Options(watch_delay_ms=DELAY * 1_000, countdown_ms=0, hands=1), "sesame")
        ann = Ear()
        room.audience.take_seat(ann, room.join("Ann", b"token"))
        room.connect(0)
        await say(room, ann, 0, *(cl.AddBot(counter=number, level="hard") for number in (1, 2)))
        await asyncio.sleep(2 * DELAY)
        await say(room, ann, 0, cl.Start(counter=3))
        before = [room.table.view.seq]
        for _ in range(DELAY - 20):
            await asyncio.sleep(1)
            before.append(room.table.view.seq)
        assert before[-1] > before[0] + 20
        code = room.table.view.code
        hall.close(for_good=False)
        await journal.drained()
        journal.close()

        journal = VirtualJournal(tmp_path / "journal.db", random.Random(2))
        hall = Hall(Settings(), now, (), journal)
        hall.restore()
        room = hall.room(code)
        assert _seen_by_a_spectator(room) < before[0]
        await asyncio.sleep(DELAY - 20 + 10)
        seen = _seen_by_a_spectator(room)
        assert before[20] < seen < before[-1]
        await asyncio.sleep(DELAY)
        assert _seen_by_a_spectator(room) > before[-1]
        room.close()
        journal.close()

    in_virtual_time(story())
