"""A server of several hosts says which of them has a table, and cannot send a client to a foreign one."""

import asyncio

import pytest

from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.net.client import Client
from racing_demon_protocol.errors import ForeignHost
from racing_demon_protocol.wire.capabilities import FOLLOWS_MOVED, understands
from racing_demon_protocol.wire.codec import decode_client
from racing_demon_protocol.wire.messages.client import Hello
from racing_demon_protocol.wire.messages.server import Elsewhere, Moved
from racing_demon_protocol.wire.redirects import moved_to
from tests.support.cases import for_each
from tests.support.ports import port_of
from tests.support.relay import WELCOME, Relay, babbling, speak, visited
from tests.support.servers import PATIENCE, timeout

VERSIONS, *_ = WELCOME


@for_each(
    ("url", "host", "there"),
    [
        ("wss://cards.example.org/v1", "n2.cards.example.org", "wss://n2.cards.example.org:443/v1"),
        ("wss://cards.example.org/v1", "Cards.Example.org.", "wss://Cards.Example.org.:443/v1"),
        ("ws://cards.example.org:5252/v1", "n2.cards.example.org", "ws://n2.cards.example.org:443/v1"),
        ("ws://192.0.2.1:5252/v1", "192.0.2.1", "ws://192.0.2.1:443/v1"),
        ("ws://[::1]:5252/v1", "0:0:0:0:0:0:0:1", "ws://[0:0:0:0:0:0:0:1]:443/v1"),
    ],
)
def test_a_host_below_the_dialled_one_is_followed(url: str, host: str, there: str) -> None:
    """The dialled host and names below it are followed with the scheme and path that were dialled."""
    assert moved_to(url, host, 443) == there


@for_each(
    ("url", "host"),
    [
        ("wss://cards.example.org/v1", "evilcards.example.org"),
        ("wss://cards.example.org/v1", "example.org"),
        ("wss://cards.example.org/v1", "cards.example.org.evil.example"),
        ("wss://cards.example.org/v1", "192.0.2.1"),
        ("wss://cards.example.org/v1", "1.cards.example.org.2130706433"),
        ("wss://cards.example.org/v1", "::1"),
        ("wss://cards.example.org/v1", "n1.example.org"),
        ("ws://127.1:5252/v1", "10.127.1"),
        ("ws://1:5252/v1", "0x7f.1"),
        ("ws://192.0.2.1:5252/v1", "192.0.2.2"),
        ("ws://192.0.2.1:5252/v1", "n2.192.0.2.1"),
        ("ws://[::1]:5252/v1", "::2"),
    ],
)
def test_a_foreign_host_is_not_followed(url: str, host: str) -> None:
    """Neither suffixes of a name nor other addresses pass for a host of the dialled server."""
    with pytest.raises(ForeignHost, match="not one of its own hosts"):
        moved_to(url, host, 443)


async def test_a_client_joins_at_the_host_that_has_the_table() -> None:
    """A client that is redirected takes its seat there, and keeps the address that it was given."""
    async with (
        babbling(*WELCOME) as there,
        babbling(VERSIONS, Moved(host="127.0.0.1", port=port_of(there))) as url,
        await Client.join(url, "BCDF", "Ann") as ann,
    ):
        assert (ann.seat, ann.url) == (0, url)


async def test_a_client_refuses_a_foreign_host() -> None:
    """A redirect to another address ends the attempt with a sentence, and nothing is dialled there."""
    async with babbling(VERSIONS, Moved(host="127.0.0.2", port=5252)) as url:
        with pytest.raises(ConnectionFailed, match=r"127\.0\.0\.2, which is not one of its own hosts"):
            await timeout(PATIENCE, Client.join(url, "BCDF", "Ann"))


async def test_a_client_is_redirected_twice_at_most() -> None:
    """Hosts that redirect to each other are given up after three connections."""
    visits = 0

    async def redirect() -> None:
        nonlocal visits
        while True:
            visitor = await visitors.get()
            visits += 1
            await speak(visitor, VERSIONS, Moved(host="127.0.0.1", port=port_of(url)))

    async with visited() as (url, visitors):
        redirecting = asyncio.create_task(redirect())
        with pytest.raises(ConnectionFailed, match="keeps redirecting to other hosts"):
            await timeout(PATIENCE, Client.join(url, "BCDF", "Ann"))
        redirecting.cancel()
    assert visits == 3


async def test_a_host_that_does_not_answer_is_reached_through_the_first() -> None:
    """If the named host is unreachable, the client asks the first one again, without following."""
    async with babbling() as gone:
        port = port_of(gone)
    follows = []
    async with visited() as (url, visitors):
        joining = asyncio.create_task(Client.join(url, "BCDF", "Ann"))
        for answer in ([Moved(host="127.0.0.1", port=port)], WELCOME[1:]):
            visitor = await timeout(PATIENCE, visitors.get())
            await speak(visitor, VERSIONS)
            hello = decode_client(await timeout(PATIENCE, visitor.recv()))
            assert isinstance(hello, Hello)
            follows.append(understands(hello.software, FOLLOWS_MOVED))
            await speak(visitor, *answer)
        async with await timeout(PATIENCE, joining) as ann:
            assert ann.seat == 0
    assert follows == [True, False]


@for_each("host", ["127.0.0.2", "evil127.0.0.1", "localhost", "n2.cards.example.org", "::1"])
async def test_nothing_is_dialled_at_a_foreign_host(host: str) -> None:
    """No connection is made there, even if the host is this machine under another name."""
    async with (
        visited() as (there, visitors),
        babbling(VERSIONS, Moved(host=host, port=port_of(there))) as url,
    ):
        with pytest.raises(ConnectionFailed, match=f"{host}, which is not one of its own hosts"):
            await timeout(PATIENCE, Client.join(url, "BCDF", "Ann"))
        assert visitors.empty()


async def test_a_host_may_have_several_processes() -> None:
    """The port that is named next belongs to that host."""
    async with (
        babbling(*WELCOME) as there,
        babbling(VERSIONS, Elsewhere(port=port_of(there))) as host,
        babbling(VERSIONS, Moved(host="127.0.0.1", port=port_of(host))) as url,
        await Client.join(url, "BCDF", "Ann") as ann,
    ):
        assert ann.seat == 0


async def test_after_a_lost_connection_the_first_address_is_asked_again() -> None:
    """The host may be down, and its tables with another one."""
    async with visited() as (url, first), visited() as (server, second), Relay.before(server) as wire:
        joining = asyncio.create_task(Client.join(url, "BCDF", "Ann"))
        moved = Moved(host="127.0.0.1", port=port_of(wire.url))
        await speak(await timeout(PATIENCE, first.get()), VERSIONS, moved)
        await speak(await timeout(PATIENCE, second.get()), *WELCOME)
        ann = await timeout(PATIENCE, joining)

        async def listen() -> None:
            async for _ in ann:
                pass

        listening = asyncio.create_task(listen())
        wire.cut()
        await speak(await timeout(PATIENCE, first.get()), *WELCOME)
        assert second.empty()
        await ann.close()
        await timeout(PATIENCE, listening)
