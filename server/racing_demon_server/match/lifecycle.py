"""The lifecycle of a table's matches: each hand from its deal to the tally, with its pauses.

Times are microseconds on the caller's monotonic clock.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from racing_demon_protocol.constants import MAX_PLAYS
from racing_demon_protocol.engine.dealer import Dealer
from racing_demon_protocol.enums import EndReason, Phase, Reason
from racing_demon_protocol.errors import CommandRefused, InconsistentEvent
from racing_demon_protocol.games import declare
from racing_demon_protocol.table.scoring import hand_points, leaders, match_winners
from racing_demon_protocol.table.state import DEALT, hand_rules
from racing_demon_protocol.table.suggestions import opened_play
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.options import CallOut, StallRule

from .contributions import Contributions, secret_of
from .hand import Hand
from .seats import RETURN_US, Seats
from .state import JudgeState

SETTLED_AT_ONCE: Final = 24
"""The most automatic plays made in one step at the signal. They take about a millisecond."""


class MatchLifecycle:
    """Runs one hand after the other, from the deal to the tally.

    Attributes:
        pauses: pauses and resumes the hand.

    Args:
        state: the state of the table's judge.
        seating: the table's seats.
        contributions: the sources of each hand's seed.

    """

    def __init__(self, state: JudgeState, seating: Seats, contributions: Contributions) -> None:
        self.pauses = Pauses(state, seating)
        self._contributions = contributions
        self._state = state
        self._view = state.view
        self._seating = seating

    @property
    def hand(self) -> Hand | None:
        """The newest hand; ``None`` before the first. A restored table has no finished one."""
        return self._state.hand

    @property
    def is_settling(self) -> bool:
        """Whether more automatic plays follow at once, as after the signal."""
        return bool(self._state.record.unsettled)

    def lacks_players(self) -> bool:
        """Return whether fewer players are seated than the game needs."""
        return len(self._seating.active()) < declare(self._view.options, 1).min_seats

    # After a restart.

    def restore(self, event: ev.Event, at: int, seeds: Mapping[str, bytes]) -> None:
        """Apply an event from before the restart. The view has applied everything but plays.

        Raises:
            InconsistentEvent: an event does not fit, or a hand's secret is missing.

        """
        match event:
            case ev.Played():
                self._hand_of(event).restore(event, at)
            case ev.Committed() | ev.Prepared():
                self._contributions.restore(event, at)
            case ev.Dealt():
                self._create_hand(secret_of(self._view.hand_id, seeds), at)
            case ev.Paused() | ev.Continued():
                self.pauses.restore(event, self._hand_of(event), at)
            case ev.Rotated():
                self._hand_of(event).rotate(at)
            case ev.StockShifted():
                self._hand_of(event).shift_stock(event.seat, at)
            case ev.Called():
                self._grace_until(at + event.grace_ms * 1_000)
            case ev.HandOver():
                self._next_deal_at(at + self._view.options.tally_ms * 1_000)

    def _grace_until(self, until: int) -> None:
        self._state.record = self._state.record._replace(grace_until=until)

    def _next_deal_at(self, at: int) -> None:
        self._state.record = self._state.record._replace(next_deal_at=at)

    def _hand_of(self, event: ev.Event) -> Hand:
        if self.hand is None:
            raise InconsistentEvent(f"event {event.seq} is of a hand, and there is none")
        return self.hand

    def continue_after_restart(self, at: int) -> None:
        """Continue after a restart: a hand waits until enough players are back."""
        if self._view.phase is Phase.GRACE:
            self._grace_until(max(self._state.record.grace_until, at + RETURN_US))
        self.delay_deal(at)
        self.pauses.continue_after_restart(at)
        self._contributions.continue_after_restart(at)

    def delay_deal(self, at: int) -> None:
        """Give players who return now some time at the tally before the next deal."""
        self.put_off_deal(at + min(RETURN_US, self._view.options.tally_ms * 1_000))

    def put_off_deal(self, until: int) -> None:
        """Deal no further hand by itself before a moment."""
        self._next_deal_at(max(self._state.record.next_deal_at, until))

    # After a disk failure.

    def shift(self, microseconds: int) -> None:
        """Delay all timers except the hand's, which its pause delays."""
        self._grace_until(self._state.record.grace_until + microseconds)
        self._next_deal_at(self._state.record.next_deal_at + microseconds)
        self._contributions.shift(microseconds)

    def resume(self, at: int) -> None:
        """Resume the hand, if enough players are connected or it waits for nobody."""
        self.check_presence(at)
        if self._view.paused and self.pauses.waits_for_nobody:
            self.end_pause(at)

    # Time.

    def timers(self) -> Iterator[tuple[int, Callable[[int], None]]]:
        """Yield the pending timers: what to do, and when."""
        view, hand, record = self._view, self.hand, self._state.record
        if hand is not None and view.paused and record.pause_ends_at is not None:
            yield record.pause_ends_at, self.end_pause
        elif hand is not None and not view.paused:
            yield from self._timers_of(hand)
            if (pauses_at := self.pauses.pauses_at) is not None:
                yield pauses_at, self.pauses.pause_for_missing
        if view.phase is Phase.SHUFFLING:
            yield record.deal_at, self._finish_draw
        if view.deals_by_itself and self._seating.somebody_is_there() and not self.lacks_players():
            yield record.next_deal_at, self.deal

    def _timers_of(self, hand: Hand) -> Iterator[tuple[int, Callable[[int], None]]]:
        """Yield the timers of a running hand."""
        match self._view.phase:
            case Phase.COUNTDOWN:
                yield hand.signal_at, self._signal
            case Phase.PLAYING if self.is_settling:
                yield hand.signal_at, partial(self._settle, hand)
            case Phase.PLAYING if self._view.waiting:  # before the last signal no hand can be stuck
                yield min(map(hand.seat_signal_at, self._view.waiting)), partial(self._signal_seat, hand)
            case Phase.PLAYING:
                if hand.dead_check_at is not None:
                    yield hand.dead_check_at, partial(self._check_dead, hand)
                if (limit_ms := self._view.time_limit_ms) is not None:
                    yield hand.signal_at + limit_ms * 1_000, partial(self._end_by, hand, EndReason.TIME_UP)
            case Phase.GRACE:
                yield (
                    self._state.record.grace_until,
                    partial(self._end, hand, EndReason.OUT, self._view.called),
                )

    def end_pause(self, at: int) -> None:
        """Resume the hand with the players who are connected."""
        assert self.hand is not None
        self.pauses.resume(self.hand, at)
        self.check_agreed_stop(at)

    def reschedule_overdue(self, now: int) -> None:
        """Reschedule overdue slices, so that they run one at a time."""
        if self.hand is not None:
            self.hand.reschedule_overdue(now)

    def _check_dead(self, hand: Hand, at: int) -> None:
        there = [seat for seat in self._view.hand_seats if self._view.plays_hand(seat)]
        if not self._view.is_private:
            if not hand.is_alive(at) and hand.is_dead(there, at):
                self._stall(hand, EndReason.DEAD, at)
            return
        seat = hand.dead_seat(at)  # a stuck seat waits for the others
        if seat in there and not self._view.seats[seat].stuck:
            self._state.emit(ev.StuckSaid, seat=seat)
            self.check_agreed_stop(at)

    # The beginning of a hand.

    def deal(self, at: int) -> None:
        """Deal the next hand as soon as its contributors have revealed."""
        self._contributions.commit(at)
        self._seating.forget_absent()
        self.check_revealed(at)

    def check_revealed(self, at: int) -> None:
        """Deal the committed hand if no contribution is awaited."""
        if self._view.phase is Phase.SHUFFLING and self._contributions.is_complete:
            self._finish_draw(at)

    def _finish_draw(self, at: int) -> None:
        """Deal the committed hand, unless its draw is void: then draw again."""
        if self._view.is_draw_void:
            self.deal(at)
        elif self._contributions.is_void:
            self._contributions.draw_again(at)
            self.check_revealed(at)
        else:
            self._deal_cards(at)

    def _deal_cards(self, at: int) -> None:
        """Deal the committed hand from what was revealed."""
        view, secret = self._view, self._state.record.secret
        seats = view.seats_to_deal
        handicaps = view.handicaps_for(seats)
        rules = hand_rules(view.options, seats, handicaps)
        self._state.emit(
            ev.Dealt,
            seats=seats,
            shown=Dealer(view.deal_seed(secret), rules).first_cards(),
            countdown_ms=view.options.countdown_ms,
            left_out=view.unrevealed,
            handicaps=handicaps,
        )
        self._create_hand(secret, at)
        self.check_presence(at)

    def _create_hand(self, secret: bytes, at: int) -> None:
        """Create the judge of a hand that was dealt now or before a restart."""
        view = self._view
        assert view.hand is not None
        self._state.hand = Hand(view, secret, Dealer(view.deal_seed(secret), view.hand.rules), at)

    def check_ready(self, at: int) -> None:
        """Deal if everybody is ready."""
        people = [state for state in self._seating.people() if state.connected]
        enough = len(self._seating.active()) > 1 or self._view.phase is Phase.TALLY
        enough = enough and not (self.lacks_players() or self._seating.lacks_opponents())
        waiting = self._view.between_matches or self._view.phase is Phase.TALLY
        if waiting and enough and people and all(state.ready for state in people):
            self.deal(at)

    def _signal(self, at: int) -> None:
        self._state.emit(ev.Signalled)
        self._begin([seat for seat in self._view.hand_seats if seat not in self._view.waiting])

    def _signal_seat(self, hand: Hand, at: int) -> None:
        """Give the signal to the next seat that starts after the others."""
        seat = min(self._view.waiting, key=lambda seat: (hand.seat_signal_at(seat), seat))
        self._state.emit(ev.SeatSignalled, seat=seat)
        self._begin([seat])
        if not self._view.waiting:
            hand.schedule_dead_tests(at)

    def _begin(self, seats: list[int]) -> None:
        """Queue the automatic plays of seats that have just had their signal."""
        self._state.record = self._state.record._replace(begun=tuple(seats), unsettled=tuple(seats))

    def _settle(self, hand: Hand, at: int) -> None:
        """Make some of one seat's automatic plays at the signal. In some games these are whole packs."""
        begun, unsettled = self._state.record.begun, self._state.record.unsettled
        played = hand.settle(unsettled[0], SETTLED_AT_ONCE)
        self._state.add(played)
        if len(played) < SETTLED_AT_ONCE:
            self._state.record = self._state.record._replace(unsettled=unsettled[1:])
        if self.is_settling:
            return
        if self._view.options.auto_first_turn:
            for seat in begun:
                if self._view.plays_hand(seat):
                    self._state.add(hand.first_turn(seat))
        for seat in begun:
            if hand.rules.is_private:
                self._emit_progress(hand, seat)

    # The consequences of plays, calls and leaves.

    def after_play(
        self, hand: Hand, seat: int, played: Sequence[ev.Played], stuck: Sequence[int], at: int
    ) -> None:
        """Report a seat's progress, and end the hand if the seat has reached the goal, or it is too long.

        Args:
            hand: the hand.
            seat: the seat that has played.
            played: the events of its play.
            stuck: the seats that had declared being stuck before.
            at: the time.

        """
        if hand.rules.is_private:
            self._emit_progress(hand, seat)
        out, record = hand.first_out, self._view.record
        if out is not None and record.options.call_out is CallOut.AUTO:
            self._end(hand, EndReason.OUT, out, at)
        elif hand.plays >= MAX_PLAYS:
            self._end_by(hand, EndReason.TIME_UP, at)
        elif stuck and record.phase is Phase.PLAYING:
            self._declare_still_stuck(hand, seat, [event.destination for event in played], stuck)

    def _declare_still_stuck(self, hand: Hand, seat: int, piles: Sequence[int], stuck: Iterable[int]) -> None:
        """Repeat that seats are stuck for which the play opens nothing: progress has cleared all."""
        for other in stuck:
            state = self._view.seats[other]
            if other == seat or state.stuck or self._view.has_left_hand(other):
                continue
            if opened_play(hand.rules, hand.board, other, piles) is None:
                self._state.emit(ev.StuckSaid, seat=other)

    def _emit_progress(self, hand: Hand, seat: int) -> None:
        """Send a seat's progress to everybody, as others may see nothing else of its plays."""
        reached = hand.rules.progress(hand.board, seat)
        if reached != hand.public.progress[seat].reached:
            self._state.emit(ev.Progressed, seat=seat, progress=reached)

    def begin_grace(self, seat: int, at: int) -> None:
        """Start the grace after a seat has called out: plays in flight still count."""
        grace_ms = self._view.options.grace_ms
        self._grace_until(at + grace_ms * 1_000)
        self._state.emit(ev.Called, seat=seat, grace_ms=grace_ms)

    def check_agreed_stop(self, at: int) -> None:
        """End the hand if every seat that must agree is stuck."""
        if self._view.phase is not Phase.PLAYING or self.hand is None or self._view.paused:
            return
        if self._view.waiting:
            return  # a seat without its signal is not stuck
        asked = [seat for seat in self._view.hand_seats if self._seating.must_agree(seat)]
        if asked and all(self._view.seats[seat].stuck for seat in asked):
            self._stall(self.hand, EndReason.STUCK, at)

    def check_presence(self, at: int) -> None:
        """Pause or resume the hand when a player connects or disconnects."""
        self.pauses.check(self.hand, at)
        self.check_agreed_stop(at)

    def after_leave(self, at: int) -> None:
        """Continue without a player who left. If all have left, the hand is over."""
        if self._view.phase is Phase.SHUFFLING:
            self.check_revealed(at)
        if self.hand is not None and self._view.phase in DEALT:
            if not any(map(self._view.plays_hand, self._view.hand_seats)):
                self._end(self.hand, EndReason.ABANDONED, None, at)
            else:
                self.hand.schedule_dead_tests(at)
                self.check_presence(at)
        elif self._view.phase is Phase.TALLY and self.lacks_players():
            self._check_match()
        else:
            self.check_ready(at)

    # The end of a hand.

    def _stall(self, hand: Hand, reason: EndReason, at: int) -> None:
        """Rotate the stocks if the table's options allow it; otherwise end the hand."""
        is_wanted = self._view.options.stall_rule is StallRule.ROTATE and not self._view.is_private
        if is_wanted and hand.rotations < hand.rules.turn_size - 1:
            hand.rotate(at)
            self._state.emit(ev.Rotated)
        else:
            self._end_by(hand, reason, at)

    def _end_by(self, hand: Hand, reason: EndReason, at: int) -> None:
        """End the hand for a reason, if nobody is out."""
        out = hand.first_out
        self._end(hand, reason if out is None else EndReason.OUT, out, at)

    def _end(self, hand: Hand, reason: EndReason, out: int | None, at: int) -> None:
        self._end_hand(hand, reason, out, at)
        self._check_match()

    def _end_hand(self, hand: Hand, reason: EndReason, out: int | None, at: int) -> None:
        self._state.emit(
            ev.HandOver,
            reason=reason,
            out=out,
            elapsed_ms=max(0, self._state.hand_clock.elapsed_ms(at)),
            points=hand_points(self._view, out),
            seed=hand.secret.hex(),
        )
        self.pauses.reset()
        self._next_deal_at(at + self._view.options.tally_ms * 1_000)

    def end_match(self, at: int) -> None:
        """End the match early, because the host wants it. It counts as it stands.

        Raises:
            CommandRefused: none is played, or nothing counts yet.

        """
        view = self._view
        if view.between_matches:
            raise CommandRefused(Reason.NOT_NOW, "No match is being played.")
        if not (view.results or view.in_hand):
            raise CommandRefused(Reason.NOT_NOW, "Nothing counts before the first hand has begun.")
        if self.hand is not None and view.paused and not view.in_hand:
            self.pauses.resume(self.hand, at)
        self.close(at)
        self._contributions.prepare()

    def close(self, at: int) -> None:
        """End the match, because the table closes. It counts as it stands."""
        view, hand = self._view, self.hand
        is_cut = False
        if hand is not None and view.in_hand:
            out = view.called if view.phase is Phase.GRACE else hand.first_out
            is_cut = out is None
            self._end_hand(hand, EndReason.CLOSED if is_cut else EndReason.OUT, out, at)
        if view.results and not view.between_matches:
            is_early = is_cut or match_winners(view) is None
            self._end_of_match(leaders(view)[0], closed=is_early)

    def _check_match(self) -> None:
        winners = match_winners(self._view)
        if winners is not None:
            self._end_of_match(winners)
        self._contributions.prepare()

    def _end_of_match(self, winners: tuple[int, ...], *, closed: bool = False) -> None:
        self._state.emit(ev.MatchOver, winners=winners, closed=closed)
        self._state.seat_tokens.forget_leavers()


