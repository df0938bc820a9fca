"""Ways to open a table: context managers that yield it and clean up after it."""

import datetime as dt
import secrets
import socket
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.net.connection import Client
from racing_demon_client.net.local_server import NOTHING, JournalRefused, Persistence, local_server
from racing_demon_client.net.seat_store import StoredSeat, stored_seat
from racing_demon_client.net.table_source import TableSource
from racing_demon_client.shared.links import full_url
from racing_demon_protocol.engine.shuffle import SEED_SIZE
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.limits import DEFAULT_PORT, WEBSOCKET_PATH
from racing_demon_protocol.reasons import BotLevel, Reason
from racing_demon_protocol.wire.messages.client import AddBot
from racing_demon_protocol.wire.options import Options

from .solo.deals import daily_seed, named_seed
from .solo.place import SoloClient
from .solo.statistics import statistics_path
from .solo.table import SoloTable

DURABLE = Persistence("full")
"""A table for others survives a crash of its server, and a power cut."""


@dataclass(frozen=True, slots=True)
class Opened:
    """An opened table.

    Attributes:
        client: the place at it.
        how: ``practiced``, ``hosted``, ``joined``, ``watched``, ``replayed`` or ``alone``.
        ends_with_us: whether the table is on a local server.
        addresses: the addresses for others to join; empty for a private table.
        note: a remark for the user; may be empty.

    """

    client: TableSource
    how: str
    addresses: tuple[str, ...] = ()
    note: str = ""
    ends_with_us: bool = False


@asynccontextmanager
async def practice(  # noqa: PLR0913
    name: str,
    options: Options,
    *,
    bots: int = 3,
    level: str = BotLevel.MEDIUM,
    seed: bytes | None = None,
    speed: float = 1.0,
    seated: bool = True,
    persistence: Persistence = NOTHING,
) -> AsyncIterator[Opened]:
    """Open a table against bots on a local server, which stores nothing by default.

    Raises:
        ConnectionFailed: the server does not start.
        CommandRefused: the server refused the table.

    """
    async with (
        local_server(seed=seed, bot_speed=speed, persistence=persistence) as url,
        await Client.create(url, name, options, seated=seated) as client,
    ):
        await _add_bots(client, bots, level)
        yield Opened(client, "practiced")


