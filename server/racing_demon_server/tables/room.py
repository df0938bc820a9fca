"""A room: the actor around one table, with its listeners and its timers.

The order of arrival decides, for bots and timers too. What does not go through the inbox (a bot's play, a
timer, a join, a lost connection) comes after everything that was read before it, without an ``await`` in
between.

The judge is ahead of what clients see: events and answers are sent once they are committed, in the order in
which they were judged.

Wherever an exception arises in a table's turn, the table goes on: see :mod:`.failures`. A change may be half
done then. So what was judged is encoded, and then recorded all at once. Before that, nothing of it leaves the
room, and the judge goes back to what was recorded. After that it stands, and is written and sent in the end.
"""

import asyncio
import logging
import math
from bisect import insort
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from operator import itemgetter
from typing import Final, NamedTuple, Self

from racing_demon_protocol.engine.sliced_search import UNIT_MICROSECONDS
from racing_demon_protocol.enums import CloseCode, Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.formatting import join_words, pluralize
from racing_demon_protocol.wire.capabilities import PROGRAMS, verify_understood
from racing_demon_protocol.wire.messages.client import Command, ListTable, Ready, RemoveSpectator, Start
from racing_demon_protocol.wire.messages.events import Event, HandOver, MatchOver, Played, Progressed
from racing_demon_protocol.wire.messages.server import Accepted, Halted, Refused, Seated
from racing_demon_protocol.wire.options import Options
from racing_demon_server.bots.scheduler import BotScheduler
from racing_demon_server.encoded_messages import EncodedEvent, Listener
from racing_demon_server.journal.table_journal import Epochs, TableJournal
from racing_demon_server.match.bans import hash_address
from racing_demon_server.match.seat_tokens import GONE, Actor
from racing_demon_server.match.table import MISTAKE, CommandResult, SavedState, Table
from racing_demon_server.rate_limits import HOUR, NOT_SAID, Budget, TokenBucket, hand_over_cost, pool
from racing_demon_server.settings import ServerSettings
from racing_demon_server.wakeup import Alarm

from .broadcast import Broadcast
from .commit_queue import Callback, CommitQueue
from .failures import NOT_SENT, RETRY_SECONDS, Failures
from .feed import Backlog, Feed, ReplayBuffer
from .observer import Observer, tell
from .passphrase import Passphrase
from .spectators import FairScheduler


class QueuedCommand(NamedTuple):
    """A command that waits to be judged.

    Attributes:
        sender: the connection that it came from.
        actor: the connection's actor.
        command: the command.
        arrived: when its bytes were read, in microseconds.

    """

    sender: Listener
    actor: Actor
    command: Command
    arrived: int


_ROUND: Final = itemgetter(0)


class Inbox:
    """The commands of one table that wait to be judged, in rounds.

    The first command of each connection comes first, then the second of each, and so on, each round in the
    order of arrival: a busy connection cannot delay a quiet one.

    Attributes:
        waiting: these commands in that order, each with the number of its round.

    """

    def __init__(self) -> None:
        self.waiting: list[tuple[int, QueuedCommand]] = []
        self._sent: defaultdict[Listener, int] = defaultdict(int)

    def put(self, queued: QueuedCommand) -> None:
        """Add a command, which arrived no earlier than those that wait."""
        number = self._sent[queued.sender]
        self._sent[queued.sender] = number + 1
        insort(self.waiting, (number, queued), key=_ROUND)

    def pop(self, before: int | None = None) -> QueuedCommand | None:
        """Remove and return the next command that arrived before a moment; ``None`` if there is none."""
        for place, (_, queued) in enumerate(self.waiting):
            if before is None or queued.arrived < before:
                del self.waiting[place]
                if not self.waiting:
                    self._sent.clear()
                return queued
        return None

    def clear(self) -> None:
        """Empty the inbox."""
        self.waiting.clear()
        self._sent.clear()


Clock = Callable[[], int]
"""Returns the microseconds on one monotonic clock."""

COST_MICROSECONDS: Final = 40
"""The CPU time that one unit pays for."""
BESIDE_PLAY: Final = 20
"""About so many bytes of a play are on the disk beside the play itself."""
BESIDE: Final = 130
"""The same of other events, and of a lost race: their rows, times and seats."""
BESIDE_HAND: Final = 1_500
"""The same of a hand: its secrets, the table after it, and the result."""
TOO_DEAR: Final = "Your address or your table sends too many requests. Wait a few seconds, and try again."
BARRED_US: Final = 3_600_000_000
"""How long the address of a spectator whom the host removed is barred from the table."""
MAX_BARRED: Final = 100
MINUTE_US: Final = 60_000_000
NO_LISTS: Final = "This server lists and announces no tables. Whoever has the code finds the table."
IN_LISTS: Final = "This table is in the lists already."
COPY_EVERY: Final = 32
"""After so many plays the judge's state is copied, so that few have to be made again if something fails."""
HALTED: Final = "The server cannot write to its disk. Play resumes automatically."

