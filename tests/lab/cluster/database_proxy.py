"""The way from a server to its database, on which the server dies at a send that the test chooses."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from enum import StrEnum
from typing import Self

from tests.support.servers import timeout

CHUNK = 65_536
ANSWER_SECONDS = 0.5


class Fate(StrEnum):
    """What becomes of the bytes at whose send the server dies."""

    UNSENT = "unsent"
    HALF = "half"
    """The first half reaches the database, where the connection stays open, as a dead host's does."""
    UNANSWERED = "unanswered"
    """The database has them, and its answer reaches nobody."""


class StoreLine:
    """A TCP relay before a database.

    Attributes:
        port: where it listens.
        is_armed: whether the chosen send is still to come.

    Args:
        port: the database's.

    """

    def __init__(self, port: int) -> None:
        self.port = 0
        self.is_armed = False
        self._to = port
        self._left = 0
        self._fate = Fate.UNSENT
        self._kill: Callable[[], None] = lambda: None
        self._carrying: set[asyncio.Task[None]] = set()

    @classmethod
    @asynccontextmanager
    async def before(cls, port: int) -> AsyncIterator[Self]:
        """Put a line before a database of this machine."""
        line = cls(port)
        listening = await asyncio.start_server(line._accept, "127.0.0.1", 0)
        line.port = listening.sockets[0].getsockname()[1]
        async with listening:
            yield line
        for task in line._carrying:
            task.cancel()
        await asyncio.gather(*line._carrying, return_exceptions=True)

    def arm(self, number: int, fate: Fate, kill: Callable[[], None]) -> None:
        """Kill the server at a send, counted from now on over all its connections."""
        self.is_armed, self._left, self._fate, self._kill = True, number, fate, kill

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._carry(reader, writer))
        self._carrying.add(task)
        task.add_done_callback(self._carrying.discard)

    async def _carry(self, from_server: asyncio.StreamReader, to_server: asyncio.StreamWriter) -> None:
        from_db, to_db = await asyncio.open_connection("127.0.0.1", self._to)
        answering = asyncio.create_task(_pass(from_db, to_server))
        try:
            while data := await from_server.read(CHUNK):
                self._left -= 1
                if self.is_armed and self._left == 0:
                    self.is_armed = False
                    answering.cancel()
                    await asyncio.gather(answering, return_exceptions=True)
                    await self._die(data, from_db, to_db)
                    return
                to_db.write(data)
                await to_db.drain()
        except OSError:
            pass  # one end is gone
        finally:
            answering.cancel()
            for end in (to_server, to_db):
                end.transport.abort()

    async def _die(self, data: bytes, from_db: asyncio.StreamReader, to_db: asyncio.StreamWriter) -> None:
        if self._fate is not Fate.UNSENT:
            to_db.write(data if self._fate is Fate.UNANSWERED else data[: len(data) // 2])
            await to_db.drain()
        if self._fate is Fate.UNANSWERED:
            with contextlib.suppress(TimeoutError):  # half of a pipeline has no answer
                await timeout(ANSWER_SECONDS, from_db.read(CHUNK))
        self._kill()
        while self._fate is Fate.HALF and await from_db.read(CHUNK):
            pass  # until the database ends it


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(CHUNK):
            writer.write(data)
            await writer.drain()
    writer.transport.abort()
