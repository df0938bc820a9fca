"""The table: seats, hands, match. A pure state machine; time, randomness and tokens are arguments.

:meth:`Table.receive` takes a command and :meth:`Table.tick` the time; both return what happened, as
events of the table's log. Times are microseconds on one rising clock, which is the caller's.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, Final

from racing_demon_protocol.dealer import Dealer
from racing_demon_protocol.errors import CommandRefused, IllegalPlay, InvalidGame
from racing_demon_protocol.games import declare
from racing_demon_protocol.messages import client as cl
from racing_demon_protocol.messages import events as ev
from racing_demon_protocol.messages.server import Accepted, Refused, SeatState
from racing_demon_protocol.options import CallOut, Options, StallRule
from racing_demon_protocol.reasons import EndReason, Phase, Reason
from racing_demon_protocol.rules import Rules
from racing_demon_protocol.shuffle import commitment
from racing_demon_protocol.tally import hand_points, match_winners
from racing_demon_protocol.view import TableView

from .chat import Chat
from .claims import Actor, Claims
from .hand import Hand
from .names import BOT_NAMES, clean, clean_words, unique

__all__ = ["MAX_SEATS", "Answer", "Table"]

MAX_SEATS: Final = 8


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command led to.

    Attributes:
        reply: for the sender alone; ``None`` where the event itself answers.
        events: for everybody, in order.

    """

    reply: Accepted | Refused | None = None
    events: list[ev.Event] = field(default_factory=list)


