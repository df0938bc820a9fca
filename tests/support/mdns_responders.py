"""Others on the network, honest and not, on this machine's loopback."""

import asyncio
import contextlib
import fcntl
import os
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager, contextmanager
from pathlib import Path
from typing import IO, Any, Final

import pytest
from zeroconf import ServiceInfo, ServiceStateChange, Zeroconf
from zeroconf.asyncio import AsyncServiceBrowser, AsyncZeroconf

from racing_demon_client.discovery import mdns
from racing_demon_client.discovery.mdns import find
from racing_demon_client.net.server_query import FoundTable
from racing_demon_protocol.discovery.mdns import Announcement
from racing_demon_server.net import mdns as server_mdns

LOOPBACK: Final = "127.0.0.1"


@contextmanager
def among_ourselves(monkeypatch: pytest.MonkeyPatch) -> Iterator[IO[str]]:
    """Announce and look on loopback only, by a name of our own, and while no other test floods it.

    All processes of a machine hear each other there, and what they cannot read in time is lost. The lock that
    is given is shared; a test that sends much has it alone.
    """
    monkeypatch.setenv("RACING_DEMON_INTERFACES", LOOPBACK)
    for module in (mdns, server_mdns):
        monkeypatch.setattr(module, "SERVICE", f"_rdt-{os.getpid()}._tcp.local.")
    with (Path(tempfile.gettempdir()) / "racing-demon-multicast.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        yield lock


def announcement(port: int, code: str, **changes: Any) -> Announcement:
    """Return what Ann says of her table, with any of it changed."""
    fields = {"code": code, "game": "racing-demon", "host": "Ann", "port": port}
    return Announcement(**{**fields, **changes})


@asynccontextmanager
async def saying(*services: dict[str, Any]) -> AsyncIterator[None]:
    """Announce anything at all: services with their port, addresses and texts."""
    speaker = AsyncZeroconf(interfaces=[LOOPBACK])
    try:
        for number, service in enumerate(services):
            info = ServiceInfo(
                mdns.SERVICE,
                f"{service.get('name', number)}.{mdns.SERVICE}",
                port=service.get("port", 5252),
                server=f"neighbor-{service.get('name', number)}.local.".lower(),
                parsed_addresses=service.get("addresses", [LOOPBACK]),
                properties=service.get("texts", {}),
            )
            await speaker.async_register_service(info, cooperating_responders=True)
        yield
    finally:
        await speaker.async_close()


def announced(told: Announcement) -> AbstractAsyncContextManager[None]:
    """Announce a table."""
    return saying({"name": told.code, "port": told.port, "texts": told.texts()})


async def found(seconds: float = 1.0, *, patience: float = 20.0, **more: Any) -> list[FoundTable]:
    """Return all that is found; look longer while nothing is, as the machine may be busy."""
    async with aclosing(find(seconds, patience=patience, **more)) as tables:
        return [table async for table in tables]


@asynccontextmanager
async def listening() -> AsyncIterator[asyncio.Queue[str]]:
    """Listen to all announcements; give what is heard of any of them: ``Added``, ``Removed``."""
    changes: asyncio.Queue[str] = asyncio.Queue()

    def heard(zeroconf: Zeroconf, service_type: str, name: str, state_change: ServiceStateChange) -> None:
        changes.put_nowait(state_change.name)

    listener = AsyncZeroconf(interfaces=[LOOPBACK])
    browser = AsyncServiceBrowser(listener.zeroconf, mdns.SERVICE, handlers=[heard])
    try:
        yield changes
    finally:
        await browser.async_cancel()
        await listener.async_close()


@asynccontextmanager
async def silent() -> AsyncIterator[int]:
    """Listen on a port, take connections, and say nothing; give the port."""
    ends: list[asyncio.StreamWriter] = []

    async def take(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ends.append(writer)

    server = await asyncio.start_server(take, LOOPBACK, 0)
    async with server:
        yield server.sockets[0].getsockname()[1]
        for end in ends:
            end.close()
            with contextlib.suppress(OSError):
                await end.wait_closed()
