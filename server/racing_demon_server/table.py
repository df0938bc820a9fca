"""The table: seats, hands, match. A pure state machine; time, randomness and tokens are arguments.

:meth:`Table.receive` takes a command and :meth:`Table.tick` the time; both return what happened, as
events of the table's log. Times are microseconds on one rising clock, which is the caller's.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, Final, NamedTuple

from racing_demon_protocol.dealer import Dealer
from racing_demon_protocol.declaration import Racing
from racing_demon_protocol.errors import CommandRefused, IllegalPlay, InconsistentEvent, InvalidGame
from racing_demon_protocol.games import declare
from racing_demon_protocol.messages import client as cl
from racing_demon_protocol.messages import events as ev
from racing_demon_protocol.messages.server import Accepted, Refused, Snapshot
from racing_demon_protocol.options import CallOut, Options, StallRule
from racing_demon_protocol.reasons import EndReason, Phase, Reason
from racing_demon_protocol.rulebook import make_rules
from racing_demon_protocol.shuffle import commitment
from racing_demon_protocol.tally import hand_points, match_winners
from racing_demon_protocol.view import TableView

from .claims import Actor, Claim, Claims
from .hand import Hand
from .log import Log
from .pausing import RETURN_US, Pausing
from .seating import Seating, most_players

__all__ = ["MAX_SEATS", "Answer", "Past", "Table"]

MAX_SEATS: Final = 8
COUPLE: Final = 2


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command led to.

    Attributes:
        reply: for the sender alone; ``None`` where the event itself answers.
        events: for everybody, in order.

    """

    reply: Accepted | Refused | None = None
    events: list[ev.Event] = field(default_factory=list)


class Past(NamedTuple):
    """What is kept of a table from an earlier run of its server.

    Attributes:
        snapshot: how it was between two hands; ``None`` if its log begins with its first event.
        log: its events, each with the time when it happened; those before the snapshot are passed over.
        seeds: the secrets of its hands, by the hands' ids.
        claims: who may speak for its seats, and what was answered last.

    """

    snapshot: Snapshot | None
    log: Iterable[tuple[ev.Event, int]]
    seeds: Mapping[str, bytes]
    claims: Mapping[Actor, Claim]


