"""Events as frames, and the listeners that receive them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Protocol

from websockets.frames import Frame, Opcode

from racing_demon_protocol.enums import CloseCode
from racing_demon_protocol.wire.codec import Encoding, decode_server, encode, pack
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages.events import Event, Played

SHORT: Final = 125
"""The longest payload with a header of two bytes (RFC 6455, 5.2)."""
_HEADERS: Final = [bytes((0x80 | Opcode.BINARY, length)) for length in range(SHORT + 1)]
MSGPACK: Final = Encoding.MSGPACK
"""Looked up once, because members of an enumeration are slow to look up."""


class Listener(Protocol):
    """Receives a table's events: a connection, in either encoding.

    Attributes:
        encoding: the encoding of its frames.
        shows_races: whether it understands ``race_lost``.
        software: the name and version of its client.
        address: the name under which its client is counted.
        owes: whether it may owe units for the consequences of its plays.

    """

    encoding: Encoding
    shows_races: bool
    software: str
    address: str
    owes: bool

    def send(self, events: "Batch") -> None:
        """Send events, together."""

    def reply(self, message: Message) -> None:
        """Send a message to this listener only."""

    def settle(self, at: int) -> bool:
        """Let it pay for the consequences of its commands. Return whether nothing is owed any more."""

    def charge(self, events: int, kept: int) -> None:
        """Charge it for further events of its last play, and for the bytes on the disk of what it did."""

    def owe(self, units: int) -> None:
        """Charge it units for what its last command has led to."""

    def close(self, code: CloseCode, reason: str) -> None:
        """Close the connection with a reason for its user."""


class Encodable(Protocol):
    """A message that can be turned into the bytes of a frame."""

    def framed(self, encoding: Encoding) -> bytes:
        """Return the message as a WebSocket frame."""


class EncodedEvent:
    """One event, encoded and framed once for each encoding in use.

    Attributes:
        event: the event.
        at: when it happened, in microseconds.
        seat: the only seat that receives it; ``None`` if everybody does.
        packed: the event in the encoding of the wire and the journal.

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
        """Return the event as a WebSocket frame."""
        if encoding is MSGPACK:
            if self._binary is None:
                self._binary = _frame(self.packed)
            return self._binary
        if self._text is None:
            self._text = framed(self.event, encoding)
        return self._text


def encoded_events(log: Iterable[tuple[Event, int]]) -> Iterator[EncodedEvent]:
    """Yield a log's events. A play with the number of the event before it is for its player only."""
    before = 0
    for event, at in log:
        is_whispered = event.seq == before and isinstance(event, Played)
        yield EncodedEvent(event, at, event.seat if isinstance(event, Played) and is_whispered else None)
        before = event.seq


class PackedEvent:
    """An event that was sent before, still encoded.

    Args:
        packed: the encoded event.

    """

    __slots__ = ("_packed",)

    def __init__(self, packed: bytes) -> None:
        self._packed = packed

    def framed(self, encoding: Encoding) -> bytes:
        """Return the event as a WebSocket frame."""
        if encoding is Encoding.MSGPACK:
            return _frame(self._packed)
        return framed(decode_server(self._packed), encoding)


class DirectMessage:
    """A message for one listener only.

    Args:
        message: the message.

    """

    __slots__ = ("_message",)

    def __init__(self, message: Message) -> None:
        self._message = message

    def framed(self, encoding: Encoding) -> bytes:
        """Return the message as a WebSocket frame."""
        return framed(self._message, encoding)


class Batch(dict[Encoding, bytes]):
    """Messages that are sent together, as bytes by encoding.

    They are joined once for each encoding in use, however many listeners there are.

    Args:
        messages: the messages.

    """

    def __init__(self, messages: Sequence[Encodable]) -> None:
        super().__init__()
        self.messages = messages

    def __missing__(self, encoding: Encoding) -> bytes:
        """Join the messages."""
        joined = self[encoding] = b"".join([each.framed(encoding) for each in self.messages])
        return joined


def framed(message: Message, encoding: Encoding) -> bytes:
    """Return a message as an unmasked WebSocket frame."""
    data = encode(message, encoding)
    if isinstance(data, str):
        return Frame(Opcode.TEXT, data.encode()).serialize(mask=False)
    return _frame(data)


def _frame(data: bytes) -> bytes:
    if len(data) <= SHORT:
        return _HEADERS[len(data)] + data
    return Frame(Opcode.BINARY, data).serialize(mask=False)
