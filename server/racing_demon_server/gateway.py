"""The gateway: from sockets to tables and back.

A frame gets its arrival stamp as its bytes are read, and goes to its table's inbox in the same call:
there is no queue and no task between a player's bytes and the judge.
"""

import asyncio
import hashlib
import itertools
import logging
import secrets
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from typing import Any, Final, cast

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.frames import Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.typing import Subprotocol

from racing_demon_protocol.codec import MAX_CLIENT_FRAME, VERSION, Encoding, decode_client
from racing_demon_protocol.errors import CommandRefused, InvalidFrame
from racing_demon_protocol.messages import Message
from racing_demon_protocol.messages import client as cl
from racing_demon_protocol.messages.server import Elsewhere, Pong, Refused, Seated, Versions
from racing_demon_protocol.reasons import CloseCode, Reason

from . import __version__, pages
from .addresses import Addresses, believed_address, networks
from .claims import Actor
from .connection import Connection
from .hall import Hall, KeptElsewhere
from .limits import Bucket
from .listener import Batch, framed
from .room import Clock, Room
from .settings import Settings

__all__ = ["MOST_WAITING", "PATH", "Gateway", "listen", "start", "url_of"]

PATH: Final = "/v1"
"""Where the game is; the same port answers plain HTTP at ``/healthz`` and ``/metrics``."""

ACCEPTED_AT_ONCE: Final = 16
"""So many connections are accepted before the loop turns to others: asyncio goes by the backlog."""
MOST_WAITING: Final = 512
"""Connections that wait to be accepted, in the system."""
METRICS_KEPT_US: Final = 1_000_000
"""Metrics are written down once a second at the most, however many ask for them."""

SOFTWARE: Final = f"racing-demon-server {__version__}"

log = logging.getLogger("racing_demon_server")


