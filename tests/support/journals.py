"""Servers in this process that keep a journal, and journals with something in them."""

import asyncio
import contextlib
import math
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import MatchOver
from racing_demon_server.enums import Durability
from racing_demon_server.journal import check as checking
from racing_demon_server.journal.check import CheckReport
from racing_demon_server.journal.interface import Store
from racing_demon_server.journal.operations import Change, Operation
from racing_demon_server.journal.sqlite.backup import restore
from racing_demon_server.journal.sqlite.database import open_journal
from racing_demon_server.journal.sqlite.store import SqliteStore
from racing_demon_server.journal.writer import DurableJournal
from racing_demon_server.server import rising_clock
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.registry import Registry, unrestorable
from tests.support.servers import PATIENCE, SHORT, Peer, Served, start, timeout


@asynccontextmanager
async def journaled(path: Path, **settings: Any) -> AsyncIterator[Served]:
    """Run a server that takes its tables up from a journal, and leaves them there in the end."""
    async with journaled_in(SqliteStore(path, Durability.NORMAL), **settings) as served:
        yield served


@asynccontextmanager
async def journaled_in(store: Store, *, patience: float = math.inf, **settings: Any) -> AsyncIterator[Served]:
    """Run one whose journal is in any store, and which reads so many seconds before it opens its port."""
    journal = DurableJournal(store)
    with journal.reading() as readers:
        clock = rising_clock(max(each.last_us() for each in readers))
    chosen = ServerSettings(**{"port": 0, **settings})
    registry = Registry(chosen, clock, journal)
    registry.restore(patience)
    server = await start(chosen, registry, clock)
    port = server.port
    try:
        yield Served(f"ws://127.0.0.1:{port}/v1", registry, server, chosen)
    finally:
        registry.stop()
        await timeout(PATIENCE, journal.drained())
        server.close()
        await timeout(PATIENCE, server.wait_closed())
        registry.close(for_good=False)
        await asyncio.to_thread(journal.close)


async def play_match(url: str, *, bots: int = 2, hands: int = 1, **options: Any) -> str:
    """Let bots play a short match, watched by a host without a seat, and return the table's code."""
    async with Peer.hosting(url, seated=False, hands=hands, **{**SHORT, **options}) as host:
        for _ in range(bots):
            await host.ask(cl.AddBot, level="hard")
        await host.ask(cl.Start)
        await host.until(MatchOver)
        return host.code


def check(path: Path) -> CheckReport:
    """Check a journal, with a server that is started on it."""
    with contextlib.closing(open_journal(path)) as db:
        return checking.check(db, unrestorable)


def put_back(source: Path, target: Path) -> None:
    """Put a copy of a journal in its place."""
    restore(source, target, unrestorable)


def overwrite_page(path: Path, name: str) -> None:
    """Ruin the page of a journal that one of its tables or indices begins with, as a failing disk does."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        (size,) = db.execute("PRAGMA page_size").fetchone()
        (page,) = db.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (name,)).fetchone()
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)


def numbered(number: int, seed: bytes = b"") -> list[Change]:
    """Return what writes a row that can be found again by its number."""
    return [(Operation.ADD_SEED, (number, "", seed, ""))]


def numbers_in(path: Path) -> list[int]:
    """Return the numbers of such rows that anybody else can read by now."""
    with contextlib.closing(open_journal(path)) as db:
        return [number for (number,) in db.execute("SELECT table_id FROM seeds ORDER BY table_id")]
