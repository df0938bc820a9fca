"""The clock of a hand, for views of the table with a delay."""

from typing import NamedTuple, Self

from racing_demon_protocol.wire.messages import events as ev


class HandClock(NamedTuple):
    """The clock of a hand at one moment, in microseconds on a monotonic clock.

    Attributes:
        signal_at: when play begins or began, plus all past pauses; ``None`` before the first.
        stopped_at: when the current pause began; ``None`` while the hand runs.

    """

    signal_at: int | None = None
    stopped_at: int | None = None

    def elapsed_ms(self, at: int) -> int:
        """Return the milliseconds since the signal, without pauses; negative before it."""
        if self.signal_at is None:
            return 0
        return ((at if self.stopped_at is None else self.stopped_at) - self.signal_at) // 1_000

    def after(self, event: ev.Event, at: int) -> Self:
        """Return the clock after the table's next event, which happened at that time."""
        match event:
            case ev.Dealt():
                return type(self)(at + event.countdown_ms * 1_000)
            case ev.Paused():
                return self._replace(stopped_at=at)
            case ev.Continued() | ev.HandOver():
                return type(self)(at - event.elapsed_ms * 1_000)
        return self
