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
from functools import partial
from typing import NamedTuple
from urllib.parse import urlsplit

from racing_demon_client.errors import (
    ConnectionFailed,
    JournalRefused,
    PortRefused,
    SettingsRefused,
    TableEnded,
    TunnelRefused,
)
from racing_demon_client.links import server_url, short_address
from racing_demon_client.net.client import Client
from racing_demon_client.net.local_server import (
    MAX_RESTARTS,
    NO_JOURNAL,
    POLL_SECONDS,
    JournalConfig,
    is_listening,
    local_server,
    start_hosted_server,
    wait_until_ended,
)
from racing_demon_client.saved_people import NameSource, PlayerCredentials, folded, kept_name, kept_other
from racing_demon_client.saved_tables import (
    HostedTable,
    StoredSeat,
    TableSeats,
    forget_hosted,
    hosted_tables,
    save_hosted,
    stored_seats,
)
from racing_demon_client.settings import PlayerSettings, load, settings_path
from racing_demon_protocol.constants import DEFAULT_PORT, WEBSOCKET_PATH
from racing_demon_protocol.engine.commit_reveal import SEED_SIZE
from racing_demon_protocol.enums import BotLevel, Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.formatting import printable
from racing_demon_protocol.wire.messages.client import AddBot, Rename
from racing_demon_protocol.wire.messages.server import Identified
from racing_demon_protocol.wire.options import Options
from racing_demon_protocol.wire.redirects import port_of

from .invitations import InternetAccess
from .known_people import KnownPeople
from .lesson import lesson_table
from .opened_table import HostTable, JoinedTable, LessonTable, OpenedTable, PracticeTable, WatchedTable
from .solo import SoloClient, statistics_path
from .solo_table import SoloTable, daily_seed, named_seed

PRACTICE_JOURNAL = JournalConfig("normal")
"""A practice table survives a crash of its server."""
HOST_JOURNAL = JournalConfig("full")
"""A table for others also survives a power failure."""
RESOLVE_SECONDS = 2.0
ADDRESSES_SECONDS = 3.0
"""How often this machine's addresses are looked up: it may join another network."""


SEAT_GONE = (
    "The seat of this link is no longer at the table: its player has left it, or was removed. "
    "The part of the link before seat= takes a free one."
)
AUTO = "auto"
"""The tunnel of the first known program that is installed."""


class Bots(NamedTuple):
    """The bots at a table.

    Attributes:
        number: how many.
        level: how well they play.
        speed: how many times faster than people they play; only a local server has bots of other speeds.

    """

    number: int = 0
    level: str = BotLevel.MEDIUM
    speed: float = 1.0


class TableAddress(NamedTuple):
    """Where a table is.

    Attributes:
        address: the address of its server.
        code: its code.
        passphrase: its passphrase; empty if it has none.
        seat: the token of this user's seat, from a link that brings it; empty if none does.

    """

    address: str
    code: str
    passphrase: str = ""
    seat: str = ""


class Hosting(NamedTuple):
    """How a server for a table on the network is started.

    Attributes:
        port: the port; ``None`` for the default one, or any free one if that is taken.
        announced: whether the table is announced on the local network.
        web: whether the page for browsers is served.
        journal: whether and where the table is stored.
        reclaims: whether a table that this user has left open here is continued.
        tunnel: the tunnel from the internet that the server starts: ``auto``, a program's name or a command;
            empty for none.
        tunnel_address: the tunnel's public address, if the program does not print it.

    """

    port: int | None = None
    announced: bool = True
    web: bool = True
    journal: JournalConfig = HOST_JOURNAL
    reclaims: bool = True
    tunnel: str = ""
    tunnel_address: str = ""


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


@asynccontextmanager
async def practice(
    name: str,
    options: Options,
    bots: Bots,
    *,
    seed: bytes | None = None,
    journal: JournalConfig | None = None,
) -> AsyncIterator[OpenedTable]:
    """Open a table against bots on a local server, which keeps the tally.

    Args:
        name: the player's name.
        options: the table's options.
        bots: the opponents.
        seed: 32 bytes that determine all deals; ``None`` for secret ones.
        journal: whether and where the table is stored; ``None`` to store it if that is possible.

    Raises:
        ConnectionFailed: the server does not start.
        CommandRefused: the server refused the table.

    """
    async with AsyncExitStack() as stack:
        notes: list[str] = []
        server = partial(local_server, seed=seed, bot_speed=bots.speed, tell=notes.append)
        try:
            url = await stack.enter_async_context(server(journal=journal or PRACTICE_JOURNAL))
        except JournalRefused as error:
            if journal is not None:
                raise
            notes.append(f"the tally of this match is not kept: {error}")
            url = await stack.enter_async_context(server())
        client = await stack.enter_async_context(await Client.create(url, name, options, listed=False))
        await _add_bots(client, bots)
        yield PracticeTable(client, note="; ".join(notes))


