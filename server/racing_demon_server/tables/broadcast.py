"""The broadcast: who receives what of a table, and in which order.

Listeners receive everything in the order in which it was judged. Events and answers wait until the end of the
loop's turn, and go out in one write.
"""

import asyncio
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import Final

from racing_demon_protocol.enums import CloseCode
from racing_demon_protocol.wire.capabilities import EXTENSIONS, HEARS_NOTICES, lacking, understands
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages.client import Command
from racing_demon_protocol.wire.messages.events import Event, Left, OptionsSet
from racing_demon_protocol.wire.messages.server import (
    Accepted,
    CaughtUp,
    Refused,
    ServerNotice,
    Snapshot,
    Watchers,
)
from racing_demon_protocol.wire.options import Options
from racing_demon_server.encoded_messages import Batch, DirectMessage, Encodable, EncodedEvent, Listener
from racing_demon_server.match.seat_tokens import Actor

from .failures import NOT_SENT, Failures
from .feed import Backlog, Feed, Turn
from .observer import Observer, tell
from .spectators import FairScheduler, Spectators, is_second_deal

COUNT_SECONDS: Final = 0.3
"""Changes of the number of spectators within this time are sent together."""
LEFT: Final = "You have left the table."
REMOVED: Final = "The host has removed you from the table."
NO_SPECTATORS: Final = "The host no longer allows spectators."


