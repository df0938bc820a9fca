"""Servers in this process, and peers that speak to them message by message or byte by byte."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import Any, Final, NamedTuple, Self, TypeVar

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode
from websockets.typing import Subprotocol

from racing_demon_cluster.relay.tables import Relay
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.capabilities import announced
from racing_demon_protocol.wire.codec import VERSION, Encoding, decode_server, encode
from racing_demon_protocol.wire.messages import Event, Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Played
from racing_demon_protocol.wire.messages.server import Accepted, CaughtUp, Refused, Seated, Snapshot, Versions
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.journal.writer import DurableJournal
from racing_demon_server.net.connection import Connection
from racing_demon_server.net.gateway import Gateway
from racing_demon_server.net.handler import MetricsHooks, ServerContext, Service
from racing_demon_server.net.table_service import TableService
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.registry import Registry
from racing_demon_server.tables.room import Clock
from tests.support.clocks import clock
from tests.support.effort import amount
from tests.support.ports import port_of

NEWEST: Final = announced("test")
"""What a client says of itself that understands all extensions."""
SHORT: Final[dict[str, Any]] = {"game": "classic", "reserve": 4}
"""Options with which bots have played a hand after a few plays, where it is enough that one has ended."""
PATIENCE: Final = 60.0
"""Seconds after which a test that waits in vain fails. No test is meant to take so long."""
MAX_SECONDS: Final = amount(100, 900)
"""Seconds after which a test fails that is told more and more, but never what it waits for."""
NO_METRICS: Final = MetricsHooks(lambda _open, _listeners: "", lambda _why: None, lambda _reason: None)

OpenService = Callable[[ServerContext, Registry], Service]
"""Returns what a server's connections are for."""

T = TypeVar("T")
M = TypeVar("M", bound=Message)


class Served(NamedTuple):
    """A server that runs in this process."""

    url: str
    registry: Registry
    server: Gateway
    settings: ServerSettings

    @property
    def origin(self) -> str:
        """Where it answers plain HTTP."""
        return self.url.replace("ws://", "http://").removesuffix("/v1")

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return port_of(self.url)

    def newest(self) -> Connection:
        """Return the server's side of the only connection that is open."""
        (connection,) = self.server.connections
        return connection


class Closing(NamedTuple):
    """How a server ended a connection; 1006 if it said nothing."""

    code: int
    reason: str


async def end_tasks(tasks: Iterable[asyncio.Task[None]]) -> None:
    """Cancel tasks, wait until they have ended, and raise what went wrong in one of them."""
    tasks = list(tasks)
    for task in tasks:
        task.cancel()
    for result in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(result, Exception):
            raise result


async def timeout(seconds: float, awaitable: Awaitable[T]) -> T:
    """Wait for something that must happen, and fail if it does not."""
    return await asyncio.wait_for(awaitable, seconds)


@asynccontextmanager
async def deadline(seen: Callable[[], object], seconds: float = MAX_SECONDS) -> AsyncIterator[None]:
    """Let what is inside take so long, and fail with what was seen if it takes longer."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise AssertionError(f"waited in vain: {seen()}") from None


def gateway_of(
    settings: ServerSettings,
    registry: Registry,
    time: Clock = clock,
    metrics: MetricsHooks = NO_METRICS,
    service: OpenService = TableService,
) -> Gateway:
    """Return the gateway of a server that has these tables."""
    context = ServerContext(settings, time, metrics)
    return Gateway(context, service(context, registry))


async def start(
    settings: ServerSettings,
    registry: Registry,
    time: Clock = clock,
    metrics: MetricsHooks = NO_METRICS,
    service: OpenService = TableService,
) -> Gateway:
    """Open a server's port, and serve the tables of a registry."""
    gateway = gateway_of(settings, registry, time, metrics, service)
    await gateway.listen(host=settings.host, port=settings.port)
    return gateway


@asynccontextmanager
async def serving(**settings: Any) -> AsyncIterator[Served]:
    """Run a server on a free port, with any of the settings changed."""
    async with serving_with(None, **settings) as served:
        yield served


