"""The journal in PostgreSQL: durable on two hosts, behind a fence, and never told what is not certain."""

import asyncio
import contextlib
import os
import re
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import psycopg
import pytest

from racing_demon_cluster.postgres.connection import check_database, connect
from racing_demon_cluster.postgres.nodes import fence, register
from racing_demon_cluster.postgres.rules_digests import rules_digests
from racing_demon_cluster.postgres.store import PostgresStore, reading
from racing_demon_cluster.seed_encryption import ClusterKeys, read_keys
from racing_demon_cluster.server import open_store
from racing_demon_cluster.settings import ClusterSettings
from racing_demon_cluster.statements import read_overview, reassign_orphans
from racing_demon_protocol.engine.commit_reveal import commitment
from racing_demon_protocol.wire.codec import VERSION
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_server.encoded_messages import EncodedEvent
from racing_demon_server.journal.clock_watermark import ClockWatermark
from racing_demon_server.journal.interface import Fenced, JournalUnusable, StoreLacks, Superseded
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.journal.operations import Change, Operation
from racing_demon_server.journal.reader import UnknownContents, log_of
from racing_demon_server.journal.table_journal import TableJournal
from racing_demon_server.journal.writer import DurableJournal
from racing_demon_server.settings import ServerSettings
from racing_demon_server.setup_check import Verdict
from tests.support.postgres import KEY, OPEN_TABLE, LosingProxy, Postgres, postgres
from tests.support.restartable_server import wait_until
from tests.support.servers import PATIENCE, timeout

SEED = bytes(range(100, 132))


def event(number: int, frame: bytes = b"frame") -> Change:
    """Return what writes an event of table 1."""
    return Operation.ADD_EVENT, (1, number, 3, number, number, frame)


def numbers(servers: Postgres, name: str) -> list[int]:
    """Return the numbers of the events that are there, once for each row."""
    rows = servers.sql("SELECT seq FROM events ORDER BY seq", name)
    return [int(str(seq)) for (seq,) in rows]


class Remembering(NullJournal):
    """A journal that keeps in memory what is to be written."""

    is_durable = True

    def __init__(self) -> None:
        super().__init__()
        self.changes: list[Change] = []

    def write(self, changes: Sequence[Change], on_written: Callable[[], None]) -> None:
        """Keep changes, and call back at once."""
        self.changes += changes
        super().write(changes, on_written)


def wait_for(servers: Postgres, sql: str) -> None:
    """Wait until a query has an answer."""
    while not servers.sql(sql):
        pass


@contextlib.contextmanager
def no_standby(servers: Postgres) -> Iterator[None]:
    """Let the standby's host be dead meanwhile."""
    servers.stop("standby")
    try:
        yield
    finally:
        servers.start("standby")


WAITS = "SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep'"
"""Whether a commit waits for the standby."""


def test_what_is_committed_is_there(
    opened: Callable[..., PostgresStore], servers: Postgres, name: str
) -> None:
    """Events stand in the database, each once, in the order of their numbers."""
    store = opened()
    store.commit([event(1), event(2)])
    store.commit([])
    store.commit([event(3)])
    assert numbers(servers, name) == [1, 2, 3]


def test_a_lost_answer_is_settled(opened: Callable[..., PostgresStore], servers: Postgres, name: str) -> None:
    """The same rows are sent again, with others behind them, and all of them stand there once."""
    proxy = LosingProxy(servers.ports[0])
    store = opened(url=f"postgresql://rd@127.0.0.1:{proxy.port}/{name}")
    first = [
        event(1),
        (Operation.ADD_WHISPER, (1, 1, 1, 5, 5, b"whisper")),
        (Operation.ADD_EPOCH, (1, 1, "e")),
    ]
    store.commit([event(0)])
    proxy.loses = True
    with pytest.raises(psycopg.OperationalError):
        store.commit(first)
    store.commit([*first, event(2)])
    assert numbers(servers, name) == [0, 1, 2]
    assert servers.sql("SELECT count(*) FROM whispers", name) == [(1,)]
    assert servers.sql("SELECT count(*) FROM epochs", name) == [(1,)]
    proxy.close()


