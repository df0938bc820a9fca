"""The publisher, with a broker that is only played, in virtual time."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest

from racing_demon_protocol.discovery.broker_address import BrokerAddress
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_server.mqtt import publisher
from racing_demon_server.mqtt.broker_connection import BrokerConnection, BrokerGone
from racing_demon_server.mqtt.publish_queue import Outgoing
from racing_demon_server.mqtt.publisher import BATCH, GOODBYE_SECONDS, Publisher
from racing_demon_server.mqtt.topics import Topics
from tests.support.tables import SECOND
from tests.support.virtual_rooms import now, open_room, say, seat_at, virtual


class PlayedBroker:
    """Brokers one after the other, each with what it was told.

    Args:
        fails_after: after how many messages each of the first ones fails.
        silent_after: after how many seconds without a message each of these is found to be gone.
        left: the tables that every one of them has kept.
        error: what a failure raises.

    """

    def __init__(
        self,
        fails_after: list[int],
        silent_after: list[float] | None = None,
        *,
        left: Sequence[str] = ("gone",),
        error: Exception | None = None,
    ) -> None:
        self.told: list[list[Outgoing]] = []
        self.began: list[int] = []
        self.connections = 0
        self.hangs = False
        self._left = left
        self._error = error or BrokerGone("it went away")
        self._fails_after = fails_after
        self._silent_after = silent_after or []

    @asynccontextmanager
    async def connected(self, address: BrokerAddress, topics: Topics) -> AsyncIterator[BrokerConnection]:
        """Connect, in the place of the library."""
        told: list[Outgoing] = []
        self.told.append(told)
        self.began.append(now())
        most = self._fails_after.pop(0) if self._fails_after else 10**9
        seconds = self._silent_after.pop(0) if self._silent_after else 10**9
        listening: list[None] = []
        broker = self

        class Link(BrokerConnection):
            async def send(self, batch: Any) -> None:
                for message in batch:
                    if len(told) >= most:
                        raise broker._error
                    told.append(message)
                if broker.hangs:
                    await asyncio.Event().wait()

            async def listen(self, kept: Any) -> None:
                listening.append(None)
                for code in broker._left:
                    kept(f"rd/pub/hall/tables/{code}")
                try:
                    await asyncio.sleep(seconds)
                    raise BrokerGone("it said nothing")
                finally:
                    listening.pop()

        self.connections += 1
        try:
            yield Link(cast("Any", None), topics)
        finally:
            self.connections -= 1
            assert not listening


def _publisher(monkeypatch: pytest.MonkeyPatch, broker: PlayedBroker) -> Publisher:
    monkeypatch.setattr(publisher, "connected", broker.connected)
    address = BrokerAddress(host="broker", port=1883)
    return Publisher(address, Topics("hall"), now, homeassistant=True)


def test_what_a_lost_broker_may_not_have_got_is_told_to_the_next(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Pauses grow, each outage is told once, and the last broker has everything; the end is told, too."""
    broker = PlayedBroker([0, 1, 3, 2])

    @virtual
    async def history() -> None:
        room = open_room()
        publishing = _publisher(monkeypatch, broker)
        publishing.opened(room.shown)
        publishing.start(lambda: ["ws://192.0.2.1:5252"])
        assert publishing.online is False
        await asyncio.sleep(30)
        assert publishing.online
        assert (len(publishing.queue), publishing.queue.dropped) == (0, 0)
        publishing.closed(room.shown)
        await asyncio.sleep(1)
        await publishing.stop()
        assert publishing.online is False

    history()
    *_, last = broker.told
    assert len(broker.told) == 5
    pauses = [after - before for before, after in zip(broker.began, broker.began[1:], strict=False)]
    for number, pause in enumerate(pauses):
        assert 100_000 * 2**number <= pause <= 200_000 * 2**number + 1_000
    assert Outgoing("rd/pub/hall/status", b"online", 1, retain=True) == last[0]
    assert Outgoing("rd/pub/hall/status", b"offline", 1, retain=True) == last[-1]
    topics = [message.topic.rpartition("hall")[2] for message in last if message.payload]
    assert {"/status", "/tables/test", "/tables/test/state", "/tables/test/snapshot"} <= {*topics}
    assert sorted(
        message.topic for message in last if message.topic.startswith("homeassistant") and message.payload
    ) == [
        "homeassistant/event/rd_hall/demon/config",
        "homeassistant/sensor/rd_hall/test/config",
        "homeassistant/sensor/rd_hall/test_leader/config",
        "homeassistant/sensor/rd_hall/test_players/config",
        "homeassistant/sensor/rd_hall/test_points/config",
    ]
    emptied = {message.topic.rpartition("hall")[2] for message in last if not message.payload}
    assert {"/tables/gone", "/tables/test", "/tables/test/state", "/tables/test/snapshot"} <= emptied
    lost = "cannot be reached (it went away); tables go on, and it is tried again"
    said = [record.getMessage() for record in caplog.records]
    assert [f"the broker at broker:1883 {what}" for what in (lost, "is back")] * 4 == said
    assert not any(record.exc_info for record in caplog.records)


