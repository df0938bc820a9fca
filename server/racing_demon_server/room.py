"""A room: one table, and everybody who listens to it. The thin shell that keeps the table's time.

Commands that wait are taken in rounds: the first of each connection, then the second of each. So no
connection that keeps its socket full overtakes the earlier play of a quiet one. From the inbox to the
log there is no ``await``.

With a journal the judge is ahead of what everybody sees: an event, and the answer to a command, is told when
it is written down, and everything is told in the order in which it was judged.
"""

import asyncio
import random
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Final, NamedTuple

from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.messages.client import Command
from racing_demon_protocol.messages.events import (
    Committed,
    Connected,
    Event,
    HandOver,
    Joined,
    Left,
    Played,
    StoodIn,
)
from racing_demon_protocol.messages.server import Accepted, Halted, Refused, Seated, Snapshot, Watchers
from racing_demon_protocol.options import Options
from racing_demon_protocol.reasons import CloseCode, Phase, Reason

from .bots import LEVELS, Bot
from .claims import Actor
from .gallery import Gallery
from .journal.keeping import TableJournal
from .listener import Batch, Frames, Listener, Packed
from .lock import Lock
from .observer import Observer, Shown
from .table import Past, Table

__all__ = ["Clock", "Room"]

Clock = Callable[[], int]
"""Returns the microseconds on one rising clock."""

COUNT_SECONDS: Final = 0.3

HALTED: Final = "The server's disk takes nothing just now, so nothing can be played; it goes on by itself."

BOT_START_SPREAD_MS: Final = 400
"""Bots look up at slightly different times at first, as people do."""


class Waiting(NamedTuple):
    """A command in the inbox."""

    round: int
    sender: Listener
    actor: Actor
    command: Command
    arrived: int


class Published:
    """A table as everybody sees it: some moments behind the judge's, with what is written down."""

    def __init__(self, table: Table) -> None:
        self.view = table.view.copy()
        self.elapsed_ms = table.elapsed_ms


