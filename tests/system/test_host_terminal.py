"""A host's terminal that goes away: the table stays, and the next host on this machine is back at it."""

import asyncio
import contextlib
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import chain
from pathlib import Path
from typing import Final

import pytest
from benchmarks.pty_program import children_of, end_all

from racing_demon_client.errors import ConnectionFailed, TableEnded
from racing_demon_client.net.client import Client
from racing_demon_client.net.local_server import wait_until_ended
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Identified
from tests.support.effort import usually
from tests.support.people import challenged, enrolled
from tests.support.ports import free_port
from tests.support.processes import (
    CLIENT,
    SERVER,
    Running,
    plain_host,
    server_process,
    started,
    text_of,
)
from tests.support.restartable_server import wait_until
from tests.support.servers import PATIENCE, Peer
from tests.system.test_mouse import Mouse, mouse

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")

F6, F7 = "\x1b[17~", "\x1b[18~"
ANOTHER: Final = ("host", "--plain", "--no-announce", "--port", "0")


@pytest.fixture
def port() -> int:
    """Return a port that is free."""
    return free_port()


@pytest.fixture(autouse=True)
def servers() -> Iterator[list[int]]:
    """End the servers that a test names."""
    named: list[int] = []
    yield named
    end_all(named)


@asynccontextmanager
async def hosting(folder: Path, port: int, *more: str) -> AsyncIterator[tuple[Running, str]]:
    """Host a table in plain text; give the program and the table's code."""
    async with plain_host(folder, port, *more) as (program, code):
        await program.line("^Enter deals")
        yield program, code


async def guest_at(port: int, code: str) -> Client:
    """Sit down at a table."""
    return await Client.join(f"ws://127.0.0.1:{port}/v1", code, "Ben")


async def seen(guest: Client, *, connected: bool) -> None:
    """Wait until a guest is told that the host has come or gone."""
    async with asyncio.timeout(PATIENCE):
        async for _ in guest:
            if guest.view.seats[0].connected is connected:
                return
    raise AssertionError("the connection ended")


async def told_of_the_end(guest: Client) -> str:
    """Return what a guest is told as the table ends."""
    try:
        async with asyncio.timeout(PATIENCE):
            async for _ in guest:
                pass
    except TableEnded as ended:
        return str(ended)
    raise AssertionError("the table did not end")


@pytest.mark.long
async def test_a_killed_host_is_back_at_the_same_table(tmp_path: Path, port: int, servers: list[int]) -> None:
    """After kill -9 the guests stay, and a new host has the same code, seat and bots."""
    async with hosting(tmp_path, port, "--bots", "1") as (first, code):
        servers += children_of(first.pid)
        async with await guest_at(port, code) as ben:
            first.stop(signal.SIGKILL)
            await seen(ben, connected=False)
            async with hosting(tmp_path, port) as (second, again):
                await seen(ben, connected=True)
                assert (code, ["Ann", "Ada", "Ben"]) == (again, [s.name for s in ben.view.seats.values()])
                second.type("leave", "leave")
                assert "ended" in await told_of_the_end(ben)
                assert (await second.end()).code == 0
    assert not await is_served(port, code)


async def test_a_host_and_a_server_that_were_killed_are_back(
    tmp_path: Path, port: int, servers: list[int]
) -> None:
    """When both were killed, a new host brings the table back, and guests come back by themselves."""
    async with hosting(tmp_path, port) as (first, code):
        server = min(children_of(first.pid))  # the commands by which it asks the server come later
        async with await guest_at(port, code) as ben:
            first.stop(signal.SIGKILL)
            os.kill(server, signal.SIGKILL)
            await first.process.wait()
            async with hosting(tmp_path, port) as (second, again):
                servers += children_of(second.pid)
                await seen(ben, connected=True)
                assert (code, 2) == (again, len(ben.view.seats))


@pytest.mark.long
async def test_who_cannot_continue_a_table_is_told_why_another_opens(
    tmp_path: Path, port: int, servers: list[int]
) -> None:
    """Another program has its port now, and it is not our server."""
    async with hosting(tmp_path, port) as (first, code):
        server = min(children_of(first.pid))
        first.stop(signal.SIGKILL)
        os.kill(server, signal.SIGKILL)
        await first.process.wait()
    await wait_until_ended(port)
    env = {"RACING_DEMON_STATE": str(tmp_path), "RACING_DEMON_DATA": str(tmp_path)}
    async with await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", port):
        async with started(CLIENT, "host", "--plain", "--no-announce", env=env) as second:
            await second.line(rf"^table {code} could not be continued \(.+\), so this is another")
            servers += children_of(second.pid)


