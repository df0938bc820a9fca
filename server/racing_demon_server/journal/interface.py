"""What a journal is to the tables, and what a store is to a journal.

A store writes changes, each group as a whole, and reads back what stands there. There are two:
:mod:`.sqlite`, one file for one server, and :mod:`.postgres`, a database for many.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol

from .operations import Change

__all__ = ["Fenced", "Journal", "JournalReader", "JournalUnusable", "Store", "StoredTable"]


class JournalUnusable(Exception):
    """A journal cannot be used; the text says why, and what to do. It was left as it was."""


class Fenced(Exception):
    """Other servers have taken this one for dead, and its tables: it can never write again."""


class StoredTable(NamedTuple):
    """A table as it was opened. ``closed_ms`` is ``None`` for one that goes on, as is where its log ends."""

    id: int
    code: str
    number: int
    options: str
    salt: bytes
    passphrase: bytes | None
    software: str
    protocol: int
    opened_ms: int
    closed_ms: int | None
    last_event: int | None


Row = Sequence[Any]
"""A row as it stands in the store; whoever reads it verifies it."""


class JournalReader(Protocol):
    """Reads a journal, row by row; :mod:`.reader` makes sense of them.

    Attributes:
        errors: what is raised where the store itself cannot read.

    """

    errors: tuple[type[Exception], ...]

    def tables(self, *, only_open: bool = False) -> Iterator[StoredTable]:
        """Yield the tables, the oldest first; open ones are those that a server of this reader's has."""

    def events(self, table_id: int, first: int, last: int) -> Iterable[Row]:
        """Return number, kind, at_us, at_ms and frame of a table's events between two numbers, in order.

        A run of plays may begin before and end behind them. Whispers stand behind the event whose number
        they bear.
        """

    def marks(self, table_id: int, kinds: Iterable[int], first: int, last: int) -> Iterable[Row]:
        """Return the same of the events of some kinds, none of them plays."""

    def beaten(self, table_id: int, first: int, last: int) -> Iterable[Row]:
        """Return number of the event before, actor, at_us, at_ms and frame of refusals, in order."""

    def corrections(self, match: str) -> Iterable[Row]:
        """Return the corrections of a match, in order."""

    def corrected(self) -> list[str]:
        """Return which matches have corrections."""

    def correct(self, match: str, entry: str) -> None:
        """Append a correction. The journal must have been opened to be written."""

    def seeds(self, table_id: int) -> Iterable[Row]:
        """Return hand's id and seed of a table's hands."""

    def claims(self, table_id: int) -> Iterable[Row]:
        """Return actor, hash of the token, counter and answer of a table's claims."""

    def bans(self, table_id: int) -> Iterable[Row]:
        """Return name, hash of the token and hash of the address of those who were sent away, in order."""

    def epochs(self, table_id: int) -> Iterable[Row]:
        """Return name and number of the event before of a table's epochs, the oldest first."""

    def beginnings(self, table_id: int) -> Iterable[Row]:
        """Return number and frame of the snapshots that stretches of a log begin with, the oldest first."""

    def snapshots(self, table_id: int, until_us: int, most: int) -> Iterable[Row]:
        """Return number and frame of some snapshots up to a time, the newest first; -1 for all."""

    def last_us(self) -> int:
        """Return the newest time of open tables, on the clock of their server; 0 where there is none."""

    def moment(self) -> AbstractContextManager[None]:
        """Read all at one moment, as long as this lasts."""

    def faults(self) -> Iterator[str]:
        """Yield what the store finds wrong with itself."""


class Store(Protocol):
    """Writes the journal of one server. To be used in the writer's thread, but for what says otherwise.

    Attributes:
        patience: after so many seconds without an answer the tables stand still; ``None`` where the store
            always answers in time, or with an error.

    """

    patience: float | None

    def commit(self, changes: list[Change]) -> None:
        """Write changes, all of them or none, and return when they are certain.

        Where this raises, they may have been written or not: it is called again with the same changes, to
        which others may have been added behind.

        Raises:
            Fenced: this server may never write again.
            Exception: the store cannot be written at the moment.

        """

    def reading(self) -> AbstractContextManager[JournalReader]:
        """Open the journal to be read; in any thread.

        Raises:
            JournalUnusable: it cannot be read.

        """

    def new_number(self) -> int:
        """Return a new table's number in the journal; on the loop's thread."""

    def close(self) -> None:
        """Let others have the journal."""


class Journal(Protocol):
    """The journal of one server, as its tables know it. To be used on the loop's thread alone.

    Attributes:
        keeps: whether tables outlive the server.
        ahead_us: how far ahead a time is written that no restart goes back behind, in microseconds; the next
            one is written when it has come.
        is_halted: whether nothing can be written at the moment.
        halted: is told when that changes.

    """

    keeps: bool
    ahead_us: int
    is_halted: bool
    halted: Callable[[bool], None]

    def write(self, changes: Sequence[Change], told: Callable[[], None]) -> None:
        """Write changes as a whole, and call back when it is done, in the order of the calls."""

    def new_number(self) -> int:
        """Return a new table's number."""

    def reading(self) -> AbstractContextManager[Sequence[JournalReader]]:
        """Open what is kept to be read, by one reader; by none where nothing is kept.

        Raises:
            JournalUnusable: it cannot be read.

        """

    async def drained(self) -> None:
        """Wait until nothing waits to be written."""

    def close(self) -> None:
        """Write what waits, if it can be written, and close the store."""
