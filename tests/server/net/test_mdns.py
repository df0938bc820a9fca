"""A server that announces its tables, and clients that look for them, by real multicast on loopback."""

import asyncio
import ipaddress
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest
import zeroconf
from zeroconf.asyncio import AsyncZeroconf

from racing_demon_client.net.server_query import FoundTable
from racing_demon_protocol.discovery.mdns import Interface
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.net import mdns
from racing_demon_server.net.mdns import NO_ADDRESS, Announcer
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.registry import Registry
from tests.support.clocks import clock
from tests.support.mdns_responders import LOOPBACK, among_ourselves, found, listening
from tests.support.servers import PATIENCE, Peer, start, timeout

HERE = ipaddress.ip_interface(f"{LOOPBACK}/8")


@pytest.fixture(autouse=True)
def _on_loopback(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(mdns, "PAUSE_SECONDS", 0.05)
    with among_ourselves(monkeypatch):
        yield


@asynccontextmanager
async def announcing() -> AsyncIterator[tuple[str, Registry]]:
    """Run a server that announces its tables, and give its URL and its tables."""
    settings, speaker = ServerSettings(port=0), Announcer()
    registry = Registry(settings, clock, NullJournal(), [speaker])
    server = await start(settings, registry, clock)
    port = server.port
    speaker.start(lambda: [HERE], port)
    try:
        yield f"ws://{LOOPBACK}:{port}/v1", registry
    finally:
        server.close()
        await timeout(PATIENCE, server.wait_closed())
        registry.close()
        await speaker.stop()


async def found_when(codes: set[str]) -> dict[str, FoundTable]:
    """Look until just these tables are found, and return them by their codes."""
    seconds = 0.3
    async with asyncio.timeout(PATIENCE):
        while True:
            tables = {table.code: table for table in await found(seconds)}
            if set(tables) == codes:
                return tables
            # Responders repeat nothing within a second (RFC 6762, 6): looks that are too short hear none.
            seconds = min(2 * seconds, 3.0)


async def test_all_tables_are_announced_while_they_are_open() -> None:
    """Each is found with its host, its game and whether it asks for a passphrase, until it is closed."""
    async with listening() as changes:
        async with announcing() as (url, _), Peer.hosting(url) as ann:
            locked = cl.Create(name="Ben", options=Options(game="sympathy"), passphrase="sesame")  # noqa: S106
            async with Peer.entered(url, locked) as ben:
                tables = await found_when({ann.code, ben.code})
                assert ("Ann", "racing-demon", False, url) == said(tables[ann.code])
                assert ("Ben", "sympathy", True, url) == said(tables[ben.code])
        heard = [await timeout(PATIENCE, changes.get()) for _ in range(4)]
        assert sorted(heard) == ["Added", "Added", "Removed", "Removed"]


def said(table: FoundTable) -> tuple[str, str, bool, str]:
    """Return what is said of a table."""
    return table.host, table.game, table.needs_passphrase, table.url


async def test_what_changes_at_a_table_is_corrected() -> None:
    """Another game is announced in the old one's place."""
    async with announcing() as (url, _), Peer.hosting(url) as ann:
        await found_when({ann.code})
        await ann.ask(cl.SetOptions, options=Options(game="sympathy"))
        async with asyncio.timeout(PATIENCE):
            while [("Ann", "sympathy", False, url)] != [said(table) for table in await found(0.3)]:
                pass


async def test_no_more_tables_are_announced_than_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever opens tables without end fills no network with them; when one is closed, the next is."""
    monkeypatch.setattr(mdns, "MAX_TABLES", 2)
    async with announcing() as (url, registry):
        async with Peer.hosting(url) as ann, Peer.hosting(url) as ben, Peer.hosting(url) as cat:
            await found_when({ann.code, ben.code})
            registry.discard(registry.room(ann.code))
            await found_when({ben.code, cat.code})


async def test_a_network_that_takes_nothing_is_told_of_once(caplog: pytest.LogCaptureFixture) -> None:
    """A server without a private address says in its log that players join by address, and serves."""
    logging.getLogger("zeroconf").setLevel(logging.NOTSET)
    speaker = Announcer()
    speaker.start(list, 5252)
    with caplog.at_level(logging.WARNING):
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    await speaker.stop()
    assert logging.getLogger("zeroconf").level == logging.CRITICAL
    assert [record.getMessage() for record in caplog.records] == [
        "the tables cannot be announced on the network; players join by address"
    ]
    assert [vars(record)["why"] for record in caplog.records] == [NO_ADDRESS]


async def test_a_network_that_comes_later_is_announced_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that was started before its network was up; and one whose network has gone and come."""
    monkeypatch.setattr(mdns, "REFRESH_SECONDS", 0.05)
    interfaces: list[Interface] = []
    registry = Registry(ServerSettings(), clock, NullJournal(), [speaker := Announcer()])
    registry.open(Options())
    async with listening() as changes:
        speaker.start(lambda: [*interfaces], 5252)
        for _ in range(2):
            interfaces.append(HERE)
            assert await timeout(PATIENCE, changes.get()) == "Added"
            interfaces.clear()
            assert await timeout(PATIENCE, changes.get()) == "Removed"
        await speaker.stop()
    registry.close()


@pytest.mark.parametrize("mistake", [OSError("no network"), zeroconf.Error("no answer"), None])
async def test_a_network_that_takes_no_goodbye_keeps_no_server(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, mistake: Exception | None
) -> None:
    """Where it fails, or takes too long, the server stops, and says nothing of it."""
    goodbyes = []

    class Broken(AsyncZeroconf):
        async def async_close(self) -> None:
            await super().async_close()
            goodbyes.append(asyncio.get_running_loop().time())
            if mistake is not None:
                raise mistake
            await asyncio.Event().wait()

    monkeypatch.setattr(mdns, "AsyncZeroconf", Broken)
    monkeypatch.setattr(mdns, "GOODBYE_SECONDS", 0.5)
    speaker = Announcer()
    speaker.start(lambda: [HERE], 5252)
    await asyncio.sleep(0)
    with caplog.at_level(logging.WARNING):
        await timeout(PATIENCE, speaker.stop())
    assert len(goodbyes) == 1
    assert caplog.records == []


async def test_players_are_told_that_a_server_has_gone() -> None:
    """It withdraws what it has announced as it stops, though its tables are not closed."""
    async with listening() as changes:
        registry = Registry(ServerSettings(), clock, NullJournal(), [speaker := Announcer()])
        registry.open(Options())
        speaker.start(lambda: [HERE], 5252)
        assert await timeout(PATIENCE, changes.get()) == "Added"
        await timeout(PATIENCE, speaker.stop())
        assert await timeout(PATIENCE, changes.get()) == "Removed"
        registry.close()


async def test_an_announcer_that_was_not_started_can_be_stopped() -> None:
    """Where the server stops before it has a port."""
    await Announcer().stop()


@pytest.mark.parametrize(
    ("mistake", "why"),
    [
        (OSError(101, "Network is unreachable"), "Network is unreachable"),
        (zeroconf.Error("no answer"), "no answer"),
        (zeroconf.NonUniqueNameException(), "NonUniqueNameException"),
    ],
)
async def test_a_network_that_fails_later_is_told_of_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, mistake: Exception, why: str
) -> None:
    """In its own words if it has some, and although it takes no goodbye either."""
    was_tried = asyncio.Event()

    class Broken(AsyncZeroconf):
        async def async_register_service(self, *_: object, **__: object) -> asyncio.Future[None]:
            raise mistake

        async def async_close(self) -> None:
            await super().async_close()
            was_tried.set()
            raise zeroconf.Error

    monkeypatch.setattr(mdns, "AsyncZeroconf", Broken)
    registry = Registry(ServerSettings(), clock, NullJournal(), [speaker := Announcer()])
    registry.open(Options())
    with caplog.at_level(logging.WARNING):
        speaker.start(lambda: [HERE], 5252)
        await timeout(PATIENCE, was_tried.wait())
        await speaker.stop()
    assert [why] == [vars(record)["why"] for record in caplog.records]
    registry.close()
