"""A record as a timeline: the table's state at any position, and the time of every message.

Pure: reads no clock. A position is the number of messages before it; times are milliseconds.
"""

import bisect
from collections.abc import Sequence
from typing import Final

from racing_demon_protocol.errors import InvalidRecord
from racing_demon_protocol.records.analysis import HistoryTracker, SeatAnalysis, analyze
from racing_demon_protocol.records.format import Record, TimedMessage, next_state
from racing_demon_protocol.table.state import DEALT, TableState
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Snapshot

SNAPSHOT_INTERVAL: Final = 256
"""The distance between stored snapshots, and so the most events to apply when seeking."""
MAX_WAIT_MS: Final = 3_000
"""Longer waits are shortened to this while nothing is played."""


class Timeline:
    """The record of one table, with random access.

    Attributes:
        entries: the record's messages, in order.
        times: the time of each message; waits between hands, and pauses, are shortened.
        hands: each hand's number, and the place just after its deal.

    Raises:
        InvalidRecord: the record is inconsistent, or contains no table.

    """

    def __init__(self, record: Record) -> None:
        self.entries: Sequence[TimedMessage] = record.entries
        self.times: list[int] = []
        self.hands: list[tuple[int, int]] = []
        self._snapshots: list[tuple[int, Snapshot]] = []
        self._seqs: list[int] = []
        self._elapsed: list[int] = []
        self._replay_all()

    def __len__(self) -> int:
        return len(self.entries)

    def message(self, position: int) -> Message:
        """Return the message at a position, which leads to the next place."""
        return self.entries[position].message

    def view_at(self, position: int) -> TableState:
        """Return the table at a position, which is at least 1."""
        kept = bisect.bisect_right(self._snapshots, position, key=lambda each: each[0]) - 1
        begin, snapshot = self._snapshots[kept]
        view = TableState.from_snapshot(snapshot)
        for entry in self.entries[begin:position]:
            view = next_state(view, entry.message)
        return view

    def elapsed_ms(self, position: int) -> int:
        """Return the time since the hand's signal at a position; negative before the signal."""
        return self._elapsed[max(0, position - 1)]

    def seq_at(self, position: int) -> int:
        """Return the number of the last event before a position."""
        return self._seqs[max(0, position - 1)]

    @property
    def last_seq(self) -> int:
        """The number of the last event."""
        return self._seqs[-1]

    def hand_at(self, position: int) -> list[TimedMessage]:
        """Return the messages of the hand at a position, up to there, after the table before the hand."""
        number = self._hand_of(position)
        begin = self.hands[number][1] - 1 if number is not None else 0
        while begin > 1 and not isinstance(self.message(begin), ev.Committed):
            begin -= 1
        begin = max(1, begin)
        before = TimedMessage(
            self.view_at(begin).snapshot(self.elapsed_ms(begin)), self.entries[begin - 1].at_us
        )
        return [before, *self.entries[begin:position]]

    def analysis_at(self, position: int) -> list[SeatAnalysis]:
        """Return the analysis of the hand at a position; empty while the hand is in play."""
        view: TableState | None = None
        history, seed = HistoryTracker(), b""
        for entry in self.hand_at(position):
            view = next_state(view, entry.message)
            history.apply(entry.message, view, entry.at_us, entry.seat)
            if isinstance(entry.message, ev.HandOver):
                seed = view.deal_seed(bytes.fromhex(entry.message.seed))
        hand = None if view is None else view.hand
        return analyze(history.hand, hand, seed) if seed and hand and history.hand else []

    # Seeking.

    @property
    def start(self) -> int:
        """The place of the first deal, or the first place if there is none."""
        return self.hands[0][1] if self.hands else 1

    def position_of_event(self, seq: int) -> int:
        """Return the place just after an event, or the nearest one if the event is missing."""
        return min(len(self), bisect.bisect_left(self._seqs, seq) + 1)

    def position_of_hand(self, hand: int, position: int) -> int | None:
        """Return the place of a hand's deal, in the match at a position or in the nearest one that has it."""
        positions = [dealt for number, dealt in self.hands if number == hand]
        return min(positions, key=lambda dealt: abs(dealt - position), default=None)

    def position_at_time(self, elapsed_ms: int, position: int) -> int:
        """Return the last place in a hand that is not later than a time since its signal."""
        number = self._hand_of(position)
        if number is None:
            return position
        begin = self.hands[number][1]
        end = self.hands[number + 1][1] - 1 if number + 1 < len(self.hands) else len(self)
        found = begin
        for other in range(begin, end + 1):
            if self.elapsed_ms(other) > elapsed_ms:
                break
            found = other
        return found

    def next_hand(self, position: int, steps: int) -> int:
        """Return the deal some hands after or before the one at a position; at most the last or first."""
        if not self.hands:
            return position
        number = self._hand_of(position)
        wanted = (0 if steps > 0 else -1) if number is None else number + steps
        if number is not None and steps < 0 and position > self.hands[number][1] + 1:
            wanted = number + steps + 1  # back to the start of this hand first
        return self.hands[min(max(0, wanted), len(self.hands) - 1)][1]

    def _hand_of(self, position: int) -> int | None:
        number = bisect.bisect_right(self.hands, position, key=lambda each: each[1]) - 1
        return number if number >= 0 else None

    # Building.

    def _replay_all(self) -> None:
        """Apply the whole record once, so that errors are found before anything is shown."""
        view: TableState | None = None
        clock = _Clock()
        since = SNAPSHOT_INTERVAL
        for position, entry in enumerate(self.entries, 1):
            idles = view is None or view.paused or view.phase not in DEALT
            view = next_state(view, entry.message)
            self.times.append(clock.forward(entry, idles=idles))
            self._seqs.append(view.seq)
            self._elapsed.append(clock.elapsed_ms(entry.message, view))
            since += 1
            if since > SNAPSHOT_INTERVAL or isinstance(entry.message, Snapshot | ev.Dealt):
                self._snapshots.append((position, view.snapshot(self._elapsed[-1])))
                since = 0
            if isinstance(entry.message, ev.Dealt):
                self.hands.append((view.hand_number, position))
        if view is None:
            raise InvalidRecord("There is no table in this record.")


class _Clock:
    """Converts the times of messages to those of the timeline, and of the hand."""

    def __init__(self) -> None:
        self._last_us: int | None = None
        self._now_ms = 0.0
        self._signal_ms = 0.0
        self._ended_ms: int | None = None

    def forward(self, entry: TimedMessage, *, idles: bool) -> int:
        """Advance to the next message and return its time. A restarted clock counts as no time passed."""
        gap = max(0, entry.at_us - self._last_us) / 1_000 if self._last_us is not None else 0.0
        self._last_us = entry.at_us
        self._now_ms += min(gap, MAX_WAIT_MS) if idles else gap
        return int(self._now_ms)

    def elapsed_ms(self, message: Message, view: TableState) -> int:
        """Return the time since the signal after a message."""
        match message:
            case Snapshot() | ev.Continued():
                self._signal_ms = self._now_ms - message.elapsed_ms
                self._ended_ms = None
            case ev.Dealt():
                self._signal_ms = self._now_ms + message.countdown_ms
                self._ended_ms = None
            case ev.Signalled():
                self._signal_ms = self._now_ms
            case ev.HandOver():
                self._ended_ms = message.elapsed_ms
        return int(self._now_ms - self._signal_ms) if self._ended_ms is None else self._ended_ms
