"""What a journal offers to the tables, and what a store offers to a journal.

A store writes groups of changes atomically, and reads them back: :mod:`.sqlite` is one file for one server.
Other packages may add stores.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol

from .operations import BEGINS, MARKS, Change


class JournalUnusable(Exception):
    """A journal cannot be used. The text says why, and what to do. The journal is unchanged."""


class JournalMissing(JournalUnusable):
    """There is no such journal yet."""


class StoreLacks(JournalUnusable):
    """The store answers, but lacks something that an operator must provide.

    The text says what. It names no address, so that ``/healthz`` may show it to everybody.
    """


class Fenced(Exception):
    """Other servers have declared this one dead and taken its tables: it can never write again."""


class Superseded(Fenced):
    """A newer start under the same name has taken this one's tables: starting again would take them back."""


class UnstorableValue(Exception):
    """A store cannot hold a value, such as a text with a NUL: its caller's fault. The store is as before."""


class StoredTable(NamedTuple):
    """A table in the journal. ``closed_ms`` and the end of its log are ``None`` while it is open.

    ``listed`` is 1, or 0 if the table is in no list and no announcement.
    """

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
    listed: int


Row = Sequence[Any]
"""A row of the store, unvalidated."""


class SqlStore(Protocol):
    """What a server keeps besides tables, in a database of any kind. One thread at a time may use it.

    Parameters are written as SQLite has them: ``?1``, ``?2``...
    """

    def rows(self, sql: str, *values: object) -> Sequence[Row]:
        """Carry out a statement, and return the rows that it finds."""

    def stream(self, sql: str, *values: object) -> Iterator[Row]:
        """Yield the rows that a query finds, a few at a time."""

    def transaction(self) -> AbstractContextManager[None]:
        """Write everything inside the context, or nothing; nobody else writes meanwhile."""

    def tidy(self) -> None:
        """Leave nothing in the store's logs that was deleted or overwritten since, if they are not busy."""

    def interrupt(self) -> None:
        """End what another thread waits for."""

    def close(self) -> None:
        """Close the store."""


class JournalReader(Protocol):
    """Reads a journal row by row; :mod:`.reader` interprets the rows.

    Queries that every store understands are here, with parameters as SQLite has them: ``?1``, ``?2``...

    Attributes:
        errors: the exceptions of a store that cannot read.

    """

    errors: tuple[type[Exception], ...]

    def rows(self, sql: str, *values: object) -> Iterable[Row]:
        """Return the rows that a query finds."""

    def tables(self, *, only_open: bool = False) -> Iterator[StoredTable]:
        """Yield the tables, oldest first, unchecked. Open ones are those of this reader's server."""

    def find_table(self, table_id: int) -> StoredTable | None:
        """Return a table, unchecked; ``None`` if the journal does not have it any more."""

    def events(self, table_id: int, first: int, last: int, *, rest: bool = False) -> Iterable[Row]:
        """Return number, kind, at_us, at_ms and frame of a table's events between two numbers, in order.

        A run of plays may begin before and end after them. Whispers follow the event whose number they
        have; older servers wrote them one by one. If only the rest is wanted, private plays that are in
        the table's checkpoint are left out.
        """

    def marks(self, table_id: int, kinds: Iterable[int], first: int, last: int) -> Iterable[Row]:
        """Return the same for events of some kinds other than plays."""
        some = ", ".join(map(str, sorted(kinds)))
        return self.rows(
            f"SELECT seq, kind, at_us, at_ms, frame FROM events WHERE {MARKS} "  # noqa: S608 - numbers of our own
            f"AND kind IN ({some}) AND seq BETWEEN ?2 AND ?3 ORDER BY seq",
            *(table_id, first, last),
        )

    def beaten(self, table_id: int, first: int, last: int) -> Iterable[Row]:
        """Return the previous event's number, actor, at_us, at_ms and frame of lost races, in order."""
        return self.rows(
            "SELECT seq, actor, at_us, at_ms, frame FROM beaten "
            "WHERE table_id = ?1 AND seq BETWEEN ?2 AND ?3 ORDER BY seq, at_us, id",
            *(table_id, first, last),
        )

    def corrections(self, match: str) -> Iterable[Row]:
        """Return the corrections of a match, in order."""
        return self.rows("SELECT entry FROM corrections WHERE match = ?1 ORDER BY id", match)

    def corrected(self) -> list[str]:
        """Return the matches that have corrections."""
        return [match for (match,) in self.rows("SELECT DISTINCT match FROM corrections ORDER BY match")]

    def correct(self, match: str, entry: str) -> None:
        """Append a correction. The journal must be open for writing."""
        self.rows("INSERT INTO corrections (match, entry) VALUES (?1, ?2)", match, entry)

    def seeds(self, table_id: int) -> Iterable[Row]:
        """Return hand id, seed and commitment of a table's hands."""

    def claims(self, table_id: int) -> Iterable[Row]:
        """Return actor, token hash, counter and answer of a table's seat tokens."""
        return self.rows("SELECT actor, token_hash, counter, reply FROM claims WHERE table_id = ?1", table_id)

    def bans(self, table_id: int) -> Iterable[Row]:
        """Return name, token hash and address hash of the banned players, in order."""
        return self.rows(
            "SELECT name, token_hash, address_hash FROM bans WHERE table_id = ?1 ORDER BY id", table_id
        )

    def epochs(self, table_id: int) -> Iterable[Row]:
        """Return name and number of the previous event of a table's epochs, oldest first."""
        return self.rows("SELECT epoch, seq FROM epochs WHERE table_id = ?1 ORDER BY id", table_id)

    def beginnings(self, table_id: int) -> Iterable[Row]:
        """Return number and frame of the snapshots with which stretches of a log begin, oldest first."""
        return self.rows(
            f"SELECT seq, frame FROM snapshots WHERE table_id = ?1 AND {BEGINS} ORDER BY seq",  # noqa: S608
            table_id,
        )

    def snapshots(self, table_id: int, until_us: int, most: int) -> Iterable[Row]:
        """Return number and frame of some snapshots up to a time, newest first."""
        return self.rows(
            "SELECT seq, frame FROM snapshots WHERE table_id = ?1 AND at_us <= ?2 ORDER BY seq DESC LIMIT ?3",
            *(table_id, until_us, most),
        )

    def checkpoint(self, table_id: int) -> Iterable[Row]:
        """Return number, hand id, salt and frame of a table's checkpoint, if it has one."""
        return self.rows("SELECT seq, hand_id, salt, frame FROM checkpoints WHERE table_id = ?1", table_id)

    def last_us(self) -> int:
        """Return the newest time of open tables, on the clock of their server; 0 without one.

        After a crash during a hand this time may be in the future. Events that arrived together may be
        written some milliseconds out of order.
        """

    def moment(self) -> AbstractContextManager[None]:
        """Read one consistent state inside the context."""

    def faults(self) -> Iterator[str]:
        """Yield the faults that the store finds in itself."""