@asynccontextmanager
async def learn(name: str, game: str) -> AsyncIterator[OpenedTable]:
    """Open a table on a local server at which the game is taught.

    Raises:
        ConnectionFailed: the server does not start.

    """
    async with lesson_table(name, game) as (client, lesson):
        yield LessonTable(client, lesson=lesson)


@asynccontextmanager
async def watch_bots(
    name: str,
    options: Options,
    bots: Bots,
    *,
    seed: bytes | None = None,
    journal: JournalConfig = NO_JOURNAL,
) -> AsyncIterator[OpenedTable]:
    """Open a table for bots alone on a local server, with the same arguments as :func:`practice`.

    Raises:
        ConnectionFailed: the server does not start.
        CommandRefused: the server refused the table.

    """
    server = local_server(seed=seed, bot_speed=bots.speed, journal=journal)
    async with server as url, await Client.create(url, name, options, seated=False, listed=False) as client:
        await _add_bots(client, bots)
        yield PracticeTable(client)


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
async def host_on_server(  # noqa: PLR0913 - everything optional is a keyword
    address: str,
    name: str,
    options: Options,
    bots: Bots,
    passphrase: str = "",
    *,
    is_typed: bool = False,
    ask: Ask | None = None,
) -> AsyncIterator[OpenedTable]:
    """Open a table for others on a running server.

    Args:
        address: the server's address.
        name: the host's name.
        options: the table's options.
        bots: the bots at the table.
        passphrase: what others need to join; empty for none.
        is_typed: whether the name was given for this table.
        ask: asks the user whose that name is; ``None`` if nobody can be asked.

    Raises:
        ConnectionFailed: the server cannot be reached.
        CommandRefused: the server refused the table.

    """
    url = server_url(address)
    name = await _meant(url, name, ask if is_typed else None)
    person = _person(url, name, is_typed=is_typed)
    async with await Client.create(url, name, options, passphrase=passphrase, person=person) as client:
        with _saved_seat(client):
            await _add_bots(client, bots)
            note = "this table is not announced on the network: give others its address and code"
            note = "; ".join(filter(None, [note, _other_name(client, name, person)]))
            yield HostTable(client, (await _address_for_others(client),), note)


@asynccontextmanager
async def host(  # noqa: PLR0913 - everything optional is a keyword
    name: str,
    options: Options,
    bots: Bots,
    passphrase: str = "",
    hosting: Hosting | None = None,
    *,
    is_typed: bool = False,
    ask: Ask | None = None,
) -> AsyncIterator[OpenedTable]:
    """Open a table for others on a server of this user's own.

    The table ends where the context is left as planned, or by Ctrl-C. After a failure, or if this process is
    killed, the server keeps running, and the next `racing-demon host` of the same user continues the table.

    Args:
        name: the host's name.
        options: the table's options.
        bots: the bots at the table.
        passphrase: what others need to join; empty for none.
        hosting: how the server is started; ``None`` for the defaults.
        is_typed: whether the name was given for this table.
        ask: asks the user whose that name is; ``None`` if nobody can be asked.

    Raises:
        ConnectionFailed: the server does not start.
        CommandRefused: the server refused the table.

    """
    hosting = hosting or Hosting()
    server = _HostedServer(hosting)
    async with AsyncExitStack() as stack:
        reclaimed = await server.reclaim(stack) if hosting.reclaims else None
        if reclaimed is not None:
            client = reclaimed
            notes = [
                f"table {client.code} continues; another needs a journal of its own (--new --journal FILE)"
            ]
        else:
            await server.start()
            name = await _meant(server.url, name, ask if is_typed else None, is_own=True)
            person = _person(server.url, name, is_typed=is_typed, is_own=True)
            client = await stack.enter_async_context(
                await Client.create(server.url, name, options, passphrase=passphrase, person=person)
            )
            notes = [*server.notes, _other_name(client, name, person)]
            server.save(client.code)
            stack.enter_context(_saved_seat(client))
            await _add_bots(client, bots)
        if hosting.announced:
            from racing_demon_client.discovery.mdns import announcement_problem  # noqa: PLC0415 - others need no zeroconf

            notes.append(announcement_problem())
        find_addresses = _LocalAddresses(server)
        internet = InternetAccess(
            server.url,
            client.code,
            hosting.journal,
            hosting.tunnel or AUTO,
            hosting.tunnel_address,
            is_wanted=server.has_tunnel,
        )
        if hosting.tunnel and not server.has_tunnel:
            internet.turn(on=True)
        people = KnownPeople(client.code, hosting.journal.path)
        stack.push_async_callback(people.close)
        tasks = [asyncio.create_task(work) for work in (server.supervise(client, internet), internet.run())]
        try:
            yield HostTable(
                client,
                tuple(find_addresses()),
                "; ".join(filter(None, notes)),
                ends_with_us=True,
                find_addresses=find_addresses,
                internet=internet,
                people=people,
            )
        except (asyncio.CancelledError, TableEnded) as error:  # Ctrl-C, or the host has said "leave"
            await server.end(client)
            if not (isinstance(error, TableEnded) and client.has_left):
                raise
        else:
            await server.end(client)
        finally:
            for task in tasks:
                task.cancel()


