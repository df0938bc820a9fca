"""A replay: a record that is followed like a table, at any speed and from any place."""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Final

from racing_demon_client.net.table_client import SpectatorClient
from racing_demon_client.records.timeline import Timeline
from racing_demon_protocol.errors import RacingDemonError
from racing_demon_protocol.records.format import next_state
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Event, Message
from racing_demon_protocol.wire.messages.server import Refused, Snapshot

SPEEDS: Final = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
POSITIONS: Final = "h2 is hand 2, e120 event 120, 1:30 a time, +9 seconds on"
MIN_SECONDS: Final = 0.001
"""Shorter waits are skipped."""
BREATH: Final = 64
"""Yield to other tasks after this many messages without a wait."""


class InvalidPosition(RacingDemonError):
    """A text does not name a position in the record; the message says what would."""


class ReplayClient(SpectatorClient):
    """A spectator's place at a recorded table.

    Attributes:
        timeline: the record.
        position: the number of messages played so far.
        speed: the speed relative to the original.
        paused: whether the replay is paused.

    Args:
        timeline: the record.
        speed: the initial speed.
        paused: whether to start paused.
        position: where to start; the first deal by default.

    """

    def __init__(
        self, timeline: Timeline, *, speed: float = 1.0, paused: bool = False, position: int | None = None
    ) -> None:
        super().__init__()
        self.timeline = timeline
        self.position = 0
        self.speed = speed
        self.paused = paused
        self._changed = asyncio.Event()
        self._clock_ms = 0.0
        self._clock_read = time.monotonic()
        self._at_ms = 0.0
        self._sought_view: TableState | None = None
        self._steps = 0
        self._entered = True
        self.seek(timeline.start if position is None else position)
        self._view = self._sought_view
        self.code = self.view.code

    # The clock.

    def now_ms(self) -> int:
        """Return this replay's time in milliseconds; it stops while the replay is paused."""
        self._read_clock()
        return int(self._clock_ms)

    def _read_clock(self) -> None:
        now = time.monotonic()
        passed = (now - self._clock_read) * 1_000
        if self._runs:
            due = float(self.timeline.times[self.position])
            passed = min(
                passed * self.speed, max(0.0, due - self._at_ms)
            )  # the clock waits for the next message
            self._clock_ms += passed
            self._at_ms += passed
        elif self.at_end and not self.paused:
            self._clock_ms += passed  # at the end, the last changes still fade
        self._clock_read = now

    @property
    def at_end(self) -> bool:
        """Whether the whole record has been played."""
        return self.position >= len(self.timeline)

    def hand(self) -> list[Snapshot | Event]:
        """Return the current or last hand as far as the record contains it."""
        messages = (entry.message for entry in self.timeline.hand_at(self.position))
        return [each for each in messages if isinstance(each, Snapshot | Event)]

    @property
    def _runs(self) -> bool:
        return not self.paused and not self.at_end and self._sought_view is None

    # Seeking.

    def seek(self, position: int) -> None:
        """Seek to a position; its state arrives as a snapshot."""
        self._read_clock()
        self.position = min(max(1, position), len(self.timeline))
        self._sought_view = self.timeline.view_at(self.position)
        self._at_ms = float(self.timeline.times[self.position - 1])
        self._steps = 0
        self._changed.set()

    def seek_to(self, text: str) -> None:
        """Seek to a typed position, as described by :data:`POSITIONS`.

        Raises:
            InvalidPosition: it is not a position, or not one in this record.

        """
        try:
            position = self._parse_position(text.strip().lower())
        except ValueError:
            raise InvalidPosition(
                f"{text[:20]!r} is not a position: write one like h2, e120, 1:30 or +9."
            ) from None
        if position is None:
            raise InvalidPosition(f"There is no {text.strip()} in this record.")
        self.seek(position)

    def _parse_position(self, word: str) -> int | None:
        timeline, here = self.timeline, self.position
        if word[:1] in {"e", "#"}:
            return timeline.position_of_event(_number(word[1:]))
        if word.startswith("h"):
            return timeline.position_of_hand(_number(word[1:]), here)
        if word[:1] in {"+", "-"}:
            seconds = _number(word[1:]) * (1 if word[0] == "+" else -1)
            return timeline.position_at_time(timeline.elapsed_ms(here) + seconds * 1_000, here)
        minutes, _, seconds_of_it = word.partition(":")
        return timeline.position_at_time((_number(minutes) * 60 + _number(seconds_of_it)) * 1_000, here)

    def step(self, steps: int) -> None:
        """Pause, and step some messages forwards or backwards."""
        self._read_clock()
        self.paused = True
        if steps < 0:
            self.seek(self.position + steps)
        else:
            self._steps += steps
            self._changed.set()

    def next_hand(self, steps: int) -> None:
        """Seek to another hand's deal."""
        self.seek(self.timeline.next_hand(self.position, steps))

    def pause(self, *, paused: bool) -> None:
        """Pause or resume; at the end, resume from the start."""
        self._read_clock()
        self.paused = paused
        if not paused and self.at_end:
            self.seek(self.timeline.start)
        self._changed.set()

    def faster(self, steps: int) -> None:
        """Switch to a faster or slower speed."""
        self._read_clock()
        nearest = min(range(len(SPEEDS)), key=lambda number: abs(SPEEDS[number] - self.speed))
        self.speed = SPEEDS[min(max(0, nearest + steps), len(SPEEDS) - 1)]
        self._changed.set()

    # Receiving.

    async def __aiter__(self) -> AsyncIterator[Message]:
        """Yield the record's messages at their times until this place is closed."""
        in_a_row = 0
        while not self._goodbye:
            if self._sought_view is not None:
                self._view, self._sought_view = self._sought_view, None
                self._clock_read = time.monotonic()
                yield self._view.snapshot(self.timeline.elapsed_ms(self.position))
                continue
            wait = self._seconds_to_next()
            if wait is None or wait > 0:
                in_a_row = 0
                await self._sleep(wait)
                continue
            in_a_row += 1
            if in_a_row % BREATH == 0:
                await asyncio.sleep(0)
            if self._sought_view is None:
                message = self._next_message()
                if not isinstance(message, Refused):
                    yield message

    def _next_message(self) -> Message:
        """Apply the next message to the view and return it."""
        due = float(self.timeline.times[self.position])
        self._clock_ms += max(0.0, due - self._at_ms)
        self._at_ms = due
        self._steps = max(0, self._steps - 1)
        message = self.timeline.message(self.position)
        self._view = next_state(self._view, message)
        self.position += 1
        return message

    def _seconds_to_next(self) -> float | None:
        """Return the seconds until the next message; ``None`` while none is due."""
        self._read_clock()
        if self._steps and not self.at_end:
            return 0
        if not self._runs:
            return None
        seconds = (self.timeline.times[self.position] - self._at_ms) / 1_000 / self.speed
        return seconds if seconds > MIN_SECONDS else 0.0

    async def _sleep(self, seconds: float | None) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self._changed.wait()
        except TimeoutError:
            return
        self._changed.clear()

    async def close(self) -> None:
        """Stop the replay."""
        self._goodbye = True
        self._changed.set()

    async def ping(self, stamp: int) -> None:
        """Do nothing."""


def _number(text: str) -> int:
    """Parse a number, with no more digits than a record's have.

    Raises:
        ValueError: it is not a number.

    """
    if not text.isascii() or not text.isdigit():
        raise ValueError(text)
    return int(text[:9])
