"""Recent activity at a table: the feed, the clock, changed piles and each seat's pace.

Reads no clock: times are milliseconds on the caller's monotonic clock.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Final

from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.enums import EndReason, Phase, Reason
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Refused, Snapshot

from .drawing.scene import FeedLine

FRESH_MS: Final = 400
BANNER_MS: Final = 2_500
PACE_WINDOW_MS: Final = 15_000
PACE_WINDOWS: Final = 5
MOST_FEED: Final = 200


class Cue(StrEnum):
    """An event that deserves a sound."""

    SIGNAL = "signal"
    BEATEN = "beaten"
    DEMON = "demon"


class Activity:
    """What happened recently at one table.

    Attributes:
        feed: the lines of the feed, newest last.
        word: the banner shown when somebody goes out.

    """

    def __init__(self) -> None:
        self.feed: deque[FeedLine] = deque(maxlen=MOST_FEED)
        self.word = "DEMON!"
        self._fresh: dict[int, int] = {}
        self._pace: dict[int, deque[int]] = {}
        self._signal_at = 0
        self._ended_ms: int | None = None
        self._banner_until = 0
        self._deal_at = 0
        self._paused_ms: int | None = None

    def take_up(self, view: TableState, now: int, elapsed_ms: int) -> None:
        """Start from a table's current state.

        Args:
            view: the table.
            now: the time.
            elapsed_ms: milliseconds since the signal; negative before it.

        """
        self._signal_at = now - elapsed_ms
        is_over = view.phase in {Phase.TALLY, Phase.OVER, Phase.SHUFFLING} and bool(view.results)
        self._ended_ms = view.results[-1].elapsed_ms if is_over else None
        self._deal_at = 0
        if view.phase is Phase.TALLY and self._ended_ms is not None and elapsed_ms >= self._ended_ms:
            self._deal_at = self._signal_at + self._ended_ms + view.options.tally_ms
        self._banner_until = 0
        self._paused_ms = elapsed_ms if view.paused else None
        self._fresh.clear()
        self._pace = {seat: deque() for seat in view.hand_seats}

    def note(self, message: Message, view: TableState, now: int) -> Cue | None:
        """Record a message that the view has already applied; return the sound it deserves."""
        match message:
            case Snapshot():
                self.take_up(view, now, message.elapsed_ms)
            case ev.Dealt():
                self.take_up(view, now, -message.countdown_ms)
            case ev.Signalled():
                self._signal_at = now
                return Cue.SIGNAL
            case ev.Played():
                self._note_play(message, view, now)
            case ev.Paused() | ev.Continued():
                self._stop_or_go_on(message, now)
            case ev.HandOver():
                self._ended_ms = message.elapsed_ms
                self._deal_at = now + view.options.tally_ms
                if message.reason is EndReason.OUT and now >= self._banner_until:
                    return self._call(now)
            case ev.Called():
                return self._call(now)
            case Refused() if message.reason is Reason.BEATEN:
                return Cue.BEATEN
        return None

    def _stop_or_go_on(self, event: ev.Paused | ev.Continued, now: int) -> None:
        if isinstance(event, ev.Paused):
            self._paused_ms = now - self._signal_at
        else:
            self._paused_ms = None
            self._signal_at = now - event.elapsed_ms
            self._set_back(event.elapsed_ms)

    def _set_back(self, elapsed_ms: int) -> None:
        """Move times back that lie ahead of the server's clock."""
        for number, line in reversed([*enumerate(self.feed)]):
            if line.at_ms is None or line.at_ms <= elapsed_ms:
                break
            self.feed[number] = replace(line, at_ms=elapsed_ms)

    def _note_play(self, event: ev.Played, view: TableState, now: int) -> None:
        self._fresh |= {event.source: now + FRESH_MS, event.destination: now + FRESH_MS}
        assert view.board is not None
        if view.board.piles[event.destination].kind is Kind.FOUNDATION and event.seat in self._pace:
            times = self._pace[event.seat]
            times.append(now)
            while times[0] < now - PACE_WINDOW_MS * PACE_WINDOWS:
                times.popleft()

    def _call(self, now: int) -> Cue:
        self._banner_until = now + BANNER_MS
        return Cue.DEMON

    # Queries.

    def elapsed_ms(self, now: int) -> int:
        """Return the time since the signal, or the length of a finished hand; 0 before the signal."""
        if self._ended_ms is not None:
            return self._ended_ms
        return max(0, now - self._signal_at if self._paused_ms is None else self._paused_ms)

    def seconds_to_signal(self, now: int) -> int:
        """Return the seconds until the signal, rounded up; 0 after it."""
        elapsed = now - self._signal_at if self._paused_ms is None else self._paused_ms
        return max(0, -(elapsed // 1_000))

    def seconds_to_deal(self, now: int) -> int:
        """Return the seconds until the next automatic deal, rounded up; 0 if unknown."""
        return max(0, -((now - self._deal_at) // 1_000))

    def banner(self, now: int) -> str:
        """Return the word that fills the screen now."""
        return self.word if now < self._banner_until else ""

    def fresh(self, now: int) -> frozenset[int]:
        """Return the piles that have just changed."""
        self._fresh = {pile: until for pile, until in self._fresh.items() if until > now}
        return frozenset(self._fresh)

    def pace(self, now: int) -> Mapping[int, Sequence[int]]:
        """Return how many cards each seat brought to the foundations in each window, newest last."""
        return {seat: _windows(times, now) for seat, times in self._pace.items()}


def _windows(times: Sequence[int], now: int) -> list[int]:
    ages = [(now - at) // PACE_WINDOW_MS for at in times]
    return [ages.count(window) for window in range(PACE_WINDOWS - 1, -1, -1)]
