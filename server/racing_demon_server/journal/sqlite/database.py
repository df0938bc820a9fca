"""The file: where it is, how it is opened and upgraded, and which files are not journals."""

import contextlib
import logging
import os
import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from racing_demon_protocol.wire.messages.events import Played
from racing_demon_server.enums import Durability
from racing_demon_server.journal.interface import JournalMissing, JournalReader, JournalUnusable, StoredTable
from racing_demon_server.journal.play_runs import MAX_RUN, RUN
from racing_demon_server.sharding import MAX_PROCESSES

APPLICATION_ID: Final = int.from_bytes(b"RDJ1", "big")
"""Identifies the file as a journal (``PRAGMA application_id``)."""

VERSION: Final = 12
"""The version of the file that this program writes (``PRAGMA user_version``)."""


LOG_PATIENCE_MS: Final = 10
"""How long an emptied log may keep writers waiting."""


class _Rebuilt(NamedTuple):
    """How rows of older versions of a table are converted.

    Attributes:
        table: the table.
        versions: the versions in which it has another form.
        fill: copies the rows from the former table, whose name now begins with ``old_``.

    """

    table: str
    versions: range
    fill: str


_REBUILT: Final = (
    # Ordered by table. Closed tables did not have their last event.
    _Rebuilt(
        "events",
        range(1, 6),
        """
        INSERT INTO events (table_id, seq, kind, at_us, at_ms, frame)
            SELECT table_id, seq, kind, at_us, at_ms, frame FROM old_events ORDER BY table_id, seq;
        CREATE TEMP TABLE lasts (table_id INTEGER PRIMARY KEY, id INTEGER);
        INSERT INTO lasts SELECT table_id, max(id) FROM events GROUP BY table_id;
        ALTER TABLE tables ADD COLUMN last_event INTEGER;
        UPDATE tables SET last_event = (SELECT id FROM lasts WHERE table_id = tables.id)
            WHERE closed_ms IS NOT NULL;
        DROP TABLE lasts;
        """,
    ),
    # Formerly one for each table, without a time.
    _Rebuilt(
        "snapshots",
        range(3, 8),
        """
        INSERT INTO snapshots SELECT table_id, seq, coalesce(
            (SELECT max(at_us) FROM marks WHERE table_id = old.table_id AND seq <= old.seq), 0
        ), frame FROM old_snapshots AS old;
        """,
    ),
    # Formerly one for each seat and counter.
    _Rebuilt(
        "beaten",
        range(2, 8),
        """
        INSERT INTO beaten (table_id, actor, seq, at_us, at_ms, frame)
            SELECT table_id, actor, seq, at_us, at_ms, frame FROM old_beaten ORDER BY table_id, seq, at_us;
        """,
    ),
)
"""The tables that have another form in files of older versions."""

