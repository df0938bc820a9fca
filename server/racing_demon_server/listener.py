"""Whoever gets a table's events, and the frames that they get."""

from typing import Protocol

from racing_demon_protocol.codec import Encoding, encode
from racing_demon_protocol.messages import Message
from racing_demon_protocol.messages.events import Event
from racing_demon_protocol.reasons import CloseCode

__all__ = ["Frames", "Listener"]


class Listener(Protocol):
    """Whoever gets a table's events: a connection, in whichever encoding."""

    encoding: Encoding

    def send_frame(self, frame: bytes | str) -> None:
        """Send a frame that is encoded already."""

    def reply(self, message: Message) -> None:
        """Send a message to this listener alone."""

    def close(self, code: CloseCode, reason: str) -> None:
        """End the connection with a sentence for its user."""


class Frames:
    """One event, encoded once for each encoding that somebody wants.

    Attributes:
        event: the event.

    """

    def __init__(self, event: Event) -> None:
        self.event = event
        self._frames: dict[Encoding, bytes | str] = {}

    def send_to(self, listener: Listener) -> None:
        """Send the event to a listener."""
        frame = self._frames.get(listener.encoding)
        if frame is None:
            frame = self._frames[listener.encoding] = encode(self.event, listener.encoding)
        listener.send_frame(frame)
