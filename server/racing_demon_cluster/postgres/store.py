"""A PostgreSQL database as the store of one server's journal, written behind a fence."""

import contextlib
import logging
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any, Final

import psycopg

from racing_demon_cluster.seed_encryption import ClusterKeys
from racing_demon_cluster.settings import ClusterSettings
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_server.journal.interface import Fenced, JournalUnusable, Superseded
from racing_demon_server.journal.operations import COMMON_SQL, IS_UNUSED, KEEP_CHECKPOINT, Change, Operation
from racing_demon_server.journal.play_runs import RUN, plays_in

from .codes import MIN_LETTERS, code_of
from .connection import (
    NOW_MS,
    WRONG_MS,
    Database,
    connect,
    lock_holders,
    missing_standby,
    numbered,
    verify_standby,
)
from .nodes import is_superseded, limit_idleness, name_connection, register, renew, seconds_to_wait
from .reader import PostgresReader
from .schema import migrate, verify_version

BLOCK: Final = 512
"""How many tables' numbers are reserved ahead."""
START_SECONDS: Final = 3.0
"""A start that takes longer is explained in the log."""
LOCK_SECONDS: Final = 60
"""A start that waits longer for another session's lock is given up."""
FENCED: Final = frozenset({"RD001", "RD002", "23505"})
"""Errors of a fenced server: the fence, or a row with the same event's number or code, which another server
wrote."""
CANCELLED: Final = "01000"
"""The warning for a commit that did not wait for the standby, and may be lost with the primary."""
ENDING_SESSIONS: Final = frozenset({"pg_signal_backend", "pg_wait_until_termination"})
"""Where the database gives the same warning for a session that has just ended, or takes its time to."""

Statement = tuple[str, Sequence[Any]]
"""SQL, and its parameters."""

# All of these can be repeated with the same values.
_SQL: Final[dict[Operation, Sequence[str]]] = COMMON_SQL | {
    Operation.KEEP_CLAIM: (
        "INSERT INTO claims VALUES ($1, $2, $3, $4, $5) ON CONFLICT (table_id, actor) DO UPDATE SET "
        "token_hash = excluded.token_hash, counter = excluded.counter, reply = excluded.reply",
    ),
    Operation.ADD_WHISPER: (
        f"INSERT INTO whispers (kind, table_id, seq, place, at_us, at_ms, frame) VALUES ({RUN}, "  # noqa: S608
        "$1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING",
    ),
    Operation.KEEP_CHECKPOINT: (
        KEEP_CHECKPOINT.format(
            last_play="SELECT id FROM whispers WHERE table_id = $1 AND (seq, place) <= ($2, $3) "
            "ORDER BY seq DESC, place DESC LIMIT 1"
        ),
    ),
    Operation.FORGET_UNUSED: (),  # numbers are never reused, so no row is needed to reserve one
    Operation.CLOSE_TABLE: (
        f"UPDATE tables SET closed_ms = CASE WHEN abs($1::bigint - {NOW_MS}) > {WRONG_MS} THEN {NOW_MS} "  # noqa: S608
        "ELSE $1 END, last_event = (SELECT max(seq) FROM events WHERE table_id = $2) "
        "WHERE id = $2",
    ),
    Operation.FORGET_CLOSED: (
        *COMMON_SQL[Operation.FORGET_CLOSED],
        f"DELETE FROM tables WHERE id = $1 AND {IS_UNUSED}",  # noqa: S608
    ),
}
SQL: Final = {
    operation: [numbered(statement) for statement in statements] for operation, statements in _SQL.items()
}
"""All statements, with parameters as PostgreSQL has them."""

FENCE: Final = "SELECT fence($1)"
ADD_EVENTS: Final = (
    "INSERT INTO events (table_id, first, seq, frame, kind, at_us, at_ms, writer) "
    "SELECT *, $8::bigint FROM unnest($1::bigint[], $2::int[], $3::int[], $4::bytea[], $5::int[], "
    "$6::bigint[], $7::bigint[])"
)
ADD_AGAIN: Final = ADD_EVENTS + " ON CONFLICT DO NOTHING"
VERIFY: Final = "SELECT verify_events($1::bigint[], $2::int[], $3::int[], $4::bytea[], $5::bigint)"
OPEN_TABLE: Final = (
    "INSERT INTO tables (id, code, number, options, salt, passphrase, software, protocol, opened_ms, owner, "
    "clock_node, opener) "
    "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10, $10) ON CONFLICT (id) DO NOTHING"
)
ADD_SEED: Final = "INSERT INTO seeds VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING"
MOVE_TABLE: Final = "UPDATE tables SET owner = $2 WHERE id = $1 AND owner = $3"
KEEP_TIME: Final = (
    "INSERT INTO clock VALUES ($1, $2) ON CONFLICT (writer) DO UPDATE SET at_us = excluded.at_us"
)