class Session:
    """One connection's place in the hall: what it may say next, and where its commands go.

    Attributes:
        encoding: how its frames are written.
        is_flooding: whether nothing more of it is looked at.

    """

    def __init__(self, connection: Connection, gateway: "Gateway", address: str) -> None:
        self.encoding = Encoding(str(connection.subprotocol))
        self.is_flooding = False
        self._address = address
        self._number = next(gateway.numbers)
        self._connection = connection
        self._gateway = gateway
        settings = gateway.settings
        self._frames = Bucket(settings.frames_per_second, settings.frame_burst)
        self._controls = Bucket(settings.controls_per_second, settings.control_burst)
        self._commands = Bucket(settings.commands_per_second, settings.command_burst)
        self._greeted = False
        self._closing = False
        self._room: Room | None = None
        self._actor: Actor = None
        self._spectator = True
        self._arrived = 0
        self._round = 0
        self._message = bytearray()
        self._fragments = 0
        self._text = False
        self.new_batch()

    @property
    def entered(self) -> bool:
        """Whether the connection has its place at a table."""
        return self._room is not None

    # Sending.

    def send(self, events: Batch) -> None:
        """Send events in one write."""
        self._write(events.framed(self.encoding))

    def _write(self, frames: bytes) -> None:
        """Send whole frames; cut a reader off who is too slow for them."""
        # The library would frame every message anew for every connection.
        if self._closing or self._connection.protocol.state is not State.OPEN:
            return
        transport = self._connection.transport
        transport.write(frames)
        if transport.get_write_buffer_size() > self._gateway.settings.backlog_bytes:
            self._gateway.note_cut(self._number, "slow_reader", "cut off a slow reader", logging.WARNING)
            self._closing = True
            transport.abort()

    def reply(self, message: Message) -> None:
        """Send a message to this connection alone."""
        self._write(framed(message, self.encoding))

    def close(self, code: CloseCode, reason: str, why: str = "") -> None:
        """Close the connection with a sentence that a person understands (123 bytes at most).

        ``why`` is the word that it is counted by, where that is not the code's.
        """
        if not self._closing:
            self._closing = True
            level = logging.WARNING if code is CloseCode.FLOOD else logging.INFO
            self._gateway.note_cut(self._number, why or code.name.lower(), "connection cut", level)
            self._gateway.spawn_close(self._connection, code, reason)

    # Receiving.

    def new_batch(self) -> None:
        """Note that bytes are being read now: frames in them arrive now, one round after the other."""
        self._arrived = self._gateway.clock()
        self._round = 0

    def count_frame(self) -> bool:
        """Count a frame of any kind; tell whether what comes in it still matters."""
        if not self._frames.take(self._arrived):
            self._end_flood("Too many frames a second.", "flood")
        return not self._closing

    def count_control(self) -> bool:
        """Count a ping, a pong or a good-bye; tell whether it is to be answered."""
        self.count_frame()
        if not self._controls.take(self._arrived):
            self._end_flood("Too many pings a second.", "pings")
        return not self.is_flooding

    def _end_flood(self, reason: str, why: str) -> None:
        self.is_flooding = True
        self.close(CloseCode.FLOOD, reason, why)

    def take(self, frame: Frame) -> None:
        """Deal with one frame; a message in fragments with its last."""
        if not self.count_frame():
            return
        if frame.opcode is not Opcode.CONT:
            self._message.clear()
            self._fragments = 0
            self._text = frame.opcode is Opcode.TEXT
        self._fragments += 1
        if self._fragments > self._gateway.settings.max_fragments:
            self._end_flood("Too many fragments of one message.", "fragments")
            return
        self._message += frame.data  # the library bounds how long this gets
        if frame.fin:
            self._take_message(bytes(self._message))

    def _take_message(self, data: bytes) -> None:
        """Deal with one message. Nothing that a client sends makes this raise."""
        try:
            self._understand(data)
        except Exception:
            log.exception("a frame could not be handled", extra={"connection": self._number})
            self.close(CloseCode.SERVER_ERROR, "The server made a mistake; join again to go on.")

    def _understand(self, data: bytes) -> None:
        try:
            if self._text is not (self.encoding is Encoding.JSON):
                raise InvalidFrame("text frames are for JSON, binary frames for msgpack")
            self._handle(decode_client(data.decode() if self._text else data))
        except (InvalidFrame, UnicodeDecodeError) as error:
            reason = "text that is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
            self.close(CloseCode.BAD_FRAME, f"Not understood: {reason}"[:120])
        except KeptElsewhere as elsewhere:
            self.reply(Elsewhere(port=elsewhere.port))
        except CommandRefused as error:
            self._gateway.meter.refused(error.reason)
            self.reply(Refused(counter=0, reason=error.reason, text=error.text))

    def _handle(self, message: Message) -> None:
        match message:
            case cl.Hello():
                self._greet(message)
            case _ if not self._greeted:
                self.close(CloseCode.BAD_FRAME, "Say hello first.")
            case cl.Ping(stamp=stamp):
                self.reply(Pong(stamp=stamp))
            case cl.Command():
                self._command(message)
            case _ if self.entered:
                text = "This connection has its place already; open another."
                raise CommandRefused(Reason.NOT_NOW, text)
            case cl.Create():
                self._create(message)
            case cl.Join():
                room = self._gateway.hall.room(message.code)
                room.admit(message.passphrase)
                self._join(room, message.name)
            case cl.Watch():
                self._watch(message)
            case cl.Resume():
                self._resume(message)

    def _greet(self, hello: cl.Hello) -> None:
        self._greeted = True
        if hello.version != VERSION:
            advice = "update your client" if hello.version < VERSION else "the server needs an update"
            text = f"This server speaks version {VERSION} of the protocol, you {hello.version}: {advice}."
            self.close(CloseCode.VERSION, text)

    def _command(self, command: cl.Command) -> None:
        if self._room is None or self._spectator:
            text = "You are watching; only players may do that."
            refused = Refused(counter=command.counter, reason=Reason.NOT_SEATED, text=text)
            self.reply(refused)
        elif not self._commands.take(self._arrived):
            self._gateway.meter.refused(Reason.TOO_FAST)
            text = "Too fast: the server takes no more commands a second."
            self.reply(Refused(counter=command.counter, reason=Reason.TOO_FAST, text=text))
        else:
            self._room.put(self, self._actor, command, self._arrived, self._round)
            self._round += 1

    def _create(self, message: cl.Create) -> None:
        if not self._gateway.addresses.take_table(self._address, self._arrived):
            raise CommandRefused(Reason.TOO_FAST, "Too many tables from your address; wait a minute.")
        room = self._gateway.hall.open(message.options, message.passphrase)
        if message.seated:
            try:
                self._join(room, message.name)
            except CommandRefused:
                self._gateway.hall.discard(room)
                raise
        else:
            token = secrets.token_hex(32)
            room.host(hash_token(token))
            self._seat(room, None, token, 0)

    def _watch(self, message: cl.Watch) -> None:
        room = self._gateway.hall.room(message.code)
        room.admit(message.passphrase)
        if not room.table.view.options.spectators:
            raise CommandRefused(Reason.NO_SPECTATORS, "This table wants nobody to look on.")
        self.reply(Seated(code=room.table.view.code))
        self._room = room
        room.audience.watch(self)

    def _join(self, room: Room, name: str) -> None:
        token = secrets.token_hex(32)
        seat = room.join(name, hash_token(token))
        self._seat(room, seat, token, 0)

    def _resume(self, message: cl.Resume) -> None:
        room = self._gateway.hall.room(message.code)
        actor = room.table.claims.actor(hash_token(message.token))
        if room.is_halted:
            self.close(
                CloseCode.TRY_AGAIN, "The server's disk takes nothing just now; come back in a moment."
            )
            return
        self._seat(room, actor, message.token, message.seq)

    def _seat(self, room: Room, actor: Actor, token: str, seq: int) -> None:
        self._spectator, self._actor, self._room = False, actor, room
        previous = room.audience.take_seat(self, actor)
        if previous is not None:
            previous.close(CloseCode.TAKEN_OVER, "This seat was taken up again from elsewhere.")
        counter = room.table.claims.counter(actor)
        seated = Seated(code=room.table.view.code, seat=actor, token=token, counter=counter)
        room.enter(self, actor, seated, seq)
        room.connect(actor)

    def gone(self) -> None:
        """Leave the table, as the connection is lost."""
        self._closing = True
        room = self._room
        if room is not None:
            room.leave(self, self._actor)
            if not room.audience:
                self._gateway.hall.expire(room)


