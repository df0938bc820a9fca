"""How much a seat may say: a few lines in some seconds. Times are microseconds on the caller's clock."""

from collections import deque
from typing import Final

from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.reasons import Reason

__all__ = ["ChatLimit"]

MOST_LINES: Final = 5
SPAN: Final = 10_000_000


class ChatLimit:
    """Remembers when each seat spoke last, no longer than that matters."""

    def __init__(self) -> None:
        self._spoken: dict[int, deque[int]] = {}

    def speak(self, seat: int, at: int) -> None:
        """Note that a seat speaks.

        Raises:
            CommandRefused: it has spoken too often of late.

        """
        times = self._spoken.setdefault(seat, deque(maxlen=MOST_LINES))
        if len(times) == MOST_LINES and times[0] > at - SPAN:
            raise CommandRefused(Reason.TOO_FAST, "You may say five lines in ten seconds; wait a moment.")
        times.append(at)

    def forget(self, seat: int) -> None:
        """Forget a seat: somebody else has it now."""
        self._spoken.pop(seat, None)
