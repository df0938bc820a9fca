"""A connection: bytes to frames, as soon as they are read, and frames to bytes.

The protocol is the library's, without its I/O: https://websockets.readthedocs.io/en/stable/howto/sansio.html.
"""

import asyncio
from typing import Final, Protocol, cast

from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import State
from websockets.server import ServerProtocol

from racing_demon_server.settings import ServerSettings
from racing_demon_server.wakeup import seconds_until

__all__ = ["Connection"]

DATA_OPCODES: Final = {Opcode.TEXT, Opcode.BINARY, Opcode.CONT}
AT_ONCE: Final = 256
"""So many bytes are taken in the call that read them: more than any play has, however it is written."""
SLICE: Final = 128
"""Of more than that so many are looked at before the loop turns to others: a dozen of short messages."""
HEADER: Final = 6
"""Bytes of a short frame before its message: two, and the mask."""
MASK: Final = slice(2, HEADER)
WHOLE_BINARY: Final = 0x80 | Opcode.BINARY
MASKED: Final = 0x80
SHORT: Final = 125
"""So many bytes are a short frame's at most (RFC 6455, 5.2)."""
END_OF_REQUEST: Final = b"\r\n\r\n"
SWITCHING_PROTOCOLS: Final = 101
CLOSE_SECONDS: Final = 1.0
"""So long the other side has to answer a good-bye."""


class Reader(Protocol):
    """Whoever takes a connection's frames.

    Attributes:
        is_flooding: whether nothing more of it is looked at.
        rest_us: for how long nothing more of it is to be read, since the last batch began.

    """

    is_flooding: bool
    rest_us: int

    def new_batch(self) -> None:
        """Note that bytes are being read now."""

    def take(self, frame: Frame) -> None:
        """Deal with a data frame."""

    def take_short(self, message: bytes) -> None:
        """Deal with a binary message that came in one short frame."""

    def count_control(self) -> None:
        """Count any other frame."""

    def fall_behind(self) -> None:
        """End the connection: more waits to be sent than its limit for writing."""


class Door(Protocol):
    """Whoever lets connections in."""

    def await_handshake(self, connection: "Connection") -> None:
        """Let a fresh connection say what it wants."""

    def answer(self, connection: "Connection", request: Request) -> Response:
        """Return the answer to a connection's request: HTTP's, or that of the handshake."""

    def open(self, connection: "Connection", request: Request) -> Reader:
        """Return who takes the frames of a connection whose handshake is over."""

    def forget(self, connection: "Connection") -> None:
        """Forget a connection that is lost."""


