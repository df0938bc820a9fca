"""Ways to come to a table: each is a context that gives a client, and ends what was begun for it."""

import datetime as dt
import secrets
import socket
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.net.connection import Client
from racing_demon_client.net.guest import Guest
from racing_demon_client.net.local_server import NOTHING, JournalRefused, Keeping, local_server
from racing_demon_client.net.seat_store import StoredSeat, kept_seat
from racing_demon_protocol.engine.shuffle import SEED_SIZE
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.reasons import BotLevel, Reason
from racing_demon_protocol.wire.messages.client import AddBot
from racing_demon_protocol.wire.options import Options

from .solo.deals import daily_seed, named_seed
from .solo.place import SoloClient
from .solo.statistics import statistics_path
from .solo.table import SoloTable

__all__ = ["Opened", "alone", "full_url", "host", "join", "practise", "watch"]

DEFAULT_PORT = 5252
TLS_PORT = 443
KEPT = Keeping("full")
"""A table for others survives the death of its server, and a power cut."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A place at a table.

    Attributes:
        client: the connection.
        how: ``practised``, ``hosted``, ``joined``, ``watched``, ``replayed`` or ``alone``.
        ends_with_us: whether the table is on a server of one's own.
        addresses: what others may join under, if this table is for others.
        note: what the user should know of how it went; may be empty.

    """

    client: Guest
    how: str
    addresses: tuple[str, ...] = ()
    note: str = ""
    ends_with_us: bool = False


@asynccontextmanager
async def practise(  # noqa: PLR0913
    name: str,
    options: Options,
    *,
    bots: int = 3,
    level: str = BotLevel.MEDIUM,
    seed: bytes | None = None,
    speed: float = 1.0,
    seated: bool = True,
    keeping: Keeping = NOTHING,
) -> AsyncIterator[Opened]:
    """Open a table against bots on a server of one's own, which keeps nothing unless that is wanted.

    Raises:
        ConnectionFailed: the server does not start.
        CommandRefused: it does not want this table.

    """
    async with (
        local_server(seed=seed, bot_speed=speed, keeping=keeping) as url,
        await Client.create(url, name, options, seated=seated) as client,
    ):
        await _add_bots(client, bots, level)
        yield Opened(client, "practised")


def alone(
    name: str,
    options: Options,
    *,
    seed: bytes | None = None,
    day: dt.date | None = None,
    deal: str | None = None,
) -> SoloClient:
    """Lay a game on a table of one's own, without a server.

    Args:
        name: what the player is called in a record.
        options: the game.
        seed: the deal, if it is to be a certain one.
        day: the day whose deal it is to be.
        deal: the name of the deal that it is to be.

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
    keeping: Keeping = KEPT,
    passphrase: str = "",
    web: bool = True,
) -> AsyncIterator[Opened]:
    """Open a table for others, on a server of one's own or, by its address, on another.

    A table on a server of one's own is announced on the network, unless that is not wanted. With a
    passphrase it lets in only those who know it.

    Raises:
        ConnectionFailed: there is no server, or one's own does not start.
        CommandRefused: it does not want this table.

    """
    async with AsyncExitStack() as stack:
        note = ""
        if server is not None:
            url = full_url(server)
            addresses = [url.removesuffix("/v1")]
            note = "the table is not announced from here: tell others its address and code"
        else:
            flags = ["--list-tables"] * announced + ["--no-web"] * (not web)
            own_port, has_ipv6 = await _network_server(stack, port, keeping, flags)
            url = f"ws://127.0.0.1:{own_port}/v1"
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
    """Take a seat at a table: the one that this user had there, or else a free one.

    Raises:
        ConnectionFailed: the server cannot be reached.
        CommandRefused: there is no such table, or no seat.

    """
    url = full_url(address)
    with kept_seat(url, code) as kept:
        client = await _come_back(url, code, kept)
        note = "" if client is None else "you have your seat back, and the name that you had"
        if client is None:
            token = secrets.token_hex(32)
            if kept is not None:
                kept.keep(token)  # before it is told: if the answer is lost, the seat can be found again
            client = await Client.join(url, code, name, passphrase=passphrase, token=token)
        async with client:
            try:
                yield Opened(client, "joined", (address,), note)
            finally:
                if kept is not None and client.has_left:
                    kept.forget()


def _keep_seat(stack: AsyncExitStack, client: Client) -> None:
    """Keep the seat of a host at somebody else's server, for whom the same ``join`` is the way back."""
    kept = stack.enter_context(kept_seat(client.url, client.code))
    if kept is not None and client.token is not None:
        kept.keep(client.token)
        stack.callback(lambda: kept.forget() if client.has_left else None)


