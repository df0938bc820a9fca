"""Tables on the network, announced and found by real multicast on the loopback interface."""

import asyncio
import fcntl
import ipaddress
from collections.abc import Iterator, Sequence
from contextlib import aclosing
from typing import IO, Any

import ifaddr
import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from racing_demon_client.discovery import mdns
from racing_demon_client.discovery.mdns import announcement_problem
from racing_demon_client.discovery.network_interfaces import can_multicast, is_near, own_interfaces
from racing_demon_client.net.server_query import has_table
from racing_demon_protocol.discovery.mdns import MAX_TABLES, VARIABLE, chosen
from racing_demon_protocol.wire.messages.client import Join, Ready
from racing_demon_protocol.wire.messages.events import Event
from tests.support.cases import for_each
from tests.support.mdns_responders import (
    LOOPBACK,
    among_ourselves,
    announced,
    announcement,
    found,
    listening,
    saying,
    silent,
)
from tests.support.servers import PATIENCE, Peer, serving, timeout

WIDE = ipaddress.ip_interface("192.168.1.2/24")
CAMPUS = ipaddress.ip_interface("131.111.8.2/22")
HERE = ipaddress.ip_interface("127.0.0.1/8")
LAN_6 = ipaddress.ip_interface("fd00::1/64")
LINK_3 = ipaddress.ip_interface("fe80::5%3/64")
FOR_EVER = 3_600.0
"""Seconds; whoever waits so long hangs."""


@pytest.fixture(autouse=True)
def loopback(monkeypatch: pytest.MonkeyPatch) -> Iterator[IO[str]]:
    """Announce and look on loopback alone; give the lock on it."""
    with among_ourselves(monkeypatch) as lock:
        yield lock


# Honest neighbors.


async def test_a_table_is_found() -> None:
    """What is announced is found with all that was said of it, and then no patience is needed any more."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        said = announcement(served.port, ann.code, host="Zoë 漢字", game="classic", needs_passphrase=True)
        async with announced(said):
            (table,) = await timeout(PATIENCE, found(0.1, patience=FOR_EVER))
    assert (ann.code, "classic", "Zoë 漢字") == (table.code, table.game, table.host)
    assert table.needs_passphrase
    assert table.url == served.url
    assert table.address == served.url.removesuffix("/v1")


async def test_two_hosts_are_found() -> None:
    """Each of two tables on the network is found; who looks for one code gets only that."""
    async with serving() as here, serving() as there, Peer.hosting(here.url) as ann:
        async with Peer.hosting(there.url) as ben:
            async with (
                announced(announcement(here.port, ann.code)),
                announced(announcement(there.port, ben.code, host="Ben")),
            ):
                tables = await found()
                assert {(ann.code, "Ann"), (ben.code, "Ben")} == {(t.code, t.host) for t in tables}
                assert [ben.code] == [
                    table.code for table in await found(patience=5.0, code=ben.code.lower())
                ]


async def test_a_table_that_says_goodbye_is_gone() -> None:
    """When its host ends the announcement, those who listen hear of it, and nobody finds the table."""
    async with serving() as served, Peer.hosting(served.url) as ann, listening() as changes:
        async with announced(announcement(served.port, ann.code)):
            assert await timeout(PATIENCE, changes.get()) == "Added"
        assert await timeout(PATIENCE, changes.get()) == "Removed"
        assert await found(patience=0.0) == []


async def test_ipv6_is_found() -> None:
    """A server that listens on IPv6 only is found at that address."""
    if not chosen(ifaddr.get_adapters(), {VARIABLE: "::1"}):
        pytest.skip("this machine has no IPv6")
    async with serving(host="::1") as served:
        place = f"ws://[::1]:{served.port}/v1"
        async with Peer.hosting(place) as ann:
            texts = {"code": ann.code, "game": "racing-demon", "host": "Ann"}
            async with saying({"port": served.port, "addresses": [LOOPBACK, "::1"], "texts": texts}):
                assert [place] == [table.url for table in await found()]


async def test_looking_disturbs_no_table() -> None:
    """A table does not notice that it was found: nobody comes, nobody watches, nothing happens."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        async with announced(announcement(served.port, ann.code)):
            assert len(await found()) == 1
        room = served.registry.room(ann.code)
        assert len(room.broadcast.listeners) == 1
        seq = room.table.view.seq
        await ann.say(ann.next(Ready))
        assert (await ann.until(Event)).seq == seq + 1


