"""The thread that writes: in order, together, and nothing told before it is there."""

import asyncio
import contextlib
import sqlite3
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from racing_demon_server.enums import Durability
from racing_demon_server.journal.interface import JournalUnusable
from racing_demon_server.journal.sqlite.database import open_journal
from racing_demon_server.journal.sqlite.lock_file import LockFile
from racing_demon_server.journal.sqlite.store import SqliteStore
from racing_demon_server.journal.writer import CROWD, PACE_SECONDS, DurableJournal
from tests.support.journals import numbered, numbers_in, overwrite_page
from tests.support.restartable_server import wait_until
from tests.support.servers import PATIENCE, logged_warnings, timeout

BIG = bytes(200_000)


class Meter:
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.failures = 0
        self.max_waiting = 0

    def written(self, seconds: float) -> None:
        """Note a time."""
        self.seconds.append(seconds)

    def failed(self) -> None:
        """Count a failure."""
        self.failures += 1

    def waiting(self, entries: int) -> None:
        """Note how much waits."""
        self.max_waiting = max(self.max_waiting, entries)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where a journal is to be."""
    return tmp_path / "journal.sqlite"


@pytest.fixture
def meter() -> Meter:
    """Return what measures the journal."""
    return Meter()


@pytest.fixture
def store(path: Path) -> SqliteStore:
    """Open a file."""
    return SqliteStore(path, Durability.FULL)


@pytest.fixture
async def journal(store: SqliteStore, meter: Meter) -> AsyncIterator[DurableJournal]:
    """Open a journal."""
    journal = DurableJournal(store, meter)
    yield journal
    await asyncio.to_thread(journal.close)


async def test_what_is_told_is_there(journal: DurableJournal, path: Path) -> None:
    """When it is told, others can read it; and it is told in the order in which it came."""
    told: list[int] = []

    def tell(number: int) -> None:
        told.append(number)
        assert number in numbers_in(path)

    for number in range(1, 51):
        journal.write(numbered(number), lambda number=number: tell(number))  # type: ignore[misc]
    assert told == []
    await timeout(PATIENCE, journal.drained())
    assert list(range(1, 51)) == told


async def test_what_waits_is_written_together(journal: DurableJournal, path: Path, meter: Meter) -> None:
    """A thousand entries that come while the disk is busy take a few transactions, and not a thousand."""
    began = time.perf_counter()
    with contextlib.closing(open_journal(path)) as db:
        before = db.execute("PRAGMA data_version").fetchone()[0]
        seen = {before}
        for number in range(1, 1_001):
            journal.write(numbered(number), lambda: seen.add(db.execute("PRAGMA data_version").fetchone()[0]))
        await timeout(PATIENCE, journal.drained())
        assert db.execute("SELECT count(*) FROM seeds").fetchone()[0] == 1_000
    assert len(seen) < 200
    assert 1 <= len(meter.seconds) < 200
    assert meter.max_waiting == 1_000
    assert all(0 < seconds < time.perf_counter() - began for seconds in meter.seconds)


async def test_where_many_come_the_next_ones_are_waited_for(journal: DurableJournal, meter: Meter) -> None:
    """After a transaction of three entries or more the next begins a millisecond after its beginning."""
    transactions: list[int] = []

    def write(number: int) -> None:
        journal.write(numbered(number), lambda: told(number))

    def told(number: int) -> None:
        transactions.append(len(meter.seconds))
        if number < 300:
            write(number + 5)

    began = time.monotonic()
    for number in range(5):
        write(number)
    await wait_until(lambda: len(transactions) == 305)
    crowded = [count for count in Counter(transactions).values() if count >= CROWD]
    assert len(crowded) > 10, crowded
    assert time.monotonic() - began >= PACE_SECONDS * (len(crowded) - 1)


async def test_an_entry_is_there_as_a_whole_or_not_at_all(journal: DurableJournal, path: Path) -> None:
    """Of statements of which one fails none is carried out, and nothing behind them is told."""
    told: list[str] = []
    halts: list[bool] = []
    journal.halted = halts.append
    journal.write([*numbered(1), *numbered(1)], lambda: told.append("never"))
    journal.write(numbered(2), lambda: told.append("neither"))
    await wait_until(lambda: halts == [True])
    assert (told, numbers_in(path)) == ([], [])


async def test_what_failed_halfway_is_taken_back(journal: DurableJournal, path: Path) -> None:
    """Others may write while the journal cannot; when what stood in its way is gone, it writes all of it."""
    told: list[int] = []
    halts: list[bool] = []
    journal.halted = halts.append
    journal.write(numbered(1), lambda: told.append(1))
    await timeout(PATIENCE, journal.drained())
    journal.write([*numbered(2), *numbered(1)], lambda: told.append(2))
    await wait_until(lambda: halts == [True])
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("DELETE FROM seeds WHERE table_id = 1")
    await timeout(PATIENCE, journal.drained())
    assert (told, halts, numbers_in(path)) == ([1, 2], [True, False], [1, 2])


async def test_a_full_disk_halts_and_loses_nothing(
    journal: DurableJournal, store: SqliteStore, path: Path, meter: Meter, caplog: pytest.LogCaptureFixture
) -> None:
    """While the file cannot grow nothing is told; when it can, everything is written, in its order."""
    told: list[int] = []
    halts: list[bool] = []
    journal.halted = halts.append
    journal.write(numbered(1), lambda: told.append(1))
    await timeout(PATIENCE, journal.drained())
    store.db.execute("PRAGMA max_page_count = 1").fetchall()
    for number in (2, 3, 4):
        journal.write(numbered(number, BIG), lambda number=number: told.append(number))  # type: ignore[misc]
    await wait_until(lambda: meter.failures >= 2)
    assert (told, halts, numbers_in(path)) == ([1], [True], [1])
    assert journal.is_halted
    assert len(journal) == 3
    store.db.execute("PRAGMA max_page_count = 1000000").fetchall()
    await timeout(PATIENCE, journal.drained())
    assert (told, halts, numbers_in(path)) == ([1, 2, 3, 4], [True, False], [1, 2, 3, 4])
    assert not journal.is_halted
    assert logged_warnings(caplog) == ["the journal cannot be written: all tables are halted"]
    assert [each.why for each in caplog.records if hasattr(each, "why")] == ["database or disk is full"]
    assert [each.entries for each in caplog.records if hasattr(each, "entries")] == [3]


async def test_one_that_cannot_be_told_is_no_trouble_for_others(
    journal: DurableJournal, caplog: pytest.LogCaptureFixture
) -> None:
    """A fault in what is called is logged; whoever comes behind it is told."""
    told: list[int] = []
    journal.write(numbered(1), lambda: told.append(1 // 0))
    journal.write(numbered(2), lambda: told.append(2))
    await timeout(PATIENCE, journal.drained())
    assert told == [2]
    assert logged_warnings(caplog) == ["what was written could not be told"]


async def test_closing_writes_what_waits(path: Path) -> None:
    """Nothing that came before the end is left out."""
    journal = DurableJournal(SqliteStore(path, Durability.NORMAL))
    for number in range(1, 101):
        journal.write(numbered(number), lambda: None)
    await asyncio.to_thread(journal.close)
    assert list(range(1, 101)) == numbers_in(path)


async def test_a_second_server_is_refused(journal: DurableJournal, path: Path) -> None:
    """One file has one server; when that is gone, the next may have it."""
    with pytest.raises(JournalUnusable, match="Another server uses the journal"):
        DurableJournal(SqliteStore(path, Durability.FULL))
    journal.write(numbered(1), lambda: None)
    await timeout(PATIENCE, journal.drained())
    assert numbers_in(path) == [1]


async def test_one_that_is_damaged_is_left_to_others(path: Path) -> None:
    """It is refused with a sentence, and its lock let go of: it can be put right while the program runs."""
    open_journal(path, write=True).close()
    overwrite_page(path, "tables")
    with pytest.raises(JournalUnusable, match=f"^The journal {path} is damaged: database disk image is"):
        DurableJournal(SqliteStore(path, Durability.FULL))
    LockFile(path).release()


async def test_durability_is_what_was_asked_for(path: Path) -> None:
    """Full waits for the disk with every transaction, normal does not; both write ahead."""
    for durability, synchronous in ((Durability.FULL, 2), (Durability.NORMAL, 1)):
        store = SqliteStore(path, durability)
        assert (synchronous,) == store.db.execute("PRAGMA synchronous").fetchone()
        assert store.db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        store.close()


async def test_a_program_that_fails_does_not_hang_on_its_journal(journal: DurableJournal) -> None:
    """Where it ends without closing the file, it does not wait for the thread that writes."""
    (writer,) = (thread for thread in threading.enumerate() if thread.name == "journal")
    assert writer.daemon
    assert len(journal) == 0


async def test_a_disk_that_takes_its_time_halts_too(
    journal: DurableJournal,
    store: SqliteStore,
    path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """What waits is bounded: with one more than that the tables stand still, though no disk has failed."""
    monkeypatch.setattr("racing_demon_server.journal.writer.MAX_WAITING", 20)
    halts: list[bool] = []
    journal.halted = halts.append
    works_again = threading.Event()
    store.db.set_progress_handler(lambda: not works_again.wait(PATIENCE), 1)
    journal.write(numbered(0), lambda: None)
    for number in range(1, 20):
        journal.write(numbered(number), lambda: None)
    try:
        await asyncio.sleep(0)
        assert (halts, len(journal)) == ([], 20)
        journal.write(numbered(20), lambda: None)
        await asyncio.sleep(0)
        assert halts == [True]
        assert [each.why for each in caplog.records if hasattr(each, "why")] == ["the disk is too slow"]
    finally:
        works_again.set()
    await timeout(PATIENCE, journal.drained())
    assert ([True, False], list(range(21))) == (halts, numbers_in(path))


async def test_others_may_write_a_little(journal: DurableJournal, store: SqliteStore, path: Path) -> None:
    """While somebody else holds the file for a moment the journal waits, and halts nobody."""
    halts: list[bool] = []
    tried: list[str] = []
    journal.halted = halts.append
    store.db.set_trace_callback(tried.append)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        journal.write(numbered(1), lambda: None)
        await wait_until(lambda: bool(tried))
        other.execute("COMMIT")
    await timeout(PATIENCE, journal.drained())
    assert (halts, numbers_in(path)) == ([], [1])