def test_plays_that_are_exactly_alike_are_all_there(
    opened: Callable[..., PostgresStore], servers: Postgres, name: str
) -> None:
    """On identical deals the same automatic play may come again and again, and has no number of its own."""
    proxy = LosingProxy(servers.ports[0])
    store = opened(url=f"postgresql://rd@127.0.0.1:{proxy.port}/{name}")
    alike = ev.Played(seq=1, seat=0, counter=0, source=1, count=1, destination=2, depth=0)
    journal = Remembering()
    table = TableJournal(journal, 1, lambda: 5, ClockWatermark(journal, lambda: 0))
    for _ in range(3):
        table.append([EncodedEvent(alike, 7, 0), EncodedEvent(alike, 7, 0)])
        table.write(lambda: None)
    store.commit([event(0)])
    proxy.loses = True
    with pytest.raises(psycopg.OperationalError):
        store.commit(journal.changes)
    store.commit(journal.changes)
    with store.reading() as reader:
        assert [alike] * 6 == [kept.event for kept in log_of(reader, 1, first=1)]
    proxy.close()


def test_an_unlisted_table_stays_unlisted_for_its_heir(opened: Callable[..., PostgresStore]) -> None:
    """Whoever has the tables of a server next knows which of them no list may name."""
    store = opened()
    for number, code in enumerate(("BCDF", "GHJK"), 1):
        table = (number, code, number, "{}", b"", None, "software", 1, 1)
        store.commit([(Operation.OPEN_TABLE, table)])
    store.commit([(Operation.LIST_TABLE, (0, 2))])
    with opened().reading() as reader:
        assert [(each.code, each.listed) for each in reader.tables()] == [("BCDF", 1), ("GHJK", 0)]


def test_a_fenced_server_writes_nothing(
    opened: Callable[..., PostgresStore], servers: Postgres, name: str
) -> None:
    """The next server of the same name has its tables, and what the first still sends is refused."""
    store = opened()
    table = (1, "BCDF", 1, "{}", b"", None, "software", 1, 1)
    store.commit([(Operation.OPEN_TABLE, table), event(1)])
    heir = opened()
    for _ in range(2):
        with pytest.raises((Fenced, psycopg.OperationalError)) as refused:
            store.commit([event(2)])
    assert refused.type is Fenced
    assert numbers(servers, name) == [1]
    assert servers.sql("SELECT owner FROM tables", name) == [(heir.node,)]


async def test_a_fenced_server_tells_nothing(
    opened: Callable[..., PostgresStore], servers: Postgres, name: str
) -> None:
    """It is told that it is fenced, and waits for nothing any more."""
    journal = DurableJournal(opened())
    told: list[str] = []
    journal.fenced = told.append
    opened().commit([event(1)])
    journal.write([event(2)], lambda: told.append("told"))
    await wait_until(lambda: bool(told))
    await timeout(PATIENCE, journal.drained())
    assert (len(told), journal.is_halted) == (1, True)
    assert "fenced" in told[0]
    assert numbers(servers, name) == [1]
    await asyncio.to_thread(journal.close)


@pytest.mark.long
@pytest.mark.parametrize("is_lost", [False, True])
def test_a_second_writer_is_found_out(
    opened: Callable[..., PostgresStore], servers: Postgres, name: str, is_lost: bool
) -> None:
    """Who finds other bytes, or another writer, where its own event belongs, never writes again."""
    proxy = LosingProxy(servers.ports[0])
    store = opened(url=f"postgresql://rd@127.0.0.1:{proxy.port}/{name}")
    opened("n2").commit([event(1)])
    if is_lost:
        proxy.loses = True
        with pytest.raises(psycopg.OperationalError):
            store.commit([event(1)])
    with pytest.raises(Fenced):
        store.commit([event(1)])
    assert servers.sql("SELECT writer FROM events", name) == [(store.node + 1,)]
    proxy.close()


