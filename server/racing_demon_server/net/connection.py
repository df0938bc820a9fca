"""A connection: bytes to frames as soon as they are read, and frames to bytes.

It uses the library's Sans-I/O protocol: https://websockets.readthedocs.io/en/stable/howto/sansio.html.
"""

import asyncio
import logging
from collections.abc import Awaitable, Iterable
from http import HTTPStatus
from typing import Final, Protocol, cast

from websockets.frames import CloseCode, Frame, Opcode
from websockets.http11 import Request, Response
from websockets.protocol import SEND_EOF, State
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from racing_demon_protocol.wire.codec import MAX_CLIENT_FRAME, Encoding
from racing_demon_server.encoded_messages import SHORT
from racing_demon_server.settings import ServerSettings
from racing_demon_server.wakeup import seconds_until

from .http import CutOff, StreamedResponse

DATA_OPCODES: Final = {Opcode.TEXT, Opcode.BINARY, Opcode.CONT}
AT_ONCE: Final = 256
"""Bytes that are handled in the call that read them: more than any play has in any encoding."""
SLICE: Final = 128
"""Beyond that, bytes that are handled before the loop turns to others: a dozen short messages."""
HEADER: Final = 6
"""The header of a short frame: two bytes, and the mask."""
MASK: Final = 2
WHOLE_BINARY: Final = 0x80 | Opcode.BINARY
MASKED: Final = 0x80
END_OF_REQUEST: Final = b"\r\n\r\n"
MAX_REQUEST: Final = 16 * 1024
"""The longest request. Browsers include the cookies of all programs on the same host."""
READ_AT_ONCE: Final = 8 * 1024
"""The most bytes of one read. A connection never holds more unread bytes than that."""
SUBPROTOCOLS: Final = [Subprotocol(encoding) for encoding in Encoding]
CLOSE_SECONDS: Final = 1.0
"""Seconds for the peer to answer a close frame."""
PAGE_SECONDS: Final = 60.0
"""The time for a page that is not there at once: to be made, and to be sent; or for a part of it."""


log = logging.getLogger("racing_demon_server")


class FrameHandler(Protocol):
    """Handles a connection's frames.

    Attributes:
        is_flooding: whether further frames are ignored.
        throttle_us: microseconds, from the start of the last batch, during which nothing more is read.

    """

    is_flooding: bool
    throttle_us: int

    def new_batch(self) -> None:
        """Start a new batch of bytes."""

    def handle_frame(self, frame: Frame) -> None:
        """Handle a data frame."""

    def handle_short(self, message: bytes) -> None:
        """Handle a binary message that came in one short frame."""

    def count_control(self) -> None:
        """Count any other frame."""

    def drop_slow(self) -> None:
        """End the connection, because too many bytes wait to be sent."""


class Acceptor(Protocol):
    """Accepts connections."""

    def add_pending(self, connection: "Connection") -> None:
        """Add a connection that has not sent its request yet."""

    def answer(
        self, connection: "Connection", request: Request, handshake: ServerProtocol
    ) -> Response | Awaitable[Response]:
        """Return the HTTP answer to a connection's request: a page, an error, or the handshake's.

        Only a page may come later.
        """

    def refuse_long(self, connection: "Connection") -> Response | None:
        """Return the HTTP answer to a request that is too long; ``None`` for none."""

    def open(self, connection: "Connection", request: Request) -> FrameHandler:
        """Return the handler of a connection whose handshake is complete."""

    def remove(self, connection: "Connection") -> None:
        """Remove a connection that is lost."""


