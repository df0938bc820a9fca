"""How long it takes until all tables of a killed server go on at another one."""

import argparse
import asyncio
import contextlib
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from tests.support.clusters import Cluster
from tests.support.postgres import postgres
from tests.support.servers import Peer
from websockets.exceptions import WebSocketException

from racing_demon_cluster.postgres.connection import Database, connect
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Seated

TABLES: Final = 500
EVENTS: Final = 20
"""Of each table, at least."""
AT_ONCE: Final = 20
BACK: Final = 20
"""So many players come back."""
PAUSE_SECONDS: Final = 0.1
LIMITS: Final = (
    "misses_per_minute=100000",
    "tables_per_minute=100000",
    "table_burst=100000",
    "tables_per_address=1000",
    "max_tables=600",
    "units_per_address=100000",
    "units_per_server=100000",
)


async def open_table(url: str) -> Seated:
    """Open a table, and let some events happen at it; return the host's place."""
    async with Peer.hosting(url) as host:
        for number in range(EVENTS):
            options = host.view.options.model_copy(update={"target": 50 + 5 * (number % 2)})
            host.counter += 1
            await host.say(cl.SetOptions(counter=host.counter, options=options))
        while host.view.seq < EVENTS:
            await host.hear()
        return host.place


async def come_back(url: str, place: Seated) -> float:
    """Return after how many seconds somebody has their seat again, at a server that may not have it yet."""
    began = time.monotonic()
    while True:
        with contextlib.suppress(WebSocketException):  # the table is on its way
            async with Peer.connect(url) as peer:
                await peer.greet()
                await peer.enter(cl.Resume(code=place.code, token=place.token or "", epoch="", seq=0))
                return time.monotonic() - began
        await asyncio.sleep(PAUSE_SECONDS)


async def until_all(db: Database, condition: str) -> None:
    """Wait until a condition holds for all tables of the second server."""
    sql = f"SELECT count(*) FROM tables JOIN nodes ON nodes.id = owner WHERE name = 'n2' AND {condition}"  # noqa: S608
    while db.execute(sql.encode()).fetchone() != (TABLES,):  # noqa: ASYNC110 - another process does it
        await asyncio.sleep(0.01)


async def measure() -> None:
    """Kill the server that has all tables, and print when they are another's, and when they are open."""
    limits = [f"--limit={limit}" for limit in LIMITS]
    places: list[Seated] = []
    with postgres() as server:
        database = server.url(server.new_database())
        async with Cluster.started(database, Path(tempfile.mkdtemp()), *limits, count=2) as cluster:
            for _ in range(TABLES // AT_ONCE):
                opening = (open_table(cluster.nodes["n1"].url) for _ in range(AT_ONCE))
                places += await asyncio.gather(*opening)
            with connect(database) as db:
                row = db.execute("SELECT count(*) FROM events").fetchone()
                began = time.monotonic()
                cluster.nodes["n1"].kill()
                there = cluster.nodes["n2"].url
                coming = [asyncio.create_task(come_back(there, each)) for each in places[:: TABLES // BACK]]
                await until_all(db, "true")
                owned = time.monotonic() - began
                await until_all(db, "clock_node = owner")
                opened = time.monotonic() - began
            waits = sorted(await asyncio.gather(*coming))
    sys.stdout.write(
        f"{TABLES} tables, {row and row[0]} rows of events: owned by the other server {owned:.2f} s after "
        f"the kill, all read {opened:.2f} s after it; of {BACK} players who asked for their seats, half had "
        f"them after {waits[BACK // 2]:.2f} s, all after {waits[-1]:.2f} s\n"
    )


if __name__ == "__main__":
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    asyncio.run(measure())