class Gateway:
    """What all connections share.

    Attributes:
        addresses: what each address has and does.
        numbers: what connections are called in the logs.
        meter: is told what happens to connections.

    """

    def __init__(self, settings: Settings, hall: Hall, clock: Clock, meter: pages.Meter) -> None:
        self.settings = settings
        self.hall = hall
        self.clock = clock
        self.addresses = Addresses(settings)
        self._handshakes: dict[Connection, None] = {}
        self.numbers = itertools.count(1)
        self.meter = meter
        self._proxies = networks(settings.proxies)
        self._metrics: tuple[int, str] = (-METRICS_KEPT_US, "")
        self._sessions: set[Session] = set()
        self._closings: set[asyncio.Task[None]] = set()

    async def serve(self, connection: ServerConnection) -> None:
        """Look after one connection until it is closed."""
        assert isinstance(connection, Connection)
        self.forget_handshake(connection)
        address = self._address_of(connection)
        session = Session(connection, self, address)
        is_allowed = self.addresses.enter(address)
        try:
            await self._converse(connection, session, is_allowed)
        finally:
            self.addresses.leave(address)

    async def _converse(self, connection: Connection, session: Session, is_allowed: bool) -> None:
        if len(self._sessions) >= self.settings.max_connections or not is_allowed:
            if is_allowed:
                session.close(CloseCode.FULL, "The server is full; try again later.")
            else:
                session.close(CloseCode.FULL, "Too many connections from your address.", "address")
            connection.begin(session)
            await connection.wait_closed()
            return
        self._sessions.add(session)
        entry = asyncio.get_running_loop().call_later(self.settings.entry_seconds, self._check_entry, session)
        session.reply(Versions(oldest=VERSION, newest=VERSION, software=SOFTWARE))
        connection.begin(session)
        try:
            await connection.wait_closed()
        finally:
            entry.cancel()
            self._sessions.discard(session)
            session.gone()

    def await_handshake(self, connection: Connection) -> None:
        """Let a fresh connection say what it wants; where too many are silent, the oldest goes."""
        self._handshakes[connection] = None
        if len(self._handshakes) > self.settings.max_handshakes:
            oldest = next(iter(self._handshakes))
            del self._handshakes[oldest]
            self.note_cut(0, "handshake", "connection cut", logging.WARNING)
            oldest.transport.abort()

    def forget_handshake(self, connection: Connection) -> None:
        """Wait for a connection no more: it has said what it wants, or is gone."""
        self._handshakes.pop(connection, None)

    def _address_of(self, connection: Connection) -> str:
        peer = connection.remote_address
        headers = connection.request.headers if connection.request is not None else None
        forwarded = headers.get_all("X-Forwarded-For") if headers is not None else []
        return believed_address(str(peer[0]) if peer else "", forwarded, self._proxies)

    def answer(self, connection: ServerConnection, request: Request) -> Response | None:
        """Answer plain HTTP; ``None`` lets the WebSocket through."""
        path = request.path.partition("?")[0]
        if not pages.is_meant(request, self.settings.hosts):
            return connection.respond(HTTPStatus.MISDIRECTED_REQUEST, "This server has another name.\n")
        if path == "/healthz":
            return pages.health(connection, len(self.hall), self.settings.siblings)
        if path == "/metrics" and self.meter.text is not None:
            if not self.settings.metrics_public and not pages.is_local(connection, request):
                return connection.respond(HTTPStatus.NOT_FOUND, "Metrics are for this machine only.\n")
            return pages.metrics(connection, self._write_metrics(self.meter.text))
        if path != PATH:
            return connection.respond(HTTPStatus.NOT_FOUND, f"The game is at {PATH}, over WebSocket.\n")
        return None

    def _write_metrics(self, write: Callable[[int], str]) -> str:
        now = self.clock()
        if now - self._metrics[0] >= METRICS_KEPT_US:
            self._metrics = now, write(len(self._sessions))
        return self._metrics[1]

    def note_cut(self, number: int, why: str, event: str, level: int) -> None:
        """Log and count a connection that the server ends."""
        log.log(level, event, extra={"connection": number, "why": why})
        self.meter.cut(why)

    def spawn_close(self, connection: Connection, code: CloseCode, reason: str) -> None:
        """Close a connection while everybody else goes on."""
        task = asyncio.get_running_loop().create_task(connection.close(code, reason))
        self._closings.add(task)
        task.add_done_callback(self._closings.discard)

    @staticmethod
    def _check_entry(session: Session) -> None:
        if not session.entered:
            session.close(CloseCode.TOO_LATE, "No table was asked for in time.")


