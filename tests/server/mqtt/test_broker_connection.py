"""The adapter to the library, and the publisher on top of it, with a broker that is only played."""

import asyncio
import gc
import ipaddress
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

import aiomqtt
import pytest

from racing_demon_protocol.discovery.broker_address import BrokerAddress
from racing_demon_server.mqtt import broker_connection, publisher, setup
from racing_demon_server.mqtt.broker_connection import BrokerConnection, BrokerGone
from racing_demon_server.mqtt.outbox import Outgoing
from racing_demon_server.mqtt.publisher import Publisher
from racing_demon_server.mqtt.topics import Topics
from tests.support.rooms import now, open_room, virtual
from tests.support.servers import PATIENCE, within


class Library:
    """Plays the library: notes what is published, and fails when it is told to."""

    def __init__(self) -> None:
        self.published: list[Outgoing] = []
        self.fails = False

    async def publish(self, topic: str, payload: bytes, *, qos: int, retain: bool) -> None:
        """Note a message, or fail."""
        if self.fails:
            raise BrokerGone("gone")
        self.published.append(Outgoing(topic, payload, qos, retain))


def _connection(library: Library) -> BrokerConnection:
    return BrokerConnection(cast("aiomqtt.Client", library), Topics("hall"))


async def test_a_message_is_published_as_it_is() -> None:
    """Its topic, payload, quality and whether it is retained; the node's status is confirmed and kept."""
    library = Library()
    connection = _connection(library)
    batch = [Outgoing("a", b"1", 1, retain=True), Outgoing("b", b"2", 0), Outgoing("c", b"3", 2)]
    await connection.send(batch)
    await connection.send([])
    await connection.tell_status(b"online")
    status = Outgoing("rd/pub/hall/status", b"online", 1, retain=True)
    assert [*batch, status] == library.published


async def test_a_broker_that_is_gone_is_told() -> None:
    """Whoever sends hears that it failed."""
    library = Library()
    library.fails = True
    with pytest.raises(BrokerGone):
        await _connection(library).send([Outgoing("a", b"1")])


async def test_what_the_broker_has_kept_is_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Topics with retained messages are told for some seconds; then nothing more is listened to."""
    monkeypatch.setattr(broker_connection, "TIDY_SECONDS", 0.01)
    asked, kept, ended = list[object](), list[str](), asyncio.Event()

    class Quiet:
        async def subscribe(self, topics: object) -> None:
            asked.append(topics)

        async def unsubscribe(self, filters: object) -> None:
            asked.append(filters)
            ended.set()

        @property
        async def messages(self) -> AsyncIterator[aiomqtt.Message]:
            for topic, payload, retain in (("a", b"", True), ("b", b"1", False), ("c", b"1", True)):
                yield aiomqtt.Message(topic, payload, 0, retain, 1, None)
            await asyncio.Event().wait()

    connection = BrokerConnection(cast("aiomqtt.Client", Quiet()), Topics("hall"))
    listening = asyncio.create_task(connection.listen(kept.append))
    await within(PATIENCE, ended.wait())
    filters = Topics("hall").filters()
    assert [[(name, 0) for name in filters], filters] == asked
    assert ["c"] == kept
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)


@pytest.mark.parametrize("fault", [None, OSError(107, "not connected")])
async def test_what_the_library_leaves_is_closed_and_looked_at(fault: OSError | None) -> None:
    """Its socket is shut down, and no exception of its futures is left to be told by the loop."""
    loop, troubles = asyncio.get_running_loop(), list[dict[str, Any]]()
    loop.set_exception_handler(lambda _, context: troubles.append(context))
    shut = []

    class Socket:
        def shutdown(self, how: int) -> None:
            shut.append(how)
            if fault is not None:
                raise fault

    class Paho:
        def socket(self) -> Socket:
            return Socket()

    class Client:
        def __init__(self) -> None:
            self._client = Paho()
            self._connected, self._disconnected = loop.create_future(), loop.create_future()

    client = Client()
    broker_connection._cut(cast("aiomqtt.Client", client))
    assert [socket.SHUT_RDWR] == shut
    client._connected.cancel()
    client._disconnected.set_exception(BrokerGone("gone"))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    del client
    gc.collect()
    await asyncio.sleep(0)
    assert [] == troubles


def test_addresses_for_players_are_the_machine_s_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four at most, IPv6 in brackets; one that was chosen stands alone."""
    found = [ipaddress.ip_interface(text) for text in ("192.0.2.1/24", "2001:db8::1/64", *["10.0.0.9/8"] * 3)]
    monkeypatch.setattr(setup, "reachable", lambda host, environ: [] if None in (host, environ) else found)
    known = ("ws://192.0.2.1:5252", "ws://[2001:db8::1]:5252", "ws://10.0.0.9:5252", "ws://10.0.0.9:5252")
    for host in ("", "0.0.0.0", "::"):  # noqa: S104
        assert known == setup.own_urls(host, 5252)
    assert ("ws://203.0.113.7:1",) == setup.own_urls("203.0.113.7", 1)
    assert ("ws://[2001:db8::2]:1",) == setup.own_urls("2001:db8::2", 1)


