"""The limit of automatic choices that find nothing, so that pressing keys blindly does not pay."""

from collections import deque
from typing import Final

MOST_MISSES: Final = 3
SPAN_MS: Final = 1_000
REST_MS: Final = 500


class ChoiceLimit:
    """Ignores automatic choices for a moment after some in a row have found nothing.

    Moves with a source and a destination are free. Times are milliseconds on the caller's monotonic clock.
    """

    def __init__(self) -> None:
        self._misses: deque[int] = deque(maxlen=MOST_MISSES)
        self._rests_until = 0

    def allows(self, now: int) -> bool:
        """Return whether a choice is made now."""
        return now >= self._rests_until

    def note_miss(self, now: int) -> None:
        """Count a choice that found nothing."""
        self._misses.append(now)
        if len(self._misses) == MOST_MISSES and now - self._misses[0] < SPAN_MS:
            self._rests_until = now + REST_MS
            self._misses.clear()