async def _come_back(url: str, code: str, kept: StoredSeat | None) -> Client | None:
    """Take the seat up again that is kept; ``None`` if there is none, or not any more."""
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
    """See a table without a seat.

    Raises:
        ConnectionFailed: the server cannot be reached.
        CommandRefused: there is no such table.

    """
    async with await Client.watch(full_url(address), code, passphrase=passphrase) as client:
        yield Opened(client, "watched", (address,))


def full_url(address: str) -> str:
    """Complete an address as people write it: without scheme, port or path.

    A server's own port is 5252; what speaks TLS is a proxy before it, at the usual port for that.
    """
    scheme, _, rest = address.rpartition("://")
    place, _, path = rest.partition("/")
    if not place.rpartition(":")[2].isdigit():
        place += f":{TLS_PORT if scheme == 'wss' else DEFAULT_PORT}"
    return f"{scheme or 'ws'}://{place}/{path or 'v1'}"


async def _add_bots(client: Client, number: int, level: str) -> None:
    for _ in range(number):
        await client.ask(AddBot(counter=client.next_counter(), level=level))


async def _network_server(
    stack: AsyncExitStack, wanted: int | None, keeping: Keeping, flags: Sequence[str]
) -> tuple[int, bool]:
    """Start a server for the whole network; return its port, and whether it listens on IPv6, too.

    A port that was asked for is taken or nothing; the usual one may be another server's.
    """
    port = DEFAULT_PORT if wanted is None else wanted
    everywhere = "0.0.0.0"  # noqa: S104 - a table for the network is what the user asked for
    has_ipv6 = port != 0 and _has_ipv6()  # any free port would be another one on IPv6
    try:
        url = await stack.enter_async_context(
            local_server(host="" if has_ipv6 else everywhere, port=port, keeping=keeping, flags=flags)
        )
    except JournalRefused:
        raise
    except ConnectionFailed:
        if wanted is not None:
            advice = "Name another one, or leave --port out: then any that is free will do."
            text = f"Port {wanted} cannot be had: another program may have it. {advice}"
            raise ConnectionFailed(text) from None
        has_ipv6 = False
        own = local_server(host=everywhere, port=0, keeping=keeping, flags=flags)
        url = await stack.enter_async_context(own)
    return int(url.rpartition(":")[2].partition("/")[0]), has_ipv6


def _has_ipv6() -> bool:
    """Tell whether this machine has IPv6 switched on."""
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as probe:
            probe.bind(("::1", 0))
    except OSError:
        return False
    return True


async def _announce(stack: AsyncExitStack, client: Client, port: int, *, has_ipv6: bool) -> str:
    """Announce a table for as long as it is open; return what the user should know of it, if anything."""
    from racing_demon_client.discovery.mdns import announce  # noqa: PLC0415
    from racing_demon_protocol.discovery.mdns import Announcement  # noqa: PLC0415 - who practises needs no network

    seat = client.view.seats.get(client.seat) if client.seat is not None else None
    announcement = Announcement(
        code=client.code,
        game=client.view.options.game,
        host=seat.name if seat is not None else "",
        port=port,
        has_ipv6=has_ipv6,
        needs_passphrase=client.view.locked,
    )
    return await stack.enter_async_context(announce(announcement))


def _own_addresses() -> list[str]:
    """Return this machine's addresses on its networks; looking sends nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # a documentation address: only the route is looked up
            return [str(probe.getsockname()[0])]
        except OSError:  # a network without a way to others is one, too
            from racing_demon_client.discovery.network_interfaces import own_interfaces  # noqa: PLC0415 - hardly ever needed

            return [str(each.ip) for each in own_interfaces() if each.version == 4] or ["127.0.0.1"]
