"""The feed of a table: its committed events, which everybody but the judge reads.

Nobody follows a running table a second time. The judge's table is copied after each turn that changes more
than cards, and after some plays; a reader applies the events after a copy only when somebody looks. A reader
has a place in the feed, and may be shown what is committed with a delay. When an event may be shown is fixed
as it is committed, so that nothing overtakes what was held back longer.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple, Protocol

import msgpack

from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.capabilities import uses_extension
from racing_demon_protocol.wire.codec import decode_server, pack
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages.events import (
    Committed,
    Dealt,
    Event,
    OptionsSet,
    Played,
    Progressed,
)
from racing_demon_server.encoded_messages import Batch, DirectMessage, Encodable, EncodedEvent, PackedEvent
from racing_demon_server.match.hand import HandClock
from racing_demon_server.match.table import Table

COPY_EVERY: Final = 64
"""After so many plays the judge's table is copied, so that few have to be applied when somebody looks."""
MOVES_CARDS: Final = frozenset({Played, Progressed})
"""Frequent events, which change little but cards. After any other the judge's table is copied."""
AT_ONCE: Final = 0
"""When something may be shown that is not held back."""
NO_EVENT: Final = 0
"""The number of a message that is no event: everybody is shown it."""


class TableCopy(NamedTuple):
    """A table after one of its events, and the clock of its hand. Nobody changes it."""

    state: TableState
    hand_clock: HandClock


class CommittedTable(Protocol):
    """A table as everybody sees it."""

    @property
    def view(self) -> TableState:
        """The public state. Hold no reference: after the next event it may be another object."""

    @property
    def settled(self) -> TableState:
        """The same without the newest plays: all but the cards, and who is stuck, is up to date."""

    @property
    def hand_clock(self) -> HandClock:
        """The clock of the hand."""

    def hold_us(self) -> int:
        """Return how long what is committed now is held back from spectators, in microseconds."""

    def durable_time(self, at: int) -> int:
        """Clamp a time to the last durable one: after a restart the clock never resumes before it."""


class Fold:
    """A table at some place in its log: a copy, and the events after it, applied when somebody looks.

    Attributes:
        seq: the number of the last event.

    Args:
        copy: the table before these events.

    """

    def __init__(self, copy: TableCopy) -> None:
        self._copy = copy
        self._is_shared = True
        self._unapplied: list[tuple[bytes, int]] = []
        self.seq = copy.state.seq

    @property
    def is_behind(self) -> bool:
        """Whether events wait to be applied."""
        return bool(self._unapplied)

    @property
    def last_copy(self) -> TableCopy:
        """The table before the events that wait."""
        return self._copy

    @property
    def table(self) -> TableCopy:
        """The table after all events."""
        self.catch_up()
        return self._copy

    def catch_up(self) -> None:
        """Apply the events that wait."""
        if not self._unapplied:
            return
        state, hand_clock = self._copy
        if self._is_shared:
            state, self._is_shared = state.copy(), False
        for packed, at in self._unapplied:
            event = decode_server(packed)
            assert isinstance(event, Event)
            state.apply(event)
            hand_clock = hand_clock.after(event, at)
        self._copy = TableCopy(state, hand_clock)
        self._unapplied.clear()

    def replace(self, copy: TableCopy) -> None:
        """Continue from a later copy."""
        self._copy, self._is_shared, self.seq = copy, True, copy.state.seq
        self._unapplied.clear()

    def extend(self, encoded: Sequence[EncodedEvent]) -> None:
        """Add the next events."""
        for each in encoded:
            self._unapplied.append((each.packed, each.at))
        self.seq = encoded[-1].event.seq

    def append(self, packed: bytes, at: int, seq: int) -> None:
        """Add the next event, which happened at a time."""
        self._unapplied.append((packed, at))
        self.seq = seq
        if len(self._unapplied) > 2 * COPY_EVERY:  # no copy has come for long
            self.catch_up()


GROUP_SIZE: Final = 64
"""Events that are joined when newer ones follow."""
MAX_REPLAY_BYTES: Final = 65_536
"""The most bytes sent to a client that resumes: twice those of 2,048 plays. Chat may be much longer."""