async def is_served(port: int, code: str) -> bool:
    """Return whether a table can still be entered."""
    with contextlib.suppress(ConnectionFailed, CommandRefused):
        async with await guest_at(port, code):
            return True
    return False


@pytest.mark.long
async def test_another_table_can_be_had(tmp_path: Path, port: int, servers: list[int]) -> None:
    """``--new`` leaves the old table alone, if it has a journal of its own."""
    async with hosting(tmp_path, port) as (first, code):
        servers += children_of(first.pid)
        first.stop(signal.SIGKILL)
        await first.process.wait()
        async with hosting(tmp_path, 0, "--new", f"--journal={tmp_path / 'other.sqlite'}") as (_, another):
            assert code != another
        assert await is_served(port, code)


async def test_a_second_host_is_refused_and_shown_ways(tmp_path: Path, port: int) -> None:
    """Another file would hide an evening. The table that has the journal is named, and each way out works."""
    env = {"RACING_DEMON_STATE": str(tmp_path), "RACING_DEMON_DATA": str(tmp_path)}
    async with hosting(tmp_path, port) as (_, code):
        ended = await text_of(CLIENT, *ANOTHER, "--new", env=env)
        assert ended.code == 3
        assert f"Table {code} is still open here" in ended.err
        for way in ("racing-demon host continues it", f"--server localhost:{port} ", "--journal FILE "):
            assert way in ended.err
        assert not list(tmp_path.glob("journal-2*"))
        assert await is_served(port, code)


@pytest.mark.long
async def test_a_host_beside_a_server_that_stays_is_refused(tmp_path: Path, port: int) -> None:
    """The journal of a server that knows no such table is not left for another file, either."""
    env = {"RACING_DEMON_STATE": str(tmp_path), "RACING_DEMON_DATA": str(tmp_path)}
    async with started(SERVER, "--host=127.0.0.1", f"--port={port}", env=env) as server:
        await server.line("listening on")
        ended = await text_of(CLIENT, *ANOTHER, env=env)
    assert ended.code == 3
    assert f"Another server uses the journal {tmp_path / 'journal.sqlite'}." in ended.err
    assert "--server ADDRESS" in ended.err


async def test_ctrl_c_asks_before_it_ends_the_table_of_others(tmp_path: Path, port: int) -> None:
    """The first Ctrl-C says what it would do, the second does it: the guests get the standings."""
    async with hosting(tmp_path, port, "--option", "countdown_ms=0") as (host, code):
        async with await guest_at(port, code) as ben:
            await host.line("^Ben took seat")
            host.type("")
            async with asyncio.timeout(PATIENCE):
                async for _ in ben:
                    if ben.view.phase is Phase.PLAYING:
                        break
            host.stop(signal.SIGINT)
            await host.line("ends for everybody. Press Ctrl-C again")
            host.stop(signal.SIGINT)
            assert "ended" in await told_of_the_end(ben)
            assert (ben.view.phase, len(ben.view.results)) == (Phase.OVER, 1)
        assert (await host.end()).code == 130
    assert not await is_served(port, code)


async def test_the_server_of_a_deserted_table_ends() -> None:
    """When nobody has been there for the time that is allowed, nothing is left behind."""
    limits = ("--until-table-ends", "--limit", "idle_table_seconds=6")
    async with server_process(*limits) as (server, url):
        async with Peer.hosting(url):
            pass
        assert (await server.end()).code == 0


@pytest.mark.long
async def test_a_television_that_was_left_on_keeps_no_table_open() -> None:
    """Whoever only watches is sent away when no player has been there for so long."""
    limits = ("--until-table-ends", "--limit", "idle_table_seconds=6")
    async with server_process(*limits) as (server, url):
        ann = await Client.create(url, "Ann")
        async with await Client.watch(url, ann.code) as television:
            await ann.close()
            assert "ended" in await told_of_the_end(television)
        assert (await server.end()).code == 0


@pytest.mark.long
async def test_a_server_whose_host_never_came_ends() -> None:
    """A client that is killed before it has opened its table leaves nothing behind, either."""
    async with server_process("--until-table-ends", "--limit", "idle_table_seconds=0.3") as (server, _):
        assert (await server.end()).code == 0


# The terminal table.


def code_in(lobby: Mouse) -> str:
    """Return the code that the lobby shows."""
    return lobby.until(r"http://\S+/([A-Z]{4})\b")[1]


