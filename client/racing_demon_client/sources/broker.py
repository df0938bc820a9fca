"""List and watch tables through an MQTT broker, without connecting to their servers.

Anyone with write access to the broker may have sent a message. So messages are limited and validated, and an
event that does not fit is ignored until the table's next snapshot. This is the client's only use of aiomqtt.
"""

import asyncio
import contextlib
import json
import logging
import os
import re
import ssl
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Final
from urllib.parse import urlsplit

import aiomqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from pydantic import ValidationError

from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.net.table_client import SpectatorClient
from racing_demon_client.shared.rules_text import title_of
from racing_demon_protocol.discovery.broker_address import parse_broker
from racing_demon_protocol.discovery.directory import CODE, NODE, ROOT, ListedTable
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused, InvalidFrame
from racing_demon_protocol.table.state import BETWEEN_MATCHES, TableState
from racing_demon_protocol.wire.codec import MAX_SERVER_FRAME, decode_server
from racing_demon_protocol.wire.messages import Event, Message
from racing_demon_protocol.wire.messages.server import Pong, Snapshot

ANSWER_SECONDS: Final = 5.0
"""The timeout for any answer of the broker, in seconds."""
QUIET_SECONDS: Final = 0.5
"""After this many seconds without a message, all retained messages have arrived."""
MAX_LISTEN_SECONDS: Final = 3.0
KEEPALIVE: Final = 4
MAX_QUEUED: Final = 2_000
"""The maximum number of queued messages. More are dropped, and the next snapshot makes up for them."""

MAX_PACKET: Final = MAX_SERVER_FRAME + 4_096
"""The most bytes of a message that a broker may send: an event or a snapshot, and its topic."""
OTHER_VERSION: Final = 132
"""A broker's answer if it does not know this version of MQTT."""

# Silence the library's log: users see exceptions and notices instead.
_silent = logging.getLogger("racing_demon_client.mqtt")
_silent.setLevel(logging.CRITICAL + 1)


@asynccontextmanager
async def connected(url: str) -> AsyncIterator[aiomqtt.Client]:
    """Connect to a broker.

    Raises:
        ConnectionFailed: it cannot be reached, refused the connection, or the connection was lost.

    """
    make = _client(url)
    longest = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
    longest.MaximumPacketSize = MAX_PACKET
    with explained(url):
        async with AsyncExitStack() as stack:
            try:  # in this version a broker keeps what is too long to itself
                client = make(protocol=aiomqtt.ProtocolVersion.V5, properties=longest)
                await _enter(stack, client)
            except aiomqtt.MqttCodeError as error:
                if getattr(error.rc, "value", None) != OTHER_VERSION:
                    raise
                client = make(protocol=aiomqtt.ProtocolVersion.V311)
                await _enter(stack, client)
            yield client


async def _enter(stack: AsyncExitStack, client: aiomqtt.Client) -> None:
    # The library forgets it unread if a broker hangs up at once, and the loop would warn of it.
    client._disconnected.add_done_callback(lambda ended: ended.cancelled() or ended.exception())
    await stack.enter_async_context(client)


@contextlib.contextmanager
def explained(url: str) -> Iterator[None]:
    """Translate the library's errors into a sentence for the user, without the password."""
    try:
        yield
    except aiomqtt.MqttError as error:
        text = f"The broker at {urlsplit(url).hostname} cannot be used: {error}."
        raise ConnectionFailed(text) from None


class ShortMessages(asyncio.Queue[aiomqtt.Message]):
    """Messages that wait, but for those that are too long, whatever the broker was asked for."""

    def put_nowait(self, item: aiomqtt.Message) -> None:
        """Add a message that is not too long."""
        if len(payload_of(item)) <= MAX_PACKET:
            super().put_nowait(item)