log = logging.getLogger("racing_demon_server")


class RoomContext(NamedTuple):
    """What all rooms of a registry share.

    Attributes:
        settings: the server's.
        clock: the server's clock.
        backlog: bounds what is held back from spectators.
        scheduler: gives the spectators of all tables their turns.
        may_add_bot: returns whether one more bot may play.
        failed: called when too much has failed at a table.
        observers: observers of the tables.

    """

    settings: ServerSettings
    clock: Clock
    backlog: Backlog
    scheduler: FairScheduler
    may_add_bot: Callable[[], bool]
    failed: Callable[["Room"], None]
    observers: Sequence[Observer] = ()


class InitialState(NamedTuple):
    """What a room begins with: a table, and what the journal holds of one from before a restart.

    Attributes:
        table: the judge's table.
        replay: its newest events.
        saved_state: what it was restored from; ``None`` for a new table.
        whispers: how many plays after its last event were sent to their players only.

    """

    table: Table
    replay: ReplayBuffer
    saved_state: SavedState | None = None
    whispers: int = 0

    @classmethod
    def of_new_table(  # noqa: PLR0913 - what a table has from the start
        cls,
        code: str,
        options: Options,
        secrets: Iterator[bytes],
        context: RoomContext,
        *,
        locked: bool,
        known_deal: str | None = None,
    ) -> Self:
        """Return a new table.

        Args:
            code: the table's code.
            options: its options.
            secrets: yields 32 secret bytes for each hand.
            context: what all rooms share.
            locked: whether it has a passphrase.
            known_deal: the seed of all hands, where the deal is given.

        Raises:
            CommandRefused: the options cannot be played.

        """
        table = Table(
            code,
            options,
            secrets,
            contributions=context.settings.takes_contributions,
            known_deal=known_deal,
            may_add_bot=context.may_add_bot,
            locked=locked,
        )
        return cls(table, ReplayBuffer(context.settings.kept_events))


