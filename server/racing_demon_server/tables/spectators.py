"""The spectators of a table.

They see what players see, but later, and never delay players. Events go out in rounds, to a few spectators
every millisecond, in turns with those of all other tables. Events during a round wait for the next one, and
reach each spectator in one write: more spectators add delay for spectators, and none for players. Lost races
go with the events, at a limited rate. With a delay, the spectators share a view of their own, so that a new
one sees no more than the others. Applying an event costs as much of a turn as sending one. The queues are
bounded: if too much waits, the spectators continue from a snapshot.
"""

import asyncio
import itertools
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from racing_demon_protocol.constants import MAX_LISTED_SPECTATORS, MAX_SPECTATORS
from racing_demon_protocol.enums import CloseCode
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.capabilities import lacking, refusal, uses_extension
from racing_demon_protocol.wire.codec import Encoding, decode_server, pack
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages.events import Dealt, Event, OptionsSet, Played
from racing_demon_protocol.wire.messages.server import (
    CaughtUp,
    RaceLost,
    Snapshot,
    SpectatorList,
    SpectatorState,
)
from racing_demon_protocol.wire.options import Options
from racing_demon_server.encoded_messages import (
    Batch,
    DirectMessage,
    Encodable,
    EncodedEvent,
    Listener,
    PackedEvent,
    encoded_events,
)
from racing_demon_server.match.checkpoint import DelayedView
from racing_demon_server.match.hand_clock import HandClock
from racing_demon_server.match.table import SavedState
from racing_demon_server.rate_limits import TokenBucket
from racing_demon_server.wakeup import seconds_until

from .read_model import CommittedTable

STEP_UNITS: Final = 10
"""Units of work in one step, for all tables together."""
STEP_SECONDS: Final = 0.001
"""Seconds between two steps."""

Turn = Callable[[int], int]
"""Does some work, up to a number of units, and returns how many it has done."""


class FairScheduler:
    """Runs the spectators of all tables in turns: a few units of work every millisecond.

    In between, the loop serves players. A table with more to do goes to the end of the line after each turn,
    so that one with many spectators does not delay the others.
    """

    def __init__(self) -> None:
        self._waiting: dict[Turn, None] = {}
        self._step: asyncio.Handle | None = None

    def request(self, turn: Turn) -> None:
        """Wait for a turn, unless it is waiting already."""
        self._waiting[turn] = None
        if self._step is None:
            self._step = asyncio.get_running_loop().call_soon(self._do_step)

    def withdraw(self, turn: Turn) -> None:
        """Stop waiting."""
        self._waiting.pop(turn, None)

    def _do_step(self) -> None:
        if not self._waiting:
            self._step = None
            return
        # Set first, so that the others continue if a turn fails.
        self._step = asyncio.get_running_loop().call_later(STEP_SECONDS, self._do_step)
        left = STEP_UNITS
        while left > 0 and self._waiting:
            turn = next(iter(self._waiting))
            del self._waiting[turn]
            left -= max(1, turn(left))


ENTRY_OVERHEAD_BYTES: Final = 200
"""The overhead of an entry, in bytes."""


@dataclass(slots=True)
class DelayedMessage:
    """An event or a snapshot that is shown later.

    Attributes:
        due: when it may be shown, in microseconds.
        at: when it happened.
        seq: the number of the event, or of the last event in the snapshot.
        packed: the encoded message.
        hand_clock: the clock of the hand, for a snapshot; ``None`` for an event.

    """

    due: int
    at: int
    seq: int
    packed: bytes
    hand_clock: HandClock | None = None

    @property
    def size(self) -> int:
        """The bytes that it takes."""
        return len(self.packed) + ENTRY_OVERHEAD_BYTES

    def framed(self, encoding: Encoding) -> bytes:
        """Return the message as a WebSocket frame."""
        return PackedEvent(self.packed).framed(encoding)


