"""The file: how it is laid out, how older ones are brought up to date, and which are none of ours."""

import contextlib
import logging
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from ..durability import Durability
from ..siblings import MOST_PROCESSES

__all__ = [
    "APPLICATION_ID",
    "TABLES",
    "VERSION",
    "JournalUnusable",
    "default_path",
    "journal_of",
    "journals_of",
    "open_journal",
    "reading",
    "telling_damage",
]

APPLICATION_ID: Final = int.from_bytes(b"RDJ1", "big")
"""What tells the file from other people's databases (``PRAGMA application_id``)."""

BUSY_SECONDS: Final = 5.0
"""How long another program may hold the file, such as one that copies it."""

STATEMENTS: Final = 256
"""So many statements are kept prepared: one for each number of rows that are written together."""

log = logging.getLogger("racing_demon_server")

MIGRATIONS: Final = (
    # 1: the first release.
    """
    CREATE TABLE tables (
        id INTEGER PRIMARY KEY,
        code TEXT NOT NULL,
        number INTEGER NOT NULL,
        options TEXT NOT NULL,
        salt BLOB NOT NULL,
        passphrase BLOB,
        software TEXT NOT NULL,
        protocol INTEGER NOT NULL,
        opened_ms INTEGER NOT NULL,
        closed_ms INTEGER
    );
    CREATE INDEX tables_open ON tables (id) WHERE closed_ms IS NULL;
    CREATE TABLE events (
        table_id INTEGER NOT NULL REFERENCES tables (id),
        seq INTEGER NOT NULL,
        kind INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        frame BLOB NOT NULL,
        PRIMARY KEY (table_id, seq)
    ) WITHOUT ROWID;
    CREATE TABLE seeds (
        table_id INTEGER NOT NULL REFERENCES tables (id),
        hand_id TEXT NOT NULL,
        seed BLOB NOT NULL,
        commitment TEXT NOT NULL,
        PRIMARY KEY (table_id, hand_id)
    ) WITHOUT ROWID;
    CREATE TABLE claims (
        table_id INTEGER NOT NULL REFERENCES tables (id),
        actor INTEGER NOT NULL,
        token_hash BLOB NOT NULL,
        counter INTEGER NOT NULL,
        reply BLOB,
        PRIMARY KEY (table_id, actor)
    ) WITHOUT ROWID;
    """,
    # 2: what a record tells beside the events.
    """
    CREATE TABLE beaten (
        table_id INTEGER NOT NULL REFERENCES tables (id),
        actor INTEGER NOT NULL,
        counter INTEGER NOT NULL,
        seq INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        frame BLOB NOT NULL,
        PRIMARY KEY (table_id, actor, counter)
    ) WITHOUT ROWID;
    CREATE TABLE corrections (
        id INTEGER PRIMARY KEY,
        match TEXT NOT NULL,
        entry TEXT NOT NULL
    );
    CREATE INDEX corrections_match ON corrections (match);
    """,
    # 3: where a restart begins.
    """
    CREATE TABLE snapshots (
        table_id INTEGER PRIMARY KEY REFERENCES tables (id),
        seq INTEGER NOT NULL,
        frame BLOB NOT NULL
    );
    """,
    # 4: plays that are told to their players alone.
    """
    CREATE TABLE whispers (
        id INTEGER PRIMARY KEY,
        table_id INTEGER NOT NULL REFERENCES tables (id),
        seq INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        frame BLOB NOT NULL
    );
    CREATE INDEX whispers_table ON whispers (table_id, seq, id);
    """,
    # 5: rows that hold several plays, which older programs would not understand.
    "-- the tables are as they were\n",
    # 6: events in the order in which they were written, so that those of many tables lie on a page together.
    """
    ALTER TABLE events RENAME TO events_by_table;
    CREATE TABLE events (
        id INTEGER PRIMARY KEY,
        table_id INTEGER NOT NULL REFERENCES tables (id),
        seq INTEGER NOT NULL,
        kind INTEGER NOT NULL,
        at_us INTEGER NOT NULL,
        at_ms INTEGER NOT NULL,
        frame BLOB NOT NULL
    );
    INSERT INTO events (table_id, seq, kind, at_us, at_ms, frame)
        SELECT table_id, seq, kind, at_us, at_ms, frame FROM events_by_table ORDER BY table_id, seq;
    DROP TABLE events_by_table;
    CREATE INDEX events_marks ON events (table_id, seq) WHERE kind NOT IN (0, 80);
    CREATE VIEW marks AS SELECT * FROM events WHERE kind NOT IN (0, 80);
    ALTER TABLE tables ADD COLUMN last_event INTEGER;
    CREATE TEMP TABLE lasts (table_id INTEGER PRIMARY KEY, id INTEGER);
    INSERT INTO lasts SELECT table_id, max(id) FROM events GROUP BY table_id;
    UPDATE tables SET last_event = (SELECT id FROM lasts WHERE table_id = tables.id)
        WHERE closed_ms IS NOT NULL;
    DROP TABLE lasts;
    """,
)
"""What makes each version of the file from the one before. Nothing here is ever changed: only added to.

``tables``: one row a table; ``number`` is the how-many-th of its server it is, ``options`` are those it was
opened with; no event of a closed one comes after ``last_event``. ``events``: the logs as they are on the wire
(``kind`` is the message's number), with the time on the server's clock in microseconds and that of the wall
in milliseconds; a row of the kind 0 has several plays, with the number of the last and the newest time
(:mod:`.runs`). They lie as they were written, those of all tables together. ``marks``: those that are no
plays, one among a hundred; an index finds them, and the plays of a table lie between its own. ``seeds``: the
secret of each deal.
``claims``: who may speak for a seat (-1: a host without one), and the last command of each with its answer.
``beaten``: what those were told whose card came too late, behind the event ``seq``. ``corrections``: what was
said of a match afterwards, by the match's name, as the lines of its record.
``snapshots``: each table as it was after its last hand, so that a restart need not go through all of its log.
``whispers``: the plays of hands of identical deals, behind the event ``seq``, in their order.
"""

