"""Results are those of the journal, written once, whenever a server is killed: none is lost or doubled."""

import asyncio
import contextlib
import json
import os
import random
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from racing_demon_cluster.postgres.connection import connect
from racing_demon_cluster.postgres.reader import PostgresReader
from racing_demon_cluster.seed_encryption import ClusterKeys
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_server.journal.interface import JournalReader
from racing_demon_server.journal.reader import log_of
from racing_demon_server.journal.sqlite.database import open_journal
from racing_demon_server.results.file import ResultsFile
from tests.support.clusters import KEY, Cluster
from tests.support.restartable_server import RestartableServer
from tests.support.results import page_with
from tests.support.servers import Peer, deadline

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(sys.platform == "win32", reason="processes are forked and killed"),
]

KILLS: Final = int(os.environ.get("RACING_DEMON_RESULT_KILLS", "15"))
SEED: Final = int(os.environ.get("RACING_DEMON_SEED", "1"))
TABLES: Final = 3
"""So many tables play when the server is killed."""
FAST: Final = ("--bot-speed=200", "--standings=open")
LATER: Final = (0, 0, 0.001, 0.002, 0.005, 0.01, 0.03)
"""Seconds between the end of a hand and the kill."""

Results = list[tuple[str, bool, list[dict[str, int]]]]
"""Name of each match, whether it is over, and the points of its hands, by seat."""


async def test_results_in_a_file_outlive_kills(tmp_path: Path) -> None:
    """A server is killed right at the ends of hands and matches; in the end its results are the journal's."""
    rng, journal = random.Random(SEED), tmp_path / "journal.sqlite"

    def played() -> Results:
        with contextlib.closing(open_journal(journal)) as reader:
            return _played(reader)

    def written() -> Results:
        with contextlib.closing(ResultsFile(journal.with_stem("journal-results"))) as db:
            return _written(db.rows("SELECT match, is_over, summary FROM results"))

    async with RestartableServer.started(journal, *FAST) as server:
        for _ in range(KILLS):
            await _play_until_some_end(server.url, rng)
            server.kill()
            await server.start()
        await _until_equal(played, written)
        await _count_once(server, played)


async def test_results_in_a_database_outlive_kills(tmp_path: Path, database: str) -> None:
    """One of two servers is killed again and again; the other, or the next start, makes what is missing."""
    rng = random.Random(SEED)

    def played() -> Results:
        with connect(database) as db:
            return _played(PostgresReader(db, ClusterKeys([KEY])))

    async with Cluster.started(database, tmp_path, *FAST, count=2) as cluster:
        nodes = list(cluster.nodes.values())
        for number in range(KILLS):
            node = nodes[number % 2]
            await _play_until_some_end(node.url, rng)
            node.kill()
            await node.start()
        await _until_equal(
            played, lambda: _written(cluster.ask("SELECT match, is_over, summary FROM results"))
        )
        for node in nodes:
            await _count_once(node, played)


async def _until_equal(played: Callable[[], Results], written: Callable[[], Results]) -> None:
    """Wait until the results are those of the journal, and no match has two."""
    async with deadline(lambda: f"{written()} for {played()}"):
        while True:
            if await asyncio.to_thread(written) == await asyncio.to_thread(played):
                return
            await asyncio.sleep(0.2)


async def _count_once(server: RestartableServer, played: Callable[[], Results]) -> None:
    """Wait until the standings have each match once, while bots go on with others."""
    ended = counted = 0
    async with deadline(lambda: f"{counted} matches for {ended}"):
        while not ended == counted > 0:
            results = await asyncio.to_thread(played)
            ended = sum(is_over for _, is_over, _ in results)
            counted = (await page_with(server, "/v1/standings", bool))["matches"]
    sys.stdout.write(f"{KILLS} kills: {len(results)} matches with a finished hand, each with one result\n")


async def _play_until_some_end(url: str, rng: random.Random) -> None:
    """Let bots play at some tables until a hand or a match ends at one of them, and a moment more."""
    async with contextlib.AsyncExitStack() as stack:
        hosts = [
            await stack.enter_async_context(Peer.hosting(url, seated=False, hands=rng.randint(1, 3)))
            for _ in range(TABLES)
        ]
        for host in hosts:
            for _ in range(2):
                await host.ask(cl.AddBot, level="hard")
            await host.ask(cl.Start)
        ends = [rng.choice((ev.HandOver, ev.MatchOver)) for _ in hosts]
        waiting = [asyncio.create_task(host.until(end)) for host, end in zip(hosts, ends, strict=True)]
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        await asyncio.sleep(rng.choice(LATER))


def _played(reader: JournalReader) -> Results:
    """Return the matches with a finished hand, counted from the events of all tables."""
    played: dict[str, tuple[bool, list[dict[str, int]]]] = {}
    for table in reader.tables():
        seats, name, hands = tuple[int, ...](), "", list[dict[str, int]]()
        for event, _, _ in log_of(reader, table.id):
            match event:
                case ev.Committed(hand=1):
                    name, hands = f"{table.id}.{event.hand_id.split('/')[1]}", []
                case ev.Dealt():
                    seats = event.seats
                case ev.HandOver():
                    hands.append(dict(zip(map(str, seats), event.points, strict=True)))
                    played[name] = table.closed_ms is not None, hands
                case ev.MatchOver():
                    played[name] = True, hands
    return sorted((name, is_over, hands) for name, (is_over, hands) in played.items())


def _written(rows: Iterable[Sequence[Any]]) -> Results:
    """Return what the rows of the results say."""
    return sorted(
        (match, bool(is_over), [hand["points"] for hand in json.loads(summary)["hands"]])
        for match, is_over, summary in rows
    )