async def test_without_the_standby_nothing_is_told(
    opened: Callable[..., PostgresStore], servers: Postgres, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tables halt when it owes its answer for too long, and go on by themselves when it is back."""
    monkeypatch.setattr(PostgresStore, "patience", 0.2)
    journal = DurableJournal(opened())
    halts: list[bool] = []
    told: list[str] = []
    journal.halted = halts.append
    with no_standby(servers):
        journal.write([event(1)], lambda: told.append("told"))
        await wait_until(lambda: halts == [True])
        assert told == []
    await timeout(PATIENCE, journal.drained())
    assert (halts, told) == ([True, False], ["told"])
    await asyncio.to_thread(journal.close)


@pytest.mark.long
async def test_a_commit_that_did_not_wait_is_unknown(
    opened: Callable[..., PostgresStore], servers: Postgres, name: str
) -> None:
    """Where somebody cancels the wait, the database says that all is well, with a warning."""
    store = opened()
    with no_standby(servers):
        writing = asyncio.create_task(asyncio.to_thread(store.commit, [event(1)]))
        await asyncio.to_thread(wait_for, servers, WAITS)
        servers.sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
        with pytest.raises(Exception, match="did not wait for the standby"):
            await writing
        again = asyncio.create_task(asyncio.to_thread(store.commit, [event(1)]))
        await asyncio.to_thread(wait_for, servers, WAITS)
        assert not again.done()
    await timeout(PATIENCE, again)
    assert numbers(servers, name) == [1]


async def test_a_primary_that_only_reads_halts_the_tables(
    opened: Callable[..., PostgresStore], servers: Postgres, name: str
) -> None:
    """As one does that was a primary once; when one can be written again, everything is."""
    journal = DurableJournal(opened())
    halts: list[bool] = []
    journal.halted = halts.append
    journal.write([event(1)], lambda: None)
    await timeout(PATIENCE, journal.drained())
    servers.sql("ALTER SYSTEM SET default_transaction_read_only = on")
    servers.sql("SELECT pg_reload_conf()")
    wait_for(servers, "SELECT 1 WHERE current_setting('default_transaction_read_only') = 'on'")
    journal.write([event(2)], lambda: None)
    await wait_until(lambda: halts == [True])
    with psycopg.connect(servers.url("postgres", both=False), autocommit=True) as db:
        db.execute("SET default_transaction_read_only = off")
        db.execute("ALTER SYSTEM RESET default_transaction_read_only")
        db.execute("SELECT pg_reload_conf()")
    await timeout(PATIENCE, journal.drained())
    assert (halts, numbers(servers, name)) == ([True, False], [1, 2])
    await asyncio.to_thread(journal.close)


def test_a_database_without_a_standby_is_refused(servers: Postgres, name: str) -> None:
    """With the reason, and with the option that accepts that."""
    servers.sql("ALTER SYSTEM RESET synchronous_standby_names")
    servers.sql("SELECT pg_reload_conf()")
    wait_for(servers, "SELECT 1 WHERE current_setting('synchronous_standby_names') = ''")
    try:
        with pytest.raises(StoreLacks, match="--allow-no-standby"):
            list(check_database(servers.url(name), time.time(), needs_standby=True))
        with pytest.raises(JournalUnusable, match="--allow-no-standby"):
            open_store(ServerSettings(), ClusterSettings(database=servers.url(name), keys=(KEY,)))
        cluster = ClusterSettings(database=servers.url(name), keys=(KEY,), needs_standby=False)
        open_store(ServerSettings(), cluster).close()
    finally:
        servers.sql("ALTER SYSTEM SET synchronous_standby_names = 's1'")
        servers.sql("SELECT pg_reload_conf()")


def test_no_seed_is_in_a_dump(opened: Callable[..., PostgresStore], servers: Postgres, name: str) -> None:
    """Nor in the log that standbys get; who has the key reads it."""
    store = opened()
    hands = [(f"BCDF/1/{number}", SEED, commitment(SEED, f"BCDF/1/{number}")) for number in range(1, 6)]
    for hand in hands:
        store.commit([(Operation.ADD_SEED, (1, *hand))])
    dump = servers.dump(name)
    assert all(promised in dump for *_, promised in hands)
    assert SEED.hex() not in dump.lower()
    log = b"".join(path.read_bytes() for path in (servers.folder / "primary" / "pg_wal").glob("0*"))
    found = [promised.encode() in log for *_, promised in hands]
    assert any(found)  # one may lie on two pages of the log
    assert SEED not in log
    with store.reading() as reader:
        assert sorted(reader.seeds(1)) == hands


def test_the_wrong_key_is_found_out(
    opened: Callable[..., PostgresStore], servers: Postgres, name: str
) -> None:
    """A new key reads nothing of the old, unless both are there."""
    opened().commit([(Operation.ADD_SEED, (1, "BCDF/1/1", SEED, commitment(SEED, "BCDF/1/1")))])
    new = bytes(32)
    for keys, is_right in (([new], False), ([new, KEY], True)):
        with reading(servers.url(name), ClusterKeys(keys)) as reader:
            if is_right:
                assert [*reader.seeds(1)] == [("BCDF/1/1", SEED, commitment(SEED, "BCDF/1/1"))]
            else:
                with pytest.raises(UnknownContents, match="another cluster key"):
                    list(reader.seeds(1))


def test_a_short_key_is_refused(tmp_path: Path) -> None:
    """With the command that makes a good one."""
    (tmp_path / "key").write_bytes(b"secret")
    with pytest.raises(JournalUnusable, match="head -c 32 /dev/urandom"):
        read_keys([tmp_path / "key"])


def test_no_error_tells_a_password(servers: Postgres) -> None:
    """Neither of a URL that leads nowhere, nor of one that is not understood."""
    for url in ("postgresql://rd:sesame@127.0.0.1:1/x", "postgresql://rd:sesame@127.0.0.1:port/x"):
        with pytest.raises(JournalUnusable) as refused:
            connect(url)
        assert "sesame" not in str(refused.value)


def test_a_newer_layout_is_refused(
    opened: Callable[..., PostgresStore], servers: Postgres, name: str
) -> None:
    """And left as it is."""
    opened()
    servers.sql("UPDATE layout SET version = 99", name)
    with pytest.raises(JournalUnusable, match=re.escape("newer version (layout 99")):
        opened()


def test_an_incarnation_is_one_start_of_a_server(
    opened: Callable[..., PostgresStore], servers: Postgres, name: str
) -> None:
    """Those of other names go on; of one name only the newest may write."""
    first, other, second = opened("n1"), opened("n2"), opened("n1")
    rows = servers.sql("SELECT id, fenced FROM nodes WHERE id > 0 ORDER BY id", name)
    assert rows == [(first.node, True), (other.node, False), (second.node, False)]
    with contextlib.closing(connect(servers.url(name))) as db:
        assert register(db, "n3") > second.node


@pytest.mark.long
def test_servers_that_share_a_name_wait_ever_longer(
    opened: Callable[..., PostgresStore], servers: Postgres, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When one has found a newer start of its name, the next waits, twice as long each time; others don't."""
    waited: list[float] = []
    monkeypatch.setattr(time, "sleep", waited.append)
    running = opened("n1")
    for _ in range(3):
        newer = opened("n1")
        assert type(running.explained(Fenced("fenced"))) is Superseded
        running = newer
    other = opened("n2")
    servers.sql("UPDATE nodes SET fenced = true WHERE name = 'n2'", name)
    assert type(other.explained(Fenced("fenced"))) is Fenced
    opened("n2")
    assert waited == [2, 4]
    servers.sql("UPDATE nodes SET superseded = superseded - interval '2 hours'", name)
    opened("n1")
    assert waited == [2, 4]


def test_a_primary_that_dies_loses_nothing() -> None:
    """What was committed is on the standby; when it is promoted, the server goes on with it by itself."""
    with postgres() as servers:
        name = servers.new_database()
        store = PostgresStore(
            ClusterSettings(database=servers.url(name), keys=(KEY,), needs_standby=False), "n1"
        )
        for number in range(1, 51):
            store.commit([event(number)])
        servers.stop("primary")
        with pytest.raises(psycopg.OperationalError):
            store.commit([event(51)])
        servers.promote()
        store.commit([event(51)])
        with store.reading() as reader:
            assert [row[0] for row in reader.events(1, 1, 1_000)] == list(range(1, 52))
        store.close()


@pytest.mark.long
async def test_a_server_that_may_be_forgotten_does_not_start(
    opened: Callable[..., PostgresStore], servers: Postgres
) -> None:
    """Its number, and those of its tables, could be given again after a failover without the standby."""
    opened("n1")
    with no_standby(servers):
        starting = asyncio.create_task(asyncio.to_thread(opened, "n2"))
        while not starting.done():
            await asyncio.to_thread(
                servers.sql,
                "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'",
            )
        with pytest.raises(JournalUnusable, match="did not wait for the standby"):
            await starting


@pytest.mark.long
def test_tables_go_to_servers_that_know_their_rules(
    opened: Callable[..., PostgresStore], servers: Postgres, name: str
) -> None:
    """A table goes on at a server that knows all games of its opener, and waits for one."""
    opener, other, heir = (opened(node).node for node in ("n1", "n2", "n3"))
    with connect(servers.url(name)) as db:
        for node in (opener, other, heir):
            read_overview(db, node, (), orphans=False, beats=True)
        db.execute(OPEN_TABLE, (7, "BCDFGH", opener, VERSION))
        db.execute("UPDATE nodes SET rules = rules || '{new game}' WHERE id = $1", (opener,))
        fence(db, opener)
        assert reassign_orphans(db) == 0
        assert opened("n1").node > heir
        assert db.execute("SELECT owner FROM tables").fetchall() == [(opener,)]
        db.execute("UPDATE nodes SET rules = rules || '{new game}' WHERE id = $1", (heir,))
        assert reassign_orphans(db) == 1
        assert db.execute("SELECT owner FROM tables").fetchall() == [(heir,)]


def test_servers_from_before_an_extension_get_no_newer_tables(
    opened: Callable[..., PostgresStore], servers: Postgres, name: str
) -> None:
    """They know all games, but not the house rules that a table of a newer server may have."""
    opener, older = (opened(node).node for node in ("n1", "n2"))
    with connect(servers.url(name)) as db:
        for node in (opener, older):
            read_overview(db, node, (), orphans=False, beats=True)
        db.execute("UPDATE nodes SET rules = $2 WHERE id = $1", (older, rules_digests()))
        db.execute(OPEN_TABLE, (7, "BCDFGH", opener, VERSION))
        fence(db, opener)
        assert reassign_orphans(db) == 0


def test_a_database_is_checked_before_a_server_runs(servers: Postgres, name: str) -> None:
    """Whether it can be used is said, and whether the clocks agree."""
    url = servers.url(name)
    (finding,) = check_database(url, time.time(), needs_standby=True)
    assert finding.verdict is Verdict.OK
    apart, _ = check_database(url, time.time() - 60, needs_standby=True)
    assert (apart.verdict, "+6" in apart.text and "s apart" in apart.text) == (
        Verdict.WARNING,
        True,
    )


async def test_a_start_behind_a_lock_says_who_holds_it(
    opened: Callable[..., PostgresStore],
    servers: Postgres,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The log names the session; the server starts as soon as that lets go."""
    opened("n1")
    monkeypatch.setattr("racing_demon_cluster.postgres.store.START_SECONDS", 0.1)
    with contextlib.closing(connect(servers.url(name))) as other:
        with other.transaction():
            other.execute("LOCK TABLE nodes")
            starting = asyncio.create_task(asyncio.to_thread(opened, "n1"))
            await wait_until(lambda: "starts when the database answers" in caplog.text)
        (told,) = (each for each in caplog.records if "starts when the database" in each.getMessage())
        holder = f"session {other.info.backend_pid} of racing-demon-server, idle in transaction"
        assert holder in vars(told)["why"]
        assert (await starting).node > 0


def test_a_start_ends_a_frozen_session_and_loses_nothing(
    opened: Callable[..., PostgresStore], servers: Postgres, name: str
) -> None:
    """The database warns that it has not ended yet, which is not the warning that a commit may be lost."""
    node = opened("n1").node
    ((frozen,),) = servers.sql(f"SELECT backend FROM nodes WHERE id = {node}", name)  # noqa: S608 - a number
    assert isinstance(frozen, int)
    os.kill(frozen, signal.SIGSTOP)
    try:
        assert opened("n1").node > node
    finally:
        os.kill(frozen, signal.SIGCONT)


def test_a_start_that_finds_a_lock_for_a_minute_is_given_up(
    opened: Callable[..., PostgresStore], servers: Postgres, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what helps."""
    opened("n1")
    monkeypatch.setattr("racing_demon_cluster.postgres.store.LOCK_SECONDS", 0.2)
    with contextlib.closing(connect(servers.url(name))) as other, other.transaction():
        other.execute("LOCK TABLE nodes")
        with pytest.raises(JournalUnusable, match=r"held a lock in the database .*pg_terminate_backend"):
            opened("n1")
