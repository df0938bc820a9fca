"""A connection that is handed on to another server, which may not take it."""

import asyncio
from typing import cast

import pytest
from websockets.frames import Frame, Opcode

from racing_demon_cluster import proxy as module
from racing_demon_cluster.proxy import MAX_HEADER, Handshake, proxy
from racing_demon_cluster.table_lookup import Location
from racing_demon_server.net.connection import Connection
from tests.support.cases import for_each
from tests.support.servers import PATIENCE, timeout

SWITCHED = b"HTTP/1.1 101 Switching Protocols\r\n\r\n"


@for_each(
    "answer",
    [
        b"HTTP/1.1 503 Service Unavailable\r\n\r\n",
        SWITCHED + Frame(Opcode.CLOSE, b"\x03\xe9").serialize(mask=False),
        b"HTTP/1.1 101 " + bytes(MAX_HEADER),
    ],
)
async def test_a_server_that_does_not_take_a_client_is_not_waited_for(
    answer: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It refuses, closes or goes on for ever, and keeps the connection: the client is told at once."""
    monkeypatch.setattr(module, "CONNECT_SECONDS", 600.0)

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        await reader.read()
        writer.close()

    client = cast("Connection", object())  # it is left alone
    async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
        where = Location("", 0, server.sockets[0].getsockname())
        handshake = Handshake("127.0.0.1", "/v1", "racing-demon.v1.json", "192.0.2.1")
        assert not await timeout(PATIENCE, proxy(client, handshake, lambda: (), where))
