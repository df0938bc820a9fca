"""Proxies a connection to the server that has its table, without decoding its bytes."""

import asyncio
import base64
import contextlib
import secrets
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, cast

from websockets.frames import Frame, Opcode

from racing_demon_protocol.wire.codec import Encoding
from racing_demon_server.net.connection import Connection

from .table_lookup import Location

PROXIED: Final = "X-Racing-Demon-Spliced"
"""The header of a connection that is already proxied; it is not proxied again."""
PLAYER: Final = "X-Racing-Demon-Player"
"""The header with what one server tells another of who uses the connection; only they can make it."""
CONNECT_SECONDS: Final = 2.0
END_OF_HEADER: Final = b"\r\n\r\n"
MAX_HEADER: Final = 8_192
CLOSING: Final = bytes([0x80 | Opcode.CLOSE])
"""The first byte of a close frame."""

Messages = Callable[[], Sequence[bytes]]
"""Returns the messages that a client has sent."""


class Handshake(NamedTuple):
    """A client's opening handshake.

    Attributes:
        host: the host name.
        path: the path.
        encoding: the negotiated subprotocol.
        hops: where it comes from, as in ``X-Forwarded-For``.
        player: what tells the other server who uses the connection; empty for a guest.

    """

    host: str
    path: str
    encoding: str
    hops: str
    player: str = ""


async def proxy(client: Connection, handshake: Handshake, messages: Messages, where: Location) -> bool:
    """Proxy a connection to the server that has its table, and repeat there what the client sent here.

    It ends with either side, and when that server is fenced, because a frozen server would keep it open and
    silent.

    Returns:
        Whether it worked; if not, the connection is unchanged.

    """
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            _, upstream = await loop.create_connection(
                lambda: Upstream(client, handshake, messages), *where.inside
            )
            try:
                await upstream.is_there
            except BaseException:
                upstream.transport.abort()
                raise
    except (OSError, TimeoutError):
        return False
    if not upstream.begin():
        return False
    upstream.cancel = where.when_fenced(upstream.end)
    return True


class Upstream(asyncio.Protocol):
    """The connection to the server that has the table.

    Attributes:
        transport: its socket.
        is_there: done when that server has sent its first message, which the client already has from this
            one.
        cancel: called when it is lost.

    """

    transport: asyncio.Transport

    def __init__(self, client: Connection, handshake: Handshake, messages: Messages) -> None:
        self.is_there: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._client = client
        self._handshake = handshake
        self._messages = messages
        self._seen = bytearray()
        self._has_begun = False
        self.cancel: Callable[[], None] = lambda: None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Request the WebSocket on behalf of the client."""
        self.transport = cast("asyncio.Transport", transport)
        asked, key = self._handshake, base64.b64encode(secrets.token_bytes(16)).decode()
        lines = (
            f"GET {asked.path} HTTP/1.1",
            f"Host: {asked.host}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Protocol: {asked.encoding}",
            f"X-Forwarded-For: {asked.hops}",
            f"{PROXIED}: 1",
            *([f"{PLAYER}: {asked.player}"] if asked.player else []),
        )
        # Bytes above 0x7f in a request are forwarded unchanged.
        self.transport.write("\r\n".join(lines).encode("latin-1") + END_OF_HEADER)

    def data_received(self, data: bytes) -> None:
        """Forward bytes, except those of the handshake and the first frame."""
        if self._has_begun:
            self._client.transport.write(data)
            return
        self._seen += data
        header = self._seen.find(END_OF_HEADER) + len(END_OF_HEADER)
        if header < len(END_OF_HEADER):
            if len(self._seen) > MAX_HEADER:
                self.transport.abort()
        elif not self._seen.startswith(b"HTTP/1.1 101 ") or self._seen.startswith(CLOSING, header):
            self.transport.abort()
        elif (end := _frame_end(self._seen, header)) and not self.is_there.done():
            del self._seen[:end]
            self.is_there.set_result(None)

    def begin(self) -> bool:
        """Forward bytes in both directions from now on; return whether that is possible."""
        if self.transport.is_closing() or not self._client.forward_to(self.transport):
            self.transport.abort()
            return False
        self._has_begun = True
        opcode = Opcode.TEXT if self._client.encoding is Encoding.JSON else Opcode.BINARY
        for message in self._messages():
            self.transport.write(Frame(opcode, message).serialize(mask=True))
        self._client.transport.write(bytes(self._seen))
        return True

    def end(self) -> None:
        """End both connections, in the middle of a frame if need be."""
        self.transport.abort()

    def pause_writing(self) -> None:
        """Stop reading from the client while that server is slow."""
        self._client.transport.pause_reading()

    def resume_writing(self) -> None:
        """Resume reading."""
        with contextlib.suppress(RuntimeError):  # it is closed
            self._client.transport.resume_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        """End the client's connection with this one."""
        self.cancel()
        if not self.is_there.done():
            self.is_there.set_exception(ConnectionResetError("the other server has hung up"))
        elif self._has_begun:
            self._client.transport.close()


def _frame_end(data: Sequence[int], begin: int) -> int:
    """Return where a server's short frame ends; 0 if it is incomplete."""
    if len(data) < begin + 2:
        return 0
    length, size = data[begin + 1], 2
    if length == 126:
        if len(data) < begin + 4:
            return 0
        length, size = data[begin + 2] * 256 + data[begin + 3], 4
    end = begin + size + length
    return end if len(data) >= end else 0
