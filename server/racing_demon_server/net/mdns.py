"""Announces the server's tables on the local network with multicast DNS."""

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Awaitable, Callable, Sequence
from itertools import islice
from typing import ClassVar, Final

import zeroconf
from zeroconf.asyncio import AsyncZeroconf

from racing_demon_protocol.discovery.mdns import MAX_TABLES, SERVICE, Announcement, Interface
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_server.network_interfaces import REFRESH_SECONDS
from racing_demon_server.tables.feed import CommittedTable
from racing_demon_server.tables.observer import Observer

PAUSE_SECONDS: Final = 1.0
"""The shortest time between two changes of the announcements."""
GOODBYE_SECONDS: Final = 1.0
TTL_SECONDS: Final = 120
"""As short as that of addresses, so that records of a killed server disappear soon."""
ANNOUNCED: Final = ev.Joined, ev.Left, ev.Returned, ev.Hosted, ev.OptionsSet
"""The events that change what is announced."""
NO_ADDRESS: Final = (
    "it knows no address of its own on a private network; if it has one, a sandbox may hide it (AF_NETLINK), "
    "and RACING_DEMON_INTERFACES names it"
)

log = logging.getLogger("racing_demon_server")


class Announcer(Observer):
    """An observer that announces the server's oldest tables, as many as a client shows."""

    names_tables: ClassVar[bool] = True

    def __init__(self) -> None:
        self._open: dict[CommittedTable, None] = {}
        self._announced: dict[CommittedTable, tuple[Announcement, zeroconf.ServiceInfo]] = {}
        self._news = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    # Events of the tables.

    def opened(self, table: CommittedTable) -> None:
        """Announce a new table."""
        self._open[table] = None
        self._news.set()

    def published(self, table: CommittedTable, events: Sequence[Event]) -> None:
        """Announce a table again if its announcement has changed."""
        if any(isinstance(event, ANNOUNCED) for event in events):
            self._news.set()

    def closed(self, table: CommittedTable) -> None:
        """Withdraw the announcement of a table that was closed."""
        self._open.pop(table, None)
        self._news.set()

    # In its own task.

    def start(self, find: Callable[[], Sequence[Interface]], port: int) -> None:
        """Start announcing the tables.

        Args:
            find: returns the addresses at which they are announced; these change with the networks.
            port: the server's port.

        """
        self._task = asyncio.get_running_loop().create_task(self._run(find, port), name="announcer")

    async def stop(self) -> None:
        """Withdraw the announcements, and stop."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self, find: Callable[[], Sequence[Interface]], port: int) -> None:
        # Failures of single networks are not worth a log line.
        logging.getLogger("zeroconf").setLevel(logging.CRITICAL)
        told = ""
        while True:
            interfaces = find()
            try:
                if not interfaces:
                    raise OSError(0, NO_ADDRESS)
                await self._announce(interfaces, find, port)
                told = ""
            except (OSError, zeroconf.Error) as error:
                why = getattr(error, "strerror", None) or str(error) or type(error).__name__
                if why != told:
                    text = "the tables cannot be announced on the network; players join by address"
                    log.warning(text, extra={"why": why})
                told = why
                await asyncio.sleep(REFRESH_SECONDS)

    async def _announce(
        self, interfaces: Sequence[Interface], find: Callable[[], Sequence[Interface]], port: int
    ) -> None:
        """Announce the tables at these addresses until the machine has others."""
        connection = AsyncZeroconf(interfaces=[str(each.ip) for each in interfaces])
        self._news.set()
        try:
            while set(find()) == set(interfaces):
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(REFRESH_SECONDS):
                        await self._news.wait()
                if self._news.is_set():
                    self._news.clear()
                    await self._update(connection, interfaces, port)
                    await asyncio.sleep(PAUSE_SECONDS)
        finally:
            self._announced.clear()
            closing = asyncio.ensure_future(_close(connection))
            try:
                await asyncio.shield(closing)
            except asyncio.CancelledError:  # the server stops just as its network changes
                await closing
                raise

    async def _update(self, connection: AsyncZeroconf, interfaces: Sequence[Interface], port: int) -> None:
        """Announce new tables, withdraw closed ones, and update those that have changed.

        Everything is repeated on the network before this returns. A table that was withdrawn meanwhile would
        otherwise be announced again.
        """
        wanted = {table: _announcement(table, port) for table in islice(self._open, MAX_TABLES)}
        closed = [table for table in self._announced if table not in wanted]
        repeats: list[Awaitable[None]] = [
            await connection.async_unregister_service(self._announced.pop(table)[1]) for table in closed
        ]
        for table, announcement in wanted.items():
            said = self._announced.get(table)
            if said is None:
                info = _service(announcement, f"{announcement.code}-{secrets.token_hex(3)}", interfaces)
                repeats.append(await connection.async_register_service(info, cooperating_responders=True))
            elif said[0] != announcement:
                info = _service(announcement, said[1].name.removesuffix(f".{SERVICE}"), interfaces)
                repeats.append(await connection.async_update_service(info))
            else:
                continue
            self._announced[table] = announcement, info
        await asyncio.gather(*repeats)


async def _close(connection: AsyncZeroconf) -> None:
    """Withdraw what was announced, and close, within a time limit."""
    with contextlib.suppress(OSError, zeroconf.Error):
        async with asyncio.timeout(GOODBYE_SECONDS):
            await connection.async_close()


def _announcement(table: CommittedTable, port: int) -> Announcement:
    view = table.view
    return Announcement(
        code=view.code, game=view.options.game, host=view.host_name, port=port, needs_passphrase=view.locked
    )


def _service(announcement: Announcement, name: str, interfaces: Sequence[Interface]) -> zeroconf.ServiceInfo:
    # The name is random, so it needs no probing, which would take a second.
    return zeroconf.ServiceInfo(
        SERVICE,
        f"{name}.{SERVICE}",
        port=announcement.port,
        server=f"racing-demon-{name.lower()}.local.",
        parsed_addresses=[str(each.ip) for each in interfaces],
        properties=announcement.texts(),
        other_ttl=TTL_SECONDS,
    )
