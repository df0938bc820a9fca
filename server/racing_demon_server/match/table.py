"""The table: a pure state machine. Time and randomness are arguments.

:meth:`Table.handle_command` judges a command, and :meth:`Table.run_until` lets time pass. Both return what
happened, as events of the table's log. Times are microseconds on the caller's monotonic clock.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.codec import decode_server
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Accepted, RaceLost, Refused, Snapshot
from racing_demon_protocol.wire.options import Options

from .checkpoint import Checkpoint
from .commands import Commands, verify_casual, verify_options
from .contributions import Contributions
from .hand import HandClock
from .lifecycle import MatchLifecycle
from .seat_tokens import FOUNDER, Actor, SeatToken
from .seats import Seats, WhoLacks
from .state import Ban, JudgeState

MISTAKE: Final = "The server made an error here, and has logged it. Try something else."


class CommandResult(NamedTuple):
    """The result of a command.

    Attributes:
        reply: for the sender alone; ``None`` if the event itself answers.
        events: for everybody, in order.
        lost: the race that the command lost, for spectators.

    """

    reply: Accepted | Refused | None
    events: list[ev.Event]
    lost: RaceLost | None = None


class SavedState(NamedTuple):
    """What the journal holds of a table from an earlier run of the server.

    Attributes:
        snapshot: the table between two hands; ``None`` if there was none.
        log: its events, each with its time; those before the checkpoint, or else the snapshot, are skipped,
            unless delayed spectators have yet to see them. Plays without numbers that are in the checkpoint
            are left out.
        seeds: the secrets of its hands, by the hands' ids.
        seat_tokens: the tokens of its seats, with the last answers.
        epochs: the starts of the server that wrote it, each with the number of the last event before it.
        bans: its kicked players.
        checkpoint: the table in the middle of its hand; ``None`` to read the hand from its deal.

    """

    snapshot: Snapshot | None
    log: Iterable[tuple[ev.Event, int]]
    seeds: Mapping[str, bytes]
    seat_tokens: Mapping[Actor, SeatToken]
    epochs: Sequence[tuple[str, int]] = ()
    bans: Sequence[Ban] = ()
    checkpoint: Checkpoint | None = None


class Table:
    """One table.

    Attributes:
        view: its public state.
        seat_tokens: the tokens of its seats.
        bans: its kicked players.

    Args:
        code: the table's code.
        options: its options.
        secrets: yields 32 secret bytes for each hand.
        contributions: whether players may contribute to the deals.
        known_deal: the seed of all hands, in hexadecimal, for a table on a given deal.
        may_add_bot: returns whether one more bot may play.
        locked: whether the table has a passphrase.

    Raises:
        CommandRefused: the options cannot be played.

    """

    def __init__(  # noqa: PLR0913 - what a table has from the start
        self,
        code: str,
        options: Options,
        secrets: Iterator[bytes],
        *,
        contributions: bool = True,
        known_deal: str | None = None,
        may_add_bot: Callable[[], bool] = lambda: True,
        locked: bool = False,
    ) -> None:
        verify_options(options)
        verify_casual(options, known_deal)
        self.view = TableState(code, options, locked=locked, known_deal=known_deal)
        self._state = state = JudgeState(self.view)
        self._seating = Seats(state, may_add_bot)
        self.seat_tokens = state.seat_tokens
        self.bans = self._seating.bans
        self._standing = state.copy()
        self._is_standing = False
        self._next_at: int | None = None
        self._is_next_known = False
        self._dead_check_at: int | None = None
        self._contributions = Contributions(state, self._seating, secrets, wanted=contributions)
        self._lifecycle = MatchLifecycle(state, self._seating, self._contributions)
        self._commands = Commands(state, self._seating, self._contributions, self._lifecycle)

    def ask_who_lacks(self, who_lacks: WhoLacks) -> None:
        """Set who is asked for clients that lack an extension, before the host may use one."""
        self._seating.who_lacks = who_lacks

    @property
    def hand_clock(self) -> HandClock:
        """The clock of the hand."""
        return self._state.hand_clock

    # Players.

    def join(
        self, name: str, token_hash: bytes, at: int, address_hash: bytes = b"", *, program: bool = False
    ) -> tuple[int, list[ev.Event]]:
        """Seat a player, and return the seat's number.

        Args:
            name: the name that the player asks for.
            token_hash: the hash of the seat's token.
            at: the time.
            address_hash: the hash of the address that the player comes from; empty if unknown.
            program: whether a program plays, and no person.

        Raises:
            CommandRefused: no seat is free, the name is not acceptable, the match takes no new players, or
                the host has kicked this player.

        """
        self._advance(at)
        was_waiting = not self.view.deals_by_itself
        seat = self._seating.join(name, token_hash, address_hash, program=program)
        if was_waiting:
            self._lifecycle.delay_deal(self._state.now)
        self._contributions.prepare()
        return seat, self._drain_events()

    def may_return(self, seat: int) -> bool:
        """Return whether the player who left a seat may have it back now."""
        return self._seating.may_return(seat)

    def take_back(
        self, seat: int, token_hash: bytes, at: int, address_hash: bytes = b""
    ) -> tuple[int, list[ev.Event]]:
        """Give a seat back to the player who left it within this match, and was not kicked. Return it.

        Args:
            seat: the seat.
            token_hash: the hash of the seat's token from now on.
            at: the time.
            address_hash: the hash of the address that the player comes from; empty if unknown.

        Raises:
            CommandRefused: the seat is not theirs any more.

        """
        self._advance(at)
        was_waiting = not self.view.deals_by_itself
        self._seating.take_back(seat, token_hash, address_hash)
        if was_waiting:
            self._lifecycle.delay_deal(self._state.now)
        self._contributions.prepare()
        return seat, self._drain_events()

    def connect(self, actor: Actor, connected: bool, at: int) -> list[ev.Event]:
        """Record that an actor connected or disconnected."""
        self._advance(at)
        if self._seating.connect(actor, connected, at) and self._state.record.halted_at is None:
            self._lifecycle.check_presence(self._state.now)
            if not connected:
                self._lifecycle.check_ready(self._state.now)
        return self._drain_events()

    def kick(self, seat: int, at: int) -> list[ev.Event]:
        """Take the seat of a person who may not stay, unless they have left it by now."""
        self._advance(at)
        state = self._seating.active().get(seat)
        if state is not None and not state.bot:
            self._seating.vacate(seat, kicked=True)
            self._lifecycle.after_leave(self._state.now)
        return self._drain_events()

    def make_host(self, seat: int, at: int) -> list[ev.Event]:
        """Make a person the host, as whoever runs the server wants it, unless they are or have left."""
        self._advance(at)
        state = self._seating.active().get(seat)
        if state is not None and not state.bot and seat != self.view.host:
            self._seating.make_host(state)
        return self._drain_events()

    # After a restart.

    def restore(self, saved_state: SavedState) -> None:
        """Restore a table from the journal, in place of a new one; see :meth:`restoring`."""
        for _ in self.restoring(saved_state):
            pass

    def restoring(self, saved_state: SavedState) -> Generator[None, None, int]:
        """Restore a table from the journal, in place of a new one; yield after each event.

        Return how many plays without numbers of their own follow the last event.

        Raises:
            InconsistentEvent: an event does not fit.
            InvalidGame: a game is unknown.

        """
        base = self._restore_base(saved_state)
        played: dict[int, tuple[int, int]] = {}
        seq, whispers = -1, 0
        state = self._state
        for event, at in saved_state.log:
            yield
            if event.seq == seq:
                whispers += 1
            else:
                seq = event.seq
                whispers = base[1] if seq == base[0] else 0
            state.now = max(state.now, at)
            if isinstance(event, ev.Played) and event.counter:
                played[event.seat] = event.counter, event.seq
            elif isinstance(event, ev.Joined):
                played.pop(event.seat, None)  # that of another player
            if (seq, whispers) <= base:
                continue
            self._fold(event, at, saved_state.seeds)
        self.bans.restore(saved_state.bans)
        self._contributions.restore_secret(saved_state.seeds)
        players = {None, *self._seating.active()}
        for actor, seat_token in saved_state.seat_tokens.items():
            if actor in players:
                self.seat_tokens.restore(actor, seat_token)
            elif self._seating.was_left(actor):
                self.seat_tokens.restore(actor, replace(seat_token, is_retired=True))
        founder = saved_state.seat_tokens.get(FOUNDER)
        self.seat_tokens.restore_founder(None if founder is None else founder.token_hash)
        for seat, (counter, number) in played.items():
            self.seat_tokens.restore_play(seat, counter, number)
        return whispers

    def _fold(self, event: ev.Event, at: int, seeds: Mapping[str, bytes]) -> None:
        """Apply an event that was judged before, with the secrets of hands by their ids.

        Raises:
            InconsistentEvent: it does not fit.

        """
        if not isinstance(event, ev.Played):
            self.view.apply(event)
            self._seating.restore(event, at)
        self._lifecycle.restore(event, at, seeds)

    def _restore_base(self, saved_state: SavedState) -> tuple[int, int]:
        """Restore what is known without the log.

        Return the number of the last event in it, and how many plays without numbers after that.
        """
        if saved_state.checkpoint is not None:
            saved_state.checkpoint.restore(self._state, saved_state.seeds)
            return saved_state.checkpoint.table.seq, saved_state.checkpoint.whispers
        if saved_state.snapshot is not None:
            self.view.restore(saved_state.snapshot)
            return saved_state.snapshot.seq, 0
        return 0, 0

    def checkpoint(self) -> Checkpoint | None:
        """Return the table in the middle of its hand; ``None`` without one, or at its signal."""
        return Checkpoint.of(self._state)

    @property
    def secret(self) -> bytes:
        """The server's secret for the newest hand; empty without one."""
        hand = self._state.hand
        return b"" if hand is None else hand.secret

    @property
    def plays(self) -> int:
        """How many plays the hand has had that is played; 0 without one."""
        hand = self._state.hand
        return 0 if hand is None or self.view.is_between_hands else hand.plays

    def continue_after_restart(self, at: int) -> list[ev.Event]:
        """Continue after a restart: nobody is connected, and a hand waits until enough players are back."""
        self._state.now = max(self._state.now, at)
        self._seating.continue_after_restart(at)
        self._lifecycle.continue_after_restart(at)
        return self._drain_events()

    @property
    def new_secrets(self) -> Sequence[tuple[str, bytes]]:
        """The secrets drawn since they were last forgotten, by hand id.

        They must be durable before the events returned meanwhile are sent.
        """
        return self._state.drawn

    @property
    def has_details(self) -> bool:
        """Whether secrets, tokens or bans have changed, which events do not hold."""
        state = self._state
        return bool(state.drawn) or state.has_new_bans or state.seat_tokens.have_changed

    def forget_secrets(self) -> None:
        """Forget the new secrets, which the journal has."""
        self._state.drawn = []

    # When judging fails.

    def stand(self) -> None:
        """Let all that was judged so far stand: the table goes back no further than this."""
        self._standing = self._state.copy()
        self._is_standing = True

    def copied(self) -> TableState:
        """Return the public state as it is now, to be kept. Nobody may change it, as it may be shared."""
        return self._standing.view if self._is_standing else self.view.copy()

    def roll_back(self, plays: Iterable[tuple[bytes, int]], until: int) -> None:
        """Go back to what stands, because judging has failed.

        Args:
            plays: the plays, and the progress of seats, that were judged after that, each with its time.
            until: before this moment no timer runs; 0 if none has failed.

        Raises:
            InconsistentEvent: a play does not fit any more.

        """
        self._is_standing = False
        until = max(until, self._state.record.not_before)
        self._state.take(self._standing)
        for packed, at in plays:
            event = decode_server(packed)
            assert isinstance(event, ev.Event)
            self._state.now = max(self._state.now, at)
            self._fold(event, at, {})
        # Nothing is judged before all have their cards at the signal; so that is not tried again.
        self._state.record = self._state.record._replace(not_before=until, unsettled=())
        self._is_next_known = False

    # While the disk fails.

    def halt(self, at: int) -> list[ev.Event]:
        """Halt the table: nothing happens by itself, because it could not be written."""
        self._advance(at)
        self._state.record = self._state.record._replace(halted_at=self._state.now)
        self._lifecycle.pauses.pause_for_server(self._state.now)
        return self._drain_events()

    def resume(self, at: int) -> list[ev.Event]:
        """Resume the table as if no time had passed, and the hand if enough players are connected."""
        self._state.now = max(self._state.now, at)
        halted_at = self._state.record.halted_at
        if halted_at is not None:
            self._seating.shift(self._state.now - halted_at, self._state.now)
            self._lifecycle.shift(self._state.now - halted_at)
            self._state.record = self._state.record._replace(halted_at=None)
        self._lifecycle.resume(self._state.now)
        self._lifecycle.check_ready(self._state.now)
        return self._drain_events()

    def close(self, at: int) -> list[ev.Event]:
        """End the running match, because the table closes."""
        self._advance(at)
        self._lifecycle.close(self._state.now)
        return self._drain_events()

    # Commands and time.

    def handle_command(self, actor: Actor, command: cl.Command, at: int) -> CommandResult:
        """Judge a command that arrived at a moment, after running the timers that were due by then.

        Of commands that arrive together, one may be judged after another that was read later. The table's
        time does not go back for it, but races compare its own arrival.
        """
        if self._timers_due(at):
            self._advance(at)
        else:
            self._state.now = at
        counter = command.counter
        answer = self.seat_tokens.ready_answer(actor, counter)
        if answer is not None:
            return CommandResult(answer, self._drain_events())
        refused: Refused | None
        try:
            refused = self._commands.obey(actor, command, self._state.now, at)
        except CommandRefused as error:
            refused = Refused(counter=counter, reason=error.reason, text=error.text)
        if refused is None and isinstance(command, cl.PLAYS):
            played = CommandResult(None, self._drain_after_play())
            self.seat_tokens.remember_play(actor, counter, self.view.seq)
            return played
        hand = self._state.hand
        lost = None if refused is None or hand is None else hand.drain_lost_race()
        reply = refused or Accepted(counter=counter, seq=self.view.seq)
        result = CommandResult(reply, self._drain_events(), lost)
        self.seat_tokens.remember(actor, reply)  # last: an answer is not taken back
        return result

    def refuse(self, actor: Actor, counter: int, *, is_judged: bool = False) -> Accepted | Refused:
        """Refuse a command that failed, and return the answer. Sent again, it is refused again.

        Args:
            actor: who sent the command.
            counter: its counter.
            is_judged: whether it was answered before it failed, which holds no more.

        """
        is_taken_back = is_judged and counter == self.seat_tokens.counter(actor)
        refused = None if is_taken_back else self.seat_tokens.ready_answer(actor, counter)
        if refused is None:
            refused = Refused(counter=counter, reason=Reason.NOT_NOW, text=MISTAKE)
            self.seat_tokens.remember(actor, refused)
        return refused

    def put_off_deal(self, until: int) -> None:
        """Deal no further hand of the match by itself before a moment."""
        self._lifecycle.put_off_deal(until)

    def run_until(self, until: int, now: int = 0) -> list[ev.Event]:
        """Run all timers that are due by a moment.

        Args:
            until: the moment.
            now: the present, if later: sliced work continues after it.

        """
        self._advance(until, now)
        return self._drain_events()

    @property
    def next_timer_at(self) -> int | None:
        """When :meth:`run_until` is needed next; ``None`` while only commands can change anything.

        Overdue timers, as after a restart, are due at the time of the last event: time never goes back.
        """
        if not self._is_next_known:
            first = min((at for at, _ in self._timers()), default=None)
            after = max(self._state.now, self._state.record.not_before)
            self._next_at = None if first is None else max(first, after)
            hand = self._state.hand
            self._dead_check_at = None if hand is None else hand.dead_check_at
            self._is_next_known = True
        return self._next_at

    def _drain_events(self) -> list[ev.Event]:
        """Return the new events. The next timer may have changed."""
        self._is_next_known = self._is_standing = False
        return self._state.drain()

    def _drain_after_play(self) -> list[ev.Event]:
        """Return the events of a play. If there is only one, the next timer is unchanged."""
        self._is_standing = False
        events = self._state.drain()
        hand = self._state.hand
        asked_at = None if hand is None else hand.dead_check_at
        self._is_next_known = self._is_next_known and len(events) == 1 and asked_at == self._dead_check_at
        return events

    def run_next_timer(self, now: int) -> list[ev.Event]:
        """Run the first timer that is due by now, and leave the others for later calls."""
        self._run_first_timer(now, now)
        return self._drain_events()

    @property
    def is_settling(self) -> bool:
        """Whether what has happened is sent together with what timers do at once."""
        return self._lifecycle.is_settling

    def _timers_due(self, at: int) -> bool:
        """Return whether timers may be due by a moment, or whether the table's time is later already."""
        if at < self._state.now or not self._is_next_known:
            return True
        return self._next_at is not None and self._next_at <= at

    def _advance(self, until: int, now: int = 0) -> None:
        """Run all timers that are due by a moment, each at its own time, in order."""
        while self._run_first_timer(until, max(until, now)):
            pass
        self._state.now = max(self._state.now, until)

    def _run_first_timer(self, until: int, now: int) -> bool:
        """Run the first timer that is due by a moment. Return whether there was one."""
        due = self.next_timer_at
        if due is None or due > until:
            return False
        self._state.now = due
        _, act = min(self._timers(), key=lambda timer: timer[0])
        act(due)
        self._lifecycle.reschedule_overdue(now)
        self._is_next_known = False
        return True

    def _timers(self) -> Iterator[tuple[int, Callable[[int], None]]]:
        """Yield the pending timers: what to do, and when."""
        if self._state.record.halted_at is not None:
            return
        yield from self._lifecycle.timers()
        for at, is_host in self._seating.timers():
            yield at, self._seating.replace_host if is_host else self._give_up

    def _give_up(self, at: int) -> None:
        self._seating.give_up(at)
        self._lifecycle.check_agreed_stop(at)
