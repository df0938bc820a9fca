"""The broadcast: who hears what of a table, and in which order.

Everything reaches a listener in the order in which it was judged. Events wait until the end of the loop's
turn, and so do answers and whatever else is for one listener alone: all of one turn go out in one write.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import Final

import msgpack

from racing_demon_protocol.reasons import CloseCode
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages.client import Command
from racing_demon_protocol.wire.messages.events import Dealt, Event, Joined, Left, OptionsSet
from racing_demon_protocol.wire.messages.server import Accepted, CaughtUp, Refused, Watchers
from racing_demon_protocol.wire.options import Options
from racing_demon_server.frames import Alone, Batch, Framed, Frames, Listener, Packed
from racing_demon_server.match.seat_tokens import Actor

from .backlog import Backlog
from .committed import CommittedTable
from .observer import Observer
from .spectators import Spectators

__all__ = ["Broadcast", "RecentEvents"]

COUNT_SECONDS: Final = 0.3
"""Spectators who come and go within this time are counted together."""
NOBODY_LOOKS_ON: Final = "The host wants nobody to look on any more."


GROUP: Final = 64
"""So many events are put together once they are not the very newest."""
LONGEST: Final = 65_536
"""So many bytes are told again at most: twice as many as 2,048 plays have; chat may be much longer."""


class RecentEvents:
    """The newest events, for those who come back: as bytes, which are small and nobody looks through.

    Those that are not the very newest are put together in groups: each alone would take three times as much.

    Args:
        most: how many to keep; where they come in groups, the last of them may be more.

    """

    def __init__(self, most: int) -> None:
        self._groups: deque[bytes] = deque(maxlen=-(-most // GROUP))
        self._fresh: deque[bytes] = deque(maxlen=most if most < GROUP else None)
        self._newest = 0
        self._whispered = 0

    def add(self, frames: Sequence[Frames]) -> None:
        """Keep events; of plays that are told to their players alone only that there were some."""
        for each in frames:
            if each.seat is None:
                self._fresh.append(each.packed)
            else:
                self._whispered = each.event.seq
            if _ends_privacy(each.event):
                self._whispered = each.event.seq - 1
        self._newest = frames[-1].event.seq  # that of the event before, where it is a play for one alone
        while len(self._fresh) >= GROUP:
            self._groups.append(msgpack.packb([self._fresh.popleft() for _ in range(GROUP)]))

    def passed_on(self, log: Iterable[Frames]) -> Iterator[tuple[Event, int]]:
        """Keep the events of a log, one by one, and yield each with its time."""
        for frames in log:
            self.add([frames])
            yield frames.event, frames.at

    def since(self, seq: int) -> Batch | None:
        """Return the events after one; ``None`` where one, or a play without a number, is not kept.

        Nor are they returned where they are so long that they would fill the way to a listener: all of the
        table is shorter then.
        """
        before = self._newest - len(self._fresh) - GROUP * len(self._groups)
        if not (0 < seq <= self._newest and before <= seq and self._whispered < seq):
            return None
        known = seq - before
        skipped = min(known // GROUP, len(self._groups))
        grouped = [each for group in islice(self._groups, skipped, None) for each in msgpack.unpackb(group)]
        missed = [*grouped, *self._fresh][known - GROUP * skipped :]
        if sum(map(len, missed)) > LONGEST:
            return None
        return Batch([Packed(each) for each in missed])


class Broadcast:
    """Everybody who listens to one table.

    Attributes:
        speakers: who speaks for which seat.
        listeners: the players who get its events.
        spectators: the spectators.

    Args:
        shown: the table, as everybody sees it.
        kept: its newest events.
        clock: tells the time, in microseconds.
        observers: who else is told what happens.
        backlog: counts what waits for spectators who see tables later.

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
        self.listeners: dict[Listener, None] = {}  # in the order in which they came
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

    # Coming and going.

    def watch(self, listener: Listener) -> None:
        """Show a spectator the table, and from then on every event."""
        self.spectators.add(listener)
        self._count_watchers()

    def take_seat(self, listener: Listener, actor: Actor) -> Listener | None:
        """Let a listener speak for an actor, and return the one that did before: the newest wins."""
        self.send_out()
        previous = self.speakers.get(actor)
        self.speakers[actor] = listener
        if previous is not None:
            self.listeners.pop(previous, None)
        return previous

    def catch_up(self, listener: Listener, seq: int, actor: Actor = None) -> None:
        """Give a listener what it has missed since an event, or all of the table; then every event.

        How many watch is told where anybody does; whoever comes back knows of nobody.
        Of plays that are told to their players alone none is kept here: where there may be such, it is all
        of the table, as the actor may see it; whether others have made any is not to be guessed from that.
        """
        self.send_out()  # what is caught up with is not sent again
        missed = None if self._shown.view.is_private else self._kept.since(seq)
        if missed is None:
            elapsed_ms = self._shown.hand_clock.elapsed_ms(self._shown.certain(self._clock()))
            listener.reply(self._shown.view.snapshot_for(actor, elapsed_ms))
        else:
            listener.send(missed)
        listener.reply(CaughtUp(seq=self._shown.view.seq))
        self.listeners[listener] = None
        if self.spectators:
            listener.reply(Watchers(count=len(self.spectators)))

    def discard(self, listener: Listener) -> None:
        """Forget a listener whose connection is lost."""
        self.listeners.pop(listener, None)
        if listener in self.spectators:
            self.spectators.discard(listener)
            self._count_watchers()

    def follow(self, event: Event, options: Options) -> Callable[[], None] | None:
        """Do what an event means for connections; return what ends some of them when all is told."""
        match event:
            case Joined():
                self.speakers.pop(event.seat, None)
            case OptionsSet() if not event.options.spectators:
                return self.close_gallery
            case Left():
                return self._part(event, options)
        return None

    def _part(self, event: Left, options: Options) -> Callable[[], None] | None:
        """Return what becomes of the connection of somebody who has left: a spectator's, or none."""
        listener = self.speakers.pop(event.seat, None)
        if listener is None:
            return None
        if event.kicked:
            return partial(
                self.send_away, listener, CloseCode.KICKED, "The host sent you away from the table."
            )
        if options.spectators and not options.watch_delay_ms:
            return partial(self.look_on, listener)
        return partial(self.send_away, listener, CloseCode.GOOD_BYE, "You have left the table.")

    def send_away(self, listener: Listener, code: CloseCode, text: str) -> None:
        """End the connection of somebody who is to hear no more, when all is told."""
        self.send_out()
        self.listeners.pop(listener, None)
        listener.close(code, text)

    def look_on(self, listener: Listener) -> None:
        """Make a spectator of a player who has left, and has heard everything until now."""
        self.send_out()
        if listener in self.listeners:  # else the connection is lost already
            del self.listeners[listener]
            self.spectators.take_over(listener)
            self._count_watchers()

    def close_gallery(self) -> None:
        """End the connections of all spectators, as the host wants nobody to look on any more."""
        self.send_out()
        for listener in self.spectators:
            self.spectators.discard(listener)
            listener.close(CloseCode.KICKED, NOBODY_LOOKS_ON)
        self._count_watchers()

    def close(self) -> None:
        """Stop the clockwork."""
        self.spectators.close()
        if self._counting is not None:
            self._counting.cancel()

    # Telling.

    def tell(self, frames: Sequence[Frames]) -> None:
        """Let everybody know of events, or their players alone: soon, in one write with all of this turn."""
        self._kept.add(frames)
        for each in frames:
            if each.seat is not None:
                self._tell_each(frames)
                return
        self._tell_all(frames)

    def _tell_each(self, frames: Sequence[Frames]) -> None:
        """Tell events one by one, as some of them are not for everybody."""
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

    def _whisper(self, frames: Frames, seat: int) -> None:
        """Send a play to its player alone."""
        listener = self.speakers.get(seat)
        if listener in self.listeners:
            self._send_aside(listener, frames)

    def reply(self, listener: Listener, message: Message) -> None:
        """Say something to a listener alone, after the events that were told before, and with them."""
        self._send_aside(listener, Alone(message))

    def answer(self, sender: Listener, command: Command, reply: Accepted | Refused, arrived: int) -> None:
        """Answer a command that arrived at a moment."""
        for observer in self._observers:
            observer.answered(self._shown, command, reply, self._clock() - arrived)
        self.reply(sender, reply)

    def count(self, accepted: Sequence[int]) -> None:
        """Count plays that arrived at these moments and are told now."""
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
        """Send what waits: to the players the events, and to each listener what is for it alone."""
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
        """Send at once all that is told, to spectators as well: the table is to be closed."""
        self.send_out()
        self.spectators.hurry()

    def announce(self, message: Message) -> None:
        """Say something that is no event to players and spectators."""
        self.send_out()
        for listener in [*self.listeners, *self.spectators]:
            listener.reply(message)

    def _count_watchers(self) -> None:
        """Tell everybody soon how many watch: once, however many come and go until then."""
        if self._counting is None:
            self._counting = self._loop.call_later(COUNT_SECONDS, self._tell_watchers)

    def _tell_watchers(self) -> None:
        self._counting = None
        self.announce(Watchers(count=len(self.spectators)))


def _ends_privacy(event: Event) -> bool:
    """Tell whether layouts may have been private before an event, and are not any more.

    Nobody is told only the events since one before it: whether they can be would tell who has played since.
    """
    return isinstance(event, OptionsSet) or (isinstance(event, Dealt) and len(event.seats) == 1)


def _in_turn(frames: Sequence[Frames], asides: Sequence[tuple[int, Framed]]) -> Iterator[Framed]:
    """Yield events and what is said between them, each after as many events as it says."""
    told = 0
    for place, said in asides:
        yield from frames[told:place]
        yield said
        told = place
    yield from frames[told:]
