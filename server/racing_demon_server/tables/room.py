"""A room: one table, and everybody who listens to it. The thin shell that keeps the table's time.

Arrival order is the law, for bots and timers too. Whatever does not come through the inbox (a bot's play, a
timer, a join, a lost connection) comes after all that was read before it. There is no ``await`` between.

The judge is ahead of what everybody sees: an event, and the answer to a command, is told when it is written
down, and everything is told in the order in which it was judged.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Final

from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.reasons import Reason
from racing_demon_protocol.wire.messages.client import Command
from racing_demon_protocol.wire.messages.events import Event, Played
from racing_demon_protocol.wire.messages.server import Halted, Refused
from racing_demon_protocol.wire.options import Options
from racing_demon_server.bots.seats import BotSeats
from racing_demon_server.frames import Frames, Listener, frames_of
from racing_demon_server.journal.epochs import Epochs
from racing_demon_server.journal.rows import TableJournal
from racing_demon_server.match.bans import hash_address
from racing_demon_server.match.seat_tokens import Actor
from racing_demon_server.match.table import GONE, Answer, Past, Table
from racing_demon_server.wakeup import Alarm

from .backlog import Backlog
from .broadcast import Broadcast, RecentEvents
from .commit import CommitQueue, Then
from .committed import Published
from .inbox import Inbox, Waiting
from .observer import Observer
from .passphrase import Passphrase
from .places import Places

__all__ = ["Clock", "Room"]

Clock = Callable[[], int]
"""Returns the microseconds on one rising clock."""

HALTED: Final = "The server's disk takes nothing just now, so nothing can be played; it goes on by itself."

log = logging.getLogger("racing_demon_server")


class Room:
    """One table and its listeners.

    Attributes:
        table: the table, as its judge knows it.
        shown: the table, as everybody sees it.
        journal: where the table is kept.
        broadcast: everybody who listens.

    Args:
        code: the table's code.
        options: its options.
        secrets: gives 32 secret bytes for each hand.
        clock: tells the time.
        journal: where the table is kept.
        bot_speed, bot_seed: how many times faster than people bots think, and what their chances follow from.
        kept_events: how many events to keep for those who come back.
        backlog: counts what waits for spectators who see tables later.
        observers: who else is told what happens.
        lock: asks for the passphrase.
        past: what is kept of the table from before the server was started anew.
        epoch: names this start of the server.
        contributions: whether players may contribute to the deals, too.
        may_add_bot: tells whether one more bot may play.

    Raises:
        CommandRefused: the options cannot be played.
        InconsistentEvent: the past does not fit together.
        InvalidGame: a game of the past is not known here.

    """

    def __init__(  # noqa: PLR0913
        self,
        code: str,
        options: Options,
        secrets: Iterator[bytes],
        clock: Clock,
        *,
        journal: TableJournal,
        bot_speed: float,
        bot_seed: bytes,
        kept_events: int,
        backlog: Backlog,
        observers: Sequence[Observer] = (),
        lock: Passphrase | None = None,
        past: Past | None = None,
        epoch: str = "",
        contributions: bool = True,
        may_add_bot: Callable[[], bool] = lambda: True,
    ) -> None:
        self.table = Table(code, options, secrets, contributions=contributions, may_add_bot=may_add_bot)
        self.table.view.locked = lock is not None and lock.is_locked
        kept = RecentEvents(kept_events)
        if past is not None:
            self.table.restore(past._replace(log=kept.passed_on(frames_of(past.log))))
        self._last_seq = self.table.view.seq
        self.epochs = Epochs([*(past.epochs if past else ()), (epoch, self._last_seq)])
        journal.begin(epoch, self._last_seq, past.snapshot.seq if past and past.snapshot else 0)
        self.journal = journal
        self.shown = Published(self.table, journal.timekeeper.certain)
        self.broadcast = Broadcast(self.shown, kept, clock, observers, backlog)
        self._commit_queue = CommitQueue(self.table, self.broadcast, journal, self.shown)
        self._places = Places(self.table, self.broadcast, self._commit_queue, self.epochs)
        self._lock = lock
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._inbox = Inbox()
        self._fresh: list[Frames] = []
        self._is_halted = self._is_stopped = False
        self._alarm = Alarm(clock, self._tick)
        self._bots = BotSeats(
            self.table.view, self.catch_up, self._receive_from_bot, speed=bot_speed, seed=bot_seed
        )
        if past is not None:
            self.broadcast.spectators.take_up(options, past)
            now = self._clock()
            self._publish(self.table.begin_again(now), now)
            self._bots.begin_again(self.table.seat_tokens)

    # What connections ask for.

    def admit(self, passphrase: str, address: str) -> None:
        """Let somebody in who comes from an address.

        Raises:
            CommandRefused: the table asks for another passphrase.

        """
        if self._lock is not None:
            self._lock.verify(passphrase, address, self._clock())

    def join(self, name: str, token_hash: bytes, address: str = "") -> int:
        """Seat somebody who comes from an address, and return the seat's number.

        Raises:
            CommandRefused: it cannot be.

        """
        if self._is_halted:
            raise CommandRefused(Reason.HALTED, HALTED)
        now = self.catch_up()
        seat, events = self.table.join(name, token_hash, now, self._hashed(address))
        self._publish(events, now)
        return seat

    def watch(self, listener: Listener, passphrase: str, address: str) -> None:
        """Let somebody at an address look on.

        Raises:
            CommandRefused: the table asks for another passphrase, or wants no spectators.

        """
        self.admit(passphrase, address)
        self._places.watch(listener)

    def host(self, token_hash: bytes) -> None:
        """Let somebody be the host without a seat."""
        self.table.seat_tokens.add(None, token_hash)
        self._publish([], self._clock())

    def knows(self, token_hash: bytes) -> bool:
        """Tell whether a token belongs to anybody at this table."""
        return self.table.seat_tokens.knows(token_hash)

    def actor(self, token_hash: bytes) -> Actor:
        """Return whom a token belongs to.

        Raises:
            CommandRefused: to nobody at this table.

        """
        return self.table.seat_tokens.actor(token_hash)

    def resume(  # noqa: PLR0913, PLR0917
        self, listener: Listener, actor: Actor, token: str, address: str, epoch: str = "", seq: int = 0
    ) -> None:
        """Give an actor who comes back from an address the place, and what was missed since an event."""
        self.table.seat_tokens.note_address(actor, self._hashed(address))
        self.sit(listener, actor, token, seq if self.epochs.contain(epoch, seq) else 0)

    def sit(self, listener: Listener, actor: Actor, token: str, seq: int = 0) -> None:
        """Give a listener an actor's place, when it is certain, and then what it misses since an event."""
        self._places.sit(listener, actor, token, seq)
        self.connect(actor)

    def connect(self, actor: Actor) -> None:
        """Tell everybody that an actor is there."""
        self._connect(actor, connected=True)

    def _hashed(self, address: str) -> bytes:
        return hash_address(address, b"" if self._lock is None else self._lock.salt)

    def leave(self, listener: Listener, actor: Actor) -> None:
        """Forget a listener whose connection is lost; its seat stays, unless it was taken up again."""
        self.catch_up()
        self.broadcast.discard(listener)
        if self.broadcast.speakers.get(actor) is listener:
            del self.broadcast.speakers[actor]
            self._connect(actor, connected=False)

    def put(self, sender: Listener, actor: Actor, command: Command, arrived: int) -> None:
        """Put a command into the inbox; all that arrived together are judged together, in rounds."""
        if not self._inbox:
            self._loop.call_soon(self._empty_inbox)
        self._inbox.put(Waiting(sender, actor, command, arrived))

    def catch_up(self) -> int:
        """Judge all that was read, let happen all that is due, and return the present moment."""
        self._empty_inbox()
        now = self._clock()
        self._pass_time(now)
        self._write_down(now)
        return now

    def end_match(self, then: Then) -> None:
        """End the match that goes on, as the table is to be closed; do something when everybody was told."""
        if not self._is_halted:
            now = self.catch_up()
            self._publish(self.table.close(now), now)
        self._commit_queue.when_written(then)

    def close(self) -> None:
        """Stop the clockwork."""
        self.broadcast.close()
        self.stop()

    @property
    def bots(self) -> int:
        """How many bots play here."""
        return len(self._bots)

    @property
    def is_deserted(self) -> bool:
        """Whether nobody is there, nor on the way to a place that is still to be written down."""
        return not self.broadcast and not self.broadcast.speakers

    # While nothing can be written, and around the server's own end.

    @property
    def is_halted(self) -> bool:
        """Whether the table stands still, because nothing can be written down."""
        return self._is_halted

    def halt(self, halted: bool) -> None:
        """Stand still until what happens can be written down again, and tell everybody; or go on."""
        now = self.catch_up()
        self._is_halted = halted
        self._publish(self.table.halt(now) if halted else self.table.resume(now), now)
        self.broadcast.announce(Halted(halted=halted))

    def stop(self) -> None:
        """Let nothing happen at the table any more: what comes from now on is sent again to the next one."""
        self._is_stopped = True
        self._alarm.set(None)
        self._bots.close()

    # The clockwork.

    def _empty_inbox(self) -> None:
        """Judge all that was read. What is due before something was read happens before that is judged."""
        if self._is_stopped:
            self._inbox.clear()
        if not self._inbox:
            return
        accepted: list[int] = []
        while (item := self._next()) is not None:
            if self._is_halted:
                self._put_off(item)
            elif self._take_up(item):
                accepted.append(item.arrived)
            at = item.arrived
        self._write_down(at, [partial(self.broadcast.count, accepted)] if accepted else ())

    def _next(self) -> Waiting | None:
        """Take the next command out of the inbox, when all that is due before it has happened."""
        while self._inbox:
            due = self.table.due
            item = self._inbox.take(before=due)
            if item is not None or due is None:
                return item
            try:
                self._note(self.table.tick(due, self._clock()), due)
            except Exception:
                log.exception("what was due could not happen", extra={"table": self.table.view.code})
                return self._inbox.take()  # which will be refused for the same mistake
        return None

    def _take_up(self, item: Waiting) -> bool:
        """Judge a command that was read; tell whether it is a play that was carried out."""
        sender, actor, command, arrived = item
        if self.broadcast.speakers.get(actor) is not sender:  # it changed hands meanwhile
            text = GONE if sender in self.broadcast.spectators else "You do not speak for this seat any more."
            refused = Refused(counter=command.counter, reason=Reason.NOT_SEATED, text=text)
            self._note([], arrived, [partial(self.broadcast.answer, sender, command, refused, arrived)])
            return False
        reply, events = self._judge(actor, command, arrived)
        answer = [] if reply is None else [partial(self.broadcast.answer, sender, command, reply, arrived)]
        self._note(events, arrived, answer)
        return reply is None

    def _pass_time(self, until: int) -> None:
        """Let everything happen that is due by a moment, each at its own."""
        while not self._is_stopped and (due := self.table.due) is not None and due <= until:
            self._note(self.table.tick(due, until), due)

    def _judge(self, actor: Actor, command: Command, at: int) -> Answer:
        """Judge a command. A mistake in here costs this command alone: it is written down and refused."""
        try:
            return self.table.receive(actor, command, at)
        except Exception:
            log.exception("a command could not be judged", extra={"table": self.table.view.code})
            return self.table.refuse(actor, command.counter)

    def _receive_from_bot(self, seat: int, command: Command) -> None:
        if not self._is_halted:
            now = self._clock()
            self._publish(self._judge(seat, command, now).events, now)

    def _put_off(self, item: Waiting) -> None:
        """Refuse a command while nothing can be written; nothing is remembered of it, and it may come again.

        One that was judged already may be about to be written down: its answer comes after that.
        """
        sender, actor, command, arrived = item
        is_known = actor in self.table.seat_tokens and self.broadcast.speakers.get(actor) is sender
        earlier = self.table.seat_tokens.earlier(actor, command.counter) if is_known else None
        if earlier is None:
            refused = Refused(counter=command.counter, reason=Reason.HALTED, text=HALTED)
            self.broadcast.reply(sender, refused)
        else:
            self._commit_queue.when_written(partial(self.broadcast.answer, sender, command, earlier, arrived))

    def _connect(self, actor: Actor, connected: bool) -> None:
        if not self._is_stopped:
            now = self.catch_up()
            self._publish(self.table.connect(actor, connected, now), now)

    def _publish(self, events: list[Event], at: int) -> None:
        """Write down what has happened by itself, and tell it when that is done."""
        self._note(events, at)
        self._write_down(at)
        if not self._commit_queue.unwritten:
            self.broadcast.send_out()  # no more of it comes in this turn

    def _note(self, events: list[Event], at: int, then: Sequence[Then] = ()) -> None:
        """Note what has happened at a moment, and what is to be done when everybody knows.

        Plays that nothing else comes with are handed on with the next that does, or at the end.
        """
        is_play, parting = bool(events) and not then, list[Then]()
        for event in events:
            self._fresh.append(self._framed(event, at))
            if type(event) is not Played:
                is_play = False
                self._bots.follow(event, self.table.seat_tokens)
                if (end := self.broadcast.follow(event, self.table.view.options)) is not None:
                    parting.append(end)
        if not is_play and not self.table.is_settling:
            self._hand_on(at, [*then, *parting])

    def _hand_on(self, at: int, then: Sequence[Then] = ()) -> None:
        fresh, self._fresh = self._fresh, []
        self._commit_queue.note(fresh, at, self.table.take_secrets(), then)

    def _write_down(self, at: int, then: Sequence[Then] = ()) -> None:
        """Write down all that is noted, together; keep the time."""
        if self._fresh or then:
            self._hand_on(at, then)
        self._commit_queue.write_down()
        self._wind_up()

    def _framed(self, event: Event, at: int) -> Frames:
        """Return what is to be sent; a play without a number of its own is for its player alone."""
        is_whispered, self._last_seq = event.seq == self._last_seq, event.seq
        return Frames(event, at, event.seat if is_whispered and isinstance(event, Played) else None)

    def _wind_up(self) -> None:
        """Wake when the table has something to do next; most plays do not change when that is."""
        self._alarm.set(None if self._is_halted or self._is_stopped else self.table.due)

    def _tick(self) -> None:
        """Do the first thing that is due, after all that was read; the other tables come before the next."""
        self._empty_inbox()
        now, due = self._clock(), self.table.due
        if due is not None and due <= now and not self._is_stopped:
            self._note(self.table.step(now), due)
        if self.table.is_settling:  # nobody is told of a seat's cards before the others are
            self._wind_up()
        else:
            self._publish([], now)