@asynccontextmanager
async def join(
    table: TableAddress, name: str, *, is_typed: bool = False, ask: Ask | None = None
) -> AsyncIterator[OpenedTable]:
    """Take a seat at a table: that of a link, this user's stored seat, or a free one.

    Args:
        table: where the table is.
        name: the player's name.
        is_typed: whether the name was given for this table; it takes a seat of its own then.
        ask: asks the user whether to use a seat that may be meant, or whose the name is; ``None`` if nobody
            can be asked.

    Raises:
        ConnectionFailed: the server cannot be reached.
        CommandRefused: the table does not exist or is full, or the link's seat is gone.

    """
    url, code = server_url(table.address), table.code
    with stored_seats(url, code) as seats:
        client: Client | None
        if table.seat:
            client = await _resume_by_link(url, table)
            known = (each for each in (*seats.here, *seats.elsewhere) if each.token == table.seat)
            stored = next(known, seats.empty)
        else:
            stored = await _seat_to_resume(seats, url, name if is_typed else "", ask)
            client = await _resume_stored(url, code, stored)
        note = "" if client is None else "you have your seat back"
        if client is not None and _own_name(client) != name:
            note += f", and are still called {_own_name(client)}"
        if client is None and stored is not None and stored.is_left:
            person = _person(url, stored.name, is_typed=False)
            client = await Client.join(
                url, code, stored.name, passphrase=table.passphrase, token=stored.token, person=person
            )
            note = "you are back at the table"
        if client is None:
            stored = seats.empty
            token = secrets.token_hex(32)
            if stored is not None:
                stored.store(token, "", url)  # store it first: if the answer is lost, the seat can be resumed
            if not seats.here:  # who declines the seat is somebody else
                name = await _meant(url, name, ask if is_typed else None)
            person = _person(url, name, is_typed=is_typed)
            client = await Client.join(
                url, code, name, passphrase=table.passphrase, token=token, person=person
            )
            note = _other_name(client, name, person)
        seats.release_others(stored)
        if stored is not None and client.token is not None:
            stored.store(client.token, _own_name(client), url)
        async with client:
            try:
                yield JoinedTable(client, (table.address,), note)
            finally:
                if stored is not None:
                    _forget_if_left(client, stored)


def is_missing(error: Exception) -> bool:
    """Return whether a table was not opened because there is none, or no server, where it was sought."""
    if isinstance(error, CommandRefused):
        return error.reason is Reason.UNKNOWN_TABLE
    return isinstance(error, ConnectionFailed)


def _forget_if_left(client: Client, stored: StoredSeat) -> None:
    """Forget a seat that its player has given up; within a match they can come back with its token."""
    if client.is_seat_kept and client.token is not None:
        stored.store(client.token, is_left=True)
    elif client.has_left:
        stored.forget()


@contextmanager
def _saved_seat(client: Client) -> Iterator[None]:
    """Store a host's seat while the context lasts, so that it can be resumed, unless it is given up."""
    with stored_seats(client.url, client.code) as seats:
        stored = seats.empty
        seats.release_others(stored)
        if stored is not None and client.token is not None:
            stored.store(client.token, _own_name(client), client.url)
        try:
            yield
        finally:
            if stored is not None:
                _forget_if_left(client, stored)


