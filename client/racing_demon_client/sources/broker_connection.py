"""The connection to an MQTT broker, and the client's only use of aiomqtt."""

import asyncio
import contextlib
import logging
import os
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Final
from urllib.parse import urlsplit

import aiomqtt

from racing_demon_client.errors import ConnectionFailed
from racing_demon_protocol.discovery.broker_address import parse_broker

PATIENCE: Final = 5.0
"""The timeout for any answer of the broker, in seconds."""
QUIET_SECONDS: Final = 0.5
"""After this many seconds without a message, all retained messages have arrived."""
MOST_SECONDS: Final = 3.0
KEEPALIVE: Final = 4
MOST_WAITING: Final = 2_000
"""The maximum number of queued messages. More are dropped, and the next snapshot makes up for them."""

# Silence the library's log: users see exceptions and notices instead.
_silent = logging.getLogger("racing_demon_client.mqtt")
_silent.setLevel(logging.CRITICAL + 1)


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[aiomqtt.Client]:
    """Connect to a broker.

    Raises:
        ConnectionFailed: it cannot be reached, refused the connection, or the connection was lost.

    """
    client = _client(url)
    with explained(url):
        async with client:
            yield client


@contextlib.contextmanager
def explained(url: str) -> Iterator[None]:
    """Translate the library's errors into a sentence for the user, without the password."""
    try:
        yield
    except aiomqtt.MqttError as error:
        text = f"The broker at {urlsplit(url).hostname} cannot be used: {error}."
        raise ConnectionFailed(text) from None


def _client(url: str) -> aiomqtt.Client:
    try:
        address = parse_broker(url, os.environ)
        tls = ssl.create_default_context(cafile=address.ca) if address.tls else None
    except ValueError as error:
        raise ConnectionFailed(f"The broker's address is invalid: {error}.") from None
    except OSError as error:
        raise ConnectionFailed(f"The certificate file cannot be used: {error.strerror}.") from None
    return aiomqtt.Client(
        address.host,
        address.port,
        username=address.user,
        password=address.password,
        tls_context=tls,
        timeout=PATIENCE,
        keepalive=KEEPALIVE,
        max_queued_incoming_messages=MOST_WAITING,
        logger=_silent,
    )


async def until_quiet(mqtt: aiomqtt.Client) -> AsyncIterator[aiomqtt.Message]:
    """Yield messages until none has come for a moment, or there are too many."""
    messages, loop = mqtt.messages, asyncio.get_running_loop()
    end = loop.time() + MOST_SECONDS
    with contextlib.suppress(TimeoutError, StopAsyncIteration):
        while loop.time() < end:
            yield await asyncio.wait_for(anext(messages), QUIET_SECONDS)


def payload_of(message: aiomqtt.Message) -> bytes:
    """Return a message's payload as bytes."""
    return message.payload if isinstance(message.payload, bytes) else b""