_STRICT_LAYOUT: Final = """
    CREATE TABLE IF NOT EXISTS tables (
        id INTEGER PRIMARY KEY,
        code TEXT NOT NULL,
        number INTEGER NOT NULL,
        options TEXT NOT NULL,
        salt BLOB NOT NULL,
        passphrase BLOB,
        software TEXT NOT NULL,
        protocol INTEGER NOT NULL,
        opened_ms INTEGER NOT NULL,
        closed_ms INTEGER,
        last_event INTEGER,
        listed INTEGER NOT NULL DEFAULT 1
    ) STRICT;
    CREATE INDEX IF NOT EXISTS tables_open ON tables (id) WHERE closed_ms IS NULL;
    CREATE TABLE IF NOT EXISTS events (
        id INTEGER PRIMARY KEY,
        table_id INTEGER NOT NULL REFERENCES tables (id),
        seq INTEGER NOT NULL,
        kind INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        frame BLOB NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS events_marks ON events (table_id, seq) WHERE kind NOT IN (0, 80);
    CREATE VIEW IF NOT EXISTS marks AS SELECT * FROM events WHERE kind NOT IN (0, 80);
    CREATE TABLE IF NOT EXISTS whispers (
        id INTEGER PRIMARY KEY,
        table_id INTEGER NOT NULL REFERENCES tables (id),
        seq INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        frame BLOB NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS whispers_table ON whispers (table_id, seq, id);
    CREATE TABLE IF NOT EXISTS seeds (
        table_id INTEGER NOT NULL REFERENCES tables (id),
        hand_id TEXT NOT NULL,
        seed BLOB NOT NULL,
        commitment TEXT NOT NULL,
        PRIMARY KEY (table_id, hand_id)
    ) WITHOUT ROWID, STRICT;
    CREATE TABLE IF NOT EXISTS claims (
        table_id INTEGER NOT NULL REFERENCES tables (id),
        actor INTEGER NOT NULL,
        token_hash BLOB NOT NULL,
        counter INTEGER NOT NULL,
        reply BLOB,
        PRIMARY KEY (table_id, actor)
    ) WITHOUT ROWID, STRICT;
    CREATE TABLE IF NOT EXISTS beaten (
        id INTEGER PRIMARY KEY,
        table_id INTEGER NOT NULL REFERENCES tables (id),
        actor INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        frame BLOB NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS beaten_table ON beaten (table_id, seq);
    CREATE TABLE IF NOT EXISTS corrections (
        id INTEGER PRIMARY KEY,
        match TEXT NOT NULL,
        entry TEXT NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS corrections_match ON corrections (match);
    CREATE TABLE IF NOT EXISTS snapshots (
        table_id INTEGER NOT NULL REFERENCES tables (id),
        seq INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        frame BLOB NOT NULL,
        PRIMARY KEY (table_id, seq)
    ) WITHOUT ROWID, STRICT;
    CREATE TABLE IF NOT EXISTS checkpoints (
        table_id INTEGER PRIMARY KEY REFERENCES tables (id),
        seq INTEGER NOT NULL,
        last_play INTEGER NOT NULL,
        hand_id TEXT NOT NULL,
        salt BLOB NOT NULL,
        frame BLOB NOT NULL
    ) STRICT;
    CREATE TABLE IF NOT EXISTS epochs (
        id INTEGER PRIMARY KEY,
        table_id INTEGER NOT NULL REFERENCES tables (id),
        seq INTEGER NOT NULL,
        epoch TEXT NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS epochs_table ON epochs (table_id, id);
    CREATE TABLE IF NOT EXISTS bans (
        id INTEGER PRIMARY KEY,
        table_id INTEGER NOT NULL REFERENCES tables (id),
        name TEXT NOT NULL,
        token_hash BLOB NOT NULL,
        address_hash BLOB NOT NULL
    ) STRICT;
    CREATE INDEX IF NOT EXISTS bans_table ON bans (table_id, id);
    CREATE TABLE IF NOT EXISTS clock (
        id INTEGER PRIMARY KEY,
        at_us INTEGER NOT NULL
    ) STRICT;
"""


def layout(*, strict: bool) -> str:
    """Return the tables of a new file; not strict if this SQLite does not support that."""
    return _STRICT_LAYOUT if strict else re.sub(",? STRICT", "", _STRICT_LAYOUT)


LAYOUT: Final = layout(strict=sqlite3.sqlite_version_info >= (3, 37))
"""The tables of a new file, strict if this SQLite supports it. A strict table accepts only values of its
columns' types. Older files keep tables that are not strict, so reading checks the types as well
(:mod:`.reader`).

- ``tables``: one row a table. ``number`` counts the server's tables, ``options`` are the initial ones.
  ``last_event`` is the last event of a closed table. ``listed`` is 0 if it is in no list.
- ``events``: the logs of all tables in the order of writing, as encoded messages. ``kind`` is the message's
  number, or 0 for a row of several plays (:mod:`.play_runs`), which has the number and time of the last one;
  plays that are sent to their players only have no numbers, and the row has that of the event before them.
  Times are those of the server's clock in microseconds and of the wall clock in milliseconds.
- ``marks``: the events other than plays, one among a hundred. An index finds them, and the plays of a table
  lie between its marks.
- ``whispers``: such plays, one by one, as servers wrote them up to version 10.
- ``seeds``: the secret of each deal.
- ``claims``: the token hash of each seat (-1: a host without one), and its last command with the answer;
  as -2 the token hash of whoever opened the table.
- ``beaten``: the refusals of lost races, after the event ``seq``.
- ``corrections``: corrections of a match, by its name, as the lines of its record.
- ``snapshots``: tables after the event ``seq``, between two hands. A restart begins with one, as does each
  stretch of a log whose beginning was deleted (:mod:`~racing_demon_server.journal.table_journal`).
- ``checkpoints``: tables in the middle of a long hand, after the event ``seq``, sealed with the secret of the
  hand (:mod:`~racing_demon_server.journal.sealing`). A restart goes on from there. Plays up to the row
  ``last_play`` are in it.
- ``epochs``: the random names of the server's newest starts, in order, for each table with the number of the
  last event before that start.
- ``bans``: the kicked players, by token hash, and by name and address hash. Snapshots and events say which of
  these names still count.
- ``clock``: one row, while hands run, with a time that no restart goes back behind (:mod:`.clock_watermark`).
"""

