"""The gallery: those who watch a table. They see what players see, later, and never make players wait.

Events are passed on in rounds, to a few spectators every millisecond; in between the loop is free for the
players' cards. What comes up during a round waits for the next, and goes to each spectator in one write:
the more there are, the later they see it, and never the players. With a delay the gallery follows the table
with a view of its own, so that whoever comes to it sees no more than the others there.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

from racing_demon_protocol.messages.events import OptionsSet, Played
from racing_demon_protocol.options import Options
from racing_demon_protocol.view import TableView

from .hand_clock import HandClock
from .listener import Batch, Frames, Listener
from .shown import Shown
from .waking import seconds_until

__all__ = ["Gallery"]

SLICE: Final = 10
"""So many spectators get their events at a time."""
STEP_SECONDS: Final = 0.001
"""From one slice to the next: however many watch, they take no more than a part of the server's time."""


class Gallery:
    """The spectators of one table.

    Args:
        shown: the table, as its players see it.
        clock: tells the time, in microseconds.

    """

    def __init__(self, shown: Shown, clock: Callable[[], int]) -> None:
        self._shown = shown
        self._delay_us = _delay_us(shown.view.options)
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._sent: dict[Listener, int] = {}
        self._waiting: deque[tuple[int, Frames]] = deque()
        self._late: TableView | None = None
        self._late_clock = HandClock()
        self._round: asyncio.Handle | None = None

    def __len__(self) -> int:
        return len(self._sent)

    def __iter__(self) -> Iterator[Listener]:
        return iter(list(self._sent))

    def add(self, listener: Listener) -> None:
        """Show a spectator the table as the gallery sees it, and from then on every event."""
        view, hand_clock, at = self._shown.view, self._shown.hand_clock, self._clock()
        if self._delay_us or self._late is not None:
            view, hand_clock, at = self._follower(), self._late_clock, at - self._lag_us()
        listener.reply(view.snapshot_for(None, hand_clock.elapsed_ms(at)))
        self._sent[listener] = view.seq

    def take_up(self, before: TableView, since: Iterable[Frames]) -> None:
        """Show what was still to come with the delay when the server ended.

        Args:
            before: the table as it was some time ago, which is the gallery's own from now on.
            since: what has happened since, and when.

        """
        now = self._clock()
        self._late = before
        for frames in since:
            due = frames.at + self._delay_us
            if frames.seat is not None or frames.event.seq <= before.seq:
                continue
            if due <= now:
                self._follow(before, frames)
            else:
                self._waiting.append((due, frames))
        self._wind_up()

    def discard(self, listener: Listener) -> None:
        """Forget a spectator."""
        self._sent.pop(listener, None)

    def publish(self, frames: Sequence[Frames]) -> None:
        """Pass events on, when their time has come."""
        for each in frames:
            if type(each.event) is OptionsSet:
                self._delay_us = _delay_us(each.event.options)
        if not self._sent and self._late is None and not self._delay_us:
            return
        due = self._clock() + self._delay_us  # or later: nothing overtakes what stands before it in the line
        self._waiting += [(due, each) for each in frames]
        if self._delay_us:
            self._follower()
        self._wind_up()

    def close(self) -> None:
        """Stop the clockwork."""
        if self._round is not None:
            self._round.cancel()
            self._round = None

    def _follower(self) -> TableView:
        """Return the view that follows with the delay; it begins with the table as it is."""
        if self._late is None:
            self._late = TableView.from_snapshot(self._shown.view.snapshot_for(None, 0))
            self._late_clock = self._shown.hand_clock
        return self._late

    def _follow(self, late: TableView, frames: Frames) -> None:
        """Let the late view and its clock follow an event, unless they began with a table that had it."""
        if frames.event.seq == late.seq + 1:
            late.apply(frames.event)
            if type(frames.event) is not Played:
                self._late_clock = self._late_clock.after(frames.event, frames.at)

    def _lag_us(self) -> int:
        """Return how long ago that was which the gallery sees: longer than the delay, if that was longer."""
        if self._waiting:
            due, frames = self._waiting[0]
            return due - frames.at
        return self._delay_us

    def _wind_up(self) -> None:
        if self._round is None and self._waiting:
            wait = seconds_until(self._waiting[0][0], self._clock())
            self._round = self._loop.call_later(wait, self._begin_round)

    def _begin_round(self) -> None:
        now, due = self._clock(), list[Frames]()
        while self._waiting and self._waiting[0][0] <= now:
            due.append(self._waiting.popleft()[1])
        if self._late is not None:
            for frames in due:
                self._follow(self._late, frames)
        if not self._waiting and not self._delay_us:
            self._late = None
        self._pass_on(due, list(self._sent), {})

    def _pass_on(self, due: list[Frames], listeners: list[Listener], batches: dict[int, Batch]) -> None:
        """Send the next few what is due; ``batches`` has what those get who have had the same before."""
        for listener in islice(listeners, SLICE):
            sent = self._sent.get(listener)
            if sent is None:
                continue
            news = batches.get(sent)
            if news is None:
                news = batches[sent] = Batch([frames for frames in due if frames.event.seq > sent])
            if news.frames:
                listener.send(news)
                self._sent[listener] = due[-1].event.seq
        rest = listeners[SLICE:]
        if rest and due:
            self._round = self._loop.call_later(STEP_SECONDS, self._pass_on, due, rest, batches)
        else:
            self._round = None
            self._wind_up()


def _delay_us(options: Options) -> int:
    return options.watch_delay_ms * 1_000
