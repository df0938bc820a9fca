"""What a machine needs for so many tables: processor, memory, and disk, of a server with tables of bots.

python benchmarks/sizing.py --tables 50 --bots 3

Bots play at the pace of people, and think besides: a table of people needs less.
"""

import argparse
import asyncio
import contextlib
import os
import sqlite3
import sys
import tempfile
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final, NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.support.processes import server_process
from tests.support.servers import Peer
from websockets.exceptions import ConnectionClosed

from racing_demon_protocol.wire.messages import client as cl
from racing_demon_server import arguments as types

SIZES: Final = (50, 500, 5_000)
DAY: Final = 86_400
WARM_SECONDS: Final = 8.0
"""A hand begins with more plays than it goes on with."""


class Use(NamedTuple):
    """What a server has used: seconds of a processor, bytes of memory and of its disk, and events."""

    processor: float
    memory: int
    disk: int
    events: int


def use(pid: int, journal: Path, events: int) -> Use:
    """Return what a server has used so far."""
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    ticks = int(fields[11]) + int(fields[12])
    memory = int(fields[21]) * os.sysconf("SC_PAGE_SIZE")
    with contextlib.closing(sqlite3.connect(journal)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # what waits beside the file is in it then
    disk = journal.stat().st_size
    return Use(ticks / os.sysconf("SC_CLK_TCK"), memory, disk, events)


async def open_table(peer: Peer, bots: int) -> None:
    """Let bots of the level in the middle play at the table that a peer has opened."""
    for _ in range(bots):
        await peer.ask(cl.AddBot, level="medium")
    await peer.ask(cl.Start)


async def hear_all(peer: Peer) -> None:
    """Hear what happens at a table: each connection costs something, too."""
    with contextlib.suppress(ConnectionClosed):
        while True:
            await peer.hear()


async def measure(tables: int, bots: int, seconds: float) -> tuple[Use, Use, Use]:
    """Return what a server has used with no table, at the beginning of the time, and at its end."""
    with tempfile.TemporaryDirectory() as name:
        journal = Path(name) / "journal.sqlite"
        limits = (f"--limit=max_tables={tables}", f"--limit=max_bots={tables * bots}")
        async with server_process("--journal", str(journal), *limits) as (server, url):
            pid = server.pid
            empty = use(pid, journal, 0)
            async with AsyncExitStack() as stack:
                peers = [
                    await stack.enter_async_context(Peer.hosting(url, seated=False, hands=100))
                    for _ in range(tables)
                ]
                for peer in peers:
                    await open_table(peer, bots)
                hearing = [asyncio.create_task(hear_all(peer)) for peer in peers]
                await asyncio.sleep(WARM_SECONDS)
                begin = use(pid, journal, sum(peer.view.seq for peer in peers))
                await asyncio.sleep(seconds)
                end = use(pid, journal, sum(peer.view.seq for peer in peers))
                for task in hearing:
                    task.cancel()
            return empty, begin, end


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print a table for servers of three sizes."""
    parser = argparse.ArgumentParser(prog="benchmarks/sizing.py", description=__doc__)
    parser.add_argument("--tables", type=types.number(1, 500), default=50, help="how many (default 50)")
    parser.add_argument("--bots", type=types.number(1, 8), default=3, help="at each table (default 3)")
    parser.add_argument("--seconds", type=types.number(1, 3_600), default=30, help="how long (default 30)")
    given = parser.parse_args(argv)
    empty, begin, end = asyncio.run(measure(given.tables, given.bots, given.seconds))
    processor = (end.processor - begin.processor) / given.seconds / given.tables
    events = end.events - begin.events
    memory, disk = (end.memory - empty.memory) / given.tables, (end.disk - begin.disk) / given.tables
    each = (end.processor - begin.processor) / max(1, events) * 1_000
    sys.stdout.write(
        f"{given.tables} tables of {given.bots} bots: {each:.2f} ms an event, "
        f"{events / given.seconds / given.tables:.2f} events a second and table\n"
        "tables  cores  memory  disk a day, played all day\n"
    )
    for tables in SIZES:
        megabytes = (empty.memory + memory * tables) / 1e6
        gigabytes = disk / given.seconds * DAY * tables / 1e9
        sys.stdout.write(f"{tables:6}  {processor * tables:5.2f}  {megabytes:4.0f} MB  {gigabytes:.1f} GB\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
