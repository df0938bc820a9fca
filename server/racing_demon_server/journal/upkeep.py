"""Copies and checks journals, also while a server writes them."""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from racing_demon_protocol.codec import VERSION
from racing_demon_protocol.errors import InconsistentEvent, InvalidGame
from racing_demon_protocol.messages import events as ev
from racing_demon_protocol.messages.server import Snapshot
from racing_demon_protocol.shuffle import SEED_SIZE, keeps
from racing_demon_protocol.view import TableView

from ..table import Table
from .lockfile import JournalTaken, Lockfile
from .reading import (
    KeptTable,
    UnknownContents,
    beaten_of,
    claims_of,
    corrections_of,
    log_of,
    options_of,
    past_of,
    seeds_of,
    snapshot_of,
    tables,
)
from .schema import JournalUnusable, open_journal

__all__ = ["Report", "backup", "check", "restore"]


class Report(NamedTuple):
    """What a check has found: how much there is, and what is wrong with it."""

    tables: int
    events: int
    hands: int
    faults: list[str]


def backup(source: Path, target: Path) -> None:
    """Copy a journal as it is at this moment, whoever writes it meanwhile.

    Raises:
        JournalUnusable: one of the two files cannot be used, they are one, or a server uses the target; a
            target that was there is as it was.

    """
    if _is_same(source, target):
        raise JournalUnusable(
            f"{target} is the journal itself: nothing was copied. Name another file with --to."
        )
    if not target.parent.is_dir():  # such as that of a disk which is not there just now
        raise JournalUnusable(f"{target} cannot be written: there is no folder {target.parent}.")
    with _held(target), contextlib.closing(open_journal(source)) as db:
        _copy(db, target)


def restore(source: Path, target: Path) -> None:
    """Put a copy in the place of a journal, which must not be there, and which no server may use.

    Raises:
        JournalUnusable: it cannot be done.

    """
    with _held(target):
        if target.exists():
            raise JournalUnusable(f"{target} is there already. Move it away first: nothing is overwritten.")
        faults = check(source).faults
        if faults:
            raise JournalUnusable(f"{source} is damaged: {faults[0]}.")
        with contextlib.closing(open_journal(source)) as db:
            _copy(db, target)


def check(path: Path) -> Report:
    """Check a journal: that no event is missing and each fits, that seeds keep their promises, and all else.

    Snapshots must be what the events have led to, and a server that is started must be able to go on with
    the tables that are open. One of another version of the protocol waits for a server of that version.

    Raises:
        JournalUnusable: the file cannot be read at all.

    """
    with contextlib.closing(open_journal(path)) as db:
        count = events = hands = 0
        try:
            faults = [row[0] for row in db.execute("PRAGMA integrity_check") if row[0] != "ok"]
            db.execute("BEGIN")  # one moment for all of it
            for table in tables(db):
                count += 1
                try:
                    table_events, table_hands = _check_table(db, table)
                    events, hands = events + table_events, hands + table_hands
                except (UnknownContents, InconsistentEvent, InvalidGame) as error:
                    faults.append(f"table {table.id} ({table.code}): {error}")
            faults += _wrong_corrections(db)
        except sqlite3.Error as error:
            faults = [f"the file cannot be read: {error}"]
        return Report(count, events, hands, faults)


def _check_table(db: sqlite3.Connection, table: KeptTable) -> tuple[int, int]:
    view, seeds, hands = TableView(table.code, options_of(table)), seeds_of(db, table.id), 0
    view.locked = table.passphrase is not None
    snapshot = snapshot_of(db, table.id)
    claims_of(db, table.id)
    for _ in beaten_of(db, table.id):
        pass
    for event, _, _ in log_of(db, table.id):
        view.apply(event)
        if snapshot is not None and event.seq == snapshot.seq:
            _compare(snapshot, view.snapshot_for(None, snapshot.elapsed_ms))
        if isinstance(event, ev.Committed):
            seed = seeds.get(event.hand_id, b"")
            if len(seed) != SEED_SIZE or not keeps(seed, event.hand_id, event.commitment):
                raise UnknownContents(f"the seed of hand {event.hand_id} is not the one that was promised")
            hands += 1
    if snapshot is not None and snapshot.seq > view.seq:
        raise UnknownContents(f"its snapshot is of event {snapshot.seq}, and the last one is {view.seq}")
    if table.closed_ms is None and table.protocol == VERSION:
        _take_up(db, table)
    return view.seq, hands


def _compare(kept: Snapshot, folded: Snapshot) -> None:
    """Compare a snapshot with what the events have led to, in all that it had when it was written."""
    known = [name for name in Snapshot.model_fields if name in kept.model_fields_set]
    wrong = [name for name in known if getattr(kept, name) != getattr(folded, name)]
    if wrong:
        text = f"its snapshot after event {kept.seq} does not follow from its events: {', '.join(wrong)}"
        raise UnknownContents(text)


def _take_up(db: sqlite3.Connection, table: KeptTable) -> None:
    """Do with an open table what a server does with it that is started."""
    try:
        again = Table(table.code, options_of(table), iter(()))
        again.restore(past_of(db, table))
        again.begin_again(0)
    except sqlite3.Error:
        raise
    except Exception as error:  # whatever it is, a server would be without the table
        raise UnknownContents(f"it cannot go on: {str(error) or repr(error)}") from error


def _wrong_corrections(db: sqlite3.Connection) -> Iterator[str]:
    for (match,) in db.execute("SELECT DISTINCT match FROM corrections ORDER BY match"):
        try:
            corrections_of(db, match)
        except UnknownContents as error:
            yield str(error)


def _is_same(source: Path, target: Path) -> bool:
    with contextlib.suppress(OSError):  # one of them is not there
        return os.path.samefile(source, target)
    return False


@contextlib.contextmanager
def _held(target: Path) -> Iterator[None]:
    """Keep servers from a file, as long as something is put in its place.

    Raises:
        JournalUnusable: a server uses it, or died with it and has left what it wrote last beside it.

    """
    try:
        lock = Lockfile(target)
    except JournalTaken as error:
        text = f"Another server uses the journal {target}; name another file with --to."
        raise JournalUnusable(text) from error
    try:
        log = target.with_name(f"{target.name}-wal")
        if log.exists() and log.stat().st_size:  # SQLite would read it as the copy's
            raise JournalUnusable(
                f"{log} is there: it belongs to the journal that was {target}, and would spoil a copy in its "
                "place. Move both away together."
            )
        yield
    finally:
        lock.release()


def _copy(db: sqlite3.Connection, target: Path) -> None:
    """Copy a database to a file, which is there in the end as a whole or not at all."""
    part = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        with contextlib.closing(sqlite3.connect(part)) as copy:
            db.backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE")
        handle = os.open(part, os.O_RDWR)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
        os.replace(part, target)
    except OSError as error:
        raise JournalUnusable(f"{target} cannot be written: {error.strerror}.") from error
    except sqlite3.Error as error:
        raise JournalUnusable(f"The journal cannot be copied to {target}: {error}.") from error
    finally:
        for name in (part, Path(f"{part}-journal"), Path(f"{part}-wal"), Path(f"{part}-shm")):
            name.unlink(missing_ok=True)
