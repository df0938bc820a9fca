"""A session: one connection's place at the server, and the path from its frames to its table.

A frame gets its arrival stamp as its bytes are read, and goes to its table's inbox in the same call: there
is no queue and no task between a player's bytes and the judge.
"""

import asyncio
import hashlib
import logging
import secrets
from collections.abc import Mapping
from functools import partial
from typing import Final
from urllib.parse import urlsplit

from websockets.frames import Frame, Opcode

from racing_demon_cluster.proxy import AGAIN_SECONDS, HeldMessages, TableSearch, Visit, splice
from racing_demon_protocol.enums import CloseCode, Reason
from racing_demon_protocol.errors import CommandRefused, InvalidFrame
from racing_demon_protocol.wire.addresses import FOLLOWS_MOVED, SHOWS_RACES, is_below, understands
from racing_demon_protocol.wire.codec import VERSION, Encoding, decode_client
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Elsewhere, Moved, Pong, Refused
from racing_demon_server.frames import framed
from racing_demon_server.match.seat_tokens import Actor
from racing_demon_server.rate_limit import Bucket
from racing_demon_server.tables.locator import Location, Whereabouts
from racing_demon_server.tables.passphrase import SALT_SIZE, Hashing, Passphrase, Unchecked
from racing_demon_server.tables.registry import TableElsewhere, TableUnread
from racing_demon_server.tables.room import TOO_DEAR, Room

from .address_limits import MANY_SEARCHES
from .costs import COSTS
from .service import Missing, Service
from .transport import Connection

UNREAD: Final = "The server has just started, and still reads this table. Come back in a moment."

log = logging.getLogger("racing_demon_server")