class Connection(asyncio.BufferedProtocol):
    """A WebSocket that passes each message on in the call that read its last bytes.

    A play comes as one short frame, in a read of its own. This class parses such a frame itself while the
    library holds no partial frame. The library parses all others.

    Anybody can connect, so a connection uses little memory and is freed at its end without the garbage
    collector: see :meth:`connection_lost`.

    Attributes:
        is_open: whether messages may be sent: the handshake is complete, and no close frame was sent.
        encoding: the encoding that the handshake agreed on.
        transport: the socket.

    Args:
        acceptor: accepts the connection.
        settings: the server's.
        buffer: receives the bytes. All connections share it, because each handles its bytes in the same call.

    """

    transport: asyncio.Transport
    encoding: Encoding
    _protocol: ServerProtocol

    def __init__(self, acceptor: Acceptor, settings: ServerSettings, buffer: memoryview) -> None:
        self.is_open = False
        self._acceptor = acceptor
        self._settings = settings
        self._buffer = buffer
        self._loop = asyncio.get_running_loop()
        self._handler: FrameHandler | None = None
        self._request = bytearray()
        self._is_answered = False
        self._unread = bytearray()
        self._unframed = 0
        self._is_fragment_next = False
        self._may_read_short = False
        self._is_heard = True
        self._throttled: asyncio.TimerHandle | None = None
        self._deadline: asyncio.TimerHandle | None = None
        self._heartbeat: asyncio.TimerHandle | None = None
        self._heartbeat_seconds = settings.ping_seconds
        self._upstream: asyncio.Transport | None = None
        self._page: asyncio.Future[Response] | asyncio.Task[None] | None = None
        self._may_write: asyncio.Event | None = None

    @property
    def address(self) -> str:
        """The peer's address; empty if there is none, or the connection is lost."""
        peer = self.transport.get_extra_info("peername")
        return str(peer[0]) if peer else ""

    # Opening and closing.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start the timeout for the client's request."""
        self.transport = cast("asyncio.Transport", transport)
        self.transport.set_write_buffer_limits(self._settings.backlog_bytes)
        self._set_deadline(self._settings.entry_seconds)
        self._acceptor.add_pending(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel all timers, and release all references.

        The library's protocol and the generator that parses for it refer to each other. Such cycles outlive
        the connection until a sweep (see :mod:`~racing_demon_server.ops.garbage_collection`), with all bytes
        that they hold.
        """
        self.is_open = False
        for timer in (self._throttled, self._deadline, self._heartbeat):
            if timer is not None:
                timer.cancel()
        if self._page is not None:
            self._page.cancel()
            self._page = None
        self._acceptor.remove(self)
        if self._handler is not None:
            self._handler = None
            vars(self._protocol).clear()
        self._request.clear()
        self._unread.clear()
        if self._upstream is not None:
            self._upstream.close()
            self._upstream = None
        if exc is not None:
            exc.__traceback__ = None

    def close(self, code: int, reason: str = "") -> None:
        """Send a close frame, and end the connection when it is answered, or after a time-out."""
        if self.is_open:
            self._protocol.send_close(code, reason)
            self._write()

    def forward_to(self, upstream: asyncio.Transport) -> bool:
        """Forward all bytes from now on to another server. Return whether that can begin just now."""
        if not self._may_read_short or self._throttled is not None or self.transport.is_closing():
            return False
        if self._heartbeat is not None:  # the other server sends heartbeats of its own
            self._heartbeat.cancel()
        self._upstream = upstream
        upstream.write(bytes(self._unread))
        self._unread.clear()
        return True

    def _set_deadline(self, seconds: float) -> None:
        """End the connection at a moment, whatever its state."""
        if self._deadline is not None:
            self._deadline.cancel()
        self._deadline = self._loop.call_later(seconds, self.transport.abort)

    def slow_heartbeat(self, seconds: float) -> None:
        """Send heartbeats less often, as the client has asked."""
        self._heartbeat_seconds = max(seconds, self._heartbeat_seconds)

    def _beat(self) -> None:
        """Send a heartbeat, or end the connection if the last one was not answered."""
        self._heartbeat = self._loop.call_later(self._heartbeat_seconds, self._beat)
        if not self.is_open:
            return
        if self._is_heard:
            self._is_heard = False
            self._protocol.send_ping(b"")
        else:
            self._protocol.fail(CloseCode.INTERNAL_ERROR, "keepalive ping timeout")
        self._write()

    # Writing.

    def _write(self) -> None:
        """Send the library's bytes, and record whether the connection closes with them."""
        was_open, self.is_open = self.is_open, self._protocol.state is State.OPEN
        self._send(self._protocol.data_to_send())
        if was_open and not self.is_open:
            self._set_deadline(CLOSE_SECONDS)

    def _send(self, written: Iterable[bytes]) -> None:
        """Send the library's bytes; empty ones are the end."""
        for data in written:
            if self.transport.is_closing():
                continue
            if data:
                self.transport.write(data)
            elif self.transport.can_write_eof():
                try:
                    self.transport.write_eof()
                except OSError:  # the peer has closed its socket already
                    self.transport.abort()
            else:
                self.transport.close()

    def pause_writing(self) -> None:
        """Disconnect a slow reader, instead of buffering for it; a page that is made meanwhile waits."""
        if self._handler is not None:
            self._handler.drop_slow()
        elif self._may_write is not None:
            self._may_write.clear()

    def resume_writing(self) -> None:
        """Go on with a page that is made while it is sent."""
        if self._may_write is not None:
            self._may_write.set()

    # Reading.

    def get_buffer(self, sizehint: int) -> memoryview:
        """Return where bytes are read to."""
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        """Handle bytes that were read."""
        self.data_received(bytes(self._buffer[:nbytes]))

    def data_received(self, data: bytes) -> None:
        """Stamp bytes as they are read, and handle them; of many, a slice at a time.

        The rest is stamped when it is handled, like bytes that the system still holds.
        """
        if self._upstream is not None:
            self._upstream.write(data)
            return
        handler = self._handler
        if handler is not None and self._throttled is None and len(data) <= AT_ONCE and not self._unread:
            handler.new_batch()
            if not handler.is_flooding and not self.transport.is_closing():
                self._read_frames(handler, data)
                if handler.throttle_us:
                    self._throttle(handler)
            return
        self._unread += data
        if len(self._unread) == len(data) and self._throttled is None:  # else earlier bytes come first
            self._read_slice()

    def _read_slice(self) -> None:
        """Handle a slice of the bytes that were read, and yield to the loop before the next."""
        handler = self._handler
        if self.transport.is_closing() or (handler is not None and handler.is_flooding):
            self._unread.clear()
        if self._unread:
            taken = bytes(self._unread[:SLICE])
            del self._unread[:SLICE]
            if handler is None:
                self._read_request(taken)
            else:
                handler.new_batch()
                self._feed(handler, taken)
        if handler is not None and handler.throttle_us:
            self._throttle(handler)
        elif self._unread:
            self.transport.pause_reading()
            self._loop.call_soon(self._read_slice)
        else:
            self._loop.call_soon(self._read_on)

    def _throttle(self, handler: FrameHandler) -> None:
        """Stop reading for a while, because the client has used up its units.

        Other clients are not affected.
        """
        self.transport.pause_reading()
        self._throttled = self._loop.call_later(
            seconds_until(handler.throttle_us), self._end_throttle, handler
        )

    def _end_throttle(self, handler: FrameHandler) -> None:
        """Continue with the bytes that were read before; they arrive now, like those that were not read."""
        self._throttled = None
        handler.throttle_us = 0
        self._read_slice()

    def _read_on(self) -> None:
        """Resume reading once the last bytes are handled.

        Earlier, uvloop would read the next bytes as a new batch, which would overtake these.
        """
        self.transport.resume_reading()

    def _read_request(self, data: bytes) -> None:
        """Collect the bytes of the request, and answer it. After an HTTP answer nothing more is read."""
        if self._is_answered:
            return
        self._request += data
        end = self._request.find(END_OF_REQUEST, -len(data) - len(END_OF_REQUEST)) + len(END_OF_REQUEST)
        is_whole = end >= len(END_OF_REQUEST)
        if is_whole or len(self._request) > MAX_REQUEST:
            request, self._request = bytes(self._request), bytearray()
            self._is_answered = True
            self._answer(request[:end] if is_whole else b"", request[end:])

    def _answer(self, data: bytes, rest: bytes) -> None:
        """Answer a request; an empty one was too long. Frames follow a handshake."""
        handshake = ServerProtocol(subprotocols=SUBPROTOCOLS)  # which would keep the request
        handshake.receive_data(data)
        request = next((cast("Request", event) for event in handshake.events_received()), None)
        response: Response | Awaitable[Response] | None
        if request is not None:
            response = self._acceptor.answer(self, request, handshake)
        elif not data or any(handshake.data_to_send()):  # the library has answered: something is too long
            response = self._acceptor.refuse_long(self)
        else:  # it is no HTTP
            response = None
        if response is None:
            self.transport.abort()
            return
        if not isinstance(response, Response):
            self._set_deadline(PAGE_SECONDS)
            self._page = asyncio.ensure_future(response)
            self._page.add_done_callback(self._send_page)
            vars(handshake).clear()
            return
        self._send([response.serialize()])
        if response.status_code != HTTPStatus.SWITCHING_PROTOCOLS:
            self._send([SEND_EOF])
        elif request is not None:
            self._open(request, Encoding(str(handshake.subprotocol)), rest)
        vars(handshake).clear()  # see connection_lost

    def _send_page(self, page: "asyncio.Future[Response]") -> None:
        """Send a page that was made meanwhile."""
        self._page = None
        if page.cancelled() or self.transport.is_closing():
            return
        response = page.result()
        if isinstance(response, StreamedResponse):
            self._page = asyncio.create_task(self._stream(response))
            return
        self._send([response.serialize()])
        self._send([SEND_EOF])

    async def _stream(self, response: StreamedResponse) -> None:
        """Send a page while it is made, no faster than it is read; at its end the connection is closed."""
        self._may_write = asyncio.Event()
        self._may_write.set()
        self._send([response.serialize()])
        try:
            async for piece in response.pieces:
                if piece:
                    self._send([b"%x\r\n%b\r\n" % (len(piece), piece)])
                self._set_deadline(PAGE_SECONDS)
                await self._may_write.wait()
        except Exception as error:
            if not isinstance(error, CutOff):
                log.exception("a request could not be answered")
            self.transport.abort()  # without the last chunk, which says that all is there
        else:
            self._send([b"0\r\n\r\n", SEND_EOF])
        self._page = None

    def _open(self, request: Request, encoding: Encoding, rest: bytes) -> None:
        """Start handling frames, beginning with those that came with the handshake."""
        if self._deadline is not None:
            self._deadline.cancel()
        self.encoding = encoding
        self._protocol = ServerProtocol(state=State.OPEN, max_size=MAX_CLIENT_FRAME)
        self.is_open = True
        self._handler = self._acceptor.open(self, request)
        self._heartbeat = self._loop.call_later(self._heartbeat_seconds, self._beat)
        self._update_short_path()
        if rest:
            self._handler.new_batch()
            self._feed(self._handler, rest)

    def _read_frames(self, handler: FrameHandler, data: bytes) -> None:
        """Handle bytes: short frames at once, while the library waits for the first byte of a frame."""
        while self._may_read_short:
            message = short_message(data)
            if message is None:
                break
            handler.handle_short(message)
            data = data[HEADER + len(message) :]
            if not data or handler.is_flooding:
                return
        self._feed(handler, data)

    def _feed(self, handler: FrameHandler, data: bytes) -> None:
        """Pass bytes to the library, and complete frames to the handler."""
        self._unframed += len(data)
        self._protocol.receive_data(data)
        events = self._protocol.events_received()
        self._write()  # a pong precedes the answer to what followed its ping
        for event in events:
            frame = cast("Frame", event)
            self._unframed -= wire_size(frame)
            if frame.opcode in DATA_OPCODES:
                self._is_fragment_next = not frame.fin
                handler.handle_frame(frame)
            else:
                self._is_heard = True
                handler.count_control()
        self._update_short_path()

    def _update_short_path(self) -> None:
        """Allow the short path where a message may begin: after a complete frame, before any close frame."""
        self._may_read_short = self.is_open and not self._unframed and not self._is_fragment_next


def short_message(data: bytes) -> bytes | None:
    """Return the message at the beginning of bytes, if it is binary, short and complete."""
    if len(data) < HEADER or data[0] != WHOLE_BINARY:
        return None
    length = data[1] - MASKED
    if not 0 <= length <= SHORT or len(data) < HEADER + length:
        return None
    mask = (data[MASK:HEADER] * (length // 4 + 1))[:length]
    masked = int.from_bytes(data[HEADER : HEADER + length], "little")
    return (masked ^ int.from_bytes(mask, "little")).to_bytes(length, "little")


def wire_size(frame: Frame) -> int:
    """Return the size of a client's frame on the wire, with its length encoded as short as possible."""
    length = len(frame.data)
    return HEADER + length + (0 if length <= SHORT else 2 if length < 65_536 else 8)