@pytest.mark.parametrize("how", usually(1, ["window", "kill -9", "kill"]))
async def test_a_closed_window_closes_no_table(
    tmp_path: Path, port: int, how: str, servers: list[int]
) -> None:
    """Whichever way the terminal went, ``host`` shows the same lobby again."""
    command = ("host", "--name", "Ann", "--no-announce", "--port", str(port))
    with mouse(tmp_path, *command) as first:
        code = code_in(first)
        servers += children_of(first.pid)
        first.lose(how)
    with mouse(tmp_path, *command) as second:
        assert code == code_in(second)
        second.until("continues")
        second.type("\x03")
        second.until("Leave the table")
        second.type("\x03")
        second.ended()

    def is_closed() -> bool:
        with socket.socket() as other:
            return other.connect_ex(("127.0.0.1", port)) != 0

    await wait_until(is_closed)  # the program does not wait for ever until its server has ended


def codes(folder: Path) -> int:
    """Return how many codes for devices the server below a folder has."""
    (path,) = folder.rglob("journal-players.sqlite")
    with contextlib.closing(sqlite3.connect(path)) as db:
        return int(db.execute("SELECT count(*) FROM device_codes").fetchone()[0])


@pytest.mark.long
async def test_the_host_lets_a_cleared_phone_be_its_owners(
    tmp_path: Path, port: int, servers: list[int]
) -> None:
    """The terminal lists Ben with his last visit, and shows a code that makes a new device his.

    The code ends with the dialog, and with the window, however that is closed.
    """
    with mouse(tmp_path, "host", "--name", "Ann", "--no-announce", "--port", str(port)) as lobby:
        code_in(lobby)
        url = f"ws://127.0.0.1:{port}/v1"
        async with Peer.connect(url) as phone:
            ben = await enrolled(phone, "Ben", "1" * 64)
        lobby.type("p")
        lobby.until(r"Ben +last here \d{4}-\d\d-\d\d \d\d:\d\d +" + ben.player)
        is_second = re.search(r"Ann +last here(?s:.*)Ben +last here", lobby.text)
        lobby.type("\x1b[B\r" if is_second else "\r")
        lobby.until("A new phone of Ben")
        code = lobby.until(r"(?s)/you.*\b([A-Z]{6})\b.*valid for \d+ seconds")[1]
        async with Peer.connect(url) as cleared:
            await challenged(cleared)
            await cleared.say(cl.Link(name="Ben", code=code, secret="2" * 64))
            assert (await cleared.until(Identified)).player == ben.player
        lobby.type("\x1b")
        lobby.until(r"(?s)\A(?!.*A new phone)")
        lobby.type("p")
        lobby.until(r"Ben +last here")
        lobby.type("\x1b[B\r" if is_second else "\r")
        lobby.until(r"(?s)/you.*\b([A-Z]{6})\b.*valid for \d+ seconds")
        assert codes(tmp_path) == 1
        lobby.type("\x1b")
        lobby.until("Enter deals")
        await wait_until(lambda: codes(tmp_path) == 0)
        lobby.type("p")
        lobby.until(r"Ben +last here")
        lobby.type("\x1b[B\r" if is_second else "\r")
        lobby.until(r"(?s)/you.*\b([A-Z]{6})\b.*valid for \d+ seconds")
        assert codes(tmp_path) == 1
        servers += children_of(lobby.pid)
        lobby.lose("kill -9")
        await wait_until(lambda: codes(tmp_path) == 0)


def scanned(text: str, path: Path) -> str:
    """Return the text of the QR code on a screen, drawn in half blocks, as a camera reads it."""
    rows = []
    for line in text.splitlines():
        drawn = line[-len(line) + line.find("█") :] if "█" in line else ""
        rows += [[each in upper for each in drawn] for upper in ("█▀", "█▄") if drawn]
    width = max(map(len, rows))
    bright = [[255 * shown for shown in [*row, *[False] * (width - len(row))]] for row in rows]
    image = [[cell for cell in row for _ in range(8)] for row in bright for _ in range(8)]
    path.write_bytes(b"P5 %d %d 255\n" % (len(image[0]), len(image)) + bytes(chain.from_iterable(image)))
    found = subprocess.run(  # noqa: S603
        ["zbarimg", "--raw", "-q", path],  # noqa: S607
        capture_output=True,
        text=True,
        check=True,
    )
    return found.stdout.strip()