class Backlog:
    """The delay queues of all tables of a server: bytes, bounded for each table and for the server.

    If a queue grows too long, a snapshot of the table replaces it. The snapshot is delayed like any event, so
    spectators skip what happened between, and see nothing too early.

    Attributes:
        size: the bytes that wait in all of them.
        scheduler: gives the spectators of each table their turns.

    Args:
        most_of_table: most bytes in one queue.
        most: most bytes in all queues.

    """

    def __init__(self, most_of_table: int, most: int) -> None:
        self.size = 0
        self.scheduler = FairScheduler()
        self._most_of_table = most_of_table
        self._most = most
        self._queues: set[DelayQueue] = set()

    def count(self, queue: "DelayQueue", change: int) -> None:
        """Count bytes that were added to a queue, or removed."""
        self.size += change
        if queue.size:
            self._queues.add(queue)
        else:
            self._queues.discard(queue)

    def make_room(self, queue: "DelayQueue") -> None:
        """Shorten a queue that has grown too long, and the longest one if all together are too long."""
        if queue.size > self._most_of_table:
            queue.shorten()
        while self.size > self._most and max(self._queues, key=lambda each: each.size).shorten():
            pass


class DelayQueue:
    """The events that wait for the spectators of one table, in order.

    Attributes:
        size: the bytes that it takes.

    Args:
        backlog: all queues of the server.
        snapshot: returns a snapshot of the table, with the delay of an event that happens now.

    """

    def __init__(self, backlog: Backlog, snapshot: Callable[[], DelayedMessage]) -> None:
        self.size = 0
        self._backlog = backlog
        self._snapshot = snapshot
        self._waiting: deque[DelayedMessage] = deque()

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def first(self) -> DelayedMessage:
        """The next entry. The queue must not be empty."""
        return self._waiting[0]

    def append(self, later: DelayedMessage) -> None:
        """Add an entry. This may replace earlier ones by a snapshot."""
        self._waiting.append(later)
        self._grow(later.size)
        self._backlog.make_room(self)

    def pop_due(self, now: int, most: int) -> list[DelayedMessage]:
        """Remove and return the entries that are due, up to a number, in order."""
        due: list[DelayedMessage] = []
        while self._waiting and self._waiting[0].due <= now and len(due) < most:
            due.append(self._waiting.popleft())
        self._grow(-sum(each.size for each in due))
        return due

    def shorten(self) -> bool:
        """Replace the queue by a snapshot. Return whether it is shorter now.

        A snapshot at the head stays, so that spectators see some however often this happens.
        """
        before, snapshot = self.size, self._snapshot()
        kept = [each for each in (self.first, snapshot) if each.hand_clock is not None]
        self._waiting = deque(kept)
        self._grow(sum(each.size for each in kept) - before)
        return self.size < before

    def clear(self) -> None:
        """Empty the queue."""
        self._waiting.clear()
        self._grow(-self.size)

    def _grow(self, change: int) -> None:
        self.size += change
        self._backlog.count(self, change)


FOREVER_US: Final = 2**62
MAX_ROUND_EVENTS: Final = 500
"""The most delayed events in one round. The others wait in the queue, where they are counted."""
RACES_PER_SECOND: Final = 4
RACE_BURST: Final = 8
"""The most lost races shown of a table, sustained and at once: nobody can read more."""
NO_EVENT: Final = 0
"""The sequence number of messages that are no events: they go to everybody with a view of the table."""


def is_second_deal(encoded: Iterable[EncodedEvent], shown: CommittedTable) -> bool:
    """Return whether events deal a hand that was drawn again.

    Then everybody also gets a snapshot. It says nothing new, but clients that do not know of void draws start
    over with it, and do not mistake the second draw for cheating.
    """
    for each in encoded:
        if type(each.event) is Dealt:  # first, because reading the view applies waiting plays
            return shown.view.is_redrawn
    return False


class RelayReport(NamedTuple):
    """What a relay reports of its spectators.

    Attributes:
        people: how many there are.
        lacks: the extensions that some of their clients do not understand.

    """

    people: int
    lacks: frozenset[str]


