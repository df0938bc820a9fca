"""A connection: bytes to frames, as soon as they are read, and no more of them than anybody needs."""

import asyncio
from typing import Any, Final, Protocol

from websockets.asyncio.server import ServerConnection
from websockets.frames import Frame, Opcode
from websockets.protocol import State

try:
    from websockets.speedups import apply_mask
except ImportError:  # on this platform it has none
    from websockets.utils import apply_mask

from racing_demon_server.wakeup import seconds_until

__all__ = ["Connection"]

DATA_OPCODES: Final = {Opcode.TEXT, Opcode.BINARY, Opcode.CONT}
AT_ONCE: Final = 256
"""So many bytes are taken in the call that read them: more than any play has, however it is written."""
SLICE: Final = 128
"""Of more than that so many are looked at before the loop turns to others: a dozen of short messages."""
HEADER: Final = 6
"""Bytes of a short frame before its message: two, and the mask."""
WHOLE_BINARY: Final = 0x80 | Opcode.BINARY
MASKED: Final = 0x80
SHORT: Final = 125
"""So many bytes are a short frame's at most (RFC 6455, 5.2)."""
END_OF_REQUEST: Final = b"\r\n\r\n"
MISCOUNTED: Final = -(2**62)
"""Stands for a number of bytes that is not known, as more came with the handshake; it never comes to 0."""
MOST_EARLY: Final = 16
"""Frames that may come together with the handshake. The server speaks first, so there need not be any."""


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

    def count_control(self) -> bool:
        """Count any other frame; tell whether it is to be answered."""

    def fall_behind(self) -> None:
        """End the connection: more waits to be sent than its limit for writing."""


class Door(Protocol):
    """Whoever looks after connections that nobody reads yet."""

    def await_handshake(self, connection: "Connection") -> None:
        """Let a fresh connection say what it wants."""

    def forget(self, connection: "Connection") -> None:
        """Forget a connection that is lost."""

    def cut_off(self, connection: "Connection", why: str) -> None:
        """End a connection that nobody reads yet."""


class Connection(ServerConnection):
    """A WebSocket that hands each message over in the call that read its last bytes.

    A play comes as one short frame, and in a read of its own: such a frame is taken here, where the library
    has none of its bytes. All others are the library's.

    Attributes:
        is_open: whether messages may be sent: the handshake is over, and no good-bye was sent.

    """

    def __init__(self, door: Door, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.is_open = False
        self._door = door
        self._session: Reader | None = None
        self._early: list[Frame] = []
        self._unread = bytearray()
        self._fed = b""
        self._unframed = 0
        self._is_fragment_next = False
        self._takes_short = False
        self._resting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Give the connection some time to say what it wants."""
        super().connection_made(transport)
        self._door.await_handshake(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more, and keep nobody alive who keeps this."""
        self.is_open = False
        self._door.forget(self)
        super().connection_lost(exc)
        self._session = None
        if self._resting is not None:
            self._resting.cancel()
        # These refer back to the connection, by way of frames. Only a sweep would free such circles.
        self.protocol.parser.close()
        for error in (exc, self.protocol.parser_exc):
            if error is not None:
                error.__traceback__ = None

    def begin(self, session: Reader) -> None:
        """Give all frames to a session, those first that were read before it was there."""
        self._session = session
        for frame in self._early:
            session.take(frame)
        self._early.clear()
        self._note_place()

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
        if self.transport.is_closing() or (self._session is not None and self._session.is_flooding):
            self._unread.clear()
        if self._unread:
            taken = bytes(self._unread[:SLICE])
            del self._unread[:SLICE]
            if self._session is not None:
                self._session.new_batch()
            self._feed(taken)
        if self._session is not None and self._session.rest_us:
            self._rest(self._session)
        elif self._unread:
            self.transport.pause_reading()
            self.loop.call_soon(self._take_slice)
        else:
            self.loop.call_soon(self._read_on)

    def _rest(self, session: Reader) -> None:
        """Read nothing for a while: its sender has used more than is there for it. Others do not notice."""
        self.transport.pause_reading()
        self._resting = self.loop.call_later(seconds_until(session.rest_us), self._wake, session)

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
        self._feed(data)

    def _feed(self, data: bytes) -> None:
        """Give bytes to the library."""
        self._fed = data
        self._unframed += len(data)
        super().data_received(data)
        self._note_place()

    def _note_place(self) -> None:
        """Note whether a message may begin here: behind a whole frame, before any good-bye."""
        self._takes_short = self.is_open and not self._unframed and not self._is_fragment_next

    def send_data(self) -> None:
        """Send what the library has to say, as it does whenever a connection opens or closes; note which."""
        super().send_data()
        self.is_open = self.protocol.state is State.OPEN

    def pause_writing(self) -> None:
        """Wait for no reader who is too slow: others get the same, and it would be kept for this one."""
        super().pause_writing()
        if self._session is not None:
            self._session.fall_behind()

    def process_event(self, event: Any) -> None:
        """Take data frames at once; count all others, and leave them to the library."""
        session = self._session
        if not isinstance(event, Frame):
            self._unframed = 0 if self._fed.endswith(END_OF_REQUEST) else MISCOUNTED
            super().process_event(event)
            return
        self._unframed -= wire_size(event)
        if session is None:
            self._process_early(event)
        elif event.opcode in DATA_OPCODES:
            self._is_fragment_next = not event.fin
            session.take(event)
        elif session.count_control():
            super().process_event(event)

    def _process_early(self, frame: Frame) -> None:
        """Keep a frame that came with the handshake. Whoever has much to say then says it to nobody."""
        if frame.opcode not in DATA_OPCODES or len(self._early) >= MOST_EARLY:
            self._door.cut_off(self, "flood")
        else:
            self._early.append(frame)


def short_message(data: bytes) -> bytes | None:
    """Return the message of the frame that bytes begin with, if it is binary, short and whole."""
    if len(data) < HEADER or data[0] != WHOLE_BINARY:
        return None
    length = data[1] - MASKED
    if not 0 <= length <= SHORT or len(data) < HEADER + length:
        return None
    return apply_mask(data[HEADER : HEADER + length], data[2:HEADER])


def wire_size(frame: Frame) -> int:
    """Return how many bytes a client's frame has on the wire, its length written as shortly as can be."""
    length = len(frame.data)
    return HEADER + length + (0 if length <= SHORT else 2 if length < 65_536 else 8)