def test_a_broker_that_falls_silent_is_looked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though there is nothing to tell, its end is noticed; after a long connection pauses begin short."""
    broker = PlayedBroker([0, 0, 0, 0], [1, 1, 1, 1, 60, 60])

    @virtual
    async def history() -> None:
        publishing = _publisher(monkeypatch, broker)
        publishing.start(list)
        await asyncio.sleep(200)
        assert publishing.online
        await publishing.stop()

    history()
    *_, fifth, sixth, seventh = broker.began
    assert len(broker.began) == 7
    for later, earlier in ((sixth, fifth), (seventh, sixth)):
        assert 60_100_000 <= later - earlier <= 60_201_000


def test_a_table_that_is_closed_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many tables come and go, what is kept of each is gone once the broker was told."""
    broker = PlayedBroker([])

    @virtual
    async def history() -> None:
        room = open_room()
        publishing = _publisher(monkeypatch, broker)
        publishing.start(list)
        await asyncio.sleep(1)
        queue = publishing.queue
        before = {name: repr(value) for name, value in vars(queue).items() if name != "_numbers"}
        for _ in range(3):
            publishing.opened(room.shown)
            await asyncio.sleep(6)
            publishing.closed(room.shown)
            await asyncio.sleep(6)
            kept = {name: repr(value) for name, value in vars(queue).items() if name != "_numbers"}
            assert before == kept
        await publishing.stop()

    history()


def test_a_mistake_ends_no_publishing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is told with its traceback, and the next connection has everything."""
    broker = PlayedBroker([1], error=ZeroDivisionError("a mistake"))

    @virtual
    async def history() -> None:
        publishing = _publisher(monkeypatch, broker)
        publishing.opened(open_room().shown)
        publishing.start(list)
        await asyncio.sleep(2)
        assert publishing.online
        await publishing.stop()

    history()
    assert "rd/pub/hall/tables/test" in {message.topic for message in broker.told[-1]}
    lost, back = caplog.records
    assert lost.exc_info is not None
    assert lost.exc_info[0] is ZeroDivisionError
    assert back.getMessage().endswith("is back")


def test_what_waits_is_told_without_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many batches it takes."""
    broker = PlayedBroker([], left=[f"b{number}" for number in range(10 * BATCH)])

    @virtual
    async def history() -> None:
        publishing = _publisher(monkeypatch, broker)
        publishing.start(list)
        await asyncio.sleep(0.001)
        assert len(publishing.queue) == 0
        assert sum(not message.payload for message in broker.told[0]) == 10 * BATCH
        await publishing.stop()

    history()


def test_a_server_that_stops_tells_all_that_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """In as many batches as it takes, and its own end last; then the connection is closed."""
    broker = PlayedBroker([], left=())

    @virtual
    async def history() -> None:
        publishing = _publisher(monkeypatch, broker)
        publishing.start(list)
        await asyncio.sleep(1)
        for number in range(3 * BATCH):
            publishing._tidy(f"rd/pub/hall/tables/b{number}")
        await publishing.stop()
        assert broker.connections == 0

    history()
    *removals, end = broker.told[0][-3 * BATCH - 1 :]
    assert not any(message.payload for message in removals)
    assert end.payload == b"offline"


def test_the_end_does_not_wait_for_a_broker_that_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server stops after three seconds, and nothing of its publisher is left."""
    broker = PlayedBroker([])

    @virtual
    async def history() -> None:
        publishing = _publisher(monkeypatch, broker)
        publishing.start(list)
        await asyncio.sleep(1)
        broker.hangs, began = True, now()
        await publishing.stop()
        assert now() - began == GOODBYE_SECONDS * SECOND
        assert broker.connections == 0

    history()


def test_a_server_stops_at_once_while_the_broker_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the midst of a pause before the next attempt."""
    broker = PlayedBroker([0] * 100)

    @virtual
    async def history() -> None:
        publishing = _publisher(monkeypatch, broker)
        publishing.start(list)
        await asyncio.sleep(20)
        attempts, began = len(broker.began), now()
        await publishing.stop()
        assert began == now()
        await asyncio.sleep(20)
        assert attempts == len(broker.began)

    history()
    last, last_but_one = broker.began[-1], broker.began[-2]
    assert last - last_but_one <= publisher.MAX_PAUSE * SECOND + 1


def test_what_is_due_later_is_told_then(monkeypatch: pytest.MonkeyPatch) -> None:
    """A record that changes soon after it was told is told again a quarter of a second after that."""
    broker = PlayedBroker([])

    @virtual
    async def history() -> None:
        publishing = _publisher(monkeypatch, broker)
        room = open_room(observers=[publishing])
        publishing.opened(room.shown)
        publishing.start(list)
        await asyncio.sleep(0.1)
        seat, conn = seat_at(room, "Ann")
        await say(room, conn, seat, cl.Ready(counter=1, ready=True))
        for seconds, records in ((0.1, 1), (0.1, 2)):
            await asyncio.sleep(seconds)
            topics = [message.topic for message in broker.told[0]]
            assert records == topics.count("rd/pub/hall/tables/test")
        await publishing.stop()

    history()


async def test_one_that_was_never_started_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has nothing to say goodbye to."""
    await _publisher(monkeypatch, PlayedBroker([])).stop()


async def test_a_failed_step_is_logged_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Play goes on, and the log does not fill."""
    publishing = _publisher(monkeypatch, PlayedBroker([]))
    for _ in range(2):
        publishing.opened(cast("Any", None))
    assert [record.getMessage() for record in caplog.records] == [
        "a table could not be published; this is not told again"
    ]