async def _seat_to_resume(seats: TableSeats, url: str, typed: str, ask: Ask | None) -> StoredSeat | None:
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
    names = {typed, kept_name(url, typed)}  # seats from before a change of name have the old one
    for seat in here:
        if not typed or any(map(seat.has_name, names)):
            return seat
    if here and not here[0].name:  # an older client stored no name
        return here[0]
    if here:
        question = Question(
            f"Go on as {here[0].name}, or join as {typed}?", f"Go on as {here[0].name}", f"Join as {typed}"
        )
        return here[0] if ask is not None and await ask(question) else None
    for seat in (seat for seat in elsewhere if seat.name):
        server = seat.servers[0].removesuffix(WEBSOCKET_PATH)
        text = f"You have a seat as {seat.name} at table {seat.code} of {server}. Is this the same table?"
        if ask is not None and await ask(Question(text, f"Go on as {seat.name}", "Another table")):
            return seat
    return None


async def _is_same_server(url: str, others: Sequence[str]) -> bool:
    """Return whether a server is one where a seat was used before: its token may be sent to no other."""
    here = await _resolved(url)
    return any([bool(here & await _resolved(other)) for other in others])


async def _resolved(url: str) -> set[tuple[str, int]]:
    """Return the network addresses and the port behind a server's address; all of this machine are one."""
    from racing_demon_client.discovery.network_interfaces import own_interfaces  # noqa: PLC0415 - rarely needed

    parts = urlsplit(url)
    try:
        async with asyncio.timeout(RESOLVE_SECONDS):
            addresses = await asyncio.get_running_loop().getaddrinfo(
                parts.hostname or "", port_of(url), type=socket.SOCK_STREAM
            )
    except (OSError, TimeoutError, ValueError):
        return set()
    own = {str(each.ip) for each in own_interfaces()}
    hosts = [str(address[0]) for *_, address in addresses]
    return {
        ("" if host in own or ipaddress.ip_address(host).is_loopback else host, port_of(url))
        for host in hosts
    }


async def _resume_stored(url: str, code: str, stored: StoredSeat | None) -> Client | None:
    """Resume a stored seat; return ``None`` if there is none or it is gone."""
    if stored is None or stored.is_left:
        return None
    try:
        return await Client.resume(url, code, stored.token)
    except CommandRefused as error:
        if error.reason not in {Reason.BAD_TOKEN, Reason.UNKNOWN_TABLE}:
            raise
        if error.reason is Reason.BAD_TOKEN and (url in stored.servers or not stored.servers):
            stored.forget()
        return None


async def _resume_by_link(url: str, table: TableAddress) -> Client:
    """Resume the seat that a link brings."""
    try:
        return await Client.resume(url, table.code, table.seat)
    except CommandRefused as error:
        if error.reason is Reason.BAD_TOKEN:
            raise CommandRefused(error.reason, SEAT_GONE) from None
        raise


@asynccontextmanager
async def watch(table: TableAddress) -> AsyncIterator[OpenedTable]:
    """Watch a table as a spectator.

    Raises:
        ConnectionFailed: the server cannot be reached.
        CommandRefused: the table does not exist, or cannot be watched.

    """
    url = server_url(table.address)
    async with await Client.watch(url, table.code, passphrase=table.passphrase) as client:
        yield WatchedTable(client, (table.address,))


async def _add_bots(client: Client, bots: Bots) -> None:
    for _ in range(bots.number):
        await client.ask(AddBot(counter=client.next_counter(), level=bots.level))


