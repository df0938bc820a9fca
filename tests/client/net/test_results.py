"""Records that a server sends."""

import asyncio

import pytest

from racing_demon_client.errors import RecordUnreadable
from racing_demon_client.net.results import fetch_record

HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


async def test_a_part_of_a_record_is_not_taken_for_the_whole() -> None:
    """A server that cannot make the rest cuts it off, and whoever asked for it is told."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD + b"2\r\n{}\r\n")
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        with pytest.raises(RecordUnreadable, match="stopped before the end"):
            await fetch_record(f"http://127.0.0.1:{port}/match/{'A' * 22}")
