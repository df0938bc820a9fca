"""A program that pings a table and reads a page of results from an address of its own, while others attack.

It says when it begins. At a line of its input it ends, and says the 99th of a hundred pings in milliseconds,
the longest page in seconds, and the most seconds for which the server worked during one page: what
a page waits for, whatever the machine does besides.
"""

import asyncio
import math
import sys
import time

from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Pong
from tests.lab.attacks.doors import OTHER, come_from, fetch
from tests.support.processes import busy_ms
from tests.support.servers import Peer

PINGS_PAUSE = 0.01
PAGES_PAUSE = 0.3


async def main(url: str, server: int) -> None:
    """Ping and read until the input ends."""
    pings, pages, works = list[float](), list[float](), list[float]()
    ended = asyncio.Event()
    asyncio.get_running_loop().add_reader(sys.stdin, ended.set)

    async def ping() -> None:
        async with Peer.entered(url, cl.Create(name="Other"), **come_from(OTHER)) as other:
            sys.stdout.write("ready\n")
            sys.stdout.flush()
            while not ended.is_set():
                begun = time.perf_counter()
                await other.say(cl.Ping(stamp=1))
                await other.until(Pong)
                pings.append((time.perf_counter() - begun) * 1_000)
                await asyncio.sleep(PINGS_PAUSE)

    async def read() -> None:
        while not ended.is_set():
            before = busy_ms(server)
            status, seconds = await fetch(url, "/v1/standings", OTHER)
            works.append((busy_ms(server) - before) / 1_000)
            pages.append(seconds if status == 200 else math.inf)
            await asyncio.sleep(PAGES_PAUSE)

    await asyncio.gather(ping(), read())
    sys.stdout.write(f"{sorted(pings)[len(pings) * 99 // 100]:.2f} {max(pages):.3f} {max(works):.3f}\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
