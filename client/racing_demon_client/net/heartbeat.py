"""A WebSocket that notices when the server is silent, because its power or the network was cut."""

import asyncio
from collections.abc import Callable
from typing import Final

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosedError

BEAT_SECONDS: Final = 1.5
"""The pause between pings during a hand, and the timeout of the answers: silence is noticed within 3 s."""
BEATS_BETWEEN_HANDS: Final = 3
"""Between hands there is one ping in so many beats."""
LATENCIES: Final = 4.0
"""On a slow network the timeout is so many times the latency."""
LONGEST_TIMEOUT: Final = 8.0
"""Seconds."""


class MonitoredConnection:
    """A WebSocket whose reader fails if the server sends nothing for too long after a ping.

    Any message is a sign of life: on a slow network a pong may wait behind others. None is long enough to
    take seconds itself. If our own program does not read, the server is not to blame.

    Args:
        socket: the WebSocket.
        took: the seconds that connecting took, which was two round trips or more.
        is_urgent: tells whether silence must be noticed soon, as during a hand.

    """

    def __init__(self, socket: ClientConnection, took: float, is_urgent: Callable[[], bool]) -> None:
        self._socket = socket
        self._first_latency = took / 2
        self._is_urgent = is_urgent
        self._loop = asyncio.get_running_loop()
        self._heard_at = self._asked_at = self._loop.time()
        self._pong: asyncio.Future[float] | None = None
        self._beats = 0
        self._deadline = self._asked_at + BEAT_SECONDS

    async def send(self, frame: bytes | str) -> None:
        """Send a message.

        Raises:
            ConnectionClosed: the connection is closed.

        """
        await self._socket.send(frame)

    async def recv(self) -> bytes | str:
        """Return the next message.

        Raises:
            ConnectionClosed: the connection is closed, or the server is silent.

        """
        while True:
            try:
                async with asyncio.timeout_at(self._deadline):
                    frame = await self._socket.recv()
            except TimeoutError:
                await self._beat()
            else:
                self._heard_at = self._loop.time()
                return frame

    async def close(self) -> None:
        """Close the connection; this takes a second if the server is silent."""
        await self._socket.close()

    async def _beat(self) -> None:
        """Judge the last ping, and send the next one if it is due."""
        if self._pong is not None and not self._pong.done() and self._heard_at <= self._asked_at:
            raise ConnectionClosedError(None, None)
        self._pong = None
        self._beats += 1
        now = self._loop.time()
        self._deadline = now + BEAT_SECONDS
        if self._beats < BEATS_BETWEEN_HANDS and not self._is_urgent():
            return
        self._beats = 0
        self._asked_at = now
        self._pong = asyncio.ensure_future(await self._socket.ping())
        latency = max(self._socket.latency, self._first_latency)
        self._deadline = now + min(LONGEST_TIMEOUT, max(BEAT_SECONDS, LATENCIES * latency))
