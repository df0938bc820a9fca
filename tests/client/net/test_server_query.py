"""The tables that a server lists: real servers, and some that answer whatever they like."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from racing_demon_client.discovery.finder import resolve_table, table_line
from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.net.server_query import fetch_presets, fetch_tables
from racing_demon_client.net.transport import AUTHORITY
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Joined
from racing_demon_protocol.wire.options import Options
from racing_demon_protocol.wire.saved_presets import new_preset
from tests.support.cases import for_each
from tests.support.processes import CLIENT, Here, started
from tests.support.servers import Peer, serving
from tests.support.tunnels import forward, make_certificate

ENTRY: Final[dict[str, Any]] = {
    "code": "BCDF",
    "game": "classic",
    "host": "Ann",
    "players": 1,
    "seats": 4,
    "locked": False,
    "running": False,
}
OK: Final = b"HTTP/1.1 200 OK\r\nConnection: close\r\n"


@asynccontextmanager
async def answering(answer: bytes) -> AsyncIterator[str]:
    """Answer every request with some bytes; return where."""

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answer)
        writer.close()

    async with await asyncio.start_server(talk, "127.0.0.1", 0) as server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"


def sent(entries: object) -> bytes:
    """Return a list of tables as a server sends it."""
    body = json.dumps(entries).encode()
    return OK + f"Content-Length: {len(body)}\r\n\r\n".encode() + body


# TLS.


async def test_a_private_authority_is_named_and_trusted(
    here: Here, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A certificate that is not trusted is called that, and what helps is said."""
    monkeypatch.setenv(AUTHORITY, "")
    certificate = make_certificate(tmp_path)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate)
    async with serving(lists_tables=True) as served:
        tunnel = partial(forward, served.port)
        async with await asyncio.start_server(tunnel, "127.0.0.1", 0, ssl=context) as proxy:
            address = f"127.0.0.1:{proxy.sockets[0].getsockname()[1]}"
            refused = await here("tables", f"wss://{address}")
            trusted = await here("tables", f"https://{address}", "--ca", str(certificate))
    assert (refused.code, trusted.code) == (4, 1)  # 1: it lists none
    assert "is not trusted here: self-signed certificate." in refused.err
    assert "--ca" in refused.err


# Listed.


async def test_a_server_lists_its_tables() -> None:
    """A line says whose table it is, how many seats are free, and whether it asks for a passphrase."""
    async with serving(lists_tables=True) as served:
        options = Options(seats=2)
        opening = cl.Create(name="Ann", options=options, passphrase="sesame")  # noqa: S106
        async with Peer.entered(served.url, opening) as ann:
            here = served.url.removesuffix("/v1")
            (table,) = await fetch_tables(here)
            line = f"{ann.code}  Ann's table, Klondike race, 1 seat free, with a passphrase  {here}"
            assert line == table_line(table)


async def test_tables_with_free_seats_come_first() -> None:
    """A full table is listed last, and says that it is full."""
    async with serving(lists_tables=True) as served:
        async with Peer.hosting(served.url, seats=2) as full, Peer.hosting(served.url) as free:
            async with Peer.entered(served.url, cl.Join(code=full.code, name="Ben")):
                tables = await fetch_tables(served.url)
                assert [(free.code, 7), (full.code, 0)] == [(table.code, table.free) for table in tables]
                assert ", full  " in table_line(tables[1])


@for_each("settings", [{"lists_tables": False}, {"web": False}], ids=str)
async def test_a_server_may_list_nothing(settings: dict[str, bool]) -> None:
    """A server that tells nobody of its tables, or that serves no pages, lists none."""
    async with serving(**settings) as served, Peer.hosting(served.url):
        assert await fetch_tables(served.url) == []


async def test_a_server_has_presets_of_its_own() -> None:
    """They come by name; a server without any has none."""
    ours = new_preset("Club night", Options(game="classic", reserve=11))
    async with serving(presets=(ours,)) as served:
        assert await fetch_presets(served.url) == {"club-night": ours}
    async with serving() as served:
        assert await fetch_presets(served.url) == {}


# Hostile servers.


async def test_a_list_is_bounded_and_cleaned() -> None:
    """Of a long list the first tables are taken, those that cannot be are left out, and texts are cleaned."""
    wrong = [
        {**ENTRY, **change} for change in ({"code": "../"}, {"host": "x" * 99}, {"seats": 9}, {"game": 5})
    ]
    hostile = {**ENTRY, "host": "\x1b[2J\u202eEve", "game": "a\nb"}
    async with answering(sent([*wrong, [], None, hostile, *[ENTRY] * 900])) as address:
        tables = await fetch_tables(address)
    assert (tables[0].host, tables[0].game) == ("?[2J?Eve", "a?b")
    assert 64 - len(wrong) - 2 == len(tables)


@for_each(
    "body", [b"{}", b"null", b"<html>", b"\xff", b"[" * 100_000, b"[1e999999", b'"' + b"x" * 9_999], ids=len
)
async def test_what_is_no_list_is_told(body: bytes) -> None:
    """A sentence says that what was sent is no list of tables."""
    async with answering(OK + b"\r\n" + body) as address:
        with pytest.raises(ConnectionFailed, match="sends is no list of tables"):
            await fetch_tables(address)