log = logging.getLogger("racing_demon_server")


class OutcomeUnknown(Exception):
    """The changes are on the primary, but perhaps not on the standby."""


class PostgresStore:
    """Writes over one connection. See :class:`~racing_demon_server.journal.interface.Store`.

    Attributes:
        node: the number of this incarnation.

    Args:
        settings: which database, how its seeds are encrypted, and whether it needs a standby.
        name: the server's name; earlier servers with that name are fenced.
        public_url: where players reach this server.
        letters: the length of tables' codes, at least 6.

    Raises:
        JournalUnusable: the database cannot be used.

    """

    patience: float | None = 2.0

    def __init__(
        self, settings: ClusterSettings, name: str, *, public_url: str = "", letters: int = MIN_LETTERS
    ) -> None:
        self._url = settings.database
        self._keys = ClusterKeys(settings.keys)
        self._key, self._letters = settings.keys[0], max(letters, MIN_LETTERS)
        self._needs_standby = settings.needs_standby
        self._numbers: deque[int] = deque()
        self._is_uncertain = self._is_cancelled = False
        self._lock_holders = ""
        self._db: Database | None
        db = self._db = self._opened()
        try:
            with self._saying_what_is_missing(db.info.backend_pid):
                db.execute("SELECT set_config('lock_timeout', $1, false)", (f"{LOCK_SECONDS * 1_000:.0f}ms",))
                migrate(db)
                self._wait_for_turn(db, name)
                self.node = register(db, name, public_url, self._keys.ids)
                self._take_numbers(db)
                db.execute("SELECT set_config('lock_timeout', '0', false)")
        except Exception as error:
            holders = self._lock_holders
            self.close()
            if isinstance(error, psycopg.errors.LockNotAvailable):
                raise JournalUnusable(
                    f"The server cannot start: another session has held a lock in the database for a minute "
                    f"({holders or 'it has just ended'}). Start again; if that session hangs, "
                    "SELECT pg_terminate_backend(PID) ends it."
                ) from None
            if isinstance(error, psycopg.Error):
                raise JournalUnusable(f"The database cannot be used: {_text(error)}.") from None
            if isinstance(error, OutcomeUnknown):
                raise JournalUnusable(f"The server cannot start: {error}.") from None
            raise

    def commit(self, changes: list[Change]) -> None:
        """Write changes in one transaction, sent as a whole and answered once.

        Raises:
            Fenced: this incarnation may never write again.
            Exception: whether they were written is unknown.

        """
        again, self._is_uncertain = self._is_uncertain, True
        try:
            if self._db is None:
                self._db = self._renewed()
            self._send(self._db, changes, again=again)
            self._take_numbers(self._db)
        except Exception as error:
            self.close()
            if isinstance(error, psycopg.Error) and error.sqlstate in FENCED:
                raise Fenced(_text(error)) from error
            raise
        self._is_uncertain = False

    def _send(self, db: Database, changes: Sequence[Change], *, again: bool) -> None:
        """Send a pipeline with one synchronization at its end, which makes it one transaction."""
        with db.pipeline():
            for sql, values in _statements_for(changes, self.node, self._keys, again=again):
                db.execute(sql, values)
        self._verify_waited()

    def explained(self, error: Fenced) -> Fenced:
        """Return why this incarnation was fenced: by its peers, or by a newer start of its own name."""
        with contextlib.suppress(JournalUnusable, psycopg.Error), connect(self._url) as db:
            if is_superseded(db, self.node):
                return Superseded(str(error))
        return error

    def reading(self) -> contextlib.AbstractContextManager[PostgresReader]:
        """Open another connection, to read this incarnation's tables.

        Raises:
            JournalUnusable: it cannot be read, or the connection is lost.

        """
        return reading(self._url, self._keys, self.node)

    def new_number(self) -> int:
        """Return a new table's number in the database."""
        if not self._numbers:  # they are renewed with a commit
            raise CommandRefused(Reason.HALTED, "Too many tables are opened at once. Try again in a moment.")
        return self._numbers.popleft()

    def code_of(self, number: int) -> str:
        """Return the code of a new table."""
        return code_of(number, self._letters, self._key)

    def close(self) -> None:
        """Close the connection."""
        if self._db is not None:
            self._db.close()
        self._db = None

    @contextlib.contextmanager
    def _saying_what_is_missing(self, backend: int) -> Iterator[None]:
        """Log why the database does not answer, if the start takes long: nothing else reports it yet.

        Args:
            backend: the process of the connection that waits.

        """
        has_answered = threading.Event()

        def report_delay() -> None:
            while not has_answered.wait(START_SECONDS):
                with contextlib.suppress(JournalUnusable, psycopg.Error), connect(self._url) as db:
                    self._lock_holders = lock_holders(db, backend)
                    if why := missing_standby(db) or self._lock_holders:
                        log.warning("the server starts when the database answers", extra={"why": why})
                        return

        threading.Thread(target=report_delay, name="start", daemon=True).start()
        try:
            yield
        finally:
            has_answered.set()

    def _wait_for_turn(self, db: Database, name: str) -> None:
        """Let a server that has the same name by mistake play for longer each time, before it is fenced."""
        if seconds := seconds_to_wait(db, name):
            log.warning(
                "servers with the same --node take each other's tables: this one waits before it starts",
                extra={"node": name, "seconds": seconds},
            )
            time.sleep(seconds)

    def _opened(self) -> Database:
        db = connect(self._url)
        try:
            limit_idleness(db)
            if self._needs_standby:
                verify_standby(db)
        except BaseException:
            db.close()
            raise
        self._is_cancelled = False
        db.add_notice_handler(self._check_notice)
        return db

    def _renewed(self) -> Database:
        """Connect again after a failure, and end the former connection at the database."""
        db = self._opened()
        try:
            renew(db, self.node)
        except BaseException:
            db.close()
            raise
        return db

    def _check_notice(self, notice: psycopg.errors.Diagnostic) -> None:
        self._is_cancelled |= notice.sqlstate == CANCELLED and notice.source_function not in ENDING_SESSIONS

    def _take_numbers(self, db: Database) -> None:
        """Reserve numbers ahead, with their codes: another key, or a later round, has the same codes."""
        while len(self._numbers) < BLOCK // 2:
            numbers = db.execute("SELECT take_numbers($1)", (BLOCK,))
            codes = {self.code_of(number): number for (number,) in numbers}
            reserved = db.execute("SELECT reserve_codes($1, $2)", (list(codes), self.node)).fetchall()
            self._verify_waited()
            self._numbers.extend(sorted(codes[code] for (code,) in reserved))

    def _verify_waited(self) -> None:
        """Verify that the standby has all that was written.

        Raises:
            OutcomeUnknown: it may lack some.

        """
        if self._is_cancelled:
            raise OutcomeUnknown("a commit did not wait for the standby")


