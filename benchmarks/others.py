"""The other side of the table that is measured: a server, and opponents on real sockets.

A process of its own, so that they take no time from whom is measuring. It says where the table is, and then
answers each line with one line:

    deal      once the one who is measured sits there; then: dealt
    turn      one opponent turns the stock; then: when it went into the socket, in monotonic nanoseconds
    rate N    from now on they turn N times a second together; then: how many turns there were before

It ends with its standard input.
"""

import asyncio
import itertools
import random
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from typing import Final

from racing_demon_client.net.client import Client
from racing_demon_client.net.local_server import local_server
from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.wire.messages.client import Start
from racing_demon_protocol.wire.options import Options

SEED: Final = bytes(32)
JITTER: Final = 0.5
"""How far apart from their even pace turns come, so that they do not beat with clocks and timers."""
SHORT_PAUSE: Final = 0.005


class Opponents:
    """Players who do nothing but turn their stocks, which is possible at any time.

    Args:
        clients: their places; the first is the host.

    """

    def __init__(self, clients: Sequence[Client]) -> None:
        self._host = clients[0]
        self._number = len(clients)
        self._turns = itertools.cycle(clients)
        self._rate = 0.0
        self._sent = 0
        self._changed = asyncio.Event()
        self._heard = asyncio.Event()

    async def obey(self, lines: asyncio.StreamReader) -> None:
        """Do what is asked for, until nothing more comes."""
        while words := (await lines.readline()).decode().split():
            if words[0] == "deal":
                say(await self._deal())
            elif words[0] == "turn":
                say(str(await self._turn()))
            elif words[0] == "rate":
                sent, self._sent, self._rate = self._sent, 0, float(words[1])
                self._changed.set()
                say(str(sent))

    async def _deal(self) -> str:
        await self._until(lambda: len(self._host.view.seats) > self._number)
        await self._host.send(Start(counter=self._host.next_counter()))
        await self._until(lambda: self._host.view.in_hand)
        return "dealt"

    async def _until(self, is_so: Callable[[], bool]) -> None:
        while not is_so():
            self._heard.clear()
            await self._heard.wait()

    async def follow(self, client: Client) -> None:
        """Take all that comes, so that a client's view is true."""
        async for _ in client:
            self._heard.set()

    async def _turn(self) -> int:
        while True:
            client = next(self._turns)
            if not client.waiting:
                break
            await asyncio.sleep(SHORT_PAUSE)  # or, where all wait, nothing that they wait for could come
        play = turn(client)
        at = time.monotonic_ns()
        await client.play(play)
        return at

    async def play_on(self) -> None:
        """Turn at the pace that was asked for."""
        chance = random.Random(0)  # noqa: S311 - no secret, and the same each time
        due = 0.0
        while True:
            if not self._rate:
                self._changed.clear()
                await self._changed.wait()
                due = time.monotonic()
                continue
            due += 1 / self._rate
            shift = chance.uniform(-JITTER, JITTER) / 2 / self._rate
            await asyncio.sleep(max(0.0, due + shift - time.monotonic()))
            if self._rate:
                await self._turn()
                self._sent += 1


def turn(client: Client) -> Play:
    """Return the play that turns a client's stock."""
    view = client.view
    assert view.hand is not None
    assert client.seat is not None
    play = view.hand.rules.stock_play(view.hand.board, client.seat)
    assert play is not None
    return play


async def main(number: int) -> None:
    """Open a table with opponents, and play there as asked."""
    options = Options(hands=100, countdown_ms=0)
    async with AsyncExitStack() as stack:
        url = await stack.enter_async_context(local_server(seed=SEED))
        clients = [await stack.enter_async_context(await Client.create(url, "Opponent 1", options))]
        for name in range(2, number + 1):
            client = await Client.join(url, clients[0].code, f"Opponent {name}")
            clients.append(await stack.enter_async_context(client))
        opponents = Opponents(clients)
        tasks = [asyncio.create_task(opponents.follow(client)) for client in clients]
        tasks.append(asyncio.create_task(opponents.play_on()))
        say(f"{url} {clients[0].code}")
        tasks.append(asyncio.create_task(opponents.obey(await standard_input())))
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()


async def standard_input() -> asyncio.StreamReader:
    """Return the standard input, to be read without standing still."""
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    return reader


def say(line: str) -> None:
    """Answer."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