def url_of(host: str, port: int) -> str:
    """Return the URL of a server that listens there."""
    return f"ws://[{host}]:{port}{PATH}" if ":" in host else f"ws://{host}:{port}{PATH}"


def hash_token(token: str) -> bytes:
    """Return what is kept of a token."""
    return hashlib.sha256(token.encode()).digest()


async def start(settings: Settings, hall: Hall, clock: Clock, meter: pages.Meter = pages.NO_METER) -> Server:
    """Open the port and serve the hall's tables until the returned server is closed.

    Args:
        settings: the server's.
        hall: keeps the tables.
        clock: tells the time.
        meter: is told what happens to connections, and writes down what ``/metrics`` shows.

    Raises:
        OSError: the address cannot be listened on.

    """
    return await listen(Gateway(settings, hall, clock, meter), host=settings.host, port=settings.port)


async def listen(gateway: Gateway, **where: Any) -> Server:
    """Let a gateway have whoever comes to an address, or to a socket that listens already.

    Raises:
        OSError: the address cannot be listened on.

    """
    # The library reports every torn handshake with a traceback; a port scan would fill the log.
    logging.getLogger("websockets.server").setLevel(logging.CRITICAL)
    settings = gateway.settings
    server = await serve(
        gateway.serve,
        **where,
        subprotocols=[Subprotocol(encoding) for encoding in Encoding],
        origins=[None],
        process_request=gateway.answer,
        create_connection=cast("type[ServerConnection]", partial(Connection, gateway)),
        compression=None,
        max_size=MAX_CLIENT_FRAME,
        ping_interval=settings.ping_seconds,
        ping_timeout=settings.ping_seconds,
        open_timeout=settings.entry_seconds,
        close_timeout=1,
        server_header=SOFTWARE,
        backlog=ACCEPTED_AT_ONCE,
    )
    for listening in server.sockets:
        with listening.dup() as waiting:
            waiting.listen(MOST_WAITING)
    return server