def alone(
    name: str,
    options: Options,
    *,
    seed: bytes | None = None,
    day: dt.date | None = None,
    deal: str | None = None,
) -> SoloClient:
    """Return a solo table, which needs no server.

    Args:
        name: the player's name in a record.
        options: the game.
        seed: the seed of the deal, if it is given.
        day: the date of a daily deal, if it is one.
        deal: the name of a named deal, if it is one.

    Raises:
        InvalidGame: there is no such game.

    """
    if day is not None:
        seed = daily_seed(options.game, day)
    elif deal is not None:
        seed = named_seed(options.game, deal)
    table = SoloTable(options, seed or secrets.token_bytes(SEED_SIZE), name)
    return SoloClient(table, lambda: time.monotonic_ns() // 1_000_000, statistics_path(), day=day)


@asynccontextmanager
async def host(  # noqa: PLR0913
    name: str,
    options: Options,
    *,
    bots: int = 0,
    level: str = BotLevel.MEDIUM,
    port: int | None = None,
    server: str | None = None,
    announced: bool = True,
    persistence: Persistence = DURABLE,
    passphrase: str = "",
    web: bool = True,
) -> AsyncIterator[Opened]:
    """Open a table for others, on a local server or on the one at an address.

    A table on a local server is announced on the network by default. A passphrase restricts who can join.

    Raises:
        ConnectionFailed: the server cannot be reached or does not start.
        CommandRefused: the server refused the table.

    """
    async with AsyncExitStack() as stack:
        note = ""
        if server is not None:
            url = full_url(server)
            addresses = [url.removesuffix(WEBSOCKET_PATH)]
            note = "this table is not announced on the network: give others its address and code"
        else:
            flags = ["--list-tables"] * announced + ["--no-web"] * (not web)
            own_port, has_ipv6 = await _network_server(stack, port, persistence, flags)
            url = f"ws://127.0.0.1:{own_port}{WEBSOCKET_PATH}"
            addresses = [f"ws://{address}:{own_port}" for address in _own_addresses()]
            usual = port is not None or own_port == DEFAULT_PORT
            note = "" if usual else f"port {DEFAULT_PORT} is taken, so the table is on {own_port}"
        client = await stack.enter_async_context(
            await Client.create(url, name, options, passphrase=passphrase)
        )
        if server is not None:
            _keep_seat(stack, client)
        await _add_bots(client, bots, level)
        if announced and server is None:
            trouble = await _announce(stack, client, own_port, has_ipv6=has_ipv6)
            note = "; ".join(filter(None, [note, trouble]))
        yield Opened(client, "hosted", tuple(addresses), note, ends_with_us=server is None)


@asynccontextmanager
async def join(address: str, code: str, name: str, passphrase: str = "") -> AsyncIterator[Opened]:
    """Take a seat at a table: this user's stored seat, or a free one.

    Raises:
        ConnectionFailed: the server cannot be reached.
        CommandRefused: the table does not exist or is full.

    """
    url = full_url(address)
    with stored_seat(url, code) as kept:
        client = await _come_back(url, code, kept)
        note = "" if client is None else f"you have your seat back, and are still called {_own_name(client)}"
        if client is None:
            token = secrets.token_hex(32)
            if kept is not None:
                kept.keep(token)  # store it first: if the answer is lost, the seat can still be resumed
            client = await Client.join(url, code, name, passphrase=passphrase, token=token)
        async with client:
            try:
                yield Opened(client, "joined", (address,), note)
            finally:
                if kept is not None and client.has_left:
                    kept.forget()


def _keep_seat(stack: AsyncExitStack, client: Client) -> None:
    """Store a host's seat at a remote server, so that ``join`` can resume it."""
    kept = stack.enter_context(stored_seat(client.url, client.code))
    if kept is not None and client.token is not None:
        kept.keep(client.token)
        stack.callback(lambda: kept.forget() if client.has_left else None)


async def _come_back(url: str, code: str, kept: StoredSeat | None) -> Client | None:
    """Resume a stored seat; return ``None`` if there is none or it is gone."""
    if kept is None or not kept.token:
        return None
    try:
        return await Client.resume(url, code, kept.token)
    except CommandRefused as error:
        if error.reason not in {Reason.BAD_TOKEN, Reason.UNKNOWN_TABLE}:
            raise
        kept.forget()
        return None


@asynccontextmanager
async def watch(address: str, code: str, passphrase: str = "") -> AsyncIterator[Opened]:
    """Watch a table as a spectator.

    Raises:
        ConnectionFailed: the server cannot be reached.
        CommandRefused: the table does not exist, or cannot be watched.

    """
    async with await Client.watch(full_url(address), code, passphrase=passphrase) as client:
        yield Opened(client, "watched", (address,))


async def _add_bots(client: Client, number: int, level: str) -> None:
    for _ in range(number):
        await client.ask(AddBot(counter=client.next_counter(), level=level))


async def _network_server(
    stack: AsyncExitStack, wanted: int | None, persistence: Persistence, flags: Sequence[str]
) -> tuple[int, bool]:
    """Start a server for the whole network; return its port and whether it listens on IPv6, too.

    A requested port must be free; the default port may be another server's, so any free one will do.
    """
    port = DEFAULT_PORT if wanted is None else wanted
    everywhere = "0.0.0.0"  # noqa: S104 - the user asked for a table on the network
    has_ipv6 = port != 0 and _has_ipv6()  # a free port on IPv4 may be taken on IPv6
    try:
        url = await stack.enter_async_context(
            local_server(host="" if has_ipv6 else everywhere, port=port, persistence=persistence, flags=flags)
        )
    except JournalRefused:
        raise
    except ConnectionFailed:
        if wanted is not None:
            advice = "Name another one, or leave --port out to take any free port."
            text = f"Port {wanted} cannot be used. Another program may have it. {advice}"
            raise ConnectionFailed(text) from None
        has_ipv6 = False
        own = local_server(host=everywhere, port=0, persistence=persistence, flags=flags)
        url = await stack.enter_async_context(own)
    return int(url.rpartition(":")[2].partition("/")[0]), has_ipv6


def _has_ipv6() -> bool:
    """Return whether this machine has IPv6 enabled."""
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


def _own_name(client: Client) -> str:
    """Return the name that this user's seat has; a spectator has none."""
    return "" if client.seat is None else client.view.seats[client.seat].name


async def _announce(stack: AsyncExitStack, client: Client, port: int, *, has_ipv6: bool) -> str:
    """Announce a table while it is open; return a remark for the user, if any."""
    from racing_demon_client.discovery.mdns import announce  # noqa: PLC0415
    from racing_demon_protocol.discovery.mdns import Announcement  # noqa: PLC0415 - practice needs no network

    announcement = Announcement(
        code=client.code,
        game=client.view.options.game,
        host=_own_name(client),
        port=port,
        has_ipv6=has_ipv6,
        needs_passphrase=client.view.locked,
    )
    return await stack.enter_async_context(announce(announcement))


def _own_addresses() -> list[str]:
    """Return this machine's addresses on its networks, without sending anything."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # a documentation address: connecting only looks up the route
            return [str(probe.getsockname()[0])]
        except OSError:  # a network may have no default route
            from racing_demon_client.discovery.network_interfaces import own_interfaces  # noqa: PLC0415 - rarely needed

            return [str(each.ip) for each in own_interfaces() if each.version == 4] or ["127.0.0.1"]
