"""A table that ends for everybody, in plain text."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from racing_demon_client.errors import TableEnded
from racing_demon_client.net.connection import Client
from racing_demon_client.plain.session import attend, take_part
from racing_demon_protocol.wire.options import Options
from tests.support.consoles import Console
from tests.support.processes import server_process
from tests.support.servers import PATIENCE, serving, within

QUICK = Options(countdown_ms=0, tally_ms=600_000)


@asynccontextmanager
async def seated(client: Client, *, ends_with_us: bool) -> AsyncIterator[tuple[Console, asyncio.Task[None]]]:
    """Let a player sit at the console."""
    with Console.opened() as console:
        seat = take_part(client, console.write, console.keyboard, ends_with_us=ends_with_us)
        evening = asyncio.create_task(seat)
        async with client:
            await console.until("table .*lobby; you")
            yield console, evening
            console.hang_up()


async def test_standings_are_told_when_the_table_goes() -> None:
    """When the server is stopped in a hand, player and spectator read how far everybody came."""
    async with server_process() as (running, url):
        client = await Client.create(url, "Ann", QUICK)
        async with (
            await Client.watch(url, client.code) as onlooker,
            seated(client, ends_with_us=False) as (console, evening),
        ):
            with Console.opened() as aside:
                watching = asyncio.create_task(attend(onlooker, aside.write))
                console.type("bot easy")
                await console.until("Ada took seat 2")
                console.type("start")
                async with asyncio.timeout(PATIENCE):
                    while not (onlooker.view.in_hand and client.view.in_hand):  # noqa: ASYNC110
                        await asyncio.sleep(0.01)
                running.stop()
                for each in (console, aside):
                    await each.until("the table is closed, and the match ends here: .* won")
                    await each.until(r"Ann +\d+ +\d+")
                await within(PATIENCE, watching)
                with pytest.raises(TableEnded):
                    await within(PATIENCE, evening)
                assert "another match" not in "\n".join(console.lines)


async def test_nothing_is_tallied_where_nothing_was_played() -> None:
    """A table that goes before the first deal has no standings."""
    async with server_process() as (running, url):
        async with seated(await Client.create(url, "Ann", QUICK), ends_with_us=False) as (console, evening):
            running.stop()
            with pytest.raises(TableEnded):
                await within(PATIENCE, evening)
            assert "the match ends here" not in "\n".join(console.lines)


async def test_a_host_is_asked_before_the_table_ends() -> None:
    """Whoever's program is the server is told that quitting ends it for guests; only a second word does."""
    async with serving() as served:
        client = await Client.create(served.url, "Ann", QUICK)
        async with seated(client, ends_with_us=True) as (console, evening):
            async with await Client.join(served.url, client.code, "Ben"):
                await console.until("Ben")
                for line in ("q", "leave"):
                    await console.answer(line, "ends for everybody")
                    await console.answer("tally", "total")
                console.type("q", "q")
                await within(PATIENCE, evening)


async def test_nobody_is_asked_where_nobody_else_sits() -> None:
    """Without guests the host's first word ends the table."""
    async with serving() as served:
        client = await Client.create(served.url, "Ann", QUICK)
        async with seated(client, ends_with_us=True) as (console, evening):
            console.type("q")
            await within(PATIENCE, evening)
