"""The limit of each seat's illegal plays, against pressing keys blindly. Times are microseconds.

A play that the rules never allowed costs nothing, so pressing all keys as fast as possible would beat players
who look. Plays that somebody else was faster with never count: good players lose some of theirs.
"""

from collections import deque
from typing import Final

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused

MOST_ILLEGAL: Final = 15
SPAN: Final = 2_000_000
REST: Final = 2_000_000
TEXT: Final = "Too many plays that fit nowhere. Look, and wait two seconds."


class PlayLimit:
    """Refuses a seat's plays for a moment after many illegal ones. It counts by the times of arrival.

    Attributes:
        rests_until: until when seats rest that have made too many, by seat; nearly always empty.

    """

    def __init__(self) -> None:
        self.rests_until: dict[int, int] = {}
        self._illegal: dict[int, deque[int]] = {}

    def verify(self, seat: int, at: int) -> None:
        """Check that a seat may play.

        Raises:
            CommandRefused: it has made too many illegal plays.

        """
        if at < self.rests_until.get(seat, 0):
            raise CommandRefused(Reason.TOO_FAST, TEXT)

    def note_illegal(self, seat: int, at: int) -> None:
        """Count an illegal play of a seat."""
        times = self._illegal.setdefault(seat, deque(maxlen=MOST_ILLEGAL))
        times.append(at)
        if len(times) == MOST_ILLEGAL and at - times[0] < SPAN:
            self.rests_until[seat] = at + REST
            times.clear()
