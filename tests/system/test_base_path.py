"""Servers below a path that lead players to each other, also behind nginx: a cluster, processes, a relay."""

import shutil
import sys
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

import pytest

from racing_demon_client.net.client import Client
from racing_demon_protocol.wire.capabilities import FOLLOWS_MOVED
from racing_demon_protocol.wire.codec import VERSION
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Moved, Versions
from racing_demon_protocol.wire.redirects import at_port
from tests.browser.test_base_path import BASE, proxied
from tests.support.clusters import PATIENT, Cluster
from tests.support.ports import port_of
from tests.support.processes import port_of_process, server_process
from tests.support.servers import Peer

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="processes are forked and killed"),
    pytest.mark.skipif(shutil.which("nginx") is None, reason="needs nginx"),
]

BELOW: Final = ("--base-path", BASE, "--name", "localhost")


def front_of(site: str) -> str:
    """Return the game's address at the site of a proxy, whose name programs take for this machine's."""
    return f"wss://localhost:{site.rpartition(':')[2]}{BASE}/v1"


def trust(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Trust the certificates of a proxy."""
    monkeypatch.setenv("SSL_CERT_FILE", str(folder / "certs/ca.crt"))


@pytest.mark.long
async def test_any_server_of_a_cluster_answers_below_a_path(
    tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client is led from one server to the other, directly and behind a proxy of each."""
    async with AsyncExitStack() as stack:
        cluster = await stack.enter_async_context(
            Cluster.started(database, tmp_path, *BELOW, PATIENT, count=2)
        )
        first, second = (node.url for node in cluster.nodes.values())
        assert second.endswith(f"{BASE}/v1")
        folder = tmp_path / "proxy"
        folder.mkdir()
        front = front_of(await stack.enter_async_context(proxied("nginx", folder, port_of(second))))
        trust(folder, monkeypatch)
        host = await stack.enter_async_context(await Client.create(first, "Ann"))
        guest = await stack.enter_async_context(Peer.connect(second))
        assert isinstance(await guest.hear(), Versions)
        await guest.say(cl.Hello(version=VERSION, software=f"test/1 {FOLLOWS_MOVED}"))
        await guest.say(cl.Watch(code=host.code))
        assert await guest.hear() == Moved(host="127.0.0.1", port=port_of(first))
        for seat, url in enumerate((second, front), start=1):
            client = await stack.enter_async_context(await Client.join(url, host.code, f"Guest {seat}"))
            assert client.seat == seat


@pytest.mark.long
async def test_processes_lead_to_each_other_below_a_path() -> None:
    """Whichever process answers first, the client comes to the table's own, and keeps the path."""
    async with server_process("--processes", "2", *BELOW) as (_, url), AsyncExitStack() as stack:
        host = await stack.enter_async_context(await Client.create(url, "Ann"))
        there = at_port(url, await port_of_process(url, host.code))
        ben = await stack.enter_async_context(await Client.join(there, host.code, "Ben"))
        cleo = await stack.enter_async_context(await Client.join(url, host.code, "Cleo"))
        assert (there.endswith(f"{BASE}/v1"), ben.seat, cleo.seat) == (True, 1, 2)


@pytest.mark.long
async def test_a_relay_below_a_path_shows_a_table_below_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spectators come through a proxy to the relay, which goes through one to the server."""
    async with AsyncExitStack() as stack:
        _, url = await stack.enter_async_context(server_process(*BELOW))
        folder = tmp_path / "proxy"
        folder.mkdir()
        front = front_of(await stack.enter_async_context(proxied("nginx", folder, port_of(url))))
        trust(folder, monkeypatch)
        _, relay = await stack.enter_async_context(
            server_process("--relay", front, "--base-path", "/watch", "--name", "localhost")
        )
        host = await stack.enter_async_context(await Client.create(front, "Ann"))
        watching = await stack.enter_async_context(await Client.watch(relay, host.code))
        assert relay.endswith("/watch/v1")
        assert watching.view.seats[0].name == "Ann"
