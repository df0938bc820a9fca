"""Parts of a cluster that stand still for a while, and go on: a server, its writer, the standby."""

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from racing_demon_protocol.wire.messages import client as cl
from tests.lab.cluster.threads import second_thread, standing_still
from tests.support.clusters import GENEROUS, Cluster, heard_more, playing
from tests.support.postgres import postgres
from tests.support.restartable_server import all_halted, wait_until
from tests.support.servers import Peer

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="processes are forked, stopped and traced"),
]

PATIENCE = 2.0
"""Seconds without an answer of the database after which tables halt."""
STANDBY_SECONDS = 60.0


@pytest.mark.parametrize("seconds", [1.0, 2.0, 3.0, 10.0])
async def test_a_stopped_server_tells_nothing_when_it_goes_on(
    tmp_path: Path, database: str, seconds: float
) -> None:
    """A server that stands still for a while goes on, or is fenced and ends; its players hear one truth."""
    async with Cluster.started(database, tmp_path, GENEROUS) as cluster, playing(cluster) as (_, tables):
        name = cluster.owner(tables[0])
        pid = cluster.nodes[name].pid
        os.kill(pid, signal.SIGSTOP)
        await asyncio.sleep(seconds)  # that is how long it stands still
        os.kill(pid, signal.SIGCONT)
        await heard_more(tables)
        if cluster.is_fenced(name):
            await wait_until(lambda: not cluster.nodes[name].is_running)


async def test_who_was_passed_on_to_a_frozen_server_is_let_go(tmp_path: Path, database: str) -> None:
    """A client that hears nothing is closed as soon as its table has another owner, which it then finds."""
    async with Cluster.started(database, tmp_path, GENEROUS, count=2) as cluster:
        frozen, front = cluster.nodes["n1"], cluster.nodes["n2"].url
        async with Peer.hosting(frozen.url) as host:
            async with Peer.entered(front, cl.Join(code=host.code, name="Ben")) as ben:
                os.kill(frozen.pid, signal.SIGSTOP)
                try:
                    assert (await ben.closed()).code == 1006
                    assert cluster.is_fenced("n1")
                    again = cl.Join(code=host.code, name="Ben", token=ben.token)
                    async with Peer.entered(front, again) as back:
                        assert back.view.seats[1].name == "Ben"
                finally:
                    os.kill(frozen.pid, signal.SIGCONT)


@pytest.mark.parametrize("seconds", [1.0, 2.0, 3.0, 10.0])
async def test_a_writer_that_stands_still(tmp_path: Path, database: str, seconds: float) -> None:
    """While the rest of its server runs, nothing is told; its tables say that they stand still, and go on."""
    async with Cluster.started(database, tmp_path, GENEROUS) as cluster, playing(cluster) as (_, tables):
        name = cluster.owner(tables[0])
        halted = asyncio.create_task(all_halted(tables[0]))
        with standing_still(second_thread(cluster.nodes[name].pid)):
            await asyncio.sleep(seconds / 2)  # what was on its way is written by then
            written = cluster.last_event(tables[0])
            await asyncio.sleep(seconds / 2)
            assert cluster.last_event(tables[0]) == written
            if seconds > PATIENCE:
                await halted
        halted.cancel()
        await heard_more(tables)
        assert not cluster.is_fenced(name)


async def test_a_standby_that_is_away_for_a_minute(tmp_path: Path) -> None:
    """No commit is answered meanwhile: all tables stand still and say so, and then they go on."""
    with postgres() as own:
        database = own.url(own.new_database())
        async with Cluster.started(database, tmp_path, GENEROUS) as cluster, playing(cluster) as (_, tables):
            await asyncio.to_thread(own.stop, "standby")
            players = [player for each in tables for player in each]
            await all_halted(players)
            heard = [len(player.seen) for player in players]
            await asyncio.sleep(STANDBY_SECONDS)  # that is how long it is away
            assert [len(player.seen) for player in players] == heard
            await asyncio.to_thread(own.start, "standby")
            await heard_more(tables)
            assert cluster.ask("SELECT count(*) FROM nodes WHERE fenced AND id > 0") == [(0,)]
