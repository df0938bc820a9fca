"""Pauses of a hand, by the host or because players are missing. Times are microseconds."""

from typing import Final

from racing_demon_protocol.enums import Phase
from racing_demon_protocol.wire.messages import events as ev

from .event_log import EventLog
from .hand import Hand
from .seats import Seats

RETURN_US: Final = 10_000_000
"""How long a hand waits for its players after a restart, if nobody paused it."""

STOPPABLE: Final = frozenset({Phase.COUNTDOWN, Phase.PLAYING})
"""The phases in which a hand can pause. The grace is left out: it ends within seconds anyway."""


class Pauses:
    """Pauses and resumes the hands of one table.

    Attributes:
        since: when the pause began; ``None`` without one.
        ends_at: when it ends by itself; ``None`` if it does not.
        is_by_rule: whether no host began it.

    Args:
        log: the table's log.
        seating: the table's seats.

    """

    def __init__(self, log: EventLog, seating: Seats) -> None:
        self.since = 0
        self.ends_at: int | None = None
        self._log = log
        self._view = log.view
        self._seating = seating
        self.is_by_rule = False
        self._lacking_since: int | None = None

    @property
    def due(self) -> int | None:
        """When the hand pauses if nobody returns before; ``None`` if it does not."""
        after_ms = self._view.options.pause_after_ms
        if self._lacking_since is None or after_ms is None or not self.can_stop:
            return None
        return self._lacking_since + after_ms * 1_000

    @property
    def can_stop(self) -> bool:
        """Whether the hand is running and can pause."""
        return self._view.phase in STOPPABLE and not self._view.paused

    @property
    def waits_for_nobody(self) -> bool:
        """Whether no host paused the hand, and the table does not wait for missing players."""
        return self.is_by_rule and self._view.options.pause_after_ms is None

    def stop(self, seat: int | None, at: int) -> None:
        """Pause the hand for the host."""
        self.since, self.is_by_rule = at, False
        self._log.emit(ev.Paused, seat=seat)

    def stop_by_rule(self, at: int) -> None:
        """Pause the hand because players are missing."""
        self.since, self.is_by_rule = at, True
        self._log.emit(ev.Paused)

    def stop_by_server(self, at: int) -> None:
        """Pause the hand because the server cannot write to its disk."""
        if self.can_stop:
            self.since, self.is_by_rule = at, True
            self._log.emit(ev.Paused, by_server=True)

    def begin_again(self, at: int) -> None:
        """Pause the hand after a restart until enough players are back."""
        if self.can_stop and self._seating.is_lacking():
            self.stop_by_rule(at)
        # Old journals may hold a pause in the grace, in which a hand no longer pauses.
        if self._view.paused and (self.waits_for_nobody or self._view.phase not in STOPPABLE):
            self.ends_at = at + RETURN_US

    def restore(self, event: ev.Paused | ev.Continued, hand: Hand, at: int) -> None:
        """Apply a pause, or its end, from before the restart."""
        if isinstance(event, ev.Continued):
            hand.shift(at - self.since)
        else:
            # A pause by a host without a seat looks like one by the rule; then the host must resume the hand.
            self.since, self.is_by_rule = at, event.seat is None and self._view.host is not None

    def go_on(self, hand: Hand, now: int) -> None:
        """Resume the hand as if no time had passed."""
        self._lacking_since = self.ends_at = None
        hand.shift(now - self.since)
        self._log.emit(ev.Continued, elapsed_ms=(now - hand.signal_at) // 1_000)

    def check(self, hand: Hand | None, now: int) -> None:
        """Check whether enough players are connected, and resume a hand that waited for them."""
        is_lacking = self._view.phase in STOPPABLE and self._seating.is_lacking()
        if is_lacking:
            self._lacking_since = now if self._lacking_since is None else self._lacking_since
            return
        self._lacking_since = None
        if self._view.paused and self.is_by_rule and hand is not None:
            self.go_on(hand, now)

    def forget(self) -> None:
        """Reset, because the hand is over."""
        self._lacking_since = self.ends_at = None
