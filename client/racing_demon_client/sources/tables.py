"""Ways to open a table: context managers that yield it and clean up after it."""

import asyncio
import datetime as dt
import ipaddress
import os
import secrets
import signal
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple
from urllib.parse import urlsplit

from racing_demon_client.errors import ConnectionFailed, JournalRefused, TableEnded
from racing_demon_client.links import full_url
from racing_demon_client.net.connection import Client
from racing_demon_client.net.local_server import (
    LOOK_SECONDS,
    MOST_DEATHS,
    NOTHING,
    Persistence,
    is_listening,
    local_server,
    start_hosted,
    wait_until_ended,
)
from racing_demon_client.net.table_source import TableSource
from racing_demon_client.saved_tables import (
    HostedTable,
    StoredSeat,
    TableSeats,
    forget_hosted,
    hosted_tables,
    keep_hosted,
    stored_seats,
)
from racing_demon_protocol.constants import DEFAULT_PORT, WEBSOCKET_PATH
from racing_demon_protocol.engine.commit_reveal import SEED_SIZE
from racing_demon_protocol.enums import BotLevel, Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.wire.messages.client import AddBot
from racing_demon_protocol.wire.options import Options
from racing_demon_protocol.wire.redirects import port_of

from .solo import SoloClient, statistics_path
from .solo_table import SoloTable, daily_seed, named_seed

PRACTICE = Persistence("normal")
"""Alone against bots, a crash of the server loses nothing."""
DURABLE = Persistence("full")
"""A table for others survives a crash of its server, and a power cut."""
RESOLVE_SECONDS = 2.0
ADDRESSES_SECONDS = 3.0
"""How often this machine's addresses are looked up: it may come into another network."""


class Question(NamedTuple):
    """A question with two answers.

    Attributes:
        text: the question.
        yes: the answer that means yes.
        no: the answer that means no.

    """

    text: str
    yes: str
    no: str


Ask = Callable[[Question], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class Opened:
    """An opened table.

    Attributes:
        client: the place at it.
        how: ``practiced``, ``hosted``, ``joined``, ``watched``, ``replayed`` or ``alone``.
        ends_with_us: whether the table is on a local server.
        addresses: the addresses for others to join when it was opened; empty for a private table.
        note: a remark for the user; may be empty.

    """

    client: TableSource
    how: str
    addresses: tuple[str, ...] = ()
    note: str = ""
    ends_with_us: bool = False
    follow: Callable[[], Sequence[str]] | None = None
    """Returns the addresses of the moment, where they are this machine's own."""

    def addresses_now(self) -> Sequence[str]:
        """Return the addresses for others to join; none while this machine is in no network."""
        return self.addresses if self.follow is None else self.follow()


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
    persistence: Persistence | None = None,
) -> AsyncIterator[Opened]:
    """Open a table against bots on a local server, which keeps the tally.

    Args:
        name: the player's name.
        options: the table's options.
        bots: the number of bots.
        level: how well they play.
        seed: 32 bytes that determine all deals; ``None`` for secret ones.
        speed: the bots' speed-up over people.
        seated: whether the player takes a seat.
        persistence: whether and where the table is kept; ``None``: where that is possible.

    Raises:
        ConnectionFailed: the server does not start.
        CommandRefused: the server refused the table.

    """
    async with AsyncExitStack() as stack:
        note = ""
        server = partial(local_server, seed=seed, bot_speed=speed)
        try:
            url = await stack.enter_async_context(server(persistence=persistence or PRACTICE))
        except JournalRefused as error:
            if persistence is not None:
                raise
            note = f"the tally of this match is not kept: {error}"
            url = await stack.enter_async_context(server())
        client = await stack.enter_async_context(await Client.create(url, name, options, seated=seated))
        await _add_bots(client, bots, level)
        yield Opened(client, "practiced", note=note)


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
    again: bool = True,
) -> AsyncIterator[Opened]:
    """Open a table for others, on a local server or on the one at an address.

    A table on a local server is announced on the network by default. A passphrase restricts who can join.
    The table ends where the context is left as planned, or by Ctrl-C. After a failure, or if this process is
    killed, it goes on, and is taken up again by the next host of the same user.

    Args:
        name: the host's name.
        options: the table's options.
        bots: the number of bots.
        level: how well they play.
        port: the port; ``None`` for the default one, or any free one if that is taken.
        server: the address of a running server; ``None`` for a local one.
        announced: whether to announce the table on the local network.
        persistence: whether and where a local server keeps it.
        passphrase: what others need to join.
        web: whether to serve the page for browsers.
        again: whether to take up a table that this user has left open here.

    Raises:
        ConnectionFailed: the server cannot be reached or does not start.
        CommandRefused: the server refused the table.

    """
    if server is not None:
        async with await Client.create(full_url(server), name, options, passphrase=passphrase) as client:
            with _keeping_seat(client):
                await _add_bots(client, bots, level)
                note = "this table is not announced on the network: give others its address and code"
                yield Opened(client, "hosted", (await _address_for_others(client),), note)
        return
    flags = ["--lan", "--list-tables"] * announced + ["--no-web"] * (not web)
    hosting = _Hosting(port, persistence, flags)
    async with AsyncExitStack() as stack:
        taken_up = await hosting.take_up(stack) if again else None
        if taken_up is not None:
            client = taken_up
            note = f"table {client.code} goes on; racing-demon host --new opens another"
        else:
            note = await hosting.start()
            client = await stack.enter_async_context(
                await Client.create(hosting.url, name, options, passphrase=passphrase)
            )
            hosting.keep(client.code)
            stack.enter_context(_keeping_seat(client))
            await _add_bots(client, bots, level)
        if announced:
            from racing_demon_client.discovery.mdns import announcing_trouble  # noqa: PLC0415 - others need no zeroconf

            note = "; ".join(filter(None, [note, announcing_trouble()]))
        watching = asyncio.create_task(hosting.look_after(client))
        follow = _Addresses(hosting)
        try:
            yield Opened(client, "hosted", tuple(follow()), note, ends_with_us=True, follow=follow)
        except (asyncio.CancelledError, TableEnded) as error:  # Ctrl-C, or the host has said "leave"
            await hosting.end(client)
            if not (isinstance(error, TableEnded) and client.has_left):
                raise
        else:
            await hosting.end(client)
        finally:
            watching.cancel()