@for_each(
    "answer",
    [
        OK + b"\r\n" + b" " * 2_000_000,
        OK + b"Content-Length: 99999999999\r\n\r\n",
        OK + b"X: " + b"x" * 100_000,
        OK + b"X: x\r\n" * 9_999,
        b"SSH-2.0-OpenSSH\r\n",
        b"",
    ],
    ids=lambda answer: f"{answer[15:40]!r}",
)
async def test_an_answer_without_an_end_is_given_up(answer: bytes) -> None:
    """What is too large, or no answer at all, is no server."""
    async with answering(answer) as address:
        with pytest.raises(ConnectionFailed, match="There is no server at"):
            await fetch_tables(address)


async def test_no_list_is_followed_to_another_host() -> None:
    """A redirect leads nowhere: the server lists no tables."""
    elsewhere = b"HTTP/1.1 302 Found\r\nLocation: ws://192.0.2.1/\r\nContent-Length: 0\r\n\r\n"
    async with answering(elsewhere) as address:
        assert await fetch_tables(address) == []


# A seat.


async def test_the_only_table_with_a_free_seat_is_joined() -> None:
    """Who joins with an address alone sits down where a seat is free; who watches may choose."""
    lines: list[str] = []
    async with serving(lists_tables=True) as served:
        here = served.url.removesuffix("/v1")
        async with Peer.hosting(served.url, seats=2) as full, Peer.hosting(served.url) as free:
            async with Peer.entered(served.url, cl.Join(code=full.code, name="Ben")):
                assert await resolve_table(here, None, lines.append, asks=False, sits=True) == (
                    here,
                    free.code,
                )
                assert [f"found {free.code}  Ann's table, Klondike race, 7 seats free  {here}"] == lines
                assert await resolve_table(here, None, lines.append, asks=False) is None
                assert [free.code, full.code] == [line.split()[1] for line in lines[1:]]


async def test_no_free_seat_is_told() -> None:
    """Where all seats are taken, and where no table is open, a sentence says so."""
    async with serving(lists_tables=True) as served:
        with pytest.raises(ConnectionFailed, match="lists no tables"):
            await resolve_table(served.url, None, print, asks=False, sits=True)
        async with Peer.hosting(served.url, seats=2) as full:
            async with Peer.entered(served.url, cl.Join(code=full.code, name="Ben")):
                with pytest.raises(ConnectionFailed, match=r"All seats .* are taken"):
                    await resolve_table(served.url, None, print, asks=False, sits=True)


# The commands.


async def test_tables_of_a_server_are_listed(here: Here) -> None:
    """``tables ADDRESS`` lists for people and for programs; without any table it ends with 1."""
    async with serving(lists_tables=True) as served:
        address = served.url.removesuffix("/v1")
        ended = await here("tables", address)
        assert (ended.code, ended.out) == (1, "")
        assert f"The server at {address} lists no tables." in ended.err
        async with Peer.hosting(served.url) as ann:
            ended = await here("tables", f"{served.origin}/{ann.code}")
            assert (ended.code, ended.err) == (0, "")
            assert ended.out.startswith(f"{ann.code}  Ann's table")
            ended = await here("tables", address, "--json")
            told = json.loads(ended.out)
            assert (f"{served.origin}/{ann.code}", 7) == (told["link"], told["free"])


async def test_a_guest_finds_a_seat() -> None:
    """``join ADDRESS`` takes a seat at the only table."""
    async with serving(lists_tables=True) as served, Peer.hosting(served.url) as ann:
        async with started(CLIENT, "join", served.url, "--name", "Ben") as guest:
            await guest.line(f"^found {ann.code}  Ann's table")
            joined = await ann.until(Joined)
            assert joined.name == "Ben"
            guest.hang_up()
            assert (await guest.end()).code == 0


async def test_the_last_name_of_a_path_may_be_the_servers() -> None:
    """Without a slash it is a code; if there is no such table, the server is below the whole path."""
    async with serving(lists_tables=True, base_path="/games/cards") as served:
        below = served.url.removesuffix("/v1")
        async with Peer.hosting(served.url) as ann:
            async with started(CLIENT, "join", below, "--name", "Ben") as guest:
                await guest.line(f"^found {ann.code}  Ann's table")
                joined = await ann.until(Joined)
                assert joined.name == "Ben"
            async with started(CLIENT, "watch", below, ann.code, "--json") as onlooker:
                await onlooker.line(f'"code": "{ann.code}"')


async def test_a_tables_link_with_a_stray_slash_leads_to_the_table(here: Here) -> None:
    """If no server answers below that path, the last name is the code after all."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        async with started(CLIENT, "watch", f"{served.origin}/{ann.code}/", "--json") as onlooker:
            await onlooker.line(f'"code": "{ann.code}"')
        for link in (f"{served.origin}/ZZZZ/", f"{served.origin}/ZZZZ"):
            ended = await here("join", link)
            assert (ended.code, ended.err) == (4, "racing-demon: There is no table with that code here.\n")


async def test_where_only_a_server_can_be_meant_it_is_below_the_whole_path(here: Here) -> None:
    """``tables``, ``presets`` and ``--server`` take no last name for a code, with a slash or without."""
    ours = new_preset("Club night", Options(game="classic", reserve=11))
    async with serving(lists_tables=True, base_path="/games/cards", presets=(ours,)) as served:
        below = served.origin
        async with started(CLIENT, "host", "--server", below, "--name", "Ann", "--plain") as host:
            await host.line("racing-demon join http://.*/games/cards/[A-Z]+$")
            for address in (below, f"{below}/"):
                ended = await here("tables", address)
                assert (ended.code, ended.err) == (0, "")
                assert "club-night" in (await here("presets", address)).out