class Connection(asyncio.Protocol):
    """A WebSocket that hands each message over in the call that read its last bytes.

    A play comes as one short frame, and in a read of its own: such a frame is taken here, where the library
    has none of its bytes. All others are the library's.

    Attributes:
        is_open: whether messages may be sent: the handshake is over, and no good-bye was sent.
        protocol: the library's side of it.
        transport: the socket.

    Args:
        door: lets it in.
        protocol: a fresh one.
        settings: the server's.

    """

    transport: asyncio.Transport

    def __init__(self, door: Door, protocol: ServerProtocol, settings: ServerSettings) -> None:
        self.is_open = False
        self.protocol = protocol
        self._door = door
        self._settings = settings
        self._loop = asyncio.get_running_loop()
        self._session: Reader | None = None
        self._request: Request | None = None
        self._tail = b""
        self._unread = bytearray()
        self._unframed = 0
        self._is_fragment_next = False
        self._takes_short = False
        self._is_heard = True
        self._resting: asyncio.TimerHandle | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._heartbeat: asyncio.TimerHandle | None = None
        self._heartbeat_seconds = settings.ping_seconds

    @property
    def address(self) -> str:
        """The address of the other side; empty where it has none, or is gone already."""
        peer = self.transport.get_extra_info("peername")
        return str(peer[0]) if peer else ""

    # Begin and end.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Give the connection some time to say what it wants."""
        self.transport = cast("asyncio.Transport", transport)
        self.transport.set_write_buffer_limits(self._settings.backlog_bytes)
        self._set_deadline(self._settings.entry_seconds)
        self._door.await_handshake(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more, and keep nobody alive who keeps this."""
        self.is_open = False
        for timer in (self._resting, self._deadline, self._heartbeat):
            if timer is not None:
                timer.cancel()
        self._door.forget(self)
        self._session = None
        if exc is not None:
            exc.__traceback__ = None

    def close(self, code: int, reason: str = "") -> None:
        """Say good-bye, and end the connection when that is answered, or not answered for too long."""
        if self.protocol.state is State.OPEN:
            self.protocol.send_close(code, reason)
            self._write()

    def _set_deadline(self, seconds: float) -> None:
        """End the connection by then, whatever has become of it."""
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = self._loop.call_later(seconds, self.transport.abort)

    def slow_heartbeat(self, seconds: float) -> None:
        """Ask more rarely for a sign of life, as the other side has wished."""
        self._heartbeat_seconds = max(seconds, self._heartbeat_seconds)

    def _beat(self) -> None:
        """Ask whether the other side is still there; end the connection if it has not answered since."""
        self._heartbeat = self._loop.call_later(self._heartbeat_seconds, self._beat)
        if not self.is_open:
            return
        if self._is_heard:
            self._is_heard = False
            self.protocol.send_ping(b"")
        else:
            self.protocol.fail(CloseCode.INTERNAL_ERROR, "keepalive ping timeout")
        self._write()

    # Writing.

    def _write(self) -> None:
        """Send what the library has to say; note whether the connection opens or closes with it."""
        for data in self.protocol.data_to_send():
            if self.transport.is_closing():
                continue
            if data:
                self.transport.write(data)
            elif self.transport.can_write_eof():
                self.transport.write_eof()
            else:
                self.transport.close()
        was_open, self.is_open = self.is_open, self.protocol.state is State.OPEN
        if was_open and not self.is_open:
            self._set_deadline(CLOSE_SECONDS)

    def pause_writing(self) -> None:
        """Wait for no reader who is too slow: others get the same, and it would be kept for this one."""
        if self._session is not None:
            self._session.fall_behind()

    # Reading.

    def data_received(self, data: bytes) -> None:
        """Stamp bytes as they are read, and take them: where they are many, some at a time.

        What is left for later is stamped when it is taken, like bytes that still wait in the system.
        """
        session = self._session
        if session is not None and self._resting is None and len(data) <= AT_ONCE and not self._unread:
            session.new_batch()
            if not session.is_flooding and not self.transport.is_closing():
                self._take(session, data)
                if session.rest_us:
                    self._rest(session)
            return
        self._unread += data
        if len(self._unread) == len(data) and self._resting is None:  # else what came before goes first
            self._take_slice()

    def _take_slice(self) -> None:
        """Take some of the bytes that were read. Others have their turn before the rest."""
        session = self._session
        if self.transport.is_closing() or (session is not None and session.is_flooding):
            self._unread.clear()
        if self._unread:
            taken = bytes(self._unread[:SLICE])
            del self._unread[:SLICE]
            if session is None:
                self._hear(taken)
            else:
                session.new_batch()
                self._feed(session, taken)
        if session is not None and session.rest_us:
            self._rest(session)
        elif self._unread:
            self.transport.pause_reading()
            self._loop.call_soon(self._take_slice)
        else:
            self._loop.call_soon(self._read_on)

    def _rest(self, session: Reader) -> None:
        """Read nothing for a while: its sender has used more than is there for it. Others do not notice."""
        self.transport.pause_reading()
        self._resting = self._loop.call_later(seconds_until(session.rest_us), self._wake, session)

    def _wake(self, session: Reader) -> None:
        """Go on with what was read before; it arrives now, as what was not read does."""
        self._resting = None
        session.rest_us = 0
        self._take_slice()

    def _read_on(self) -> None:
        """Read again, when the last of what was read is judged.

        Before that uvloop would read what comes next as the beginning of another batch: it would overtake.
        """
        self.transport.resume_reading()

    def _hear(self, data: bytes) -> None:
        """Take bytes of the request, and answer it. Behind an answer of HTTP's nothing is asked."""
        if self._request is not None:
            return
        seen = self._tail + data
        end = seen.find(END_OF_REQUEST) + len(END_OF_REQUEST)
        is_whole = end >= len(END_OF_REQUEST)
        size = end - len(self._tail) if is_whole else len(data)
        self._tail = seen[1 - len(END_OF_REQUEST) :]
        self.protocol.receive_data(data[:size])
        for event in self.protocol.events_received():
            self._request = cast("Request", event)
            self.protocol.send_response(self._door.answer(self, self._request))
        self._write()
        if is_whole and self._request is None:  # it was none
            self.transport.abort()
        elif self.is_open and self._request is not None:
            self._open(self._request, data[size:])

    def _open(self, request: Request, rest: bytes) -> None:
        """Begin to take frames: those first that came with the handshake."""
        if self._deadline is not None:
            self._deadline.cancel()
        self._session = self._door.open(self, request)
        self._heartbeat = self._loop.call_later(self._heartbeat_seconds, self._beat)
        self._note_place()
        if rest:
            self._session.new_batch()
            self._feed(self._session, rest)

    def _take(self, session: Reader, data: bytes) -> None:
        """Take bytes: short frames at once, while the library waits for the first byte of one."""
        while self._takes_short:
            message = short_message(data)
            if message is None:
                break
            session.take_short(message)
            data = data[HEADER + len(message) :]
            if not data or session.is_flooding:
                return
        self._feed(session, data)

    def _feed(self, session: Reader, data: bytes) -> None:
        """Give bytes to the library, and the frames that they make whole to the session."""
        self._unframed += len(data)
        self.protocol.receive_data(data)
        events = self.protocol.events_received()
        self._write()  # a pong goes before the answer to what came behind its ping
        for event in events:
            frame = cast("Frame", event)
            self._unframed -= wire_size(frame)
            if frame.opcode in DATA_OPCODES:
                self._is_fragment_next = not frame.fin
                session.take(frame)
            else:
                self._is_heard = True
                session.count_control()
        self._note_place()

    def _note_place(self) -> None:
        """Note whether a message may begin here: behind a whole frame, before any good-bye."""
        self._takes_short = self.is_open and not self._unframed and not self._is_fragment_next


def short_message(data: bytes) -> bytes | None:
    """Return the message of the frame that bytes begin with, if it is binary, short and whole."""
    if len(data) < HEADER or data[0] != WHOLE_BINARY:
        return None
    length = data[1] - MASKED
    if not 0 <= length <= SHORT or len(data) < HEADER + length:
        return None
    mask = (data[MASK] * (length // 4 + 1))[:length]
    masked = int.from_bytes(data[HEADER : HEADER + length], "little")
    return (masked ^ int.from_bytes(mask, "little")).to_bytes(length, "little")


def wire_size(frame: Frame) -> int:
    """Return how many bytes a client's frame has on the wire, its length written as shortly as can be."""
    length = len(frame.data)
    return HEADER + length + (0 if length <= SHORT else 2 if length < 65_536 else 8)