class Room:
    """One table and its listeners.

    Attributes:
        table: the judge's table.
        shown: the committed table, which everybody sees.
        journal: the table's journal.
        opened_ms: when the table was opened, in milliseconds since 1970.
        is_listed: whether lists and announcements name the table.
        observers: its observers.
        broadcast: the listeners.
        is_halted: whether the table is halted, because nothing can be written.
        budget: what pays for what nobody commands.
        units: the units that all its players share.
        players: the id of the player who took each seat, or came back to it after a restart; empty for
            guests.
        knows_players: whether it tells who took seats before a restart.

    Args:
        initial: the table; call :meth:`continue_after_restart` if it is from before a restart.
        context: what all rooms share.
        journal: where the table is kept.
        lock: the passphrase.
        opened_ms: when the table was opened, in milliseconds since 1970.
        listed: whether lists and announcements name the table.
        epoch: the name of this start of the server.
        bot_seed: the seed of the bots' randomness.
        budget: what pays for what nobody commands, of whoever opened the table; ``None`` if nobody pays.

    """

    def __init__(  # noqa: PLR0913 - what differs from table to table, each passed by its name
        self,
        initial: InitialState,
        context: RoomContext,
        *,
        journal: TableJournal,
        lock: Passphrase,
        opened_ms: int = 0,
        listed: bool = True,
        epoch: str,
        bot_seed: bytes,
        budget: Budget | None = None,
    ) -> None:
        self.table, replay, saved_state, whispers = initial
        settings, offset_us = context.settings, journal.clock_watermark.offset_us
        # A table of another server continues by that server's clock.
        clock: Clock = (lambda: context.clock() + offset_us) if offset_us else context.clock
        self._last_seq = self.table.view.seq
        self.epochs = Epochs([*(saved_state.epochs if saved_state else ()), (epoch, self._last_seq)])
        journal.begin(
            epoch,
            self._last_seq,
            saved_state.snapshot.seq if saved_state and saved_state.snapshot else 0,
            whispers,
            self.table.plays,
        )
        self.journal = journal
        self.opened_ms = opened_ms
        self.is_listed = listed
        self._lists_tables, self._all_observers = settings.lists_tables, context.observers
        self.observers = [each for each in context.observers if listed or not each.names_tables]
        self.shown = Feed(self.table, replay, clock, journal.clock_watermark.durable_time)
        self._loop = asyncio.get_running_loop()
        self._failed = context.failed
        self._failures = Failures(self.table.view.code, clock, self._end_soon)
        self.broadcast = Broadcast(
            self.shown, clock, self.observers, context.backlog, context.scheduler, self._failures
        )
        self.table.ask_who_lacks(self.broadcast.who_lacks)
        self._commit_queue = CommitQueue(self.table, self.broadcast, journal, self.shown, self._failures)
        self._lock = lock
        self._barred: dict[str, int] = {}
        self._needs_players = settings.needs_players
        self._clock = clock
        self._inbox = Inbox()
        self._fresh: list[EncodedEvent] = []
        self._then: list[Callback] = []  # called when those are sent
        self.is_halted = self._is_stopped = False
        self.budget = budget
        self._kept = self._hands_over = 0  # the bytes and the units that are to be paid
        self._rests_until = 0
        self.units = pool(settings.units_per_table)
        per_hour = settings.matches_per_hour
        self._matches = TokenBucket(per_hour / HOUR, per_hour)
        self.players: dict[int, str] = {}
        self.knows_players = saved_state is None
        self._plays: list[tuple[bytes, int]] = []  # those since the judge's state was copied
        self._alarm = Alarm(clock, self._run_once)
        self._bots = BotScheduler(
            self.table.view,
            self.catch_up,
            self._receive_from_bot,
            self._pay_for_thought,
            partial(self._failures.note, "a bot could not play"),
            speed=settings.bot_speed,
            seed=bot_seed,
        )

    def continue_after_restart(self, options: Options, saved_state: SavedState) -> Iterator[None]:
        """Continue after a restart; yield after each step of the work for delayed spectators.

        Args:
            options: the table's initial options.
            saved_state: what the journal holds of the table.

        """
        yield from self.broadcast.spectators.restoring(options, saved_state)
        now = self._clock()
        self._publish(self._encoded(self.table.continue_after_restart(now), now), now)
        self._stand()
        self._bots.continue_after_restart(self.table.seat_tokens)

    # Requests of connections.

    def verify_passphrase(self, passphrase: str, address: str) -> None:
        """Check the passphrase of somebody at an address.

        Raises:
            CommandRefused: the passphrase is wrong.
            Unchecked: it must be hashed first.

        """
        self._lock.verify(passphrase, address, self._clock())
        if self._lock.is_renewed and self._lock.hash is not None:
            self._lock.is_renewed = False
            self.journal.replace_passphrase(self._lock.hash)

    def verify_understood(self, software: str) -> None:
        """Check that a client understands what the table uses.

        Raises:
            CommandRefused: it does not.

        """
        verify_understood(software, self.table.view.extensions | self.broadcast.spectators.extensions)

    def join(self, name: str, token_hash: bytes, address: str, *, program: bool = False) -> int:
        """Seat a player, a person or a program, at an address, and return the seat's number.

        Raises:
            CommandRefused: the player cannot join.

        """
        if self.is_halted:
            raise CommandRefused(Reason.HALTED, HALTED)
        self._verify_not_barred(address)
        if program and (names := self.broadcast.who_lacks([PROGRAMS])):
            text = f"You are a program, which is shown to all: {join_words(names)} must update first."
            raise CommandRefused(Reason.NOT_NOW, text)
        now, hashed = self.catch_up(), self._hash_address(address)
        return self._seat(now, self.table.join, name, token_hash, now, hashed, program=program)

    def seat_of_leaver(self, token_hash: bytes, player: str, *, program: bool) -> int | None:
        """Return the seat that somebody has left who may have it back; ``None`` if there is none.

        It is theirs by its token, or as they are a known player, whose other devices have other tokens.

        Args:
            token_hash: the hash of the token that they sent.
            player: the player's id; empty for a guest.
            program: whether a program wants to play.

        """
        seat, seats = self.table.seat_tokens.left_with(token_hash), self.table.view.seats
        if seat is None and player:
            own = [each for each, seated in self.players.items() if seated == player and each in seats]
            left = (each for each in own if self.table.seat_tokens.is_retired(each))
            seat = next((each for each in left if seats[each].program == program), None)
        return None if seat is None or not self.table.may_return(seat) else seat

    def take_back(self, seat: int, token_hash: bytes, address: str) -> None:
        """Give a seat back to the player at an address who left it.

        Raises:
            CommandRefused: the seat is not theirs any more.

        """
        if self.is_halted:
            raise CommandRefused(Reason.HALTED, HALTED)
        self._verify_not_barred(address)
        now, hashed = self.catch_up(), self._hash_address(address)
        self._seat(now, self.table.take_back, seat, token_hash, now, hashed)

    def _seat(
        self, now: int, change: Callable[..., tuple[int, list[Event]]], *arguments: object, **more: object
    ) -> int:
        """Let somebody take a seat, and return it.

        Raises:
            CommandRefused: they cannot.

        """
        try:
            seat, events = change(*arguments, **more)
            encoded = self._encoded(events, now)
        except CommandRefused:
            raise
        except Exception:
            self._failures.note("a command could not be judged")
            self._roll_back()
            raise CommandRefused(Reason.NOT_NOW, MISTAKE) from None
        self._publish(encoded, now)
        return seat

    def watch(self, listener: Listener, passphrase: str, address: str) -> None:
        """Add a spectator at an address.

        Raises:
            CommandRefused: the passphrase is wrong, the host has removed somebody at this address, or the
                table allows no spectators.
            Unchecked: it must be hashed first.

        """
        self.verify_passphrase(passphrase, address)
        self._verify_not_barred(address)
        if not self.table.view.options.spectators:
            raise CommandRefused(Reason.NO_SPECTATORS, "This table allows no spectators.")
        self.verify_understood(listener.software)
        listener.reply(Seated(code=self.table.view.code))
        self.broadcast.watch(listener)

    def command_aside(self, sender: Listener, actor: Actor, command: Command) -> None:
        """Carry out a command of the host that concerns no seat: about spectators, or the lists."""
        try:
            if self.broadcast.connections.get(actor) is not sender:
                raise CommandRefused(Reason.NOT_SEATED, GONE)
            if actor != self.shown.view.host:
                raise CommandRefused(Reason.NOT_HOST, "Only the host can do that.")
            if isinstance(command, ListTable):
                self._list(partial(self._accept, sender, command))
                return
        except CommandRefused as refused:
            text = refused.text
            self.broadcast.reply(sender, Refused(counter=command.counter, reason=refused.reason, text=text))
            return
        if isinstance(command, RemoveSpectator):
            self._remove_spectator(command.spectator, sender.address)
        self.broadcast.reply(sender, self.broadcast.spectators.listed())
        self._accept(sender, command)

    def _accept(self, sender: Listener, command: Command) -> None:
        self.broadcast.reply(sender, Accepted(counter=command.counter, seq=self.shown.view.seq))

    def _list(self, then: Callback) -> None:
        """Put the table into the lists, once that is written, and call back.

        Raises:
            CommandRefused: it is there, nothing would tell of it, or nothing can be written.

        """
        if self.is_listed:
            raise CommandRefused(Reason.NOT_NOW, IN_LISTS)
        if not (self._lists_tables or any(each.names_tables for each in self._all_observers)):
            raise CommandRefused(Reason.NOT_NOW, NO_LISTS)
        if self.is_halted or self._is_stopped:
            raise CommandRefused(Reason.HALTED, HALTED)
        self.journal.list_table(partial(self._show_in_lists, then))

    def _show_in_lists(self, then: Callback) -> None:
        if not (self.is_listed or self._is_stopped):
            self.is_listed = True
            told = [each for each in self._all_observers if each.names_tables]
            self.observers += told
            for observer in told:
                tell(observer.listed, self.shown)
        then()

    def _remove_spectator(self, number: int, host_address: str) -> None:
        """Remove a spectator, and bar their address, unless the host or all strangers share it."""
        listener = self.broadcast.spectators.numbered(number)
        if listener is None:
            return
        if listener.address not in {"", NOT_SAID, host_address}:
            self._barred.pop(listener.address, None)
            self._barred[listener.address] = self._clock() + BARRED_US
            if len(self._barred) > MAX_BARRED:
                del self._barred[next(iter(self._barred))]
        self.broadcast.remove_spectator(listener)

    def _verify_not_barred(self, address: str) -> None:
        left = self._barred.get(address, 0) - self._clock()
        if left > 0:
            wait = pluralize(-(-left // MINUTE_US), "minute")
            text = f"The host has removed you from this table. You can come back in {wait}."
            raise CommandRefused(Reason.BANNED, text)

    def add_host(self, token_hash: bytes) -> None:
        """Add a host without a seat."""
        self.table.seat_tokens.add(None, token_hash)
        self._stand()
        self._publish([], self._clock())

    def resume(  # noqa: PLR0913, PLR0917 - the fields of the message, and who sent it
        self, listener: Listener, actor: Actor, token: str, address: str, epoch: str, seq: int
    ) -> None:
        """Let an actor resume, and send what it missed since an event."""
        self.table.seat_tokens.record_address(actor, self._hash_address(address))
        self.attach(listener, actor, token, seq if self.epochs.contain(epoch, seq) else 0)

    def attach(self, listener: Listener, actor: Actor, token: str, seq: int = 0) -> None:
        """Give a listener an actor's place, once committed, and what it missed since an event.

        The listener that had the place before is closed.
        """
        previous = self.broadcast.take_seat(listener, actor)
        if previous is not None:
            previous.close(CloseCode.TAKEN_OVER, "This seat was resumed from another connection.")
        counter, code = self.table.seat_tokens.counter(actor), self.table.view.code
        seated = Seated(code=code, seat=actor, token=token, counter=counter, epoch=self.epochs.current)
        self._commit_queue.when_written(partial(self._send_seated, listener, actor, seated, seq))
        self._charge(listener)  # for joining
        self.connect(actor)
        self._charge(listener)

    def _send_seated(self, listener: Listener, actor: Actor, seated: Seated, seq: int) -> None:
        if self.broadcast.connections.get(actor) is not listener:  # the connection is lost already
            return
        try:
            listener.reply(seated)
            self.broadcast.catch_up(listener, seq, actor)
        except Exception:
            self._failures.note("a table could not be shown to somebody")
            listener.close(CloseCode.TRY_AGAIN, NOT_SENT)

    def kick(self, seat: int, text: str) -> None:
        """Take the seat of a person whom the operator sends away, as the host might, and tell them why.

        Raises:
            CommandRefused: no person has that seat, or nothing can be written now.

        """
        self._verify_has_person(seat)
        listener = self.broadcast.connections.pop(seat, None)
        if listener is not None:
            self.broadcast.disconnect(listener, CloseCode.KICKED, text)
        if not self._apply(self.table.kick, seat):
            raise CommandRefused(Reason.NOT_NOW, MISTAKE)

    def make_host(self, seat: int) -> None:
        """Make a person the host, because whoever runs the server wants it.

        Raises:
            CommandRefused: no person has that seat, or nothing can be written now.

        """
        self._verify_has_person(seat)
        if not self._apply(self.table.make_host, seat):
            raise CommandRefused(Reason.NOT_NOW, MISTAKE)

    def _verify_has_person(self, seat: int) -> None:
        """Judge what was read, and check that a person has a seat, and that something can be written."""
        self.catch_up()
        if self.is_halted:
            raise CommandRefused(Reason.HALTED, HALTED)
        state = self.table.view.seats.get(seat)
        if state is None or state.left or state.bot:
            raise CommandRefused(Reason.NOT_SEATED, "No person has that seat.")

    def _hash_address(self, address: str) -> bytes:
        return hash_address(address, self._lock.salt)

    def leave(self, listener: Listener, actor: Actor) -> None:
        """Remove a listener whose connection is lost. Its seat stays, unless another has taken it over."""
        self.catch_up()
        self.broadcast.discard(listener)
        if self.broadcast.connections.get(actor) is listener:
            del self.broadcast.connections[actor]
            self.connect(actor, connected=False)
            self._charge(listener)

    def put(self, sender: Listener, actor: Actor, command: Command, arrived: int) -> None:
        """Put a command into the inbox. Commands that arrived together are judged together, in rounds."""
        if not self._inbox.waiting:
            self._loop.call_soon(self._empty_inbox)
        self._inbox.put(
            QueuedCommand(sender, actor, command, arrived + self.journal.clock_watermark.offset_us)
        )

    def catch_up(self) -> int:
        """Judge everything that was read, run the timers that are due, and return the present time."""
        self._empty_inbox()
        now = self._clock()
        try:
            self._run_until(now)
        except Exception:
            self._failures.note("what was due could not happen")
            self._go_on()
        return now

    def end_match(self, then: Callback) -> None:
        """End the running match, because the table closes. Call back when that was sent."""
        if not self.is_halted:
            self._apply(self.table.close)
        self.when_sent(then)

    def when_sent(self, then: Callback) -> None:
        """Call back when all that has happened so far was sent, which waits for the disk."""
        self._commit_queue.when_written(then)

    def close(self) -> None:
        """Cancel the timer, and stop the bots and the broadcast."""
        self.broadcast.close()
        self.stop()

    @property
    def bots(self) -> int:
        """The number of bots that play here."""
        return len(self._bots)

    @property
    def is_deserted(self) -> bool:
        """Whether nobody is connected, or waits for a place to be committed; spectators may not count."""
        return not self.broadcast.connections and (self._needs_players or not self.broadcast)

    # While the disk fails, and at the server's end.

    def halt(self, halted: bool) -> None:
        """Halt the table until writes succeed again, or resume it. Everybody is notified."""
        self.catch_up()
        self.is_halted = halted
        self._halt()
        self.broadcast.send_to_all(Halted(halted=halted))

    def _halt(self) -> None:
        if not self._apply(self.table.halt if self.is_halted else self.table.resume):
            self._loop.call_later(RETRY_SECONDS, self._halt)

    def stop(self) -> None:
        """Halt the table for good: clients send later commands again to the next server."""
        self._is_stopped = True
        self._alarm.set(None)
        self._bots.close()

    # When judging fails.

    def _roll_back(self, *, is_timer: bool = False) -> None:
        """Let the judge go back to what was recorded."""
        until = self._clock() + round(RETRY_SECONDS * 1_000_000) if is_timer else 0
        try:
            self.table.roll_back(self._plays, until)
        except Exception:
            log.exception("a table cannot go on after an error", extra={"table": self.table.view.code})
            self.stop()
            self._end_soon()
        self._last_seq = self.table.view.seq

    def _go_on(self) -> None:
        """Let the judge go back, and go on a little later, after an exception of the room itself."""
        self._roll_back(is_timer=True)
        self._retry()

    def _retry(self) -> None:
        """Try again what could not happen."""
        self._loop.call_later(RETRY_SECONDS, self._run_once)

    def _end_soon(self) -> None:
        """End the table, because too much has failed."""
        self._loop.call_soon(self._failed, self)

    # Judging.

    def _empty_inbox(self) -> None:
        """Judge everything that was read."""
        if self._is_stopped:
            self._inbox.clear()
        if self._inbox.waiting:
            try:
                self._judge_inbox()
            except Exception:
                self._failures.note("a command could not be judged")
                self._go_on()

    def _judge_inbox(self) -> None:
        """Judge what was read, of which there is some. Timers that were due before a command go first."""
        accepted: list[int] = []
        while (item := self._next_command()) is not None:
            at = item.arrived
            try:
                if self.is_halted:
                    self._refuse_halted(item)
                elif self._judge_next(item):
                    accepted.append(at)
            except Exception:
                self._failures.note("a command could not be judged")
                self._roll_back()
                if item.actor in self.table.seat_tokens:
                    refused = self.table.refuse(item.actor, item.command.counter)
                    self._then.append(partial(self.broadcast.answer, item.sender, item.command, refused, at))
        self._commit(at, [partial(self.broadcast.count, accepted)] if accepted else ())

    def _next_command(self) -> QueuedCommand | None:
        """Return the next command of the inbox, after the timers that are due before it."""
        while self._inbox.waiting:
            due = self.table.next_timer_at
            item = self._inbox.pop(before=due)
            if item is not None or due is None:
                return item
            self._run_timers(self.table.run_until, due, self._clock(), at=due)
        return None

    def _judge_next(self, item: QueuedCommand) -> bool:
        """Judge a command that was read. Return whether it is an accepted play."""
        sender, actor, command, arrived = item
        encoded: list[EncodedEvent] = []
        reply: Accepted | Refused | None = self._refusal(item)
        if reply is None:
            reply, encoded = self._judge(actor, command, arrived)
        if reply is None:  # its event answers
            self._record(encoded, arrived)
            self._charge(sender, len(encoded) - 1)
            return True
        if isinstance(reply, Refused) and reply.reason is Reason.BEATEN:
            self._kept += BESIDE
        self._record(encoded, arrived, [partial(self.broadcast.answer, sender, command, reply, arrived)])
        self._charge(sender)
        return False

    def _refusal(self, item: QueuedCommand) -> Refused | None:
        """Return why a command is refused before it is judged: its sender lost the seat, or cannot pay."""
        sender, actor, command, arrived = item
        if self.broadcast.connections.get(actor) is not sender:  # another connection has taken the seat over
            text = GONE if sender in self.broadcast.spectators else "This connection no longer has that seat."
            return Refused(counter=command.counter, reason=Reason.NOT_SEATED, text=text)
        if sender.owes and not sender.settle(arrived):
            return Refused(counter=command.counter, reason=Reason.TOO_FAST, text=TOO_DEAR)
        if not (isinstance(command, Start) or (isinstance(command, Ready) and command.ready)):
            return None
        if self.table.view.between_matches and (wait_us := self._matches.wait_us(arrived)):
            what = "matches: the next one may start"
        elif (wait_us := self._rests_until - arrived) > 0:
            what = "hands: the next one may be dealt"
        else:
            return None
        text = f"This table has had too many {what} in {pluralize(math.ceil(wait_us / 1_000_000), 'second')}."
        return Refused(counter=command.counter, reason=Reason.TOO_FAST, text=text)

    def _run_until(self, until: int) -> None:
        """Run all timers that are due by a moment, each at its own time."""
        while not self._is_stopped and (due := self.table.next_timer_at) is not None and due <= until:
            self._run_timers(self.table.run_until, due, until, at=due)
        self._commit(until)

    def _run_timers(self, run: Callable[..., list[Event]], *arguments: int, at: int) -> None:
        """Run timers that are due, and record what happens. What fails is tried again later."""
        was_settling = self.table.is_settling
        try:
            encoded = self._encoded(run(*arguments), at)
        except Exception:
            self._failures.note("what was due could not happen")
            self._roll_back(is_timer=True)
            return
        self._record(encoded, at)
        if encoded or was_settling:
            self._stand()
        self._charge_opener(at)

    def _judge(
        self, actor: Actor, command: Command, at: int
    ) -> tuple[Accepted | Refused | None, list[EncodedEvent]]:
        """Judge a command, and show spectators the race that it lost. Return answer and events."""
        answer: CommandResult | None = None
        try:
            answer = self.table.handle_command(actor, command, at)
            encoded = self._encoded(answer.events, at)
        except Exception:
            self._failures.note("a command could not be judged")
            self._roll_back()
            return self.table.refuse(actor, command.counter, is_judged=answer is not None), []
        if answer.lost is not None:
            self._flush(at, [partial(self.broadcast.spectators.show_race, answer.lost)])
        return answer.reply, encoded

    def _receive_from_bot(self, seat: int, command: Command) -> None:
        if self.is_halted:
            return
        now = self._clock()
        try:
            _, encoded = self._judge(seat, command, now)
            self._record(encoded, now)
            self._charge_opener(now)
            self._publish([], now)
        except Exception:
            self._failures.note("a command could not be judged")
            self._go_on()

    def _charge(self, listener: Listener, events: int = 0) -> None:
        """Charge a listener what was recorded last, and further events of its play."""
        kept, hands = self._take_charges()
        listener.charge(events, kept)
        if hands:
            listener.owe(hands)

    def _charge_opener(self, at: int) -> None:
        """Charge whoever opened the table what was recorded last. No hand is dealt before one is paid."""
        kept, hands = self._take_charges()
        if self.budget is None or not kept:
            return
        self.budget.pay(at, hands, kept)
        if hands:
            self._rests_until = at + self.budget.wait_us(at)
            self.table.put_off_deal(self._rests_until)
            self._stand()

    def _take_charges(self) -> tuple[int, int]:
        """Return the bytes on the disk and the units for ends of hands that nobody has been charged yet."""
        charges = self._kept, self._hands_over
        self._kept = self._hands_over = 0
        return charges

    def _pay_for_thought(self, work: int) -> float:
        """Charge a bot's thought to the budget. Return the milliseconds until it is paid."""
        units, now = round(work * UNIT_MICROSECONDS / COST_MICROSECONDS), self._clock()
        if self.budget is None or not units:
            return 0
        self.budget.pay(now, units)
        return self.budget.wait_us(now) / 1_000

    def _refuse_halted(self, item: QueuedCommand) -> None:
        """Refuse a command while nothing can be written. It is not remembered, and may be sent again.

        If it was judged before and waits to be written, its answer follows the write.
        """
        sender, actor, command, arrived = item
        is_known = actor in self.table.seat_tokens and self.broadcast.connections.get(actor) is sender
        earlier = self.table.seat_tokens.ready_answer(actor, command.counter) if is_known else None
        if earlier is None:
            self.broadcast.reply(sender, Refused(counter=command.counter, reason=Reason.HALTED, text=HALTED))
        else:
            self._commit_queue.when_written(partial(self.broadcast.answer, sender, command, earlier, arrived))

    def connect(self, actor: Actor, *, connected: bool = True) -> None:
        """Record that an actor has connected or disconnected. If that fails, it is tried again."""
        if not self._apply(self.table.connect, actor, connected):
            self._loop.call_later(RETRY_SECONDS, self._connect_again, actor)

    def _connect_again(self, actor: Actor) -> None:
        if actor in self.table.seat_tokens:
            self.connect(actor, connected=actor in self.broadcast.connections)

    def _apply(self, change: Callable[..., list[Event]], *arguments: object) -> bool:
        """Change the table now; commit and send the events. Return whether that did not fail."""
        now = self.catch_up()
        if self._is_stopped:
            return True
        try:
            encoded = self._encoded(change(*arguments, now), now)
        except Exception:
            self._failures.note("what was due could not happen")
            self._roll_back()
            self._publish([], now)
            return False
        self._publish(encoded, now)
        self._stand()
        return True

    def _publish(self, encoded: list[EncodedEvent], at: int) -> None:
        """Commit and send events that no command caused."""
        try:
            self._record(encoded, at)
            self._commit(at)
            if not self._commit_queue.unwritten:
                self.broadcast.flush()  # nothing more follows in this turn
        except Exception:
            self._failures.note("what has happened could not be written")
            self._go_on()

    def _record(self, encoded: list[EncodedEvent], at: int, then: Sequence[Callback] = ()) -> None:
        """Record events of one moment, and callbacks for when they are sent. From here on they stand.

        Plays without other consequences are flushed together.
        """
        self._fresh += encoded
        others: list[Event] = []
        for each in encoded:
            self._plays.append((each.packed, at))
            self._kept += len(each.packed) + BESIDE_PLAY
            if type(each.event) is not Played:
                others.append(each.event)
        if others or len(self._plays) >= COPY_EVERY:
            if len(self._plays) >= COPY_EVERY or any(type(each) is not Progressed for each in others):
                self._stand()
            then = [*then, *self._consequences(others, at)]
        if (others or then or not encoded) and not self.table.is_settling:
            self._flush(at, then)

    def _consequences(self, events: Iterable[Event], at: int) -> Iterator[Callback]:
        """Do what follows from events other than plays. Yield what closes connections, once they are sent."""
        for event in events:
            self._kept += BESIDE
            if type(event) is HandOver:
                self._kept += BESIDE_HAND
                self._hands_over += hand_over_cost(self.table.view.hand_number)
            elif type(event) is MatchOver:
                self._matches.overdraw(at)
            self._bots.apply(event, self.table.seat_tokens)
            if (end := self.broadcast.apply_event(event, self.table.view.options)) is not None:
                yield end

    def _stand(self) -> None:
        """Let what was judged so far stand, whatever fails later."""
        try:
            self.table.stand()
        except Exception:
            self._failures.note("a table could not be copied")  # it goes back further, if it must
        else:
            self._plays.clear()

    def _flush(self, at: int, then: Sequence[Callback] = ()) -> None:
        """Queue what was recorded, to be written. What cannot be queued is tried again."""
        self._then += then
        try:
            self._commit_queue.add(self._fresh, at, self._then)
        except Exception:
            self._failures.note("what has happened could not be written")
            self._retry()
        else:
            self._fresh, self._then = [], []

    def _commit(self, at: int, then: Sequence[Callback] = ()) -> None:
        """Commit everything that was recorded, and set the timer."""
        if self._fresh or self._then or then:
            self._flush(at, then)
        try:
            self._commit_queue.write()
        except Exception:
            self._failures.note("what has happened could not be written")
            self._retry()
        self._set_timer()

    def _encoded(self, events: Sequence[Event], at: int) -> list[EncodedEvent]:
        """Return events with their encodings. A play without a number of its own is for its player only."""
        encoded = []
        for event in events:
            is_whispered, self._last_seq = event.seq == self._last_seq, event.seq
            seat = event.seat if is_whispered and isinstance(event, Played) else None
            encoded.append(EncodedEvent(event, at, seat))
        return encoded

    def _set_timer(self) -> None:
        """Set the timer to the table's next one. Most plays do not change it."""
        self._alarm.set(None if self._is_stopped else self.table.next_timer_at)

    def _run_once(self) -> None:
        """Drain the inbox, run one due timer, then yield to the loop."""
        self._empty_inbox()
        if not self._is_stopped:
            try:
                self._run_next_timer()
            except Exception:
                self._failures.note("what was due could not happen")
                self._go_on()

    def _run_next_timer(self) -> None:
        now, due = self._clock(), self.table.next_timer_at
        if due is not None and due <= now:
            self._run_timers(self.table.run_next_timer, now, at=due)
        if self.table.is_settling:  # all seats get their cards at the same time
            self._set_timer()
        else:
            self._publish([], now)