@asynccontextmanager
async def join(  # noqa: PLR0913
    address: str,
    code: str,
    name: str,
    passphrase: str = "",
    *,
    is_typed: bool = False,
    ask: Ask | None = None,
) -> AsyncIterator[Opened]:
    """Take a seat at a table: this user's stored seat, or a free one.

    Args:
        address: the server's address.
        code: the table's code.
        name: the player's name.
        passphrase: the table's passphrase; empty for none.
        is_typed: whether the name was given for this table; it takes a seat of its own then.
        ask: asks the user whether to use a seat that may be meant; ``None`` if nobody can be asked.

    Raises:
        ConnectionFailed: the server cannot be reached.
        CommandRefused: the table does not exist or is full.

    """
    url = full_url(address)
    with stored_seats(url, code) as seats:
        kept = await _wanted_seat(seats, url, name if is_typed else "", ask)
        client = await _come_back(url, code, kept)
        note = "" if client is None else "you have your seat back"
        if client is not None and _own_name(client) != name:
            note += f", and are still called {_own_name(client)}"
        if client is None:
            kept = seats.empty
            token = secrets.token_hex(32)
            if kept is not None:
                kept.keep(token, "", url)  # store it first: if the answer is lost, the seat can be resumed
            client = await Client.join(url, code, name, passphrase=passphrase, token=token)
        seats.keep_only(kept)
        if kept is not None and client.token is not None:
            kept.keep(client.token, _own_name(client), url)
        async with client:
            try:
                yield Opened(client, "joined", (address,), note)
            finally:
                if kept is not None and client.has_left:
                    kept.forget()


def _forget_if_left(client: Client, kept: StoredSeat) -> None:
    if client.has_left:
        kept.forget()


@contextmanager
def _keeping_seat(client: Client) -> Iterator[None]:
    """Store a host's seat while the context lasts, so that it can be resumed, unless it is given up."""
    with stored_seats(client.url, client.code) as seats:
        kept = seats.empty
        seats.keep_only(kept)
        if kept is not None and client.token is not None:
            kept.keep(client.token, _own_name(client), client.url)
        try:
            yield
        finally:
            if kept is not None:
                _forget_if_left(client, kept)


