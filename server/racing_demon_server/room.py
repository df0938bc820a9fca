"""A room: one table, and everybody who listens to it. The thin shell that keeps the table's time.

Commands that wait are taken in rounds: the first of each connection, then the second of each. So no
connection that keeps its socket full overtakes the earlier play of a quiet one. From the inbox to the
log there is no ``await``.
"""

import asyncio
import random
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, Protocol

from racing_demon_protocol.codec import Encoding, encode
from racing_demon_protocol.messages import Message
from racing_demon_protocol.messages.client import Command
from racing_demon_protocol.messages.events import Event, Joined, Left
from racing_demon_protocol.messages.server import Accepted, Refused
from racing_demon_protocol.options import Options
from racing_demon_protocol.reasons import CloseCode, Reason

from .bots import LEVELS, Bot
from .claims import Actor
from .observer import Observer
from .table import Table

__all__ = ["Clock", "Listener", "Room"]

Clock = Callable[[], int]
"""Returns the microseconds on one rising clock."""

BOT_START_SPREAD_MS: Final = 400
"""Bots look up at slightly different times at first, as people do."""


class Listener(Protocol):
    """Whoever gets a table's events: a connection, in whichever encoding."""

    encoding: Encoding

    def send_frame(self, frame: bytes | str) -> None:
        """Send a frame that is encoded already."""

    def reply(self, message: Message) -> None:
        """Send a message to this listener alone."""

    def close(self, code: CloseCode, reason: str) -> None:
        """End the connection with a sentence for its user."""


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
        listeners: those who get its events.

    Args:
        code: the table's code.
        options: its options.
        seeds: gives 32 secret bytes for each hand.
        clock: tells the time.
        bot_speed: bots think so many times faster than people.
        bot_seed: what the bots' chances follow from.
        kept_events: how many events to keep for those who come back.
        observers: who else is told what happens.

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
    ) -> None:
        self.table = Table(code, options, seeds)
        self.listeners: set[Listener] = set()
        self._speakers: dict[Actor, Listener] = {}
        self._clock = clock
        self._loop = asyncio.get_running_loop()
        self._inbox: list[Waiting] = []
        self._kept: deque[Event] = deque(maxlen=kept_events)
        self._timer: asyncio.TimerHandle | None = None
        self._bots: dict[int, asyncio.TimerHandle] = {}
        self._bot_speed = bot_speed
        self._bot_seed = bot_seed
        self._observers = observers

    # What connections ask for.

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
        for handle in [self._timer, *self._bots.values()]:
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
            frames: dict[Encoding, bytes | str] = {}
            for listener in tuple(self.listeners):
                frame = frames.get(listener.encoding)
                if frame is None:
                    frame = frames[listener.encoding] = encode(event, listener.encoding)
                listener.send_frame(frame)
            for observer in self._observers:
                observer.published(self.table, event)
            if isinstance(event, Joined):
                self._speakers.pop(event.seat, None)  # whoever had it before has left it, and may look on
                if event.bot:
                    self._start_bot(event.seat, event.bot)
            elif isinstance(event, Left) and event.seat in self._bots:
                self._bots.pop(event.seat).cancel()
        self._wind_up()

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

    def _start_bot(self, seat: int, level: str) -> None:
        rng = random.Random(self._bot_seed + bytes([seat]))  # noqa: S311 - thinking times, not cards
        bot = Bot(seat, LEVELS[level], rng)
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
