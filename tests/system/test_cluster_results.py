"""Results of a cluster: made once, shown by every server, and kept when events are deleted."""

import asyncio
import json
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import MatchOver
from tests.support.clusters import PATIENT, WATCHFUL, Cluster
from tests.support.effort import amount, more_when_long
from tests.support.journals import play_match
from tests.support.restartable_server import wait_until
from tests.support.results import get, page_with, status_of
from tests.support.servers import Peer

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are forked and killed")

KILLS: Final = amount(1, 2)
FAST: Final = ("--bot-speed=100", "--standings=open", "--list-tables")


def has_matches(number: int, found: dict[str, Any]) -> bool:
    """Return whether the standings have so many matches that are over."""
    return bool(found["matches"] == number)


def links_of(cluster: Cluster) -> list[str]:
    """Return the links of all matches in the results, in their order."""
    return [link for (link,) in cluster.ask("SELECT link FROM results ORDER BY ended_ms")]


async def test_every_server_shows_all_results(tmp_path: Path, database: str) -> None:
    """Standings, a match and its record are the same at a server that never had the table."""
    async with Cluster.started(database, tmp_path, *FAST, PATIENT, count=2) as cluster:
        one, other = cluster.nodes.values()
        await play_match(one.url, bots=2, hands=2)
        for node in (one, other):
            await page_with(node, "/v1/standings", partial(has_matches, 1))
        (link,) = links_of(cluster)
        for path in ("/v1/standings", f"/v1/matches/{link}", f"/v1/matches/{link}/record"):
            status, body = await get(one, path)
            assert (status, await get(other, path)) == (200, (200, body)), path


@pytest.mark.long
async def test_the_terminal_counts_as_the_servers_do(tmp_path: Path, database: str) -> None:
    """``scores`` with the database's URL has the standings that a server shows."""
    async with Cluster.started(database, tmp_path, *FAST, count=1) as cluster:
        (one,) = cluster.nodes.values()
        await play_match(one.url, bots=2, hands=2)
        await page_with(one, "/v1/standings", partial(has_matches, 1))
        rows = json.loads((await get(one, "/v1/standings"))[1])["rows"]
        scores = [sys.executable, "-m", "racing_demon_client", "scores", "--json", "--journal", database]
        told = await asyncio.to_thread(subprocess.run, scores, capture_output=True, check=True)
        counted = json.loads(told.stdout)
        assert (counted["by"], [(row["player"], row["points"]) for row in counted["players"]]) == (
            "player",
            [(row["name"], row["points"]) for row in rows],
        )


@pytest.mark.long
async def test_a_seat_is_one_at_every_server(tmp_path: Path, database: str) -> None:
    """Who has a seat at another server's table is shown its matches, also those that others may not see."""
    async with Cluster.started(database, tmp_path, *FAST, PATIENT, count=2) as cluster:
        one, other = cluster.nodes.values()
        async with Peer.hosting(one.url, seated=False, hands=1, spectators=False) as host:
            for _ in range(2):
                await host.ask(cl.AddBot, level="hard")
            await host.ask(cl.Start)
            await host.until(MatchOver)
            token = f"Bearer {host.token}"
            path = f"/v1/matches?table={host.code}"
            found = await page_with(other, path, lambda found: bool(found["matches"]), Authorization=token)
            link = found["matches"][0]["link"]
            for headers, status in (({"Authorization": token}, 200), ({}, 404)):
                assert (await get(other, f"/v1/matches/{link}/record", **headers))[0] == status


@more_when_long
async def test_a_kill_loses_and_doubles_no_result(tmp_path: Path, database: str) -> None:
    """A server is killed right after a match, before its result: another one makes it, once."""
    async with Cluster.started(database, tmp_path, *FAST, WATCHFUL, count=2) as cluster:
        one, other = cluster.nodes.values()
        for number in range(1, KILLS + 1):
            async with Peer.hosting(one.url, seated=False, hands=1) as host:
                for _ in range(2):
                    await host.ask(cl.AddBot, level="hard")
                await host.ask(cl.Start)
                await host.until(MatchOver)
                one.kill()
            await page_with(other, "/v1/standings", partial(has_matches, number))
            await one.start()
        await page_with(one, "/v1/standings", partial(has_matches, KILLS))
        counted = cluster.ask("SELECT count(*), count(DISTINCT match) FROM results")
        assert counted == [(KILLS, KILLS)]


async def test_old_events_are_deleted(tmp_path: Path, database: str) -> None:
    """With --keep-matches a server deletes old tables from the database; their results remain."""
    async with Cluster.started(database, tmp_path, *FAST, count=1) as cluster:
        (node,) = cluster.nodes.values()
        await play_match(node.url, bots=2, hands=1)
        before = await page_with(node, "/v1/standings", partial(has_matches, 1))
        await node.stop()
    cluster.ask("UPDATE tables SET closed_ms = 1, has_results = false")
    async with Cluster.started(database, tmp_path, *FAST, "--keep-matches=1d", count=1) as cluster:
        (node,) = cluster.nodes.values()
        (link,) = links_of(cluster)
        await status_of(node, f"/v1/matches/{link}/record", 410)
        assert (await get(node, f"/v1/matches/{link}"))[0] == 200
        after = await page_with(node, "/v1/standings", partial(has_matches, 1))
        assert after["rows"] == before["rows"]
        for sql in (
            "SELECT 1 FROM tables LIMIT 1",
            "SELECT 1 FROM seeds LIMIT 1",
            "SELECT 1 FROM events LIMIT 1",
            "SELECT 1 FROM beaten LIMIT 1",
        ):
            await wait_until(lambda sql=sql: not cluster.ask(sql))  # type: ignore[misc]