async def _wanted_seat(seats: TableSeats, url: str, typed: str, ask: Ask | None) -> StoredSeat | None:
    """Return the stored seat to resume; ``None`` for a new one.

    Args:
        seats: this user's seats at the table.
        url: the server's full address.
        typed: the name that was given for this table; empty if none was.
        ask: asks the user; ``None`` if nobody can be asked.

    """
    here = list(seats.here)
    elsewhere: list[StoredSeat] = []
    for seat in seats.elsewhere:
        (here if await _is_same_server(url, seat.servers) else elsewhere).append(seat)
    for seat in here:
        if not typed or seat.is_called(typed):
            return seat
    if here and not here[0].name:  # an older client stored no name
        return here[0]
    if here:
        question = Question(
            f"Go on as {here[0].name}, or join as {typed}?", f"Go on as {here[0].name}", f"Join as {typed}"
        )
        return here[0] if ask is not None and await ask(question) else None
    for seat in (seat for seat in elsewhere if seat.name):
        place = seat.servers[0].removesuffix(WEBSOCKET_PATH)
        text = f"You have a seat as {seat.name} at table {seat.code} of {place}. Is this the same table?"
        if ask is not None and await ask(Question(text, f"Go on as {seat.name}", "Another table")):
            return seat
    return None


async def _is_same_server(url: str, others: Sequence[str]) -> bool:
    """Return whether an address leads to where a seat was used before: only there its token may be sent."""
    places = await _places(url)
    return any([bool(places & await _places(other)) for other in others])


async def _places(url: str) -> set[tuple[str, int]]:
    """Return the network addresses and the port behind a server's address; all of this machine are one."""
    from racing_demon_client.discovery.network_interfaces import own_interfaces  # noqa: PLC0415 - rarely needed

    parts = urlsplit(url)
    try:
        async with asyncio.timeout(RESOLVE_SECONDS):
            found = await asyncio.get_running_loop().getaddrinfo(
                parts.hostname or "", port_of(url), type=socket.SOCK_STREAM
            )
    except (OSError, TimeoutError, ValueError):
        return set()
    own = {str(each.ip) for each in own_interfaces()}
    hosts = [str(address[0]) for *_, address in found]
    return {
        ("" if host in own or ipaddress.ip_address(host).is_loopback else host, port_of(url))
        for host in hosts
    }


async def _come_back(url: str, code: str, kept: StoredSeat | None) -> Client | None:
    """Resume a stored seat; return ``None`` if there is none or it is gone."""
    if kept is None:
        return None
    try:
        return await Client.resume(url, code, kept.token)
    except CommandRefused as error:
        if error.reason not in {Reason.BAD_TOKEN, Reason.UNKNOWN_TABLE}:
            raise
        if error.reason is Reason.BAD_TOKEN and (url in kept.servers or not kept.servers):
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


