"""A database that answers late, with a server that dies meanwhile; a frozen server that is started again."""

import asyncio
import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from itertools import chain
from pathlib import Path
from typing import Final

import pytest

from tests.support.clusters import GENEROUS, Cluster, heard_more, playing, went_on
from tests.support.effort import amount
from tests.support.postgres import Postgres
from tests.support.restartable_server import Player, RestartableServer, wait_until

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform != "linux", reason="processes are forked, stopped and killed"),
]

SECONDS: Final = amount(5, 20, "RACING_DEMON_SECONDS")
LATE: Final = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
"""The seconds by which each answer is late."""
DEFAULT_LEASE: Final = "--lease=2s"


def delay(cluster: Cluster, seconds: float) -> None:
    """Let each answer of the database to each server come so late."""
    for way in cluster.ways.values():
        way.delay = seconds / 2  # in each direction


def fenced(cluster: Cluster) -> list[str]:
    """Return the servers that others have fenced."""
    return [name for name in cluster.nodes if cluster.is_fenced(name)]


async def told(players: Sequence[Player], seconds: float) -> str:
    """Return how many events and halts people are told in some seconds."""
    seen = [len(player.seen) for player in players]
    for player in players:
        player.halts.clear()
    await asyncio.sleep(seconds)  # that is how long the database is slow
    events = max(len(player.seen) - before for player, before in zip(players, seen, strict=True))
    return (
        f"{events / seconds:.1f} events a second, {max(player.halts.count(True) for player in players)} halts"
    )


async def test_a_database_that_answers_late(tmp_path: Path, server: Postgres) -> None:
    """It fences nobody who lives; a server that dies is fenced, and play goes on. How soon is printed."""
    lines, database = [], server.url(server.new_database(), both=False)
    async with (
        Cluster.started(database, tmp_path, GENEROUS, DEFAULT_LEASE, cut_off=True) as cluster,
        playing(cluster) as (_, tables),
    ):
        players = [*chain(*tables)]
        for late in LATE:
            delay(cluster, late)
            found = await told(players, SECONDS)
            delay(cluster, 0.0)
            began = time.monotonic()
            await heard_more(tables)
            lines.append(f"{late:.1f} s late: {found}; then on after {time.monotonic() - began:.1f} s")
            assert fenced(cluster) == []
        delay(cluster, LATE[-1])
        name, began = cluster.owner(tables[0]), time.monotonic()
        cluster.nodes[name].kill()
        await wait_until(lambda: cluster.is_fenced(name))
        seconds = time.monotonic() - began
        await went_on(cluster, tables)
        lines.append(
            f"killed: fenced after {seconds:.1f} s, played on after {time.monotonic() - began:.1f} s"
        )
        delay(cluster, 0.0)
    sys.stdout.write("".join(f"\n{line}" for line in lines))


async def test_a_frozen_server_is_started_again(tmp_path: Path, database: str) -> None:
    """Under its name and at once: its tables go on there, and what was frozen ends when it goes on."""
    async with AsyncExitStack() as stack:
        cluster = await stack.enter_async_context(Cluster.started(database, tmp_path, GENEROUS, count=2))
        _, tables = await stack.enter_async_context(playing(cluster))
        name = cluster.owner(tables[0])
        frozen = cluster.nodes[name]
        os.kill(frozen.pid, signal.SIGSTOP)
        began = time.monotonic()
        again = RestartableServer.started(
            database, f"--node={name}", f"--cluster-key={tmp_path / 'cluster.key'}", GENEROUS
        )
        cluster.nodes[name] = await stack.enter_async_context(again)
        listened = time.monotonic() - began
        await heard_more(tables)
        sys.stdout.write(
            f"\nlistens after {listened:.1f} s, played on after {time.monotonic() - began:.1f} s\n"
        )
        os.kill(frozen.pid, signal.SIGCONT)
        await wait_until(lambda: not frozen.is_running)
