"""A program that pings a table and reads a page of results from an address of its own, while others attack.

It says when it begins. At a line of its input it ends, and says the 99th of a hundred pings in milliseconds,
the longest page in seconds, and the longest without the time in which the server's threads and this program
waited for a processor, as other programs had it.
"""

import asyncio
import math
import os
import sys
import time
from pathlib import Path

from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Pong
from tests.lab.attacks.doors import OTHER, come_from, fetch
from tests.support.servers import Peer

PINGS_PAUSE = 0.01
PAGES_PAUSE = 0.3


def queued(*pids: int) -> float:
    """Return the seconds for which all threads of some processes have waited for a processor."""
    tasks = [task for pid in pids for task in Path(f"/proc/{pid}/task").iterdir()]
    return sum(int((task / "schedstat").read_text().split()[1]) for task in tasks) / 1e9


async def main(url: str, server: int) -> None:
    """Ping and read until the input ends."""
    pings, pages, owed = list[float](), list[float](), list[float]()
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
            before = queued(server, os.getpid())
            status, seconds = await fetch(url, "/v1/standings", OTHER)
            pages.append(seconds if status == 200 else math.inf)
            owed.append(pages[-1] - (queued(server, os.getpid()) - before))
            await asyncio.sleep(PAGES_PAUSE)

    await asyncio.gather(ping(), read())
    sys.stdout.write(f"{sorted(pings)[len(pings) * 99 // 100]:.2f} {max(pages):.3f} {max(owed):.3f}\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
