"""Checks that arrival order was the law at a table, from its journal and from what clients tell.

The journal has, for each event, the moment at which its cause arrived: a command when its bytes were read, a
bot's play when its timer ran, whatever a clock does when it was due. So, in the order of the log:

* nothing that came after a bot's or a clock's event was read before it, and nothing before it was read later;
* a play that was carried out was read between being sent and being heard of;
* a play that was beaten was read so many microseconds after its winner as its sender was told;
* a play that came after a hand's end, where a bot or a clock had ended it, was read after that end.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from racing_demon_protocol.enums import EndReason, Phase, Reason
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Refused, Snapshot
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal.reader import StoredEvent
from tests.lab.histories.client_log import Call, WrongHistory

Moments = Callable[[Call], Sequence[tuple[int, int]]]
"""Returns between which moments a command was read: the first and the last for each time that it was sent."""


def sent_and_answered(call: Call) -> Sequence[tuple[int, int]]:
    """Return what clients know of when a command was read."""
    return [(call.sent_at, call.replied_at)]


def check_arrivals(
    options: Options,
    log: Iterable[StoredEvent],
    calls: Iterable[Call],
    moments: Moments,
    beginnings: Iterable[Snapshot] = (),
) -> None:
    """Check the order of a table's log, and what its players were told of it.

    Args:
        options: those that the table was opened with.
        log: all of its events, with their times.
        calls: the commands of its players, each with its answer.
        moments: when they were read.
        beginnings: what stretches of the log begin with, where a journal has deleted what was between.

    Raises:
        WrongHistory: something was overtaken, or was told a wrong time.

    """
    kept = list(log)
    machines = set(_of_machines(options, kept, {each.seq + 1: each for each in beginnings}))
    _check_barriers(kept, machines)
    times = {each.event.seq: each.at_us for each in kept}
    ends = {each.event.seq for each in kept if isinstance(each.event, ev.HandOver | ev.Dealt)}
    told = _Told(kept, times, machines, sorted(ends))
    for call in calls:
        if isinstance(call.command, cl.PlayCards):
            told.check(call, call.command, moments(call))


def _of_machines(
    options: Options, log: Iterable[StoredEvent], beginnings: Mapping[int, Snapshot]
) -> Iterator[int]:
    """Yield the numbers of the events that bots and clocks, and not people's commands, have led to."""
    view = TableState("TEST", options)
    for event, *_ in log:
        if event.seq in beginnings:
            view.restore(beginnings[event.seq])
        is_machines = False
        match event:
            case ev.Played():
                is_machines = _is_bot(view, event.seat)
            case ev.HandOver(reason=EndReason.OUT, out=out):
                is_machines = view.phase is Phase.GRACE or (out is not None and _is_bot(view, out))
            case ev.HandOver():
                is_machines = event.reason in {EndReason.TIME_UP, EndReason.DEAD}
            case ev.Paused():
                is_machines = event.seat is None
            case ev.Joined():
                is_machines = not event.bot
            case ev.Signalled() | ev.Connected():
                is_machines = True
        if is_machines:
            yield event.seq
        view.apply(event)


def _is_bot(view: TableState, seat: int) -> bool:
    state = view.seats[seat]
    return bool(state.bot or state.stand_in)


def _check_barriers(log: Sequence[StoredEvent], machines: set[int]) -> None:
    """Check that no event of a machine has an older one after it, or a newer one before it."""
    newest = machine = (0, 0)
    for event, at_us, _ in log:
        if at_us < machine[0]:
            raise WrongHistory(
                f"event {event.seq}, of {at_us}, was overtaken by {machine[1]}, of {machine[0]}"
            )
        if event.seq in machines:
            if at_us < newest[0]:
                raise WrongHistory(f"event {event.seq}, of {at_us}, comes after {newest[1]}, of {newest[0]}")
            machine = (at_us, event.seq)
        newest = max(newest, (at_us, event.seq))


class _Told:
    """What players were told of their plays, against the times of the journal."""

    def __init__(
        self, log: Sequence[StoredEvent], times: dict[int, int], machines: set[int], borders: list[int]
    ) -> None:
        self._times = times
        self._machines = machines
        self._borders = borders
        self._carried_out: dict[tuple[int, int], int] = {}
        self._onto: defaultdict[int, list[int]] = defaultdict(list)
        for event, *_ in log:
            if isinstance(event, ev.Played):
                self._carried_out.setdefault((event.seat, event.counter), event.seq)
                self._onto[event.destination].append(event.seq)

    def check(self, call: Call, play: cl.PlayCards, moments: Sequence[tuple[int, int]]) -> None:
        seq = self._carried_out.get((call.seat, play.counter))
        if seq is not None:
            at = self._times[seq]
            is_right = any(first <= at <= last for first, last in moments)
        elif isinstance(call.reply, Refused):
            is_right = self._is_refused_rightly(play, call.reply, moments)
        else:
            return
        if not is_right:
            where = f"seat {call.seat}, command {play.counter}, read between {moments}"
            raise WrongHistory(f"{where}: {call.reply or self._times.get(seq or 0)} cannot be")

    def _is_refused_rightly(
        self, play: cl.PlayCards, reply: Refused, moments: Sequence[tuple[int, int]]
    ) -> bool:
        if reply.reason is Reason.BEATEN:
            onto = self._onto[reply.pile]
            winner = onto[bisect_right(onto, play.seen)]
            at = self._times[winner] + reply.late_us
            if not reply.late_us:
                return winner not in self._machines and any(first <= at for first, _ in moments)
            return any(first <= at <= last for first, last in moments)
        if reply.reason is Reason.HAND_OVER:
            place = bisect_right(self._borders, play.seen)
            end = self._borders[place] if place < len(self._borders) else 0
            if end in self._machines:
                return any(last >= self._times[end] for _, last in moments)
        return True
