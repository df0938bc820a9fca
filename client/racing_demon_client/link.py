"""The link to a server: one connection after another, each opened in the same way; messages in and out."""

import asyncio
from typing import Final

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from racing_demon_protocol.codec import VERSION, Encoding, decode_server, encode
from racing_demon_protocol.errors import InvalidFrame
from racing_demon_protocol.messages import Message
from racing_demon_protocol.messages import client as cl

from .dialing import at_port, dial, verify_version
from .errors import ConnectionFailed

__all__ = ["Link"]

OPEN_SECONDS: Final = 5.0
RETRY_SECONDS: Final = 2.0
"""So long for one attempt to come back. Of a network that is cut a waiting attempt sees too late that it has
healed: it asks ever more rarely, a new one at once. Where opening took long, attempts get more time."""


class Link:
    """A way to one server.

    Args:
        url: the server's address.
        encoding: how messages are written.

    """

    def __init__(self, url: str, encoding: Encoding) -> None:
        self._url = url
        self._encoding = encoding
        self._process = ""  # where the table is, once a server of several processes has said so
        self._socket: ClientConnection | None = None
        self._open_seconds = OPEN_SECONDS

    def go_to(self, port: int) -> None:
        """Open connections at another port of the server's from now on."""
        self._process = at_port(self._url, port)

    def go_back(self) -> None:
        """Open connections at the server's own address again: it may have come back with other processes."""
        self._process = ""

    async def open(self) -> None:
        """Open a connection, and say hello.

        Raises:
            ConnectionFailed: the server cannot be reached, or speaks another version.

        """
        loop = asyncio.get_running_loop()
        begun = loop.time()
        self._socket = await dial(self._process or self._url, self._encoding, self._open_seconds)
        took = loop.time() - begun
        self._open_seconds = min(OPEN_SECONDS, max(RETRY_SECONDS, 3 * took))
        try:
            verify_version(await self.read())
        except ConnectionFailed:
            await self.hang_up()
            raise
        await self.write(cl.Hello(version=VERSION, software="racing-demon"))

    async def write(self, message: Message) -> None:
        """Send a message.

        Raises:
            ConnectionClosed: the connection is closed, and the message is no command.

        """
        assert self._socket is not None
        try:
            await self._socket.send(encode(message, self._encoding))
        except ConnectionClosed:
            if not isinstance(message, cl.Command):
                raise  # a command stays in doubt, and is sent again on the next connection

    async def read(self) -> Message:
        """Return the next message.

        Raises:
            ConnectionClosed: the connection is closed.
            ConnectionFailed: the server says what is no message.

        """
        assert self._socket is not None
        frame = await self._socket.recv()
        try:
            return decode_server(frame)
        except InvalidFrame as error:
            await self.hang_up()
            raise ConnectionFailed(f"The server does not speak our protocol: {error}.") from error

    async def hang_up(self) -> None:
        """End the connection, if there is one."""
        if self._socket is not None:
            await self._socket.close()
