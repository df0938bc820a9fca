"""Judges a match from what its clients wrote down, and from nothing else: pure, and in linear time.

Each client tells what it sent and heard, and when, on one clock. The table's numbers say in which order
things happened; so no order has to be searched for, it only has to be checked:

* all heard the same events, without gaps, and snapshots are the fold over them; events that happened while
  every connection was lost may come from the journal, where a resumed connection got a snapshot for them;
* each event is legal after those before it, and whole hands agree with the seeds told afterwards;
* the order agrees with real time: an event was not known before its command, or an earlier one, was sent;
* each command was carried out once at the most, in the order of its seat's counters, and as it was answered;
* for each refusal there is a moment between sending and answer at which it was right in every field.

A command that was never answered may have been carried out or not; if it was, all of this holds for it.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from racing_demon_protocol.engine.board import FOUNDATIONS, Kind, Play
from racing_demon_protocol.engine.cards import UNKNOWN, Card
from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.errors import IllegalPlay, InconsistentEvent, InvalidRecord
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Accepted, Refused
from tests.lab.histories.client_log import EARLY, LATE, Call, ClientLog, Order, Told, WrongHistory
from tests.lab.histories.refusals import why_refused


class Findings(NamedTuple):
    """How much was judged."""

    events: int
    commands: int
    refusals: int
    beaten: int
    unanswered: int


def check(
    client_logs: Sequence[ClientLog], *, halts: bool = False, journal: Iterable[Event] = ()
) -> Findings:
    """Check what clients tell of one table.

    Args:
        client_logs: what they tell.
        halts: whether the server cannot write to its disk at times, so that it may have said so.
        journal: the stored events, for those that nobody heard because every connection was lost.

    Raises:
        WrongHistory: it cannot be.

    """
    told = Told(client_logs, journal)
    calls = told.calls
    Order(told).bound(calls)
    _Fold(told, halts).follow()
    try:
        verify([told.start, *told.log])
    except InvalidRecord as error:
        raise WrongHistory(f"the record is wrong: {error}") from None
    replies = [call.reply for call in calls]
    refusals = [reply for reply in replies if isinstance(reply, Refused)]
    beaten = sum(reply.reason is Reason.BEATEN for reply in refusals)
    unanswered = sum(reply is None and not call.events for call, reply in zip(calls, replies, strict=True))
    return Findings(len(told.log), len(calls), len(refusals), beaten, unanswered)


class _Fold:
    """Plays the log once more, and asks at each number which of the open refusals are right."""

    def __init__(self, told: Told, halts: bool) -> None:
        self._told = told
        self._halts = halts
        self._view = TableState.from_snapshot(told.start)
        self._race_log: defaultdict[int, list[ev.Played]] = defaultdict(list)
        self._dealt_seq = EARLY
        self._by_event = {seq: call for call in told.calls for seq in call.events}
        answered = [call for call in told.calls if call.reply is not None]
        self._to_come = sorted(answered, key=lambda call: call.first, reverse=True)
        self._open: list[Call] = []

    def follow(self) -> None:
        self._look()
        for event in self._told.log:
            if isinstance(event, ev.Played):
                self._check_play(event)
            elif isinstance(event, ev.Dealt):
                self._race_log.clear()
                self._dealt_seq = event.seq
            try:
                self._view.apply(event)
            except InconsistentEvent as error:
                raise WrongHistory(f"event {event.seq} does not follow: {error}") from None
            self._look()
        if self._open or self._to_come:
            self._complain([*self._open, *self._to_come])

    # At each number.

    def _look(self) -> None:
        view = self._view
        for snapshot in self._told.snapshots.get(view.seq, ()):
            if snapshot != view.snapshot(snapshot.elapsed_ms):
                raise WrongHistory(f"the snapshot after event {view.seq} is not the fold")
        while self._to_come and self._to_come[-1].first <= view.seq:
            self._open.append(self._to_come.pop())
        if self._open:
            self._open = [call for call in self._open if not self._is_right(call)]
            self._complain(call for call in self._open if call.last <= view.seq)

    @staticmethod
    def _complain(calls: Iterable[Call]) -> None:
        for call in calls:
            text = f"seat {call.seat}, command {call.command.counter}: never right between"
            raise WrongHistory(f"{text} {call.first} and {call.last}: {call.reply}")

    def _is_right(self, call: Call) -> bool:
        """Tell whether the answer to a command would be right now."""
        reply, view = call.reply, self._view
        is_right = False
        match reply, call.command:
            case (Refused(reason=Reason.REPEATED), _) | (Accepted(), cl.PlayCards()):
                is_right = True  # whether they were sent again, and carried out, was looked at before
            case Refused(reason=Reason.HALTED), _:
                is_right = self._halts
            case Accepted(seq=seq), _:
                is_right = seq == view.seq
            case Refused(), cl.PlayCards() as play:
                is_right = self._is_refused_rightly(call, play, reply)
            case Refused(reason=reason), command:
                is_right = reason is why_refused(view, self._dealt_seq, call.seat, command)
        return is_right

    # Plays.

    def _check_play(self, event: ev.Played) -> None:
        view, play = self._view, Play(event.source, event.count, event.destination)
        call = self._by_event.get(event.seq)
        if call is not None:
            self._check_carried_out(call, event)
        if view.hand is None or not view.in_hand or view.paused:
            raise WrongHistory(f"event {event.seq}: a play at the wrong time")
        try:
            if event.counter:
                view.hand.rules.verify_play(view.hand.board, event.seat, play)
            elif play != view.hand.rules.automatic_play(view.hand.board, event.seat):
                raise WrongHistory(f"event {event.seq}: the game does not move like this")
        except IllegalPlay as error:
            raise WrongHistory(f"event {event.seq} is illegal: {error}") from None
        if view.hand.board.piles[event.destination].kind is Kind.FOUNDATION:
            self._race_log[event.destination].append(event)

    def _check_carried_out(self, call: Call, event: ev.Played) -> None:
        wanted = call.command
        assert isinstance(wanted, cl.PlayCards)
        view = self._view
        assert view.board is not None
        upward = view.board.piles[event.destination].kind is Kind.FOUNDATION
        most = wanted.count if upward else 1
        fits = (
            event.source == wanted.source
            and event.count == (1 if upward else wanted.count)
            and wanted.destination in {event.destination, *([FOUNDATIONS] if upward else [])}
        )
        if not fits or len(call.events) > most:
            raise WrongHistory(f"event {event.seq} is not the play that was sent")
        if not call.first < event.seq <= call.last + len(call.events):
            raise WrongHistory(f"event {event.seq} is not between sending and answer")

    def _is_refused_rightly(self, call: Call, play: cl.PlayCards, told: Refused) -> bool:
        view = self._view
        for holds, reason in (
            (view.phase in {Phase.LOBBY, Phase.SHUFFLING, Phase.COUNTDOWN}, Reason.NOT_STARTED),
            (not view.in_hand, Reason.HAND_OVER),
            (view.paused, Reason.PAUSED),
        ):
            if holds:
                return (told.reason, told.by, told.pile) == (reason, None, -1)
        assert view.board is not None
        why, by = self._reason(call.seat, play), None
        pile = play.destination if 0 <= play.destination < len(view.board.piles) else FOUNDATIONS
        if why is Reason.ILLEGAL and (winner := self._winner(call.seat, play)) is not None:
            why, by, pile = Reason.BEATEN, winner.seat, winner.destination
            if not self._earliest_late(call, winner) <= told.late_us <= self._latest_late(call, winner):
                return False
        elif told.late_us:
            return False
        top = view.board.top(pile) if pile >= 0 else None
        expected = (why, by, pile, UNKNOWN if top is None else top)
        return expected == (told.reason, told.by, told.pile, told.top)

    def _reason(self, seat: int, wanted: cl.PlayCards) -> Reason | None:
        """Return why the table would refuse a play now; ``None``: it would not."""
        view = self._view
        assert view.hand is not None
        if wanted.seen < self._dealt_seq:
            return Reason.HAND_OVER
        count = 1 if self._is_upward(wanted) else wanted.count
        try:
            view.hand.rules.verify_play(view.hand.board, seat, Play(wanted.source, count, wanted.destination))
        except IllegalPlay as error:
            return error.reason
        return None

    def _is_upward(self, wanted: cl.PlayCards) -> bool:
        assert self._view.hand is not None
        return (
            wanted.destination == FOUNDATIONS
            or wanted.destination in self._view.hand.rules.layout.foundations
        )

    def _winner(self, seat: int, wanted: cl.PlayCards) -> ev.Played | None:
        """Return the play that took the place that a card was meant for, on the board its sender had seen."""
        card = self._own_top(seat, wanted)
        if card is None or not self._is_upward(wanted):
            return None
        piles = list(self._race_log) if wanted.destination == FOUNDATIONS else [wanted.destination]
        winners = [winner for pile in piles for winner in self._winners(seat, wanted, pile, card)]
        return max(winners, key=lambda event: event.seq, default=None)

    def _winners(self, seat: int, wanted: cl.PlayCards, pile: int, card: Card) -> Iterator[ev.Played]:
        view, race_log = self._view, self._race_log[pile]
        assert view.hand is not None
        seen = bisect_right(race_log, wanted.seen, key=lambda event: event.seq)
        if seen == len(race_log) or race_log[seen].seat == seat:
            return
        cards = view.hand.board.cards[pile]
        before = cards[: len(cards) - (len(race_log) - seen)]
        if view.hand.rules.follows_on(view.hand.board, pile, before, card):
            yield race_log[seen]

    def _own_top(self, seat: int, wanted: cl.PlayCards) -> Card | None:
        view = self._view
        assert view.board is not None
        source = view.board.piles[wanted.source]
        if source.seat != seat or source.kind in {Kind.STOCK, Kind.FOUNDATION}:
            return None
        top = view.board.top(wanted.source)
        return None if top == UNKNOWN else top

    def _earliest_late(self, call: Call, winner: ev.Played) -> int:
        return max(0, call.sent_at - self._told.known_at[winner.seq - self._told.start.seq - 1])

    def _latest_late(self, call: Call, winner: ev.Played) -> int:
        won = self._by_event.get(winner.seq)
        return call.replied_at - won.sent_at if won is not None else LATE
