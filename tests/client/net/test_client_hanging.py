"""A client whose attempts to come back are not answered, as on a network that is cut."""

import asyncio

import pytest

from racing_demon_client.net import transport
from racing_demon_client.net.client import Client
from tests.support.relay import Relay
from tests.support.servers import PATIENCE, Peer, serving, timeout


async def _listen(client: Client) -> None:
    async for _ in client:
        pass


async def test_an_attempt_that_hangs_is_given_up_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """An attempt to come back that nobody answers makes room for the next long before opening would."""
    monkeypatch.setattr(transport, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(transport, "RETRY_SECONDS", 0.2)
    for patience in ("ENTRY_SECONDS", "OPEN_SECONDS"):
        monkeypatch.setattr(transport, patience, 2 * PATIENCE)
    async with serving() as served, Relay.before(served.url) as relay, Peer.hosting(served.url) as ann:
        back = asyncio.Event()
        async with await Client.join(relay.url, ann.code, "Ben") as ben:
            ben.notice = lambda text: back.set() if "reconnected" in text else None
            listening = asyncio.create_task(_listen(ben))
            relay.hold()
            relay.cut()
            await relay.until_accepted(4)
            relay.release()
            await timeout(PATIENCE, back.wait())
        await listening


async def test_a_slow_network_gets_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it took long to open the connection, an attempt to come back may take as long again."""
    monkeypatch.setattr(transport, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(transport, "RETRY_SECONDS", 0.0)
    async with serving() as served, Relay.before(served.url) as relay, Peer.hosting(served.url) as ann:
        relay.hold()
        joining = asyncio.create_task(Client.join(relay.url, ann.code, "Ben"))
        await relay.until_accepted(1)
        asyncio.get_running_loop().call_later(1.0, relay.release)
        async with await joining as ben:
            listening = asyncio.create_task(_listen(ben))
            back = asyncio.Event()
            ben.notice = lambda text: back.set() if "reconnected" in text else None
            relay.hold()
            relay.cut()
            await relay.until_accepted(2)
            asyncio.get_running_loop().call_later(1.0, relay.release)
            await timeout(PATIENCE, back.wait())
            assert relay.accepted == 2
        await listening