class ReplayBuffer:
    """The newest events, as bytes, for clients that resume.

    All but the newest are joined in groups, which saves two thirds of the memory.

    Attributes:
        extended: the number of the last event that older clients do not understand.

    Args:
        limit: how many to return; a few more may be held.

    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._groups: list[bytes] = []
        self._fresh: list[bytes] = []
        self._newest = 0
        self._whispered = 0
        self.extended = 0

    def add(self, encoded: Sequence[EncodedEvent]) -> None:
        """Add events. Plays that were sent to their players only are dropped, but remembered as missing."""
        for each in encoded:
            if each.seat is None:
                self._fresh.append(each.packed)
            else:
                self._whispered = each.event.seq
            if type(each.event) is Played:
                continue  # nearly all are, and this is faster than isinstance() of a model
            if _ends_privacy(each.event):
                self._whispered = each.event.seq - 1
            if uses_extension(each.event):
                self.extended = each.event.seq
        self._newest = encoded[-1].event.seq  # a play to one player has that of the event before
        while len(self._fresh) >= GROUP_SIZE:
            self._groups.append(msgpack.packb(self._fresh[:GROUP_SIZE]))
            del self._fresh[:GROUP_SIZE]
            if (len(self._groups) - 1) * GROUP_SIZE >= self._limit:
                del self._groups[0]  # the others are enough

    def forget(self, seq: int) -> None:
        """Let clients get a snapshot that resume from an event, or one before it."""
        self._newest = self._whispered = seq
        self._groups.clear()
        self._fresh.clear()

    def add_each(self, log: Iterable[EncodedEvent]) -> Iterator[tuple[Event, int]]:
        """Add the events of a log one by one, and yield each with its time."""
        for encoded in log:
            self.add([encoded])
            yield encoded.event, encoded.at

    def since(self, seq: int) -> Batch | None:
        """Return the events after one; ``None`` if some are missing.

        Plays without a number count as missing. The result is also ``None`` if it would be longer than a
        listener's buffer: then a snapshot is shorter.
        """
        before = self._newest - len(self._fresh) - GROUP_SIZE * len(self._groups)
        oldest = max(before, self._newest - self._limit)
        if not (oldest <= seq <= self._newest and self._whispered < seq):
            return None
        known = seq - before
        skipped = min(known // GROUP_SIZE, len(self._groups))
        grouped = [each for group in self._groups[skipped:] for each in msgpack.unpackb(group)]
        missed = [*grouped, *self._fresh][known - GROUP_SIZE * skipped :]
        if sum(map(len, missed)) > MAX_REPLAY_BYTES:
            return None
        return Batch([PackedEvent(each) for each in missed])


def _ends_privacy(event: Event) -> bool:
    """Return whether layouts may have been private before an event, and are public after it.

    A client that resumes from before such an event gets a snapshot: otherwise the kind of answer would reveal
    whether others have played.
    """
    return isinstance(event, OptionsSet) or (isinstance(event, Dealt) and len(event.seats) == 1)


class Turn(NamedTuple):
    """What was judged together, or a part of it that readers see on its own.

    Attributes:
        events: its events.
        copy: the table after them, if it was copied.
        moves_cards: whether they change little but cards.

    """

    events: list[EncodedEvent]
    copy: TableCopy | None
    moves_cards: bool = False


class Feed:
    """The committed events of one table, a few moments behind its judge, and the table after them.

    Attributes:
        replay: the newest events, for clients that resume.
        durable_time: clamps a time to the last durable one.

    Args:
        judge: the judge's table, while none of its events waits.
        replay: its newest events.
        clock: the clock, in microseconds.
        durable_time: the same, as an argument.

    """

    def __init__(
        self,
        judge: Table,
        replay: ReplayBuffer,
        clock: Callable[[], int],
        durable_time: Callable[[int], int],
    ) -> None:
        self.replay = replay
        self.durable_time = durable_time
        self._judge = judge
        self._clock = clock
        self._fold = Fold(self._copied())
        self._delay_us = judge.view.options.watch_delay_us
        self._due = AT_ONCE
        self._uncommitted = self._since_copy = 0
        self._is_broken = False

    @property
    def view(self) -> TableState:
        """The public state."""
        if (self._fold.is_behind or self._is_broken) and not self._uncommitted:
            self._fold.replace(self._copied())
            self._is_broken = False
        return self._fold.table.state

    @property
    def settled(self) -> TableState:
        """The same without the newest plays: all but the cards, and who is stuck, is up to date."""
        return self._fold.last_copy.state

    @property
    def hand_clock(self) -> HandClock:
        """The clock of the hand, which plays do not change."""
        return self._fold.last_copy.hand_clock

    def hold_us(self) -> int:
        """Return how long what is committed now is held back from spectators, in microseconds.

        That is longer than the table's delay where the host has lowered that.
        """
        if not (self._delay_us or self._due):
            return 0
        return max(self._due - self._clock(), self._delay_us)

    def judged(self, encoded: list[EncodedEvent]) -> list[Turn]:
        """Return what was judged just now, to be committed; the list does not change any more.

        The end of a hand is a part of its own, if the next one begins in the same turn: whoever tells others
        of it needs the table as it is in between.
        """
        moves_cards = True
        for each in encoded:
            if type(each.event) not in MOVES_CARDS:
                moves_cards = False
                break
        since_copy = self._since_copy + len(encoded)
        if moves_cards and since_copy < COPY_EVERY:
            self._uncommitted += 1
            self._since_copy = since_copy
            return [Turn(encoded, None, moves_cards)]
        copy = self._copied()
        begins = [n for n, each in enumerate(encoded) if n and type(each.event) is Committed]
        self._since_copy = 0
        self._uncommitted += 1 + len(begins)
        if not begins:
            return [Turn(encoded, copy, moves_cards)]
        parts = [Turn(encoded[start:end], None) for start, end in pairwise([0, *begins])]
        return [*parts, Turn(encoded[begins[-1] :], copy)]

    def append(self, turn: Turn) -> None:
        """Append what is committed now. If that raises, the table is right again with its next copy."""
        encoded, copy, moves_cards = turn
        self._uncommitted -= 1
        try:
            self.replay.add(encoded)
            if copy is None:
                self._fold.extend(encoded)
                if not moves_cards:  # whoever is told of it sees the table in between
                    self._fold.catch_up()
            else:
                self._fold.replace(copy)
                self._delay_us = copy.state.options.watch_delay_us
                self._is_broken = False
        except Exception:
            self._begin_again(turn)
            raise
        if self._delay_us or self._due:
            hold_us = self.hold_us()
            self._due = self._clock() + hold_us if hold_us else AT_ONCE

    def _begin_again(self, turn: Turn) -> None:
        """Read the judge's table anew, because a turn could not be appended; so does whoever resumes."""
        self.replay.forget(turn.events[-1].event.seq)
        missing = [each for each in turn.events if each.event.seq > self._fold.seq]
        if turn.copy is not None:
            self._fold.replace(turn.copy)
        elif missing:
            self._fold.extend(missing)
        self._is_broken = True  # until nothing of the judge's table waits, or a copy of it follows
        self._since_copy = COPY_EVERY

    def _copied(self) -> TableCopy:
        return TableCopy(self._judge.copied(), self._judge.hand_clock)


