"""A relay asks the other server for no more unknown tables than an address may miss."""

import asyncio
import contextlib
from contextlib import AsyncExitStack
from typing import Any

from websockets.exceptions import ConnectionClosed

from racing_demon_protocol.enums import CloseCode, Reason
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Refused
from racing_demon_server.rate_limits import MANY_SEARCHES
from tests.support.relay import answer_relay, visited
from tests.support.restartable_server import wait_until
from tests.support.servers import PATIENCE, Closing, Peer, relaying, serving, timeout

UNKNOWN = Refused(counter=0, reason=Reason.UNKNOWN_TABLE, text="No table here has that code.")
FAR: dict[str, Any] = {"additional_headers": {"X-Forwarded-For": "203.0.113.8"}}


async def test_codes_cannot_be_guessed_through_a_relay() -> None:
    """An address that has asked for too many unknown tables is refused for a while, and no other one."""
    names: list[dict[str, Any]] = [
        {"additional_headers": {"X-Forwarded-For": f"203.0.113.{number}"}} for number in (8, 9)
    ]
    async with (
        serving() as owner,
        relaying(owner.url, misses_per_minute=1e-6, miss_burst=2) as relay,
        Peer.hosting(owner.url) as ann,
        Peer.connect(relay.url, **names[0]) as guesser,
        Peer.connect(relay.url, **names[1]) as other,
    ):
        await guesser.greet()
        await other.greet()
        told = [await guesser.refusal(cl.Watch(code=code)) for code in ("BCDF", "CDFG", "DFGH", ann.code)]
        assert [*[Reason.UNKNOWN_TABLE] * 2, *[Reason.TOO_FAST] * 2] == told
        await other.enter(cl.Watch(code=ann.code))


async def test_searches_of_one_address_run_within_its_misses() -> None:
    """Many of its connections guess at once: so many reach the other server, the rest are to come back."""
    async with (
        visited() as (url, visitors),
        relaying(url, misses_per_minute=1e-6, miss_burst=3) as relay,
        AsyncExitStack() as stack,
    ):
        peers = []
        for letter in "FGHJKLMN":
            peer = await stack.enter_async_context(Peer.connect(relay.url, **FAR))
            await peer.greet()
            await peer.say(cl.Watch(code=f"BCD{letter}"))
            peers.append(peer)
            if letter in "FGH":
                await answer_relay(visitor := await timeout(PATIENCE, visitors.get()))
                stack.push_async_callback(visitor.close)
            else:
                assert await peer.closed() == Closing(CloseCode.TRY_AGAIN, MANY_SEARCHES)
        assert visitors.empty()


async def test_who_leaves_during_a_search_has_missed_all_the_same() -> None:
    """Otherwise an address that closes each connection at once could search without end."""
    async with (
        visited() as (url, visitors),
        relaying(url, misses_per_minute=1e-6, miss_burst=1) as relay,
    ):
        async with Peer.connect(relay.url, **FAR) as peer:
            await peer.greet()
            await peer.say(cl.Watch(code="BCDF"))
            visitor = await timeout(PATIENCE, visitors.get())
        await wait_until(lambda: not relay.server.connections)
        await answer_relay(visitor, UNKNOWN)
        await timeout(PATIENCE, visitor.wait_closed())
        async with Peer.connect(relay.url, **FAR) as peer:
            await peer.greet()
            assert await peer.refusal(cl.Watch(code="BCDG")) is Reason.TOO_FAST
        assert visitors.empty()


async def test_a_search_for_a_table_that_is_found_costs_nothing() -> None:
    """An address with one miss left watches any number of tables, one after the other."""
    async with (
        serving() as owner,
        relaying(owner.url, misses_per_minute=1e-6, miss_burst=1) as relay,
        AsyncExitStack() as stack,
    ):
        for _ in range(3):
            host = await stack.enter_async_context(Peer.hosting(owner.url))
            watch = cl.Watch(code=host.code)
            await stack.enter_async_context(Peer.entered(relay.url, watch, **FAR))


async def test_a_guesser_at_a_relay_leaves_misses_to_others() -> None:
    """The other server counts the misses of a relay's spectators as one address's: nobody uses them up."""
    near = {"additional_headers": {"X-Forwarded-For": "203.0.113.9"}}
    async with visited() as (url, visitors), relaying(url) as relay:

        async def search(number: int, stack: AsyncExitStack, who: dict[str, Any]) -> bool:
            peer = await stack.enter_async_context(Peer.connect(relay.url, **who))
            await peer.greet()
            await peer.say(cl.Watch(code="BCDF" + "BCDFGHJKLM"[number // 10] + "BCDFGHJKLM"[number % 10]))
            asked, told = asyncio.create_task(visitors.get()), asyncio.create_task(peer.hear())
            await asyncio.wait({asked, told}, return_when=asyncio.FIRST_COMPLETED)
            if is_asked := asked.done():
                await answer_relay(await asked, UNKNOWN)
            asked.cancel()
            with contextlib.suppress(ConnectionClosed):
                await told
            return is_asked

        async with AsyncExitStack() as stack:
            asked = [await search(number, stack, FAR) for number in range(20)]
            assert sum(asked) == 10
            assert await search(20, stack, near)


async def test_an_unknown_code_is_not_asked_for_again_at_once() -> None:
    """Many follow the link of a table that has ended: that costs the relay one miss, and each its own."""
    async with visited() as (url, visitors), relaying(url) as relay, AsyncExitStack() as stack:
        for number in range(3):
            peer = await stack.enter_async_context(Peer.connect(relay.url, **FAR))
            await peer.greet()
            await peer.say(cl.Watch(code="BCDF"))
            if not number:
                await answer_relay(await timeout(PATIENCE, visitors.get()), UNKNOWN)
            answer = await peer.hear()
            assert isinstance(answer, Refused)
            assert answer.reason is Reason.UNKNOWN_TABLE
        assert visitors.empty()


async def test_a_trusted_relay_names_those_who_guess() -> None:
    """The other server refuses the guesser there, and not the relay."""
    names: list[dict[str, Any]] = [
        {"additional_headers": {"X-Forwarded-For": f"203.0.113.{number}"}} for number in (8, 9)
    ]
    async with (
        serving(relays=("127.0.0.0/8",), misses_per_minute=1e-6, miss_burst=2) as owner,
        relaying(owner.url) as relay,
        Peer.hosting(owner.url) as ann,
        Peer.connect(relay.url, **names[0]) as guesser,
        Peer.connect(relay.url, **names[1]) as other,
    ):
        await guesser.greet()
        await other.greet()
        told = [await guesser.refusal(cl.Watch(code=code)) for code in ("BCDF", "CDFG", "DFGH", ann.code)]
        assert [*[Reason.UNKNOWN_TABLE] * 2, *[Reason.TOO_FAST] * 2] == told
        await other.enter(cl.Watch(code=ann.code))