@contextlib.contextmanager
def reading(url: str, keys: ClusterKeys, owner: int | None = None) -> Iterator[PostgresReader]:
    """Connect to read a journal.

    Raises:
        JournalUnusable: it cannot be read, or reading fails later.

    """
    try:
        with contextlib.closing(connect(url)) as db:
            verify_version(db)
            if owner is not None:
                name_connection(db, owner)
            yield PostgresReader(db, keys, owner)
    except psycopg.Error as error:
        raise JournalUnusable(f"The database cannot be read: {_text(error)}.") from None


def _statements_for(
    changes: Sequence[Change], node: int, keys: ClusterKeys, *, again: bool
) -> Iterator[Statement]:
    """Yield the statements for changes, behind an incarnation's fence.

    Events come first, all in one statement, because deletions in the same batch never affect them.

    Args:
        changes: the changes.
        node: the incarnation.
        keys: encrypt seeds.
        again: whether they may have been written before.

    """
    yield FENCE, (node,)
    events = [
        (table_id, seq - plays_in(kind, frame) + 1, seq, frame, kind, at_us, at_ms)
        for operation, (table_id, seq, kind, at_us, at_ms, frame) in (
            change for change in changes if change[0] is Operation.ADD_EVENT
        )
    ]
    if events:
        columns = [list(column) for column in zip(*events, strict=True)]
        yield ADD_AGAIN if again else ADD_EVENTS, (*columns, node)
        if again:
            yield VERIFY, (*columns[:4], node)
    for operation, values in changes:
        match operation:
            case Operation.ADD_EVENT:
                pass
            case Operation.ADD_SEED:
                table_id, hand_id, seed, commitment = values
                yield ADD_SEED, (table_id, hand_id, *keys.encrypt(table_id, hand_id, seed), commitment)
            case Operation.KEEP_TIME:
                yield KEEP_TIME, (node, *values)
            case Operation.OPEN_TABLE:
                yield OPEN_TABLE, (*values, node)
            case Operation.MOVE_TABLE:
                yield MOVE_TABLE, (*values, node)
            case _:
                for sql in SQL[operation]:
                    yield sql, values


def _text(error: psycopg.Error) -> str:
    """Return PostgreSQL's message in one line; it contains no password."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")