@asynccontextmanager
async def serving_with(
    journal: DurableJournal | None,
    time: Clock = clock,
    metrics: MetricsHooks = NO_METRICS,
    service: OpenService = TableService,
    **settings: Any,
) -> AsyncIterator[Served]:
    """Run one that keeps its tables in a journal, has another clock, or looks for tables elsewhere.

    Connections may take their time: on a busy machine a long test would be cut off.
    """
    chosen = ServerSettings(**{"port": 0, "entry_seconds": 600.0, **settings})
    registry = Registry(chosen, time, NullJournal() if journal is None else journal)
    server = await start(chosen, registry, time, metrics, service)
    try:
        yield Served(f"ws://127.0.0.1:{server.port}{chosen.base_path}/v1", registry, server, chosen)
    finally:
        server.close()
        await timeout(PATIENCE, server.wait_closed())
        registry.close()


@asynccontextmanager
async def relaying(url: str, **settings: Any) -> AsyncIterator[Served]:
    """Run a server that shows the tables of another one."""
    async with serving_with(None, service=relay_of(url), **settings) as served:
        yield served


def relay_of(url: str) -> OpenService:
    """Return a relay of a server's tables."""
    return lambda context, _: Relay(url, context)


class Peer:
    """A client that does nothing by itself.

    Attributes:
        socket: its WebSocket.
        place: what it was told when it took its place at a table.
        view: its mirror of the table, once there is one; follows whatever is heard.
        counter: the number of its last command.

    """

    def __init__(self, socket: ClientConnection, encoding: Encoding) -> None:
        self.socket = socket
        self.place = Seated(code="?")
        self.counter = 0
        self._encoding = encoding
        self._view: TableState | None = None

    @classmethod
    @asynccontextmanager
    async def connect(
        cls, url: str, encoding: Encoding = Encoding.MSGPACK, **more: Any
    ) -> AsyncIterator[Self]:
        """Open a WebSocket that waits for answers as long as the test does, and say nothing."""
        usual: dict[str, Any] = {
            "compression": None,
            "open_timeout": PATIENCE,
            "close_timeout": 1,
            "max_queue": None,
            "ping_interval": None,
        }
        async with connect(url, subprotocols=[Subprotocol(encoding)], **{**usual, **more}) as socket:
            yield cls(socket, encoding)

    @classmethod
    @asynccontextmanager
    async def entered(
        cls,
        url: str,
        request: Message,
        encoding: Encoding = Encoding.MSGPACK,
        software: str = NEWEST,
        heartbeat_ms: int = 0,
        **more: Any,
    ) -> AsyncIterator[Self]:
        """Take a place at a table, and get all of it."""
        async with cls.connect(url, encoding, **more) as peer:
            await peer.greet(software, heartbeat_ms)
            await peer.enter(request)
            await peer.until(CaughtUp)
            yield peer

    @classmethod
    @asynccontextmanager
    async def hosting(
        cls,
        url: str,
        encoding: Encoding = Encoding.MSGPACK,
        *,
        seated: bool = True,
        heartbeat_ms: int = 0,
        **options: Any,
    ) -> AsyncIterator[Self]:
        """Open a table with no pauses and sit down at it as Ann."""
        asked = Options(**{"countdown_ms": 0, "tally_ms": 0, **options})
        create = cl.Create(name="Ann", options=asked, seated=seated)
        async with cls.entered(url, create, encoding, heartbeat_ms=heartbeat_ms) as peer:
            yield peer

    @property
    def view(self) -> TableState:
        """The mirror of the table."""
        assert self._view is not None
        return self._view

    @property
    def code(self) -> str:
        """The table's code."""
        return self.place.code

    @property
    def token(self) -> str:
        """The seat's token."""
        assert self.place.token is not None
        return self.place.token

    async def greet(self, software: str = NEWEST, heartbeat_ms: int = 0) -> None:
        """Hear the versions and say hello."""
        assert isinstance(await self.hear(), Versions)
        await self.say(cl.Hello(version=VERSION, software=software, heartbeat_ms=heartbeat_ms))

    async def enter(self, request: Message) -> Seated:
        """Ask for a place, and hear that it is there."""
        await self.say(request)
        place = await self.hear()
        assert isinstance(place, Seated), place
        self.place, self.counter = place, place.counter
        return place

    async def say(self, message: Message) -> None:
        """Send one message."""
        await self.socket.send(encode(message, self._encoding))

    async def send(self, frame: bytes | str) -> None:
        """Send any frame."""
        await self.socket.send(frame)

    def write(self, *frames: Frame) -> None:
        """Write frames to the socket in one go."""
        self.socket.transport.write(b"".join(frame.serialize(mask=True) for frame in frames))

    def burst(self, messages: list[Message]) -> None:
        """Write messages to the socket in one go."""
        self.write(*(self.frame_of(message) for message in messages))

    def frame_of(self, message: Message) -> Frame:
        """Return the frame of a message."""
        encoded = encode(message, self._encoding)
        if isinstance(encoded, str):
            return Frame(Opcode.TEXT, encoded.encode())
        return Frame(Opcode.BINARY, encoded)

    async def frame(self) -> bytes | str:
        """Return the next frame as it came."""
        return await timeout(PATIENCE, self.socket.recv())

    async def hear(self) -> Message:
        """Return the next message, after the mirror has followed it."""
        return self.apply(await self.frame())

    def apply(self, frame: bytes | str) -> Message:
        """Let the mirror follow a frame, and return what is in it."""
        message = decode_server(frame)
        if isinstance(message, Snapshot):
            self._view = TableState.from_snapshot(message)
        elif isinstance(message, CaughtUp):
            assert self._view is None or message.seq == self._view.seq
        elif isinstance(message, Event) and self._view is not None:
            self._view.apply(message)
        return message

    async def until(self, cls: type[M]) -> M:
        """Return the next message of a kind, and pass over those before it."""
        heard: list[Message] = []
        async with deadline(lambda: f"no {cls.__name__} in {heard[-9:]}"):
            while not isinstance(message := await self.hear(), cls):
                heard.append(message)
        return message

    async def follow(self, seq: int) -> list[Event]:
        """Return the events up to a number."""
        events: list[Event] = []
        async with deadline(lambda: f"event {self.view.seq} of {seq}"):
            while self.view.seq < seq:
                events.append(await self.until(Event))
        return events

    def next(self, cls: type[cl.Command], **fields: Any) -> cl.Command:
        """Return the seat's next command."""
        self.counter += 1
        return cls(counter=self.counter, **fields)

    async def ask(self, cls: type[cl.Command], **fields: Any) -> Accepted | Refused | Played:
        """Send the seat's next command, and return what it is answered."""
        return await self.ask_again(self.next(cls, **fields))

    async def ask_again(self, command: cl.Command) -> Accepted | Refused | Played:
        """Send a command, and return what it is answered."""
        await self.say(command)
        async with deadline(lambda: f"no answer to {command} by event {self.view.seq}"):
            while True:
                message = await self.hear()
                own = isinstance(message, Played) and message.seat == self.place.seat
                if (own or isinstance(message, Accepted | Refused)) and message.counter == command.counter:  # type: ignore[attr-defined]
                    assert isinstance(message, Accepted | Refused | Played)
                    return message

    async def refusal(self, request: Message) -> Reason:
        """Ask for a place that is refused, and return why."""
        await self.say(request)
        answer = await self.hear()
        assert isinstance(answer, Refused), answer
        return answer.reason

    async def closed(self) -> Closing:
        """Wait until the connection is closed, and say how."""
        try:
            async with deadline(lambda: "the connection is still open"):
                while True:
                    await self.frame()
        except ConnectionClosed as closed:
            return Closing(1006, "") if closed.rcvd is None else Closing(closed.rcvd.code, closed.rcvd.reason)


def fragments(frame: Frame, *cuts: int) -> list[Frame]:
    """Return a frame cut into fragments at places of its data."""
    edges = [0, *cuts, len(frame.data)]
    parts = [bytes(frame.data[start:end]) for start, end in pairwise(edges)]
    last = len(parts) - 1
    return [
        Frame(frame.opcode if number == 0 else Opcode.CONT, part, fin=number == last)
        for number, part in enumerate(parts)
    ]


def logged_warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what was logged that should not have been: tracebacks, errors, unhandled exceptions."""
    return [
        record.getMessage()
        for record in caplog.records
        if record.exc_info is not None or record.levelno >= logging.ERROR
    ]