ENTRY_OVERHEAD_BYTES: Final = 240
"""The overhead of an entry that is held back, in bytes."""
COPY_BYTES: Final = 2_000
"""About what a copy of a table takes beside the piles that it shares with others."""


class Entry(NamedTuple):
    """Something that a reader will be shown.

    Attributes:
        due: when it may be shown, in microseconds.
        at: when it happened.
        seq: the number of the event, or of the last event in a snapshot.
        message: what is sent; packed while it is held back, to take less memory.
        copy: the table after it, if one is kept.
        is_snapshot: whether it is a snapshot.
        has_news: whether older clients may not understand it.

    """

    due: int
    at: int
    seq: int
    message: Encodable | bytes
    copy: TableCopy | None = None
    is_snapshot: bool = False
    has_news: bool = False

    @property
    def size(self) -> int:
        """The bytes that it takes while it is held back; 0 for others."""
        if not isinstance(self.message, bytes):
            return 0
        return len(self.message) + ENTRY_OVERHEAD_BYTES + (COPY_BYTES if self.copy is not None else 0)

    @property
    def encodable(self) -> Encodable:
        """What is sent."""
        return PackedEvent(self.message) if isinstance(self.message, bytes) else self.message


class Backlog:
    """What is held back at all tables of a server: bytes, bounded for each table and for the server.

    If too much is held back of a table, a snapshot replaces it. The snapshot is delayed like any event, so
    spectators skip what happened between, and see nothing too early.

    Attributes:
        size: the bytes that are held back of all tables.

    Args:
        most_of_table: most bytes of one table.
        most: most bytes of all tables.

    """

    def __init__(self, most_of_table: int, most: int) -> None:
        self.size = 0
        self._most_of_table = most_of_table
        self._most = most
        self._readers: set[Reader] = set()

    def count(self, reader: "Reader", change: int) -> None:
        """Count bytes that are held back from a reader now, or no longer."""
        self.size += change
        if reader.size:
            self._readers.add(reader)
        else:
            self._readers.discard(reader)

    def make_room(self, reader: "Reader") -> None:
        """Shorten what has grown too long for a reader, and the longest if all together are too long."""
        if reader.size > self._most_of_table:
            reader.shorten()
        while self.size > self._most and max(self._readers, key=lambda each: each.size).shorten():
            pass