TABLES: Final = frozenset(re.findall(r"CREATE (?:TABLE|VIEW) IF NOT EXISTS (\w+)", LAYOUT))
"""The tables of a file of this version; ``marks`` is a view."""


SINCE: Final = {
    "beaten": 2,
    "corrections": 2,
    "snapshots": 3,
    "whispers": 4,
    "marks": 6,
    "epochs": 7,
    "bans": 9,
    "clock": 10,
    "checkpoints": 11,
}
"""The versions that introduced tables, for those that older files lack."""


def tables_of(version: int) -> frozenset[str]:
    """Return the tables that a file of a version has."""
    return frozenset(name for name in TABLES if SINCE.get(name, 1) <= version)


_ADD_LISTED: Final = "ALTER TABLE tables ADD COLUMN listed INTEGER NOT NULL DEFAULT 1;"
"""Tables of files of all older versions were listed."""


def upgrade(version: int) -> str:
    """Return the statements that upgrade a file of an older version; its tables stay non-strict."""
    former = [each for each in _REBUILT if version in each.versions]
    renamed = [f"ALTER TABLE {each.table} RENAME TO old_{each.table};" for each in former]
    filled = [f"{each.fill} DROP TABLE old_{each.table};" for each in former]
    return "".join([*renamed, layout(strict=False), *filled, _ADD_LISTED])


_BETWEEN: Final = """id BETWEEN
    coalesce(
        (SELECT id FROM marks WHERE table_id = :table AND seq <= :first ORDER BY seq DESC LIMIT 1),
        (SELECT id FROM marks WHERE table_id = :table ORDER BY seq LIMIT 1),
        1
    )
    AND coalesce(
        (SELECT id FROM marks WHERE table_id = :table AND seq >= :end ORDER BY seq LIMIT 1),
        (SELECT last_event FROM tables WHERE id = :table),
        9223372036854775807
    )
"""
"""The marks around some events of one table, by rows of all tables."""

