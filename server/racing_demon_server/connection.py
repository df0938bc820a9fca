"""A connection: bytes to frames, as soon as they are read, and no more of them than anybody needs."""

import asyncio
import logging
from typing import Any, Final, Protocol

from websockets.asyncio.server import ServerConnection
from websockets.frames import Frame, Opcode

__all__ = ["Connection"]

DATA_OPCODES: Final = {Opcode.TEXT, Opcode.BINARY, Opcode.CONT}
SLICE: Final = 2_048
"""So many bytes are looked at in one go: some hundreds of the shortest frames."""
MOST_EARLY: Final = 16
"""Frames that may come together with the handshake. The server speaks first, so there need not be any."""


class Reader(Protocol):
    """Whoever takes a connection's frames.

    Attributes:
        is_flooding: whether nothing more of it is looked at.

    """

    is_flooding: bool

    def new_batch(self) -> None:
        """Note that bytes are being read now."""

    def take(self, frame: Frame) -> None:
        """Deal with a data frame."""

    def count_control(self) -> bool:
        """Count any other frame; tell whether it is to be answered."""


class Door(Protocol):
    """Whoever looks after connections that nobody reads yet."""

    def await_handshake(self, connection: "Connection") -> None:
        """Let a fresh connection say what it wants."""

    def forget_handshake(self, connection: "Connection") -> None:
        """Wait for a connection no more."""

    def note_cut(self, number: int, why: str, event: str, level: int) -> None:
        """Log and count a connection that the server ends."""


class Connection(ServerConnection):
    """A WebSocket that hands each message over in the call that read its last bytes."""

    def __init__(self, door: Door, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._door = door
        self._session: Reader | None = None
        self._early: list[Frame] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Give the connection some time to say what it wants."""
        super().connection_made(transport)
        self._door.await_handshake(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        self._door.forget_handshake(self)
        super().connection_lost(exc)

    def begin(self, session: Reader) -> None:
        """Give all frames to a session, those first that were read before it was there."""
        self._session = session
        for frame in self._early:
            session.take(frame)
        self._early.clear()

    def data_received(self, data: bytes) -> None:
        """Stamp bytes as they are read; take them in slices, to stop in the middle of a flood."""
        if self._session is not None:
            self._session.new_batch()
        for start in range(0, len(data), SLICE):
            if self.transport.is_closing() or (self._session is not None and self._session.is_flooding):
                return
            super().data_received(data[start : start + SLICE])

    def process_event(self, event: Any) -> None:
        """Take data frames at once; count all others, and leave them to the library."""
        session = self._session
        if not isinstance(event, Frame):
            super().process_event(event)
        elif session is None:
            self._process_early(event)
        elif event.opcode in DATA_OPCODES:
            session.take(event)
        elif session.count_control():
            super().process_event(event)

    def _process_early(self, frame: Frame) -> None:
        """Keep a frame that came with the handshake. Whoever has much to say then says it to nobody."""
        if frame.opcode not in DATA_OPCODES or len(self._early) >= MOST_EARLY:
            self._door.note_cut(0, "flood", "connection cut", logging.WARNING)
            self.transport.abort()
        else:
            self._early.append(frame)
