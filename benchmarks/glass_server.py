"""A server that can be looked into: what waits for each connection, and when each is let go.

It says its URL, and then answers each line with one line of JSON:

    look PORT PORT ...    for each connection from these ports: the seconds that it has stood, whether the
                          server has let it go, and the most bytes that waited for it in the server, and in
                          the system
    cuts                  how often the server has cut a connection, by its words for why

It ends with its standard input.
"""

import asyncio
import fcntl
import json
import struct
import sys
import time
from collections import Counter
from dataclasses import asdict, dataclass
from typing import Final

from tests.support.clocks import clock
from tests.support.servers import NO_METRICS, start

from benchmarks.others import say, standard_input
from racing_demon_protocol.constants import WEBSOCKET_PATH
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.net.gateway import Gateway
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.registry import Registry

LOOK_SECONDS: Final = 0.05
SIOCOUTQ: Final = 0x5411
"""Linux' question to a socket: how many bytes has the other side not taken yet?"""


@dataclass(slots=True)
class Stay:
    """One connection.

    Attributes:
        seconds: how long it has stood.
        gone: whether the server has let it go.
        waiting: the most bytes that waited for it in the server.
        in_system: the most bytes that waited in the system; 0 where the system does not tell.

    """

    seconds: float = 0.0
    gone: bool = False
    waiting: int = 0
    in_system: int = 0


class Glass:
    """Looks into a server again and again."""

    def __init__(self, server: Gateway) -> None:
        self._server = server
        self._stays: dict[int, Stay] = {}
        self._begun: dict[int, float] = {}

    async def look_on(self) -> None:
        """Look until the task is cancelled."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            self._look(time.monotonic())

    def _look(self, now: float) -> None:
        here = set()
        for connection in self._server.connections:
            transport = connection.transport
            port = transport.get_extra_info("peername")[1]
            here.add(port)
            stay = self._stays.setdefault(port, Stay())
            stay.seconds = now - self._begun.setdefault(port, now)
            stay.waiting = max(stay.waiting, transport.get_write_buffer_size())
            if sys.platform == "linux":
                fd = transport.get_extra_info("socket").fileno()
                stay.in_system = max(stay.in_system, in_system(fd))
        for port, stay in self._stays.items():
            stay.gone = port not in here

    def stays(self, ports: list[int]) -> list[dict[str, float]]:
        """Return what is known of some connections."""
        return [asdict(self._stays.get(port, Stay())) for port in ports]


def in_system(fd: int) -> int:
    """Return how many bytes of a socket have not been taken yet, on Linux."""
    (number,) = struct.unpack("i", fcntl.ioctl(fd, SIOCOUTQ, bytes(4)))
    return int(number)


async def main() -> None:
    """Serve until the standard input ends."""
    cuts = Counter[str]()
    settings = ServerSettings(port=0, seed=bytes(32))
    registry = Registry(settings, clock, NullJournal())
    meter = NO_METRICS._replace(cut=lambda why: cuts.update([why]))
    server = await start(settings, registry, clock, meter)
    glass = Glass(server)
    looking = asyncio.create_task(glass.look_on())
    say(f"listening on ws://127.0.0.1:{server.port}{WEBSOCKET_PATH}")
    lines = await standard_input()
    while words := (await lines.readline()).decode().split():
        say(json.dumps(glass.stays([int(port) for port in words[1:]]) if words[0] == "look" else cuts))
    looking.cancel()
    server.close()
    await server.wait_closed()
    registry.close()


if __name__ == "__main__":
    asyncio.run(main())