Rows = Iterable[tuple[Any, ...]]


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Write everything inside the context, or nothing; no other process writes meanwhile."""
    with db:  # commits, or rolls back
        db.execute("BEGIN IMMEDIATE")
        yield


class JournalFile(sqlite3.Connection, JournalReader):
    """A connection to a file. See :class:`~racing_demon_server.journal.interface.JournalReader`."""

    errors: tuple[type[Exception], ...] = (sqlite3.Error,)

    def rows(self, sql: str, *values: object) -> Rows:
        """Return the rows that a query finds."""
        return self.execute(sql, values)

    def tables(self, *, only_open: bool = False) -> Iterator[StoredTable]:
        """Yield the tables, oldest first."""
        where = "WHERE closed_ms IS NULL " if only_open else ""
        for row in self.execute(f"SELECT * FROM tables {where}ORDER BY id"):  # noqa: S608 - two texts of our own
            yield StoredTable(*row)

    def find_table(self, table_id: int) -> StoredTable | None:
        """Return a table; ``None`` if the file does not have it any more."""
        row = self.execute("SELECT * FROM tables WHERE id = ?", (table_id,)).fetchone()
        return None if row is None else StoredTable(*row)

    def events(self, table_id: int, first: int, last: int, *, rest: bool = False) -> Rows:
        """Return the events and whispers of a table between two numbers, in order."""
        bounds = {"table": table_id, "first": first, "last": last, "end": last + MAX_RUN, "rest": rest}
        in_checkpoint = ":rest AND id <= (SELECT last_play FROM checkpoints WHERE table_id = :table)"
        where = "WHERE table_id = :table AND seq BETWEEN :first AND"
        columns = "kind, at_us, at_ms, frame"
        return self.execute(
            f"SELECT seq, {columns} FROM ("  # noqa: S608
            f"SELECT seq, id * (kind = {RUN}) AS place, {columns} FROM events {where} :end AND {_BETWEEN} "
            f"AND NOT (kind = {RUN} AND {in_checkpoint}) "
            f"UNION ALL SELECT seq, id, {Played.TAG}, at_us, at_ms, frame FROM whispers "
            f"{where} :last AND NOT :rest) "
            f"ORDER BY seq, kind = {RUN}, place",  # older servers wrote whispers row by row
            bounds,
        )

    def seeds(self, table_id: int) -> Rows:
        """Return the seeds of a table's hands, each with its commitment."""
        return self.rows("SELECT hand_id, seed, commitment FROM seeds WHERE table_id = ?", table_id)

    def last_us(self) -> int:
        """Return the newest time of open tables; values that are not numbers are ignored."""
        of_open_tables = "WHERE table_id IN (SELECT id FROM tables WHERE closed_ms IS NULL)"
        marks = f"SELECT max(id) AS last FROM marks {of_open_tables} GROUP BY table_id"  # noqa: S608 - of our own
        recent = f"AND id >= (SELECT min(last) FROM ({marks}))"  # noqa: S608
        times = (
            f"events {of_open_tables} {recent}",
            f"whispers {of_open_tables}",
            f"snapshots {of_open_tables}",
            "clock WHERE TRUE",
        )
        sql = "SELECT coalesce(max(at_us), 0) FROM {} AND typeof(at_us) = 'integer'"
        return int(max(self.execute(sql.format(where)).fetchone()[0] for where in times))

    @contextmanager
    def moment(self) -> Iterator[None]:
        """Read one consistent state inside the context."""
        with self:  # ends the transaction
            self.execute("BEGIN DEFERRED")
            yield

    def faults(self) -> Iterator[str]:
        """Yield the faults that SQLite finds in the file."""
        for (text,) in self.execute("PRAGMA integrity_check"):
            if text != "ok":
                yield text


STATEMENTS: Final = 256
"""Prepared statements that are cached: one for each number of rows written together."""

log = logging.getLogger("racing_demon_server")


def default_path() -> Path:
    """Return the default path; ``RACING_DEMON_DATA`` names another folder."""
    if own := os.environ.get("RACING_DEMON_DATA"):
        return Path(own) / "journal.sqlite"
    from platformdirs import user_data_path  # noqa: PLC0415 - a server for good names its file

    return user_data_path("racing-demon", appauthor=False) / "journal.sqlite"


def practice_path() -> Path:
    """Return the path for practice, which is beside that of hosts and permanent servers."""
    return default_path().with_name("practice.sqlite")


def journal_of(path: Path, number: int) -> Path:
    """Return the journal of a process; the first process has that of a server alone."""
    return path if number == 1 else path.with_stem(f"{path.stem}-process-{number}")


def results_of(path: Path) -> Path:
    """Return the file of the results that belongs to a server's journal."""
    return path.with_stem(f"{path.stem}-results")


def players_of(path: Path) -> Path:
    """Return the file of the players that belongs to a server's journal."""
    return path.with_stem(f"{path.stem}-players")


def token_key_of(players: Path) -> Path:
    """Return the file of the key that signs the tokens of the players in a file. No copy has it."""
    return players.with_name(f"{players.name}-token-key")


def webhook_of(path: Path) -> Path:
    """Return the file of the webhook's queue that belongs to a server's journal."""
    return path.with_stem(f"{path.stem}-webhook")


def bans_of(path: Path) -> Path:
    """Return the file of the operator's bans that belongs to a server's journal."""
    return path.with_name(f"{path.name}-bans")