class Room:
    """One table and its listeners.

    Attributes:
        table: the table, as its judge knows it.
        shown: the table, as everybody sees it.
        journal: where the table is kept, if it is.
        listeners: the players who get its events.
        gallery: the spectators.

    Args:
        code: the table's code.
        options: its options.
        seeds: gives 32 secret bytes for each hand.
        clock: tells the time.
        bot_speed: bots think so many times faster than people.
        bot_seed: what the bots' chances follow from.
        kept_events: how many events to keep for those who come back.
        observers: who else is told what happens.
        lock: asks for the passphrase.
        journal: where the table is kept; ``None`` keeps it in memory alone, and tells everything at once.
        past: what is kept of the table from before the server was started anew.

    Raises:
        CommandRefused: the options cannot be played.
        InconsistentEvent: the past does not fit together.
        InvalidGame: a game of the past is not known here.

    """

    def __init__(  # noqa: PLR0913
        self,
        code: str,
        options: Options,
        seeds: Iterator[bytes],
        clock: Clock,
        *,
        bot_speed: float,
        bot_seed: bytes,
        kept_events: int,
        observers: Sequence[Observer] = (),
        lock: Lock | None = None,
        journal: TableJournal | None = None,
        past: Past | None = None,
    ) -> None:
        self._drawn: list[bytes] = []
        self._kept: deque[bytes] = deque(maxlen=kept_events)
        self._told = 0
        self._whispered = 0
        self.table = Table(code, options, self._noted(seeds))
        self.table.view.locked = lock is not None and lock.is_locked
        if past is not None:
            self.table.restore(past._replace(log=self._remembered(past)))
        self._last_seq = self.table.view.seq
        self.shown: Shown = self.table if journal is None else Published(self.table)
        self.journal = journal
        self._unwritten = 0
        self._unsent: list[Frames] = []
        self.listeners: dict[Listener, None] = {}  # in the order in which they came
        self._speakers: dict[Actor, Listener] = {}
        self.gallery = Gallery(self.shown.view, self.table.elapsed_ms, clock)
        self._lock = lock
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._inbox: list[Waiting] = []
        self._is_halted = self._is_stopped = False
        self._timer: asyncio.TimerHandle | None = None
        self._due: int | None = None
        self._bots: dict[int, asyncio.TimerHandle] = {}
        self._bot_speed = bot_speed
        self._bot_seed = bot_seed
        self._observers = observers
        self._counting: asyncio.TimerHandle | None = None
        if past is not None:
            self._begin_again()

    @property
    def is_empty(self) -> bool:
        """Whether nobody listens."""
        return not self.listeners and not self.gallery

    # What connections ask for.

    def admit(self, passphrase: str) -> None:
        """Let somebody in.

        Raises:
            CommandRefused: the table asks for another passphrase.

        """
        if self._lock is not None:
            self._lock.verify(passphrase, self._clock())

    def watch(self, listener: Listener) -> None:
        """Show a spectator the table, and from then on every event."""
        self.gallery.add(listener)
        self._count_watchers()

    def join(self, name: str, token_hash: bytes) -> int:
        """Seat somebody and return the seat's number.

        Raises:
            CommandRefused: it cannot be.

        """
        if self._is_halted:
            raise CommandRefused(Reason.HALTED, HALTED)
        now = self._clock()
        seat, events = self.table.join(name, token_hash, now)
        self._publish(events, now)
        return seat

    def host(self, token_hash: bytes) -> None:
        """Let somebody be the host without a seat."""
        self.table.claims.add(None, token_hash)
        self._publish([], self._clock())

    def enter(self, listener: Listener, actor: Actor, seated: Seated, seq: int) -> None:
        """Tell a listener that the place is theirs, when it is certain; then what they miss."""
        self._when_written(partial(self._let_in, listener, actor, seated, seq))

    def _let_in(self, listener: Listener, actor: Actor, seated: Seated, seq: int) -> None:
        if self._speakers.get(actor) is listener:  # else it is gone already
            self._send_out()  # what is caught up with is not sent again
            listener.reply(seated)
            self.catch_up(listener, seq, actor)

    def take_seat(self, listener: Listener, actor: Actor) -> Listener | None:
        """Let a listener speak for an actor, and return the one that did before: the newest wins."""
        previous = self._speakers.get(actor)
        self._speakers[actor] = listener
        if previous is not None:
            self.listeners.pop(previous, None)
        return previous

    def connect(self, actor: Actor) -> None:
        """Tell everybody that an actor is there."""
        self._connect(actor, connected=True)

    def leave(self, listener: Listener, actor: Actor) -> None:
        """Forget a listener whose connection is lost; its seat stays, unless it was taken up again."""
        self.listeners.pop(listener, None)
        if listener in self.gallery:
            self.gallery.discard(listener)
            self._count_watchers()
        if self._speakers.get(actor) is listener:
            del self._speakers[actor]
            self._connect(actor, connected=False)

    def put(self, sender: Listener, actor: Actor, command: Command, arrived: int, round_: int) -> None:
        """Put a command into the inbox; all that arrived together are judged together, in rounds."""
        if not self._inbox:
            self._loop.call_soon(self._empty_inbox)
        self._inbox.append(Waiting(round_, sender, actor, command, arrived))

    def catch_up(self, listener: Listener, seq: int, actor: Actor = None) -> None:
        """Give a listener what it has missed since an event, or all of the table; then every event.

        Of plays that are told to their players alone none is kept here: where one may be missed, it is all
        of the table, as the actor may see it.
        """
        view = self.shown.view
        before = self._told - len(self._kept)
        if 0 < seq <= view.seq and before <= seq and self._whispered < seq:
            listener.send(Batch([Packed(each) for each in islice(self._kept, seq - before, None)]))
        else:
            listener.reply(view.snapshot_for(actor, self.table.elapsed_ms(self._clock())))
        self.listeners[listener] = None

    def close(self) -> None:
        """Stop the clockwork."""
        self.gallery.close()
        self.stop()
        if self._counting is not None:
            self._counting.cancel()

    # While nothing can be written, and around the server's own end.

    @property
    def is_halted(self) -> bool:
        """Whether the table stands still, because nothing can be written down."""
        return self._is_halted

    def halt(self, halted: bool) -> None:
        """Stand still until what happens can be written down again, and tell everybody; or go on."""
        self._is_halted = halted
        now = self._clock()
        self._publish(self.table.halt(now) if halted else self.table.resume(now), now)
        self._send_out()
        for listener in [*self.listeners, *self.gallery]:
            listener.reply(Halted(halted=halted))

    def stop(self) -> None:
        """Let nothing happen at the table any more: what comes from now on is sent again to the next one."""
        self._is_stopped = True
        for handle in [self._timer, *self._bots.values()]:
            if handle is not None:
                handle.cancel()
        self._bots.clear()

    def _remembered(self, past: Past) -> Iterator[tuple[Event, int]]:
        last = 0
        for event, at in past.log:
            if event.seq > last:
                self._keep(Frames(event))
            else:
                self._whispered = event.seq
            last = event.seq
            yield event, at

    def _begin_again(self) -> None:
        now = self._clock()
        self._publish(self.table.begin_again(now), now)
        for seat, state in self.table.view.seats.items():
            level = state.bot or state.stand_in
            if level and not state.left:
                self._start_bot(seat, level, self.table.claims.counter(seat))

    # The clockwork.

    def _empty_inbox(self) -> None:
        waiting, self._inbox = self._inbox, []
        waiting.sort(key=lambda item: item.round)
        for item in [] if self._is_stopped else waiting:
            if self._is_halted:
                self._put_off(item)
                continue
            if self._speakers.get(item.actor) is not item.sender:  # the seat changed hands while this waited
                text = "You do not speak for this seat any more."
            elif item.actor not in self.table.claims:
                text = "You have left this table."
            else:
                answer = self.table.receive(item.actor, item.command, item.arrived)
                self._publish(answer.events, item.arrived, partial(self._answer, item, answer.reply))
                continue
            refused = Refused(counter=item.command.counter, reason=Reason.NOT_SEATED, text=text)
            self._when_written(partial(self._answer, item, refused))

    def _put_off(self, item: Waiting) -> None:
        """Refuse a command while nothing can be written; nothing is remembered of it, and it may come again.

        One that was judged already may be about to be written down: its answer comes after that.
        """
        is_known = item.actor in self.table.claims and self._speakers.get(item.actor) is item.sender
        earlier = self.table.claims.earlier(item.actor, item.command.counter) if is_known else None
        if earlier is None:
            item.sender.reply(Refused(counter=item.command.counter, reason=Reason.HALTED, text=HALTED))
        else:
            self._when_written(partial(self._answer, item, earlier))

    def _answer(self, item: Waiting, reply: Accepted | Refused | None) -> None:
        for observer in self._observers:
            observer.answered(self.shown, item.command, reply, self._clock() - item.arrived)
        if reply is not None:
            self._send_out()
            item.sender.reply(reply)

    def _connect(self, actor: Actor, connected: bool) -> None:
        if not self._is_stopped:
            now = self._clock()
            self._publish(self.table.connect(actor, connected, now), now)

    def _publish(self, events: list[Event], at: int, then: Callable[[], None] | None = None) -> None:
        """Write down what has happened, and tell it when that is done; keep the time.

        Args:
            events: what has happened.
            at: when.
            then: what is to be done when everybody knows.

        """
        frames = [self._framed(event) for event in events]
        parting = [listener for event in events if (listener := self._follow(event)) is not None]
        if self.journal is None:
            self._tell(frames, parting, then)
            if then is None:
                self._send_out()  # no more of it comes in this turn
        else:
            told = partial(self._tell_late, frames, parting, then)
            self._unwritten += 1
            seeds, snapshot = self._seeds(events), self._snapshot(events)
            claims = self.table.claims.take_changed(with_plays=snapshot is not None)
            self.journal.keep(frames, at, seeds, claims, told, snapshot)
        self._wind_up()

    def _framed(self, event: Event) -> Frames:
        """Return what is to be sent; a play without a number of its own is for its player alone."""
        is_whispered = isinstance(event, Played) and event.seq == self._last_seq
        self._last_seq = event.seq
        return Frames(event, event.seat) if is_whispered and isinstance(event, Played) else Frames(event)

    def _noted(self, seeds: Iterator[bytes]) -> Iterator[bytes]:
        """Yield the hands' secrets, and note each for the journal."""
        for seed in seeds:
            self._drawn.append(seed)
            yield seed

    def _seeds(self, events: list[Event]) -> list[tuple[str, bytes]]:
        """Return the secrets of the hands that begin with these events, by the hands' ids."""
        drawn, self._drawn = self._drawn, []
        return list(zip((each.hand_id for each in events if isinstance(each, Committed)), drawn, strict=True))

    def _snapshot(self, events: list[Event]) -> Snapshot | None:
        """Return the table after a hand, for the journal; ``None`` while there is nothing new to keep."""
        at_rest = any(isinstance(each, HandOver) for each in events) and not self.table.view.in_hand
        at_rest = at_rest and self.table.view.phase is not Phase.COUNTDOWN
        return self.table.view.snapshot_for(None, 0) if at_rest else None

    def _when_written(self, then: Callable[[], None]) -> None:
        """Do something when all that has happened until now is told."""
        if self.journal is None or not self._unwritten:
            then()
        else:
            self._unwritten += 1
            self.journal.keep((), 0, (), (), partial(self._tell_late, [], [], then))

    def _tell_late(
        self, frames: list[Frames], parting: list[Listener], then: Callable[[], None] | None
    ) -> None:
        self._unwritten -= 1
        for each in frames:
            self.shown.view.apply(each.event)
            self._tell([each], [], None)
        self._tell([], parting, then)

    def _tell(self, frames: list[Frames], parting: list[Listener], then: Callable[[], None] | None) -> None:
        """Let everybody know of events: players soon, in one write with all of this turn of the loop."""
        for each in frames:
            if each.seat is not None:
                self._whisper(each, each.seat)
                continue
            if not self._unsent:
                self._loop.call_soon(self._send_out)
            self._unsent.append(each)
            self._keep(each)
            self.gallery.publish(each)
            for observer in self._observers:
                observer.published(self.shown, each.event)
        if parting:
            self._send_out()
        for listener in parting:
            self.listeners.pop(listener, None)
            listener.close(CloseCode.KICKED, "The host sent you away from the table.")
        if then is not None:
            then()

    def _keep(self, frames: Frames) -> None:
        """Keep an event for those who come back: as bytes, which are small and nobody looks through."""
        self._kept.append(frames.packed())
        self._told = frames.event.seq

    def _send_out(self) -> None:
        """Send the players what waits for them; before anything is said to one of them alone."""
        if self._unsent:
            batch, self._unsent = Batch(self._unsent), []
            for listener in tuple(self.listeners):
                listener.send(batch)

    def _whisper(self, frames: Frames, seat: int) -> None:
        """Send a play to its player alone."""
        self._whispered = frames.event.seq
        listener = self._speakers.get(seat)
        if listener in self.listeners:
            self._send_out()  # what was told before comes before
            listener.send(Batch([frames]))

    def _follow(self, event: Event) -> Listener | None:
        """Do what an event means for seats and bots; return whose connection ends when all is told."""
        match event:
            case Joined():
                self._speakers.pop(event.seat, None)  # whoever had it before has left it, and may look on
                if event.bot:
                    self._start_bot(event.seat, event.bot)
            case StoodIn():
                self._stop_bot(event.seat)
                self._start_bot(event.seat, event.bot, self.table.claims.counter(event.seat))
            case Connected(connected=True):
                self._stop_bot(event.seat)
            case Left():
                self._stop_bot(event.seat)
                return self._speakers.pop(event.seat, None) if event.kicked else None
        return None

    def _count_watchers(self) -> None:
        """Tell everybody soon how many watch: once, however many come and go until then."""
        if self._counting is None:
            self._counting = self._loop.call_later(COUNT_SECONDS, self._tell_watchers)

    def _tell_watchers(self) -> None:
        self._counting = None
        message = Watchers(count=len(self.gallery))
        for listener in [*self.listeners, *self.gallery]:
            listener.reply(message)

    def _wind_up(self) -> None:
        """Wake when the table has something to do next; most plays do not change when that is."""
        due = None if self._is_halted or self._is_stopped else self.table.due
        if due == self._due:
            return
        self._due = due
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if due is not None:
            self._timer = self._loop.call_later(max(0, due - self._clock()) / 1_000_000, self._tick)

    def _tick(self) -> None:
        self._timer = self._due = None
        now = self._clock()
        self._publish(self.table.tick(now), now)

    def _stop_bot(self, seat: int) -> None:
        if seat in self._bots:
            self._bots.pop(seat).cancel()

    def _start_bot(self, seat: int, level: str, counter: int = 0) -> None:
        rng = random.Random(self._bot_seed + bytes([seat]))  # noqa: S311 - thinking times, not cards
        bot = Bot(seat, LEVELS[level], rng, counter)
        self._bots[seat] = self._loop.call_later(
            rng.uniform(0, BOT_START_SPREAD_MS) / 1_000 / self._bot_speed, self._move_bot, bot, None
        )

    def _move_bot(self, bot: Bot, command: Command | None) -> None:
        if command is not None and bot.seat in self.table.claims and not self._is_halted:
            now = self._clock()
            self._publish(self.table.receive(bot.seat, command, now).events, now)
        if bot.seat in self._bots:
            decision, wait_ms = bot.decide(self.table.view)
            delay = wait_ms / 1_000 / self._bot_speed
            self._bots[bot.seat] = self._loop.call_later(delay, self._move_bot, bot, decision)
