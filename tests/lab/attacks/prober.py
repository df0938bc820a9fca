"""A program that asks a server again and again how it is, and says how long it waited for the answers.

It plays at a table of bots, so that there is something to disturb. Each line of its input ends a period; it
answers with the 50th and the 99th of a hundred waits of it and the worst, in milliseconds, and how many there
were.
"""

import asyncio
import sys
import time

from racing_demon_client.net.client import Client
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Pong
from racing_demon_protocol.wire.options import Options

PAUSE = 0.005
"""Seconds between an answer and the next question."""


async def main(url: str) -> None:
    """Probe until the input ends."""
    options = Options(hands=100, countdown_ms=0, tally_ms=0, pause_after_ms=None)
    async with await Client.create(url, "Probe", options, seated=False) as client:
        for _ in range(6):
            await client.ask(cl.AddBot(counter=client.next_counter(), level="hard"))
        await client.ask(cl.Start(counter=client.next_counter()))
        sys.stdout.write(f"{client.code}\n")
        sys.stdout.flush()
        waits: list[float] = []
        answered = asyncio.Event()
        probing = asyncio.create_task(probe(client, waits, answered))
        while await asyncio.to_thread(sys.stdin.readline):
            await answered.wait()
            answered.clear()
            period, waits[:] = sorted(waits), []
            half, most = period[len(period) // 2], period[len(period) * 99 // 100]
            sys.stdout.write(f"{half:.2f} {most:.2f} {period[-1]:.2f} {len(period)}\n")
            sys.stdout.flush()
        probing.cancel()


async def probe(client: Client, waits: list[float], answered: asyncio.Event) -> None:
    """Ask, and note how long it took."""
    number, asked = 0, time.perf_counter()
    await client.ping(number)
    async for message in client:
        if isinstance(message, Pong) and message.stamp == number:
            waits.append((time.perf_counter() - asked) * 1_000)
            answered.set()
            await asyncio.sleep(PAUSE)
            number, asked = number + 1, time.perf_counter()
            await client.ping(number)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
