"""The spectators: those who watch a table. They see what players see, later, and never make players wait.

Events are passed on in rounds, to a few spectators every millisecond, in turns with the spectators of all
other tables. What comes up during a round waits for the next, and goes to each spectator in one write: the
more there are, the later they see it, and never the players. With a delay the gallery follows the table with
a view of its own, so that whoever comes to it sees no more than the others there; to follow an event counts
in its turn as much as to send. What waits until then is bounded: where it is too much, the gallery goes on
with a snapshot.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from racing_demon_protocol.table.view import TableView
from racing_demon_protocol.wire.codec import decode_server, pack
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages.events import Event, OptionsSet, Played
from racing_demon_protocol.wire.messages.server import CaughtUp, Snapshot
from racing_demon_protocol.wire.options import Options
from racing_demon_server.frames import Batch, Framed, Frames, Listener, frames_of
from racing_demon_server.match.hand_clock import HandClock
from racing_demon_server.match.table import Past
from racing_demon_server.wakeup import seconds_until

from .backlog import Backlog, Later, Queue
from .committed import CommittedTable

__all__ = ["Spectators"]

FOREVER_US: Final = 2**62
MOST_NEWS: Final = 500
"""So many events that were delayed one round has at most; the others wait, and are counted, in the queue."""


class Spectators:
    """The spectators of one table.

    Args:
        shown: the table, as its players see it.
        clock: tells the time, in microseconds.
        backlog: counts what waits for spectators who see tables later, and gives their galleries turns.

    """

    def __init__(self, shown: CommittedTable, clock: Callable[[], int], backlog: Backlog) -> None:
        self._shown = shown
        self._delay_us = _delay_us(shown.view.options)
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._sent: dict[Listener, int] = {}
        self._fresh: list[Frames] = []
        self._news: list[tuple[int, Framed]] = []
        self._listeners: deque[Listener] = deque()
        self._batches: dict[int, Batch] = {}
        self._turns = backlog.turns
        self._queue = Queue(backlog, self._snapshot)
        self._late: TableView | None = None
        self._late_clock = HandClock()
        self._alarm: asyncio.Handle | None = None

    def __len__(self) -> int:
        return len(self._sent)

    def __contains__(self, listener: Listener) -> bool:
        return listener in self._sent

    def __iter__(self) -> Iterator[Listener]:
        return iter(list(self._sent))

    def add(self, listener: Listener) -> None:
        """Show a spectator the table as the gallery sees it, and from then on every event."""
        view, hand_clock = self._shown.view, self._shown.hand_clock
        at = self._shown.certain(self._clock())
        if self._delay_us or self._late is not None:
            view, hand_clock, at = self._follower(), self._late_clock, at - self._lag_us()
        listener.reply(view.snapshot_for(None, hand_clock.elapsed_ms(at)))
        listener.reply(CaughtUp(seq=view.seq))
        self._sent[listener] = view.seq

    def take_over(self, listener: Listener) -> None:
        """Give somebody the events to come who has had all that are told."""
        self._sent[listener] = self._shown.view.seq

    def take_up(self, options: Options, past: Past) -> None:
        """Show what was still to come with the delay when the server ended.

        Args:
            options: those that the table was opened with.
            past: what is kept of the table.

        """
        if not self._delay_us:
            return
        now, view = self._clock(), self._shown.view
        before = TableView(view.code, options)
        if past.snapshot is not None:
            before.restore(past.snapshot)
        before.locked = view.locked
        self._late = before
        for frames in frames_of(past.log):
            due = frames.at + self._delay_us
            if frames.seat is not None or frames.event.seq <= before.seq:
                continue
            if due <= now:
                self._follow(frames.event, frames.at)
            else:
                self._queue.append(Later(due, frames.at, frames.event.seq, frames.packed))
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
        if self._delay_us or self._late is not None:
            self._follower()
            due = self._clock() + self._delay_us  # or later: nothing overtakes what stands before it
            for each in frames:
                self._queue.append(Later(due, each.at, each.event.seq, each.packed))
        else:
            self._fresh += frames
        self._wind_up()

    def hurry(self) -> None:
        """Show at once all that is still to come: the table is to be closed."""
        self._clock, self._delay_us = (lambda: FOREVER_US), 0
        while self._fresh or self._news or self._queue:
            self._take_turn(MOST_NEWS)

    def close(self) -> None:
        """Stop the clockwork."""
        self._queue.clear()
        self._turns.withdraw(self._take_turn)
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

    def _follower(self) -> TableView:
        """Return the view that follows with the delay; it begins with the table as it is."""
        if self._late is None:
            self._late = TableView.from_snapshot(self._shown.view.snapshot_for(None, 0))
            self._late_clock = self._shown.hand_clock
        return self._late

    def _snapshot(self) -> Later:
        """Return the table as its players see it now, to be shown with the delay."""
        view, hand_clock, now = self._shown.view, self._shown.hand_clock, self._clock()
        packed = pack(view.snapshot_for(None, hand_clock.elapsed_ms(self._shown.certain(now))))
        return Later(now + self._delay_us, now, view.seq, packed, hand_clock)

    def _follow(self, message: Message, at: int, hand_clock: HandClock | None = None) -> None:
        """Let the late view and its clock follow what is shown, unless they began with a table that had it.

        Args:
            message: an event, or a snapshot.
            at: when it happened.
            hand_clock: what the time of the hand is told by; for a snapshot.

        """
        late = self._late
        if late is None:
            return
        if isinstance(message, Snapshot) and hand_clock is not None and message.seq > late.seq:
            self._late, self._late_clock = TableView.from_snapshot(message), hand_clock
        elif isinstance(message, Event) and message.seq == late.seq + 1:
            late.apply(message)
            if type(message) is not Played:
                self._late_clock = self._late_clock.after(message, at)

    def _lag_us(self) -> int:
        """Return how long ago that was which the gallery sees: longer than the delay, if that was longer."""
        return self._queue.first.due - self._queue.first.at if self._queue else self._delay_us

    def _wind_up(self) -> None:
        if self._fresh or self._news:
            self._turns.ask(self._take_turn)
        elif self._queue and self._alarm is None:
            wait = seconds_until(self._queue.first.due, self._clock())
            self._alarm = self._loop.call_later(wait, self._wake)

    def _wake(self) -> None:
        self._alarm = None
        self._turns.ask(self._take_turn)

    def _take_turn(self, most: int) -> int:
        """Go on with a round, or begin one; return how many events were followed, and how many got news."""
        done = 0
        if not self._listeners:
            done = self._gather(most)
            if done == most and len(self._news) < MOST_NEWS:  # there may be more
                self._wind_up()
                return done
            self._listeners.extend(self._sent)
        while self._listeners and done < most:
            self._pass_on(self._listeners.popleft())
            done += 1
        if not self._listeners:
            self._news, self._batches = [], {}
        self._wind_up()
        return done

    def _gather(self, most: int) -> int:
        """Gather what is to be shown now; return how many events were followed for that."""
        self._news += [(each.event.seq, each) for each in self._fresh]
        self._fresh = []
        due = self._queue.take_due(self._clock(), most)
        for later in due:
            self._follow(decode_server(later.packed), later.at, later.hand_clock)
            self._news.append((later.seq, later))
        if not self._queue and not self._delay_us:
            self._late = None
        return len(due)

    def _pass_on(self, listener: Listener) -> None:
        """Send one spectator what is new; all who had the same before get the same bytes."""
        sent = self._sent.get(listener)
        if sent is None:
            return
        batch = self._batches.get(sent)
        if batch is None:
            batch = self._batches[sent] = Batch([framed for seq, framed in self._news if seq > sent])
        if batch.frames:
            listener.send(batch)
            self._sent[listener] = self._news[-1][0]


def _delay_us(options: Options) -> int:
    return options.watch_delay_ms * 1_000
