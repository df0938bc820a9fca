"""A cluster on machines of its own, which are cut off from each other one way or both, and healed."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.support.clusters import GENEROUS, Cluster, heard_more, playing
from tests.support.machines import Machines, machines
from tests.support.namespaces import can_have_namespaces
from tests.support.postgres import Postgres, postgres
from tests.support.restartable_server import Player, all_halted, wait_until

pytestmark = [
    pytest.mark.skipif(
        not can_have_namespaces(), reason="made of network namespaces (root on Linux, ip, nft)"
    ),
    pytest.mark.long,
]

CUT_SECONDS = 6.0
"""Longer than any lease, patience or time-out of a connection."""
WAYS = pytest.mark.parametrize("way", ["both", "there", "back"])


@pytest.fixture(scope="module")
def hosts() -> Iterator[Machines]:
    """Make machines for three servers, two databases, and all clients."""
    with machines("clients", "n1", "n2", "n3", "primary", "standby") as made, made.at("clients"):
        yield made


@pytest.fixture(scope="module")
def server(hosts: Machines) -> Iterator[Postgres]:
    """Run a primary with a synchronous standby, each on its machine."""
    with postgres(machines=hosts) as server:
        yield server


@asynccontextmanager
async def all_playing(
    server: Postgres, hosts: Machines, folder: Path
) -> AsyncIterator[tuple[Cluster, list[list[Player]]]]:
    """Let players play at servers on machines of their own."""
    database = server.url(server.new_database())
    async with Cluster.started(database, folder, GENEROUS, machines=hosts) as cluster:
        async with playing(cluster) as (_, tables):
            try:
                yield cluster, tables
            finally:
                hosts.heal()


def cut(hosts: Machines, way: str, one: str, other: str) -> None:
    """Cut two machines off from each other, or let only what goes one way be lost."""
    if way != "back":
        hosts.cut(one, other)
    if way != "there":
        hosts.cut(other, one)


@WAYS
async def test_a_server_and_the_database(hosts: Machines, server: Postgres, tmp_path: Path, way: str) -> None:
    """The server's tables go on elsewhere; healed, it is fenced and ends."""
    async with all_playing(server, hosts, tmp_path) as (cluster, tables):
        name = cluster.owner(tables[0])
        cut(hosts, way, name, "primary")
        await wait_until(lambda: cluster.owner(tables[0]) != name)
        await heard_more(tables)
        hosts.heal()
        await wait_until(lambda: not cluster.nodes[name].is_running)
        await heard_more(tables)


@WAYS
async def test_a_server_and_all_clients(hosts: Machines, server: Postgres, tmp_path: Path, way: str) -> None:
    """Other servers pass the clients on to it: play goes on before it is healed, nobody is fenced."""
    async with all_playing(server, hosts, tmp_path) as (cluster, tables):
        cut(hosts, way, cluster.owner(tables[0]), "clients")
        await asyncio.sleep(CUT_SECONDS)  # all who were connected straight to it have noticed
        await heard_more(tables)
        hosts.heal()
        await heard_more(tables)
        assert cluster.ask("SELECT count(*) FROM nodes WHERE fenced AND id > 0") == [(0,)]


@WAYS
async def test_the_primary_and_its_standby(
    hosts: Machines, server: Postgres, tmp_path: Path, way: str
) -> None:
    """Nothing is told that the standby has not confirmed: tables stand still and say so, then go on."""
    async with all_playing(server, hosts, tmp_path) as (cluster, tables):
        cut(hosts, way, "primary", "standby")
        players = [player for each in tables for player in each]
        await all_halted(players)
        heard = [len(player.seen) for player in players]
        await asyncio.sleep(CUT_SECONDS)  # nothing may come meanwhile
        assert [len(player.seen) for player in players] == heard
        hosts.heal()
        await heard_more(tables)
        assert cluster.ask("SELECT count(*) FROM nodes WHERE fenced AND id > 0") == [(0,)]
