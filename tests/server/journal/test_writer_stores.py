"""The thread that writes, where its store owes an answer, refuses for good, or is asked by many."""

import asyncio
import threading
import time
from pathlib import Path

import pytest

from racing_demon_server.enums import Durability
from racing_demon_server.journal.interface import Fenced
from racing_demon_server.journal.operations import Change
from racing_demon_server.journal.sqlite.store import SqliteStore
from racing_demon_server.journal.writer import CROWD, DurableJournal
from tests.support.journals import numbered, numbers_in
from tests.support.servers import PATIENCE, logged_warnings, timeout
from tests.support.virtual_rooms import virtual


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where a journal is to be."""
    return tmp_path / "journal.sqlite"


class Hesitant(SqliteStore):
    """A store that owes its answers until it is let.

    Attributes:
        asked: set once it owes one.
        turns: how many it may give.

    """

    patience: float | None = 8.0

    def __init__(self, path: Path) -> None:
        self.asked = threading.Event()
        self.turns = threading.Semaphore(0)
        super().__init__(path, Durability.NORMAL)

    def commit(self, changes: list[Change]) -> None:
        """Wait for a turn, and write."""
        self.asked.set()
        self.turns.acquire()
        super().commit(changes)


@virtual
async def test_a_store_that_owes_an_answer_halts_the_tables_in_time(path: Path) -> None:
    """Not while nothing is asked of it; then after its patience, and within a quarter more."""
    loop, store = asyncio.get_running_loop(), Hesitant(path)
    journal = DurableJournal(store)
    halts: list[tuple[bool, float]] = []
    journal.halted = lambda is_halted: halts.append((is_halted, loop.time()))
    await asyncio.sleep(3_600.5)
    assert halts == []
    began = loop.time()
    journal.write(numbered(1), lambda: None)
    await asyncio.sleep(60)
    ((is_halted, at),) = halts
    assert is_halted
    assert 8 < at - began <= 10
    store.turns.release(9)
    await journal.drained()
    assert [is_halted for is_halted, _ in halts] == [True, False]
    journal.close()


@virtual
async def test_a_store_that_answers_now_and_then_halts_nobody(path: Path) -> None:
    """Its patience begins anew with each answer, though something always waits."""
    store, told, halts = Hesitant(path), list[int](), list[bool]()
    journal = DurableJournal(store)
    journal.halted = halts.append
    journal.write(numbered(1), lambda: told.append(1))
    assert store.asked.wait(PATIENCE)
    journal.write(numbered(2), lambda: told.append(2))
    await asyncio.sleep(6)
    store.turns.release()
    while not told:  # noqa: ASYNC110 - no time may pass
        await asyncio.sleep(0)
    await asyncio.sleep(6)
    assert (told, halts) == ([1], [])
    store.turns.release(9)
    await journal.drained()
    journal.close()


async def test_it_is_known_when_something_was_written(path: Path) -> None:
    """At first the moment in which the journal was opened; then that of the newest transaction."""
    journal = DurableJournal(SqliteStore(path, Durability.NORMAL))
    opened, began = journal.written_at, time.monotonic()
    assert began - PATIENCE < opened <= began
    journal.write(numbered(1), lambda: None)
    await timeout(PATIENCE, journal.drained())
    assert began <= journal.written_at <= time.monotonic()
    await asyncio.to_thread(journal.close)


class Dead(SqliteStore):
    """A store whose server was declared dead, maybe after some failures."""

    failures = 0

    def commit(self, changes: list[Change]) -> None:
        """Refuse, in the end for good."""
        if self.failures:
            self.failures -= 1
            raise OSError("no answer")
        raise Fenced("others have its tables")


async def test_a_server_that_others_have_declared_dead_writes_nothing_more(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It is told so once, with the reason; nothing that waits is ever told, and nobody waits for it."""
    journal = DurableJournal(Dead(path, Durability.NORMAL))
    told: list[str] = []
    journal.fenced = told.append
    for number in (1, 2):
        journal.write(numbered(number), lambda: told.append("written"))
    await timeout(PATIENCE, journal.drained())
    assert (told, journal.is_halted) == (["others have its tables"], True)
    assert [each.why for each in caplog.records if hasattr(each, "why")] == ["others have its tables"]
    await asyncio.to_thread(journal.close)
    assert numbers_in(path) == []


async def test_a_journal_whose_end_interests_nobody_ends_as_well(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Its halt and its end are logged, and nothing else goes wrong."""
    store = Dead(path, Durability.NORMAL)
    store.failures = 1
    journal = DurableJournal(store)
    journal.write(numbered(1), lambda: None)
    await timeout(PATIENCE, journal.drained())
    await asyncio.sleep(0)
    assert logged_warnings(caplog) == [
        "the journal cannot be written: all tables are halted",
        "this server was fenced: others have its tables",
    ]
    await asyncio.to_thread(journal.close)


@pytest.mark.parametrize(
    ("entries", "pace", "waits"), [(CROWD, 100.0, True), (2, 100.0, False), (CROWD, 0.0, True)]
)
async def test_a_crowd_is_paced(
    path: Path, monkeypatch: pytest.MonkeyPatch, entries: int, pace: float, waits: bool
) -> None:
    """After a transaction of three entries the thread waits for the rest of its time, and after two not."""
    monkeypatch.setattr("racing_demon_server.journal.writer.PACE_SECONDS", pace)
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    store = Hesitant(path)
    journal = DurableJournal(store)
    journal.write(numbered(0), lambda: None)
    assert store.asked.wait(PATIENCE)
    for number in range(1, 1 + entries):
        journal.write(numbered(number), lambda: None)
    store.turns.release(9)
    await timeout(PATIENCE, journal.drained())
    await asyncio.to_thread(journal.close)
    assert [waits] * waits == [pace / 2 <= seconds <= pace for seconds in slept]


async def test_the_end_does_not_wait_for_a_store_that_hangs(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is left to the process's end, and not closed under the thread that writes."""
    monkeypatch.setattr("racing_demon_server.journal.writer.CLOSE_SECONDS", 0.05)
    store = Hesitant(path)
    journal = DurableJournal(store)
    (writer,) = (thread for thread in threading.enumerate() if thread.name == "journal")
    journal.write(numbered(1), lambda: None)
    await asyncio.to_thread(journal.close)
    assert (numbers_in(path), writer.is_alive()) == ([], True)
    store.turns.release(9)
    await asyncio.to_thread(writer.join)
    assert numbers_in(path) == [1]
    store.close()


async def test_the_end_waits_for_a_store_that_always_answers(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long a disk takes, what waits is written."""
    monkeypatch.setattr("racing_demon_server.journal.writer.CLOSE_SECONDS", 0.01)
    store = Hesitant(path)
    store.patience = None
    journal = DurableJournal(store)
    journal.write(numbered(1), lambda: None)
    alarm = threading.Timer(0.3, store.turns.release, [9])
    alarm.start()
    await asyncio.to_thread(journal.close)
    assert numbers_in(path) == [1]
    alarm.join()
