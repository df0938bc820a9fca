"""Somebody between a client and its server, who changes what they say, or keeps it back."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from racing_demon_protocol.wire.codec import Encoding, decode_client, decode_server, encode
from racing_demon_protocol.wire.messages import Message

Change = Callable[[Message], Message | None]
"""What becomes of a message on its way; ``None`` for one that is kept back."""


@asynccontextmanager
async def tampering_proxy(
    target: str, *, down: Change = lambda message: message, up: Change = lambda message: message
) -> AsyncIterator[str]:
    """Meddle with what a server says to its clients, and they to it; give the URL for them to use."""
    encoding = Encoding.MSGPACK

    async def carry(
        source: ServerConnection | ClientConnection,
        sink: ServerConnection | ClientConnection,
        decode: Callable[[bytes | str], Message],
        change: Change,
    ) -> None:
        with contextlib.suppress(ConnectionClosed):
            async for frame in source:
                message = change(decode(frame))
                if message is not None:
                    await sink.send(encode(message, encoding))
        await sink.close()

    async def handle(client: ServerConnection) -> None:
        async with connect(target, subprotocols=[Subprotocol(encoding)]) as server:
            await asyncio.gather(
                carry(server, client, decode_server, down), carry(client, server, decode_client, up)
            )

    async with serve(
        handle, "127.0.0.1", 0, subprotocols=[Subprotocol(encoding)], close_timeout=1
    ) as between:
        port = next(iter(between.sockets)).getsockname()[1]
        yield f"ws://127.0.0.1:{port}/v1"
