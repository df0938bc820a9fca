"""A table that stays for 400 days: whoever comes is let in, and is told the time, however long it is."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from racing_demon_protocol.engine.deal import hand_seeds
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.wire.codec import decode_server
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Snapshot
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.mqtt.publish_queue import PublishQueue
from racing_demon_server.mqtt.topics import Topics
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.registry import Registry
from tests.support.cases import for_each
from tests.support.clocks import clock
from tests.support.servers import Peer, start
from tests.support.tables import MS, OpenTable, Sitting, of_type
from tests.support.virtual_rooms import open_room, say, seat_at, virtual

DAYS = 400
LONG_MS = DAYS * 24 * 3_600_000
"""Longer than 32 bits hold."""


class Slept:
    """A server on a clock that can be put forward, as that of a machine that has slept.

    Attributes:
        url: where it is.
        registry: its tables.

    """

    def __init__(self) -> None:
        self.url = ""
        self._slept = 0
        self.registry = Registry(ServerSettings(port=0), self.clock, NullJournal())

    def clock(self) -> int:
        """Return the microseconds on its clock."""
        return clock() + self._slept

    def sleep(self) -> None:
        """Let 400 days pass."""
        self._slept += LONG_MS * MS

    @classmethod
    @asynccontextmanager
    async def serving(cls) -> AsyncIterator["Slept"]:
        """Run it."""
        slept = cls()
        server = await start(ServerSettings(port=0), slept.registry, slept.clock)
        slept.url = f"ws://127.0.0.1:{server.port}/v1"
        try:
            yield slept
        finally:
            server.close()
            await server.wait_closed()
            slept.registry.close()


STATES: dict[str, tuple[list[type[cl.Command]], dict[str, Any]]] = {
    "lobby": ([], {}),
    "running": ([cl.Start], {}),
    "paused": ([cl.Start, cl.Pause], {}),
    "tally": ([cl.Start, cl.Stuck], {"hands": 2, "tally_ms": 600_000}),
    "over": ([cl.Start, cl.Stuck], {"hands": 1}),
}
"""By what commands of the only player a table comes to stand still, and with which options."""


@for_each("state", STATES)
async def test_after_400_days_all_are_let_in(state: str) -> None:
    """Whoever joins, watches or comes back to a table that stood for so long gets it, with its time."""
    commands, options = STATES[state]
    async with Slept.serving() as server, Peer.hosting(server.url, **options) as ann:
        for command in commands:
            await ann.ask(command)
        table = server.registry.room(ann.code).table
        phase = table.view.phase
        server.sleep()
        for request in (
            cl.Watch(code=ann.code),
            cl.Join(code=ann.code, name="Ben"),
            cl.Resume(code=ann.code, token=ann.token, seq=0),
        ):
            async with Peer.connect(server.url) as peer:
                await peer.greet()
                await peer.enter(request)
                told = await peer.until(Snapshot)
                assert told.elapsed_ms == pytest.approx(
                    table.hand_clock.elapsed_ms(server.clock()), abs=5_000
                )
                if phase is told.phase is Phase.PLAYING and not told.paused:
                    assert told.elapsed_ms >= LONG_MS


@virtual
async def test_a_room_lives_for_400_days() -> None:
    """Its timers and its listeners are as good as on the first day."""
    room = open_room(pause_after_ms=None, countdown_ms=3_000)
    ann, conn = seat_at(room, "Ann")
    await say(room, conn, ann, cl.Start(counter=1))
    await asyncio.sleep(3 + LONG_MS / 1_000)
    _, late = seat_at(room, "Ben")
    assert LONG_MS <= late.snapshots[-1].elapsed_ms < LONG_MS + 1_000
    await say(room, conn, ann, cl.Stuck(counter=2))
    (over,) = (event for event in late.events if isinstance(event, ev.HandOver))
    assert LONG_MS <= over.elapsed_ms < LONG_MS + 1_000
    room.close()


def test_a_hand_may_take_400_days() -> None:
    """Its end tells how long it took, and so does the tally that everybody keeps."""
    sitting = Sitting.playing(1)
    sitting.now += LONG_MS * MS
    (over,) = of_type(ev.HandOver, sitting.events(0, cl.Stuck))
    assert (over.elapsed_ms, sitting.mirror.results[0].elapsed_ms) == (LONG_MS, LONG_MS)


def test_a_hand_goes_on_after_a_pause_of_400_days() -> None:
    """A pause takes no time, and whoever is told of its end is told the time of the hand."""
    sitting = Sitting.playing(1)
    sitting.now += LONG_MS * MS
    sitting.events(0, cl.Pause)
    sitting.now += LONG_MS * MS
    (event,) = of_type(ev.Continued, sitting.events(0, cl.Pause, paused=False))
    assert event.elapsed_ms == LONG_MS


def test_a_broker_is_told_of_a_table_that_is_400_days_old() -> None:
    """What is published of it can be read: state, record and snapshot."""
    table = OpenTable("BCDF", Options(countdown_ms=0), hand_seeds(bytes(32)))
    queue = PublishQueue(Topics("a1"), homeassistant=False)
    queue.open(table, 0)
    table.join("Ann", b"token", 0)
    table.handle_command(0, cl.Start(counter=1), 0)
    table.run_until(0)
    sent = queue.pop_due(LONG_MS * MS, 1_000)
    snapshots = [decode_server(each.payload) for each in sent if each.topic.endswith("/snapshot")]
    assert [each.elapsed_ms for each in snapshots if isinstance(each, Snapshot)] == [LONG_MS]
