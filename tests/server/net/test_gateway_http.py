"""Plain HTTP at the game's port, and the handshake."""

import asyncio
import logging
import socket
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Subprotocol

from racing_demon_server.enums import Durability
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.journal.operations import Operation
from racing_demon_server.journal.sqlite.store import SqliteStore
from racing_demon_server.journal.writer import DurableJournal
from racing_demon_server.net.gateway import url_of
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.registry import Registry
from tests.support.cases import for_each
from tests.support.clocks import clock
from tests.support.restartable_server import wait_until
from tests.support.servers import PATIENCE, Peer, Served, gateway_of, serving, serving_with, timeout

TOKEN = "0f" * 32


async def fetch(url: str) -> tuple[int, str]:
    """Return the status and the body that a URL answers."""

    def get() -> tuple[int, str]:
        try:
            with urllib.request.urlopen(url, timeout=PATIENCE) as response:  # noqa: S310 - our own server
                return response.status, response.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    return await asyncio.to_thread(get)


async def handshake_status(served: Served, **more: object) -> int:
    """Return the HTTP status that a handshake is refused with."""
    with pytest.raises(InvalidStatus) as refused:
        async with connect(served.url, **more):  # type: ignore[arg-type]
            raise AssertionError("the handshake was not refused")
    return refused.value.response.status_code


async def test_healthz_says_ok() -> None:
    """A load balancer's question is answered on the same port, with the number of tables."""
    async with serving() as served:
        assert await fetch(f"{served.origin}/healthz") == (200, '{"status": "ok", "tables": 0}\n')


async def test_healthz_takes_a_query() -> None:
    """What stands behind the question mark makes no difference."""
    async with serving() as served:
        assert await fetch(f"{served.origin}/healthz?now") == (200, '{"status": "ok", "tables": 0}\n')


async def test_a_mistake_over_a_request_is_answered_and_told(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The browser hears that the server made it; the log has the traceback."""

    def fail(self: Registry) -> int:
        raise ZeroDivisionError

    monkeypatch.setattr(Registry, "__len__", fail)
    async with serving() as served:
        assert await fetch(f"{served.origin}/healthz") == (500, "The server made an error.\n")
        monkeypatch.undo()
    (record,) = (record for record in caplog.records if record.levelno >= logging.ERROR)
    assert record.getMessage() == "a request could not be answered"
    assert record.exc_info is not None
    assert ZeroDivisionError is record.exc_info[0]


@for_each("is_closed_before", [True, False])
async def test_who_has_said_nothing_when_the_server_closes_is_cut_off(is_closed_before: bool) -> None:
    """A connection that was accepted just before or after that gets no answer."""
    settings = ServerSettings(entry_seconds=600.0)
    registry = Registry(settings, clock, NullJournal())
    gateway = gateway_of(settings, registry)
    if is_closed_before:
        gateway.close(1001, "")
    here, there = socket.socketpair()
    loop = asyncio.get_running_loop()
    here.setblocking(False)
    await loop.connect_accepted_socket(gateway.connect, there)
    if not is_closed_before:
        gateway.close(1001, "")
    assert await timeout(PATIENCE, loop.sock_recv(here, 1)) == b""
    await timeout(PATIENCE, gateway.wait_closed())
    assert gateway.closed == 1
    here.close()


async def test_healthz_says_that_the_disk_is_full(tmp_path: Path) -> None:
    """While nothing can be written the server is not well, and whoever looks after it can see that."""
    store = SqliteStore(tmp_path / "journal.sqlite", Durability.NORMAL)
    journal = DurableJournal(store)
    async with serving_with(journal) as served:
        store.db.execute("PRAGMA max_page_count = 1").fetchall()
        journal.write([(Operation.ADD_SEED, (1, "", bytes(100_000), ""))], lambda: None)
        await wait_until(lambda: journal.is_halted)
        status, body = await fetch(f"{served.origin}/healthz")
        assert status == 503
        assert body == '{"status": "halted", "tables": 0}\n'
        store.db.execute("PRAGMA max_page_count = 1000000").fetchall()
        await timeout(PATIENCE, journal.drained())
        assert (await fetch(f"{served.origin}/healthz"))[0] == 200
    journal.close()


@for_each("path", ["/healthz", "/nothing"])
async def test_who_asks_for_the_head_alone_has_no_body(path: str) -> None:
    """What HEAD is answered is what GET is, without the page."""
    async with serving() as served:
        asked = [f"{{}} {path} HTTP/1.1", "Host: 127.0.0.1", "", ""]
        heads = []
        for method in ("GET", "HEAD"):
            reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
            writer.write("\r\n".join(asked).format(method).encode())
            head, _, body = (await timeout(PATIENCE, reader.read())).partition(b"\r\n\r\n")
            assert bool(body) is (method == "GET")
            heads.append([line for line in head.splitlines() if not line.startswith(b"Date")])
            writer.close()
        assert heads[0] == heads[1]


@for_each("path", ["/v2", "/v1/", "/healthz/x", "/%2e%2e/etc/passwd"])
async def test_other_paths_are_not_found(path: str) -> None:
    """Whoever asks for something else is told where the game is."""
    async with serving() as served:
        assert await fetch(served.origin + path) == (404, "The game is at /v1, over WebSocket.\n")


async def test_the_game_needs_a_websocket() -> None:
    """A browser that opens the game's address is told to upgrade."""
    async with serving() as served:
        status, _ = await fetch(f"{served.origin}/v1")
        assert status == 426


@for_each("subprotocols", [None, [Subprotocol("racing-demon.v2+msgpack")]])
async def test_an_encoding_must_be_chosen(subprotocols: list[Subprotocol] | None) -> None:
    """Without a subprotocol that the server knows there is no connection."""
    async with serving() as served:
        assert await handshake_status(served, subprotocols=subprotocols) == 400


async def test_compression_is_not_offered() -> None:
    """A client that wants frames deflated gets them plain, so none can be a bomb."""
    async with serving() as served, Peer.connect(served.url, compression="deflate") as peer:
        assert peer.socket.protocol.extensions == []


async def test_a_torn_handshake_is_no_news(caplog: pytest.LogCaptureFixture) -> None:
    """A port scan leaves nothing in the log, nor does the library tell of each connection."""
    logging.getLogger("websockets.server").setLevel(logging.NOTSET)
    caplog.set_level(logging.INFO)
    async with serving() as served:
        async with Peer.connect(served.url) as peer:
            await peer.greet()
        for noise in (b"", b"\r\n", b"\x16\x03\x01\x02\x00\x01\x00", b"GET / HTTP/1.1\r\nHost: x\r\n"):
            reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
            writer.write(noise)
            writer.write_eof()
            await timeout(PATIENCE, reader.read())
            writer.close()
            await writer.wait_closed()
    assert [record for record in caplog.records if record.name != "websockets.client"] == []


@for_each(
    ("host", "url"), [("127.0.0.1", "ws://127.0.0.1:5252/v1"), ("2001:db8::1", "ws://[2001:db8::1]:5252/v1")]
)
def test_the_address_that_a_server_tells(host: str, url: str) -> None:
    """An address of IPv6 stands in brackets (RFC 3986, 3.2.2)."""
    assert url == url_of(host, 5252)