def shared_bans_of(path: Path) -> Path:
    """Return the file with a server's copy of the bans that a cluster shares."""
    return path.with_name(f"{path.name}-shared-bans")


def reports_of(path: Path) -> Path:
    """Return the folder of the reports that belongs to a server's journal."""
    return path.with_name(f"{path.name}-reports")


def journals_of(path: Path) -> Iterator[tuple[str, Path]]:
    """Yield the journals of a server, each with the prefix of its matches' names.

    Missing ones of its second and later processes are skipped.
    """
    yield "", path
    for number in range(2, MAX_PROCESSES + 1):
        if (other := journal_of(path, number)).exists():
            yield f"{number}-", other


def empty_log(db: sqlite3.Connection) -> bool:
    """Move a file's write-ahead log into the file, and cut it off: it has what was overwritten there.

    Return whether that was possible: who reads the file, or writes it, hardly waits.
    """
    ((patience_ms,),) = db.execute("PRAGMA busy_timeout").fetchall()
    db.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()  # nobody waits for the most of it
    db.execute(f"PRAGMA busy_timeout={LOG_PATIENCE_MS}")
    try:
        ((is_busy, _, _),) = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    finally:
        db.execute(f"PRAGMA busy_timeout={patience_ms}")
    return not is_busy


@contextlib.contextmanager
def reading(path: Path, *, write: bool = False) -> Iterator[JournalFile]:
    """Open a file as :func:`open_journal` does, and close it at the end.

    Raises:
        JournalUnusable: it cannot be opened, or is damaged.

    """
    with telling_damage(path), contextlib.closing(open_journal(path, write=write)) as db:
        yield db


@contextlib.contextmanager
def telling_damage(path: Path) -> Iterator[None]:
    """Report damage that SQLite finds while reading as if the file could not be opened.

    Raises:
        JournalUnusable: SQLite finds the file damaged.

    """
    try:
        yield
    except sqlite3.Error as error:
        raise _damaged(path, str(error)) from error


def _damaged(path: Path, why: str) -> JournalUnusable:
    return JournalUnusable(
        f"The journal {path} is damaged: {why}. It was left as it is. Move it away, and put a copy in its "
        "place with racing-demon-server journal restore; or name another file."
    )


def open_journal(path: Path, *, write: bool = False, durability: Durability = Durability.FULL) -> JournalFile:
    """Open a file for reading or writing. Writing creates it if it is missing, and upgrades older files.

    Any thread may use the connection, one at a time. It begins and ends no transaction by itself. If another
    program has locked the file, it waits for five seconds, the default of :mod:`sqlite3`.

    Raises:
        JournalUnusable: it is not a journal, is newer, lacks a table, or cannot be read or written; or it
            is to be written and has a second hard link.

    """
    try:
        is_fixed = _prepare(path, write=write)
        db = sqlite3.connect(
            path.absolute().as_uri() + ("" if write else f"?mode=ro&immutable={int(is_fixed)}"),
            uri=True,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=STATEMENTS,
            factory=JournalFile,
        )
    except OSError as error:
        raise JournalUnusable(f"The journal {path} cannot be opened: {error.strerror}.") from error
    except sqlite3.Error as error:
        raise JournalUnusable(f"The journal {path} cannot be opened: {error}.") from error
    try:
        _verify(db, path)
        if write:
            db.execute("PRAGMA temp_store=MEMORY")  # otherwise large transactions open files in /var/tmp
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA secure_delete=ON")  # what is deleted may have names
            db.execute(f"PRAGMA synchronous={'FULL' if durability is Durability.FULL else 'NORMAL'}")
            _migrate(db, path)
        elif _version(db) < VERSION:
            raise JournalUnusable(f"{path} has an older layout. A server upgrades it when it starts.")
        _verify_tables(db, path, VERSION)
    except sqlite3.Error as error:
        db.close()
        raise JournalUnusable(f"The journal {path} cannot be used: {error}. It was left as it is.") from error
    except JournalUnusable:
        db.close()
        raise
    return db


