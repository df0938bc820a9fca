"""Somebody who leaves a match and comes back, while servers die: the same for a journal and a database."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import TypeVar

from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.net.client import Client
from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.options import Options

T = TypeVar("T")


@contextlib.asynccontextmanager
async def three_seated(url: str) -> AsyncIterator[list[Client]]:
    """Open a table, at which three people sit."""
    async with contextlib.AsyncExitStack() as stack:
        options = Options(hands=9, countdown_ms=0)
        ann = await stack.enter_async_context(await Client.create(url, "Ann", options))
        others = [
            await stack.enter_async_context(await Client.join(url, ann.code, name))
            for name in ("Ben", "Cleo")
        ]
        yield [ann, *others]


async def leave_and_return(url: str, ann: Client, ben: Client, cleo: Client) -> int | None:
    """Start a match, leave it and come back, hand the table on, and end the match. Return who is back."""
    token = cleo.token or ""
    await ann.ask(cl.Start(counter=ann.next_counter()))
    with contextlib.suppress(ConnectionFailed):  # the answer is lost, if the server has died since
        await cleo.ask(cl.Leave(counter=cleo.next_counter()))
    async with await patiently(lambda: Client.join(url, ann.code, "Cleo", token=token)) as back:
        await ann.ask(cl.MakeHost(counter=ann.next_counter(), seat=1))
        await asyncio.gather(*map(_follow, (ann, ben, back)))
        await ben.ask(cl.SetLastHand(counter=ben.next_counter()))
        await ben.ask(cl.EndMatch(counter=ben.next_counter()))
        return back.seat


async def verify_ended(url: str, ann: Client) -> None:
    """Check that everybody has one row, that the host is the one who was made, and the match over."""
    async with await patiently(lambda: Client.watch(url, ann.code)) as eve:
        assert [state.name for state in eve.view.seats.values()] == ["Ann", "Ben", "Cleo"]
        assert (eve.view.host, eve.view.phase, len(eve.view.results)) == (1, Phase.OVER, 1)


async def _follow(client: Client) -> None:
    """Follow the table until the hand is played, and the second player is its host."""
    messages = aiter(client)
    while not (client.view.in_hand and client.view.host == 1):
        await anext(messages)


async def patiently(ask: Callable[[], Awaitable[T]]) -> T:
    """Ask until there is an answer of a server that has the table."""
    while True:
        try:
            return await ask()
        except ConnectionFailed:
            pass
        except CommandRefused as refused:
            if refused.reason not in {Reason.UNKNOWN_TABLE, Reason.NOT_NOW, Reason.HALTED}:
                raise
        await asyncio.sleep(0.05)  # nobody tells when the server is there again
