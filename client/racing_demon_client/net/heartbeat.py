"""A WebSocket that notices when the server is silent, because its power or the network was cut."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any, Final

from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

__all__ = ["MonitoredConnection"]

BEAT_SECONDS: Final = 1.5
"""The pause between pings during a hand, and the timeout of the answers: silence is noticed within 3 s."""
BEATS_BETWEEN_HANDS: Final = 3
"""Between hands there is one ping in so many beats."""
LATENCIES: Final = 4.0
"""On a slow network the timeout is so many times the latency."""
LONGEST_TIMEOUT: Final = 8.0
"""Seconds."""


class MonitoredConnection(ClientConnection):
    """A WebSocket that is aborted if the server sends nothing for too long after a ping.

    Any byte that arrives is a sign of life: on a slow network a pong may wait behind a long message.

    Attributes:
        is_urgent: tells whether silence must be noticed soon, as during a hand.

    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.is_urgent: Callable[[], bool] = lambda: True
        self._heard_at = 0.0
        self._heard = asyncio.Event()
        self._first_latency = 0.0
        self._beating: asyncio.Task[None] | None = None

    def begin_beating(self, took: float) -> None:
        """Send pings from now on.

        Args:
            took: the seconds that connecting took, which was two round trips or more.

        """
        self._first_latency = took / 2
        self._beating = asyncio.create_task(self._beat())

    def data_received(self, data: bytes) -> None:
        """Note a sign of life."""
        self._heard_at = self.loop.time()
        self._heard.set()
        super().data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Send no more pings."""
        if self._beating is not None:
            self._beating.cancel()
        super().connection_lost(exc)

    async def _beat(self) -> None:
        with contextlib.suppress(ConnectionClosed):
            while True:
                for _ in range(BEATS_BETWEEN_HANDS):
                    await asyncio.sleep(BEAT_SECONDS)
                    if self.is_urgent():
                        break
                asked_at = self.loop.time()
                await self.ping()
                if not await self._answers(asked_at):
                    self.transport.abort()  # a closing handshake would wait for the silent server
                    return

    async def _answers(self, asked_at: float) -> bool:
        """Wait for a sign of life after a ping; return whether there was one in time."""
        latency = max(self.latency, self._first_latency)
        deadline = asked_at + min(LONGEST_TIMEOUT, max(BEAT_SECONDS, LATENCIES * latency))
        try:
            async with asyncio.timeout_at(deadline):
                while self._heard_at < asked_at:
                    self._heard.clear()
                    await self._heard.wait()
        except TimeoutError:  # if our own program is too slow to read on, the server is not to blame
            return not self.transport.is_reading()
        return True
