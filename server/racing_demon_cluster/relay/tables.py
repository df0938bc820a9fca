"""A relay: watches each table of another server once, and shows it to its own spectators.

The owner of a table applies delays and hides cards, so a relay forwards everything at once.
"""

import asyncio
import logging
import secrets
from collections.abc import Collection, Iterable
from typing import Any, Final

from websockets.http11 import Request

from racing_demon_protocol.constants import MAX_SPECTATORS
from racing_demon_protocol.enums import CloseCode, Phase, Reason
from racing_demon_protocol.errors import CommandRefused, InconsistentEvent, InvalidGame
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.capabilities import uses_extension, verify_understood
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages.client import Command, Watch
from racing_demon_protocol.wire.messages.events import Event
from racing_demon_protocol.wire.messages.server import (
    Halted,
    RaceLost,
    Refused,
    Seated,
    Snapshot,
    Watchers,
)
from racing_demon_protocol.wire.options import Options
from racing_demon_server.encoded_messages import EncodedEvent, Listener
from racing_demon_server.match.hand import HandClock
from racing_demon_server.net.connection import Connection
from racing_demon_server.net.handler import Handler, ServerContext
from racing_demon_server.net.origin import LOCAL, Origin
from racing_demon_server.rate_limits import MANY_SEARCHES, MINUTE, TokenBucket
from racing_demon_server.settings import limits
from racing_demon_server.tables.broadcast import COUNT_SECONDS
from racing_demon_server.tables.failures import Failures
from racing_demon_server.tables.feed import Backlog
from racing_demon_server.tables.passphrase import SALT_SIZE, Passphrase
from racing_demon_server.tables.spectators import FairScheduler, Spectators

from .upstream import ClosedUpstream, OtherProtocol, Unreachable, UpstreamConnection, watching

BEFORE_DEAL: Final = frozenset({Phase.LOBBY, Phase.SHUFFLING})
"""The phases in which no hand has a time."""
FIRST_PAUSE: Final = 0.1
MAX_PAUSE: Final = 5.0
IDLE_SECONDS: Final = 10.0
"""How long a table is still watched after its last spectator has left."""
MAX_WAITING: Final = 1_000
"""The most spectators who wait for a table to be watched."""
UPSTREAM: Final = limits()
"""The limits that the other server is assumed to have; its operator may have changed them."""
UNKNOWN_US: Final = 5_000_000
MAX_UNKNOWN: Final = 1_000
TEMPORARY: Final = frozenset({Reason.TOO_FAST, Reason.SERVER_FULL, Reason.HALTED})
"""Reasons for a refusal after which another attempt may succeed."""
ERROR: Final = "The relay made an error. Watch again to continue."
ONLY_WATCH: Final = "This server is a relay for spectators. Play at the server that has the table."

log = logging.getLogger("racing_demon_server")


class Replica:
    """A table of another server, as its spectators see it.

    Attributes:
        view: the state of the table.
        hand_clock: the clock of the hand.

    """

    def __init__(self, view: TableState, hand_clock: HandClock) -> None:
        self.view = view
        self.hand_clock = hand_clock

    @classmethod
    def from_snapshot(cls, snapshot: Snapshot, at: int) -> "Replica":
        """Return the table of a snapshot that came at a time, in microseconds."""
        hand_clock = HandClock()
        if snapshot.phase not in BEFORE_DEAL:
            hand_clock = HandClock(at - snapshot.elapsed_ms * 1_000, at if snapshot.paused else None)
        return cls(TableState.from_snapshot(snapshot), hand_clock)

    @property
    def settled(self) -> TableState:
        """The state of the table."""
        return self.view

    @staticmethod
    def hold_us() -> int:
        """Return 0: the other server has held back what it had to."""
        return 0

    @staticmethod
    def durable_time(at: int) -> int:
        """Return the argument: a relay has no journal."""
        return at

    def is_like(self, other: "Replica") -> bool:
        """Return whether another replica has the same contents, apart from the clock."""
        return self.view.snapshot_for(None, 0) == other.view.snapshot_for(None, 0)

    def apply(self, event: Event, at: int) -> None:
        """Apply the next event.

        Raises:
            InconsistentEvent: it does not fit.

        """
        self.view.apply(event)
        self.hand_clock = self.hand_clock.after(event, at)


