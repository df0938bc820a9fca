"""Handles the messages of one connection, whatever it is for.

A frame gets its arrival stamp as its bytes are read, and goes to its table's inbox in the same call: there
is no queue and no task between a player's bytes and the judge.
"""

import asyncio
import itertools
import logging
import time
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

from websockets.frames import Frame, Opcode
from websockets.http11 import Request

from racing_demon_protocol.enums import CloseCode, Reason
from racing_demon_protocol.errors import CommandRefused, InvalidFrame
from racing_demon_protocol.wire.capabilities import SHOWS_RACES, understands
from racing_demon_protocol.wire.codec import VERSION, Encoding, decode_client
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Pong, Refused
from racing_demon_server.encoded_messages import Batch, DirectMessage
from racing_demon_server.moderation.bans import Caller, ServerBans
from racing_demon_server.moderation.reports import Reports
from racing_demon_server.rate_limits import COSTS, AddressLimits, Allowance, TokenBucket, dear_bytes, pool
from racing_demon_server.results.keeper import ResultsKeeper
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.room import TOO_DEAR, Clock

from .connection import Connection
from .http import dialled_schemes
from .origin import Origin, networks
from .tunnel import Tunnel

SHARE_SECONDS: Final = 20.0
"""Each bucket holds this many seconds' worth of refill."""
MAX_HELD_MESSAGES: Final = 16
"""The most messages that wait until one of them is answered, with that."""

log = logging.getLogger("racing_demon_server")


class MetricsHooks(NamedTuple):
    """Callbacks for what happens to connections, out of the tables' sight.

    Attributes:
        text: formats all metrics, given how many connections are open, and how many of them play or watch.
        cut: counts a connection that the server closed, by reason.
        refused: counts a command that the server refused before a table saw it.

    """

    text: Callable[[int, int], str]
    cut: Callable[[str], None]
    refused: Callable[[Reason], None]


