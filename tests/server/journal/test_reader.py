"""Tables read back from a journal."""

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.codec import VERSION, encode
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages.events import Readied
from racing_demon_protocol.wire.options import Options
from racing_demon_server.enums import Durability
from racing_demon_server.journal.interface import JournalReader
from racing_demon_server.journal.reader import (
    UnknownContents,
    bans_of,
    beaten_of,
    claims_of,
    epochs_of,
    log_of,
    seeds_of,
    snapshots_of,
    verify,
)
from racing_demon_server.journal.recovery import saved_state_of
from racing_demon_server.journal.sqlite.database import APPLICATION_ID, JournalFile, layout, open_journal
from racing_demon_server.journal.sqlite.database import VERSION as FILE_VERSION


def test_a_table_whose_events_are_gone_is_as_its_snapshot_has_it(tmp_path: Path) -> None:
    """Where a journal has lost what led to a hand's end, nothing of it is still to be seen by spectators."""
    options = Options(watch_delay_ms=60_000)
    snapshot = TableState("BCDF", options).snapshot(0)
    with contextlib.closing(open_journal(tmp_path / "j", write=True, durability=Durability.NORMAL)) as db:
        values = (1, "BCDF", 1, options.model_dump_json(), b"", None, "0.1.0", VERSION, 0, None, None, 1)
        db.execute(f"INSERT INTO tables VALUES ({', '.join('?' * len(values))})", values)  # noqa: S608
        db.execute("INSERT INTO snapshots VALUES (1, ?, 0, ?)", (snapshot.seq, encode(snapshot)))
        (table,) = db.tables()
        saved_state = saved_state_of(db, table)
        assert (snapshot, []) == (saved_state.snapshot, list(saved_state.log))


@pytest.fixture
def loose(tmp_path: Path) -> Iterator[JournalFile]:
    """Return a journal whose tables take values of all types, as those of older SQLite do."""
    path = tmp_path / "journal.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as db:
        marks = f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {FILE_VERSION}"
        db.executescript(f"{layout(strict=False)}; {marks}")
    with contextlib.closing(open_journal(path, write=True)) as db:
        yield db


@pytest.mark.parametrize(
    ("row", "read", "why"),
    [
        ("events VALUES (1, 1, 1, 'x', 0, 0, x'00')", log_of, "event 1 has 'x' where a number belongs"),
        ("events VALUES (1, 1, 1, 9, 0, 0, 'x')", log_of, "event 1 has 'x' where a row of bytes belongs"),
        (
            "beaten VALUES (1, 1, 0, 1, 0, 0, 'x')",
            beaten_of,
            "what somebody was told whose card came too late has 'x' where a row of bytes belongs",
        ),
        (
            "seeds VALUES (1, x'00', x'00', '')",
            seeds_of,
            r"secret of a hand has b'\\x00' where a text belongs",
        ),
        ("claims VALUES (1, 0, 'x', 0, NULL)", claims_of, "a claim has 'x' where a row of bytes belongs"),
        ("bans VALUES (1, 1, 'Ann', 'x', x'00')", bans_of, "sent away has 'x' where a row of bytes belongs"),
        ("epochs VALUES (1, 1, 'x', 'a')", epochs_of, "a start of the server has 'x' where a number belongs"),
        (
            "snapshots VALUES (1, 1, 0, 'x')",
            snapshots_of,
            "its snapshot has 'x' where a row of bytes belongs",
        ),
    ],
)
def test_a_value_of_a_wrong_type_is_named(
    loose: JournalFile, row: str, read: Callable[[JournalReader, int], Iterator[object]], why: str
) -> None:
    """With what it is, and what belongs in its place."""
    loose.execute(f"INSERT INTO {row}")
    with pytest.raises(UnknownContents, match=rf"{why}$"):
        list(read(loose, 1))


@pytest.mark.parametrize(
    "message", [TableState("BCDF", Options()).snapshot(0), Readied(seq=7, seat=0, ready=True)]
)
def test_what_is_no_snapshot_of_its_event_is_refused(loose: JournalFile, message: Message) -> None:
    """Be it one of another event, or that event itself: the table would go on from somewhere else."""
    loose.execute("INSERT INTO snapshots VALUES (1, 7, 0, ?)", (encode(message),))
    with pytest.raises(UnknownContents, match=r"^what stands as its snapshot is none$"):
        list(snapshots_of(loose, 1))


def test_a_table_s_row_has_values_of_the_right_types(loose: JournalFile) -> None:
    """A long one is told by its beginning."""
    values = (1, "BCDF", 1, "{}", b"", None, "0.1.0", "x" * 100, 0, None, None, 1)
    loose.execute(f"INSERT INTO tables VALUES ({', '.join('?' * len(values))})", values)  # noqa: S608
    (table,) = loose.tables()
    with pytest.raises(UnknownContents, match=rf"^its row has '{'x' * 39} where a number belongs$"):
        verify(table)
    with pytest.raises(UnknownContents, match="its code is none"):
        verify(table._replace(protocol=1, code="x" * 100))
