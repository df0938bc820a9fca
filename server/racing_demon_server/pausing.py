"""Pauses: a hand stands still as the host wants it, or for want of players. Times are microseconds."""

from racing_demon_protocol.messages import events as ev
from racing_demon_protocol.reasons import Phase

from .hand import Hand
from .log import Log
from .seating import Seating

__all__ = ["Pausing"]


class Pausing:
    """Stops the hands of one table, and lets them go on.

    Attributes:
        since: when the pause began, if there is one.

    Args:
        log: the table's log.
        seating: knows who is there.

    """

    def __init__(self, log: Log, seating: Seating) -> None:
        self.since = 0
        self._log = log
        self._view = log.view
        self._seating = seating
        self._is_by_rule = False
        self._lacking_since: int | None = None

    @property
    def due(self) -> int | None:
        """When the hand is to pause, if nobody comes back before; ``None`` if it need not."""
        after_ms = self._view.options.pause_after_ms
        if self._lacking_since is None or after_ms is None or self._view.paused:
            return None
        return self._lacking_since + after_ms * 1_000

    def stop(self, seat: int | None, at: int) -> None:
        """Pause the hand, because a host wants it."""
        self.since, self._is_by_rule = at, False
        self._log.emit(ev.Paused, seat=seat)

    def stop_by_rule(self, at: int) -> None:
        """Pause the hand for want of players."""
        self.since, self._is_by_rule = at, True
        self._log.emit(ev.Paused, seat=None)

    def go_on(self, hand: Hand, now: int) -> None:
        """Let the hand go on as if no time had passed, with those who are there."""
        self._lacking_since = None
        hand.shift(now - self.since)
        self._log.emit(ev.Continued, elapsed_ms=(now - hand.signal_at) // 1_000)

    def check(self, hand: Hand | None, now: int) -> None:
        """Note whether enough people are connected; go on after a pause that was for want of them."""
        is_lacking = self._view.phase in {Phase.COUNTDOWN, Phase.PLAYING} and self._seating.is_lacking()
        if is_lacking:
            self._lacking_since = now if self._lacking_since is None else self._lacking_since
            return
        self._lacking_since = None
        if self._view.paused and self._is_by_rule and hand is not None:
            self.go_on(hand, now)

    def forget(self) -> None:
        """Forget who was lacking: the hand is over."""
        self._lacking_since = None