class Session:
    """The place of one connection: what it may send next, and where its commands go.

    Attributes:
        encoding: the encoding of its frames.
        shows_races: whether the client understands ``race_lost``.
        is_flooding: whether further frames are ignored.
        rest_us: microseconds during which nothing more is read, because it has used up its units.

    """

    def __init__(self, connection: Connection, service: Service, address: str, visit: Visit) -> None:
        self.encoding = connection.encoding
        self._writes_text = self.encoding is Encoding.JSON
        self.shows_races = self.is_flooding = self.owes = False
        self.rest_us = 0
        self._address = address
        self._number = next(service.numbers)
        self._connection = connection
        self._service = service
        settings = service.settings
        self._allowance = service.allowance(address)
        self._frames = Bucket(settings.frames_per_second, settings.frame_burst)
        self._controls = Bucket(settings.controls_per_second, settings.control_burst)
        self._commands = Bucket(settings.commands_per_second, settings.command_burst)
        self._visit = visit
        self._hello = b""
        self._software = ""
        self._search: TableSearch | None = None
        self._checking: HeldMessages | None = None
        self._lock: Passphrase | None = None
        self._entry_is_due = False
        self._is_passed_on = self._greeted = self._closing = False
        self._room: Room | None = None
        self._actor: Actor = None
        self._spectator = True
        self._arrived = 0
        self._message = bytearray()
        self._fragments = 0
        self._text = False
        self.new_batch()

    @property
    def entered(self) -> bool:
        """Whether the connection has a place at a table."""
        relay = self._service.relay
        is_relayed = relay is not None and relay.holds(self)
        return self._room is not None or self._is_passed_on or is_relayed

    def check_entry(self) -> None:
        """Close the connection if it has no place at a table."""
        self._entry_is_due = True
        if not self.entered and self._checking is None:  # a passphrase that still waits is not late
            self.close(CloseCode.TOO_LATE, "No table was requested in time.")

    # Sending.

    def send(self, events: Mapping[Encoding, bytes]) -> None:
        """Send whole frames in one write. A failure ends this connection, and affects no other."""
        # The library would frame every message again for every connection.
        connection = self._connection
        if connection.is_open and not self._closing:
            try:
                connection.transport.write(events[self.encoding])
            except Exception:
                log.exception("a connection could not be written to", extra={"connection": self._number})
                self._abort()

    def fall_behind(self) -> None:
        """Cut off a reader that is too slow."""
        if not self._closing:
            self._service.note_cut(self._number, "slow_reader", "cut off a slow reader")
            self._abort()

    def _abort(self) -> None:
        """End the connection without a close frame: nothing more can be sent."""
        self._closing = True
        self._connection.transport.abort()

    def reply(self, message: Message) -> None:
        """Send a message to this connection only."""
        self.send({self.encoding: framed(message, self.encoding)})

    def _refuse(self, reason: Reason, text: str, counter: int = 0) -> None:
        """Refuse a request, or the command with a counter, before any table sees it."""
        self._service.meter.refused(reason)
        self.reply(Refused(counter=counter, reason=reason, text=text))

    def close(self, code: CloseCode, reason: str, why: str = "") -> None:
        """Close the connection with a reason for people (123 bytes at most).

        ``why`` is the reason for metrics, if it is not the code's.
        """
        if not self._closing:
            self._closing = True
            level = logging.WARNING if code is CloseCode.FLOOD else logging.INFO
            self._service.note_cut(self._number, why or code.name.lower(), level=level)
            self._connection.close(code, reason)

    # Receiving.

    def new_batch(self) -> None:
        """Note that a batch of bytes is being read: its frames arrive now."""
        clock = self._service.clock  # a method would be slower to look up
        self._arrived = clock()
        self.rest_us = 0

    def count_frame(self) -> bool:
        """Count a frame of any kind. Return whether to handle it."""
        if not self._frames.take(self._arrived):
            self._end_flood("Too many frames a second.", "flood")
        elif not self._allowance.take(self._arrived):
            self.rest_us = self._allowance.overdraw(self._arrived)
        return not self._closing

    def count_control(self) -> None:
        """Count a ping, a pong or a close frame."""
        self.count_frame()
        if not self._controls.take(self._arrived):
            self._end_flood("Too many pings a second.", "pings")

    def _end_flood(self, reason: str, why: str) -> None:
        self.is_flooding = True
        self.close(CloseCode.FLOOD, reason, why)

    def take(self, frame: Frame) -> None:
        """Handle a frame; a fragmented message with its last frame."""
        if not self.count_frame():
            return
        if frame.opcode is not Opcode.CONT:
            self._message.clear()
            self._fragments = 0
            self._text = frame.opcode is Opcode.TEXT
        self._fragments += 1
        if self._fragments > self._service.settings.max_fragments:
            self._end_flood("Too many fragments of one message.", "fragments")
            return
        self._message += frame.data  # the library bounds the size
        if frame.fin:
            self._take_message(bytes(self._message))

    def take_short(self, message: bytes) -> None:
        """Handle a binary message that came in one short frame."""
        if self.count_frame():
            self._text = False
            self._take_message(message)

    def _take_message(self, data: bytes) -> None:
        """Handle a message. Nothing that a client sends makes this raise."""
        try:
            if self._text is not self._writes_text:
                raise InvalidFrame("text frames are for JSON, binary frames for msgpack")
            held = self._search or self._checking
            if held is not None:
                held.hold(self._text, data)
                return
            message = decode_client(data.decode() if self._text else data)
            if not self._greeted:
                self._hello = data
            if type(message) is cl.PlayCards and self._greeted:
                self._command(message)
            else:
                self._handle(message)
        except (InvalidFrame, UnicodeDecodeError) as error:
            reason = "text that is not UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)
            self.close(CloseCode.BAD_FRAME, f"Not understood: {reason}"[:120])
        except (TableElsewhere, TableUnread) as away:
            self._send_away(away)
        except (Missing, Unchecked) as unanswered:
            self._hold(unanswered, data)
        except CommandRefused as error:
            self._refuse(error.reason, error.text)
        except Exception:
            self._fail()

    def _fail(self) -> None:
        """End the connection because of an error of the server."""
        log.exception("a frame could not be handled", extra={"connection": self._number})
        self.close(CloseCode.SERVER_ERROR, "The server made an error. Join again to continue.")

    def _replay(self, messages: list[tuple[bool, bytes]]) -> None:
        """Handle messages that were held. They reach their table now."""
        self._arrived = self._service.clock()
        for is_text, data in messages:
            if not self._closing:
                self._text = is_text
                self._take_message(data)

    def _hold(self, unanswered: Missing | Unchecked, data: bytes) -> None:
        """Look for a request's table, or have its passphrase hashed; what comes meanwhile waits."""
        if isinstance(unanswered, Missing):
            self._search = TableSearch(unanswered.code, self._text, data)
            self._look_for(self._search)
            return
        passphrase, salt = unanswered.passphrase, unanswered.lock.salt
        try:
            self._service.hasher.hash(passphrase, salt, self._address, partial(self._end_check, unanswered))
            self._checking = HeldMessages(self._text, data)
        except CommandRefused as error:
            self._refuse(error.reason, error.text)
        except Exception:
            self._fail()

    def _end_check(self, unchecked: Unchecked, hashing: Hashing) -> None:
        held, self._checking = self._checking, None
        if held is None or self._closing:
            return
        asked, *rest = held.messages
        lock, passphrase = unchecked.lock, unchecked.passphrase
        try:
            hash_ = hashing.result()
            if lock.hash is None:  # of a table that is not open yet
                self._lock = Passphrase(lock.salt, hash_, passphrase)
            else:
                lock.check(passphrase, hash_, self._address, self._service.clock())
            self._replay([asked])
        except CommandRefused as error:
            self._refuse(error.reason, error.text)
        except Exception:
            self._fail()
        self._lock = None
        self._replay(rest)
        if self._entry_is_due:
            self.check_entry()

    def _send_away(self, away: TableElsewhere | TableUnread) -> None:
        """Say where a table is, or when."""
        if isinstance(away, TableElsewhere):
            self.reply(Elsewhere(port=away.port))
        else:
            self.close(CloseCode.TRY_AGAIN, UNREAD)

    def _look_for(self, search: TableSearch) -> None:
        """Look for a table at other servers; what comes meanwhile waits."""
        if self._search is search and not self._closing:
            self._service.search(self._address, search.code, self._end_search)

    def _end_search(self, found: Location | Whereabouts) -> None:
        search, self._search = self._search, None
        if search is None or self._closing:
            return
        if isinstance(found, Location) and self._may_follow(found):
            self.reply(Moved(host=found.host, port=found.port))
        elif isinstance(found, Location) and not self._visit.is_spliced:
            self._search = search
            passing = asyncio.ensure_future(self._pass_on(search, found))
            self._service.tasks.add(passing)
            passing.add_done_callback(self._service.tasks.discard)
        elif found is Whereabouts.HERE and search.may_go_on:
            self._replay(search.messages)
            if self._search is not None:
                self._search.may_go_on = False
        elif found is Whereabouts.UNKNOWN:
            self._refuse(Reason.UNKNOWN_TABLE, "No table here has that code.")
        elif found is Whereabouts.BUSY:
            self.close(CloseCode.TRY_AGAIN, MANY_SEARCHES)
        else:
            self._wait(search, "The table is on its way to another server; come back in a moment.")

    def _wait(self, search: TableSearch, advice: str) -> None:
        """Look for a table again in a moment, or let the client come back if that has not helped."""
        may_wait = search.is_patient and search.may_go_on and not self._visit.is_spliced
        self._search = search if may_wait else None
        if may_wait:
            asyncio.get_running_loop().call_later(AGAIN_SECONDS, self._look_for, search)
        else:
            self.close(CloseCode.TRY_AGAIN, advice)

    def _may_follow(self, found: Location) -> bool:
        """Tell whether the client follows a table there: to the name that it dialled, or one below it."""
        try:
            dialled = urlsplit(f"//{self._visit.host}").hostname or ""
        except ValueError:
            return False
        is_there = bool(found.host) and not self._visit.is_spliced and is_below(found.host, dialled)
        return is_there and understands(self._software, FOLLOWS_MOVED)

    async def _pass_on(self, search: TableSearch, location: Location) -> None:
        """Let the server that has the table have this connection."""
        self._is_passed_on = await splice(self._connection, self._visit, search, location)
        if not self._is_passed_on:
            self._wait(search, "The table's server is not reached; come back in a moment.")

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
            case cl.Relaying(count=count):
                self._count_relayed(message, min(count, self._service.settings.relayed_spectators))
            case _:
                self._enter(message)

    def _enter(self, message: Message) -> None:
        if self.entered:
            raise CommandRefused(Reason.NOT_NOW, "This connection is already in use. Open another one.")
        if not self._pay(message):
            raise CommandRefused(Reason.TOO_FAST, TOO_DEAR)
        if self._service.relay is not None:
            self._service.enter_relay(self, message, self._visit.origin, self._arrived)
            return
        match message:
            case cl.Create():
                self._create(message)
            case cl.Join():
                self._join_or_return(message)
            case cl.Watch():
                self._watch(message)
            case cl.Resume():
                self._resume(message)

    def _count_relayed(self, message: cl.Relaying, count: int) -> None:
        if not self._pay(message):
            raise CommandRefused(Reason.TOO_FAST, TOO_DEAR)
        if not self._visit.origin.is_relay:
            return  # a relay that nobody has named is one spectator, whatever it says
        if self._service.relay is not None:
            self._service.relay.count_relayed(self, count)
        elif self._room is not None:
            self._room.broadcast.count_relayed(self, count)

    def _greet(self, hello: cl.Hello) -> None:
        if hello.version != VERSION:
            advice = "update your client" if hello.version < VERSION else "update the server"
            text = f"This server speaks version {VERSION} of the protocol, you {hello.version}: {advice}."
            self.close(CloseCode.VERSION, text)
        elif self._greeted:
            self.close(CloseCode.BAD_FRAME, "You have already said hello.")
        self._greeted = True
        self._software = hello.software
        self.shows_races = understands(hello.software, SHOWS_RACES)
        self._visit.messages.append((self._text, self._hello))
        self._connection.slow_heartbeat(hello.heartbeat_ms / 1_000)

    def _command(self, command: cl.Command) -> None:
        if self._room is None or self._spectator:
            text = "You are watching. Only players can do that."
            self.reply(Refused(counter=command.counter, reason=Reason.NOT_SEATED, text=text))
        elif not self._commands.take(self._arrived):
            self._refuse(Reason.TOO_FAST, "Too many commands a second. Slow down.", command.counter)
        elif not self._pay(command):
            self._refuse(Reason.TOO_FAST, TOO_DEAR, command.counter)
        else:
            self._room.put(self, self._actor, command, self._arrived)

    def _pay(self, message: Message) -> bool:
        """Pay for a message beyond its frame. Return whether there were enough units."""
        rest = COSTS[type(message)] - 1
        return not rest or self._allowance.take(self._arrived, rest)

    def settle(self, at: int) -> bool:
        """Pay at a moment what plays have led to. Return whether nothing is owed any more."""
        self.owes = not self._allowance.settle(at)
        return not self.owes

    def charge(self, units: int) -> None:
        """Owe what a play led to, because the play is carried out already."""
        self.owes = True
        self._allowance.charge(units)

    def _create(self, message: cl.Create) -> None:
        lock = self._lock
        if lock is None:
            self._service.take_table(self._address, self._arrived)
            lock = Passphrase(secrets.token_bytes(SALT_SIZE))
            if message.passphrase:
                raise Unchecked(lock, message.passphrase)
        room = self._service.open(self._address, message.options, lock)
        if message.seated:
            try:
                self._join(room, message.name, secrets.token_hex(32))
            except CommandRefused:
                self._service.registry.discard(room)
                raise
        else:
            token = secrets.token_hex(32)
            room.host(hash_token(token))
            self._take_place(room, None)
            room.sit(self, None, token)

    def _watch(self, message: cl.Watch) -> None:
        room = self._service.find(self._address, message.code, self._arrived)
        room.watch(self, message.passphrase, self._address)
        self._room = room

    def _join_or_return(self, message: cl.Join) -> None:
        token = message.token or secrets.token_hex(32)
        token_hash = hash_token(token)
        room = self._service.find(self._address, message.code, self._arrived, token_hash)
        if room.table.seat_tokens.knows(token_hash):
            self._return(room, token, "", 0)
        else:
            room.admit(message.passphrase, self._address)
            self._join(room, message.name, token)

    def _join(self, room: Room, name: str, token: str) -> None:
        seat = room.join(name, hash_token(token), self._address)
        self._take_place(room, seat)
        room.sit(self, seat, token)

    def _resume(self, message: cl.Resume) -> None:
        room = self._service.find(self._address, message.code, self._arrived, hash_token(message.token))
        self._return(room, message.token, message.epoch, message.seq)

    def _return(self, room: Room, token: str, epoch: str, seq: int) -> None:
        actor = room.table.seat_tokens.actor(hash_token(token))
        if room.is_halted:
            self.close(CloseCode.TRY_AGAIN, "The server cannot write to its disk. Come back in a moment.")
            return
        self._take_place(room, actor)
        room.resume(self, actor, token, self._address, epoch, seq)

    def _take_place(self, room: Room, actor: Actor) -> None:
        self._spectator, self._actor, self._room = False, actor, room
        self._allowance.add_pool(self._service.units_of(room))

    def gone(self) -> None:
        """Leave the table, because the connection is lost."""
        self._closing = True
        if self._service.relay is not None:
            self._service.relay.leave(self)
        room = self._room
        if room is not None:
            room.leave(self, self._actor)
            if room.is_deserted:
                self._service.registry.expire(room)


def hash_token(token: str) -> bytes:
    """Return the hash of a token."""
    return hashlib.sha256(token.encode()).digest()
