"""Passes a connection's bytes on to the server that has its table, without decoding them."""

import asyncio
import base64
import contextlib
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, cast

from websockets.frames import Frame, Opcode

from racing_demon_protocol.errors import InvalidFrame
from racing_demon_server.net.address_limits import Origin
from racing_demon_server.net.transport import Connection
from racing_demon_server.tables.locator import Location

SPLICED: Final = "X-Racing-Demon-Spliced"
"""The header of a connection that another server passes on; it is passed on no further."""
MOST_HELD: Final = 16
"""So many messages of a client wait while its table is looked for, or its passphrase is checked."""
HOLD_SECONDS: Final = 3.0
"""How long a client waits for a table whose server is dead: others have it soon after the lease."""
AGAIN_SECONDS: Final = 0.25
"""After so long the table is looked for again."""
CONNECT_SECONDS: Final = 2.0
END_OF_HEADER: Final = b"\r\n\r\n"
MOST_HEADER: Final = 8_192
CLOSING: Final = bytes([0x80 | Opcode.CLOSE])
"""What a close frame begins with."""


@dataclass
class Visit:
    """What a client sent before its table was found.

    Attributes:
        host: the host name that the client asked for.
        path: the requested path.
        origin: where the client comes from.
        is_spliced: whether another server passes it on.
        messages: those that ask for no table, each with whether it is text.

    """

    host: str
    path: str
    origin: Origin
    is_spliced: bool
    messages: list[tuple[bool, bytes]] = field(default_factory=list)


class HeldMessages:
    """What a client has sent before its request was answered.

    Attributes:
        messages: each with whether it is text; the first is the request.

    """

    def __init__(self, is_text: bool, asked: bytes) -> None:
        self.messages = [(is_text, asked)]

    def hold(self, is_text: bool, message: bytes) -> None:
        """Keep a message for when the request is answered.

        Raises:
            InvalidFrame: there are too many.

        """
        if len(self.messages) == MOST_HELD:
            raise InvalidFrame("wait until you have your place")
        self.messages.append((is_text, message))


class TableSearch(HeldMessages):
    """A search for a table, and what its client sent meanwhile.

    Attributes:
        code: the table's code.
        may_go_on: whether the table has not been found here before.

    """

    def __init__(self, code: str, is_text: bool, asked: bytes) -> None:
        super().__init__(is_text, asked)
        self.code = code
        self.may_go_on = True
        self._until = time.monotonic() + HOLD_SECONDS

    @property
    def is_patient(self) -> bool:
        """Whether to look again if no server has the table just now."""
        return time.monotonic() < self._until


async def splice(client: Connection, visit: Visit, search: TableSearch, where: Location) -> bool:
    """Hand a connection over to the server that has its table, and repeat there what the client sent here.

    It ends with either side, and when that server is fenced: one that stands still would keep it open and
    silent.

    Returns:
        Whether it worked; if not, the connection is unchanged.

    """
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            loop = asyncio.get_running_loop()
            _, upstream = await loop.create_connection(lambda: Upstream(client, visit, search), *where.inside)
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
        is_there: done when that server has sent its first message, which the client already has from here.
        cancel: called when it is lost.

    """

    transport: asyncio.Transport

    def __init__(self, client: Connection, visit: Visit, search: TableSearch) -> None:
        self.is_there: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._client = client
        self._visit = visit
        self._search = search
        self._seen = bytearray()
        self._has_begun = False
        self.cancel: Callable[[], None] = lambda: None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Request the WebSocket on behalf of the client."""
        self.transport = cast("asyncio.Transport", transport)
        visit, key = self._visit, base64.b64encode(secrets.token_bytes(16)).decode()
        lines = (
            f"GET {visit.path} HTTP/1.1",
            f"Host: {visit.host}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Protocol: {self._client.encoding}",
            f"X-Forwarded-For: {visit.origin.hops}",
            f"{SPLICED}: 1",
        )
        # Bytes above 0x7f in a request go on as they came.
        self.transport.write("\r\n".join(lines).encode("latin-1") + END_OF_HEADER)

    def data_received(self, data: bytes) -> None:
        """Pass bytes on, except those of the handshake and the first frame."""
        if self._has_begun:
            self._client.transport.write(data)
            return
        self._seen += data
        header = self._seen.find(END_OF_HEADER) + len(END_OF_HEADER)
        if header < len(END_OF_HEADER):
            if len(self._seen) > MOST_HEADER:
                self.transport.abort()
        elif not self._seen.startswith(b"HTTP/1.1 101 ") or self._seen.startswith(CLOSING, header):
            self.transport.abort()
        elif (end := _frame_end(self._seen, header)) and not self.is_there.done():
            del self._seen[:end]
            self.is_there.set_result(None)

    def begin(self) -> bool:
        """Pass bytes on both ways from now on; return whether that is possible."""
        if self.transport.is_closing() or not self._client.pass_on(self.transport):
            self.transport.abort()
            return False
        self._has_begun = True
        for is_text, message in (*self._visit.messages, *self._search.messages):
            frame = Frame(Opcode.TEXT if is_text else Opcode.BINARY, message)
            self.transport.write(frame.serialize(mask=True))
        self._client.transport.write(bytes(self._seen))
        return True

    def end(self) -> None:
        """End both connections, in the middle of a frame if need be."""
        self.transport.abort()

    def pause_writing(self) -> None:
        """Stop reading from the client while that server is slow."""
        self._client.transport.pause_reading()

    def resume_writing(self) -> None:
        """Read on."""
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
