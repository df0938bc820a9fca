"""Tables read back from a journal."""

import contextlib
from pathlib import Path

from racing_demon_protocol.table.view import TableView
from racing_demon_protocol.wire.codec import VERSION, encode
from racing_demon_protocol.wire.options import Options
from racing_demon_server.durability import Durability
from racing_demon_server.journal.recovery import past_of
from racing_demon_server.journal.sqlite.database import open_journal


def test_a_table_whose_events_are_gone_is_as_its_snapshot_has_it(tmp_path: Path) -> None:
    """Where a journal has lost what led to a hand's end, nothing of it is still to be seen by spectators."""
    options = Options(watch_delay_ms=60_000)
    snapshot = TableView("BCDF", options).snapshot(0)
    with contextlib.closing(open_journal(tmp_path / "j", write=True, durability=Durability.NORMAL)) as db:
        values = (1, "BCDF", 1, options.model_dump_json(), b"", None, "0.1.0", VERSION, 0, None, None)
        db.execute(f"INSERT INTO tables VALUES ({', '.join('?' * len(values))})", values)  # noqa: S608
        db.execute("INSERT INTO snapshots VALUES (1, ?, 0, ?)", (snapshot.seq, encode(snapshot)))
        (table,) = db.tables()
        past = past_of(db, table)
        assert (snapshot, []) == (past.snapshot, list(past.log))
