"""Pauses: a hand stands still as the host wants it, or for want of players. Times are microseconds."""

from typing import Final

from racing_demon_protocol.reasons import Phase
from racing_demon_protocol.wire.messages import events as ev

from .event_log import EventLog
from .hand import Hand
from .seats import Seats

__all__ = ["RETURN_US", "STOPPABLE", "Pauses"]

RETURN_US: Final = 10_000_000
"""After the server was away: how long a hand waits for its players, where it pauses for nobody else."""

STOPPABLE: Final = frozenset({Phase.COUNTDOWN, Phase.PLAYING})
"""When a hand can pause: not in the grace, which ends it within seconds whoever is connected."""


class Pauses:
    """Stops the hands of one table, and lets them go on.

    Attributes:
        since: when the pause began, if there is one.
        ends_at: when it ends by itself; ``None`` if it does not.

    Args:
        log: the table's log.
        seating: knows who is there.

    """

    def __init__(self, log: EventLog, seating: Seats) -> None:
        self.since = 0
        self.ends_at: int | None = None
        self._log = log
        self._view = log.view
        self._seating = seating
        self._is_by_rule = False
        self._lacking_since: int | None = None

    @property
    def due(self) -> int | None:
        """When the hand is to pause, if nobody comes back before; ``None`` if it need not."""
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
        """Whether the pause was not wanted by a host, and the table wants none for people who are away."""
        return self._is_by_rule and self._view.options.pause_after_ms is None

    def stop(self, seat: int | None, at: int) -> None:
        """Pause the hand, because a host wants it."""
        self.since, self._is_by_rule = at, False
        self._log.emit(ev.Paused, seat=seat)

    def stop_by_rule(self, at: int) -> None:
        """Pause the hand for want of players."""
        self.since, self._is_by_rule = at, True
        self._log.emit(ev.Paused, seat=None)

    def stop_by_server(self, at: int) -> None:
        """Pause the hand, because the server cannot keep what is played."""
        if self.can_stop:
            self.since, self._is_by_rule = at, True
            self._log.emit(ev.Paused, seat=None, by_server=True)

    def begin_again(self, at: int) -> None:
        """Pause the hand until enough are back, after the server was away."""
        if self.can_stop and self._seating.is_lacking():
            self.stop_by_rule(at)
        # Old journals may hold a pause in the grace, in which a hand cannot pause any more.
        if self._view.paused and (self.waits_for_nobody or self._view.phase not in STOPPABLE):
            self.ends_at = at + RETURN_US

    def restore(self, event: ev.Paused | ev.Continued, hand: Hand, at: int) -> None:
        """Take up a pause, or its end, from before the server was started anew."""
        if isinstance(event, ev.Continued):
            hand.shift(at - self.since)
        else:
            # A host without a seat is not told from the rule; then it is the host who lets the hand go on.
            self.since, self._is_by_rule = at, event.seat is None and self._view.host is not None

    def go_on(self, hand: Hand, now: int) -> None:
        """Let the hand go on as if no time had passed, with those who are there."""
        self._lacking_since = self.ends_at = None
        hand.shift(now - self.since)
        self._log.emit(ev.Continued, elapsed_ms=(now - hand.signal_at) // 1_000)

    def check(self, hand: Hand | None, now: int) -> None:
        """Note whether enough people are connected; go on after a pause that was for want of them."""
        is_lacking = self._view.phase in STOPPABLE and self._seating.is_lacking()
        if is_lacking:
            self._lacking_since = now if self._lacking_since is None else self._lacking_since
            return
        self._lacking_since = None
        if self._view.paused and self._is_by_rule and hand is not None:
            self.go_on(hand, now)

    def forget(self) -> None:
        """Forget who was lacking: the hand is over."""
        self._lacking_since = self.ends_at = None
