"""The table: who is who at it, and what they may do. A pure state machine; time and chance are arguments.

:meth:`Table.receive` takes a command and :meth:`Table.tick` the time; both return what happened, as
events of the table's log. Times are microseconds on one rising clock, which is the caller's.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import ClassVar, Final, NamedTuple

from racing_demon_protocol.errors import CommandRefused, IllegalPlay, InvalidGame
from racing_demon_protocol.games import declare
from racing_demon_protocol.messages import client as cl
from racing_demon_protocol.messages import events as ev
from racing_demon_protocol.messages.server import Accepted, Refused, SeatState, Snapshot
from racing_demon_protocol.options import Options
from racing_demon_protocol.reasons import Phase, Reason
from racing_demon_protocol.state import IN_HAND
from racing_demon_protocol.view import TableView

from .bans import Ban
from .claims import Actor, Claim
from .contributions import Contributions
from .course import Course
from .hand import Hand
from .hand_clock import HandClock
from .log import Log
from .pausing import STOPPABLE
from .playable import verify_playable
from .seating import Seating, most_players

__all__ = ["GONE", "MAX_SEATS", "Answer", "Past", "Table"]

MAX_SEATS: Final = 8
NOT_STARTED: Final = frozenset({Phase.LOBBY, Phase.SHUFFLING, Phase.COUNTDOWN})
GONE: Final = "You have left this table."
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
        epochs: the starts of the server that wrote it, each with the number of the last event before it.
        bans: who was sent away from it.

    """

    snapshot: Snapshot | None
    log: Iterable[tuple[ev.Event, int]]
    seeds: Mapping[str, bytes]
    claims: Mapping[Actor, Claim]
    epochs: Sequence[tuple[str, int]] = ()
    bans: Sequence[Ban] = ()


