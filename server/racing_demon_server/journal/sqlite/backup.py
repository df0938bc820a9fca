"""Copies journals, also while a server writes them, and restores copies."""

import contextlib
import os
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path

from racing_demon_server.journal.check import FindUnrestorable, check
from racing_demon_server.journal.interface import JournalUnusable

from .database import open_journal, players_of, results_of
from .lock_file import JournalTaken, LockFile


def backup(source: Path, target: Path) -> None:
    """Copy a journal as it is at this moment, also while a server writes it, and what is beside it.

    Raises:
        JournalUnusable: one of the two files cannot be used, both are the same, or a server uses the
            target; an existing target is unchanged.

    """
    if _is_same(source, target):
        raise JournalUnusable(
            f"{target} is the journal itself: nothing was copied. Name another file with --to."
        )
    if not target.parent.is_dir():  # for example, its disk is not mounted
        raise JournalUnusable(f"{target} cannot be written: there is no folder {target.parent}.")
    with _held(target), contextlib.closing(open_journal(source)) as db:
        _copy_others(source, target)  # first: a server makes those that the copy lacks from the journal
        _copy(db, target)


def restore(source: Path, target: Path, unrestorable: FindUnrestorable) -> None:
    """Restore a copy as a journal, which must not exist and which no server may use, and its results.

    Args:
        source: the copy.
        target: the journal.
        unrestorable: see :func:`~racing_demon_server.journal.check.check`.

    Raises:
        JournalUnusable: the copy cannot be restored.

    """
    with _held(target):
        for existing in (target, results_of(target), players_of(target)):
            if existing.exists():
                raise JournalUnusable(
                    f"{existing} is there already. Move it away first: nothing is overwritten."
                )
        with contextlib.closing(open_journal(source)) as db:
            faults = check(db, unrestorable).faults
        if faults:
            raise JournalUnusable(f"{source} is damaged: {faults[0]}.")
        _copy_others(source, target)
        with contextlib.closing(open_journal(source)) as db:
            _copy(db, target)


def _copy_others(source: Path, target: Path) -> None:
    """Copy the results and the players beside a journal, if there are any."""
    for file_of in (results_of, players_of):
        if file_of(source).exists():
            uri = f"{file_of(source).absolute().as_uri()}?mode=ro"
            with contextlib.closing(sqlite3.connect(uri, uri=True)) as db:
                _copy(db, file_of(target))


def _is_same(source: Path, target: Path) -> bool:
    with contextlib.suppress(OSError):  # one of them does not exist
        return os.path.samefile(source, target)
    return False


@contextlib.contextmanager
def _held(target: Path) -> Iterator[None]:
    """Lock a file against servers while another is put in its place.

    Raises:
        JournalUnusable: a server uses it, or crashed and left its log beside it.

    """
    try:
        lock = LockFile(target)
    except JournalTaken as error:
        text = f"Another server uses the journal {target}; name another file with --to."
        raise JournalUnusable(text) from error
    try:
        log = target.with_name(f"{target.name}-wal")
        if log.exists() and log.stat().st_size:  # SQLite would mistake it for the copy's log
            raise JournalUnusable(
                f"{log} is there: it belongs to the journal that was {target}, and would spoil a copy in its "
                "place. Move both away together."
            )
        yield
    finally:
        lock.release()


def _sync(path: Path, flags: int) -> None:
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _copy(db: sqlite3.Connection, target: Path) -> None:
    """Copy a database to a file atomically."""
    part = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        with contextlib.closing(sqlite3.connect(part)) as copy:
            db.backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE")
        _sync(part, os.O_RDWR)
        os.replace(part, target)
        if sys.platform != "win32":  # otherwise a power cut could lose the file's name
            _sync(target.parent, os.O_RDONLY)
    except OSError as error:
        raise JournalUnusable(f"{target} cannot be written: {error.strerror}.") from error
    except sqlite3.Error as error:
        raise JournalUnusable(f"The journal cannot be copied to {target}: {error}.") from error
    finally:
        for name in (part, Path(f"{part}-journal"), Path(f"{part}-wal"), Path(f"{part}-shm")):
            name.unlink(missing_ok=True)
