"""Pages that are made while they are sent."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from http.client import HTTPConnection, IncompleteRead
from typing import Any, cast

import pytest

from racing_demon_server.net.connection import Connection
from racing_demon_server.net.http import CutOff, StreamedResponse
from racing_demon_server.settings import ServerSettings
from tests.support.servers import PATIENCE, timeout

PIECE = bytes(range(256)) * 64
REQUEST = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Watched(Connection):
    """A connection that tells when its reader is too slow, and when it is not any more."""

    paused: asyncio.Event
    resumed: asyncio.Event

    def pause_writing(self) -> None:
        """Tell it."""
        super().pause_writing()
        self.paused.set()

    def resume_writing(self) -> None:
        """Tell it."""
        super().resume_writing()
        self.resumed.set()


class OnePage:
    """Answers every request with the same pieces.

    Attributes:
        made: the bytes that were made.
        is_over: whether nothing more is made.

    """

    def __init__(self, count: int, *, is_whole: bool = True) -> None:
        self.made = 0
        self.is_over = asyncio.Event()
        self._count = count
        self._is_whole = is_whole

    def add_pending(self, connection: Connection) -> None:
        """Let anybody connect."""

    def remove(self, connection: Connection) -> None:
        """Remember nobody."""

    async def answer(self, *_: object) -> StreamedResponse:
        """Answer a request."""
        return StreamedResponse(HTTPStatus.OK, [], self._pieces())

    async def _pieces(self) -> AsyncIterator[bytes]:
        try:
            for _ in range(self._count):
                self.made += len(PIECE)
                yield PIECE
                yield b""
                await asyncio.sleep(0)
            if not self._is_whole:
                raise CutOff
        finally:
            self.is_over.set()


@asynccontextmanager
async def serving(page: OnePage) -> AsyncIterator[int]:
    """Serve a page at a port."""
    buffer = memoryview(bytearray(8_192))

    def connect() -> Connection:
        return Watched(cast("Any", page), ServerSettings(), buffer)

    Watched.paused, Watched.resumed = asyncio.Event(), asyncio.Event()
    server = await asyncio.get_running_loop().create_server(connect, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


def read(port: int) -> bytes:
    """Return what a program reads of a page."""
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("GET", "/")
    return connection.getresponse().read()


async def test_a_page_arrives_in_pieces() -> None:
    """Any program reads them as one text."""
    async with serving(OnePage(10)) as port:
        assert await asyncio.to_thread(read, port) == PIECE * 10


async def test_a_page_that_is_cut_off_is_known_as_such() -> None:
    """No program takes a part for the whole."""
    async with serving(OnePage(3, is_whole=False)) as port:
        with pytest.raises(IncompleteRead):
            await asyncio.to_thread(read, port)


async def test_nothing_is_made_for_a_reader_who_waits_or_has_gone() -> None:
    """What was made ahead of a reader is bounded, and the rest of an endless page is never made."""
    page = OnePage(1_000_000)
    async with serving(page) as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(REQUEST)
        await timeout(PATIENCE, Watched.paused.wait())
        ahead = page.made
        Watched.resumed.clear()
        while not Watched.resumed.is_set():
            assert await timeout(PATIENCE, reader.read(65_536))
        writer.transport.abort()
        await timeout(PATIENCE, page.is_over.wait())
        assert ahead < page.made < 100_000_000
