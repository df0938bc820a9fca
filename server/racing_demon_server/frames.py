"""Whoever gets a table's events, and the frames that they get."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Protocol

from websockets.frames import Frame, Opcode

from racing_demon_protocol.reasons import CloseCode
from racing_demon_protocol.wire.codec import Encoding, decode_server, encode, pack
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages.events import Event, Played

__all__ = ["Alone", "Batch", "Framed", "Frames", "Listener", "Packed", "framed", "frames_of"]


SHORT: Final = 125
"""So many bytes have a header of two bytes (RFC 6455, 5.2)."""
_HEADERS: Final = [bytes((0x80 | Opcode.BINARY, length)) for length in range(SHORT + 1)]
MSGPACK: Final = Encoding.MSGPACK
"""Looked up once: members of an enumeration take the interpreter long."""


class Listener(Protocol):
    """Whoever gets a table's events: a connection, in whichever encoding."""

    encoding: Encoding

    def send(self, events: "Batch") -> None:
        """Send events, together."""

    def reply(self, message: Message) -> None:
        """Send a message to this listener alone."""

    def close(self, code: CloseCode, reason: str) -> None:
        """End the connection with a sentence for its user."""


class Framed(Protocol):
    """One message, whose bytes can be asked for."""

    def framed(self, encoding: Encoding) -> bytes:
        """Return the message as the bytes that go through a socket."""


class Frames:
    """One event, encoded and framed once for each encoding that somebody wants.

    Attributes:
        event: the event.
        at: when it happened, in microseconds.
        seat: whose player alone is told; ``None`` where everybody is.
        packed: the event as it is on the wire and in the journal.

    """

    __slots__ = ("_binary", "_text", "at", "event", "packed", "seat")

    def __init__(self, event: Event, at: int, seat: int | None = None) -> None:
        self.event = event
        self.at = at
        self.seat = seat
        self.packed = pack(event)
        self._binary: bytes | None = None
        self._text: bytes | None = None

    def framed(self, encoding: Encoding) -> bytes:
        """Return the event as the bytes that go through a socket."""
        if encoding is MSGPACK:
            if self._binary is None:
                self._binary = _frame(self.packed)
            return self._binary
        if self._text is None:
            self._text = framed(self.event, encoding)
        return self._text


def frames_of(log: Iterable[tuple[Event, int]]) -> Iterator[Frames]:
    """Yield a log's events; a play that bears the number of the event before is for its player alone."""
    before = 0
    for event, at in log:
        is_whispered = event.seq == before and isinstance(event, Played)
        yield Frames(event, at, event.seat if isinstance(event, Played) and is_whispered else None)
        before = event.seq


class Packed:
    """One event that was sent before, as the bytes that it was then.

    Args:
        packed: the event, as it is on the wire.

    """

    __slots__ = ("_packed",)

    def __init__(self, packed: bytes) -> None:
        self._packed = packed

    def framed(self, encoding: Encoding) -> bytes:
        """Return the event as the bytes that go through a socket."""
        if encoding is Encoding.MSGPACK:
            return _frame(self._packed)
        return framed(decode_server(self._packed), encoding)


class Alone:
    """A message for one listener alone.

    Args:
        message: the message.

    """

    __slots__ = ("_message",)

    def __init__(self, message: Message) -> None:
        self._message = message

    def framed(self, encoding: Encoding) -> bytes:
        """Return the message as the bytes that go through a socket."""
        return framed(self._message, encoding)


class Batch(dict[Encoding, bytes]):
    """Messages that go out together, by encodings as the bytes that go through a socket.

    They are put together once for each encoding that somebody wants, however many get them.

    Args:
        frames: the messages.

    """

    def __init__(self, frames: Sequence[Framed]) -> None:
        super().__init__()
        self.frames = frames

    def __missing__(self, encoding: Encoding) -> bytes:
        """Put the messages together."""
        joined = self[encoding] = b"".join([each.framed(encoding) for each in self.frames])
        return joined


def framed(message: Message, encoding: Encoding) -> bytes:
    """Return a message as the WebSocket frame that goes through a server's socket."""
    data = encode(message, encoding)
    if isinstance(data, str):
        return Frame(Opcode.TEXT, data.encode()).serialize(mask=False)
    return _frame(data)


def _frame(data: bytes) -> bytes:
    if len(data) <= SHORT:
        return _HEADERS[len(data)] + data
    return Frame(Opcode.BINARY, data).serialize(mask=False)