class ServerContext:
    """What all connections share, whatever they are for.

    Attributes:
        settings: the server's.
        clock: the server's clock.
        metrics: counts what happens to connections.
        addresses: the limits of addresses.
        bans: the operator's bans.
        reports: takes reports to the operator; ``None`` if nobody reads them.
        tunnel: what is known of the server's tunnel; ``None`` if it has none.
        results: keeps the results of matches; ``None`` if nothing does.
        lacks: returns what should be there and cannot be used, like ``"players"``; tables go on without.
        proxies: the networks of trusted proxies.

    """

    def __init__(  # noqa: PLR0913 - what all connections share, the rest passed by its name
        self,
        settings: ServerSettings,
        clock: Clock,
        metrics: MetricsHooks,
        *,
        tunnel: Tunnel | None = None,
        bans: ServerBans | None = None,
        reports: Reports | None = None,
        results: ResultsKeeper | None = None,
        lacks: Callable[[], Sequence[str]] = tuple,
    ) -> None:
        self.settings = settings
        self.proxies = networks(settings.proxies)
        self.lacks = lacks
        self.tunnel = tunnel
        self.results = results
        self.reports = reports
        self.clock = clock
        self.metrics = metrics
        self.addresses = AddressLimits(settings)
        self.bans = bans or ServerBans(None, time.time)
        self._numbers = itertools.count(1)
        self._units = pool(settings.units_per_server)
        self._tasks: set[asyncio.Task[None]] = set()

    def next_number(self) -> int:
        """Return the number of a new connection, for the log."""
        return next(self._numbers)

    def start_task(self, work: Coroutine[Any, Any, None]) -> None:
        """Run what goes on after a message, and hold on to it: the loop has only weak references to tasks."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def dialled_schemes(self, request: Request, peer: str) -> Collection[str]:
        """Return the schemes with which a client may have dialled: see :func:`.http.dialled_schemes`."""
        published = {*self.settings.public_urls, *self.settings.join_urls}
        return dialled_schemes(request, peer, self.proxies, published)

    def allowance(self, address: str) -> Allowance:
        """Return the allowance of a new connection from an address."""
        per_second = self.settings.units_per_connection
        share = TokenBucket(per_second, per_second * SHARE_SECONDS)
        return Allowance(share, [*self.addresses.pools(address), self._units])

    def count_cut(
        self, number: int, why: str, event: str = "connection cut", level: int = logging.WARNING
    ) -> None:
        """Log and count a connection that the server closes."""
        log.log(level, event, extra={"connection": number, "why": why})
        self.metrics.cut(why)


class Service(Protocol):
    """What the connections of a server are for.

    Attributes:
        listeners: the number of players and spectators at all tables.
        is_halted: whether nothing can be written, so that all tables are halted.
        needs: what an operator must give the journal's store before tables go on; empty if that is unknown.

    """

    @property
    def listeners(self) -> int: ...  # noqa: D102

    @property
    def is_halted(self) -> bool: ...  # noqa: D102

    @property
    def needs(self) -> str: ...  # noqa: D102

    def __len__(self) -> int:
        """Return the number of tables."""

    def listing(self) -> Iterable[dict[str, Any]]:
        """Return what browsers may list of the open tables."""

    def entry(self, code: str, address: str) -> dict[str, Any] | None:
        """Return what is told of a table, listed or not, to whoever has its code."""

    def has_table(self, code: str) -> bool:
        """Return whether a table is open here, listed or not."""

    def handler(self, connection: Connection, request: Request, origin: Origin) -> "Handler":
        """Return the handler of a connection whose handshake is complete."""

    def close(self) -> None:
        """Release what connections use, after the last one was accepted."""


class Handler:
    """Handles the messages of one connection, and limits what it may send.

    Attributes:
        encoding: the encoding of its frames.
        shows_races: whether the client understands ``race_lost``.
        is_flooding: whether further frames are ignored.
        throttle_us: microseconds during which nothing is read, because it has used up its units.
        owes: whether it may owe units for the consequences of its plays.
        address: the name under which its client is counted.
        origin: where it comes from.
        software: the client's name and version.
        connection: its bytes.
        context: what all connections share.
        allowance: the units that it may use.
        arrived: when the bytes came that are being handled.
        message: the bytes of the last message other than a play.
        is_closing: whether it handles nothing more.
        is_entry_due: whether the time to enter a table is up.

    """

    def __init__(self, connection: Connection, context: ServerContext, origin: Origin) -> None:
        self.encoding = connection.encoding
        self.shows_races = self.is_flooding = self.owes = self.is_closing = False
        self.throttle_us = self.arrived = 0
        self.address = origin.counted_as
        self.origin = origin
        self.software = ""
        self.connection = connection
        self.context = context
        self.allowance = context.allowance(self.address)
        settings = context.settings
        self._writes_text = self.encoding is Encoding.JSON
        self._number = context.next_number()
        self._frames = TokenBucket(settings.frames_per_second, settings.frame_burst)
        self._controls = TokenBucket(settings.controls_per_second, settings.control_burst)
        self._kept = context.addresses.kept(self.address)
        self._held: list[bytes] = []
        self._has_greeted = self.is_entry_due = False
        self._fragments = bytearray()
        self._fragment_count = 0
        self._is_text = False
        self.message = b""
        self.new_batch()

    # What a connection is for.

    @property
    def remembers(self) -> bool:
        """Whether the server asks who uses the connection."""
        return False

    @property
    def person(self) -> Caller:
        """Who uses the connection, as far as bans are concerned."""
        return Caller(self.address)

    def lose_seat(self, _text: str) -> None:
        """Give up the seat at a table, if there is one, because the operator sends the player away."""

    @property
    def has_entered(self) -> bool:
        """Whether the connection has a place at a table."""
        raise NotImplementedError

    @property
    def may_wait(self) -> bool:
        """Whether the connection needs no place at a table now."""
        return self.has_entered

    def enter(self, request: Message) -> None:
        """Give the connection the place that it asks for.

        Raises:
            CommandRefused: it gets none.

        """
        raise NotImplementedError

    def command(self, command: cl.Command) -> None:
        """Carry out a command. Spectators have none."""
        text = "You are watching. Only players can do that."
        self.reply(Refused(counter=command.counter, reason=Reason.NOT_SEATED, text=text))

    def command_aside(self, command: cl.Command) -> None:
        """Carry out a command that concerns no seat, and that no table remembers."""
        Handler.command(self, command)

    def identify(self, _request: cl.PlayerRequest) -> None:
        """Answer a request about who uses the connection.

        Raises:
            CommandRefused: it is refused.

        """
        raise CommandRefused(Reason.NOT_NOW, "This server remembers no players.")

    def count_relayed(self, count: int, lacks: Collection[str]) -> None:
        """Count the spectators of a relay that watches here, in its place.

        Args:
            count: how many there are.
            lacks: the extensions that some of their clients do not understand.

        """
        raise NotImplementedError

    def leave(self) -> None:
        """Leave the table, because the connection is lost."""
        self.is_closing = True

    # Sending.

    def send(self, events: Mapping[Encoding, bytes]) -> None:
        """Send whole frames in one write. A failure ends this connection, and affects no other."""
        # The library would frame every message again for every connection.
        connection = self.connection
        if connection.is_open and not self.is_closing:
            try:
                connection.transport.write(events[self.encoding])
            except Exception:
                log.exception("a connection could not be written to", extra={"connection": self._number})
                self._abort()

    def drop_slow(self) -> None:
        """Disconnect a reader that is too slow."""
        if not self.is_closing:
            self.context.count_cut(self._number, "slow_reader", "cut off a slow reader")
            self._abort()

    def _abort(self) -> None:
        """End the connection without a close frame: nothing more can be sent."""
        self.is_closing = True
        self.connection.transport.abort()

    def reply(self, message: Message) -> None:
        """Send a message to this connection only."""
        self.send(Batch([DirectMessage(message)]))

    def refuse(self, reason: Reason, text: str, counter: int = 0) -> None:
        """Refuse a request, or the command with a counter, before any table sees it."""
        self.context.metrics.refused(reason)
        self.reply(Refused(counter=counter, reason=reason, text=text))

    def close(self, code: CloseCode, reason: str, why: str = "") -> None:
        """Close the connection with a reason for people (123 bytes at most).

        ``why`` is the reason for metrics, if it is not the code's.
        """
        if not self.is_closing:
            self.is_closing = True
            level = logging.WARNING if code is CloseCode.FLOOD else logging.INFO
            self.context.count_cut(self._number, why or code.name.lower(), level=level)
            self.connection.close(code, reason)

    def fail(self) -> None:
        """End the connection because of an exception of the server, from its handler."""
        log.exception("a frame could not be handled", extra={"connection": self._number})
        self.close(CloseCode.SERVER_ERROR, "The server made an error. Join again to continue.")

    # Reading.

    def new_batch(self) -> None:
        """Stamp the frames of a batch of bytes: they arrive now."""
        clock = self.context.clock  # a method would be slower to look up
        self.arrived = clock()
        self.throttle_us = 0

    def count_frame(self) -> bool:
        """Count a frame of any kind. Return whether to handle it."""
        if not self._frames.take(self.arrived):
            self._end_flood("Too many frames a second.", "flood")
        elif not self.allowance.take(self.arrived):
            self.throttle_us = self.allowance.overdraw(self.arrived)
        return not self.is_closing

    def count_control(self) -> None:
        """Count a ping, a pong or a close frame."""
        self.count_frame()
        if not self._controls.take(self.arrived):
            self._end_flood("Too many pings a second.", "pings")

    def _end_flood(self, reason: str, why: str) -> None:
        self.is_flooding = True
        self.close(CloseCode.FLOOD, reason, why)

    def handle_frame(self, frame: Frame) -> None:
        """Handle a frame; a fragmented message with its last frame."""
        if not self.count_frame():
            return
        if frame.opcode is not Opcode.CONT:
            self._fragments.clear()
            self._fragment_count = 0
            self._is_text = frame.opcode is Opcode.TEXT
        self._fragment_count += 1
        if self._fragment_count > self.context.settings.max_fragments:
            self._end_flood("Too many fragments of one message.", "fragments")
            return
        self._fragments += frame.data  # the library bounds the size
        if frame.fin:
            self.handle_message(bytes(self._fragments))

    def handle_short(self, message: bytes) -> None:
        """Handle a binary message that came in one short frame."""
        if self.count_frame():
            self._is_text = False
            self.handle_message(message)

    def handle_message(self, data: bytes) -> None:
        """Handle a whole message. Nothing that a client sends makes this raise."""
        if self._is_text is self._writes_text:
            self._handle(data)
        else:
            self._end_misunderstood("text frames are for JSON, binary frames for msgpack")

    def _handle(self, data: bytes) -> None:
        """Handle a message now, or after the request that is being answered."""
        try:
            if self._held:
                self._hold(data)
                return
            message = decode_client(data.decode() if self._writes_text else data)
            if type(message) is cl.PlayCards and self._has_greeted:
                self.command(message)
            else:
                self.message = data
                self._dispatch(message)
        except UnicodeDecodeError:
            self._end_misunderstood("text that is not UTF-8")
        except InvalidFrame as error:
            self._end_misunderstood(str(error))
        except CommandRefused as error:
            self.refuse(error.reason, error.text)
        except Exception:
            self.fail()

    def _end_misunderstood(self, reason: str) -> None:
        self.close(CloseCode.BAD_FRAME, f"Not understood: {reason}"[:120])

    def _dispatch(self, message: Message) -> None:
        match message:
            case cl.Hello():
                self.greet(message)
            case _ if not self._has_greeted:
                self.close(CloseCode.BAD_FRAME, "Say hello first.")
            case cl.Ping(stamp=stamp):
                self.reply(Pong(stamp=stamp))
            case cl.ListSpectators() | cl.ListTable() | cl.RemoveSpectator() | cl.Report():
                self.command_aside(message)
            case cl.Command():
                self.command(message)
            case cl.PlayerRequest():
                self.pay_or_refuse(message)
                self.identify(message)
            case cl.Relaying(count=count, lacking=lacks):
                self.pay_or_refuse(message)
                if self.origin.is_relay:  # else it is one spectator, whatever it says
                    most = self.context.settings.relayed_spectators
                    self.count_relayed(min(count, most), lacks.split())
            case _ if self.has_entered:
                raise CommandRefused(Reason.NOT_NOW, "This connection is already in use. Open another one.")
            case _:
                self.pay_or_refuse(message)
                self.enter(message)

    def greet(self, hello: cl.Hello) -> None:
        """Accept a client that speaks this version of the protocol, once."""
        if hello.version != VERSION:
            advice = "update your client" if hello.version < VERSION else "update the server"
            text = f"This server speaks version {VERSION} of the protocol, you {hello.version}: {advice}."
            self.close(CloseCode.VERSION, text)
        elif self._has_greeted:
            self.close(CloseCode.BAD_FRAME, "You have already said hello.")
        self._has_greeted = True
        self.software = hello.software
        self.shows_races = understands(hello.software, SHOWS_RACES)
        self.connection.slow_heartbeat(hello.heartbeat_ms / 1_000)

    # Paying.

    def pay(self, message: Message) -> bool:
        """Pay for a message beyond its frame. Return whether there were enough units."""
        rest = COSTS[type(message)] - 1
        return not rest or self.allowance.take(self.arrived, rest)

    def pay_or_refuse(self, message: Message) -> None:
        """Pay for a message beyond its frame.

        Raises:
            CommandRefused: there were not enough units.

        """
        if not self.pay(message):
            raise CommandRefused(Reason.TOO_FAST, TOO_DEAR)

    def settle(self, at: int) -> bool:
        """Pay for the consequences of plays. Return whether nothing is owed any more."""
        self.owes = not self.allowance.settle(at)
        return not self.owes

    def charge(self, events: int, kept: int) -> None:
        """Charge what it did, which has already been carried out.

        Args:
            events: the events of a play beside the one that its frame has paid for.
            kept: the bytes of it that stay on the disk.

        """
        units = events + dear_bytes(self._kept, self.arrived, kept)
        if units:
            self.owe(units)

    def owe(self, units: int) -> None:
        """Charge units for what a command has led to. Its next command pays for them, too."""
        self.owes = True
        self.allowance.charge(units)

    # Waiting.

    def answer_later(self, answer: Coroutine[Any, Any, None]) -> None:
        """Answer the message that is being handled in a task; what the client sends meanwhile waits.

        After whatever the answer awaits, the connection may be lost, and everything else may have changed:
        it checks all of that again.
        """
        self._held = [self.message]
        self.context.start_task(self._finish(answer))

    async def answer_aside(self, answer: Coroutine[Any, Any, None]) -> None:
        """Answer a message while others are handled. A refusal is sent to the client."""
        try:
            await answer
        except CommandRefused as error:
            if not self.is_closing:
                self.refuse(error.reason, error.text)
        except Exception:
            self.fail()

    async def _finish(self, answer: Coroutine[Any, Any, None]) -> None:
        """Answer a message, and then handle what the client has sent meanwhile: it arrives now."""
        await self.answer_aside(answer)
        (_, *held), self._held = self._held, []
        self.arrived = self.context.clock()
        for data in held:  # if one of them is answered later, too, those behind it wait again
            if not self.is_closing:
                self._handle(data)
        if self.is_entry_due:
            self.check_entry()

    def _hold(self, message: bytes) -> None:
        """Let a message wait for the answer to another.

        Raises:
            InvalidFrame: too many wait.

        """
        if len(self._held) == MAX_HELD_MESSAGES:
            raise InvalidFrame("wait until you have your place")
        self._held.append(message)

    @property
    def held(self) -> Sequence[bytes]:
        """The message that is being answered, and those that wait for that; empty if none is."""
        return self._held

    def drop_held(self) -> None:
        """Forget the messages that wait."""
        del self._held[1:]

    @property
    def may_be_late(self) -> bool:
        """Whether the time to enter a table does not count now: the client waits for an answer."""
        return bool(self._held)

    def check_entry(self) -> None:
        """Close the connection if it has no place at a table by now."""
        self.is_entry_due = True
        if not (self.may_wait or self.may_be_late):
            self.close(CloseCode.TOO_LATE, "No table was requested in time.")
