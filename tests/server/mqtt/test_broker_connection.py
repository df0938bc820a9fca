"""The adapter to the library, and the publisher on top of it, with a broker that is only played."""

import asyncio
from collections.abc import AsyncIterator
from typing import cast

import aiomqtt
import pytest

from racing_demon_server.mqtt import broker_connection
from racing_demon_server.mqtt.broker_connection import BrokerConnection, BrokerGone
from racing_demon_server.mqtt.publish_queue import Outgoing
from racing_demon_server.mqtt.topics import Topics
from tests.support.servers import PATIENCE, timeout


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
    await connection.publish_status(b"online")
    status = Outgoing("rd/pub/hall/status", b"online", 1, retain=True)
    assert [*batch, status] == library.published


async def test_a_broker_that_is_gone_is_told() -> None:
    """Whoever sends hears that it failed."""
    library = Library()
    library.fails = True
    with pytest.raises(BrokerGone):
        await _connection(library).send([Outgoing("a", b"1")])


async def test_a_failure_is_told_when_nothing_is_on_its_way_any_more() -> None:
    """What is given back then is not being sent at the same time."""
    confirmed, begun = asyncio.Event(), asyncio.Event()

    class Slow(Library):
        async def publish(self, topic: str, payload: bytes, *, qos: int, retain: bool) -> None:
            if topic == "a":
                raise BrokerGone("gone")
            begun.set()
            await confirmed.wait()

    sending = asyncio.create_task(_connection(Slow()).send([Outgoing("a", b"1"), Outgoing("b", b"2")]))
    await begun.wait()
    for _ in range(3):
        await asyncio.sleep(0)
    assert not sending.done()
    confirmed.set()
    with pytest.raises(BrokerGone):
        await sending


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
    await timeout(PATIENCE, ended.wait())
    filters = Topics("hall").filters()
    assert [[(name, 0) for name in filters], filters] == asked
    assert kept == ["c"]
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)