# The publisher.


class PlayedBroker:
    """Brokers one after the other, each with what it was told.

    Args:
        fails_after: after how many messages each of the first ones fails.
        silent_after: after how many seconds without a message each of these is found to be gone.

    """

    def __init__(self, fails_after: list[int], silent_after: list[float] | None = None) -> None:
        self.told: list[list[Outgoing]] = []
        self.began: list[int] = []
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

        class Link(BrokerConnection):
            async def send(self, batch: Any) -> None:
                for message in batch:
                    if len(told) >= most:
                        raise BrokerGone("it went away")
                    told.append(message)

            async def listen(self, kept: Any) -> None:
                listening.append(None)
                kept("rd/pub/hall/tables/gone")
                try:
                    await asyncio.sleep(seconds)
                    raise BrokerGone("it said nothing")
                finally:
                    listening.pop()

        try:
            yield Link(cast("aiomqtt.Client", None), topics)
        finally:
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
        publishing.start(["ws://192.0.2.1:5252"])
        assert not publishing.online
        await asyncio.sleep(30)
        assert publishing.online
        assert (0, 0) == (publishing.waiting, publishing.dropped)
        publishing.closed(room.shown)
        await asyncio.sleep(1)
        await publishing.stop()
        assert not publishing.online

    history()
    *_, last = broker.told
    assert 5 == len(broker.told)
    pauses = [after - before for before, after in zip(broker.began, broker.began[1:], strict=False)]
    for number, pause in enumerate(pauses):
        assert 100_000 * 2**number <= pause <= 200_000 * 2**number + 1_000
    assert Outgoing("rd/pub/hall/status", b"online", 1, retain=True) == last[0]
    assert Outgoing("rd/pub/hall/status", b"offline", 1, retain=True) == last[-1]
    topics = [message.topic.rpartition("hall")[2] for message in last if message.payload]
    assert {"/status", "/tables/test", "/tables/test/state", "/tables/test/snapshot"} <= {*topics}
    assert ["homeassistant/event/rd_hall/demon/config", "homeassistant/sensor/rd_hall/test/config"] == sorted(
        message.topic for message in last if message.topic.startswith("homeassistant") and message.payload
    )
    emptied = {message.topic.rpartition("hall")[2] for message in last if not message.payload}
    assert {"/tables/gone", "/tables/test", "/tables/test/state", "/tables/test/snapshot"} <= emptied
    lost = "cannot be reached (it went away); tables go on, and it is tried again"
    said = [record.getMessage() for record in caplog.records]
    assert [f"the broker at broker:1883 {what}" for what in (lost, "is back")] * 4 == said


def test_a_broker_that_falls_silent_is_looked_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though there is nothing to tell, its end is noticed; after a long connection pauses begin short."""
    broker = PlayedBroker([0, 0, 0, 0], [1, 1, 1, 1, 60, 60])

    @virtual
    async def history() -> None:
        publishing = _publisher(monkeypatch, broker)
        publishing.start([])
        await asyncio.sleep(200)
        assert publishing.online
        await publishing.stop()

    history()
    *_, fifth, sixth, seventh = broker.began
    assert 7 == len(broker.began)
    for later, earlier in ((sixth, fifth), (seventh, sixth)):
        assert 60_100_000 <= later - earlier <= 60_201_000


def test_a_table_that_is_closed_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many tables come and go, what is kept of each is gone once the broker was told."""
    broker = PlayedBroker([])

    @virtual
    async def history() -> None:
        room = open_room()
        publishing = _publisher(monkeypatch, broker)
        publishing.start([])
        await asyncio.sleep(1)
        outbox = publishing._outbox
        before = {name: repr(value) for name, value in vars(outbox).items() if name != "_numbers"}
        for _ in range(3):
            publishing.opened(room.shown)
            await asyncio.sleep(6)
            publishing.closed(room.shown)
            await asyncio.sleep(6)
            kept = {name: repr(value) for name, value in vars(outbox).items() if name != "_numbers"}
            assert before == kept
        await publishing.stop()

    history()


async def test_one_that_was_never_started_stops(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has nothing to say goodbye to."""
    await _publisher(monkeypatch, PlayedBroker([])).stop()


async def test_a_note_that_fails_is_told_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Play goes on, and the log does not fill."""
    publishing = _publisher(monkeypatch, PlayedBroker([]))
    for _ in range(2):
        publishing.opened(cast("Any", None))
    assert ["a table could not be published; this is not told again"] == [
        record.getMessage() for record in caplog.records
    ]
