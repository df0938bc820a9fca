"""A room: one table, and everybody who listens to it. The thin shell that keeps the table's time.

Commands that wait are taken in rounds: the first of each connection, then the second of each. So no
connection that keeps its socket full overtakes the earlier play of a quiet one. From the inbox to the
log there is no ``await``.
"""

import asyncio
import random
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from racing_demon_protocol.messages.client import Command
from racing_demon_protocol.messages.events import Connected, Event, Joined, Left, StoodIn
from racing_demon_protocol.messages.server import Accepted, Refused, Watchers
from racing_demon_protocol.options import Options
from racing_demon_protocol.reasons import CloseCode, Reason

from .bots import LEVELS, Bot
from .claims import Actor
from .gallery import Gallery
from .listener import Frames, Listener
from .lock import Lock
from .observer import Observer
from .table import Table

__all__ = ["Clock", "Room"]

Clock = Callable[[], int]
"""Returns the microseconds on one rising clock."""

COUNT_SECONDS: Final = 0.3

BOT_START_SPREAD_MS: Final = 400
"""Bots look up at slightly different times at first, as people do."""


class Waiting(NamedTuple):
    """A command in the inbox."""

    round: int
    sender: Listener
    actor: Actor
    command: Command
    arrived: int


class Room:
    """One table and its listeners.

    Attributes:
        table: the table.
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

    Raises:
        CommandRefused: the options cannot be played.

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
    ) -> None:
        self.table = Table(code, options, seeds)
        self.table.view.locked = lock is not None and lock.is_locked
        self.listeners: set[Listener] = set()
        self._speakers: dict[Actor, Listener] = {}
        self.gallery = Gallery(self.table.view, self.table.elapsed_ms, clock)
        self._lock = lock
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._inbox: list[Waiting] = []
        self._kept: deque[Event] = deque(maxlen=kept_events)
        self._timer: asyncio.TimerHandle | None = None
        self._bots: dict[int, asyncio.TimerHandle] = {}
        self._bot_speed = bot_speed
        self._bot_seed = bot_seed
        self._observers = observers
        self._counting: asyncio.TimerHandle | None = None

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
        seat, events = self.table.join(name, token_hash, self._clock())
        self._publish(events)
        return seat

    def take_seat(self, listener: Listener, actor: Actor) -> Listener | None:
        """Let a listener speak for an actor, and return the one that did before: the newest wins."""
        previous = self._speakers.get(actor)
        self._speakers[actor] = listener
        if previous is not None:
            self.listeners.discard(previous)
        return previous

    def connect(self, actor: Actor) -> None:
        """Tell everybody that an actor is there."""
        self._publish(self.table.connect(actor, connected=True, at=self._clock()))

    def leave(self, listener: Listener, actor: Actor) -> None:
        """Forget a listener whose connection is lost; its seat stays, unless it was taken up again."""
        self.listeners.discard(listener)
        if listener in self.gallery:
            self.gallery.discard(listener)
            self._count_watchers()
        if self._speakers.get(actor) is listener:
            del self._speakers[actor]
            self._publish(self.table.connect(actor, connected=False, at=self._clock()))

    def put(self, sender: Listener, actor: Actor, command: Command, arrived: int, round_: int) -> None:
        """Put a command into the inbox; all that arrived together are judged together, in rounds."""
        if not self._inbox:
            self._loop.call_soon(self._empty_inbox)
        self._inbox.append(Waiting(round_, sender, actor, command, arrived))

    def catch_up(self, listener: Listener, seq: int) -> None:
        """Give a listener what it has missed since an event, or all of the table; then every event."""
        view = self.table.view
        oldest = self._kept[0].seq if self._kept else view.seq + 1
        if 0 < seq <= view.seq and oldest <= seq + 1:
            for event in self._kept:
                if event.seq > seq:
                    listener.reply(event)
        else:
            listener.reply(view.snapshot(self.table.elapsed_ms(self._clock())))
        self.listeners.add(listener)

    def close(self) -> None:
        """Stop the clockwork."""
        self.gallery.close()
        for handle in [self._timer, self._counting, *self._bots.values()]:
            if handle is not None:
                handle.cancel()
        self._bots.clear()

    # The clockwork.

    def _empty_inbox(self) -> None:
        waiting, self._inbox = self._inbox, []
        waiting.sort(key=lambda item: item.round)
        for item in waiting:
            reply: Accepted | Refused | None
            if self._speakers.get(item.actor) is item.sender:
                reply = self._judge(item.actor, item.command, item.arrived)
                for observer in self._observers:
                    observer.answered(self.table, item.command, reply, self._clock() - item.arrived)
            else:  # the seat changed hands while this waited
                text = "You do not speak for this seat any more."
                reply = Refused(counter=item.command.counter, reason=Reason.NOT_SEATED, text=text)
            if reply is not None:
                item.sender.reply(reply)

    def _judge(self, actor: Actor, command: Command, at: int) -> Accepted | Refused | None:
        if actor not in self.table.claims:
            text = "You have left this table."
            return Refused(counter=command.counter, reason=Reason.NOT_SEATED, text=text)
        answer = self.table.receive(actor, command, at)
        self._publish(answer.events)
        return answer.reply

    def _publish(self, events: list[Event]) -> None:
        """Send events to everybody, each encoded once for each encoding, and keep the time."""
        for event in events:
            self._kept.append(event)
            frames = Frames(event)
            for listener in tuple(self.listeners):
                listener.send([frames])
            self.gallery.publish(frames)
            for observer in self._observers:
                observer.published(self.table, event)
            self._follow(event)
        self._wind_up()

    def _follow(self, event: Event) -> None:
        """Do what an event means for connections and bots."""
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
                speaker = self._speakers.pop(event.seat, None) if event.kicked else None
                if speaker is not None:
                    self.listeners.discard(speaker)
                    speaker.close(CloseCode.KICKED, "The host sent you away from the table.")

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
        """Wake when the table has something to do next."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        due = self.table.due
        if due is not None:
            self._timer = self._loop.call_later(max(0, due - self._clock()) / 1_000_000, self._tick)

    def _tick(self) -> None:
        self._publish(self.table.tick(self._clock()))

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
        if command is not None:
            self._judge(bot.seat, command, self._clock())
        if bot.seat in self._bots:
            decision, wait_ms = bot.decide(self.table.view)
            delay = wait_ms / 1_000 / self._bot_speed
            self._bots[bot.seat] = self._loop.call_later(delay, self._move_bot, bot, decision)
