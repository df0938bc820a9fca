"""Keeps the record of a table: what everybody may see, one JSON object a line."""

import time
from collections.abc import Callable

from racing_demon_protocol.messages import Event, Message
from racing_demon_protocol.messages.events import MatchOver
from racing_demon_protocol.messages.server import Snapshot
from racing_demon_protocol.record import tally_line, to_line
from racing_demon_protocol.view import TableView

__all__ = ["Recorder"]


class Recorder:
    """Writes the record of one table, with the milliseconds since it began beside each line.

    Args:
        write: takes a line.

    """

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._start = time.monotonic()

    def keep(self, message: Message, view: TableView) -> None:
        """Write a message down if it is public: private ones hold the seat's token."""
        if isinstance(message, Snapshot | Event):
            self._write(to_line(message, at_ms=int((time.monotonic() - self._start) * 1_000)))
        if isinstance(message, MatchOver):
            self._write(tally_line(view))