# Ghosts and liars.


async def test_nobody_can_hide_a_table_by_sitting_down_with_a_certain_token() -> None:
    """Whoever looks comes with a token that nobody could have foreseen, and takes up nobody's seat."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        async with Peer.entered(served.url, Join(code=ann.code, name="Eve", token="0" * 64)) as eve:
            async with announced(announcement(served.port, ann.code)):
                assert [ann.code] == [table.code for table in await found()]
            await eve.say(eve.next(Ready))
            assert isinstance(await eve.until(Event), Event)


async def test_ghosts_are_not_shown() -> None:
    """Hosts that are gone or silent, have no such table, or send us elsewhere are not given."""
    refused = Response(302, "Found", Headers({"Location": "ws://127.0.0.1:1/v1", "Content-Length": "0"}))

    def redirect(_: ServerConnection, __: Request) -> Response:
        return refused

    async with (
        serving() as served,
        silent() as mute,
        serve(_nothing, LOOPBACK, 0, process_request=redirect) as s,
    ):
        elsewhere = next(iter(s.sockets)).getsockname()[1]
        ghosts = [(served.port, "ZZZZ"), (mute, "BCDF"), (elsewhere, "BCDF"), (9_999, "BCDF")]
        async with saying(*({"port": port, "texts": {"code": code}} for port, code in ghosts)):
            async with Peer.hosting(served.url) as ann, announced(announcement(served.port, ann.code)):
                assert [ann.code] == [table.code for table in await found(1.5)]


async def _nothing(_: ServerConnection) -> None:
    return


async def test_texts_are_cleaned() -> None:
    """Escapes, line ends, directions, markup and megabytes come as a short line of plain text."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        texts = {"code": ann.code, "host": "\x1b[2J\u202e[/]\n" + "x" * 100, "game": b"\xff\x9b\x00"}
        async with saying({"port": served.port, "texts": texts}):
            (table,) = await found()
    assert table.host.startswith("?[2J?[/]?xxx")
    assert len(table.host) == 32
    assert table.game == "\ufffd\ufffd?"
    assert table.host.isprintable()
    assert table.game.isprintable()


async def test_what_makes_no_sense_is_passed_over() -> None:
    """Announcements without a proper code, path, port or address lead nowhere, and hide nobody."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        code, port = ann.code, served.port
        liars: list[dict[str, Any]] = [
            {"port": port},
            {"port": port, "texts": {"code": ""}},
            {"port": port, "texts": {"code": f"{code}\n"}},
            {"port": port, "texts": {"code": "B" * 17}},
            {"port": port, "texts": {"code": b"\xff\xfe"}},
            {"port": port, "texts": {"code": code, "path": "/v1?x=\r\nHost: evil"}},
            {"port": port, "texts": {"code": code, "path": "@elsewhere/"}},
            {"port": port, "texts": {"code": code, "path": "/setup/reset"}},
            {"port": 0, "texts": {"code": code}},
            {"port": 22, "texts": {"code": code}},
            {"port": port, "addresses": ["224.0.0.251", "0.0.0.0"], "texts": {"code": code}},  # noqa: S104
            {"port": port, "addresses": ["8.8.8.8"], "texts": {"code": code}},
        ]
        async with saying(*liars), announced(announcement(port, code)):
            (table,) = await found()
    assert (code, "Ann") == (table.code, table.host)


async def test_who_shouts_is_not_listened_to_for_ever(loopback: IO[str]) -> None:
    """Of a flood of announcements only so many are looked at."""
    fcntl.flock(loopback, fcntl.LOCK_EX)
    async with serving() as served, Peer.hosting(served.url) as ann:
        flood = [
            {"port": served.port, "texts": {"code": ann.code, "host": f"host {number}"}}
            for number in range(MAX_TABLES + 16)
        ]
        async with saying(*flood), aclosing(mdns.find(FOR_EVER)) as tables:
            for _ in range(MAX_TABLES):
                await timeout(PATIENCE, anext(tables))
            with pytest.raises(TimeoutError):
                await timeout(1.0, anext(tables))


@for_each(
    ("address", "own", "near"),
    [
        ("192.168.1.9", [WIDE], True),
        ("10.0.0.1", [WIDE], False),
        ("100.64.0.1", [WIDE], False),
        ("8.8.8.8", [WIDE], False),
        ("131.111.9.7", [WIDE], False),
        ("131.111.9.7", [CAMPUS], True),
        ("127.0.0.1", [WIDE], False),
        ("127.0.0.1", [HERE], True),
        ("0.0.0.0", [WIDE], False),  # noqa: S104
        ("255.255.255.255", [WIDE], False),
        ("239.1.2.3", [WIDE], False),
        ("fd00::2", [WIDE], False),
        ("fd00::2", [LAN_6], True),
        ("fd01::2", [LAN_6], False),
        ("fe80::1", [LAN_6, LINK_3], False),
        ("fe80::1%3", [WIDE, LINK_3], True),
        ("fe80::1%4", [WIDE, LINK_3], False),
        ("2606:4700::1", [WIDE], False),
        ("::ffff:8.8.8.8", [WIDE], False),
        ("::1", [WIDE], False),
        ("::1", [HERE], True),
    ],
)
def test_only_neighbors_are_asked(address: str, own: Sequence[Any], near: bool) -> None:
    """Own networks are near; no neighbor leads us to a router or a camera elsewhere, private or not."""
    assert is_near(ipaddress.ip_address(address), own) is near


# Trouble.


def test_hosting_without_multicast_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing can be sent to the neighbors, a sentence says so."""
    assert announcement_problem() == ""
    monkeypatch.setattr(mdns, "can_multicast", lambda interface: "Network is unreachable")
    assert "cannot be announced on the network (Network is unreachable)" in announcement_problem()


async def test_a_library_that_fails_is_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """If sockets cannot be had, nothing is found."""

    def refuse(**_: Any) -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(mdns, "AsyncZeroconf", refuse)
    assert await found(patience=0.0) == []


async def test_nothing_is_sent_where_that_is_not_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    """``RACING_DEMON_INTERFACES=none`` finds nothing, and complains of nothing."""
    monkeypatch.setenv("RACING_DEMON_INTERFACES", "none")
    monkeypatch.setattr(mdns, "AsyncZeroconf", None)
    assert announcement_problem() == ""
    assert await found(patience=0.0) == []


def test_interfaces_can_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The named addresses are used and no other; loopback can be sent to."""
    assert [str(each.ip) for each in own_interfaces()] == [LOOPBACK]
    assert can_multicast(own_interfaces()[0]) == ""
    monkeypatch.setenv("RACING_DEMON_INTERFACES", "192.0.2.99")
    assert own_interfaces() == []


async def test_a_network_that_went_away_is_named() -> None:
    """Why an address cannot be sent from is told in the system's words."""
    assert can_multicast(ipaddress.ip_interface("203.0.113.9/24")) != ""


async def test_a_probe_gives_up() -> None:
    """A server that says nothing is given up after the time that was given."""
    async with silent() as port:
        assert not await timeout(PATIENCE, has_table(f"ws://{LOOPBACK}:{port}/v1", "BCDF", 0.2))


async def test_looking_can_be_ended_at_any_time() -> None:
    """Who stops looking in the middle leaves no task behind."""
    async with silent() as port:
        async with saying({"port": port, "texts": {"code": "BCDF"}}):
            before = asyncio.all_tasks()
            looking = asyncio.create_task(found(10.0))
            async with asyncio.timeout(PATIENCE):
                while len(asyncio.all_tasks() - before) < 3:  # noqa: ASYNC110 - a task has no event for it
                    await asyncio.sleep(0.01)
            looking.cancel()
            await asyncio.gather(looking, return_exceptions=True)
            assert not {task for task in asyncio.all_tasks() - before if "_check" in repr(task)}