class Reader:
    """Reads the feed of a table as its spectators may see it, from one place on.

    Attributes:
        size: the bytes that are held back.

    Args:
        table: the table as its players see it.
        clock: the clock, in microseconds.
        backlog: bounds what is held back.

    """

    def __init__(self, table: CommittedTable, clock: Callable[[], int], backlog: Backlog) -> None:
        self.size = 0
        self._table = table
        self._clock = clock
        self._backlog = backlog
        self._line: deque[Entry] = deque()
        self._late: Fold | None = None  # the table at the reader's place, if that is behind
        self._since_copy = 0

    @property
    def next_due(self) -> int | None:
        """When the next entry may be shown; ``None`` if none waits."""
        return self._line[0].due if self._line else None

    @property
    def is_held_back(self) -> bool:
        """Whether what happens now is shown later."""
        return self._late is not None or bool(self._table.hold_us())

    @property
    def state(self) -> TableState:
        """The table at the reader's place."""
        return self._table.view if self._late is None else self._late.table.state

    def look(self) -> tuple[TableState, int]:
        """Return the table that somebody who comes now is shown, and the milliseconds of its hand."""
        at = self._table.durable_time(self._clock())
        if self.is_held_back:
            state, hand_clock = self._begin_late(None).table
            lag_us = self._line[0].due - self._line[0].at if self._line else self._table.hold_us()
            return state, hand_clock.elapsed_ms(at - lag_us)
        return self._table.view, self._table.hand_clock.elapsed_ms(at)

    def late_table(self) -> TableCopy | None:
        """Return the table at the reader's place; ``None`` if nothing is held back."""
        return None if self._late is None else self._late.table

    def append(self, encoded: Sequence[EncodedEvent], copy: TableCopy | None) -> None:
        """Append committed events, and the table after them if it was copied."""
        if not self.is_held_back:
            self._line += [
                Entry(AT_ONCE, each.at, each.event.seq, each, has_news=_has_news(each.event))
                for each in encoded
            ]
            return
        self._begin_late(copy)
        due = self._clock() + self._table.hold_us()
        self._since_copy += len(encoded)
        *others, last = encoded
        for each in others:
            self._hold_back(due, each, None)
        self._hold_back(due, last, copy if self._is_copy_due(encoded) else None)

    def append_snapshot(self) -> None:
        """Append a snapshot of the table as it is now."""
        if self.is_held_back:
            self._add(self._snapshot())
        else:
            state, elapsed_ms = self.look()
            message, now = DirectMessage(state.snapshot_for(None, elapsed_ms)), self._clock()
            self._line.append(Entry(AT_ONCE, now, state.seq, message, is_snapshot=True, has_news=True))

    def append_message(self, message: Message) -> None:
        """Append a message that is no event."""
        now = self._clock()
        if self.is_held_back:
            self._begin_late(None)
            self._add(Entry(now + self._table.hold_us(), now, NO_EVENT, pack(message)))
        else:
            self._line.append(Entry(AT_ONCE, now, NO_EVENT, DirectMessage(message)))

    def take(self, until: int | None, most: int) -> list[Entry]:
        """Go on to the entries that are due by a moment, or to all with ``None``, but to no more than some.

        Return them, in order. One that older clients may not understand is the last: the table at this place
        tells whether they do.
        """
        taken: list[Entry] = []
        late, freed = self._late, 0
        while self._line and len(taken) < most and (until is None or self._line[0].due <= until):
            entry = self._line.popleft()
            taken.append(entry)
            if late is not None:
                freed += entry.size
                self._follow(late, entry)
            if entry.has_news:
                break
        if late is not None:
            self._grow(-freed)
            if not self._line and not self._table.hold_us():
                self._late = None
        return taken

    def shorten(self) -> bool:
        """Replace what is held back by a snapshot. Return whether it is shorter now.

        A snapshot at the head stays, so that spectators see some however often this happens.
        """
        before, first, snapshot = self.size, self._line[0], self._snapshot()
        kept = [each for each in self._line if not each.size or (each is first and each.is_snapshot)]
        self._line = deque([*kept, snapshot])
        self._since_copy = 0
        self._grow(sum(each.size for each in self._line) - before)
        return self.size < before

    def skip(self) -> None:
        """Go on to the table as it is now, once that is due, because something could not be followed."""
        if self.is_held_back:
            self._begin_late(None)
            self._line.clear()
            self._grow(-self.size)
            self._add(self._snapshot())
        else:
            self._line.clear()

    def restoring(self, before: TableCopy, log: Iterable[EncodedEvent]) -> Iterator[None]:
        """Go to where the reader was when the server ended; yield after each event.

        Args:
            before: the table at an earlier place.
            log: the events after that, and perhaps some before it.

        """
        self._late, now, hold_us = Fold(before), self._clock(), self._table.hold_us()
        for encoded in log:
            yield
            due, seq = encoded.at + hold_us, encoded.event.seq
            if encoded.seat is not None or seq <= before.state.seq:
                continue
            if due > now:
                self._hold_back(due, encoded, None)
            elif seq == self._late.seq + 1:
                self._late.append(encoded.packed, encoded.at, seq)
                self._late.catch_up()

    def close(self) -> None:
        """Forget what is held back."""
        self._line.clear()
        self._grow(-self.size)

    def _begin_late(self, copy: TableCopy | None) -> Fold:
        """Return the table at the reader's place; from when something is held back that is its own."""
        if self._late is None:
            self._late = Fold(copy or TableCopy(self._table.view.copy(), self._table.hand_clock))
        return self._late

    def _is_copy_due(self, encoded: Sequence[EncodedEvent]) -> bool:
        return self._since_copy >= COPY_EVERY or any(type(each.event) is Dealt for each in encoded)

    def _hold_back(self, due: int, encoded: EncodedEvent, copy: TableCopy | None) -> None:
        if copy is not None:
            self._since_copy = 0
        event = encoded.event
        self._add(Entry(due, encoded.at, event.seq, encoded.packed, copy, has_news=_has_news(event)))

    def _snapshot(self) -> Entry:
        """Return a snapshot of the players' table, to be shown with the delay."""
        state, hand_clock, now = self._table.view.copy(), self._table.hand_clock, self._clock()
        packed = pack(state.snapshot_for(None, hand_clock.elapsed_ms(self._table.durable_time(now))))
        return Entry(
            due=now + self._table.hold_us(),
            at=now,
            seq=state.seq,
            message=packed,
            copy=TableCopy(state, hand_clock),
            is_snapshot=True,
            has_news=True,
        )

    def _add(self, entry: Entry) -> None:
        """Append an entry that is held back. This may replace earlier ones by a snapshot."""
        self._line.append(entry)
        self._grow(entry.size)
        self._backlog.make_room(self)

    @staticmethod
    def _follow(late: Fold, entry: Entry) -> None:
        """Go on by one entry, unless the table includes it already."""
        if entry.copy is not None and entry.seq >= late.seq:
            late.replace(entry.copy)
        elif entry.seq == late.seq + 1 and isinstance(entry.message, bytes):
            late.append(entry.message, entry.at, entry.seq)

    def _grow(self, change: int) -> None:
        self.size += change
        self._backlog.count(self, change)


def _has_news(event: Event) -> bool:
    """Return whether older clients may not understand an event."""
    return type(event) is not Played and uses_extension(event)
