"""Find tables on the local network by multicast DNS.

Anybody may send an announcement. It is limited and cleaned, may lead only to hosts on the local network, and
is reported only after the table's server has confirmed it.
"""

import asyncio
import contextlib
import ipaddress
import logging
import re
from collections.abc import AsyncGenerator, Sequence
from typing import Final

import zeroconf
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from racing_demon_client.net.server_query import FoundTable, has_table
from racing_demon_protocol.constants import WEBSOCKET_PATH
from racing_demon_protocol.discovery.mdns import MAX_TABLES, MAX_TEXT, SERVICE, Interface
from racing_demon_protocol.formatting import printable

from .network_interfaces import can_multicast, is_multicast_disabled, is_near, own_interfaces

__all__ = ["SERVICE", "announcement_problem", "find"]

MAX_ADDRESSES: Final = 4
PROBES_AT_ONCE: Final = 16
"""A flood of announcements must not make all answers late."""
GOODBYE_SECONDS: Final = 1.0
MIN_PORT: Final = 1_024
"""Announcements of lower ports are ignored: those belong to other services."""

CODE: Final = re.compile(r"[A-Za-z0-9]{1,16}", re.ASCII)


def announcement_problem() -> str:
    """Return a sentence on why this machine's servers cannot announce tables, or an empty one."""
    if is_multicast_disabled():
        return ""
    troubles = {each: can_multicast(each) for each in own_interfaces()}
    if not all(troubles.values()):
        return ""
    why = next(iter(troubles.values()), "no network")
    return f"this table cannot be announced on the network ({why}); others can join by its address"


async def _end(connection: AsyncZeroconf) -> None:
    """Withdraw the announcement and close, within a time limit."""
    with contextlib.suppress(OSError, TimeoutError, zeroconf.Error):
        async with asyncio.timeout(GOODBYE_SECONDS):
            await connection.async_close()


def _connection(interfaces: Sequence[Interface]) -> AsyncZeroconf:
    # Network errors must not be printed over the table.
    logging.getLogger("zeroconf").setLevel(logging.CRITICAL)
    return AsyncZeroconf(interfaces=[str(each.ip) for each in interfaces])


# Finding.


async def find(
    seconds: float, *, patience: float = 0.0, code: str | None = None
) -> AsyncGenerator[FoundTable]:
    """Yield the network's tables as they are found, once their servers have confirmed them.

    Yields nothing where multicast is impossible: that looks the same as a network without tables.

    Args:
        seconds: for how long to look.
        patience: for how long to look if none is found; at least ``seconds``.
        code: the only code of interest, if any.

    """
    if is_multicast_disabled():
        return
    interfaces = own_interfaces()
    try:
        connection = _connection(interfaces)
    except (OSError, zeroconf.Error):
        return
    finder = _Finder(connection, interfaces, max(seconds, patience))
    browser = AsyncServiceBrowser(connection.zeroconf, SERVICE, handlers=[finder.seen])
    loop = asyncio.get_running_loop()
    begun, known = loop.time(), set[FoundTable]()
    try:
        while (left := begun + (seconds if known else max(seconds, patience)) - loop.time()) > 0:
            try:
                table = await asyncio.wait_for(finder.tables.get(), left)
            except TimeoutError:
                break
            if table not in known and (code is None or table.code == code.upper()):
                known.add(table)
                yield table
    finally:
        await finder.stop()
        with contextlib.suppress(OSError, zeroconf.Error):
            await browser.async_cancel()
        await _end(connection)


class _Finder:
    """Checks announcements concurrently.

    Attributes:
        tables: the confirmed tables.

    """

    def __init__(self, connection: AsyncZeroconf, interfaces: Sequence[Interface], seconds: float) -> None:
        self.tables: asyncio.Queue[FoundTable] = asyncio.Queue()
        self._connection = connection
        self._interfaces = interfaces
        # Where many announce tables, details come late; zeroconf asks ever more rarely.
        self._details_ms = seconds * 1_000
        self._probing = asyncio.Semaphore(PROBES_AT_ONCE)
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def seen(
        self,
        zeroconf: zeroconf.Zeroconf,
        service_type: str,
        name: str,
        state_change: zeroconf.ServiceStateChange,
    ) -> None:
        """Start checking an announcement."""
        is_new = state_change.name == "Added" and name not in self._tasks
        if is_new and len(self._tasks) < MAX_TABLES:
            self._tasks[name] = asyncio.get_running_loop().create_task(self._check(name))

    async def stop(self) -> None:
        """Stop all checks."""
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    async def _check(self, name: str) -> None:
        with contextlib.suppress(OSError, zeroconf.Error):
            info = AsyncServiceInfo(SERVICE, name)
            if not await info.async_request(self._connection.zeroconf, self._details_ms):
                return
            tables, pause = _read(info, self._interfaces), 1.0
            while tables:
                async with self._probing:
                    table = await _first_that_answers(tables)
                if table is not None:
                    self.tables.put_nowait(table)
                    return
                # A busy server may answer later; a forged announcement must not make us knock often.
                await asyncio.sleep(pause)
                pause *= 2


async def _first_that_answers(tables: Sequence[FoundTable]) -> FoundTable | None:
    """Query all addresses of a table at once, and return the best that answers."""
    probes = [asyncio.ensure_future(has_table(table.url, table.code)) for table in tables]
    try:
        for table, probe in zip(tables, probes, strict=True):
            if await probe:
                return table
        return None
    finally:
        for probe in probes:
            probe.cancel()
        await asyncio.gather(*probes, return_exceptions=True)


def _read(info: zeroconf.ServiceInfo, interfaces: Sequence[Interface]) -> list[FoundTable]:
    """Return an announcement's tables, one for each plausible address, best first."""
    texts = {bytes(key): bytes(value or b"")[:255] for key, value in info.properties.items()}
    code = texts.get(b"code", b"").decode(errors="replace")
    path = texts.get(b"path", WEBSOCKET_PATH.encode()).decode(errors="replace")
    port = info.port or 0
    if not (CODE.fullmatch(code) and path == WEBSOCKET_PATH and MIN_PORT <= port <= 65_535):
        return []
    addresses = []
    for text in info.parsed_scoped_addresses()[: 4 * MAX_ADDRESSES]:
        with contextlib.suppress(ValueError):
            address = ipaddress.ip_address(text)
            if is_near(address, interfaces):
                addresses.append(address)
    addresses.sort(key=lambda address: (address.version, address.is_link_local))
    return [
        FoundTable(
            code=code.upper(),
            game=_clean(texts.get(b"game", b"")),
            host=_clean(texts.get(b"host", b"")),
            url=f"ws://{address if address.version == 4 else f'[{address}]'}:{port}{path}",
            needs_passphrase=texts.get(b"pass") == b"1",
        )
        for address in addresses[:MAX_ADDRESSES]
    ]


def _clean(raw: bytes) -> str:
    """Return a short text that is safe to print on one line."""
    text = raw.decode(errors="replace")[:MAX_TEXT]
    return printable(text).strip() or "?"
