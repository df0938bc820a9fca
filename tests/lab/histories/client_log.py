"""What clients of a table tell of it, put together: one log, all commands, and when each was judged."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final, NamedTuple

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.wire.messages import Event, Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Accepted, Refused, Seated, Snapshot

EARLY: Final = -1
LATE: Final = 2**62
"""Before and after all times and numbers."""


class WrongHistory(Exception):
    """What clients tell cannot have happened at a table that keeps its promises; the text says why."""


class Sent(NamedTuple):
    """A command was sent for the first time; ``at`` is the moment before, in microseconds."""

    at: int
    command: cl.Command


class Heard(NamedTuple):
    """A message was heard; ``at`` is the moment after, in microseconds."""

    at: int
    message: Message


class ClientLog(NamedTuple):
    """What one client tells, in its order. ``Seated`` stands where a connection begins."""

    seat: int
    entries: list[Sent | Heard]


@dataclass(slots=True)
class Call:
    """One command: when it was sent, how it was answered, and what came of it."""

    seat: int
    command: cl.Command
    sent_at: int
    connection: int
    reply: Accepted | Refused | None = None
    replied_at: int = LATE
    replied_after: int = EARLY
    """The last event that was heard before the answer, on the same connection; else unknown."""
    again: bool = False
    """Whether the connection was lost between sending and answer, so that it was sent once more."""
    events: list[int] = field(default_factory=list)
    first: int = EARLY
    last: int = LATE
    """The numbers between which the table judged it."""


class Told:
    """All accounts, put together.

    Args:
        accounts: what the clients tell.
        journal: the table's events as the server has stored them. They stand for events that nobody heard
            because every connection was lost, where a new connection began with a later snapshot.

    Attributes:
        start: the earliest snapshot after which every event was heard, if all commands were sent after it.
        log: every event after it, in order.
        snapshots: the later snapshots, by the number of their last event.
        known_at: when the first client knew of each event of the log.
        calls: every command.

    """

    def __init__(self, client_logs: Sequence[ClientLog], journal: Iterable[Event] = ()) -> None:
        self.calls: list[Call] = []
        self.snapshots: defaultdict[int, list[Snapshot]] = defaultdict(list)
        self._left_out: set[int] = set()
        self._events: dict[int, Event] = {}
        self._known: dict[int, int] = {}
        for client_log in client_logs:
            self._read(client_log)
        if not self.snapshots:
            raise WrongHistory("nobody saw a table")
        self._fill_gaps(journal)
        last = max([*self.snapshots, *self._events])
        start = self._first_seen(last)
        self.start = self.snapshots[start][0]
        self.log = [self._events[seq] for seq in range(start + 1, last + 1)]
        known = (self._known.get(event.seq, LATE) for event in reversed(self.log))
        self.known_at = list(accumulate(known, min))[::-1]

    def _fill_gaps(self, journal: Iterable[Event]) -> None:
        newest = max(self.snapshots)
        for event in journal:
            if event.seq <= newest and event.seq not in self._left_out:
                self._events.setdefault(event.seq, event)

    def _first_seen(self, last: int) -> int:
        """Return the snapshot that all begins with; an earlier one, of a late spectator, may lead nowhere."""
        first = min(self.snapshots)
        gaps = [seq for seq in range(first + 1, last + 1) if seq not in self._events]
        start = min((seq for seq in self.snapshots if not gaps or seq >= gaps[-1]), default=None)
        known_at = LATE if start is None else self._known[start]
        if start is None or (gaps and any(call.sent_at < known_at for call in self.calls)):
            raise WrongHistory(f"nobody heard event {gaps[0]}")
        return start

    def _read(self, client_log: ClientLog) -> None:
        calls: dict[int, Call] = {}
        seq, now, connection, is_new = EARLY, EARLY, 0, True
        for entry in client_log.entries:
            if entry.at < now:
                raise WrongHistory(f"seat {client_log.seat}: time runs backwards")
            now = entry.at
            if isinstance(entry, Sent):
                if calls and entry.command.counter <= max(calls):
                    raise WrongHistory(f"seat {client_log.seat}: counters do not rise")
                calls[entry.command.counter] = Call(client_log.seat, entry.command, now, connection)
                continue
            match entry.message:
                case Seated():
                    connection += 1
                    is_new = True
                case Snapshot() as snapshot:
                    self._left_out.update(() if is_new else range(seq + 1, snapshot.seq + 1))
                    seq, is_new = snapshot.seq, False
                    self.snapshots[seq].append(snapshot)
                    self._record_known(seq, now)
                case Event() as event:
                    if seq == EARLY or event.seq != seq + 1:
                        raise WrongHistory(f"seat {client_log.seat}: event {event.seq} after event {seq}")
                    seq, is_new = event.seq, False
                    self._record(event, now)
                case Accepted() | Refused() as reply:
                    self._answer(calls.get(reply.counter), reply, now, connection, seq)
        self.calls += calls.values()

    def _record(self, event: Event, at: int) -> None:
        if self._events.setdefault(event.seq, event) != event:
            raise WrongHistory(f"event {event.seq} was told in two ways")
        self._record_known(event.seq, at)

    def _record_known(self, seq: int, at: int) -> None:
        self._known[seq] = min(at, self._known.get(seq, LATE))

    @staticmethod
    def _answer(call: Call | None, reply: Accepted | Refused, at: int, connection: int, seq: int) -> None:
        if call is None:
            raise WrongHistory(f"command {reply.counter} was answered, and never sent")
        if call.reply is not None:
            raise WrongHistory(f"seat {call.seat}: command {reply.counter} was answered twice")
        call.reply, call.replied_at = reply, at
        call.again = connection != call.connection
        if not call.again:
            call.replied_after = seq


class Order:
    """Finds for each command the numbers between which the table judged it, and compares with real time."""

    def __init__(self, told: Told) -> None:
        self._told = told
        self._base = told.start.seq
        self._by_command = {(call.seat, call.command.counter): call for call in told.calls}
        self._witnessed = {call.seat for call in told.calls}

    def bound(self, calls: Sequence[Call]) -> None:
        """Find it for all commands.

        Raises:
            WrongHistory: the order cannot be.

        """
        self._assign_events()
        not_before = self._not_before()
        for call in calls:
            self._check_outcome(call)
            call.first = self._base + bisect_right(self._told.known_at, call.sent_at - 1)
            call.last = self._base + bisect_right(not_before, call.replied_at)
            call.first = max(call.first, call.replied_after)
        by_seat: defaultdict[int, list[Call]] = defaultdict(list)
        for call in calls:
            by_seat[call.seat].append(call)
        for own in by_seat.values():
            self._bound_by_counters(own)

    def _assign_events(self) -> None:
        newest: defaultdict[int, int] = defaultdict(int)
        for event in self._told.log:
            if isinstance(event, ev.Left | ev.Joined):
                newest.pop(event.seat, None)
            if not isinstance(event, ev.Played) or not event.counter or event.seat not in self._witnessed:
                continue
            call = self._by_command.get((event.seat, event.counter))
            if call is None or not isinstance(call.command, cl.PlayCards):
                raise WrongHistory(f"event {event.seq} carries out a play that nobody sent")
            if event.counter < newest[event.seat]:
                raise WrongHistory(f"event {event.seq} carries out a play too late, or once more")
            newest[event.seat] = event.counter
            call.events.append(event.seq)

    def _not_before(self) -> list[int]:
        """Return for each event the moment before which it cannot have happened."""
        own = {seq: call.sent_at for call in self._by_command.values() for seq in call.events}
        earliest = list(accumulate((own.get(event.seq, EARLY) for event in self._told.log), max))
        for event, begun, known in zip(self._told.log, earliest, self._told.known_at, strict=True):
            if begun > known:
                raise WrongHistory(f"event {event.seq} was known before what led to it was sent")
        return earliest

    @staticmethod
    def _check_outcome(call: Call) -> None:
        where = f"seat {call.seat}, command {call.command.counter}"
        reply, is_play = call.reply, isinstance(call.command, cl.PlayCards)
        if isinstance(reply, Refused) and reply.reason is Reason.REPEATED:
            if not call.again:
                raise WrongHistory(f"{where}: refused as repeated, and sent once")
        elif isinstance(reply, Refused) and call.events:
            raise WrongHistory(f"{where}: refused, and carried out")
        elif isinstance(reply, Accepted) and is_play:
            if not call.events or call.events[-1] > reply.seq:
                raise WrongHistory(f"{where}: accepted, and not carried out")
            if not call.again:
                raise WrongHistory(f"{where}: a play was answered beside its event")

    @staticmethod
    def _bound_by_counters(calls: list[Call]) -> None:
        """Use that a seat's commands are judged in the order of their counters."""
        first = EARLY
        for call in calls:
            call.first = max(call.first, first)
            first = max([first, *call.events])
            # A play's acceptance is only told again after a break, and may be later than its event.
            if isinstance(call.reply, Accepted) and not isinstance(call.command, cl.PlayCards):
                first = max(first, call.reply.seq)
        last = LATE
        for call in reversed(calls):
            call.last = min(call.last, last)
            if call.events:
                last = min(last, call.events[0] - 1)