class RelayedTable:
    """One table of the other server, and its spectators here.

    Args:
        relay: watches it.
        code: the table's code.

    """

    def __init__(self, relay: "Relay", code: str) -> None:
        self._relay = relay
        self._code = code
        self._waiting: dict[Listener, tuple[str, Origin]] = {}  # with passphrase
        self._searching: list[str] = []
        self._replica = Replica(TableState(code, Options()), HandClock())
        self._spectators = self._new_spectators()
        self._is_shown = False  # until the first snapshot
        self._lock = Passphrase(b"")
        self._passphrase = ""
        self._asking = Origin(LOCAL, is_relay=False)
        self._elsewhere = 0
        self._reported = 1
        self._is_recounted = asyncio.Event()
        self._pause = FIRST_PAUSE
        self._is_closed = False
        self._idle: asyncio.TimerHandle | None = None
        self._counting: asyncio.TimerHandle | None = None
        self._following: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._spectators) + len(self._waiting)

    def __contains__(self, listener: Listener) -> bool:
        return listener in self._waiting or listener in self._spectators

    def _new_spectators(self) -> Spectators:
        relay = self._relay
        failures = Failures(self._code, relay.clock, self._end_failing)
        return Spectators(self._replica, relay.clock, relay.backlog, relay.scheduler, failures)

    def _end_failing(self) -> None:
        asyncio.get_running_loop().call_soon(self._end, CloseCode.SERVER_ERROR, ERROR)

    def watch(self, listener: Listener, passphrase: str, origin: Origin) -> bool:
        """Add a spectator: at once, or when the other server has sent the table.

        Asking the other server counts as a search of the address until there is an answer, even if the
        spectator has left before.

        Returns:
            Whether it is added; ``False`` if its address has too many searches.

        Raises:
            CommandRefused: the passphrase is wrong, the client too old for the table, or too many wait.

        """
        address = origin.counted_as
        if self._is_shown:
            self._verify(listener, passphrase, address)
            self._add(listener)
        elif len(self._waiting) >= MAX_WAITING:
            raise CommandRefused(Reason.SERVER_FULL, "Too many spectators wait for this table. Try again.")
        elif not self._relay.begin_search(address):
            return False
        else:
            self._searching.append(address)
            self._waiting[listener] = passphrase, origin
        if self._following is None:
            self._following = asyncio.create_task(self._run())
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        return True

    def leave(self, listener: Listener) -> None:
        """Remove a spectator. Some time after the last one has left, the table is no longer watched."""
        self._waiting.pop(listener, None)
        self._spectators.discard(listener)
        if self._is_closed:
            return
        self._count_soon()
        if not len(self) and self._idle is None:
            self._idle = asyncio.get_running_loop().call_later(IDLE_SECONDS, self.close)

    def count_relayed(self, relay: Listener, count: int, lacks: Collection[str]) -> None:
        """Count the spectators of a relay that watches here, in its place."""
        if self._spectators.count_relayed(relay, count, lacks):
            self._count_soon()

    def close(self) -> None:
        """Stop watching the table."""
        if self._is_closed:
            return
        self._is_closed = True
        self._end_searches()
        for each in (self._following, self._idle, self._counting):
            if each is not None:
                each.cancel()
        self._spectators.close()
        self._relay.forget(self._code)

    def _end_searches(self, *, missed: bool = False) -> None:
        """Stop counting searches, and count those that found no table."""
        for address in self._searching:
            self._relay.addresses.end_search(address)
            if missed:
                self._relay.addresses.count_miss(address, self._relay.clock())
        self._searching.clear()
        if missed:
            self._relay.remember_unknown(self._code)

    def _verify(self, listener: Listener, passphrase: str, address: str) -> None:
        """Check that a spectator may see the table, and that its client understands what it shows.

        Raises:
            CommandRefused: the passphrase is wrong, or the client does not.

        """
        self._lock.verify(passphrase, address, self._relay.clock())
        verify_understood(listener.software, self._spectators.extensions)

    def _add(self, listener: Listener) -> None:
        listener.reply(Seated(code=self._code))
        self._spectators.add(listener)
        self._count_soon()

    async def _run(self) -> None:
        """Watch the table until it ends, through any number of connections."""
        while True:
            try:
                await self._connect()
            except CommandRefused as refused:
                if self._is_shown and refused.reason in TEMPORARY:
                    await self._back_off()
                elif not self._refuse(refused):
                    return
            except ClosedUpstream as closed:
                self._end(closed.code, closed.reason)
                return
            except Unreachable as error:
                log.info("upstream lost", extra={"table": self._code, "why": str(error)})
                is_other = isinstance(error, OtherProtocol)
                # While servers are upgraded, another one may still speak our version.
                if not self._is_shown or (is_other and self._pause >= MAX_PAUSE):
                    self._end(CloseCode.VERSION if is_other else CloseCode.TRY_AGAIN, error.advice)
                    return
                await self._back_off()
            except Exception:
                log.exception("a table cannot be relayed", extra={"table": self._code})
                self._end(CloseCode.SERVER_ERROR, ERROR)
                return

    async def _back_off(self) -> None:
        """Wait before the next connection, longer each time."""
        await asyncio.sleep(self._pause)
        self._pause = min(MAX_PAUSE, 2 * self._pause)

    async def _connect(self) -> None:
        """Watch the table over one connection."""
        if not self._is_shown and self._waiting:
            self._passphrase, self._asking = next(iter(self._waiting.values()))
        relay, asking = self._relay, self._asking.hops
        async with watching(relay.url, self._code, self._passphrase, asking, relay.meet) as upstream:
            reporting = asyncio.create_task(self._report(upstream))
            try:
                while True:
                    self._apply(await upstream.read())
            finally:
                reporting.cancel()

    async def _report(self, upstream: UpstreamConnection) -> None:
        """Report the spectators whenever they change: the server counts a relay as one at first."""
        self._reported, reported_lacks = 1, list[str]()
        while upstream.counts_relayed:
            await self._is_recounted.wait()
            self._is_recounted.clear()
            people = self._spectators.people
            lacks = [word for word in upstream.extensions if self._spectators.lack([word])]
            if (people, lacks) != (self._reported, reported_lacks):
                self._reported, reported_lacks = people, lacks
                await upstream.report(people, lacks)

    def _apply(self, message: Message) -> None:
        """Apply a message of the other server.

        Raises:
            Unreachable: it does not fit, and a new connection brings a snapshot.

        """
        try:
            match message:
                case Snapshot():
                    self._restart(message)
                case Event():
                    self._publish(message)
                case Watchers():
                    self._elsewhere = max(0, message.count - self._reported)
                    self._count_soon()
                case RaceLost():
                    self._spectators.show_race(message)
                case Halted():
                    for listener in self._spectators:
                        listener.reply(message)
        except (InconsistentEvent, InvalidGame) as error:
            raise Unreachable(f"an event does not fit: {error}") from error

    def _publish(self, event: Event) -> None:
        if not self._is_shown:
            raise Unreachable("an event before the snapshot")
        at = self._relay.clock()
        self._replica.apply(event, at)
        if uses_extension(event):
            self._spectators.close_outdated(self._replica.view.extensions)
        self._spectators.publish([EncodedEvent(event, at)])

    def _restart(self, snapshot: Snapshot) -> None:
        """Continue from a snapshot. Spectators get it if they have missed something."""
        self._pause = FIRST_PAUSE
        self._end_searches()
        self._is_recounted.set()
        replica = Replica.from_snapshot(snapshot, self._relay.clock())
        if self._is_shown and self._replica.is_like(replica):
            self._replica.hand_clock = replica.hand_clock
            return
        previous, self._replica = self._spectators, replica
        previous.close()
        self._spectators = self._new_spectators()
        previous.close_outdated(replica.view.extensions)
        for listener in previous:
            self._spectators.add(listener)
        self._spectators.relayed |= previous.relayed
        if not self._is_shown:
            self._is_shown = True
            passphrase = self._passphrase if snapshot.locked else ""
            self._lock = Passphrase(secrets.token_bytes(SALT_SIZE), passphrase=passphrase)
        waiting, self._waiting = self._waiting, {}
        for listener, (passphrase, origin) in waiting.items():
            try:
                self._verify(listener, passphrase, origin.counted_as)
            except CommandRefused as refused:
                listener.reply(Refused(counter=0, reason=refused.reason, text=refused.text))
            else:
                self._add(listener)

    def _refuse(self, refused: CommandRefused) -> bool:
        """Forward a refusal. Return whether other spectators wait with other passphrases."""
        if self._is_shown:
            self._end(CloseCode.GOOD_BYE, refused.text)
            return False
        self._end_searches(missed=refused.reason is Reason.UNKNOWN_TABLE)
        is_guess = refused.reason is Reason.BAD_PASSPHRASE
        for listener, (passphrase, _) in list(self._waiting.items()):
            if not is_guess or passphrase == self._passphrase:
                del self._waiting[listener]
                listener.reply(Refused(counter=0, reason=refused.reason, text=refused.text))
        if not self._waiting:
            self.close()
        return bool(self._waiting)

    def _end(self, code: CloseCode, reason: str) -> None:
        """Close all spectators' connections as the other server closed ours."""
        self._spectators.flush()
        for listener in [*self._spectators, *self._waiting]:
            listener.close(code, reason[:120])
        self.close()

    def _count_soon(self) -> None:
        if self._counting is None:
            self._counting = asyncio.get_running_loop().call_later(COUNT_SECONDS, self._count)

    def _count(self) -> None:
        self._counting = None
        self._is_recounted.set()
        watchers = Watchers(count=min(MAX_SPECTATORS, self._elsewhere + self._spectators.people))
        for listener in self._spectators:
            listener.reply(watchers)


