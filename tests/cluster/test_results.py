"""Results in a database: behind the fence of the server that writes them, and never older than before."""

import contextlib
import json
import logging
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from racing_demon_cluster.postgres.store import PostgresStore
from racing_demon_cluster.results import JOURNAL, PostgresResults, Retention
from racing_demon_protocol.enums import EndReason
from racing_demon_protocol.records.notes import HandNotes
from racing_demon_protocol.records.summary import HandSummary, MatchSummary, PlayerSummary
from racing_demon_server.enums import StandingsAccess
from racing_demon_server.journal.interface import Fenced, JournalReader, UnstorableValue
from racing_demon_server.journal.matches import BlankedFrame
from racing_demon_server.journal.operations import Operation
from racing_demon_server.results.file import ResultsFile
from racing_demon_server.results.query import Filter, StandingsQuery
from racing_demon_server.results.worker import ResultsWorker
from tests.support.postgres import Postgres


def summary(started_ms: int) -> MatchSummary:
    """Return what is remembered of a match that began at some time."""
    return MatchSummary(id="7.1", code="BCDFGH", game="racing_demon", started_ms=started_ms)


def unread() -> contextlib.AbstractContextManager[JournalReader]:
    """Stand for a journal that nobody reads."""
    raise AssertionError


@pytest.fixture
def results(
    servers: Postgres, name: str, opened: Callable[..., PostgresStore]
) -> Iterator[tuple[PostgresResults, PostgresResults]]:
    """Return the results as two servers have them."""
    one, other = (PostgresResults(servers.url(name), opened(node).node) for node in ("n1", "n2"))
    with contextlib.closing(one), contextlib.closing(other):
        yield one, other


def test_a_fenced_server_writes_no_result(
    servers: Postgres, name: str, results: tuple[PostgresResults, PostgresResults]
) -> None:
    """What others have fenced changes no result and adds none; others read what it wrote before."""
    one, other = results
    assert one.save(JOURNAL, "7.1", summary(1), is_over=False)
    one.close()  # as where its connection is lost
    servers.sql("UPDATE nodes SET fenced = true WHERE name = 'n1'", name)
    known = other.of_match(JOURNAL, "7.1")
    assert known is not None
    for match, replaces in (("7.1", known.id), ("8.1", 0)):
        with pytest.raises(Fenced):
            one.save(JOURNAL, match, summary(2), is_over=True, replaces=replaces)
    assert servers.sql("SELECT match, started_ms FROM results", name) == [("7.1", 1)]


def test_a_result_is_not_replaced_by_an_older_one(results: tuple[PostgresResults, PostgresResults]) -> None:
    """Of two servers that make a result at the same time, one writes; its number rises, its link stays."""
    one, other = results
    assert one.save(JOURNAL, "7.1", summary(1), is_over=False)
    assert not other.save(JOURNAL, "7.1", summary(2), is_over=False)
    before = other.of_match(JOURNAL, "7.1")
    assert before is not None
    assert one.save(JOURNAL, "7.1", summary(3), is_over=True, replaces=before.id)
    assert not other.save(JOURNAL, "7.1", summary(4), is_over=True, replaces=before.id)
    (after,) = other.ended()
    assert (after.link, after.id > before.id, after.summary.started_ms) == (before.link, True, 3)


def test_a_casual_match_counts_in_neither_store(
    results: tuple[PostgresResults, PostgresResults], tmp_path: Path
) -> None:
    """What both keep says so, and standings leave it out."""
    hand = HandSummary(hand=1, reason=EndReason.OUT, out=0, elapsed_ms=1, points={0: 5}, plays={})
    counted = summary(1).model_copy(
        update={"hands": (hand,), "players": (PlayerSummary(seat=0, name="Ann"),), "finished": True}
    )
    casual = counted.model_copy(update={"casual": True})
    with ResultsFile(tmp_path / "results.sqlite") as file:
        for store in (file, results[0]):
            assert store.save(JOURNAL, "7.1", counted, is_over=True)
            assert store.save(JOURNAL, "8.1", casual, is_over=True)
            assert [each.summary.casual for each in store.ended()] == [False, True]
            worker = ResultsWorker(store, unread, JOURNAL)
            found = worker.standings(StandingsQuery(), StandingsAccess.OPEN, "")
            assert found is not None
            shown = json.loads(found[1])
            assert (shown["matches"], [row["points"] for row in shown["rows"]]) == (1, [5])


