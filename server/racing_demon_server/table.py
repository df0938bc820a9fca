"""The table: who is who at it, and what they may do. A pure state machine; time and chance are arguments.

:meth:`Table.receive` takes a command and :meth:`Table.tick` the time; both return what happened, as
events of the table's log. Times are microseconds on one rising clock, which is the caller's.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import ClassVar, Final, NamedTuple

from racing_demon_protocol.errors import CommandRefused, IllegalPlay, InvalidGame
from racing_demon_protocol.games import declare
from racing_demon_protocol.messages import client as cl
from racing_demon_protocol.messages import events as ev
from racing_demon_protocol.messages.server import Accepted, Refused, SeatState, Snapshot
from racing_demon_protocol.options import Options
from racing_demon_protocol.reasons import Phase, Reason
from racing_demon_protocol.rulebook import make_rules
from racing_demon_protocol.state import DEALT, IN_HAND
from racing_demon_protocol.view import TableView

from .claims import Actor, Claim
from .course import Course
from .hand_clock import HandClock
from .log import Log
from .seating import Seating, most_players

__all__ = ["MAX_SEATS", "Answer", "Past", "Table"]

MAX_SEATS: Final = 8
NOT_STARTED: Final = frozenset({Phase.LOBBY, Phase.COUNTDOWN})
MISTAKE: Final = "The server made a mistake over this, and wrote it down. Try something else."


class Answer(NamedTuple):
    """What a command led to.

    Attributes:
        reply: for the sender alone; ``None`` where the event itself answers.
        events: for everybody, in order.

    """

    reply: Accepted | Refused | None
    events: list[ev.Event]


class Past(NamedTuple):
    """What is kept of a table from an earlier run of its server.

    Attributes:
        snapshot: how it was between two hands; ``None`` if there was none.
        log: its events, each with the time when it happened; those before the snapshot are passed over, and
            all are there where spectators are still to see some of these.
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
        self._log = Log(self.view)
        self._seating = Seating(self._log)
        self.claims = self._seating.claims
        self._now = 0
        self._halted_at: int | None = None
        self._due: int | None = None
        self._is_due_known = False
        self._dead_check_at: int | None = None
        self._course = Course(self._log, self._seating, seeds)

    @property
    def hand_clock(self) -> HandClock:
        """What the time of the hand is told by."""
        return self._course.hand_clock

    @property
    def seats(self) -> Mapping[int, SeatState]:
        """Who sits where."""
        return self.view.seats

    # Who is who.

    def join(self, name: str, token_hash: bytes, at: int) -> tuple[int, list[ev.Event]]:
        """Seat somebody, and return the seat's number.

        Raises:
            CommandRefused: there is no seat, the name will not do, or the match takes nobody in.

        """
        self._advance(at)
        seat = self._seating.join(name, token_hash)
        self._course.put_off_deal(self._now)
        return seat, self._taken()

    def connect(self, actor: Actor, connected: bool, at: int) -> list[ev.Event]:
        """Note that an actor's connection came or went."""
        self._advance(at)
        if self._seating.connect(actor, connected, at) and self._halted_at is None:
            self._course.put_off_deal(self._now)
            self._course.check_presence(self._now)
            if not connected:
                self._course.check_ready(self._now)
        return self._taken()

    # Back after the server was away.

    def restore(self, past: Past) -> None:
        """Take a table's past up, instead of a new table's.

        Raises:
            InconsistentEvent: an event does not fit.
            InvalidGame: a game is not known here.

        """
        if past.snapshot is not None:
            self.view.restore(past.snapshot)
        played: dict[int, tuple[int, int]] = {}
        for event, at in past.log:
            self._now = max(self._now, at)
            if isinstance(event, ev.Played) and event.counter:
                played[event.seat] = event.counter, event.seq
            elif isinstance(event, ev.Joined):
                played.pop(event.seat, None)  # somebody else's
            if past.snapshot is not None and event.seq <= past.snapshot.seq:
                continue
            if not isinstance(event, ev.Played):
                self.view.apply(event)
                self._seating.restore(event, at)
            self._course.restore(event, at, past.seeds)
        for actor, claim in past.claims.items():
            self.claims.restore(actor, claim)
        for seat, (counter, seq) in played.items():
            self.claims.remember_play(seat, counter, seq)

    def begin_again(self, at: int) -> list[ev.Event]:
        """Go on after the server was away: nobody is connected, and a hand waits until enough are back."""
        self._now = max(self._now, at)
        self._seating.begin_again(at)
        self._course.begin_again(at)
        return self._taken()

    # While the server can keep nothing.

    def halt(self, at: int) -> list[ev.Event]:
        """Let the table stand still, and nothing happen by itself: what is played could not be kept."""
        self._halted_at = self._now = max(self._now, at)
        self._course.pausing.stop_by_server(self._now)
        return self._taken()

    def resume(self, at: int) -> list[ev.Event]:
        """Let the table go on as if no time had passed; the hand, if enough are there."""
        self._now = max(self._now, at)
        if self._halted_at is not None:
            self._seating.shift(self._now - self._halted_at, self._now)
            self._course.shift(self._now - self._halted_at)
            self._halted_at = None
        self._course.go_on(self._now)
        self._course.check_ready(self._now)
        return self._taken()

    # Commands and time.

    def receive(self, actor: Actor, command: cl.Command, at: int) -> Answer:
        """Judge a command that arrived at a moment; everything that is due by then happens before."""
        if at < self._now or not self._is_due_known or (self._due is not None and self._due <= at):
            self._advance(at)
        else:
            self._now = at
        counter = command.counter
        earlier = self.claims.earlier(actor, counter)
        if earlier is not None:
            return Answer(earlier, self._taken())
        refused: Refused | None
        try:
            refused = self._obey(actor, command)
        except CommandRefused as error:
            refused = Refused(counter=counter, reason=error.reason, text=error.text)
        if refused is None and isinstance(command, cl.PlayCards):
            self.claims.remember_play(actor, counter, self.view.seq)
            return Answer(None, self._taken_after_play())
        reply = refused or Accepted(counter=counter, seq=self.view.seq)
        self.claims.remember(actor, reply)
        return Answer(reply, self._taken())

    def refuse(self, actor: Actor, counter: int) -> Answer:
        """Refuse a command that could not be judged for a mistake in here; sent again it is refused again."""
        refused = self.claims.earlier(actor, counter)
        if refused is None:
            refused = Refused(counter=counter, reason=Reason.NOT_NOW, text=MISTAKE)
            self.claims.remember(actor, refused)
        return Answer(refused, self._log.take())

    def _obey(self, actor: Actor, command: cl.Command) -> Refused | None:
        seat_does = self._SEATS.get(type(command))
        if seat_does is not None:
            return seat_does(self, self._seating.seat_of(actor), command)
        if actor != self.view.host:
            raise CommandRefused(Reason.NOT_HOST, "Only the host of the table may do that.")
        self._HOSTS[type(command)](self, command)
        return None

    def tick(self, now: int) -> list[ev.Event]:
        """Let everything happen that is due by now."""
        self._advance(now)
        return self._taken()

    @property
    def due(self) -> int | None:
        """When :meth:`tick` has something to do next; ``None`` while only commands can change things."""
        if not self._is_due_known:
            self._due = min((at for at, _ in self._timers()), default=None)
            hand = self._course.hand
            self._dead_check_at = None if hand is None else hand.dead_check_at
            self._is_due_known = True
        return self._due

    def _taken(self) -> list[ev.Event]:
        """Return what has happened; by then something else may be due next."""
        self._is_due_known = False
        return self._log.take()

    def _taken_after_play(self) -> list[ev.Event]:
        """Return what a play has led to. If that was its event alone, nothing else is due for it."""
        events = self._log.take()
        hand = self._course.hand
        asked_at = None if hand is None else hand.dead_check_at
        self._is_due_known = self._is_due_known and len(events) == 1 and asked_at == self._dead_check_at
        return events

    def _advance(self, now: int) -> None:
        self._now = max(self._now, now)
        while (due := self.due) is not None and due <= self._now:
            at, act = min(self._timers(), key=lambda timer: timer[0])
            act(at)
            self._is_due_known = False

    def _timers(self) -> Iterator[tuple[int, Callable[[int], None]]]:
        """Yield what is to be done by itself, and when."""
        if self._halted_at is not None:
            return
        yield from self._course.timers()
        for at, is_host in self._seating.timers():
            yield at, self._replace_host if is_host else self._give_up

    def _replace_host(self, at: int) -> None:
        self._seating.replace_host()

    def _give_up(self, at: int) -> None:
        self._seating.give_up(at)
        self._course.check_agreed_stop(at)

    # The commands, one method each.

    def _play(self, seat: int, command: cl.PlayCards) -> Refused | None:
        hand = self._course.hand
        if hand is None or self.view.phase not in IN_HAND:  # of a past the hand that is over is not kept
            if self.view.phase in NOT_STARTED:
                raise CommandRefused(Reason.NOT_STARTED, "Plays count from the signal on.")
            raise CommandRefused(Reason.HAND_OVER, "The hand is over.")
        self._verify_goes_on()
        try:
            self._log.add(hand.play(seat, command, self._now))
        except IllegalPlay as error:
            return hand.refusal(seat, command, error, self._now)
        self._course.follow_play(hand, seat, self._now)
        return None

    def _stuck(self, seat: int, command: cl.Stuck) -> None:
        if self.view.phase is not Phase.PLAYING or seat not in self.view.hand_seats:
            raise CommandRefused(Reason.NOT_NOW, "Nobody can be stuck while no hand is played.")
        self._verify_goes_on()
        if not self._seating.state(seat).stuck:
            self._log.emit(ev.StuckSaid, seat=seat)
        self._course.check_agreed_stop(self._now)

    def _call(self, seat: int, command: cl.Call) -> None:
        hand = self._course.hand
        if self.view.phase is Phase.GRACE:
            raise CommandRefused(Reason.HAND_OVER, "Somebody called before you.")
        if hand is None or self.view.phase is not Phase.PLAYING:
            raise CommandRefused(Reason.NOT_NOW, "There is no hand to call out of.")
        self._verify_goes_on()
        if seat not in self.view.hand_seats or not hand.rules.is_out(hand.board, seat):
            raise CommandRefused(Reason.ILLEGAL, "You are not out yet.")
        self._course.begin_grace(seat, self._now)

    def _ready(self, seat: int, command: cl.Ready) -> None:
        self._verify_at_rest()
        if self._seating.state(seat).ready != command.ready:
            self._log.emit(ev.Readied, seat=seat, ready=command.ready)
        self._course.check_ready(self._now)

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
        if self._course.lacks_players():
            raise CommandRefused(Reason.NOT_NOW, "This game is played by two together: one more must come.")
        self._course.deal(self._now)

    def _add_bot(self, command: cl.AddBot) -> None:
        self._seating.add_bot(command.level)
        self._course.put_off_deal(self._now)

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
        if len(self._seating.active()) > command.options.seats:
            raise CommandRefused(Reason.BAD_OPTION, "More than that have taken seats.")
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
            self._course.pausing.stop(self.view.host, self._now)
        elif not command.paused and self.view.paused:
            self._course.end_pause(self._now)

    def _make_host(self, command: cl.MakeHost) -> None:
        self._seating.make_host(command.seat)

    def _stand_in(self, command: cl.StandIn) -> None:
        self._seating.stand_in(command.seat, command.level)
        self._course.check_presence(self._now)

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

    def _vacate(self, seat: int, *, kicked: bool = False) -> None:
        self._seating.vacate(seat, kicked=kicked)
        self._course.follow_leave(self._now)

    def _verify_at_rest(self) -> None:
        if self.view.phase in DEALT:
            raise CommandRefused(Reason.NOT_NOW, "The cards are dealt already.")

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