class Relay:
    """The tables that a relay watches. See :class:`~racing_demon_server.net.handler.Service`.

    Attributes:
        url: the other server.
        clock: the clock, in microseconds.
        backlog: gives the spectators of all tables turns.
        addresses: limits the searches of an address.
        is_halted: False: nothing is written here.
        needs: empty.

    Args:
        url: the other server.
        context: what all connections share.

    """

    is_halted = False
    needs = ""

    def __init__(self, url: str, context: ServerContext) -> None:
        settings = context.settings
        self.url = url
        self.clock = context.clock
        self.backlog = Backlog(settings.delayed_bytes_of_table, settings.delayed_bytes)
        self.scheduler = FairScheduler()
        self.addresses = context.addresses
        self._context = context
        self._tables: dict[str, RelayedTable] = {}
        self._table_of: dict[Listener, RelayedTable] = {}
        self._is_known = False
        self._misses = TokenBucket(UPSTREAM["misses_per_minute"] / MINUTE, UPSTREAM["miss_burst"])
        self._unknown: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._tables)

    @property
    def listeners(self) -> int:
        """The number of spectators of all tables."""
        return sum(map(len, self._tables.values()))

    def listing(self) -> Iterable[dict[str, Any]]:
        """Return nothing: browsers list the tables at the server that has them."""
        return ()

    def entry(self, _code: str, _address: str) -> None:
        """Return nothing, as for a list."""
        return

    def has_table(self, _code: str) -> bool:
        """Return false: all tables are at the server."""
        return False

    def handler(self, connection: Connection, _request: Request, origin: Origin) -> Handler:
        """Return the handler of a connection whose handshake is complete."""
        return RelayHandler(connection, self._context, self, origin)

    def holds(self, listener: Listener) -> bool:
        """Return whether a listener watches a table, or waits for one."""
        table = self._table_of.get(listener)
        return table is not None and listener in table

    def enter(self, listener: Listener, request: Message, origin: Origin) -> None:
        """Let a listener watch a table; if its address has too many searches, it is closed, and reconnects.

        Raises:
            CommandRefused: it wants something else, the relay is full, or its address has sent too many wrong
                codes.

        """
        if not self.addresses.may_miss(origin.counted_as, self.clock()):
            raise self.addresses.too_many_misses()
        if not isinstance(request, Watch):
            raise CommandRefused(Reason.NOT_NOW, ONLY_WATCH)
        code = request.code.strip().upper()
        table = self._tables.get(code)
        if table is None:
            if self._unknown.get(code, -1) >= self.clock():
                self.addresses.count_miss(origin.counted_as, self.clock())
                raise CommandRefused(Reason.UNKNOWN_TABLE, "There is no table with that code.")
            if len(self._tables) >= self._context.settings.max_tables:
                raise CommandRefused(Reason.SERVER_FULL, "This relay shows no more tables. Try again later.")
            table = RelayedTable(self, code)
        if table.watch(listener, request.passphrase, origin):
            self._tables[code] = self._table_of[listener] = table
        else:
            listener.close(CloseCode.TRY_AGAIN, MANY_SEARCHES)

    def meet(self, is_known: bool) -> None:
        """Learn whether the other server trusts this relay, and counts misses by spectator."""
        self._is_known = is_known

    def begin_search(self, address: str) -> bool:
        """Count a search for a table. Return whether its address may have it.

        A server that does not trust this relay counts the misses of all its spectators as one address's. So
        they share a budget that no single address can use up.
        """
        shared = None if self._is_known else self._misses
        return self.addresses.begin_search(address, self.clock(), shared)

    def remember_unknown(self, code: str) -> None:
        """Remember for some seconds that the other server has no table with a code."""
        self._misses.take(self.clock())
        self._unknown.pop(code, None)
        if len(self._unknown) >= MAX_UNKNOWN:
            del self._unknown[next(iter(self._unknown))]
        self._unknown[code] = self.clock() + UNKNOWN_US

    def count_relayed(self, relay: Listener, count: int, lacks: Collection[str]) -> None:
        """Count the spectators of a relay that watches here, in its place."""
        table = self._table_of.get(relay)
        if table is not None:
            table.count_relayed(relay, count, lacks)

    def leave(self, listener: Listener) -> None:
        """Remove a listener whose connection is lost."""
        table = self._table_of.pop(listener, None)
        if table is not None:
            table.leave(listener)

    def close(self) -> None:
        """Stop watching all tables."""
        for table in list(self._tables.values()):
            table.close()

    def forget(self, code: str) -> None:
        """Forget a table that is no longer watched."""
        self._tables.pop(code, None)


class RelayHandler(Handler):
    """Handles the messages of a relay's spectator."""

    def __init__(self, connection: Connection, context: ServerContext, relay: Relay, origin: Origin) -> None:
        super().__init__(connection, context, origin)
        self._relay = relay

    @property
    def has_entered(self) -> bool:
        """Whether the spectator watches a table, or waits for one."""
        return self._relay.holds(self)

    def enter(self, request: Message) -> None:
        """Watch a table."""
        self._relay.enter(self, request, self.origin)

    def count_relayed(self, count: int, lacks: Collection[str]) -> None:
        """Count the spectators of a relay that watches here, in its place."""
        self._relay.count_relayed(self, count, lacks)

    def command_aside(self, command: Command) -> None:
        """Refuse what only the table's own server does."""
        text = "You watch through a relay. Only the table's own server does that."
        self.refuse(Reason.NOT_NOW, text, command.counter)

    def leave(self) -> None:
        """Stop watching, because the connection is lost."""
        super().leave()
        self._relay.leave(self)
