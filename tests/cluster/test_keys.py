"""While a cluster's key is changed, a table is only where its key is."""

import asyncio
from collections.abc import Callable

import pytest

from racing_demon_cluster.cli import main
from racing_demon_cluster.postgres.connection import connect
from racing_demon_cluster.postgres.nodes import fence
from racing_demon_cluster.postgres.schema import NOBODY
from racing_demon_cluster.postgres.store import PostgresStore
from racing_demon_cluster.seed_encryption import KEY_ID_SIZE, ClusterKeys
from racing_demon_cluster.statements import read_overview, reassign_orphans
from racing_demon_protocol.wire.codec import VERSION
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_server.journal.operations import Operation
from tests.support.clusters import inner_node, until_back
from tests.support.postgres import Postgres
from tests.support.servers import Peer

OLD, NEW = b"o" * 32, b"n" * 32
OWNER = "SELECT owner, name FROM tables JOIN nodes ON nodes.id = owner"


def test_tables_go_to_servers_that_have_their_keys(
    opened: Callable[..., PostgresStore],
    servers: Postgres,
    name: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A table goes where the keys of its own hands are, and waits for a server that has them.

    The operator's command shows which those are.
    """

    def status() -> list[list[str]]:
        assert main(["status", "--journal", servers.url(name)]) == 0
        return [line.split() for line in capsys.readouterr().out.splitlines()]

    old_id, new_id = (ClusterKeys([key]).ids[0].to_bytes(KEY_ID_SIZE).hex() for key in (OLD, NEW))
    opener, old = opened("n1", NEW), opened("n2", OLD)
    for number, store in ((7, opener), (8, old)):
        table = (number, f"BCDFG{number}", number, "{}", b"", None, "software", VERSION, 1)
        store.commit([(Operation.OPEN_TABLE, table)])
        store.commit([(Operation.ADD_SEED, (number, "1.1", b"s" * 32, "commitment"))])
    owners = "SELECT owner FROM tables ORDER BY id"
    with connect(servers.url(name)) as db:
        db.execute("UPDATE tables SET owner = $1, opener = $1", (opener.node,))
        read_overview(db, old.node, (), orphans=False, beats=True)
        assert [row[-2:] for row in status()[1:3]] == [
            [new_id, f"{min(old_id, new_id)}:1,{max(old_id, new_id)}:1"],
            [old_id, "-"],
        ]
        fence(db, opener.node)
        assert reassign_orphans(db) == 1
        assert db.execute(owners).fetchall() == [(opener.node,), (old.node,)]
        header, row, waiting, devices = status()
        assert (header[-2:], row[-2:]) == (["keys", "needs"], [old_id, f"{old_id}:1"])
        assert (waiting[-1], devices[-1]) == (f"{new_id}:1", "-")
        assert opened("n1", OLD).node > old.node
        assert db.execute(owners).fetchall() == [(opener.node,), (old.node,)]
        again = opened("n1", NEW).node
        assert db.execute(owners).fetchall() == [(again,), (old.node,)]


async def test_a_server_gives_back_a_table_that_it_cannot_open(servers: Postgres, name: str) -> None:
    """An older server may have given it the table; one with the key takes it, and play goes on."""
    url = servers.url(name)
    async with inner_node(url, OLD, name="n2"):
        async with inner_node(url, NEW, OLD, name="n1") as (_, address), Peer.hosting(address) as ann:
            await ann.ask(cl.AddBot)
            await ann.ask(cl.Start)
            resume = cl.Resume(code=ann.code, token=ann.token)
        with connect(url) as db:
            assert db.execute("SELECT count(*) FROM seeds").fetchall() == [(1,)]
            db.execute("UPDATE tables SET owner = (SELECT id FROM nodes WHERE name = 'n2')")
            while await asyncio.to_thread(lambda: db.execute(OWNER).fetchall()) != [(NOBODY, "")]:
                pass
        async with inner_node(url, NEW, OLD, name="n1") as (_, address):
            await until_back(address, resume)