def test_what_hands_were_like_is_kept_in_both_stores(
    results: tuple[PostgresResults, PostgresResults], tmp_path: Path
) -> None:
    """Each hand has one row, the newest; another server reads it, and another match has its own."""
    moment = (0, 5, 1, 9_000_000, 7, 1, None)
    notes = HandNotes(moments=(moment,), up={0: 3}, first=0, patience={0: 5}, opened={1: 2})
    with ResultsFile(tmp_path / "results.sqlite") as file:
        for store, reader in ((file, file), results):
            store.save_notes(JOURNAL, "7.1", {2: HandNotes(), 1: notes})
            store.save_notes(JOURNAL, "7.1", {2: notes})
            store.save_notes(JOURNAL, "8.1", {1: HandNotes()})
            assert reader.notes_of(JOURNAL, "7.1") == {1: notes, 2: notes}
            assert reader.notes_of(JOURNAL, "8.1") == {1: HandNotes()}


def test_events_and_snapshots_are_blanked(
    servers: Postgres, name: str, opened: Callable[..., PostgresStore]
) -> None:
    """What is to be forgotten is overwritten in the one event and the one snapshot that have it."""
    store = opened()
    table = (1, "BCDF", 1, "{}", b"", None, "software", 1, 1)
    events = [(Operation.ADD_EVENT, (1, seq, 3, seq, seq, b"Ann")) for seq in (1, 2)]
    snapshot = (Operation.ADD_SNAPSHOT, (1, 2, 2, b"Ann"))
    store.commit([(Operation.OPEN_TABLE, table), *events, snapshot])
    with contextlib.closing(PostgresResults(servers.url(name), store.node)) as results:
        results.blank(1, [BlankedFrame(1, 3, b"nobody"), BlankedFrame(2, None, b"nobody")])
    assert servers.sql("SELECT seq, frame FROM events ORDER BY seq", name) == [(1, b"nobody"), (2, b"Ann")]
    assert servers.sql("SELECT seq, frame FROM snapshots", name) == [(2, b"nobody")]


def test_what_no_database_can_hold_costs_no_connection(
    results: tuple[PostgresResults, PostgresResults],
) -> None:
    """A text with a NUL, or a number that is too large, is the fault of whoever asks for it."""
    store, _ = results
    connection = store.rows("SELECT pg_backend_pid()")
    with pytest.raises(UnstorableValue):
        store.table_of("A\0", bytes(32))
    with pytest.raises(UnstorableValue):
        list(store.ids_of_ended(Filter(since_ms=2**70)))
    with pytest.raises(UnstorableValue), store.transaction():
        store.rows("SELECT ?1", "A\0")
    assert store.save(JOURNAL, "7.1", summary(1), is_over=False)
    assert store.rows("SELECT pg_backend_pid()") == connection


@pytest.mark.long
@pytest.mark.parametrize("days_ahead", [400, -400, 0])
async def test_a_wrong_clock_deletes_nothing(
    servers: Postgres,
    name: str,
    opened: Callable[..., PostgresStore],
    caplog: pytest.LogCaptureFixture,
    days_ahead: int,
) -> None:
    """Only a server that has the database's time deletes a match that is older than what is kept."""
    store, now_ms = opened(), time.time_ns() // 1_000_000
    store.commit([(Operation.OPEN_TABLE, (1, "BCDF", 1, "{}", b"", None, "software", 1, 1))])
    servers.sql(
        "UPDATE tables SET has_results = true, "
        "closed_ms = (extract(epoch FROM now() - interval '91 days') * 1000)::bigint",
        name,
    )
    retention = Retention(servers.url(name), store.node, 90, lambda: now_ms + days_ahead * 86_400_000)
    with caplog.at_level(logging.WARNING, "racing_demon_server"):
        await retention.prune()
    await retention.close()
    left = len(caplog.records)
    assert (left, servers.sql("SELECT count(*) FROM tables", name)) == (bool(days_ahead), [(left,)])


@pytest.mark.long
@pytest.mark.parametrize("days_ahead", [400, -400, 0])
def test_a_table_is_closed_by_the_databases_clock(
    servers: Postgres, name: str, opened: Callable[..., PostgresStore], days_ahead: int
) -> None:
    """So no other server takes it for an old one; a server that is right by a minute is believed."""
    store, now_ms = opened(), time.time_ns() // 1_000_000
    store.commit([(Operation.OPEN_TABLE, (1, "BCDF", 1, "{}", b"", None, "software", 1, 1))])
    store.commit([(Operation.CLOSE_TABLE, (now_ms + days_ahead * 86_400_000, 1))])
    ((closed_ms,),) = servers.sql("SELECT closed_ms FROM tables", name)
    assert isinstance(closed_ms, int)
    assert abs(closed_ms - now_ms) < 60_000
    assert days_ahead or closed_ms == now_ms