class Table:
    """One table.

    Attributes:
        view: what everybody may see of it.

    Args:
        code: the table's code.
        options: its options.
        seeds: gives 32 secret bytes for each hand.

    Raises:
        CommandRefused: the options cannot be played.

    """

    def __init__(self, code: str, options: Options, seeds: Iterator[bytes]) -> None:
        _verify_options(options)
        self.view = TableView(code, options)
        self._log = Log(self.view)
        self._seating = Seating(self._log)
        self._seeds = seeds
        self._now = 0
        self._matches = 0
        self._hand: Hand | None = None
        self._grace_until = 0
        self._next_deal_at = 0
        self._pausing = Pausing(self._log, self._seating)

    @property
    def claims(self) -> Claims:
        """Who may speak for its seats."""
        return self._seating.claims

    # Who is who.

    def join(self, name: str, token_hash: bytes, at: int) -> tuple[int, list[ev.Event]]:
        """Seat somebody, and return the seat's number.

        Raises:
            CommandRefused: there is no seat, the name will not do, or the match takes nobody in.

        """
        self._advance(at)
        seat = self._seating.join(name, token_hash)
        self._put_off_deal()
        return seat, self._log.take()

    def connect(self, actor: Actor, connected: bool, at: int) -> list[ev.Event]:
        """Note that an actor's connection came or went."""
        self._advance(at)
        if self._seating.connect(actor, connected, at):
            self._put_off_deal()
            self._pausing.check(self._hand, self._now)
            if not connected:
                self._check_ready()
        return self._log.take()

    # Back after the server was away.

    def restore(self, past: Past) -> None:
        """Take a table's past up, instead of a new table's.

        Raises:
            InconsistentEvent: an event does not fit.
            InvalidGame: a game is not known here.

        """
        if past.snapshot is not None:
            self.view.restore(past.snapshot)
            self._matches = int(self.view.hand_id.split("/")[1])
        for event, at in past.log:
            self._now = max(self._now, at)
            if past.snapshot is not None and event.seq <= past.snapshot.seq:
                continue
            if isinstance(event, ev.Played):
                self._known_hand(event).restore(event, at)
                continue
            self.view.apply(event)
            self._seating.restore(event, at)
            self._restore_course(event, at, past.seeds)
        for actor, claim in past.claims.items():
            self.claims.restore(actor, claim)

    def _restore_course(self, event: ev.Event, at: int, seeds: Mapping[str, bytes]) -> None:
        match event:
            case ev.Committed(hand=1):
                self._matches += 1
            case ev.Dealt():
                seed, rules = seeds.get(self.view.hand_id), self.view.rules
                if seed is None or rules is None:
                    raise InconsistentEvent(f"the secret of hand {self.view.hand_id} is missing")
                self._hand = Hand(self.view, seed, Dealer(seed, rules), at)
            case ev.Paused() | ev.Continued():
                self._pausing.restore(event, self._known_hand(event), at)
            case ev.Rotated():
                self._known_hand(event).rotate(at)
            case ev.Called():
                self._grace_until = at + event.grace_ms * 1_000
            case ev.HandOver():
                self._next_deal_at = at + self.view.options.tally_ms * 1_000

    def _known_hand(self, event: ev.Event) -> Hand:
        if self._hand is None:
            raise InconsistentEvent(f"event {event.seq} is of a hand, and there is none")
        return self._hand

    def begin_again(self, at: int) -> list[ev.Event]:
        """Go on after the server was away: nobody is connected, and a hand waits until enough are back."""
        self._now = max(self._now, at)
        self._seating.begin_again(at)
        if self.view.phase is Phase.GRACE:
            self._grace_until = max(self._grace_until, at + RETURN_US)
        self._next_deal_at = max(self._next_deal_at, at + min(RETURN_US, self.view.options.tally_ms * 1_000))
        self._pausing.begin_again(at)
        return self._log.take()

    # While the server can keep nothing.

    def halt(self, at: int) -> list[ev.Event]:
        """Let the hand stand still: what is played could not be kept."""
        self._now = max(self._now, at)
        self._pausing.stop_by_server(self._now)
        return self._log.take()

    def resume(self, at: int) -> list[ev.Event]:
        """Let the hand go on, if enough are there."""
        self._now = max(self._now, at)
        self._pausing.check(self._hand, self._now)
        return self._log.take()

    # Commands and time.

    def receive(self, actor: Actor, command: cl.Command, at: int) -> Answer:
        """Judge a command that arrived at a moment; everything that is due by then happens before."""
        self._advance(at)
        earlier = self.claims.earlier(actor, command.counter)
        if earlier is not None:
            return Answer(earlier, self._log.take())
        refused: Refused | None
        try:
            refused = self._obey(actor, command)
        except CommandRefused as error:
            refused = Refused(counter=command.counter, reason=error.reason, text=error.text)
        reply = refused or Accepted.trusted(command.counter, self.view.seq)
        self.claims.remember(actor, reply)
        told_by_event = refused is None and isinstance(command, cl.PlayCards)
        return Answer(None if told_by_event else reply, self._log.take())

    def _obey(self, actor: Actor, command: cl.Command) -> Refused | None:
        host_does = self._HOSTS.get(type(command))
        if host_does is None:
            return self._SEATS[type(command)](self, self._seating.seat_of(actor), command)
        if actor != self.view.host:
            raise CommandRefused(Reason.NOT_HOST, "Only the host of the table may do that.")
        host_does(self, command)
        return None

    def tick(self, now: int) -> list[ev.Event]:
        """Let everything happen that is due by now."""
        self._advance(now)
        return self._log.take()

    @property
    def due(self) -> int | None:
        """When :meth:`tick` has something to do next; ``None`` while only commands can change things."""
        due = None
        for at, _ in self._timers():
            if due is None or at < due:
                due = at
        return due

    def elapsed_ms(self, at: int) -> int:
        """Return the milliseconds since the hand's signal, without its pauses; negative before it."""
        at = self._pausing.since if self.view.paused else at
        return (at - self._hand.signal_at) // 1_000 if self._hand else 0

    def _advance(self, now: int) -> None:
        self._now = max(self._now, now)
        while (due := self.due) is not None and due <= self._now:
            at, act = min(self._timers(), key=lambda timer: timer[0])
            act(at)

    def _timers(self) -> Iterator[tuple[int, Callable[[int], None]]]:
        """Yield what is to be done by itself, and when."""
        view, hand = self.view, self._hand
        if hand is not None and view.paused and self._pausing.ends_at is not None:
            yield self._pausing.ends_at, self._end_pause
        elif hand is not None and not view.paused:
            yield from self._timers_of(hand)
            if (due := self._pausing.due) is not None:
                yield due, self._pausing.stop_by_rule
        if view.phase is Phase.TALLY and self._seating.somebody_is_there() and not self._lacks_players():
            yield self._next_deal_at, self._deal
        for at, is_host in self._seating.timers():
            yield at, self._replace_host if is_host else self._give_up

    def _timers_of(self, hand: Hand) -> Iterator[tuple[int, Callable[[int], None]]]:
        """Yield what time brings to a hand that goes on."""
        match self.view.phase:
            case Phase.COUNTDOWN:
                yield hand.signal_at, self._signal
            case Phase.PLAYING:
                if hand.dead_check_at is not None:
                    yield hand.dead_check_at, self._check_dead
                if (limit_ms := self.view.time_limit_ms) is not None:
                    yield hand.signal_at + limit_ms * 1_000, self._end_time
            case Phase.GRACE:
                yield self._grace_until, self._end_grace

    def _end_pause(self, at: int) -> None:
        assert self._hand is not None
        self._pausing.go_on(self._hand, at)

    def _replace_host(self, at: int) -> None:
        self._seating.replace_host()

    def _give_up(self, at: int) -> None:
        self._seating.give_up(at)
        self._check_agreed_stop(at)

    # The commands, one method each.

    def _play(self, seat: int, command: cl.PlayCards) -> Refused | None:
        hand = self._hand
        if self.view.phase in {Phase.LOBBY, Phase.COUNTDOWN}:
            raise CommandRefused(Reason.NOT_STARTED, "Plays count from the signal on.")
        if hand is None or not self.view.in_hand:  # of a table's past the hand that is over is not kept
            raise CommandRefused(Reason.HAND_OVER, "The hand is over.")
        self._verify_goes_on()
        try:
            self._log.add(hand.play(seat, command, self._now))
        except IllegalPlay as error:
            return hand.refusal(seat, command, error, self._now)
        self._tell_progress(hand, seat)
        out = hand.first_out
        if out is not None and self.view.options.call_out is CallOut.AUTO:
            self._end_hand(hand, EndReason.OUT, out, self._now)
        return None

    def _stuck(self, seat: int, command: cl.Stuck) -> None:
        if self.view.phase is not Phase.PLAYING or seat not in self.view.hand_seats:
            raise CommandRefused(Reason.NOT_NOW, "Nobody can be stuck while no hand is played.")
        self._verify_goes_on()
        if not self._seating.state(seat).stuck:
            self._log.emit(ev.StuckSaid, seat=seat)
            self._check_agreed_stop(self._now)

    def _call(self, seat: int, command: cl.Call) -> None:
        hand = self._hand
        if self.view.phase is Phase.GRACE:
            raise CommandRefused(Reason.HAND_OVER, "Somebody called before you.")
        if hand is None or self.view.phase is not Phase.PLAYING:
            raise CommandRefused(Reason.NOT_NOW, "There is no hand to call out of.")
        self._verify_goes_on()
        if seat not in self.view.hand_seats or not hand.rules.is_out(hand.board, seat):
            raise CommandRefused(Reason.ILLEGAL, "You are not out yet.")
        grace_ms = self.view.options.grace_ms
        self._grace_until = self._now + grace_ms * 1_000
        self._log.emit(ev.Called, seat=seat, grace_ms=grace_ms)

    def _ready(self, seat: int, command: cl.Ready) -> None:
        self._verify_at_rest()
        if self._seating.state(seat).ready != command.ready:
            self._log.emit(ev.Readied, seat=seat, ready=command.ready)
        self._check_ready()

    def _leave(self, seat: int, command: cl.Leave) -> None:
        self._vacate(seat)

    def _say(self, seat: int, command: cl.Say) -> None:
        self._seating.say(seat, command.text, self._now)

    def _react(self, seat: int, command: cl.React) -> None:
        self._seating.react(seat, command.reaction, self._now)

    _SEATS: ClassVar[dict[type[cl.Command], Callable[..., Refused | None]]] = {
        cl.PlayCards: _play,
        cl.Stuck: _stuck,
        cl.Call: _call,
        cl.Ready: _ready,
        cl.Leave: _leave,
        cl.Say: _say,
        cl.React: _react,
    }
    """What every seat may do."""

    # The host's commands.

    def _start(self, command: cl.Start) -> None:
        self._verify_at_rest()
        if not self._seating.active():
            raise CommandRefused(Reason.NOT_NOW, "Nobody has taken a seat yet.")
        if self._lacks_players():
            raise CommandRefused(Reason.NOT_NOW, "This game is played by two together: one more must come.")
        self._deal(self._now)

    def _add_bot(self, command: cl.AddBot) -> None:
        self._seating.add_bot(command.level)
        self._put_off_deal()

    def _remove_bot(self, command: cl.RemoveBot) -> None:
        state = self.view.seats.get(command.seat)
        if state is None or not state.bot:
            raise CommandRefused(Reason.NOT_SEATED, "No bot has that seat.")
        if not self.view.between_matches:
            raise CommandRefused(Reason.NOT_NOW, "Bots go between matches.")
        self._vacate(command.seat)

    def _set_options(self, command: cl.SetOptions) -> None:
        if not self.view.between_matches:
            raise CommandRefused(Reason.NOT_NOW, "Options change between matches.")
        _verify_options(command.options)
        game = declare(command.options, 1)
        if len(self._seating.active()) > game.most_seats:
            text = f"{game.title} is for {most_players(game)}, and more have taken seats."
            raise CommandRefused(Reason.BAD_OPTION, text)
        self._log.emit(ev.OptionsSet, options=command.options)

    def _kick(self, command: cl.Kick) -> None:
        if command.seat == self.view.host:
            raise CommandRefused(Reason.NOT_NOW, "You cannot send yourself away; you can leave.")
        if command.seat not in self._seating.active():
            raise CommandRefused(Reason.NOT_SEATED, "Nobody has that seat.")
        self._vacate(command.seat, kicked=True)

    def _pause_or_go_on(self, command: cl.Pause) -> None:
        if self.view.phase not in {Phase.COUNTDOWN, Phase.PLAYING}:
            raise CommandRefused(Reason.NOT_NOW, "There is no hand to pause.")
        if command.paused and not self.view.paused:
            self._pausing.stop(self.view.host, self._now)
        elif not command.paused and self.view.paused:
            assert self._hand is not None
            self._pausing.go_on(self._hand, self._now)

    def _make_host(self, command: cl.MakeHost) -> None:
        self._seating.make_host(command.seat)

    def _stand_in(self, command: cl.StandIn) -> None:
        self._seating.stand_in(command.seat, command.level)
        self._pausing.check(self._hand, self._now)

    def _mute(self, command: cl.Mute) -> None:
        self._seating.mute(command.seat, command.muted)

    _HOSTS: ClassVar[dict[type[cl.Command], Callable[..., None]]] = {
        cl.Start: _start,
        cl.AddBot: _add_bot,
        cl.RemoveBot: _remove_bot,
        cl.SetOptions: _set_options,
        cl.Kick: _kick,
        cl.Pause: _pause_or_go_on,
        cl.MakeHost: _make_host,
        cl.StandIn: _stand_in,
        cl.Mute: _mute,
    }
    """What only the host may do."""

    # The course of a match.

    def _deal(self, at: int) -> None:
        if self.view.between_matches:
            self._matches += 1
        number = 1 if self.view.between_matches else self.view.hand + 1
        seed = next(self._seeds)
        hand_id = f"{self.view.code}/{self._matches}/{number}"
        self._log.emit(ev.Committed, hand=number, hand_id=hand_id, commitment=commitment(seed, hand_id))
        self._seating.keep_seated()
        seats = tuple(sorted(self._seating.active()))
        rules = make_rules(declare(self.view.options, len(seats)), seats)
        dealer = Dealer(seed, rules)
        shown = dealer.first_cards(rules.deal())
        self._log.emit(ev.Dealt, seats=seats, shown=shown, countdown_ms=self.view.options.countdown_ms)
        self._hand = Hand(self.view, seed, dealer, at)
        self._pausing.check(self._hand, self._now)

    def _signal(self, at: int) -> None:
        assert self._hand is not None
        self._log.emit(ev.Signalled)
        for seat in self.view.hand_seats:
            self._log.add(self._hand.settle(seat))
        if self.view.options.auto_first_turn:
            for seat in self.view.hand_seats:
                if not self._seating.state(seat).left:
                    self._log.add(self._hand.first_turn(seat))
        for seat in self.view.hand_seats:
            self._tell_progress(self._hand, seat)

    def _tell_progress(self, hand: Hand, seat: int) -> None:
        """Tell everybody how far a seat has come, where that is all that they are to know of its plays."""
        if self.view.is_private:
            reached = hand.rules.progress(hand.board, seat)
            if reached != self.view.progress[seat].reached:
                self._log.emit(ev.Progressed, seat=seat, progress=reached)

    def _check_agreed_stop(self, at: int) -> None:
        """End the hand if all who must agree have said that they are stuck (catalogue 1.8.1)."""
        if self.view.phase is not Phase.PLAYING or self._hand is None or self.view.paused:
            return
        asked = [seat for seat in self.view.hand_seats if self._seating.must_agree(seat)]
        if asked and all(self._seating.state(seat).stuck for seat in asked):
            self._stall(self._hand, EndReason.STUCK, at)

    def _check_dead(self, at: int) -> None:
        hand = self._hand
        assert hand is not None
        there = [seat for seat in self.view.hand_seats if not self._seating.state(seat).left]
        if not self.view.is_private:
            if hand.is_dead(there):
                self._stall(hand, EndReason.DEAD, at)
            return
        for seat in there:  # each alone: whoever cannot go on waits for the others
            if hand.is_dead([seat]) and not self._seating.state(seat).stuck:
                self._log.emit(ev.StuckSaid, seat=seat)
        self._check_agreed_stop(at)

    def _end_time(self, at: int) -> None:
        assert self._hand is not None
        self._end_by(self._hand, EndReason.TIME_UP, at)

    def _end_grace(self, at: int) -> None:
        assert self._hand is not None
        self._end_hand(self._hand, EndReason.OUT, self.view.called, at)

    def _stall(self, hand: Hand, reason: EndReason, at: int) -> None:
        """Shift the threes, where the table wants that and not all shifts were tried; else end the hand."""
        is_wanted = self.view.options.stall_rule is StallRule.ROTATE and not self.view.is_private
        if is_wanted and hand.rotations < hand.rules.turn_size - 1:
            hand.rotate(at)
            self._log.emit(ev.Rotated)
        else:
            self._end_by(hand, reason, at)

    def _end_by(self, hand: Hand, reason: EndReason, at: int) -> None:
        """End the hand for a reason, if nobody is out."""
        out = hand.first_out
        self._end_hand(hand, reason if out is None else EndReason.OUT, out, at)

    def _end_hand(self, hand: Hand, reason: EndReason, out: int | None, at: int) -> None:
        self._log.emit(
            ev.HandOver,
            reason=reason,
            out=out,
            elapsed_ms=max(0, self.elapsed_ms(at)),
            points=hand_points(self.view, out),
            seed=hand.seed.hex(),
        )
        self._pausing.forget()
        self._next_deal_at = at + self.view.options.tally_ms * 1_000
        self._check_match()

    def _check_match(self) -> None:
        winners = match_winners(self.view)
        if winners is not None:
            self._log.emit(ev.MatchOver, winners=winners)

    def _check_ready(self) -> None:
        """Deal if everybody is ready."""
        people = [state for state in self._seating.people() if state.connected]
        enough = len(self._seating.active()) > 1 or self.view.phase is Phase.TALLY
        enough = enough and not self._lacks_players()
        waiting = self.view.between_matches or self.view.phase is Phase.TALLY
        if waiting and enough and people and all(state.ready for state in people):
            self._deal(self._now)

    def _vacate(self, seat: int, *, kicked: bool = False) -> None:
        self._seating.vacate(seat, kicked=kicked)
        if self._hand is not None and self.view.phase in {Phase.COUNTDOWN, Phase.PLAYING, Phase.GRACE}:
            if all(self._seating.state(other).left for other in self.view.hand_seats):
                self._end_hand(self._hand, EndReason.ABANDONED, None, self._now)
            else:
                self._hand.ask_again(self._now)
                self._pausing.check(self._hand, self._now)
                self._check_agreed_stop(self._now)
        elif self.view.phase is Phase.TALLY and not self._seating.active():
            self._check_match()
        else:
            self._check_ready()

    def _put_off_deal(self) -> None:
        """Let a deal that was due while nobody was there begin now, and not then."""
        self._next_deal_at = max(self._next_deal_at, self._now)

    def _verify_at_rest(self) -> None:
        if self.view.phase in {Phase.COUNTDOWN, Phase.PLAYING, Phase.GRACE}:
            raise CommandRefused(Reason.NOT_NOW, "The cards are dealt already.")

    def _lacks_players(self) -> bool:
        """Tell whether the game is for two together, and one of them is not there."""
        is_for_two = declare(self.view.options, 1).racing is Racing.TOGETHER
        return is_for_two and len(self._seating.active()) < COUPLE

    def _verify_goes_on(self) -> None:
        if self.view.paused:
            raise CommandRefused(Reason.PAUSED, "The hand pauses: nothing is played until it goes on.")


def _verify_options(options: Options) -> None:
    """Refuse options that no game can be played with, for any number of players."""
    try:
        for players in (1, MAX_SEATS):
            make_rules(declare(options, players), range(players))
    except InvalidGame as error:
        raise CommandRefused(Reason.BAD_OPTION, str(error)) from None