class Table:
    """One table.

    Attributes:
        view: what everybody may see of it.
        claims: who may speak for its seats.
        bans: who was sent away from it.

    Args:
        code: the table's code.
        options: its options.
        secrets: gives 32 secret bytes for each hand.
        contributions: whether players may contribute to the deals, too.

    Raises:
        CommandRefused: the options cannot be played.

    """

    def __init__(
        self, code: str, options: Options, secrets: Iterator[bytes], *, contributions: bool = True
    ) -> None:
        _verify_options(options)
        self.view = TableView(code, options)
        self._log = Log(self.view)
        self._seating = Seating(self._log)
        self.claims = self._seating.claims
        self.bans = self._seating.bans
        self._now = self._arrived = 0
        self._halted_at: int | None = None
        self._due: int | None = None
        self._is_due_known = False
        self._dead_check_at: int | None = None
        self._contributions = Contributions(self._log, self._seating, secrets, wanted=contributions)
        self._course = Course(self._log, self._seating, self._contributions)

    @property
    def hand_clock(self) -> HandClock:
        """What the time of the hand is told by."""
        return self._course.hand_clock

    @property
    def seats(self) -> Mapping[int, SeatState]:
        """Who sits where."""
        return self.view.seats

    # Who is who.

    def join(
        self, name: str, token_hash: bytes, at: int, address_hash: bytes = b""
    ) -> tuple[int, list[ev.Event]]:
        """Seat somebody, and return the seat's number.

        Args:
            name: what the player wants to be called.
            token_hash: the hash of the token that opens the seat again.
            at: when.
            address_hash: the hash of the address that the player comes from; empty where that is not known.

        Raises:
            CommandRefused: there is no seat, the name will not do, the match takes nobody in, or the host has
                sent this player away.

        """
        self._advance(at)
        seat = self._seating.join(name, token_hash, address_hash)
        self._contributions.prepare()
        return seat, self._taken()

    def connect(self, actor: Actor, connected: bool, at: int) -> list[ev.Event]:
        """Note that an actor's connection came or went."""
        self._advance(at)
        if self._seating.connect(actor, connected, at) and self._halted_at is None:
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
        self.bans.restore(past.bans)
        self._contributions.restore_secret(past.seeds)
        players = {None, *self._seating.active()}
        for actor, claim in past.claims.items():
            if actor in players:  # older journals have claims of those who left, too
                self.claims.restore(actor, claim)
        for seat, (counter, seq) in played.items():
            self.claims.remember_play(seat, counter, seq)

    def begin_again(self, at: int) -> list[ev.Event]:
        """Go on after the server was away: nobody is connected, and a hand waits until enough are back."""
        self._now = max(self._now, at)
        self._seating.begin_again(at)
        self._course.begin_again(at)
        return self._taken()

    def take_secrets(self) -> list[tuple[str, bytes]]:
        """Return the secrets drawn since this was asked last, by their hands' ids.

        They must be kept before anybody is told the events that were returned meanwhile.
        """
        return self._contributions.take_drawn()

    # While the server can keep nothing.

    def halt(self, at: int) -> list[ev.Event]:
        """Let the table stand still, and nothing happen by itself: what is played could not be kept."""
        self._advance(at)
        self._halted_at = self._now
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
        """Judge a command that arrived at a moment; everything that is due by then happens before.

        Of commands that arrive together one may be judged after another that was read later. The table's
        time does not run backwards for it, but its own arrival is what others are compared with.
        """
        self._arrived = at
        if at < self._now or not self._is_due_known or (self._due is not None and self._due <= at):
            self._advance(at)
        else:
            self._now = at
        counter = command.counter
        if actor not in self.claims:
            return Answer(Refused(counter=counter, reason=Reason.NOT_SEATED, text=GONE), self._taken())
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
        """When :meth:`tick` has something to do next; ``None`` while only commands can change things.

        What is overdue, as after a restart, is due at the moment of the last thing that happened: nothing
        happens before what happened already.
        """
        if not self._is_due_known:
            first = min((at for at, _ in self._timers()), default=None)
            self._due = None if first is None else max(first, self._now)
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
        """Let everything happen that is due by a moment, each at its own, and none before another."""
        while (due := self.due) is not None and due <= now:
            self._now = due
            _, act = min(self._timers(), key=lambda timer: timer[0])
            act(due)
            self._course.keep_pace(now)
            self._is_due_known = False
        self._now = max(self._now, now)

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
        hand = self._running_hand()
        try:
            self._log.add(hand.play(seat, command, self._arrived))
        except IllegalPlay as error:
            return hand.refusal(seat, command, error, self._arrived)
        self._course.follow_play(hand, seat, self._now)
        return None

    def _stuck(self, seat: int, command: cl.Stuck) -> None:
        self._running_hand(command.seen)
        if seat not in self.view.hand_seats:
            raise CommandRefused(Reason.NOT_SEATED, "This seat is not in the hand.")
        if self.view.phase is Phase.GRACE:
            raise CommandRefused(Reason.NOT_NOW, "Somebody has called; the hand ends in a moment.")
        if not self._seating.state(seat).stuck:
            self._log.emit(ev.StuckSaid, seat=seat)
        self._course.check_agreed_stop(self._now)

    def _call(self, seat: int, command: cl.Call) -> None:
        hand = self._running_hand(command.seen)
        if self.view.phase is Phase.GRACE:
            raise CommandRefused(
                Reason.NOT_NOW, "Somebody called before you; plays still count for a moment."
            )
        if seat not in self.view.hand_seats or not hand.rules.is_out(hand.board, seat):
            raise CommandRefused(Reason.ILLEGAL, "You are not out yet.")
        self._course.begin_grace(seat, self._now)

    def _ready(self, seat: int, command: cl.Ready) -> None:
        self._verify_at_rest(command.seen)
        if self._seating.state(seat).ready != command.ready:
            self._log.emit(ev.Readied, seat=seat, ready=command.ready)
        self._course.check_ready(self._now)

    def _contribute(self, seat: int, command: cl.Contribute) -> None:
        self._contributions.contribute(seat, command.commitment)

    def _reveal(self, seat: int, command: cl.Reveal) -> None:
        self._contributions.reveal(seat, command.value)
        self._course.check_revealed(self._now)

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
        cl.Contribute: _contribute,
        cl.Reveal: _reveal,
        cl.Leave: _leave,
        cl.Say: _say,
        cl.React: _react,
    }
    """What every seat may do."""

    # The host's commands.

    def _start(self, command: cl.Start) -> None:
        self._verify_at_rest(command.seen)
        if not self._seating.active():
            raise CommandRefused(Reason.NOT_NOW, "Nobody has taken a seat yet.")
        if self._course.lacks_players():
            raise CommandRefused(Reason.NOT_NOW, "This game is played by two together: one more must come.")
        self._course.deal(self._now)

    def _add_bot(self, command: cl.AddBot) -> None:
        self._seating.add_bot(command.level)

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
        options = self.view.options.changed_by(command.options)
        _verify_options(options)
        game = declare(options, 1)
        if len(self._seating.active()) > game.most_seats:
            text = f"{game.title} is for {most_players(game)}, and more have taken seats."
            raise CommandRefused(Reason.BAD_OPTION, text)
        if len(self._seating.active()) > options.seats:
            raise CommandRefused(Reason.BAD_OPTION, "More than that have taken seats.")
        self._log.emit(ev.OptionsSet, options=options)

    def _kick(self, command: cl.Kick) -> None:
        if command.seat == self.view.host:
            raise CommandRefused(Reason.NOT_NOW, "You cannot send yourself away; you can leave.")
        if command.seat not in self._seating.active():
            raise CommandRefused(Reason.NOT_SEATED, "Nobody has that seat.")
        self._vacate(command.seat, kicked=True)

    def _unban(self, command: cl.Unban) -> None:
        self._seating.unban(command.name)

    def _pause_or_go_on(self, command: cl.Pause) -> None:
        self._verify_hand(command.seen)
        if self.view.paused and not command.paused:
            self._course.end_pause(self._now)
        elif self.view.phase not in STOPPABLE:
            raise CommandRefused(Reason.NOT_NOW, "There is no hand to pause.")
        elif command.paused and not self.view.paused:
            self._course.pausing.stop(self.view.host, self._now)

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
        cl.Unban: _unban,
        cl.Pause: _pause_or_go_on,
        cl.MakeHost: _make_host,
        cl.StandIn: _stand_in,
        cl.Mute: _mute,
    }
    """What only the host may do."""

    def _vacate(self, seat: int, *, kicked: bool = False) -> None:
        self._seating.vacate(seat, kicked=kicked)
        self._course.follow_leave(self._now)

    def _verify_at_rest(self, seen: int) -> None:
        if not self.view.at_rest:
            raise CommandRefused(Reason.NOT_NOW, "The cards are dealt already.")
        self._verify_hand(seen)

    def _verify_hand(self, seen: int) -> None:
        """Refuse what was meant for an earlier hand, or the deal before it, and was sent again after a break.

        Args:
            seen: the last event that the sender had applied; 0 where that is not said.

        """
        hand = self._course.hand
        if hand is not None and 0 < seen < hand.dealt_seq:
            raise CommandRefused(Reason.HAND_OVER, "That was meant for an earlier hand.")

    def _running_hand(self, seen: int = 0) -> Hand:
        """Return the hand in which plays count now.

        Raises:
            CommandRefused: there is none, or it pauses, or the command was meant for an earlier one.

        """
        self._verify_hand(seen)
        hand = self._course.hand
        if hand is None or self.view.phase not in IN_HAND:  # of a past the hand that is over is not kept
            if self.view.phase in NOT_STARTED:
                raise CommandRefused(Reason.NOT_STARTED, "Plays count from the signal on.")
            raise CommandRefused(Reason.HAND_OVER, "The hand is over.")
        if self.view.paused:
            raise CommandRefused(Reason.PAUSED, "The hand pauses: nothing is played until it goes on.")
        return hand


def _verify_options(options: Options) -> None:
    try:
        verify_playable(options)
    except InvalidGame as error:
        raise CommandRefused(Reason.BAD_OPTION, str(error)) from None