class _Hosting:
    """The server of this user's own table for the network.

    Attributes:
        port: the server's port.

    Args:
        wanted: the port that the user asked for, if any.
        persistence: whether and where the server keeps the table.
        flags: more command line arguments for the server.

    """

    def __init__(self, wanted: int | None, persistence: Persistence, flags: Sequence[str]) -> None:
        self.port = DEFAULT_PORT if wanted is None else wanted
        self._wanted = wanted
        self._persistence = persistence
        self._flags = flags
        self._has_ipv6 = False
        self._pid = 0

    @property
    def url(self) -> str:
        """The server's address for the host."""
        return _own_url(self.port)

    async def take_up(self, stack: AsyncExitStack) -> Client | None:
        """Return the host at the table that was left open here, if there is one, entered into a stack.

        Its server runs on, or is started again with its journal.
        """
        for table in hosted_tables():
            if self._wanted not in {None, table.port} or self._persistence.journal != table.journal:
                continue
            async with AsyncExitStack() as attempt:
                seats = attempt.enter_context(stored_seats(_own_url(table.port), table.code))
                kept = next(iter(seats.here), None)
                seats.keep_only(kept)
                if kept is None:  # another terminal hosts it, or the seat was given up
                    continue
                client = await self._host_again(table, kept)
                if client is not None:
                    stack.push_async_exit(attempt.pop_all())
                    stack.callback(_forget_if_left, client, kept)
                    return await stack.enter_async_context(client)
        return None

    async def _host_again(self, table: HostedTable, kept: StoredSeat) -> Client | None:
        self.port, self._has_ipv6, self._pid, pid = table.port, table.has_ipv6, table.pid, 0
        try:
            if not await is_listening(table.port):
                pid = self._pid = await self._start_at(table.port, table.code)
            client = await Client.resume(self.url, table.code, kept.token)
        except JournalRefused:
            raise
        except (ConnectionFailed, CommandRefused) as error:
            if isinstance(error, CommandRefused):
                kept.forget()
                forget_hosted(table.code)
            if pid:  # its journal has no such table
                os.kill(pid, signal.SIGTERM)
                await wait_until_ended(table.port)
            self.port = DEFAULT_PORT if self._wanted is None else self._wanted
            return None
        keep_hosted(table.model_copy(update={"pid": self._pid}))
        return client

    async def start(self) -> str:
        """Start a server for a new table; return a remark for the user, if any.

        A requested port must be free; the default port may be another server's, so any free one will do.

        Raises:
            ConnectionFailed: it does not start.

        """
        self._has_ipv6 = self.port != 0 and _has_ipv6()  # a free port on IPv4 may be taken on IPv6
        try:
            self._pid = await self._start_at(self.port)
        except JournalRefused:
            raise
        except ConnectionFailed:
            if self._wanted is not None:
                advice = "Name another one, or leave --port out to take any free port."
                text = f"Port {self._wanted} cannot be used. Another program may have it. {advice}"
                raise ConnectionFailed(text) from None
            self._has_ipv6 = False
            self._pid = await self._start_at(0)
        is_usual = self._wanted is not None or self.port == DEFAULT_PORT
        return "" if is_usual else f"port {DEFAULT_PORT} is taken, so the table is on {self.port}"

    async def _start_at(self, port: int, code: str = "") -> int:
        everywhere = "0.0.0.0"  # noqa: S104 - the user asked for a table on the network
        url, pid = await start_hosted(
            host="" if self._has_ipv6 else everywhere,
            port=port,
            persistence=self._persistence,
            code=code,
            flags=self._flags,
        )
        self.port = int(url.rpartition(":")[2].partition("/")[0])
        return pid

    def keep(self, code: str) -> None:
        """Remember the table, for the next host."""
        keep_hosted(
            HostedTable(
                code=code,
                port=self.port,
                pid=self._pid,
                has_ipv6=self._has_ipv6,
                journal=self._persistence.journal,
                at=time.time(),
            )
        )

    async def look_after(self, client: Client) -> None:
        """Start the server again, a few times, if it crashes under its host."""
        for _ in range(MOST_DEATHS):
            while client.online or await is_listening(self.port):  # noqa: ASYNC110 - another process
                await asyncio.sleep(LOOK_SECONDS)
            if self._persistence == NOTHING:
                return
            with suppress(ConnectionFailed):
                self._pid = await self._start_at(self.port, client.code)

    async def end(self, client: Client) -> None:
        """End the table for everybody, if it has not ended yet."""
        if not client.has_left:
            await client.leave()
        forget_hosted(client.code)
        await wait_until_ended(self.port)


def _own_url(port: int) -> str:
    return f"ws://127.0.0.1:{port}{WEBSOCKET_PATH}"


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
    state = None if client.seat is None else client.view.seats.get(client.seat)
    return "" if state is None else state.name


async def _address_for_others(client: Client) -> str:
    """Return a server's address; for one on this machine, one at which others reach it, if there is any."""
    from racing_demon_client.net.server_query import answers  # noqa: PLC0415 - seldom needed

    port = port_of(client.url)
    if ("", port) in await _places(client.url):
        for own in _own_addresses():
            address = f"ws://{own}:{port}"
            if await answers(f"{address}{WEBSOCKET_PATH}", client.code):
                return address
    return client.url.removesuffix(WEBSOCKET_PATH)


class _Addresses:
    """The addresses of this machine at which a hosted table is joined, looked up from time to time."""

    def __init__(self, hosting: _Hosting) -> None:
        self._hosting = hosting
        self._found: list[str] = []
        self._until = 0.0

    def __call__(self) -> Sequence[str]:
        now = time.monotonic()
        if now >= self._until:
            self._until = now + ADDRESSES_SECONDS
            self._found = [f"ws://{address}:{self._hosting.port}" for address in _own_addresses()]
        return self._found


def _own_addresses() -> list[str]:
    """Return this machine's addresses on its networks, without sending anything."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # a documentation address: connecting only looks up the route
            return [str(probe.getsockname()[0])]
        except OSError:  # a network may have no default route
            from racing_demon_client.discovery.network_interfaces import own_interfaces  # noqa: PLC0415 - rarely needed

            found = [each for each in own_interfaces() if each.version == 4 and not each.is_loopback]
            return [str(each.ip) for each in found]
