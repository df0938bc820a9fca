"""Messages to and from one server, over a sequence of connections."""

import asyncio
from typing import Final

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from racing_demon_client.errors import ConnectionFailed
from racing_demon_protocol.errors import InvalidFrame
from racing_demon_protocol.wire.codec import VERSION, Encoding, decode_server, encode
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Elsewhere

from .dialer import at_port, dial, verify_version

__all__ = ["ENTRY_SECONDS", "Transport", "reason_of"]

ENTRY_SECONDS: Final = 10.0
"""The timeout for the answer to a join, watch or resume request."""
FIRST_PAUSE: Final = 0.1
LONGEST_PAUSE: Final = 1.0
OPEN_SECONDS: Final = 5.0
RETRY_SECONDS: Final = 2.0
"""The timeout of one attempt to reconnect.

When a network recovers, a waiting attempt notices late, because TCP retries ever more rarely; a new attempt
notices at once. If connecting took long, attempts get more time.
"""


class Transport:
    """The connections to one server.

    Args:
        url: the server's address.
        encoding: the encoding of messages.

    """

    def __init__(self, url: str, encoding: Encoding) -> None:
        self._url = url
        self._encoding = encoding
        self._process = ""  # the address of the table's process, once a server with workers has named it
        self._socket: ClientConnection | None = None
        self._open_seconds = OPEN_SECONDS

    async def ask(self, request: Message) -> Message:
        """Connect, send a request and return the answer, following one redirect to another port.

        Raises:
            ConnectionClosed: the connection was closed.
            ConnectionFailed: the server cannot be reached, or redirected more than once.

        """
        for _ in range(2):
            await self.open()
            await self.write(request)
            answer = await self.read()
            if not isinstance(answer, Elsewhere):
                return answer
            await self.hang_up()
            self._process = at_port(self._url, answer.port)
        raise ConnectionFailed(f"The server at {self._url} sends us from port to port.")

    async def ask_again(self, request: Message, patience: float) -> Message:
        """Retry a request for some seconds; a restarted server may have other workers.

        Raises:
            ConnectionFailed: no attempt was answered.

        """
        loop = asyncio.get_running_loop()
        pause, broken_at = FIRST_PAUSE, loop.time()
        while True:
            try:
                async with asyncio.timeout(ENTRY_SECONDS):
                    return await self.ask(request)
            except (ConnectionFailed, ConnectionClosed, TimeoutError) as error:
                await self.hang_up()
                self._process = ""
                waited = loop.time() - broken_at
                if waited >= patience:
                    text = f"The connection broke and could not be restored in {waited:.0f} seconds."
                    raise ConnectionFailed(text) from error
                await asyncio.sleep(pause)
                pause = min(LONGEST_PAUSE, pause * 2)

    async def open(self) -> None:
        """Open a connection and exchange greetings.

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
            ConnectionClosed: the connection is closed, and the message is not a command.

        """
        assert self._socket is not None
        try:
            await self._socket.send(encode(message, self._encoding))
        except ConnectionClosed:
            if not isinstance(message, cl.Command):
                raise  # commands stay unanswered and are sent again after resuming

    async def read(self) -> Message:
        """Return the next message.

        Raises:
            ConnectionClosed: the connection is closed.
            ConnectionFailed: the server sent an invalid message.

        """
        assert self._socket is not None
        frame = await self._socket.recv()
        try:
            return decode_server(frame)
        except InvalidFrame as error:
            await self.hang_up()
            raise ConnectionFailed(f"The server does not speak our protocol: {error}.") from error

    async def hang_up(self) -> None:
        """Close the connection, if there is one."""
        if self._socket is not None:
            await self._socket.close()


def reason_of(closed: ConnectionClosed) -> str:
    """Return why a connection was closed, in a sentence: the server's own, if it gave one."""
    reason = closed.rcvd.reason if closed.rcvd is not None else ""
    return reason or "The connection to the server broke."
