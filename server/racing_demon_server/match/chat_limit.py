"""The chat limit of each seat. Times are microseconds on the caller's clock."""

from collections import deque
from typing import Final

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused

MOST_LINES: Final = 5
SPAN: Final = 10_000_000


class ChatLimit:
    """Limits how many lines and reactions a seat sends within a few seconds."""

    def __init__(self) -> None:
        self._spoken: dict[int, deque[int]] = {}

    def speak(self, seat: int, at: int) -> None:
        """Count a line or a reaction of a seat.

        Raises:
            CommandRefused: the seat has sent too many.

        """
        times = self._spoken.setdefault(seat, deque(maxlen=MOST_LINES))
        if len(times) == MOST_LINES and times[0] > at - SPAN:
            raise CommandRefused(Reason.TOO_FAST, "You can send five messages in ten seconds. Wait a moment.")
        times.append(at)

    def forget(self, seat: int) -> None:
        """Forget a seat, because it has a new owner."""
        self._spoken.pop(seat, None)
