"""A cluster's key is changed as the manual says, under many tables, and servers are killed at each step."""

import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from itertools import cycle
from pathlib import Path
from typing import Final

import pytest

from tests.support.clusters import GENEROUS, KEY, Cluster, heard_more, playing
from tests.support.effort import amount
from tests.support.processes import SERVER, text_of
from tests.support.restartable_server import RestartableServer

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform == "win32", reason="processes are forked and killed"),
]

TABLES: Final = amount(3, 20, "RACING_DEMON_TABLES")
PAUSE: Final = TABLES / 25
"""Seconds between two plays of each: about as many a second at all tables together, however many they are."""
NEW: Final = b"the next key of the same cluster"
STEPS: Final = ((KEY, NEW), (NEW, KEY))
"""The keys of all servers after each step, the one that encrypts first."""


def write(files: Sequence[Path], keys: Sequence[bytes]) -> None:
    """Write a server's keys, which it reads when it starts."""
    for file, key in zip(files, keys, strict=True):
        file.write_bytes(key)


async def test_a_key_is_changed_under_many_tables(tmp_path: Path, database: str) -> None:
    """After each restart another server is killed: everybody goes on, and nothing that was told is lost.

    Whoever takes the old key from a server too early strands no table: those that need it go elsewhere.
    """
    async with AsyncExitStack() as stack:
        cluster = Cluster(database, KEY, NEW)
        files = {name: [tmp_path / f"{name}-{place}" for place in (1, 2)] for name in ("n1", "n2", "n3")}
        for name, own in files.items():
            write(own, (KEY, KEY))
            given = (f"--cluster-key={file}" for file in own)
            starting = RestartableServer.started(
                database, f"--node={name}", *given, GENEROUS, "--drain=1s", "--lease=6s"
            )
            cluster.nodes[name] = await stack.enter_async_context(starting)
        victims, kills = cycle(["n2", "n3", "n1"]), 0
        async with playing(cluster, tables=TABLES, players=2, pause=PAUSE) as (_, tables):
            for keys in STEPS:
                for name, node in cluster.nodes.items():
                    await node.stop()
                    write(files[name], keys)
                    await node.start()
                    await heard_more(tables)
                    victim = cluster.nodes[next(victims)]
                    victim.kill()
                    await heard_more(tables)
                    await victim.start()
                    kills += 1
            status = await text_of(SERVER, "cluster", "status", "--journal", database)
            await cluster.nodes["n1"].stop()
            write(files["n1"], (NEW, NEW))
            await cluster.nodes["n1"].start()
            await heard_more(tables)
    sys.stdout.write(f"\n{TABLES} tables, {kills} kills\n{status.out}")