def _prepare(path: Path, *, write: bool) -> bool:
    """Create the file for writing, or check that it exists; return whether it cannot change."""
    is_fixed = is_read_only(path.parent)
    if is_fixed:
        _verify_fixed(path, write=write)
    _verify_beginning(path)
    if write:
        _make(path)
        if path.is_file() and path.stat().st_nlink > 1:  # SQLite would keep another log for each name
            raise JournalUnusable(
                f"The journal {path} has a second name (a hard link), and a server that used it by that "
                "name would ruin it. Remove one of the two names, or make a copy of the file."
            )
    elif not path.exists():
        raise JournalMissing(
            f"There is no journal at {path}. Hosting a table creates it. {_where_else(path)} name its file."
        )
    return is_fixed


def _where_else(path: Path) -> str:
    """Return when another journal is to be named in place of a missing one."""
    if path == default_path() and practice_path().exists():
        return f"What was practised is in {practice_path()}: to read it,"
    return "If you keep it elsewhere,"


def _verify_beginning(path: Path) -> None:
    """Check that no log is left without its file, as after a crash of the file system.

    SQLite would treat the file as new, and delete the log with all tables in it.

    Raises:
        JournalUnusable: the file is missing or empty, and its log is not.

    """
    log_file = path.with_name(f"{path.name}-wal")
    has_log = log_file.is_file() and log_file.stat().st_size > 0
    if has_log and not (path.exists() and path.stat().st_size):
        raise JournalUnusable(
            f"The journal {path} is {'empty' if path.exists() else 'missing'}, but {log_file.name} beside it "
            "holds events. Nothing was changed. Move both away together; then put a copy in their place with "
            "racing-demon-server journal restore, or begin a new one."
        )


def is_read_only(folder: Path) -> bool:
    """Return whether a folder is on a medium that cannot be written."""
    try:
        return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)
    except (OSError, AttributeError):  # missing, or on Windows
        return False


def _verify_fixed(path: Path, *, write: bool) -> None:
    """Check that a file on a read-only medium can be used: it is not to be written, and has no log.

    Raises:
        JournalUnusable: it cannot be used there.

    """
    log_file = path.with_name(f"{path.name}-wal")
    if write:
        why, what = "the medium can only be read", "it"
    elif log_file.exists() and log_file.stat().st_size:
        why, what = f"the medium can only be read, and the newest events are still in {log_file.name}", "both"
    else:
        return
    raise JournalUnusable(
        f"The journal {path} cannot be used: {why}. Copy {what} to a place that can be written, and name "
        "the copy."
    )


def _make(path: Path) -> None:
    """Create the file, readable by its owner only: it holds the seeds of running hands."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def _verify(db: sqlite3.Connection, path: Path) -> None:
    foreign = JournalUnusable(
        f"{path} is no journal of Racing Demon. It was left as it is; name another file."
    )
    try:
        is_empty = not _number(db, "PRAGMA schema_version")
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_NOTADB:
            raise foreign from error
        raise
    application, version = _number(db, "PRAGMA application_id"), _version(db)
    if is_empty and not application and not version:
        return
    if application != APPLICATION_ID:
        raise foreign
    if version > VERSION:
        raise JournalUnusable(
            f"{path} was written by a newer version (file version {version}, known here: {VERSION}). "
            "It was left as it is; update this program."
        )


def _verify_tables(db: sqlite3.Connection, path: Path, version: int) -> None:
    """Check that all tables of a version exist: otherwise a failing write would halt the server."""
    missing = tables_of(version) - {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
    if missing:
        raise _damaged(path, f"it lacks {', '.join(sorted(missing))}")


def _migrate(db: sqlite3.Connection, path: Path) -> None:
    version = _version(db)
    if version == VERSION:
        return
    if version:
        log.info("the journal is brought up to date", extra={"version": version, "to": VERSION})
        _verify_tables(db, path, version)
    db.executescript(
        f"BEGIN IMMEDIATE;{upgrade(version) if version else LAYOUT};"
        f"PRAGMA application_id={APPLICATION_ID};PRAGMA user_version={VERSION};COMMIT;"
    )


def _version(db: sqlite3.Connection) -> int:
    return _number(db, "PRAGMA user_version")


def _number(db: sqlite3.Connection, sql: str) -> int:
    return int(db.execute(sql).fetchone()[0])
