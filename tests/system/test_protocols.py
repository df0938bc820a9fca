"""Servers, relays and clients of two versions of the protocol: each is served, or told who must update."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

from racing_demon_protocol.enums import CloseCode
from racing_demon_protocol.wire.codec import VERSION
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import CaughtUp
from tests.support.browsers import chromium, phone
from tests.support.clusters import GENEROUS, PATIENT, SEED, Cluster, Front, went_on
from tests.support.processes import CLIENT, SERVER, started, text_of
from tests.support.restartable_server import all_answered, meeting, wait_until
from tests.support.servers import PATIENCE, Closing, Peer, timeout

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="processes are forked and killed")

NEWER: Final = VERSION + 1
OTHERS: Final = "tests.support.protocols"
NEW_SERVER: Final = (
    f"The server speaks versions {NEWER} to {NEWER} of the protocol, this client {VERSION}: "
    "update this client."
)
OLD_SERVER: Final = (
    f"The server speaks versions {VERSION} to {VERSION} of the protocol, this client {NEWER}: "
    "update the server."
)
OLD_OWNER: Final = f"This server speaks version {VERSION} of the protocol, you {NEWER}: update the server."


@asynccontextmanager
async def being_upgraded(database: str, folder: Path, *more: str) -> AsyncIterator[tuple[Cluster, Front]]:
    """Run three servers, of which the third is new already, behind an address that prefers the first."""
    protocols = {"n3": NEWER}
    async with (
        Cluster.started(database, folder, GENEROUS, *more, protocols=protocols) as cluster,
        Front.before(cluster, SEED) as front,
    ):
        front.first = "n1"
        yield cluster, front


def _relayed(owner: int, relay: int) -> str:
    return f"The table's server speaks version {owner} of the protocol, this relay {relay}: "


@asynccontextmanager
async def relaying(version: int, url: str) -> AsyncIterator[str]:
    """Run a relay of some version, and give its URL."""
    more = ("--host", "127.0.0.1", "--port", "0", "--relay", url)
    async with started(OTHERS, str(version), SERVER, *more) as relay:
        yield (await relay.line(r"listening on (\S+)")).group(1)


@pytest.mark.long
async def test_a_table_goes_on_at_servers_of_its_protocol(tmp_path: Path, database: str) -> None:
    """Its players, whom a new server turns away at first, find the old one that took it over."""
    async with being_upgraded(database, tmp_path) as (cluster, front):
        async with meeting(front.url, 3, SEED, 0.05) as players:
            await wait_until(lambda: all(player.client.view.in_hand for player in players))
            for name, heir in (("n1", "n2"), ("n2", "n1")):
                assert cluster.owner(players) == name
                before, front.first = front.accepted, "n3"
                cluster.nodes[name].kill()
                await wait_until(lambda: front.accepted >= before + len(players))  # noqa: B023
                front.first = ""
                await went_on(cluster, [players])
                assert cluster.owner(players) == heir
                await cluster.nodes[name].start()
            await all_answered(players)
        verdict = cluster.judge(players)
    assert verdict.is_right, verdict


@pytest.mark.long
async def test_who_speaks_another_version_is_told_who_must_update(tmp_path: Path, database: str) -> None:
    """Programs of either version end with a sentence, at servers of the other one and at tables of it."""
    async with being_upgraded(database, tmp_path, PATIENT) as (cluster, _):
        old, new = (cluster.nodes[name].url for name in ("n1", "n3"))
        async with Peer.hosting(old) as host:
            told = [
                await text_of(OTHERS, str(version), CLIENT, command, url, host.code, "--plain")
                for version, url, command in (
                    (VERSION, new, "watch"),
                    (VERSION, new, "join"),
                    (NEWER, old, "watch"),
                    (NEWER, old, "join"),
                    (NEWER, new, "watch"),
                    (NEWER, new, "join"),
                )
            ]
    assert [each.code for each in told] == [4] * 6
    for ended, text in zip(told, [NEW_SERVER] * 2 + [OLD_SERVER] * 2 + [OLD_OWNER] * 2, strict=True):
        assert text in ended.err


@pytest.mark.long
async def test_spectators_of_a_relay_are_told_who_must_update(tmp_path: Path, database: str) -> None:
    """A relay that is older than a table's server says so, and one that is newer."""
    async with being_upgraded(database, tmp_path, PATIENT) as (cluster, _):
        for version, node, text in (
            (
                VERSION,
                "n3",
                f"speaks version {NEWER} of the protocol, this relay {VERSION}: update this relay.",
            ),
            (
                NEWER,
                "n1",
                f"speaks version {VERSION} of the protocol, this relay {NEWER}: update that server.",
            ),
        ):
            async with relaying(version, cluster.nodes[node].url) as url:
                told = await text_of(OTHERS, str(version), CLIENT, "watch", url, "BCDFGHJK", "--plain")
            assert told.code == 4
            assert f"The table's server {text}" in told.err


@pytest.mark.long
async def test_a_relay_waits_a_while_for_a_server_of_its_protocol(tmp_path: Path, database: str) -> None:
    """Its spectators stay while it meets new servers, and are told when it meets no others any more."""
    async with being_upgraded(database, tmp_path) as (cluster, front):
        async with relaying(VERSION, front.url) as url, Peer.hosting(front.url) as host:
            async with Peer.entered(url, cl.Watch(code=host.code)) as eve:
                for name in ("n2", "n1"):
                    cluster.nodes[name].kill()
                    await wait_until(lambda: cluster.is_fenced(name))  # noqa: B023
                assert eve.view.seats[0].name == "Ann"
                await cluster.nodes["n1"].start()
                async with Peer.entered(
                    cluster.nodes["n1"].url, cl.Join(code=host.code, name="Ann", token=host.token)
                ) as ann:
                    await ann.ask(cl.Say, text="hello")
                    while eve.view.seq < ann.view.seq:
                        await eve.hear()
                cluster.nodes["n1"].kill()
                text = f"{_relayed(NEWER, VERSION)}update this relay."
                assert await eve.closed() == Closing(CloseCode.VERSION, text)


@pytest.mark.long
async def test_a_page_goes_on_at_a_server_of_its_protocol(tmp_path: Path, database: str) -> None:
    """Loaded before the upgrade, it is turned away by a new server, and comes back to an old one."""
    async with being_upgraded(database, tmp_path) as (cluster, front):
        origin = front.url.replace("ws:", "http:").removesuffix("/v1")
        async with chromium() as browser, phone(browser, origin) as player:
            await player.create("Ann")
            turned_away = asyncio.Event()
            player.page.on("websocket", lambda socket: socket.on("close", lambda _: turned_away.set()))
            front.first = "n3"
            cluster.nodes["n1"].kill()
            await timeout(PATIENCE, turned_away.wait())
            front.first = "n2"

            async def is_back() -> bool:
                newest = player.connections[-1]
                return len(player.connections) > 2 and any(isinstance(each, CaughtUp) for each in newest)

            await player.until(is_back)
