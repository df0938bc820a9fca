"""The broadcast: who receives what of a table, and in which order.

Everything reaches a listener in the order of judging. Events and answers wait until the end of the loop's
turn, and everything of one turn goes out in one write.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Final

import msgpack

from racing_demon_protocol.enums import CloseCode
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages.client import Command
from racing_demon_protocol.wire.messages.events import Dealt, Event, Left, OptionsSet
from racing_demon_protocol.wire.messages.server import Accepted, CaughtUp, Refused, Snapshot, Watchers
from racing_demon_protocol.wire.options import Options
from racing_demon_server.frames import Alone, Batch, Framed, Frames, Listener, Packed
from racing_demon_server.match.seat_tokens import Actor

from .observer import Observer
from .read_model import CommittedTable
from .spectators import Backlog, Spectators, is_second_deal

COUNT_SECONDS: Final = 0.3
"""Spectators who come and go within this time are counted together."""
NOBODY_LOOKS_ON: Final = "The host no longer allows spectators."


GROUP: Final = 64
"""Events that are joined once they are not the newest."""
LONGEST: Final = 65_536
"""The most bytes sent to a client that resumes: twice those of 2,048 plays. Chat may be much longer."""


class RecentEvents:
    """The newest events, as bytes, for clients that resume.

    All but the newest are joined in groups, which takes a third of the memory.

    Args:
        most: how many to give back; some more may be kept.

    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._groups: deque[bytes] = deque(maxlen=-(-most // GROUP))
        self._fresh: deque[bytes] = deque()
        self._newest = 0
        self._whispered = 0

    def add(self, frames: Sequence[Frames]) -> None:
        """Keep events. Of plays that were sent to their players only, keep that there were some."""
        for each in frames:
            if each.seat is None:
                self._fresh.append(each.packed)
            else:
                self._whispered = each.event.seq
            if _ends_privacy(each.event):
                self._whispered = each.event.seq - 1
        self._newest = frames[-1].event.seq  # that of the event before, for a play to one player
        while len(self._fresh) >= GROUP:
            self._groups.append(msgpack.packb([self._fresh.popleft() for _ in range(GROUP)]))

    def passed_on(self, log: Iterable[Frames]) -> Iterator[tuple[Event, int]]:
        """Keep the events of a log one by one, and yield each with its time."""
        for frames in log:
            self.add([frames])
            yield frames.event, frames.at

    def since(self, seq: int) -> Batch | None:
        """Return the events after one; ``None`` if one is missing, or was a play without a number.

        Also ``None`` if they are too long for a listener's buffer: a snapshot is shorter then.
        """
        before = self._newest - len(self._fresh) - GROUP * len(self._groups)
        oldest = max(before, self._newest - self._most)
        if not (oldest <= seq <= self._newest and self._whispered < seq):
            return None
        known = seq - before
        skipped = min(known // GROUP, len(self._groups))
        grouped = [each for group in islice(self._groups, skipped, None) for each in msgpack.unpackb(group)]
        missed = [*grouped, *self._fresh][known - GROUP * skipped :]
        if sum(map(len, missed)) > LONGEST:
            return None
        return Batch([Packed(each) for each in missed])


class Broadcast:
    """The listeners of one table.

    Attributes:
        speakers: the connection of each actor.
        listeners: the players' connections.
        spectators: the spectators.

    Args:
        shown: the committed table.
        kept: its newest events.
        clock: the clock, in microseconds.
        observers: observers of the table.
        backlog: bounds what waits for delayed spectators.

    """

    def __init__(
        self,
        shown: CommittedTable,
        kept: RecentEvents,
        clock: Callable[[], int],
        observers: Sequence[Observer],
        backlog: Backlog,
    ) -> None:
        self.speakers: dict[Actor, Listener] = {}
        self.listeners: dict[Listener, None] = {}  # in order of arrival
        self.spectators = Spectators(shown, clock, backlog)
        self._shown = shown
        self._kept = kept
        self._clock = clock
        self._observers = observers
        self._loop = asyncio.get_running_loop()
        self._unsent: list[Frames] = []
        self._asides: dict[Listener, list[tuple[int, Framed]]] = {}
        self._counting: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self.listeners) + len(self.spectators)

    # Joining and leaving.

    def watch(self, listener: Listener) -> None:
        """Send a spectator the table, and then every event."""
        self.spectators.add(listener)
        self._count_watchers()

    def count_relayed(self, relay: Listener, count: int) -> None:
        """Count the spectators of a relay, which is itself a spectator, in its place."""
        if self.spectators.count_relayed(relay, count):
            self._count_watchers()

    def take_seat(self, listener: Listener, actor: Actor) -> Listener | None:
        """Make a listener the connection of an actor, and return the previous one: the newest wins."""
        self.send_out()
        previous = self.speakers.get(actor)
        self.speakers[actor] = listener
        if previous is not None:
            self.listeners.pop(previous, None)
        return previous

    def catch_up(self, listener: Listener, seq: int, actor: Actor = None) -> None:
        """Send a listener what it missed since an event, or a snapshot, and then every event.

        It also receives the number of spectators, if there are any. Plays that were sent to one player are
        not kept. If there may be any, the listener gets a snapshot of what its actor may see, which does
        not reveal whether others have played.
        """
        self.send_out()  # what it catches up with is not sent again
        view = self._shown.view
        missed = None if view.is_private or view.is_redrawn else self._kept.since(seq)
        if missed is None:
            listener.reply(self._snapshot_for(actor))
        else:
            listener.send(missed)
        listener.reply(CaughtUp(seq=self._shown.view.seq))
        self.listeners[listener] = None
        if self.spectators:
            listener.reply(Watchers(count=self.spectators.people))

    def _snapshot_for(self, actor: Actor) -> Snapshot:
        elapsed_ms = self._shown.hand_clock.elapsed_ms(self._shown.certain(self._clock()))
        return self._shown.view.snapshot_for(actor, elapsed_ms)

    def discard(self, listener: Listener) -> None:
        """Remove a listener whose connection is lost."""
        self.listeners.pop(listener, None)
        if listener in self.spectators:
            self.spectators.discard(listener)
            self._count_watchers()

    def follow(self, event: Event, options: Options) -> Callable[[], None] | None:
        """Apply an event to the connections. Return what closes some of them after it is sent."""
        match event:
            case OptionsSet() if not event.options.spectators:
                return self.close_gallery
            case Left():
                return self._part(event, options)
        return None

    def _part(self, event: Left, options: Options) -> Callable[[], None] | None:
        """Return what happens to the connection of a player who left, if anything."""
        listener = self.speakers.pop(event.seat, None)
        if listener is None:
            return None
        if event.kicked:
            return partial(self.send_away, listener, CloseCode.KICKED, "The host kicked you.")
        if options.spectators and not options.watch_delay_ms:
            return partial(self.make_spectator, listener)
        return partial(self.send_away, listener, CloseCode.GOOD_BYE, "You have left the table.")

    def send_away(self, listener: Listener, code: CloseCode, text: str) -> None:
        """Close the connection of a player who may not stay, after everything was sent."""
        self.send_out()
        self.listeners.pop(listener, None)
        listener.close(code, text)

    def send_all_away(self, code: CloseCode, text: str) -> None:
        """Close all connections, because the table moves to another server."""
        self.send_out()
        for listener in {*self.listeners, *self.speakers.values(), *self.spectators}:
            listener.close(code, text)

    def make_spectator(self, listener: Listener) -> None:
        """Make a spectator of a player who left, and has received everything so far."""
        self.send_out()
        if listener in self.listeners:  # else the connection is lost already
            del self.listeners[listener]
            self.spectators.take_over(listener)
            self._count_watchers()

    def close_gallery(self) -> None:
        """Close the connections of all spectators, because the host allows none any more."""
        self.send_out()
        for listener in self.spectators:
            self.spectators.discard(listener)
            listener.close(CloseCode.KICKED, NOBODY_LOOKS_ON)
        self._count_watchers()

    def close(self) -> None:
        """Stop the timers."""
        self.spectators.close()
        if self._counting is not None:
            self._counting.cancel()

    # Sending.

    def tell(self, frames: Sequence[Frames]) -> None:
        """Send events to everybody, or to their players only, in one write with everything of this turn."""
        self._kept.add(frames)
        for each in frames:
            if each.seat is not None:
                self._tell_each(frames)
                return
        self._tell_all(frames)

    def _tell_each(self, frames: Sequence[Frames]) -> None:
        """Send events one by one, because some are not for everybody."""
        for each in frames:
            if each.seat is None:
                self._tell_all([each])
            else:
                self._whisper(each, each.seat)

    def _tell_all(self, frames: Sequence[Frames]) -> None:
        self._send_soon()
        self._unsent += frames
        self.spectators.publish(frames)
        events = [each.event for each in frames]
        for observer in self._observers:
            observer.published(self._shown, events)
        if is_second_deal(frames, self._shown):
            for actor, listener in self.speakers.items():
                if listener in self.listeners:
                    self._send_aside(listener, Alone(self._snapshot_for(actor)))

    def _whisper(self, frames: Frames, seat: int) -> None:
        """Send a play to its player only."""
        listener = self.speakers.get(seat)
        if listener in self.listeners:
            self._send_aside(listener, frames)

    def reply(self, listener: Listener, message: Message) -> None:
        """Send a message to one listener, after the events before it, in the same write."""
        self._send_aside(listener, Alone(message))

    def answer(self, sender: Listener, command: Command, reply: Accepted | Refused, arrived: int) -> None:
        """Answer a command that arrived at a moment."""
        for observer in self._observers:
            observer.answered(self._shown, command, reply, self._clock() - arrived)
        self.reply(sender, reply)

    def count(self, accepted: Sequence[int]) -> None:
        """Count plays that arrived at these moments and are sent now."""
        now = self._clock()
        for observer in self._observers:
            observer.carried_out(self._shown, [now - arrived for arrived in accepted])

    def _send_aside(self, listener: Listener, said: Framed) -> None:
        self._send_soon()
        self._asides.setdefault(listener, []).append((len(self._unsent), said))

    def _send_soon(self) -> None:
        if not self._unsent and not self._asides:
            self._loop.call_soon(self.send_out)

    def send_out(self) -> None:
        """Send everything that waits: events to the players, and to each listener its own messages."""
        unsent, self._unsent = self._unsent, []
        asides, self._asides = self._asides, {}
        if unsent:
            batch = Batch(unsent)
            listeners = [*self.listeners]
            if asides:
                listeners = [each for each in listeners if each not in asides]
            for listener in listeners:
                listener.send(batch)
        for listener, said in asides.items():
            events = unsent if listener in self.listeners else []
            listener.send(Batch(list(_in_turn(events, said))))

    def show_all(self) -> None:
        """Send everything at once, to spectators as well, because the table closes."""
        self.send_out()
        self.spectators.hurry()

    def announce(self, message: Message) -> None:
        """Send a message that is not an event to players and spectators."""
        self.send_out()
        for listener in [*self.listeners, *self.spectators]:
            listener.reply(message)

    def _count_watchers(self) -> None:
        """Send everybody the number of spectators, soon: once for all who come and go until then."""
        if self._counting is None:
            self._counting = self._loop.call_later(COUNT_SECONDS, self._tell_watchers)

    def _tell_watchers(self) -> None:
        self._counting = None
        self.announce(Watchers(count=self.spectators.people))


def _ends_privacy(event: Event) -> bool:
    """Tell whether layouts may have been private before an event, and are public after it.

    A client that resumes from before such an event gets a snapshot: otherwise the kind of answer would reveal
    whether others have played.
    """
    # Asked of every play, where `isinstance` would ask the metaclass of the models.
    return type(event) is OptionsSet or (type(event) is Dealt and len(event.seats) == 1)


def _in_turn(frames: Sequence[Frames], asides: Sequence[tuple[int, Framed]]) -> Iterator[Framed]:
    """Yield events and what is said between them, each after as many events as it says."""
    sent = 0
    for place, said in asides:
        yield from frames[sent:place]
        yield said
        sent = place
    yield from frames[sent:]
