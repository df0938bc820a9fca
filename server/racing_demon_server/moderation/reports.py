"""What people report to the operator: a file each, beside the journal, with the last lines of chat.

All processes of a server write into the same folder. Only the operator's command reads it.
"""

import asyncio
import contextlib
import logging
import os
import re
import secrets
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ValidationError

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.wire.messages.events import Event, Said
from racing_demon_server.private_file import write_private
from racing_demon_server.tables.feed import CommittedTable
from racing_demon_server.tables.observer import Observer

MAX_REPORTS: Final = 500
"""Reports in the folder. Beyond that those that are done make room, the oldest first."""
MAX_BYTES: Final = 64 * 1024
"""No report is longer."""
CHAT_LINES: Final = 20
"""The last lines of chat that go with a report."""
OPEN: Final = ".json"
DONE: Final = ".done"
FULL: Final = "Too many reports wait for whoever runs this server. Try again later."
FAILED: Final = "The report could not be kept: the server cannot write to its disk. Try again later."

log = logging.getLogger("racing_demon_server")


class Person(BaseModel):
    """Somebody at a table.

    Attributes:
        who: their name, or what they are.
        seat: their seat; ``None`` for a spectator.
        address: where they are; ``None`` for somebody who is away, empty for this machine.

    """

    who: str
    seat: int | None
    address: str | None


class ChatLine(BaseModel):
    """A line of chat, and when it was said, in seconds since 1970."""

    at: int
    who: str
    text: str


class StoredReport(BaseModel):
    """A report.

    Attributes:
        at: when it was made, in seconds since 1970.
        table: the table's code.
        by: who made it.
        about: whom it is about; ``None`` for the whole table.
        text: what they say.
        chat: the last lines of chat before it.

    """

    at: int
    table: str
    by: Person
    about: Person | None
    text: str
    chat: tuple[ChatLine, ...]


class Reports(Observer):
    """Takes reports, and remembers what was said last at each table.

    Args:
        folder: where they are kept.
        now: returns the seconds since 1970.

    """

    def __init__(self, folder: Path, now: Callable[[], float]) -> None:
        self._folder = folder
        self._now = now
        self._chat: dict[CommittedTable, deque[ChatLine]] = {}

    def published(self, table: CommittedTable, events: Sequence[Event]) -> None:
        """Remember what was said."""
        for event in events:
            if type(event) is Said and (state := table.settled.seats.get(event.seat)) is not None:
                line = ChatLine(at=int(self._now()), who=state.name, text=event.text)
                self._chat.setdefault(table, deque(maxlen=CHAT_LINES)).append(line)

    def closed(self, table: CommittedTable) -> None:
        """Forget what was said at a table."""
        self._chat.pop(table, None)

    async def keep(self, table: CommittedTable, by: Person, about: Person | None, text: str) -> None:
        """Write a report in a thread.

        Raises:
            CommandRefused: there are too many, or it cannot be written.

        """
        chat, code, now = tuple(self._chat.get(table, ())), table.view.code, self._now()
        name = f"{int(now * 1_000_000):013x}{secrets.token_hex(2)}"  # in order of time
        report = StoredReport(at=int(now), table=code, by=by, about=about, text=text, chat=chat)
        try:
            kept = await asyncio.to_thread(_write, self._folder, name, report)
        except OSError:
            log.exception("a report could not be written")
            raise CommandRefused(Reason.HALTED, FAILED) from None
        if not kept:
            raise CommandRefused(Reason.NOT_NOW, FULL)
        log.warning("somebody has made a report", extra={"table": code})


# The folder.


def _write(folder: Path, name: str, report: StoredReport) -> bool:
    """Write a report. Return ``False`` if there are too many."""
    folder.mkdir(mode=0o700, exist_ok=True)
    names = sorted(os.listdir(folder))
    if sum(name.endswith(OPEN) for name in names) >= MAX_REPORTS:
        return False
    done = [name for name in names if name.endswith(DONE)]
    for old in done[: max(0, len(names) + 1 - MAX_REPORTS)]:
        with contextlib.suppress(FileNotFoundError):  # another process was faster
            os.unlink(folder / old)
    write_private(folder / f"{name}{OPEN}", report.model_dump_json())
    return True


def count_open(folder: Path) -> int:
    """Return how many reports are not done; 0 if they cannot be read."""
    try:
        return sum(name.endswith(OPEN) for name in os.listdir(folder))
    except OSError:
        return 0


def read_reports(folder: Path, *, done: bool = False) -> Iterator[tuple[str, bool, StoredReport | None]]:
    """Yield the reports, oldest first: the name of each, whether it is done, and what it says.

    What cannot be read says ``None``.

    Args:
        folder: where they are kept.
        done: whether to yield those that are done, too.

    Raises:
        OSError: the folder cannot be read.

    """
    for path in sorted(folder.iterdir()) if folder.exists() else ():
        if path.suffix == OPEN or (done and path.suffix == DONE):
            try:
                with path.open("rb") as file:
                    report = StoredReport.model_validate_json(file.read(MAX_BYTES))
            except (OSError, ValidationError):
                report = None
            yield path.stem, path.suffix == DONE, report


def mark_done(folder: Path, name: str) -> bool:
    """Mark a report as done. Return whether it was open.

    Raises:
        OSError: the file cannot be renamed.

    """
    if re.fullmatch(r"[0-9a-f]{1,32}", name) is None:
        return False
    try:
        os.rename(folder / f"{name}{OPEN}", folder / f"{name}{DONE}")
    except FileNotFoundError:
        return False
    return True