class Store(Protocol):
    """Writes the journal of one server. Only the writer's thread uses it, unless a method says otherwise.

    Attributes:
        patience: seconds without an answer after which tables halt; ``None`` if the store always answers soon
            or fails.

    """

    patience: float | None

    def commit(self, changes: list[Change]) -> None:
        """Write changes atomically, and return when they are durable.

        If this raises, the changes may or may not have been written. It is called again with the same
        changes, and possibly more after them.

        Raises:
            Fenced: this server may never write again.
            Exception: the store cannot write now.

        """

    def reading(self) -> AbstractContextManager[JournalReader]:
        """Open the journal for reading, in any thread.

        Raises:
            JournalUnusable: it cannot be read.

        """

    def new_number(self) -> int:
        """Return a new table's number in the journal. Only the loop's thread calls this.

        Raises:
            CommandRefused: too many tables were opened since the last commit.

        """

    def close(self) -> None:
        """Release the journal."""


class Journal(Protocol):
    """The journal of one server, as its tables use it, on the loop's thread.

    Attributes:
        is_durable: whether tables outlive the server.
        lead_us: how far ahead of the clock its watermark is written, in microseconds.
        is_halted: whether nothing can be written now.
        needs: what an operator must provide before the store can be written again; empty if unknown.
        halted: called when that changes.
        fenced: called with the reason when this server may never write again.

    """

    is_durable: bool
    lead_us: int
    is_halted: bool
    needs: str
    halted: Callable[[bool], None]
    fenced: Callable[[str], None]

    def write(self, changes: Sequence[Change], on_written: Callable[[], None]) -> None:
        """Write changes atomically, and call back when they are durable, in the order of the calls."""

    def new_number(self) -> int:
        """Return a new table's number, or raise as :meth:`Store.new_number` does."""

    def reading(self) -> AbstractContextManager[Sequence[JournalReader]]:
        """Open the journal for one reader; ``None`` if nothing is kept.

        Raises:
            JournalUnusable: it cannot be read.

        """

    async def drained(self) -> None:
        """Wait until nothing waits to be written."""

    def close(self) -> None:
        """Write what waits, if possible, and close the store."""


class JournalPart(NamedTuple):
    """One journal of a server that has one for each of its processes.

    Attributes:
        prefix: the prefix of its matches' names among those of the server.
        opened: opens it for reading, or for corrections as well (``write``); raises JournalUnusable.
        name: what results and players call it.

    """

    prefix: str
    opened: Callable[..., AbstractContextManager[JournalReader]]
    name: str


class UrlJournals(Protocol):
    """Opens journals that a URL names.

    Attributes:
        ADVICE: what to do instead of commands that are for files only, by command.

    """

    ADVICE: Mapping[str, str]

    def add_check_options(self, parser: ArgumentParser) -> None:
        """Add the options of a check."""

    def journal(self, url: str, given: Namespace) -> JournalPart:
        """Return a journal.

        Raises:
            JournalUnusable: it cannot be opened.

        """
