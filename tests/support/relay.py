"""A wire that can be cut, held and muffled, and servers that say whatever they are told to."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Self

from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.codec import VERSION, Encoding, encode
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages.server import CaughtUp, Seated, Snapshot, Versions
from racing_demon_protocol.wire.options import Options
from tests.support.ports import port_of
from tests.support.servers import PATIENCE, Closing, timeout

CHUNK = 65_536


class Relay:
    """A TCP relay before a server.

    Attributes:
        url: the address to use in the place of the server's.
        open: whether new connections are let through.
        muffled: whether what the server says is thrown away.
        accepted: how many connections there were.
        delay: the seconds that every piece is held in each direction.

    """

    def __init__(self, target: str) -> None:
        self.url = ""
        self.open = True
        self.muffled = False
        self.accepted = 0
        self.delay = 0.0
        self._port = port_of(target)
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._news = asyncio.Condition()

    @classmethod
    @asynccontextmanager
    async def before(cls, target: str) -> AsyncIterator[Self]:
        """Put a relay before a server of this machine."""
        relay = cls(target)
        listening = await asyncio.start_server(relay._carry, "127.0.0.1", 0)
        relay.url = f"ws://127.0.0.1:{listening.sockets[0].getsockname()[1]}/v1"
        async with listening:
            try:
                yield relay
            finally:
                relay.release()
                relay.cut()

    def cut(self) -> None:
        """Break all connections without a word."""
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()
        self.muffled = False

    def hold(self) -> None:
        """Keep back what the server says, until it is released."""
        self._flowing.clear()

    def release(self) -> None:
        """Let through what was kept back."""
        self._flowing.set()

    async def until_accepted(self, number: int) -> None:
        """Wait until there have been so many connections."""
        async with self._news:
            await timeout(PATIENCE, self._news.wait_for(lambda: self.accepted >= number))

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ends = None
        if self.open:
            with contextlib.suppress(ConnectionRefusedError):  # the server has been killed
                ends = await asyncio.open_connection("127.0.0.1", self._port)
        if ends is None:
            writer.transport.abort()
            await self._count()
            return
        there, back = ends
        self._writers |= {writer, back}
        await self._count()
        try:
            await asyncio.gather(self._pump(reader, back), self._pump(there, writer, downward=True))
        finally:
            self._writers -= {writer, back}
            for end in (writer, back):
                end.close()
                with contextlib.suppress(OSError):
                    await end.wait_closed()

    async def _count(self) -> None:
        self.accepted += 1
        async with self._news:
            self._news.notify_all()

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, downward: bool = False
    ) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(CHUNK):
                await asyncio.sleep(self.delay)
                if downward:
                    await self._flowing.wait()
                if not (downward and self.muffled):
                    writer.write(data)
                    await writer.drain()
            writer.write_eof()


def table_of(**fields: object) -> Snapshot:
    """Return a snapshot of an empty table, with some of its fields changed."""
    return TableState("BCDF", Options()).snapshot(0).model_copy(update=fields)


WELCOME: tuple[Message, ...] = (
    Versions(oldest=VERSION, newest=VERSION),
    Seated(code="BCDF", seat=0, token="0f" * 32),
    table_of(),
    CaughtUp(seq=0),
)
"""What a client hears when it gets the first seat of a fresh table."""


async def speak(
    connection: ServerConnection,
    *frames: Message | bytes | str | Closing,
    encoding: Encoding = Encoding.MSGPACK,
) -> None:
    """Say anything to a client, or close."""
    for frame in frames:
        if isinstance(frame, Closing):
            await connection.close(frame.code, frame.reason)
        else:
            await connection.send(encode(frame, encoding) if isinstance(frame, Message) else frame)


@asynccontextmanager
async def visited(
    encoding: Encoding = Encoding.MSGPACK,
) -> AsyncIterator[tuple[str, asyncio.Queue[ServerConnection]]]:
    """Run a server that does nothing; give its URL, and its visitors as they come."""
    visitors: asyncio.Queue[ServerConnection] = asyncio.Queue()

    async def handle(connection: ServerConnection) -> None:
        visitors.put_nowait(connection)
        await connection.wait_closed()

    async with serve(handle, "127.0.0.1", 0, subprotocols=[Subprotocol(encoding)], close_timeout=1) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        yield f"ws://127.0.0.1:{port}/v1", visitors


async def answer_relay(visitor: ServerConnection, *answers: Message | Closing) -> None:
    """Answer a relay that asks to watch."""
    await speak(visitor, Versions(oldest=VERSION, newest=VERSION))
    for _ in range(2):
        await timeout(PATIENCE, visitor.recv())
    await speak(visitor, *answers)


@asynccontextmanager
async def babbling(
    *frames: Message | bytes | str | Closing, encoding: Encoding = Encoding.MSGPACK
) -> AsyncIterator[str]:
    """Run a server that says these frames, the first of them before hello and request; give its URL."""

    async def talk() -> None:
        while True:
            visitor = await visitors.get()
            with contextlib.suppress(ConnectionClosed):
                await speak(visitor, *frames[:1], encoding=encoding)
                for _ in range(2):
                    await visitor.recv()
                await speak(visitor, *frames[1:], encoding=encoding)

    async with visited(encoding) as (url, visitors):
        talking = asyncio.create_task(talk())
        try:
            yield url
        finally:
            talking.cancel()
