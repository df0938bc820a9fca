"""The file: where it is, how it is opened and upgraded, and which files are not journals."""

import contextlib
import logging
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from racing_demon_server.durability import Durability
from racing_demon_server.journal.interface import JournalUnusable
from racing_demon_server.sharding import MAX_PROCESSES

from .file import JournalFile
from .sql_schema import APPLICATION_ID, LAYOUT, VERSION, tables_of, upgrade

STATEMENTS: Final = 256
"""Prepared statements that are cached: one for each number of rows written together."""

log = logging.getLogger("racing_demon_server")


def default_path() -> Path:
    """Return the default path; ``RACING_DEMON_DATA`` names another folder."""
    if own := os.environ.get("RACING_DEMON_DATA"):
        return Path(own) / "journal.sqlite"
    from platformdirs import user_data_path  # noqa: PLC0415 - a server for good names its file

    return user_data_path("racing-demon", appauthor=False) / "journal.sqlite"


def journal_of(path: Path, number: int) -> Path:
    """Return the journal of a process; the first process has that of a server alone."""
    return path if number == 1 else path.with_stem(f"{path.stem}-process-{number}")


def journals_of(path: Path) -> Iterator[tuple[str, Path]]:
    """Yield the journals of a server, each with the prefix of its matches' names.

    Missing ones of its second and later processes are skipped.
    """
    yield "", path
    for number in range(2, MAX_PROCESSES + 1):
        if (other := journal_of(path, number)).exists():
            yield f"{number}-", other


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
    """Report damage, which SQLite finds only while reading, like a file that cannot be opened.

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
            db.execute("PRAGMA temp_store=MEMORY")  # else large transactions open files in /var/tmp
            db.execute("PRAGMA journal_mode=WAL")
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
    """Create the file if it is to be written, or check that it exists; return whether it cannot change."""
    is_fixed = _is_read_only(path.parent)
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
        raise JournalUnusable(
            f"There is no journal at {path}. Hosting a table creates it. "
            "If you keep it elsewhere, name its file."
        )
    return is_fixed


def _verify_beginning(path: Path) -> None:
    """Check that a log is not without its file, as after a crash of the file system.

    SQLite would take the file for new, and delete the log with all tables in it.

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


def _is_read_only(folder: Path) -> bool:
    """Return whether a folder is on a medium that cannot be written."""
    try:
        return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)
    except (OSError, AttributeError):  # it is missing; or this is Windows
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
    """Check that all tables of a version exist, because a failing write halts all tables."""
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
