"""The database as a journal: what servers and commands open."""

import contextlib
import socket
import sys
from argparse import Namespace
from pathlib import Path

import pytest

from racing_demon_cluster import extension
from racing_demon_cluster.server import open_store
from racing_demon_cluster.settings import ClusterSettings
from racing_demon_protocol.engine.commit_reveal import commitment
from racing_demon_protocol.wire.codec import VERSION
from racing_demon_server.journal.interface import JournalPart, JournalUnusable
from racing_demon_server.journal.operations import Operation
from racing_demon_server.settings import ServerSettings
from tests.support.postgres import KEY, Postgres

HAND = "BCDFGH/1/1"


def test_a_database_needs_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it the sentence says what to install."""
    for module in ("server", "postgres.store"):
        monkeypatch.setitem(sys.modules, f"racing_demon_cluster.{module}", None)
    key = tmp_path / "key"
    key.write_bytes(KEY)
    url, install = "postgresql://nowhere/rd", r"pip install 'racing-demon\[cluster\]'"
    given = Namespace(relay=None, journal=url, cluster_key=[key])
    with pytest.raises(JournalUnusable, match=install):
        extension.server(ServerSettings(), given)
    with pytest.raises(JournalUnusable, match=install):
        extension.journal(url, given)


def test_a_servers_settings_are_those_of_its_store(servers: Postgres, name: str) -> None:
    """Its name, or its host's; its first URL; how long its tables' codes are, and their secrets' key."""
    url = servers.url(name)
    cluster = ClusterSettings(database=url, keys=(KEY,))
    chosen = ServerSettings(
        node="hall",
        public_urls=("wss://one.example", "wss://two.example"),
        code_letters=8,
    )
    with contextlib.closing(open_store(chosen, cluster)) as store:
        assert len(store.code_of(store.new_number())) == 8
    with contextlib.closing(open_store(ServerSettings(), ClusterSettings(database=url, keys=(KEY,)))):
        pass
    known = servers.sql("SELECT name, url FROM nodes WHERE id > 0 ORDER BY id", name)
    assert [("hall", "wss://one.example"), (socket.gethostname(), "")] == known


def test_the_seeds_of_a_database_are_read_with_the_keys_that_are_named(
    servers: Postgres, name: str, tmp_path: Path
) -> None:
    """All of it is one part, also where corrections are to be written."""
    url, key = servers.url(name), tmp_path / "key"
    key.write_bytes(KEY)
    seed = (HAND, bytes(range(32)))
    with contextlib.closing(
        open_store(ServerSettings(), ClusterSettings(database=url, keys=(KEY,)))
    ) as store:
        number = store.new_number()
        table = (number, "BCDFGH", number, "{}", b"", None, "0.1.0", VERSION, 0)
        kept = (number, *seed, commitment(seed[1], HAND))
        store.commit([(Operation.OPEN_TABLE, table), (Operation.ADD_SEED, kept)])
    part = extension.journal(url, Namespace(cluster_key=[key]))
    with part.opened(write=True) as journal:
        assert [(*seed, commitment(seed[1], HAND))] == list(journal.seeds(number))
        journal.correct("1.1", "{}")
    assert (part.prefix, _corrected(part)) == ("", ["1.1"])


def _corrected(part: JournalPart) -> list[str]:
    with part.opened() as journal:
        return list(journal.corrected())
