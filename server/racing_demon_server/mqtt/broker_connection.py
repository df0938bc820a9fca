"""A connection to the broker: the one adapter to aiomqtt."""

import asyncio
import contextlib
import logging
import secrets
import ssl
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Final

import aiomqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from racing_demon_protocol.discovery.broker_address import BrokerAddress

from .publish_queue import Outgoing
from .topics import Topics

PATIENCE: Final = 2.0
"""Seconds for the broker to answer a request."""
KEEPALIVE: Final = 4
"""Seconds of silence until the broker is pinged, and again until the connection counts as lost."""
TIDY_SECONDS: Final = 3.0
"""How long after connecting the broker may send its retained messages."""
MAX_INCOMING: Final = 10_000
MAX_PACKET: Final = 70_000
"""The most bytes of a message that a broker may send, which is longer than any of ours. Anybody who may write
to it may have left more below our topics, which would take minutes and much memory to read."""
OTHER_VERSION: Final = 132
"""A broker's answer if it does not know this version of MQTT."""

OFFLINE: Final = b"offline"
ONLINE: Final = b"online"

# Silence the library's logger: the publisher logs each outage once.
_silent = logging.getLogger("racing_demon_server.mqtt")
_silent.setLevel(logging.CRITICAL + 1)

BrokerGone = aiomqtt.MqttError
"""The broker cannot be reached, refuses the connection, or does not answer."""


class BrokerConnection:
    """An open connection."""

    def __init__(self, client: aiomqtt.Client, topics: Topics) -> None:
        self._client = client
        self._topics = topics

    async def send(self, batch: Sequence[Outgoing]) -> None:
        """Send messages in order, and return when the broker has confirmed those that it confirms.

        Raises:
            BrokerGone: it did not confirm them in time, or the connection is lost.

        """
        results = await asyncio.gather(*map(self._publish, batch), return_exceptions=True)
        for result in results:
            if isinstance(result, BaseException):
                raise result

    async def _publish(self, message: Outgoing) -> None:
        await self._client.publish(message.topic, message.payload, qos=message.qos, retain=message.retain)

    async def publish_status(self, status: bytes) -> None:
        """Publish whether this node is online."""
        await self.send([Outgoing(self._topics.status, status, 1, retain=True)])

    async def listen(self, retained: Callable[[str], None]) -> None:
        """Call back with each topic that has a retained message, and then wait for the connection's end.

        Raises:
            BrokerGone: the connection has ended.

        """
        filters = self._topics.filters()
        # A broker may allow us to publish only. Then nothing comes here, and the rest still works.
        await self._client.subscribe([(name, 0) for name in filters])
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(TIDY_SECONDS):
                async for message in self._client.messages:
                    if message.retain and message.payload:
                        retained(message.topic.value)
        await self._client.unsubscribe(filters)
        async for _ in self._client.messages:
            pass


def tls_context(address: BrokerAddress) -> ssl.SSLContext | None:
    """Return the TLS context that checks the broker's certificate; ``None`` without encryption.

    Raises:
        OSError: the file of certificates cannot be read, or holds none.

    """
    return ssl.create_default_context(cafile=address.ca) if address.tls else None


@asynccontextmanager
async def connected(address: BrokerAddress, topics: Topics) -> AsyncIterator[BrokerConnection]:
    """Connect to the broker. If the connection breaks, the broker publishes our last will.

    Raises:
        BrokerGone: that is not possible.
        OSError: the file of certificates cannot be read.

    """
    # Always the same client id: a broker then ends an earlier connection, and publishes its last will,
    # before it accepts the new one.
    will = aiomqtt.Will(topics.status, OFFLINE, 1, retain=True)
    async with _open(address, f"rd-{topics.node}", will) as client:
        yield BrokerConnection(client, topics)


async def connection_problem(address: BrokerAddress) -> str:
    """Connect to the broker and leave again. Return why that is not possible; empty if it is.

    The name is a random one, so that a server that runs keeps its connection.
    """
    try:
        async with _open(address, f"rd-{secrets.token_hex(8)}"):
            return ""
    except (aiomqtt.MqttError, OSError) as error:
        return str(error)


@asynccontextmanager
async def _open(
    address: BrokerAddress, identifier: str, will: aiomqtt.Will | None = None
) -> AsyncIterator[aiomqtt.Client]:
    """Connect with MQTT 5, in which a broker keeps what is too long to itself; with 3.1.1 if it must be."""
    longest = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
    longest.MaximumPacketSize = MAX_PACKET
    make = partial(
        aiomqtt.Client,
        address.host,
        address.port,
        username=address.user,
        password=address.password,
        identifier=identifier,
        will=will,
        tls_context=tls_context(address),
        timeout=PATIENCE,
        keepalive=KEEPALIVE,
        max_queued_incoming_messages=MAX_INCOMING,
        logger=_silent,
    )
    async with AsyncExitStack() as stack:
        try:
            client = make(protocol=aiomqtt.ProtocolVersion.V5, properties=longest)
            await stack.enter_async_context(_closing(client))
        except aiomqtt.MqttCodeError as error:
            if getattr(error.rc, "value", None) != OTHER_VERSION:
                raise
            client = make(protocol=aiomqtt.ProtocolVersion.V311)
            await stack.enter_async_context(_closing(client))
        yield client


@asynccontextmanager
async def _closing(client: aiomqtt.Client) -> AsyncIterator[None]:
    """Connect, and close what the library leaves open when a broker does not answer in time."""
    # The library forgets it unread if a broker hangs up at once, and the loop would warn of it.
    client._disconnected.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
    try:
        async with client:
            yield
    finally:
        client.timeout = 0  # whoever has not answered is not waited for again
        with contextlib.suppress(aiomqtt.MqttError):
            await client.__aexit__(None, None, None)