VERSION: Final = len(MIGRATIONS)
"""The version of the file that this program writes (``PRAGMA user_version``)."""

TABLES: Final = frozenset(
    ("tables", "events", "marks", "seeds", "claims", "beaten", "corrections", "snapshots", "whispers")
)
"""What must be in a file of this version, ``marks`` as a view."""


class JournalUnusable(Exception):
    """A file cannot be used; the text says why, and what to do. The file is left as it was."""


def default_path() -> Path:
    """Return where a journal is kept if nobody says; ``RACING_DEMON_DATA`` names another folder."""
    if own := os.environ.get("RACING_DEMON_DATA"):
        return Path(own) / "journal.sqlite"
    from platformdirs import user_data_path  # noqa: PLC0415 - a server for good names its file

    return user_data_path("racing-demon", appauthor=False) / "journal.sqlite"


def journal_of(path: Path, number: int) -> Path:
    """Return the journal of a process; that of the first is the one that a server alone would have."""
    return path if number == 1 else path.with_stem(f"{path.stem}-process-{number}")


def journals_of(path: Path) -> Iterator[tuple[str, Path]]:
    """Yield the journals of a server, each with what the names of its matches begin with.

    Those of its second and later processes are passed over where they are not there.
    """
    yield "", path
    for number in range(2, MOST_PROCESSES + 1):
        if (other := journal_of(path, number)).exists():
            yield f"{number}-", other


@contextlib.contextmanager
def reading(path: Path, *, write: bool = False) -> Iterator[sqlite3.Connection]:
    """Open a file as :func:`open_journal` does, and close it in the end.

    Raises:
        JournalUnusable: it cannot be opened, or what is read of it meanwhile is damaged.

    """
    with telling_damage(path), contextlib.closing(open_journal(path, write=write)) as db:
        yield db


@contextlib.contextmanager
def telling_damage(path: Path) -> Iterator[None]:
    """Tell of damage, which comes to light only where it is read, as of a file that cannot be opened.

    Raises:
        JournalUnusable: SQLite cannot read what it should.

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


def open_journal(
    path: Path, *, write: bool = False, durability: Durability = Durability.FULL
) -> sqlite3.Connection:
    """Open a file: to read, or to write; the latter makes what is missing, and brings older files up to date.

    The connection may be used in any thread, by one at a time. It begins and ends no transaction by itself.

    Raises:
        JournalUnusable: it is none of ours, or of a newer version, or lacks a table, or cannot be read or
            written.

    """
    try:
        if write:
            _make(path)
        elif not path.exists():
            raise JournalUnusable(f"There is no journal at {path}.")
        db = sqlite3.connect(
            path.absolute().as_uri() + ("?mode=rw" if write else "?mode=ro"),
            uri=True,
            timeout=BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
            cached_statements=STATEMENTS,
        )
    except OSError as error:
        raise JournalUnusable(f"The journal {path} cannot be opened: {error.strerror}.") from error
    except sqlite3.Error as error:
        raise JournalUnusable(f"The journal {path} cannot be opened: {error}.") from error
    try:
        _verify(db, path)
        if write:
            db.execute("PRAGMA temp_store=MEMORY")  # else large transactions open files in /var/tmp
            db.execute("PRAGMA journal_mode=WAL")
            db.execute(f"PRAGMA synchronous={'FULL' if durability is Durability.FULL else 'NORMAL'}")
            _migrate(db)
        elif _pragma(db, "user_version") < VERSION:
            raise JournalUnusable(f"{path} is of an older version; a server brings it up to date first.")
        _verify_tables(db, path)
    except sqlite3.Error as error:
        db.close()
        raise JournalUnusable(f"The journal {path} cannot be used: {error}. It was left as it is.") from error
    except JournalUnusable:
        db.close()
        raise
    return db


def _make(path: Path) -> None:
    """Make the file, readable by its owner alone: it holds the seeds of hands that are being played."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


def _verify(db: sqlite3.Connection, path: Path) -> None:
    try:
        application, version = _pragma(db, "application_id"), _pragma(db, "user_version")
        is_new = not _pragma(db, "schema_version")
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode != sqlite3.SQLITE_NOTADB:
            raise
        application, version, is_new = 0, 0, False
    if is_new and not application and not version:
        return
    if application != APPLICATION_ID:
        raise JournalUnusable(
            f"{path} is no journal of Racing Demon. It was left as it is; name another file."
        )
    if version > VERSION:
        raise JournalUnusable(
            f"{path} was written by a newer version (file version {version}, known here: {VERSION}). "
            "It was left as it is; update this program."
        )


def _verify_tables(db: sqlite3.Connection, path: Path) -> None:
    """Look for what nobody may read for hours: an entry that cannot be written halts all tables."""
    missing = TABLES - {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
    if missing:
        raise _damaged(path, f"it lacks {', '.join(sorted(missing))}")


def _migrate(db: sqlite3.Connection) -> None:
    version = _pragma(db, "user_version")
    if 0 < version < VERSION:
        log.info("the journal is brought up to date", extra={"version": version, "to": VERSION})
    for number, statements in enumerate(MIGRATIONS[version:], version + 1):
        db.executescript(
            f"BEGIN IMMEDIATE;{statements};"
            f"PRAGMA application_id={APPLICATION_ID};PRAGMA user_version={number};COMMIT;"
        )


def _pragma(db: sqlite3.Connection, name: str) -> int:
    return int(db.execute(f"PRAGMA {name}").fetchone()[0])
