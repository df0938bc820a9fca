"""Copies journals, also while a server writes them, and restores copies."""

import contextlib
import os
import sqlite3
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from racing_demon_server.journal.check import FindUnrestorable, check
from racing_demon_server.journal.interface import JournalUnusable
from racing_demon_server.private_file import give_to_folders_owner, write_private

from .backup_time import note_backup
from .database import (
    bans_of,
    journal_of,
    journals_of,
    open_journal,
    players_of,
    reports_of,
    results_of,
    token_key_of,
    webhook_of,
)
from .lock_file import JournalTaken, LockFile


def backup(source: Path, target: Path) -> None:
    """Copy a server's journal and all that belongs to it, also while the server writes.

    Each file is copied as it is at one moment: first the results, because a server makes those that the copy
    lacks from the journals; last the players, because a journal names only those that are there already.
    The copy lets nobody in: the key of the players' tokens is not in it, nor are the codes of devices.
    When it was made is noted beside the journal.

    Raises:
        JournalUnusable: one of the files cannot be used, the journal and its copy are the same, or a server
            uses the target; an existing target is unchanged.

    """
    if _is_same(source, target):
        raise JournalUnusable(
            f"{target} is the journal itself: nothing was copied. Name another file with --to."
        )
    if not target.parent.is_dir():  # for example, its disk is not mounted
        raise JournalUnusable(f"{target} cannot be written: there is no folder {target.parent}.")
    with _held(source, target):
        _copy_all(source, target)
    try:
        note_backup(source, time.time())
    except OSError as error:  # the copy is good all the same
        text = f"the copy is made, but when cannot be noted beside {source}: {error.strerror}."
        sys.stderr.write(f"racing-demon-server: {text}\n")


def restore(source: Path, target: Path, unrestorable: FindUnrestorable) -> None:
    """Restore a copy of a journal and of all that belongs to it, of which nothing may be there yet.

    The files belong to the owner of their folder: a server, which reads them, may have a user of its own. It
    makes a new key of tokens, so that those of before end, and devices prove anew who uses them.

    Args:
        source: the copy.
        target: the journal, which no server may use.
        unrestorable: see :func:`~racing_demon_server.journal.check.check`.

    Raises:
        JournalUnusable: the copy cannot be restored.

    """
    with _held(source, target):
        for existing in (*(path for _, path in journals_of(target)), *_others_of(target), reports_of(target)):
            if existing.exists():
                raise JournalUnusable(
                    f"{existing} is there already. Move it away first: nothing is overwritten."
                )
        for _, journal in journals_of(source):
            with contextlib.closing(open_journal(journal)) as db:
                faults = check(db, unrestorable).faults
            if faults:
                raise JournalUnusable(f"{journal} is damaged: {faults[0]}.")
        token_key_of(players_of(target)).unlink(missing_ok=True)
        _copy_all(source, target)


def _copy_all(source: Path, target: Path) -> None:
    """Copy a journal, those of its server's other processes, and what is beside them."""
    of_source, of_target = _others_of(source), _others_of(target)
    _copy_file(of_source.results, of_target.results)
    for journal, copy in _pairs(source, target):
        with contextlib.closing(open_journal(journal)) as db:
            _copy(db, copy)
    _copy_file(of_source.players, of_target.players, without=("device_codes", "wrong_codes"))
    _copy_file(of_source.webhook, of_target.webhook)
    _copy_text(of_source.bans, of_target.bans)
    reports = reports_of(source)
    for report in sorted(reports.iterdir()) if reports.is_dir() else ():
        _copy_text(report, reports_of(target) / report.name)


class _Others(NamedTuple):
    """The files beside a journal."""

    results: Path
    players: Path
    webhook: Path
    bans: Path


def _others_of(path: Path) -> _Others:
    return _Others(results_of(path), players_of(path), webhook_of(path), bans_of(path))


def _pairs(source: Path, target: Path) -> list[tuple[Path, Path]]:
    """Return the journals of a server's processes, each with the name of its copy."""
    return [
        (journal, journal_of(target, int(prefix.removesuffix("-") or 1)))
        for prefix, journal in journals_of(source)
    ]


def _copy_file(source: Path, target: Path, *, without: Sequence[str] = ()) -> None:
    """Copy a database to a file, if there is one, without the rows of some tables."""
    if source.exists():
        uri = f"{source.absolute().as_uri()}?mode=ro"
        with contextlib.closing(sqlite3.connect(uri, uri=True)) as db:
            _copy(db, target, without)


def _copy_text(source: Path, target: Path) -> None:
    """Copy a file that is always written at once, if it is there."""
    try:
        data = source.read_bytes()
    except FileNotFoundError:
        return
    except OSError as error:
        raise JournalUnusable(f"{source} cannot be read: {error.strerror}.") from error
    try:
        if not target.parent.exists():
            target.parent.mkdir(mode=0o700)
            give_to_folders_owner(target.parent)
        write_private(target, data)
    except OSError as error:
        raise JournalUnusable(f"{target} cannot be written: {error.strerror}.") from error


def _is_same(source: Path, target: Path) -> bool:
    with contextlib.suppress(OSError):  # one of them does not exist
        return os.path.samefile(source, target)
    return False


@contextlib.contextmanager
def _held(source: Path, target: Path) -> Iterator[None]:
    """Lock the files against servers that copies of journals are put in the place of.

    Raises:
        JournalUnusable: a server uses one of them, or crashed and left its log beside it.

    """
    with contextlib.ExitStack() as held:
        for _, copy in _pairs(source, target):
            try:
                lock = LockFile(copy)
            except JournalTaken as error:
                text = f"Another server uses the journal {copy}; name another file with --to."
                raise JournalUnusable(text) from error
            held.callback(lock.release)
            log = copy.with_name(f"{copy.name}-wal")
            if log.exists() and log.stat().st_size:  # SQLite would mistake it for the copy's log
                raise JournalUnusable(
                    f"{log} is there: it belongs to the journal that was {copy}, and would spoil a copy in "
                    "its place. Move both away together."
                )
        yield


def _sync(path: Path, flags: int) -> None:
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _copy(db: sqlite3.Connection, target: Path, without: Sequence[str] = ()) -> None:
    """Copy a database to a file atomically, without the rows of some tables."""
    part = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        with contextlib.closing(sqlite3.connect(part)) as copy:
            db.backup(copy)
            copy.execute("PRAGMA secure_delete=ON")
            there = {name for (name,) in copy.execute("SELECT name FROM sqlite_master")}
            with copy:
                for table in there.intersection(without):
                    copy.execute(f"DELETE FROM {table}")  # noqa: S608 - our own names
            copy.execute("PRAGMA journal_mode=DELETE")
        give_to_folders_owner(part)
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