class _HostedServer:
    """The server of this user's own table for the network.

    Attributes:
        port: the server's port.
        has_tunnel: whether the server was started with its tunnel.
        notes: remarks for the user on what is not as usual, or as before.

    Args:
        hosting: how it is started.

    """

    def __init__(self, hosting: Hosting) -> None:
        self.port = DEFAULT_PORT if hosting.port is None else hosting.port
        self._wanted = hosting.port
        self._journal = hosting.journal
        self._flags = ["--lan", "--list-tables"] * hosting.announced + ["--no-web"] * (not hosting.web)
        self._tunnel_flags = [f"--tunnel={hosting.tunnel or AUTO}"]
        self._tunnel_flags += [f"--tunnel-address={hosting.tunnel_address}"] * bool(hosting.tunnel_address)
        self._tunnel_key = secrets.token_hex(32)
        self._wants_tunnel = bool(hosting.tunnel)
        self.has_tunnel = False
        self.notes: list[str] = []
        self._has_ipv6 = False
        self._pid = 0

    @property
    def url(self) -> str:
        """The server's address for the host."""
        return _own_url(self.port)

    async def reclaim(self, stack: AsyncExitStack) -> Client | None:
        """Return the host at the table that was left open here, if there is one, entered into a stack.

        Its server runs on, or is started again with its journal.
        """
        for table in hosted_tables():
            if self._wanted not in {None, table.port} or self._journal.path != table.journal:
                continue
            async with AsyncExitStack() as attempt:
                seats = attempt.enter_context(stored_seats(_own_url(table.port), table.code))
                stored = next(iter(seats.here), None)
                seats.release_others(stored)
                if stored is None:  # another terminal hosts it, or the seat was given up
                    continue
                client = await self._resume_as_host(table, stored)
                if client is not None:
                    stack.push_async_exit(attempt.pop_all())
                    stack.callback(_forget_if_left, client, stored)
                    return await stack.enter_async_context(client)
        return None

    async def _resume_as_host(self, table: HostedTable, stored: StoredSeat) -> Client | None:
        self.port, self._has_ipv6, self._pid, pid = table.port, table.has_ipv6, table.pid, 0
        self._tunnel_key = table.tunnel_key or self._tunnel_key
        try:
            if not await is_listening(table.port):
                pid = self._pid = await self._start_at(table.port, table.code)
            client = await Client.resume(self.url, table.code, stored.token)
        except (JournalRefused, TunnelRefused):
            raise
        except (ConnectionFailed, CommandRefused) as error:
            why = error.text if isinstance(error, CommandRefused) else str(error).partition("\n")[0]
            self.notes.append(
                f"table {table.code} could not be continued ({why.rstrip('.')}), so this is another"
            )
            if isinstance(error, CommandRefused):
                stored.forget()
                forget_hosted(table.code)
            if pid:  # its journal has no such table
                os.kill(pid, signal.SIGTERM)
                await wait_until_ended(table.port)
            self.port = DEFAULT_PORT if self._wanted is None else self._wanted
            return None
        save_hosted(table.model_copy(update={"pid": self._pid, "tunnel_key": self._tunnel_key}))
        return client

    async def start(self) -> None:
        """Start a server for a new table.

        A requested port must be free; the default port may be another server's, so any free one will do.

        Raises:
            ConnectionFailed: it does not start.

        """
        has_machine_ipv6 = _has_ipv6()
        self._has_ipv6 = self.port != 0 and has_machine_ipv6  # a free port on IPv4 may be taken on IPv6
        try:
            self._pid = await self._start_at(self.port)
        except PortRefused as error:
            if self._wanted is not None:
                advice = "Name another one, or leave --port out to take any free port."
                text = f"Port {self._wanted} cannot be used ({error.reason}). {advice}"
                raise ConnectionFailed(text) from None
            self._has_ipv6 = False
            self._pid = await self._start_at(0)
            self.notes.append(
                f"port {DEFAULT_PORT} cannot be used ({error.reason}), so the table is on {self.port}"
            )
        if has_machine_ipv6 and not self._has_ipv6:
            self.notes.append("over IPv6 nobody reaches it, unless --port names a port")

    async def _start_at(self, port: int, code: str = "") -> int:
        everywhere = "0.0.0.0"  # noqa: S104 - the user asked for a table on the network
        try:
            url, pid = await start_hosted_server(
                host="" if self._has_ipv6 else everywhere,
                port=port,
                journal=self._journal,
                code=code,
                flags=[*self._flags, *(self._tunnel_flags if self._wants_tunnel else ())],
                tunnel_key=self._tunnel_key,
            )
        except JournalRefused:
            await self._refuse_beside_another()
            raise
        self.port = int(url.rpartition(":")[2].partition("/")[0])
        self.has_tunnel = self._wants_tunnel
        return pid

    async def _refuse_beside_another(self) -> None:
        """Say which table of this user's has the journal, if one is open.

        Raises:
            JournalRefused: a table has it.

        """
        from racing_demon_client.net.server_query import has_table  # noqa: PLC0415 - seldom needed

        for table in hosted_tables():
            if table.journal == self._journal.path and await has_table(_own_url(table.port), table.code):
                raise JournalRefused(
                    f"Table {table.code} is still open here, and its evening goes into the same journal. "
                    "racing-demon host continues it, unless another terminal has it; "
                    f"--server localhost:{table.port} opens a second table at its server; "
                    "--journal FILE keeps a second evening in a file of its own."
                ) from None

    def save(self, code: str) -> None:
        """Remember the table, for the next host."""
        save_hosted(
            HostedTable(
                code=code,
                port=self.port,
                pid=self._pid,
                has_ipv6=self._has_ipv6,
                journal=self._journal.path,
                at=time.time(),
                tunnel_key=self._tunnel_key,
            )
        )

    async def supervise(self, client: Client, internet: InternetAccess) -> None:
        """Start the server again, a few times, if it crashes under its host; with its tunnel, if wanted."""
        for _ in range(MAX_RESTARTS):
            while client.online or await is_listening(self.port):  # noqa: ASYNC110 - another process
                await asyncio.sleep(POLL_SECONDS)
            if self._journal == NO_JOURNAL:
                return
            self._wants_tunnel = internet.is_wanted
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


