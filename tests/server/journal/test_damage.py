"""A journal in which one value is wrong: a server starts all the same, and a check knows what it omits."""

import contextlib
import itertools
import random
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_server.journal import table_journal
from racing_demon_server.journal.interface import JournalUnusable
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.journal.play_runs import StoredPlay, decode_run, is_private
from racing_demon_server.journal.sqlite.database import (
    APPLICATION_ID,
    TABLES,
    VERSION,
    layout,
    open_journal,
    reading,
)
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.registry import Registry
from tests.support.effort import amount, more_when_long
from tests.support.journals import check, journaled
from tests.support.servers import Peer

OPEN: Final = 3
EVERY: Final = amount(40, 1)
"""Of so many pairs of a column and a value one is tried."""
VALUES: Final = ("no number", b"\xff\x00", 1.5, -1, 2**62, "", b"", None)


async def kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a journal whose tables are not strict: one in a hand, one of identical deals, one in a lobby."""
    path = folder / "journal.sqlite"
    monkeypatch.setattr(table_journal, "CHECKPOINT_EVENTS", 5)
    monkeypatch.setattr(table_journal, "MAX_EVENTS", 20)  # each hand ends with a snapshot
    with contextlib.closing(sqlite3.connect(path)) as db:
        pragmas = f"PRAGMA user_version = {VERSION}; PRAGMA application_id = {APPLICATION_ID};"
        db.executescript(layout(strict=False) + pragmas)
    # Of little-lots one deal in 160 has no play.
    async with journaled(path, bot_speed=100.0, seed=bytes(32)) as served:
        for game, hands in (("racing-demon", 3), ("little-lots", 1), ("classic", 3)):
            async with Peer.hosting(served.url, seated=False, game=game, hands=hands) as host:
                for _ in range(3):
                    await host.ask(cl.AddBot, level="hard")
                if game != "classic":
                    await host.ask(cl.Start)
                    await host.until(ev.Signalled)
                    await host.follow(host.view.seq + 5)
                    if hands == 1:  # so that its match is not over before the others have played
                        await host.ask(cl.Pause, paused=True, seen=host.view.seq)
                else:
                    async with Peer.entered(served.url, cl.Join(code=host.code, name="Eve")) as eve:
                        await host.ask(cl.Kick, seat=eve.place.seat)
                if hands == 3 and game != "classic":
                    await host.until(ev.HandOver)
                    await host.until(ev.Signalled)
                    await host.follow(host.view.seq + 20)
    with contextlib.closing(open_journal(path, write=True)) as db:
        db.execute("INSERT INTO corrections VALUES (1, '1.1', '{}')")
        db.execute("DELETE FROM corrections")
        # As older servers wrote them. A restart from a checkpoint reads no such rows after it.
        rows = db.execute(
            "SELECT id, events.table_id, events.seq, at_ms, events.frame, at_us FROM events "
            "JOIN checkpoints ON checkpoints.table_id = events.table_id AND id <= last_play WHERE kind = 0"
        ).fetchall()
        for number, table, seq, at_ms, frame, at_us in [row for row in rows if is_private(row[4])]:
            db.execute("DELETE FROM events WHERE id = ?", (number,))
            for play in decode_run(StoredPlay(frame, at_us)):
                values = table, seq, play.at_us, at_ms, play.frame
                db.execute("INSERT INTO whispers VALUES (NULL, ?, ?, ?, ?, ?)", values)
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return path


def taken_up(path: Path) -> int:
    """Return how many tables a server takes up; -1 where it says that it cannot use the file."""
    try:
        with reading(path) as db:
            now = db.last_us()
            registry = Registry(ServerSettings(), lambda: now, NullJournal())
            unrestorable = list(registry.restore_from(db))
            tables = len(registry)
            registry.close(for_good=False)
    except JournalUnusable:
        return -1
    assert tables + len(unrestorable) <= OPEN
    return tables


def damaged(path: Path, copy: Path, name: str) -> Iterator[str]:
    """Make one copy after the other in which a value of a table is another, and yield what it is."""
    rng = random.Random(name)
    with contextlib.closing(sqlite3.connect(path)) as db:
        columns = [column for _, column, *_ in db.execute(f"PRAGMA table_info({name})")]
        rows = [list(row) for row in db.execute(f"SELECT * FROM {name}")]  # noqa: S608 - our own names
    for place, value in itertools.islice(
        itertools.product(range(len(columns)), VALUES), rng.randrange(EVERY), None, EVERY
    ):
        row = rng.choice(rows)
        keys = " AND ".join(f"{column} IS ?" for column in columns)
        sql = f"UPDATE {name} SET {columns[place]} = ? WHERE {keys}"  # noqa: S608 - our own names
        shutil.copy(path, copy)
        with contextlib.closing(sqlite3.connect(copy, isolation_level=None)) as db:
            try:
                assert db.execute(sql, (value, *row)).rowcount == 1
            except sqlite3.Error:  # not even a table that is not strict takes that
                continue
        yield f"{name}.{columns[place]} = {value!r}"


@more_when_long
async def test_a_wrong_value_costs_one_table_and_a_check_knows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever stands in a column: the other tables go on, and where all do not, the journal is not right."""
    copy = tmp_path / "copy.sqlite"
    path = await kept(tmp_path, monkeypatch)
    assert check(path)[3:] == ([], [])
    assert taken_up(path) == OPEN
    for name in sorted(TABLES - {"marks", "corrections"}):
        for what in damaged(path, copy, name):
            tables, report = taken_up(copy), check(copy)
            assert tables == -1 or tables >= OPEN - 1 - (".code" in what), what
            if not report.faults and not report.waiting:
                assert tables == OPEN or "closed_ms" in what, what