class Broadcast:
    """The listeners of one table.

    Attributes:
        connections: the connection of each actor.
        listeners: the players' connections.
        spectators: the spectators.

    Args:
        shown: the committed table.
        clock: the clock, in microseconds.
        observers: observers of the table.
        backlog: bounds what is held back from spectators.
        scheduler: gives spectators their turns.
        failures: counts what fails.

    """

    def __init__(  # noqa: PLR0913, PLR0917 - all that a room lends to its listeners
        self,
        shown: Feed,
        clock: Callable[[], int],
        observers: Sequence[Observer],
        backlog: Backlog,
        scheduler: FairScheduler,
        failures: Failures,
    ) -> None:
        self.connections: dict[Actor, Listener] = {}
        self.listeners: dict[Listener, None] = {}  # in order of arrival
        self.spectators = Spectators(shown, clock, backlog, scheduler, failures)
        self._shown = shown
        self._clock = clock
        self._observers = observers
        self._loop = asyncio.get_running_loop()
        self._unsent: list[EncodedEvent] = []
        self._direct: dict[Listener, list[tuple[int, Encodable]]] = {}
        self._counting: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self.listeners) + len(self.spectators)

    # Joining and leaving.

    def watch(self, listener: Listener) -> None:
        """Send a spectator the table, and then every event."""
        self.spectators.add(listener)
        self._count_watchers()

    def count_relayed(self, relay: Listener, count: int, lacks: Collection[str] = ()) -> None:
        """Count the spectators of a relay, which is itself a spectator, in its place.

        Args:
            relay: the relay.
            count: how many spectators it has.
            lacks: the extensions that some of their clients do not understand.

        """
        if self.spectators.count_relayed(relay, count, lacks):
            self._count_watchers()

    def who_lacks(self, words: Collection[str]) -> list[str]:
        """Return who has a client that does not understand all of these extensions."""
        seats = self._shown.view.seats
        names = [
            seats[actor].name if actor is not None and actor in seats else "the host"
            for actor, listener in self.connections.items()
            if lacking(listener.software, words)
        ]
        return [*names, *(["a spectator"] if self.spectators.lack(words) else [])]

    def take_seat(self, listener: Listener, actor: Actor) -> Listener | None:
        """Make a listener the connection of an actor, and return the previous one: the newest wins."""
        self.flush()
        previous = self.connections.get(actor)
        self.connections[actor] = listener
        if previous is not None:
            self.listeners.pop(previous, None)
        return previous

    def catch_up(self, listener: Listener, seq: int, actor: Actor = None) -> None:
        """Send a listener what it missed since an event, or a snapshot, and then every event.

        It also receives the number of spectators, if there are any. Plays that were sent to one player are
        not in the buffer. If there may be some, the listener gets a snapshot of what its actor may see, which
        does not reveal whether others have played.
        """
        self.flush()  # what it catches up on is not sent again
        view = self._shown.view
        # What it missed may be of an extension that the table no longer uses.
        has_unknown = seq < self._shown.replay.extended and bool(lacking(listener.software, EXTENSIONS))
        missed = None if view.is_private or view.is_redrawn or has_unknown else self._shown.replay.since(seq)
        if missed is None:
            listener.reply(self._snapshot_for(actor))
        else:
            listener.send(missed)
        listener.reply(CaughtUp(seq=self._shown.view.seq))
        self.listeners[listener] = None
        if self.spectators:
            listener.reply(Watchers(count=self.spectators.people))

    def _snapshot_for(self, actor: Actor) -> Snapshot:
        elapsed_ms = self._shown.hand_clock.elapsed_ms(self._shown.durable_time(self._clock()))
        return self._shown.view.snapshot_for(actor, elapsed_ms)

    def discard(self, listener: Listener) -> None:
        """Remove a listener whose connection is lost."""
        self.listeners.pop(listener, None)
        if listener in self.spectators:
            self.spectators.discard(listener)
            self._count_watchers()

    def apply_event(self, event: Event, options: Options) -> Callable[[], None] | None:
        """Apply an event to the connections. Return what closes some of them after it is sent."""
        match event:
            case OptionsSet() if not event.options.spectators:
                return self.disconnect_spectators
            case Left():
                return self._after_leave(event, options)
        return None

    def _after_leave(self, event: Left, options: Options) -> Callable[[], None] | None:
        """Return what happens to the connection of a player who left, if anything."""
        listener = self.connections.pop(event.seat, None)
        if listener is None:
            return None
        if event.kicked:
            return partial(self.disconnect, listener, CloseCode.KICKED, "The host kicked you.")
        if options.spectators:
            return partial(self.make_spectator, listener)
        return partial(self.disconnect, listener, CloseCode.GOOD_BYE, LEFT)

    def disconnect(self, listener: Listener, code: CloseCode, text: str) -> None:
        """Close the connection of a player who may not stay, after everything was sent."""
        self.flush()
        self.listeners.pop(listener, None)
        listener.close(code, text)

    def disconnect_all(self, code: CloseCode, text: str) -> None:
        """Close all connections, because the table moves to another server."""
        self.flush()
        for listener in {*self.listeners, *self.connections.values(), *self.spectators}:
            listener.close(code, text)

    def begin_again(self) -> None:
        """Let everybody come back, because somebody may have missed something."""
        self._unsent.clear()
        self._direct.clear()
        for listener in self.connections.values():
            listener.close(CloseCode.TRY_AGAIN, NOT_SENT)
        self.spectators.begin_again()

    def make_spectator(self, listener: Listener) -> None:
        """Make a spectator of a player who left, and has received everything so far.

        Where that is more than spectators may see yet, the connection is closed.
        """
        if self._shown.hold_us():
            self.disconnect(listener, CloseCode.GOOD_BYE, LEFT)
            return
        self.flush()
        if listener in self.listeners:  # else the connection is lost already
            del self.listeners[listener]
            self.spectators.add_caught_up(listener)
            self._count_watchers()

    def remove_spectator(self, listener: Listener) -> None:
        """Close the connection of a spectator whom the host removes."""
        self.spectators.discard(listener)
        listener.close(CloseCode.KICKED, REMOVED)
        self._count_watchers()

    def disconnect_spectators(self) -> None:
        """Close the connections of all spectators, because the host no longer allows any."""
        self.flush()
        for listener in self.spectators:
            self.spectators.discard(listener)
            listener.close(CloseCode.KICKED, NO_SPECTATORS)
        self._count_watchers()

    def close(self) -> None:
        """Stop the timers."""
        self.spectators.close()
        if self._counting is not None:
            self._counting.cancel()

    # Sending.

    def send(self, turn: Turn) -> None:
        """Send events to everybody, or to their players only, in one write with the rest of this turn."""
        encoded = turn.events
        self._send_soon()
        for each in encoded:
            if each.seat is not None:
                encoded = self._send_each(encoded)
                break
        else:
            self._unsent += encoded
        if not encoded:
            return
        self.spectators.publish(encoded, turn.copy, turn.moves_cards)
        if self._observers:
            events = [each.event for each in encoded]
            for observer in self._observers:
                tell(observer.published, self._shown, events)
        if not turn.moves_cards and is_second_deal(encoded, self._shown):
            for actor, listener in self.connections.items():
                if listener in self.listeners:
                    self._send_direct(listener, DirectMessage(self._snapshot_for(actor)))

    def _send_each(self, encoded: Sequence[EncodedEvent]) -> list[EncodedEvent]:
        """Send events one by one, because some are not for everybody. Return those that are."""
        public: list[EncodedEvent] = []
        for each in encoded:
            if each.seat is None:
                public.append(each)
                self._unsent.append(each)
                continue
            listener = self.connections.get(each.seat)
            if listener in self.listeners:
                self._send_direct(listener, each)
        return public

    def reply(self, listener: Listener, message: Message) -> None:
        """Send a message to one listener, after the events before it, in the same write."""
        self._send_direct(listener, DirectMessage(message))

    def answer(self, sender: Listener, command: Command, reply: Accepted | Refused, arrived: int) -> None:
        """Answer a command that arrived at a moment."""
        for observer in self._observers:
            tell(observer.answered, self._shown, command, reply, self._clock() - arrived)
        self.reply(sender, reply)

    def count(self, accepted: Sequence[int]) -> None:
        """Count plays that arrived at these moments and are sent now."""
        if self._observers:
            now = self._clock()
            took_us = [now - arrived for arrived in accepted]
            for observer in self._observers:
                tell(observer.carried_out, self._shown, took_us)

    def _send_direct(self, listener: Listener, message: Encodable) -> None:
        self._send_soon()
        self._direct.setdefault(listener, []).append((len(self._unsent), message))

    def _send_soon(self) -> None:
        if not self._unsent and not self._direct:
            self._loop.call_soon(self.flush)

    def flush(self) -> None:
        """Send everything that waits: events to the players, and to each listener its own messages."""
        unsent, self._unsent = self._unsent, []
        direct, self._direct = self._direct, {}
        if unsent:
            batch = Batch(unsent)
            listeners = [*self.listeners]
            if direct:
                listeners = [each for each in listeners if each not in direct]
            for listener in listeners:
                listener.send(batch)
        for listener, messages in direct.items():
            events = unsent if listener in self.listeners else []
            listener.send(Batch(list(_interleaved(events, messages))))

    def flush_delayed(self) -> None:
        """Send everything at once, to spectators as well, because the table closes."""
        self.flush()
        self.spectators.flush()

    def send_to_all(self, message: Message) -> None:
        """Send a message that is not an event to players and spectators."""
        self.flush()
        for listener in [*self.listeners, *self.spectators]:
            listener.reply(message)

    def notify(self, text: str) -> tuple[int, int]:
        """Send players and spectators what the operator says; return how many get it, and how many cannot."""
        self.flush()
        there = [*self.listeners, *self.spectators]
        hearing = [each for each in there if understands(each.software, HEARS_NOTICES)]
        for listener in hearing:
            listener.reply(ServerNotice(text=text))
        return len(hearing), len(there) - len(hearing)

    def _count_watchers(self) -> None:
        """Send everybody the number of spectators soon, once for all changes until then."""
        if self._counting is None:
            self._counting = self._loop.call_later(COUNT_SECONDS, self._send_watcher_count)

    def _send_watcher_count(self) -> None:
        self._counting = None
        self.send_to_all(Watchers(count=self.spectators.people))


def _interleaved(
    encoded: Sequence[EncodedEvent], direct: Sequence[tuple[int, Encodable]]
) -> Iterator[Encodable]:
    """Yield events and direct messages, each message after the number of events that stands beside it."""
    sent = 0
    for before, message in direct:
        yield from encoded[sent:before]
        yield message
        sent = before
    yield from encoded[sent:]
