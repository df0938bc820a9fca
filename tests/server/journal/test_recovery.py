"""What a restart needs of a table."""

import contextlib
from collections.abc import Sequence
from pathlib import Path

import pytest

from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.codec import VERSION, encode
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal.reader import UnknownContents
from racing_demon_server.journal.recovery import saved_state_of, wanted_events
from racing_demon_server.journal.sqlite.database import open_journal


@pytest.mark.parametrize(
    ("delay_ms", "newest_us", "needed"),
    [(0, 100_000_000, 30), (60_000, 100_000_000, 20), (60_000, 99_999_999, 10)],
)
def test_spectators_have_seen_all_before_the_snapshot(
    tmp_path: Path, delay_ms: int, newest_us: int, needed: int
) -> None:
    """It is the newest one that is as old as their delay."""
    options = Options(watch_delay_ms=delay_ms)
    first = TableState("BCDF", options).snapshot(0)
    with contextlib.closing(open_journal(tmp_path / "journal.sqlite", write=True)) as db:
        values = (1, "BCDF", 1, options.model_dump_json(), b"", None, "0.1.0", VERSION, 0, None, None, 1)
        db.execute(f"INSERT INTO tables VALUES ({', '.join('?' * len(values))})", values)  # noqa: S608
        for seq, at_us in ((10, 20_000_000), (20, 40_000_000), (30, newest_us)):
            frame = encode(first.model_copy(update={"seq": seq}))
            db.execute("INSERT INTO snapshots VALUES (1, ?, ?, ?)", (seq, at_us, frame))
        (table,) = db.tables()
        snapshot = saved_state_of(db, table).snapshot
        assert snapshot is not None
        assert needed == snapshot.seq


@pytest.mark.parametrize(
    ("snapshots", "events", "first"),
    [([10, 30], range(11, 31), 11), ([10], [], 11), ([1_000], range(1, 1_001), 745), ([5], range(1, 6), 1)],
)
def test_a_log_is_read_from_the_newest_stretch_on(
    tmp_path: Path, snapshots: list[int], events: Sequence[int], first: int
) -> None:
    """Of what is before the snapshot some events are read, and none before the stretch that it is in."""
    options = Options()
    empty = TableState("BCDF", options).snapshot(0)
    with contextlib.closing(open_journal(tmp_path / "journal.sqlite", write=True)) as db:
        values = (1, "BCDF", 1, options.model_dump_json(), b"", None, "0.1.0", VERSION, 0, None, None, 1)
        db.execute(f"INSERT INTO tables VALUES ({', '.join('?' * len(values))})", values)  # noqa: S608
        db.executemany(
            "INSERT INTO events VALUES (NULL, 1, ?, 3, 0, 0, x'00')", [(number,) for number in events]
        )
        frames = [(seq, encode(empty.model_copy(update={"seq": seq}))) for seq in snapshots]
        db.executemany("INSERT INTO snapshots VALUES (1, ?, 0, ?)", frames)
        (table,) = db.tables()
        saved_state = saved_state_of(db, table)
        assert (first, False) == wanted_events(saved_state)
        with (
            pytest.raises(UnknownContents, match=f"event {first} is") if events else contextlib.nullcontext()
        ):
            list(saved_state.log)


def test_a_snapshot_of_another_table_is_refused(tmp_path: Path) -> None:
    """It would bring other players' seats back under this table's code."""
    other = TableState("CDFG", Options()).snapshot(0)
    with contextlib.closing(open_journal(tmp_path / "journal.sqlite", write=True)) as db:
        values = (1, "BCDF", 1, "{}", b"", None, "0.1.0", VERSION, 0, None, None, 1)
        db.execute(f"INSERT INTO tables VALUES ({', '.join('?' * len(values))})", values)  # noqa: S608
        db.execute("INSERT INTO snapshots VALUES (1, 0, 0, ?)", (encode(other),))
        (table,) = db.tables()
        with pytest.raises(UnknownContents, match="its snapshot is of table CDFG"):
            saved_state_of(db, table)
