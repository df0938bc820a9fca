"""Ways to come to a table: each is a context that gives a client, and ends what was begun for it."""

import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from racing_demon_protocol.messages.client import AddBot
from racing_demon_protocol.options import Options

from .connection import Client
from .errors import ConnectionFailed
from .local import local_server

__all__ = ["Opened", "full_url", "host", "join", "practise", "watch"]

DEFAULT_PORT = 5252


@dataclass(frozen=True, slots=True)
class Opened:
    """A place at a table.

    Attributes:
        client: the connection.
        how: ``practised``, ``hosted``, ``joined`` or ``watched``.
        addresses: what others may join under, if this table is for others.
        note: what the user should know of how it went; may be empty.

    """

    client: Client
    how: str
    addresses: tuple[str, ...] = ()
    note: str = ""


@asynccontextmanager
async def practise(  # noqa: PLR0913
    name: str,
    options: Options,
    *,
    bots: int = 3,
    level: str = "medium",
    seed: bytes | None = None,
    speed: float = 1.0,
    seated: bool = True,
) -> AsyncIterator[Opened]:
    """Open a table against bots on a server of one's own.

    Raises:
        ConnectionFailed: the server does not start.
        CommandRefused: it does not want this table.

    """
    async with (
        local_server(seed=seed, bot_speed=speed) as url,
        await Client.create(url, name, options, seated=seated) as client,
    ):
        await _add_bots(client, bots, level)
        yield Opened(client, "practised")


@asynccontextmanager
async def host(  # noqa: PLR0913
    name: str,
    options: Options,
    *,
    bots: int = 0,
    level: str = "medium",
    port: int = DEFAULT_PORT,
    server: str | None = None,
) -> AsyncIterator[Opened]:
    """Open a table for others, on a server of one's own or, by its address, on another.

    Raises:
        ConnectionFailed: there is no server, or one's own does not start.
        CommandRefused: it does not want this table.

    """
    async with AsyncExitStack() as stack:
        note = ""
        if server is not None:
            url = full_url(server)
            addresses = [url]
        else:
            taken, url = await _network_server(stack, port)
            own_port = url.rpartition(":")[2].partition("/")[0]
            url = f"ws://127.0.0.1:{own_port}/v1"
            addresses = [f"ws://{address}:{own_port}" for address in _own_addresses()]
            note = f"port {port} is taken, so the table is on another" if taken else ""
        client = await stack.enter_async_context(await Client.create(url, name, options))
        await _add_bots(client, bots, level)
        yield Opened(client, "hosted", tuple(addresses), note)


@asynccontextmanager
async def join(address: str, code: str, name: str) -> AsyncIterator[Opened]:
    """Take a seat at a table.

    Raises:
        ConnectionFailed: the server cannot be reached.
        CommandRefused: there is no such table, or no seat.

    """
    async with await Client.join(full_url(address), code, name) as client:
        yield Opened(client, "joined", (address,))


@asynccontextmanager
async def watch(address: str, code: str) -> AsyncIterator[Opened]:
    """See a table without a seat.

    Raises:
        ConnectionFailed: the server cannot be reached.
        CommandRefused: there is no such table.

    """
    async with await Client.watch(full_url(address), code) as client:
        yield Opened(client, "watched", (address,))


def full_url(address: str) -> str:
    """Complete an address as people write it: without scheme, port or path."""
    scheme, _, rest = address.rpartition("://")
    place, _, path = rest.partition("/")
    if not place.rpartition(":")[2].isdigit():
        place += f":{DEFAULT_PORT}"
    return f"{scheme or 'ws'}://{place}/{path or 'v1'}"


async def _add_bots(client: Client, number: int, level: str) -> None:
    for _ in range(number):
        await client.ask(AddBot(counter=client.next_counter(), level=level))


async def _network_server(stack: AsyncExitStack, port: int) -> tuple[bool, str]:
    """Start a server for the whole network; tell whether the wanted port was taken, and its URL."""
    everywhere = "0.0.0.0"  # noqa: S104 - a table for the network is what the user asked for
    try:
        return False, await stack.enter_async_context(local_server(host=everywhere, port=port))
    except ConnectionFailed:
        return True, await stack.enter_async_context(local_server(host=everywhere, port=0))


def _own_addresses() -> list[str]:
    """Return this machine's addresses on its networks; looking sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # a documentation address: only the route is looked up
            return [str(probe.getsockname()[0])]
        except OSError:
            return ["127.0.0.1"]