class SpectatorEntry(NamedTuple):
    """When a spectator came, and their number."""

    number: int
    at: int


class Spectators:
    """The spectators of one table.

    Attributes:
        relayed: what each relay among them reports of its own spectators.

    Args:
        shown: the table as its players see it.
        clock: the clock, in microseconds.
        backlog: bounds what waits for delayed spectators, and gives spectators their turns.
        delays: whether to apply the table's delay; a relay receives events with the delay applied.

    """

    def __init__(
        self, shown: CommittedTable, clock: Callable[[], int], backlog: Backlog, *, delays: bool = True
    ) -> None:
        self._shown = shown
        self._delays = delays
        self._delay_us = self._delay_of(shown.view.options)
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self.relayed: dict[Listener, RelayReport] = {}
        self._sent: dict[Listener, int] = {}
        self._came: dict[Listener, SpectatorEntry] = {}
        self._numbers = itertools.count(1)
        self._fresh: list[tuple[int, Encodable]] = []
        self._round: list[tuple[int, Encodable]] = []
        self._listeners: deque[Listener] = deque()
        self._newest = 0
        self._batches: dict[tuple[int, bool], Batch] = {}
        self._races = TokenBucket(RACES_PER_SECOND, RACE_BURST)
        self._scheduler = backlog.scheduler
        self._queue = DelayQueue(backlog, self._snapshot)
        self._delayed: TableState | None = None
        self._delayed_clock = HandClock()
        self._alarm: asyncio.Handle | None = None

    def __len__(self) -> int:
        return len(self._sent)

    def __contains__(self, listener: Listener) -> bool:
        return listener in self._sent

    def __iter__(self) -> Iterator[Listener]:
        return iter(list(self._sent))

    @property
    def extensions(self) -> frozenset[str]:
        """The extensions that the table used which spectators are shown."""
        return (self._shown.view if self._delayed is None else self._delayed).extensions

    def lack(self, words: Collection[str]) -> bool:
        """Return whether a spectator's client does not understand all of these extensions."""
        reports = self.relayed.values()
        return any(lacking(each.software, words) for each in self._sent) or any(
            not each.lacks.isdisjoint(words) for each in reports
        )

    def close_outdated(self, words: Collection[str]) -> None:
        """Close the connections of spectators whose clients do not understand all of these extensions."""
        for listener in self:
            if lacks := lacking(listener.software, words):
                self.discard(listener)
                listener.close(CloseCode.GOOD_BYE, refusal(lacks))

    @property
    def people(self) -> int:
        """The number of spectators; those of a relay count in its place."""
        relayed = sum(each.people for each in self.relayed.values())
        return min(MAX_SPECTATORS, len(self._sent) - len(self.relayed) + relayed)

    def count_relayed(self, relay: Listener, count: int, lacks: Collection[str] = ()) -> bool:
        """Count a relay's spectators in its place; return whether it is a spectator here.

        Args:
            relay: the relay.
            count: how many spectators it has.
            lacks: the extensions that some of their clients do not understand.

        """
        if relay not in self._sent:
            return False
        self.relayed[relay] = RelayReport(count, frozenset(lacks))
        return True

    def add(self, listener: Listener) -> None:
        """Send a spectator the (delayed) view of the table, and then all events."""
        view, hand_clock = self._shown.view, self._shown.hand_clock
        at = self._shown.durable_time(self._clock())
        if self._delay_us or self._delayed is not None:
            view, hand_clock, at = self._delayed_state(), self._delayed_clock, at - self._lag_us()
        listener.reply(view.snapshot_for(None, hand_clock.elapsed_ms(at)))
        listener.reply(CaughtUp(seq=view.seq))
        self._add(listener, view.seq)

    def add_caught_up(self, listener: Listener) -> None:
        """Add a spectator who has received every event so far."""
        self._add(listener, self._shown.view.seq)

    def _add(self, listener: Listener, seq: int) -> None:
        self._sent[listener] = seq
        self._came.setdefault(listener, SpectatorEntry(next(self._numbers), self._clock()))

    def listed(self) -> SpectatorList:
        """Return who watches, for the host: those who came last."""
        now, last = self._clock(), list(self._came.items())[-MAX_LISTED_SPECTATORS:]
        return SpectatorList(
            spectators=tuple(
                SpectatorState(
                    spectator=number,
                    seconds=(now - at) // 1_000_000,
                    people=self.relayed[listener].people if listener in self.relayed else 1,
                )
                for listener, (number, at) in last
            )
        )

    def numbered(self, number: int) -> Listener | None:
        """Return a spectator by the number in the host's list; ``None`` if they are gone."""
        return next((each for each, came in self._came.items() if came.number == number), None)

    def restoring(self, options: Options, saved_state: SavedState) -> Iterator[None]:
        """Restore what was in the delay queue when the server ended; yield after each event.

        Args:
            options: the table's initial options.
            saved_state: what the journal holds of the table.

        """
        if not self._delay_us:
            return
        now, view = self._clock(), self._shown.view
        before = TableState(view.code, options)
        if saved_state.checkpoint is not None and saved_state.checkpoint.delayed_view is not None:
            table, self._delayed_clock = saved_state.checkpoint.delayed_view
            before.restore(table)
        elif saved_state.snapshot is not None:
            before.restore(saved_state.snapshot)
        before.locked = view.locked
        self._delayed = before
        for encoded in encoded_events(saved_state.log):
            yield
            due = encoded.at + self._delay_us
            if encoded.seat is not None or encoded.event.seq <= before.seq:
                continue
            if due <= now:
                self._apply(encoded.event, encoded.at)
            else:
                self._queue.append(DelayedMessage(due, encoded.at, encoded.event.seq, encoded.packed))
        self._schedule()

    def delayed_view(self) -> DelayedView | None:
        """Return what delayed spectators see; ``None`` without a delay."""
        if self._delayed is None:
            return None
        return DelayedView(self._delayed.snapshot_for(None, 0), self._delayed_clock)

    def discard(self, listener: Listener) -> None:
        """Remove a spectator."""
        self._sent.pop(listener, None)
        self._came.pop(listener, None)
        self.relayed.pop(listener, None)

    def publish(self, encoded: Sequence[EncodedEvent]) -> None:
        """Send events after their delay."""
        for each in encoded:
            if type(each.event) is OptionsSet:
                self._delay_us = self._delay_of(each.event.options)
        if not self._sent and self._delayed is None and not self._delay_us:
            return
        if self._delay_us or self._delayed is not None:
            self._delayed_state()
            due = self._clock() + self._delay_us  # or later: events stay in order
            for each in encoded:
                self._queue.append(DelayedMessage(due, each.at, each.event.seq, each.packed))
            if is_second_deal(encoded, self._shown):
                self._queue.append(self._snapshot())
        else:
            self._fresh += [(each.event.seq, each) for each in encoded]
            if is_second_deal(encoded, self._shown):
                table = self._snapshot()
                self._fresh.append((table.seq, table))
        self._schedule()

    def show_race(self, race: RaceLost) -> None:
        """Show a lost race after the events before it, and as late. Beyond the rate it is left out."""
        now = self._clock()
        if not (self._sent or self._delayed) or not self._races.take(now):
            return
        if self._delayed is None:  # without a delay, too, events come before races
            self._fresh.append((NO_EVENT, DirectMessage(race)))
        else:
            self._queue.append(DelayedMessage(now + self._delay_us, now, NO_EVENT, pack(race)))
        self._schedule()

    def send_everything(self) -> None:
        """Send everything that waits at once, because the table closes."""
        self._clock, self._delay_us = (lambda: FOREVER_US), 0
        while self._fresh or self._round or self._queue:
            self._run_turn(MAX_ROUND_EVENTS)

    def close(self) -> None:
        """Stop sending."""
        self._queue.clear()
        self._scheduler.withdraw(self._run_turn)
        if self._alarm is not None:
            self._alarm.cancel()

    def _delayed_state(self) -> TableState:
        """Return the delayed view. It begins with the current table."""
        if self._delayed is None:
            self._delayed = TableState.from_snapshot(self._shown.view.snapshot_for(None, 0))
            self._delayed_clock = self._shown.hand_clock
        return self._delayed

    def _snapshot(self) -> DelayedMessage:
        """Return a snapshot of the players' view, to be shown with the delay."""
        view, hand_clock, now = self._shown.view, self._shown.hand_clock, self._clock()
        packed = pack(view.snapshot_for(None, hand_clock.elapsed_ms(self._shown.durable_time(now))))
        return DelayedMessage(now + self._delay_us, now, view.seq, packed, hand_clock)

    def _apply(self, message: Message, at: int, hand_clock: HandClock | None = None) -> None:
        """Apply a message to the delayed view and its clock, unless they include it already.

        Args:
            message: an event, or a snapshot.
            at: its time.
            hand_clock: the clock of the hand, for a snapshot.

        """
        late = self._delayed
        if late is None:
            return
        if isinstance(message, Snapshot) and hand_clock is not None and message.seq > late.seq:
            self._delayed, self._delayed_clock = TableState.from_snapshot(message), hand_clock
        elif isinstance(message, Event) and message.seq == late.seq + 1:
            late.apply(message)
            if type(message) is not Played:
                self._delayed_clock = self._delayed_clock.after(message, at)

    def _lag_us(self) -> int:
        """Return how far the spectators are behind; more than the delay if the delay was longer before."""
        return self._queue.first.due - self._queue.first.at if self._queue else self._delay_us

    def _schedule(self) -> None:
        if self._fresh or self._round:
            self._scheduler.request(self._run_turn)
        elif self._queue and self._alarm is None:
            wait = seconds_until(self._queue.first.due, self._clock())
            self._alarm = self._loop.call_later(wait, self._wake)

    def _wake(self) -> None:
        self._alarm = None
        self._scheduler.request(self._run_turn)

    def _run_turn(self, most: int) -> int:
        """Continue a round, or begin one.

        Return how many events were applied and how many spectators served.
        """
        done = 0
        if not self._listeners:
            done = self._gather(most)
            if done == most and len(self._round) < MAX_ROUND_EVENTS:  # there may be more
                self._schedule()
                return done
            self._listeners.extend(self._sent)
        while self._listeners and done < most:
            self._send_to(self._listeners.popleft())
            done += 1
        if not self._listeners:
            self._round, self._batches = [], {}
        self._schedule()
        return done

    def _gather(self, most: int) -> int:
        """Collect what is due. Return how many events were applied for that."""
        self._round += self._fresh
        self._fresh = []
        due = self._queue.pop_due(self._clock(), most)
        for later in due:
            message = decode_server(later.packed)
            self._apply(message, later.at, later.hand_clock)
            if isinstance(message, Snapshot) or uses_extension(message):  # some came after it was given up
                self.close_outdated(self.extensions)
            self._round.append((later.seq, later))
        self._newest = max([self._newest, *(seq for seq, _ in self._round)])
        if not self._queue and not self._delay_us:
            self._delayed = None
        return len(due)

    def _send_to(self, listener: Listener) -> None:
        """Send one spectator what is new. Spectators in the same state get the same bytes."""
        sent = self._sent.get(listener)
        if sent is None:
            return
        state = sent, listener.shows_races
        batch = self._batches.get(state)
        if batch is None:
            news = [each for seq, each in self._round if seq > sent or (seq == NO_EVENT and state[1])]
            batch = self._batches[state] = Batch(news)
        if batch.messages:
            listener.send(batch)
            self._sent[listener] = max(sent, self._newest)

    def _delay_of(self, options: Options) -> int:
        return options.watch_delay_ms * 1_000 if self._delays else 0