def _client(url: str) -> Callable[..., aiomqtt.Client]:
    """Return what makes a client, for a version of the protocol."""
    try:
        address = parse_broker(url, os.environ)
        tls = ssl.create_default_context(cafile=address.ca) if address.tls else None
    except ValueError as error:
        raise ConnectionFailed(f"The broker's address is invalid: {error}.") from None
    except OSError as error:
        raise ConnectionFailed(f"The certificate file cannot be used: {error.strerror}.") from None
    return partial(
        aiomqtt.Client,
        address.host,
        address.port,
        username=address.user,
        password=address.password,
        tls_context=tls,
        timeout=ANSWER_SECONDS,
        keepalive=KEEPALIVE,
        queue_type=ShortMessages,
        max_queued_incoming_messages=MAX_QUEUED,
        logger=_silent,
    )


async def until_quiet(mqtt: aiomqtt.Client) -> AsyncIterator[aiomqtt.Message]:
    """Yield messages until none has come for a moment, or there are too many."""
    messages, loop = mqtt.messages, asyncio.get_running_loop()
    end = loop.time() + MAX_LISTEN_SECONDS
    with contextlib.suppress(TimeoutError, StopAsyncIteration):
        while loop.time() < end:
            yield await asyncio.wait_for(anext(messages), QUIET_SECONDS)


def payload_of(message: aiomqtt.Message) -> bytes:
    """Return a message's payload as bytes."""
    return message.payload if isinstance(message.payload, bytes) else b""


MAX_RECORD: Final = 16_384
"""The maximum size of a table's record in bytes."""
MAX_TABLES: Final = 5_000
FIRST_PAUSE: Final = 0.2
MAX_PAUSE_SECONDS: Final = 3.0

TOPIC: Final = re.compile(rf"{ROOT}/({NODE})/(?:(status)|tables/({CODE})(?:/(events|snapshot))?)")
PLACE: Final = re.compile(rf"(?:({NODE})/)?({CODE})")


def table_line(listed: ListedTable) -> str:
    """Describe a listed table in one line, which is not yet safe to print."""
    who = ", ".join(player.name for player in listed.players) or f"{listed.taken} at the table"
    doing = listed.phase.value
    if listed.hand and listed.phase not in BETWEEN_MATCHES:
        doing = f"hand {listed.hand} of {listed.hands}"
    locked = ", with a passphrase" if listed.locked else ""
    what = f"{title_of(listed.game)}{locked}, {doing}, {listed.free} free"
    return f"{listed.code}  {what}: {who}  {' '.join(listed.urls)}".rstrip()


def as_json(listed: ListedTable) -> str:
    """Return a listed table as one JSON object, in ASCII."""
    return json.dumps(listed.model_dump(mode="json"))


async def tables(url: str) -> list[ListedTable]:
    """Return the tables of all servers online at a broker, by node and code.

    Raises:
        ConnectionFailed: the broker cannot be reached, or refused the connection.

    """
    online: set[str] = set()
    found: dict[str, ListedTable] = {}
    async with connected(url) as mqtt:
        with explained(url):
            await mqtt.subscribe([(f"{ROOT}/+/status", 1), (f"{ROOT}/+/tables/+", 1)])
            async for message in until_quiet(mqtt):
                topic = TOPIC.fullmatch(message.topic.value)
                payload = payload_of(message)
                if topic is None:
                    continue
                node, is_status, code, _ = topic.groups()
                if is_status:
                    (online.add if payload == b"online" else online.discard)(node)
                elif len(found) < MAX_TABLES and (listed := parse_record(payload, node, code)):
                    found[message.topic.value] = listed
    return sorted(
        (listed for listed in found.values() if listed.node in online),
        key=lambda item: (item.node, item.code),
    )


def parse_record(payload: bytes, node: str, code: str) -> ListedTable | None:
    """Return the table that a record describes; ``None`` if it is invalid or belongs to another topic."""
    if len(payload) > MAX_RECORD:
        return None
    try:
        listed = ListedTable.model_validate_json(payload)
    except (ValidationError, ValueError, RecursionError):
        return None
    return listed if (listed.node, listed.code.lower()) == (node, code) else None