def _other_name(client: Client, name: str, person: PlayerCredentials | None) -> str:
    """Return a remark for a user who has another name at the table than the one that was asked for, if so."""
    own = _own_name(client)
    if client.seat is None or folded(own) == folded(name):
        return ""
    if person is not None and folded(own) == folded(person.name_at_table(name)):
        return f"this server knows you as {printable(own)}"
    return f"you are called {printable(own)} at this table: your name is taken there, or cannot be shown"


def _own_name(client: Client) -> str:
    """Return the name that this user's seat has; a spectator has none."""
    state = None if client.seat is None else client.view.seats.get(client.seat)
    return "" if state is None else state.name


async def _address_for_others(client: Client) -> str:
    """Return a server's address; for one on this machine, one at which others reach it, if there is any."""
    from racing_demon_client.net.server_query import has_table  # noqa: PLC0415 - seldom needed

    port = port_of(client.url)
    if ("", port) in await _resolved(client.url):
        for own in _own_addresses():
            url = f"ws://{own}:{port}{urlsplit(client.url).path}"
            if await has_table(url, client.code):
                return short_address(url)
    return short_address(client.url)


class _LocalAddresses:
    """The addresses of this machine at which a hosted table is joined, looked up from time to time."""

    def __init__(self, server: _HostedServer) -> None:
        self._server = server
        self._addresses: list[str] = []
        self._until = 0.0

    def __call__(self) -> Sequence[str]:
        now = time.monotonic()
        if now >= self._until:
            self._until = now + ADDRESSES_SECONDS
            self._addresses = [f"ws://{address}:{self._server.port}" for address in _own_addresses()]
        return self._addresses


def _own_addresses() -> list[str]:
    """Return this machine's addresses on its networks, without sending anything."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # a documentation address: connecting only looks up the route
            return [str(probe.getsockname()[0])]
        except OSError:  # a network may have no default route
            from racing_demon_client.discovery.network_interfaces import own_interfaces  # noqa: PLC0415 - rarely needed

            addresses = [each for each in own_interfaces() if each.version == 4 and not each.is_loopback]
            return [str(each.ip) for each in addresses]


async def _meant(url: str, name: str, ask: Ask | None, *, is_own: bool = False) -> str:
    """Return the name for a seat, after asking whose it is if nobody at this machine has it at the server.

    Whoever sat down there last may want another name. Where nobody can be asked it is somebody new's.

    Raises:
        CommandRefused: the server refuses the new name.
        ConnectionFailed: the server cannot be reached, or does not know that person any more.

    """
    known = kept_other(url, name, is_own=is_own)
    if ask is None or not known or _remembering() is None:
        return name
    question = Question(
        f"Rename {known}, or is {name} somebody new?", f"Rename {known} to {name}", f"{name} is somebody new"
    )
    if not await ask(question):
        return name
    from racing_demon_client.net.introductions import ask_as  # noqa: PLC0415 - seldom needed

    _, answer = await ask_as(url, known, Rename(name=name), is_own=is_own)
    return answer.name if isinstance(answer, Identified) else name


def _remembering() -> PlayerSettings | None:
    """Return the settings if they let servers remember this user."""
    try:
        settings = load(settings_path())
    except SettingsRefused:
        return None
    return settings if settings.remember else None


def _person(url: str, name: str, *, is_typed: bool, is_own: bool = False) -> PlayerCredentials | None:
    """Return what tells a server who the user is; ``None`` if the settings say that nobody is remembered."""
    settings = _remembering()
    if settings is None:
        return None
    given = NameSource.SETTING if settings.name else NameSource.LOGIN
    return PlayerCredentials(url, name, source=NameSource.TYPED if is_typed else given, is_own=is_own)
