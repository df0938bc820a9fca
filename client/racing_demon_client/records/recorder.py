"""Writes the record of a table: its public messages, one JSON object per line."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from racing_demon_client.errors import RecordFailed
from racing_demon_protocol.records.format import (
    USUAL_VERSION,
    Header,
    TimedMessage,
    entry_line,
    section_line,
    tally_line,
    version_for,
)
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Event, Message
from racing_demon_protocol.wire.messages.events import MatchOver
from racing_demon_protocol.wire.messages.server import Snapshot


def software() -> str:
    """Return this program's name and version."""
    from importlib.metadata import version  # noqa: PLC0415 - a slow import that is rarely needed

    return f"racing-demon {version('racing-demon')}"


@contextmanager
def explained_write_errors(path: str) -> Iterator[None]:
    """Explain a failure to write a record.

    Raises:
        RecordFailed: it could not be written.

    """
    try:
        yield
    except OSError as error:
        raise RecordFailed(path, error.strerror or "unknown reason") from error


class Recorder:
    """Writes the record of one table as a portable file.

    Each line includes the wall time, and the microseconds since the record began.

    Args:
        write: writes a line.

    """

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write
        self._start = time.monotonic_ns()
        self._has_begun = False
        self._version = USUAL_VERSION

    def record(self, message: Message, view: TableState) -> None:
        """Write a message if it is public: private ones contain the seat's token."""
        if isinstance(message, Snapshot | Event):
            if not self._has_begun:
                self._has_begun = True
                self._write(section_line(Header(kept_by="client", software=software())))
            if (version := version_for(message)) > self._version:
                self._version = version  # the header is written already, perhaps to a pipe
                raised = Header(version=version, kept_by="client", software=software(), continues=True)
                self._write(section_line(raised))
            at_us = (time.monotonic_ns() - self._start) // 1_000
            self._write(entry_line(TimedMessage(message, at_us, time.time_ns() // 1_000_000)))
        if isinstance(message, MatchOver):
            self._write(tally_line(view))