@asynccontextmanager
async def watch(url: str, place: str) -> "AsyncIterator[BrokerClient]":
    """Watch a table through a broker, by its code or as ``node/code``.

    Raises:
        ConnectionFailed: the broker cannot be reached, or several servers have a table with this code.
        CommandRefused: no server online has such a table, or spectators are not allowed.

    """
    named = PLACE.fullmatch(place.strip().lower())
    if named is None:
        raise CommandRefused(Reason.UNKNOWN_TABLE, "Name a table by its code, or as node/code.")
    node = named.group(1) or await _find_node(url, named.group(2))
    async with BrokerClient(url, node, named.group(2)) as onlooker:
        await onlooker.begin()
        yield onlooker


async def _find_node(url: str, code: str) -> str:
    nodes = [listed.node for listed in await tables(url) if listed.code.lower() == code]
    if not nodes:
        raise CommandRefused(Reason.UNKNOWN_TABLE, f"No server at the broker has a table {code.upper()}.")
    if len(nodes) > 1:
        choices = ", ".join(f"{node}/{code.upper()}" for node in nodes[:8])
        raise ConnectionFailed(f"Several servers have a table of this code: choose one of {choices}.")
    return nodes[0]


class BrokerClient(SpectatorClient):
    """A spectator's place at a table behind a broker. A broker carries no commands.

    Args:
        url: the broker's address.
        node: the server's name there.
        code: the table's code.

    """

    def __init__(self, url: str, node: str, code: str) -> None:
        super().__init__()
        self.url = url
        self.code = code.upper()
        self._early: deque[Message] = deque()
        self._node = node
        self._table = f"{ROOT}/{node}/tables/{code.lower()}"
        self._heard: asyncio.Queue[Message | Exception | None] = asyncio.Queue(MAX_QUEUED)
        self._listening: asyncio.Task[None] | None = None
        self._mqtt: aiomqtt.Client | None = None
        self._is_lost = True
        self._was_there = False
        self._deadline: asyncio.TimerHandle | None = None
        self._pings: set[asyncio.Task[None]] = set()

    async def begin(self) -> None:
        """Wait for the table's first snapshot.

        Raises:
            ConnectionFailed: the broker cannot be reached.
            CommandRefused: there is no such table.

        """
        self._listening = asyncio.create_task(self._listen())
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                while self._view is None:
                    message = await self._next()
                    if message is not None:
                        self._early.append(message)
        except TimeoutError:
            text = f"The broker knows no table {self.code} of {self._node} that can be watched."
            raise CommandRefused(Reason.UNKNOWN_TABLE, text) from None

    async def __aiter__(self) -> AsyncIterator[Message]:
        """Yield the table's messages until this place is closed.

        Raises:
            ConnectionFailed: the broker or the server is gone for good, or the table was closed.

        """
        while not self._goodbye:
            message = self._early.popleft() if self._early else await self._next()
            if message is not None:
                yield message

    async def _next(self) -> Message | None:
        """Return the next message, or ``None`` if it brings nothing new."""
        heard = await self._heard.get()
        if isinstance(heard, Exception):
            raise heard
        if heard is None:
            self._is_lost = True
            return None
        return heard if self._fits(heard) else None

    async def ping(self, stamp: int) -> None:
        """Measure the round trip to the broker; the answer comes as a message."""
        if self._entered and self._mqtt is not None and not self._pings:
            task = asyncio.create_task(self._ping(self._mqtt, stamp))
            self._pings.add(task)
            task.add_done_callback(self._pings.discard)

    async def _ping(self, mqtt: aiomqtt.Client, stamp: int) -> None:
        # Unsubscribing from an unused topic has no effect, but is acknowledged.
        with contextlib.suppress(aiomqtt.MqttError, asyncio.QueueFull):
            await mqtt.unsubscribe(f"{self._table}/ping", timeout=ANSWER_SECONDS)
            self._heard.put_nowait(Pong(stamp=stamp))

    async def close(self) -> None:
        """Stop receiving."""
        self._goodbye = True
        self._stop_deadline()
        tasks = [*self._pings, *([self._listening] if self._listening else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with contextlib.suppress(asyncio.QueueFull):  # wakes up a waiting reader
            self._heard.put_nowait(Pong(stamp=0))

    # Messages from the broker.

    def _fits(self, message: Message) -> bool:
        """Apply a message to the view; return whether it brought anything new."""
        if isinstance(message, Pong):
            return not self._goodbye
        try:
            if isinstance(message, Snapshot):
                return self._follow_snapshot(message)
            if not isinstance(message, Event) or self._is_lost or message.seq <= self.view.seq:
                return False
            self.view.apply(message)
        except Exception:  # untrusted input may fail in any way; the next snapshot recovers
            self._is_lost = True
            return False
        return True

    def _follow_snapshot(self, snapshot: Snapshot) -> bool:
        """Adopt a snapshot that differs from the view."""
        if snapshot.code != self.code:
            return False
        if not self._is_lost:
            if snapshot.seq < self.view.seq:
                return False  # a retained snapshot from the past
            if self.view.snapshot(snapshot.elapsed_ms) == snapshot:
                return False
        self._view = TableState.from_snapshot(snapshot)
        self._is_lost = False
        return True

    async def _listen(self) -> None:
        """Queue the broker's messages, reconnecting as often as necessary."""
        pause = FIRST_PAUSE
        while True:
            try:
                async with connected(self.url) as mqtt:
                    self._mqtt = mqtt
                    with explained(self.url):
                        await mqtt.subscribe([(f"{ROOT}/{self._node}/status", 1), (f"{self._table}/+", 0)])
                        pause = FIRST_PAUSE
                        async for message in mqtt.messages:
                            await self._handle(message)
            except ConnectionFailed as error:
                if self._view is None:
                    await self._heard.put(error)
                    return
            finally:
                self._mqtt = None
            self._notify(is_there=False, text="connection to the broker lost; reconnecting")
            await asyncio.sleep(pause)
            pause = min(MAX_PAUSE_SECONDS, pause * 2)

    async def _handle(self, message: aiomqtt.Message) -> None:
        """Handle one message of the broker."""
        topic, payload = TOPIC.fullmatch(message.topic.value), payload_of(message)
        if topic is None:
            return
        if topic.group(2):
            await self._handle_status(payload == b"online")
        elif topic.group(4) == "snapshot" and not payload:
            await self._heard.put(ConnectionFailed("The table was closed, or no longer allows spectators."))
        elif len(payload) <= MAX_SERVER_FRAME:
            try:
                decoded = decode_server(payload)
            except InvalidFrame:
                return  # if it was genuine, the gap in the numbers will show
            if isinstance(decoded, Snapshot if topic.group(4) == "snapshot" else Event):
                await self._heard.put(decoded)

    async def _handle_status(self, is_there: bool) -> None:
        if is_there:
            self._notify(is_there=True, text="reconnected")
        else:
            await self._heard.put(None)  # a restarted server may reuse event numbers
            self._notify(is_there=False, text="the table's server has left the broker; waiting for it")

    def _notify(self, *, is_there: bool, text: str) -> None:
        """Record whether the server is online, and notify the user of a change."""
        if is_there:
            self._stop_deadline()
        elif self._deadline is None:
            self._deadline = asyncio.get_running_loop().call_later(self.patience, self._give_up)
        if is_there != self._entered:
            self._entered = is_there
            if self._was_there:
                self.notice(text)
            self._was_there = True

    def _stop_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        """Give up: the table was unreachable for as long as the user's patience lasts."""
        if self._listening is not None:
            self._listening.cancel()
        if self._heard.full():
            self._heard.get_nowait()
        text = f"The broker sent nothing about the table for {self.patience:.0f} seconds."
        self._heard.put_nowait(ConnectionFailed(text))