@pytest.mark.long
@pytest.mark.skipif(shutil.which("zbarimg") is None, reason="zbarimg reads the QR code: install zbar-tools")
async def test_a_lobby_at_a_new_address_invites_who_was_there_before(tmp_path: Path) -> None:
    """At the next address the lobby shows the code of the table alone, and Ben's where it is asked for."""
    known = None
    for port in (free_port(), free_port()):
        with mouse(tmp_path, "host", "--name", "Ann", "--no-announce", "--port", str(port)) as lobby:
            code = code_in(lobby)
            url = f"ws://127.0.0.1:{port}/v1"
            if known is None:
                async with Peer.connect(url) as phone:
                    known = await enrolled(phone, "Ben", "1" * 64)
            else:
                lobby.until(r"(?s)p shows a code for Ben on a new phone.*Enter deals")
                lobby.type("q")
                lobby.until(r"(?s)█{25,}.*[█▀]{25,}.*Enter deals")
                link = scanned(lobby.text, tmp_path / "code.pgm")
                assert link.casefold().endswith(f":{port}/{code}".casefold())
                lobby.type("q")
                lobby.until(r"(?s)\A(?!.*█{25,})")
                lobby.type("p")
                lobby.until(r"(?s)Ann +last here.*Ben +last here|Ben +last here")
                is_second = re.search(r"Ann +last here(?s:.*)Ben +last here", lobby.text)
                lobby.type("\x1b[B\r" if is_second else "\r")
                lobby.until(r"(?s)A new phone of Ben.*█{25,}.*[█▀]{25,}")
                link = scanned(lobby.text, tmp_path / "code.pgm")
                found = re.fullmatch(rf"http://\S+:{port}/you#([A-Z]{{6}}),Ben,{code}", link)
                assert found is not None, link
                async with Peer.connect(url) as cleared:
                    await challenged(cleared)
                    await cleared.say(cl.Link(name="Ben", code=found[1], secret="2" * 64))
                    assert (await cleared.until(Identified)).player == known.player
                lobby.type("\x1b")
                lobby.until("Enter deals")
                lobby.type(F6)
                lobby.until("p shows a code for Ben on a new phone")
                lobby.type(F7)
                lobby.until("Enter deals")
            lobby.type("\x03")
            lobby.until("Leave the table")
            lobby.type("\x03")
            lobby.ended()


@pytest.mark.long
async def test_the_next_evening_names_who_was_there_before(tmp_path: Path, port: int) -> None:
    """In plain text the lobby at another address names Ben unasked."""
    async with hosting(tmp_path, port) as (host, _):
        async with Peer.connect(f"ws://127.0.0.1:{port}/v1") as phone:
            await enrolled(phone, "Ben", "1" * 64)
        host.type("q")
        await host.end()
    async with hosting(tmp_path, free_port()) as (host, _):
        await host.line("^The server knows Ben")


@pytest.mark.long
async def test_the_host_lets_a_player_in_on_a_new_phone_by_words(tmp_path: Path, port: int) -> None:
    """In plain text a command has Ben's code until anything else is typed, and another lists who is known."""
    url = f"ws://127.0.0.1:{port}/v1"
    async with hosting(tmp_path, port) as (host, _):
        async with Peer.connect(url) as phone:
            ben = await enrolled(phone, "Ben", "1" * 64)
        host.type("people ben")
        await host.line("enter the name Ben and the code ([A-Z]{6})")
        assert codes(tmp_path) == 1
        host.type("people 6")
        await host.line("^nobody has that name: type people")
        host.type("people")
        await host.line(f"^Ben, last here .*{ben.player}")
        await wait_until(lambda: codes(tmp_path) == 0)
        host.type("people ben")
        code = (await host.line("enter the name Ben and the code ([A-Z]{6})"))[1]
        async with Peer.connect(url) as cleared:
            await challenged(cleared)
            await cleared.say(cl.Link(name="Ben", code=code, secret="2" * 64))
            assert (await cleared.until(Identified)).player == ben.player


@pytest.mark.long
def test_enter_alone_asks_before_it_deals(tmp_path: Path, port: int) -> None:
    """Whoever waits for a friend does not begin a match of five hands with one key."""
    with mouse(tmp_path, "host", "--name", "Ann", "--no-announce", "--port", str(port)) as lobby:
        lobby.until("Enter deals")
        lobby.type("\r")
        lobby.until("Nobody else is here yet")
        lobby.type("n")
        lobby.until(r"(?s)\A(?!.*Nobody else)")
        lobby.type("\r")
        lobby.until("Nobody else is here yet")
        lobby.type("y")
        lobby.until("hand 1")


async def test_enter_alone_asks_in_plain_text(tmp_path: Path, port: int) -> None:
    """The first Enter asks, the second deals."""
    async with hosting(tmp_path, port, "--option", "countdown_ms=0") as (host, _):
        host.type("")
        await host.line("^Nobody else is here yet")
        host.type("")
        await host.line("^play!")


@pytest.mark.long
async def test_who_joins_during_a_hand_is_told_in_plain_text(tmp_path: Path, port: int) -> None:
    """The first line says from when on one plays."""
    async with hosting(tmp_path, port, "--bots", "1", "--option", "countdown_ms=0") as (host, code):
        host.type("")
        await host.line("^play!")
        async with started(CLIENT, "join", "--name", "Ben", f"http://127.0.0.1:{port}/{code}") as guest:
            await guest.line("you play from the next deal$")