PAUSABLE: Final = frozenset({Phase.COUNTDOWN, Phase.PLAYING})
"""The phases in which a hand can pause. The grace is left out: it ends within seconds anyway."""


class Pauses:
    """Pauses and resumes the hands of one table.

    Args:
        state: the state of the table's judge.
        seating: the table's seats.

    """

    def __init__(self, state: JudgeState, seating: Seats) -> None:
        self._state = state
        self._view = state.view
        self._seating = seating

    @property
    def pauses_at(self) -> int | None:
        """When the hand pauses unless somebody returns; ``None`` if it does not."""
        after_ms, lacking_since = self._view.options.pause_after_ms, self._state.record.lacking_since
        if lacking_since is None or after_ms is None or not self.can_pause:
            return None
        return lacking_since + after_ms * 1_000

    @property
    def can_pause(self) -> bool:
        """Whether the hand is running and can pause."""
        return self._view.phase in PAUSABLE and not self._view.paused

    @property
    def waits_for_nobody(self) -> bool:
        """Whether the hand was paused by a rule at a table that does not wait for missing players."""
        return self._state.record.is_paused_by_rule and self._view.options.pause_after_ms is None

    def pause_for_host(self, seat: int | None, at: int) -> None:
        """Pause the hand for the host."""
        self._begin(at, by_rule=False)
        self._state.emit(ev.Paused, seat=seat)

    def pause_for_missing(self, at: int) -> None:
        """Pause the hand because players are missing."""
        self._begin(at, by_rule=True)
        self._state.emit(ev.Paused)

    def pause_for_server(self, at: int) -> None:
        """Pause the hand because the server cannot write to its disk."""
        if self.can_pause:
            self._begin(at, by_rule=True)
            self._state.emit(ev.Paused, by_server=True)

    def continue_after_restart(self, at: int) -> None:
        """Pause the hand after a restart until enough players are back."""
        if self.can_pause and self._seating.is_lacking():
            self.pause_for_missing(at)
        # Old journals may hold a pause in the grace, in which a hand no longer pauses.
        if self._view.paused and (self.waits_for_nobody or self._view.phase not in PAUSABLE):
            self._state.record = self._state.record._replace(pause_ends_at=at + RETURN_US)

    def restore(self, event: ev.Paused | ev.Continued, hand: Hand, at: int) -> None:
        """Apply a pause, or its end, from before the restart."""
        if isinstance(event, ev.Continued):
            hand.shift(at - self._state.record.paused_at)
        else:
            # A pause by a host without a seat looks like one by the rule; then the host must resume the hand.
            self._begin(at, by_rule=event.seat is None and self._view.host is not None)

    def _begin(self, at: int, *, by_rule: bool) -> None:
        self._state.record = self._state.record._replace(paused_at=at, is_paused_by_rule=by_rule)

    def resume(self, hand: Hand, now: int) -> None:
        """Resume the hand as if no time had passed."""
        self.reset()
        hand.shift(now - self._state.record.paused_at)
        self._state.emit(ev.Continued, elapsed_ms=(now - hand.signal_at) // 1_000)

    def check(self, hand: Hand | None, now: int) -> None:
        """Record since when players are missing; if none are, resume a hand that waited for them."""
        is_lacking = self._view.phase in PAUSABLE and self._seating.is_lacking()
        record = self._state.record
        if is_lacking and record.lacking_since is not None:
            return
        self._state.record = record._replace(lacking_since=now if is_lacking else None)
        if not is_lacking and self._view.paused and record.is_paused_by_rule and hand is not None:
            self.resume(hand, now)

    def reset(self) -> None:
        """Reset, because the pause or the hand is over."""
        self._state.record = self._state.record._replace(lacking_since=None, pause_ends_at=None)
