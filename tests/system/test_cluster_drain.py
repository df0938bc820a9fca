"""A server of a cluster that is to stop while its tables cannot move: it ends in time, and they go on."""

import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Paused, Signalled
from racing_demon_protocol.wire.messages.server import Accepted, Halted
from tests.support.clusters import PATIENT, WATCHFUL, Cluster
from tests.support.effort import usually
from tests.support.postgres import Postgres
from tests.support.restartable_server import RestartableServer, wait_until
from tests.support.servers import Peer

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are forked and killed")

RESTARTING = 1012
OWNED = "SELECT 1 FROM tables t JOIN nodes n ON n.id = owner WHERE code = $1 AND name = $2 AND NOT fenced"


@asynccontextmanager
async def in_mid_hand(node: RestartableServer) -> AsyncIterator[Peer]:
    """Let somebody play against a bot at a server's table."""
    async with Peer.hosting(node.url) as ann:
        await ann.ask(cl.AddBot, level="easy")
        await ann.ask(cl.Start)
        await ann.until(Signalled)
        yield ann


async def goes_on(node: RestartableServer, ann: Peer) -> None:
    """Take a seat again, and find the hand at least where it was."""
    async with Peer.entered(node.url, cl.Join(code=ann.code, name="Ann", token=ann.token)) as back:
        assert (ann.view.hand_number, True) == (back.view.hand_number, back.view.in_hand)
        assert back.view.seq >= ann.view.seq
        assert isinstance(await back.ask(cl.Say, text="still here"), Accepted)


@pytest.mark.parametrize("limit", usually(1, ["--drain=10m", "--drain=1s"]))
async def test_a_hand_without_an_heir_is_left_in_the_middle(
    tmp_path: Path, database: str, limit: str
) -> None:
    """When time is up, or at a second signal, the only server stops; started again, it plays on."""
    async with Cluster.started(database, tmp_path, limit, count=1) as cluster:
        (node,) = cluster.nodes.values()
        async with in_mid_hand(node) as ann:
            os.kill(node.pid, signal.SIGTERM)
            if limit == "--drain=10m":
                await wait_until(
                    lambda: cluster.ask("SELECT draining FROM nodes WHERE NOT fenced") == [(True,)]
                )
                assert isinstance(await ann.ask(cl.Say, text="go on"), Accepted)
                os.kill(node.pid, signal.SIGTERM)
            assert (await ann.closed()).code == RESTARTING
        await wait_until(lambda: not node.is_running)
        await node.start()
        await wait_until(lambda: bool(cluster.ask(OWNED, ann.code, "n1")))
        await goes_on(node, ann)


@pytest.mark.long
async def test_a_hand_that_nobody_attends_moves_at_once(tmp_path: Path, database: str) -> None:
    """If all its players are away it does not keep a server, which waits for hands that are played."""
    async with Cluster.started(database, tmp_path, "--drain=10m", PATIENT, count=2) as cluster:
        first, second = cluster.nodes["n1"], cluster.nodes["n2"]
        async with Peer.hosting(first.url, pause_after_ms=0) as ann:
            async with Peer.entered(first.url, cl.Join(code=ann.code, name="Ben")):
                await ann.ask(cl.Start)
                await ann.until(Signalled)
            await ann.until(Paused)
        os.kill(first.pid, signal.SIGTERM)
        await wait_until(lambda: bool(cluster.ask(OWNED, ann.code, "n2")))
        await wait_until(lambda: not first.is_running)
        await goes_on(second, ann)


@pytest.mark.long
async def test_a_second_signal_does_not_wait_for_the_end_of_a_hand(tmp_path: Path, database: str) -> None:
    """Though another server could take the table later, this one stops now; the other goes on in mid-hand."""
    async with Cluster.started(database, tmp_path, WATCHFUL, count=2) as cluster:
        first, second = cluster.nodes["n1"], cluster.nodes["n2"]
        async with in_mid_hand(first) as ann:
            os.kill(first.pid, signal.SIGTERM)
            await wait_until(lambda: bool(cluster.ask("SELECT 1 FROM nodes WHERE draining AND NOT fenced")))
            os.kill(first.pid, signal.SIGTERM)
            assert (await ann.closed()).code == RESTARTING
        await wait_until(lambda: not first.is_running)
        await wait_until(lambda: bool(cluster.ask(OWNED, ann.code, "n2")))
        await goes_on(second, ann)


@pytest.mark.long
@pytest.mark.parametrize("comes_back", [True, False])
async def test_tables_are_laid_down_while_the_database_is_away(
    tmp_path: Path, server: Postgres, comes_back: bool
) -> None:
    """Asked to stop just then, the only server waits for it up to the limit, and nothing is lost."""
    database = server.url(server.new_database(), both=False)
    async with Cluster.started(database, tmp_path, "--drain=5s", count=1, cut_off=True) as cluster:
        (node,), (way,) = cluster.nodes.values(), cluster.ways.values()
        async with Peer.hosting(node.url) as ann:
            await ann.ask(cl.Say, text="hello")
            way.hold()
            await ann.until(Halted)
            os.kill(node.pid, signal.SIGTERM)
            if comes_back:
                way.release()
            await ann.closed()
            await wait_until(lambda: not node.is_running)
        way.release()
        await node.start()
        await wait_until(lambda: bool(cluster.ask(OWNED, ann.code, "n1")))
        async with Peer.entered(node.url, cl.Join(code=ann.code, name="Ann", token=ann.token)) as back:
            assert back.view.seq >= ann.view.seq
            assert isinstance(await back.ask(cl.Say, text="still here"), Accepted)
