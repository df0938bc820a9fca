"""Which store a journal has: a file, or a database."""

import contextlib
import socket
import sys
from pathlib import Path

import pytest

from racing_demon_protocol.engine.commit_reveal import commitment
from racing_demon_protocol.wire.codec import VERSION
from racing_demon_server.durability import Durability
from racing_demon_server.journal.interface import JournalUnusable
from racing_demon_server.journal.operations import Operation
from racing_demon_server.journal.sqlite.database import journal_of, open_journal
from racing_demon_server.journal.sqlite.store import SqliteStore
from racing_demon_server.journal.stores import open_store, parts_of
from racing_demon_server.settings import ServerSettings
from tests.support.postgres import KEY, Postgres

HAND = "BCDFGH/1/1"


def test_the_path_of_a_file_opens_it(tmp_path: Path) -> None:
    """With the durability that was asked for."""
    for durability, synchronous in ((Durability.FULL, 2), (Durability.NORMAL, 1)):
        store = open_store(ServerSettings(journal=tmp_path / "journal.sqlite", durability=durability))
        assert isinstance(store, SqliteStore)
        assert (synchronous,) == store.db.execute("PRAGMA synchronous").fetchone()
        store.close()


def test_of_the_claims_of_a_seat_the_newest_stays(tmp_path: Path) -> None:
    """Also of those that are written together, whatever their tokens and numbers are."""
    store = SqliteStore(tmp_path / "journal.sqlite", Durability.NORMAL)
    claims = [(1, 0, b"b", 7, b"x"), (1, 0, b"a", 0, None), (1, 1, b"c", 2, b"y"), (1, 1, b"c", 2, None)]
    store.commit([(Operation.KEEP_CLAIM, claim) for claim in claims])
    with store.reading() as journal:
        assert [claims[1][1:], claims[3][1:]] == list(journal.claims(1))
    store.close()


def test_what_is_frequent_is_written_with_a_statement_for_each_kind(tmp_path: Path) -> None:
    """In whatever order it comes: for each statement, the thread has to wait for the interpreter."""
    store = SqliteStore(tmp_path / "journal.sqlite", Durability.NORMAL)
    statements: list[str] = []
    changes = [
        [
            (Operation.ADD_EVENT, (1, number, 3, 0, 0, b"")),
            (Operation.KEEP_CLAIM, (1, number, b"", number, None)),
            (Operation.KEEP_TIME, (number,)),
        ]
        for number in (1, 2)
    ]
    store.db.set_trace_callback(statements.append)
    store.commit([*changes[0], *changes[1]])
    assert ["BEGIN", *["INSERT"] * 3, "COMMIT"] == [sql.split()[0] for sql in statements]
    store.close()


def test_each_process_has_its_part(tmp_path: Path) -> None:
    """Their matches are named after their numbers; each is opened for reading, or for corrections as well."""
    path = tmp_path / "journal.sqlite"
    for number in (1, 2):
        open_journal(journal_of(path, number), write=True).close()
    parts = list(parts_of(path))
    assert [part.prefix for part in parts] == ["", "2-"]
    with parts[1].opened(write=True) as journal:
        journal.correct("1.1", "{}")
    assert [_corrected(part.opened) for part in parts] == [[], ["1.1"]]


def _corrected(opened: object) -> list[str]:
    with opened() as journal:  # type: ignore[operator]
        return list(journal.corrected())


def test_a_database_needs_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it the sentence says what to install."""
    monkeypatch.setitem(sys.modules, "racing_demon_cluster.postgres.store", None)
    url, install = "postgresql://nowhere/rd", r"pip install 'racing-demon\[cluster\]'"
    with pytest.raises(JournalUnusable, match=install):
        open_store(ServerSettings(journal=url, cluster_keys=(KEY,)))
    with pytest.raises(JournalUnusable, match=install):
        next(parts_of(url))
    assert [part.prefix for part in parts_of(tmp_path / "journal.sqlite")] == [""]


def test_a_servers_settings_are_those_of_its_store(servers: Postgres, name: str) -> None:
    """Its name, or its host's; its first URL; how long its tables' codes are, and their secrets' key."""
    url = servers.url(name)
    chosen = ServerSettings(
        journal=url,
        cluster_keys=(KEY,),
        node="hall",
        public_urls=("wss://one.example", "wss://two.example"),
        code_letters=8,
    )
    with contextlib.closing(open_store(chosen)) as store:
        assert len(store.code_of(store.new_number())) == 8  # type: ignore[attr-defined]
    with contextlib.closing(open_store(ServerSettings(journal=url, cluster_keys=(KEY,)))):
        pass
    known = servers.sql("SELECT name, url FROM nodes ORDER BY id", name)
    assert [("hall", "wss://one.example"), (socket.gethostname(), "")] == known


def test_the_seeds_of_a_database_are_read_with_the_keys_that_are_named(servers: Postgres, name: str) -> None:
    """All of it is one part, also where corrections are to be written."""
    url = servers.url(name)
    seed = (HAND, bytes(range(32)))
    with contextlib.closing(open_store(ServerSettings(journal=url, cluster_keys=(KEY,)))) as store:
        number = store.new_number()
        table = (number, "BCDFGH", number, "{}", b"", None, "0.1.0", VERSION, 0)
        kept = (number, *seed, commitment(seed[1], HAND))
        store.commit([(Operation.OPEN_TABLE, table), (Operation.ADD_SEED, kept)])
    (part,) = parts_of(url, [KEY])
    with part.opened(write=True) as journal:
        assert [seed] == list(journal.seeds(number))
        journal.correct("1.1", "{}")
    assert (part.prefix, _corrected(part.opened)) == ("", ["1.1"])
