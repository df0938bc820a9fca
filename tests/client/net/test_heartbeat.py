"""A client notices a server that is silent, and leaves a slow network alone."""

import asyncio

import pytest

from racing_demon_client.net import transport
from racing_demon_client.net.client import Client
from racing_demon_protocol.wire.messages.server import Pong
from tests.support.relay import WELCOME, Relay, babbling
from tests.support.servers import PATIENCE, serving, timeout

HEARTBEAT_SECONDS = 0.05


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "HEARTBEAT_SECONDS", HEARTBEAT_SECONDS)


async def listen(client: Client) -> None:
    """Read whatever comes."""
    async for _ in client:
        pass


async def test_a_silent_server_is_noticed() -> None:
    """If nothing arrives any more, the client connects again without waiting for a closing handshake."""
    async with babbling(*WELCOME) as url, Relay.before(url) as wire:
        ann = await Client.join(wire.url, "BCDF", "Ann")
        broke = asyncio.Event()
        ann.notice = lambda _: broke.set()
        listening = asyncio.create_task(listen(ann))
        wire.hold()
        await timeout(PATIENCE, broke.wait())
        await timeout(PATIENCE, ann.close())
        await timeout(PATIENCE, listening)


async def test_a_slow_network_is_no_silent_server() -> None:
    """Where every answer takes several beats, no connection is given up."""
    async with serving() as served, Relay.before(served.url) as wire:
        wire.delay = 2 * HEARTBEAT_SECONDS
        async with await Client.create(wire.url, "Ann") as ann:
            broke = asyncio.Event()
            ann.notice = lambda _: broke.set()
            messages = aiter(ann)
            for stamp in range(8):
                await ann.ping(stamp)
                async with asyncio.timeout(PATIENCE):
                    while await anext(messages) != Pong(stamp=stamp):
                        pass
            assert not broke.is_set()
            assert wire.accepted == 1
