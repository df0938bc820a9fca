"""Whoever gets a table's events, and the frames that they get."""

from collections.abc import Sequence
from typing import Protocol

from websockets.frames import Frame, Opcode

from racing_demon_protocol.codec import Encoding, encode
from racing_demon_protocol.messages import Message
from racing_demon_protocol.messages.events import Event
from racing_demon_protocol.reasons import CloseCode

__all__ = ["Frames", "Listener", "framed"]


class Listener(Protocol):
    """Whoever gets a table's events: a connection, in whichever encoding."""

    encoding: Encoding

    def send(self, events: Sequence["Frames"]) -> None:
        """Send events, together."""

    def reply(self, message: Message) -> None:
        """Send a message to this listener alone."""

    def close(self, code: CloseCode, reason: str) -> None:
        """End the connection with a sentence for its user."""


class Frames:
    """One event, encoded and framed once for each encoding that somebody wants.

    Attributes:
        event: the event.

    """

    def __init__(self, event: Event) -> None:
        self.event = event
        self._frames: dict[Encoding, bytes] = {}
        self._packed: bytes | None = None

    def framed(self, encoding: Encoding) -> bytes:
        """Return the event as the bytes that go through a socket."""
        frame = self._frames.get(encoding)
        if frame is None:
            packed = self.packed() if encoding is Encoding.MSGPACK else None
            frame = self._frames[encoding] = (
                framed(self.event, encoding) if packed is None else _frame(packed)
            )
        return frame

    def packed(self) -> bytes:
        """Return the event as it is on the wire and in the journal."""
        if self._packed is None:
            packed = encode(self.event)
            assert isinstance(packed, bytes)
            self._packed = packed
        return self._packed


def framed(message: Message, encoding: Encoding) -> bytes:
    """Return a message as the WebSocket frame that goes through a server's socket."""
    data = encode(message, encoding)
    if isinstance(data, str):
        return Frame(Opcode.TEXT, data.encode()).serialize(mask=False)
    return _frame(data)


def _frame(data: bytes) -> bytes:
    return Frame(Opcode.BINARY, data).serialize(mask=False)