class Table:
    """One table.

    Attributes:
        view: what everybody may see of it.
        claims: who may speak for its seats.

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
        self._seeds = seeds
        self.claims = Claims()
        self._chat = Chat()
        self._events: list[ev.Event] = []
        self._now = 0
        self._matches = 0
        self._hand: Hand | None = None
        self._grace_until = 0
        self._next_deal_at = 0

    # Who is who.

    def join(self, name: str, token_hash: bytes, at: int) -> tuple[int, list[ev.Event]]:
        """Seat somebody, and return the seat's number.

        Raises:
            CommandRefused: there is no seat, the name will not do, or the match takes nobody in.

        """
        self._advance(at)
        seat = self._seat_somebody(clean(name), token_hash)
        return seat, self._collect()

    def connect(self, actor: Actor, connected: bool, at: int) -> list[ev.Event]:
        """Note that an actor's connection came or went."""
        self._advance(at)
        state = self.view.seats.get(actor) if actor is not None else None
        if state is not None and not state.left and state.connected != connected:
            self._emit(ev.Connected, seat=state.seat, connected=connected)
            self._put_off_deal()
            if not connected:
                self._check_agreed_stop()
                self._check_ready()
        return self._collect()

    # Commands and time.

    def receive(self, actor: Actor, command: cl.Command, at: int) -> Answer:
        """Judge a command that arrived at a moment; everything that is due by then happens before."""
        self._advance(at)
        earlier = self.claims.earlier(actor, command.counter)
        if earlier is not None:
            return Answer(earlier, self._collect())
        refused: Refused | None
        try:
            refused = self._COMMANDS[type(command)](self, actor, command)
        except CommandRefused as error:
            refused = Refused(counter=command.counter, reason=error.reason, text=error.text)
        reply = refused or Accepted(counter=command.counter, seq=self.view.seq)
        self.claims.remember(actor, reply)
        told_by_event = refused is None and isinstance(command, cl.PlayCards)
        return Answer(None if told_by_event else reply, self._collect())

    def tick(self, now: int) -> list[ev.Event]:
        """Let everything happen that is due by now."""
        self._advance(now)
        return self._collect()

    @property
    def due(self) -> int | None:
        """When :meth:`tick` has something to do next; ``None`` while only commands can change things."""
        match self.view.phase:
            case Phase.COUNTDOWN if self._hand:
                return self._hand.signal_at
            case Phase.PLAYING if self._hand:
                return self._hand.dead_check_at
            case Phase.GRACE:
                return self._grace_until
            case Phase.TALLY if self._somebody_is_there():
                return self._next_deal_at
        return None

    def elapsed_ms(self, at: int) -> int:
        """Return the milliseconds since the hand's signal; negative before it."""
        return (at - self._hand.signal_at) // 1_000 if self._hand else 0

    def _advance(self, now: int) -> None:
        self._now = max(self._now, now)
        while (due := self.due) is not None and due <= self._now:
            hand = self._hand
            assert hand is not None
            match self.view.phase:
                case Phase.COUNTDOWN:
                    self._signal(hand)
                case Phase.PLAYING:
                    if hand.is_dead(seat for seat in self.view.hand_seats if not self._state(seat).left):
                        self._stall(hand, EndReason.DEAD, due)
                case Phase.GRACE:
                    self._end_hand(hand, EndReason.OUT, self.view.called, due)
                case _:
                    self._deal(due)

    # The commands, one method each.

    def _play(self, actor: Actor, command: cl.PlayCards) -> Refused | None:
        seat = self._seat(actor)
        hand = self._hand
        if hand is None or self.view.phase in {Phase.LOBBY, Phase.COUNTDOWN}:
            raise CommandRefused(Reason.NOT_STARTED, "Plays count from the signal on.")
        if not self.view.in_hand:
            raise CommandRefused(Reason.HAND_OVER, "The hand is over.")
        try:
            self._events += hand.play(seat, command, self._now)
        except IllegalPlay as error:
            return hand.refusal(seat, command, error, self._now)
        out = hand.first_out
        if out is not None and self.view.options.call_out is CallOut.AUTO:
            self._end_hand(hand, EndReason.OUT, out, self._now)
        return None

    def _stuck(self, actor: Actor, command: cl.Stuck) -> None:
        seat = self._seat(actor)
        if self.view.phase is not Phase.PLAYING or seat not in self.view.hand_seats:
            raise CommandRefused(Reason.NOT_NOW, "Nobody can be stuck while no hand is played.")
        if not self._state(seat).stuck:
            self._emit(ev.StuckSaid, seat=seat)
            self._check_agreed_stop()

    def _call(self, actor: Actor, command: cl.Call) -> None:
        seat, hand = self._seat(actor), self._hand
        if self.view.phase is Phase.GRACE:
            raise CommandRefused(Reason.HAND_OVER, "Somebody called before you.")
        if hand is None or self.view.phase is not Phase.PLAYING:
            raise CommandRefused(Reason.NOT_NOW, "There is no hand to call out of.")
        if seat not in self.view.hand_seats or not hand.rules.is_out(hand.board, seat):
            raise CommandRefused(Reason.ILLEGAL, "You are not out yet.")
        grace_ms = self.view.options.grace_ms
        self._grace_until = self._now + grace_ms * 1_000
        self._emit(ev.Called, seat=seat, grace_ms=grace_ms)

    def _ready(self, actor: Actor, command: cl.Ready) -> None:
        seat = self._seat(actor)
        if self.view.phase in {Phase.COUNTDOWN, Phase.PLAYING, Phase.GRACE}:
            raise CommandRefused(Reason.NOT_NOW, "The cards are dealt already.")
        if self._state(seat).ready != command.ready:
            self._emit(ev.Readied, seat=seat, ready=command.ready)
        self._check_ready()

    def _start(self, actor: Actor, command: cl.Start) -> None:
        self._verify_host(actor)
        if self.view.phase in {Phase.COUNTDOWN, Phase.PLAYING, Phase.GRACE}:
            raise CommandRefused(Reason.NOT_NOW, "The cards are dealt already.")
        if not self._active():
            raise CommandRefused(Reason.NOT_NOW, "Nobody has taken a seat yet.")
        self._deal(self._now)

    def _add_bot(self, actor: Actor, command: cl.AddBot) -> None:
        self._verify_host(actor)
        taken = {state.name for state in self.view.seats.values()}
        name = next((name for name in BOT_NAMES if name not in taken), BOT_NAMES[0])
        self._seat_somebody(name, b"", command.level)

    def _remove_bot(self, actor: Actor, command: cl.RemoveBot) -> None:
        self._verify_host(actor)
        state = self.view.seats.get(command.seat)
        if state is None or not state.bot:
            raise CommandRefused(Reason.NOT_SEATED, "No bot has that seat.")
        if not self.view.between_matches:
            raise CommandRefused(Reason.NOT_NOW, "Bots go between matches.")
        self._vacate(command.seat)

    def _set_options(self, actor: Actor, command: cl.SetOptions) -> None:
        self._verify_host(actor)
        if not self.view.between_matches:
            raise CommandRefused(Reason.NOT_NOW, "Options change between matches.")
        _verify_options(command.options)
        self._emit(ev.OptionsSet, options=command.options)

    def _leave(self, actor: Actor, command: cl.Leave) -> None:
        self._vacate(self._seat(actor))

    def _say(self, actor: Actor, command: cl.Say) -> None:
        seat, text = self._seat(actor), clean_words(command.text)
        self._chat.speak(seat, self._now)
        self._emit(ev.Said, seat=seat, text=text)

    _COMMANDS: ClassVar[dict[type[cl.Command], Callable[..., Refused | None]]] = {
        cl.PlayCards: _play,
        cl.Stuck: _stuck,
        cl.Call: _call,
        cl.Ready: _ready,
        cl.Start: _start,
        cl.AddBot: _add_bot,
        cl.RemoveBot: _remove_bot,
        cl.SetOptions: _set_options,
        cl.Leave: _leave,
        cl.Say: _say,
    }

    # The course of a match.

    def _deal(self, at: int) -> None:
        if self.view.between_matches:
            self._matches += 1
        number = 1 if self.view.between_matches else self.view.hand + 1
        seed = next(self._seeds)
        hand_id = f"{self.view.code}/{self._matches}/{number}"
        self._emit(ev.Committed, hand=number, hand_id=hand_id, commitment=commitment(seed, hand_id))
        self.claims.keep(self.view.seats)  # a new match has no place for those who left the last
        seats = tuple(sorted(self._active()))
        rules = Rules(declare(self.view.options, len(seats)), seats)
        dealer = Dealer(seed, rules)
        shown = dealer.first_cards(rules.deal())
        self._emit(ev.Dealt, seats=seats, shown=shown, countdown_ms=self.view.options.countdown_ms)
        self._hand = Hand(self.view, seed, dealer, at)

    def _signal(self, hand: Hand) -> None:
        self._emit(ev.Signalled)
        if self.view.options.auto_first_turn:
            for seat in self.view.hand_seats:
                self._events += hand.first_turn(seat)

    def _check_agreed_stop(self) -> None:
        """End the hand if all connected players have said that they are stuck (catalogue 1.8.1)."""
        if self.view.phase is not Phase.PLAYING or self._hand is None:
            return
        present = [self._state(seat) for seat in self.view.hand_seats if self._state(seat).connected]
        if present and all(state.stuck for state in present):
            self._stall(self._hand, EndReason.STUCK, self._now)

    def _stall(self, hand: Hand, reason: EndReason, at: int) -> None:
        """Shift the threes, where the table wants that and not all shifts were tried; else end the hand."""
        turn = hand.rules.turn_size
        if self.view.options.stall_rule is StallRule.ROTATE and hand.rotations < turn - 1:
            hand.rotate(at)
            self._emit(ev.Rotated)
        else:
            out = hand.first_out
            self._end_hand(hand, reason if out is None else EndReason.OUT, out, at)

    def _end_hand(self, hand: Hand, reason: EndReason, out: int | None, at: int) -> None:
        self._emit(
            ev.HandOver,
            reason=reason,
            out=out,
            elapsed_ms=max(0, at - hand.signal_at) // 1_000,
            points=hand_points(self.view, out),
            seed=hand.seed.hex(),
        )
        self._next_deal_at = at + self.view.options.tally_ms * 1_000
        self._check_match()

    def _check_match(self) -> None:
        winners = match_winners(self.view)
        if winners is not None:
            self._emit(ev.MatchOver, winners=winners)

    def _check_ready(self) -> None:
        """Deal if everybody is ready."""
        people = [state for state in self._active().values() if not state.bot and state.connected]
        enough = len(self._active()) > 1 or self.view.phase is Phase.TALLY
        waiting = self.view.between_matches or self.view.phase is Phase.TALLY
        if waiting and enough and people and all(state.ready for state in people):
            self._deal(self._now)

    def _vacate(self, seat: int) -> None:
        self._emit(ev.Left, seat=seat)
        if seat not in self.view.seats:
            self.claims.drop(seat)
        if seat == self.view.host:
            heirs = [state for state in self._active().values() if not state.bot]
            heirs.sort(key=lambda state: not state.connected)
            self._emit(ev.Hosted, seat=heirs[0].seat if heirs else None)
        if self._hand is not None and self.view.phase in {Phase.COUNTDOWN, Phase.PLAYING, Phase.GRACE}:
            if not any(not self._state(other).left for other in self.view.hand_seats):
                self._end_hand(self._hand, EndReason.ABANDONED, None, self._now)
            else:
                self._hand.ask_again(self._now)
                self._check_agreed_stop()
        elif self.view.phase is Phase.TALLY and not self._active():
            self._check_match()
        else:
            self._check_ready()

    # Small things.

    def _emit(self, cls: type[ev.Event], **fields: Any) -> None:
        event = cls(seq=self.view.seq + 1, **fields)
        self.view.apply(event)
        self._events.append(event)

    def _collect(self) -> list[ev.Event]:
        events, self._events = self._events, []
        return events

    def _state(self, seat: int) -> SeatState:
        return self.view.seats[seat]

    def _active(self) -> dict[int, SeatState]:
        return {seat: state for seat, state in self.view.seats.items() if not state.left}

    def _somebody_is_there(self) -> bool:
        """Tell whether the next hand may be dealt: not while all people at the table are away."""
        people = [state for state in self._active().values() if not state.bot]
        return bool(self._active()) and (not people or any(state.connected for state in people))

    def _put_off_deal(self) -> None:
        """Let a deal that was due while nobody was there begin now, and not then."""
        self._next_deal_at = max(self._next_deal_at, self._now)

    def _seat(self, actor: Actor) -> int:
        if actor is None:
            raise CommandRefused(Reason.NOT_SEATED, "You are watching; only players may do that.")
        if self._state(actor).left:
            raise CommandRefused(Reason.NOT_SEATED, "You have left this table.")
        return actor

    def _verify_host(self, actor: Actor) -> None:
        if actor != self.view.host:
            raise CommandRefused(Reason.NOT_HOST, "Only the host of the table may do that.")

    def _seat_somebody(self, name: str, token_hash: bytes, bot: str = "") -> int:
        if not (self.view.between_matches or self.view.options.late_join):
            raise CommandRefused(Reason.NOT_NOW, "This match takes nobody in; you can watch.")
        seat = next((n for n in range(MAX_SEATS) if n not in self.view.seats), None)
        if seat is None:
            raise CommandRefused(Reason.TABLE_FULL, "All eight seats are taken; you can watch.")
        taken = [state.name for state in self.view.seats.values()]
        self._emit(ev.Joined, seat=seat, name=unique(name, taken), bot=bot)
        self.claims.add(seat, token_hash)
        self._chat.forget(seat)
        self._put_off_deal()
        if self.view.host is None and None not in self.claims:
            self._emit(ev.Hosted, seat=seat)
        return seat


def _verify_options(options: Options) -> None:
    """Refuse options that no game can be played with, for any number of players."""
    try:
        for players in (1, MAX_SEATS):
            Rules(declare(options, players), range(players))
    except InvalidGame as error:
        raise CommandRefused(Reason.BAD_OPTION, str(error)) from None
