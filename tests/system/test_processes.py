"""Several processes that are one server: whoever lands anywhere comes to the table, and one may die alone."""

import asyncio
import contextlib
import json
import os
import random
import signal
import socket
import sys
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from racing_demon_client.net.client import Client
from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Devices, Identified
from racing_demon_protocol.wire.options import Options
from racing_demon_server.sharding import owner
from tests.support.brokers import Broker, Listening, listed
from tests.support.effort import usually
from tests.support.people import SECRETS, answer, challenged, enrolled, link_code, play_alone
from tests.support.ports import free_port, port_of
from tests.support.processes import SERVER, Running, server_process, started, text_of
from tests.support.restartable_server import Player, all_answered, judge, meeting, wait_until
from tests.support.results import results_of
from tests.support.servers import PATIENCE, Closing, Peer, deadline


async def page(port: int, path: str, **headers: str) -> str:
    """Return what a port of this machine answers to plain HTTP."""
    asked = urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers)

    def get() -> str:
        with urllib.request.urlopen(asked, timeout=PATIENCE) as answer:  # noqa: S310 - our own server
            return str(answer.read().decode())

    return await asyncio.to_thread(get)


@dataclass(frozen=True)
class ServerProcesses:
    """A server of several processes.

    Attributes:
        program: the process that looks after the others.
        url: where it listens.
        ports: the port of each.

    """

    program: Running
    url: str
    ports: tuple[int, ...]

    @property
    def urls(self) -> list[str]:
        """Where each of them listens alone."""
        return [f"ws://127.0.0.1:{port}/v1" for port in self.ports]

    @property
    def pids(self) -> list[int]:
        """The numbers of the processes, the oldest first."""
        return children(self.program.pid)

    async def facts(self, number: int) -> dict[str, Any]:
        """Return what one of them says of itself."""
        return dict(json.loads(await page(self.ports[number - 1], "/healthz")))


def children(pid: int) -> list[int]:
    """Return the processes that a process has started, the oldest first."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@asynccontextmanager
async def server_processes(count: int, *arguments: str) -> AsyncIterator[ServerProcesses]:
    """Start a server of so many processes; in the end none of them is left."""
    async with server_process("--processes", str(count), *arguments) as (program, url):
        port = port_of(url)
        server = ServerProcesses(program, url, tuple(json.loads(await page(port, "/healthz"))["ports"]))
        yield server
        pids = server.pids if program.process.returncode is None else []
    await wait_until(lambda: not any(map(is_running, pids)))


def is_running(pid: int) -> bool:
    """Tell whether a process is there, and not only waited for."""
    with suppress(OSError):
        os.kill(pid, 0)
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    return False


pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")

BACK = Closing(1012, "The server is stopping. Your table comes back when it restarts.")


# Landing anywhere.


async def test_eight_who_land_on_any_process_play_a_match() -> None:
    """The host and seven others begin at all ports; they meet at one table and see one match."""
    options = Options(hands=1, countdown_ms=20, tally_ms=0)
    async with server_processes(3) as server, contextlib.AsyncExitStack() as stack:
        urls = [*server.urls, server.url]
        clients = [await stack.enter_async_context(await Client.create(urls[1], "Ann", options))]
        for number in range(1, 8):
            joining = Client.join(urls[number % 4], clients[0].code, f"P{number}")
            clients.append(await stack.enter_async_context(await joining))
        assert owner(clients[0].code, 3) == 2
        players = [Player(client, random.Random(index)) for index, client in enumerate(clients)]
        tasks = [asyncio.create_task(player.play(0.02)) for player in players]
        await clients[0].send(cl.Start(counter=clients[0].next_counter()))

        def all_know_the_end() -> bool:
            # Whoever sees it is ready for more at once: so some may know an event more than others.
            known = {client.view.seq for client in clients}
            return len(known) == 1 and all(client.view.phase is Phase.OVER for client in clients)

        await wait_until(lambda: all("played" in player.answered.values() for player in players))
        for player in players:
            player.rests = True
        await wait_until(lambda: not any(client.waiting for client in clients))
        for client in clients:
            await client.send(cl.Stuck(counter=client.next_counter()))
        await wait_until(all_know_the_end)
        for task in tasks:
            task.cancel()
        assert len({str(client.view.snapshot(0)) for client in clients}) == 1
        assert [(await server.facts(number))["tables"] for number in (1, 2, 3)] == [0, 1, 0]


async def test_every_process_can_be_looked_at() -> None:
    """Each answers at its own port with its own number, tables and metrics."""
    async with server_processes(2) as server, await Client.create(server.urls[1], "Ann"):
        facts = [await server.facts(number) for number in (1, 2)]
        assert [(fact["process"], fact["tables"]) for fact in facts] == [(1, 0), (2, 1)]
        metrics = [await page(port, "/metrics") for port in server.ports]
        assert ['racing_demon_tables{phase="lobby"} 1.0' in text for text in metrics] == [False, True]


@pytest.mark.long
async def test_the_broker_hears_of_the_tables_of_all(tmp_path: Path) -> None:
    """Each process is a node of its own there, and players find the tables of all of them."""
    async with (
        Broker.running(tmp_path) as broker,
        Listening.to(broker, "rd/pub/#") as feed,
        server_processes(2, "--mqtt", broker.url, "--node", "home") as server,
        await Client.create(server.urls[0], "Ann") as ann,
        await Client.create(server.urls[1], "Ben") as ben,
    ):
        codes = {ann.code, ben.code}
        topics = {f"rd/pub/home{owner(code, 2)}/tables/{code.lower()}" for code in codes}
        async with deadline(lambda: f"{topics} in {feed.heard}"):
            while not topics <= {heard.topic for heard in feed.heard}:
                await feed.next()
        assert codes == {table.code for table in await listed(broker, *codes)}


# Dying and stopping.


@asynccontextmanager
async def two_tables(server: ServerProcesses) -> AsyncIterator[tuple[list[Player], list[Player]]]:
    """Let two play at a table of the first process, and two at one of the second."""
    async with meeting(server.urls[0], 2, 1) as here, meeting(server.urls[1], 2, 2) as there:
        yield here, there


async def test_one_process_dies_alone(tmp_path: Path) -> None:
    """Killed, it comes back with its tables, and nothing told is lost; others do not notice."""
    journal = tmp_path / "journal.sqlite"
    said: list[str] = []
    async with server_processes(2, "--journal", str(journal)) as server:
        async with two_tables(server) as (here, there):
            here[0].client.notice = said.append
            await wait_until(lambda: all(player.answered for player in (*here, *there)))
            for _ in range(2):
                first, second = server.pids
                os.kill(second, signal.SIGKILL)
                await wait_until(lambda: len(server.pids) == 2 and second not in server.pids)  # noqa: B023
                heard = {id(player): len(player.seen) for player in (*here, *there)}
                await wait_until(lambda: all(len(p.seen) > heard[id(p)] for p in (*here, *there)))  # noqa: B023
                assert first == server.pids[0]
            await all_answered((*here, *there))
        assert said == []
        server.program.stop()
        assert (await server.program.end()).code == 0
    for path, players in ((journal, here), (tmp_path / "journal-process-2.sqlite", there)):
        verdict = judge(path, players)
        assert verdict.is_right
        assert verdict.told


@pytest.mark.parametrize("number", usually(1, [signal.SIGTERM, signal.SIGINT]))
async def test_a_signal_stops_all_and_they_come_back_with_their_tables(tmp_path: Path, number: int) -> None:
    """Everybody is told that the table comes back, and it does: with the seats, wherever one asks for it."""
    arguments = ("--journal", str(tmp_path / "journal.sqlite"))
    async with server_processes(2, *arguments) as server:
        async with Peer.hosting(server.urls[0]) as ann, Peer.hosting(server.urls[1]) as ben:
            server.program.stop(number)
            assert (await ann.closed(), await ben.closed()) == (BACK, BACK)
        ended = await server.program.end()
        assert ended == (0, "", "")
    async with server_processes(2, *arguments) as server:
        for peer in (ann, ben):
            for url in server.urls:
                async with await Client.resume(url, peer.code, peer.token) as client:
                    assert client.seat == 0


SIGNALLED_AS_A_CHILD_IS_REAPED: Final = """
import os, signal, sys
from racing_demon_server.cli import main

wait = os.wait

def waited():
    ended = wait()
    os.kill(os.getpid(), signal.SIGTERM)
    return ended

os.wait = waited
sys.exit(main())
"""
"""The server, but that a signal always comes between the end of a process and its being forgotten."""


@pytest.mark.long
async def test_a_signal_may_come_when_a_process_has_just_ended() -> None:
    """A service manager signals all of them at once: the one that is gone already is no reason to fail."""
    where = ("--host=127.0.0.1", "--port=0", "--durability=none", "--processes=2")
    async with started(SIGNALLED_AS_A_CHILD_IS_REAPED, *where) as program:
        await program.line("listening on")
        pids = children(program.pid)
        os.kill(pids[0], signal.SIGTERM)
        assert await program.end() == (0, "", "")
    assert not any(map(is_running, pids))


async def test_none_outlives_the_one_that_looks_after_them(tmp_path: Path) -> None:
    """Killed, that one takes the others with it; they say goodbye, and the tables stay in their journals."""
    async with server_processes(2, "--journal", str(tmp_path / "journal.sqlite")) as server:
        async with Peer.hosting(server.urls[1]) as ann:
            pids = server.pids
            server.program.stop(signal.SIGKILL)
            assert await ann.closed() == BACK
        await wait_until(lambda: not any(map(is_running, pids)))


async def test_one_that_cannot_start_again_ends_all(tmp_path: Path) -> None:
    """What it says of why is told, with the exit code of its reason, after a few attempts."""
    async with server_processes(2, "--journal", str(tmp_path / "journal.sqlite")) as server:
        ruined = tmp_path / "journal-process-2.sqlite"
        for part in tmp_path.glob(f"{ruined.name}-*"):
            part.unlink()
        ruined.write_bytes(b"shopping list\n" * 999)
        os.kill(server.pids[1], signal.SIGKILL)
        ended = await server.program.end()
    assert (ended.code, ended.out) == (3, "")
    assert f"{ruined} is no journal of Racing Demon." in ended.err
    assert "Traceback" not in ended.err


# More of them, or fewer.


async def seen_from(url: str, codes: list[str]) -> list[str]:
    """Return those of the tables that can be watched by whoever begins at a port."""
    seen = []
    for code in codes:
        with contextlib.suppress(CommandRefused):
            async with await Client.watch(url, code):
                seen.append(code)
    return seen


async def opened(url: str) -> str:
    """Open a table at a port, leave it alone, and return its code."""
    async with await Client.create(url, "Ann") as ann:
        return ann.code


@pytest.mark.long
async def test_one_process_s_tables_are_found_among_several(tmp_path: Path) -> None:
    """Whatever their codes, from wherever one comes: the first process has them."""
    arguments = ("--journal", str(tmp_path / "journal.sqlite"))
    async with server_process(*arguments) as (program, url):
        codes = [await opened(url) for _ in range(8)]
        program.stop()
        await program.end()
    async with server_processes(3, *arguments) as server:
        assert [codes] * 3 == [await seen_from(url, codes) for url in server.urls]
        assert (await server.facts(1))["tables"] == 8


@pytest.mark.long
async def test_tables_of_a_process_that_is_not_there_wait_for_it(tmp_path: Path) -> None:
    """With fewer processes the others' tables are found, and a warning tells of those that are not."""
    arguments = ("--journal", str(tmp_path / "journal.sqlite"))
    async with server_processes(3, *arguments) as server:
        codes = [await opened(url) for url in server.urls]
        server.program.stop()
        assert (await server.program.end()).err == ""
    async with server_processes(2, *arguments) as server:
        assert [codes[:2]] * 2 == [await seen_from(url, codes) for url in server.urls]
        server.program.stop()
        ended = await server.program.end()
        assert "tables of an earlier process stay in its journal; more --processes open them" in ended.err
    async with server_processes(3, *arguments) as server:
        assert [codes] * 3 == [await seen_from(url, codes) for url in server.urls]


# What goes wrong.


def three_free() -> int:
    """Return the first of three ports in a row on which nobody listens now."""
    for _ in range(100):
        with contextlib.ExitStack() as stack, contextlib.suppress(OSError):
            port = free_port()
            for further in range(3):
                stack.enter_context(socket.create_server(("127.0.0.1", port + further)))
            return port
    raise AssertionError("no three ports in a row are free")


@pytest.mark.long
async def test_a_port_that_is_taken_is_named() -> None:
    """It may be one of the processes' own; nothing is started then."""
    port = three_free()
    with socket.create_server(("127.0.0.1", port + 2)):
        where = ("--host=127.0.0.1", f"--port={port}")
        ended = await text_of(SERVER, *where, "--processes=2", "--durability=none")
    assert (ended.code, ended.out) == (1, "")
    assert f"cannot listen on 127.0.0.1:{port + 2}: Address already in use" in ended.err


@pytest.mark.long
@pytest.mark.parametrize("which", usually(1, ["journal-process-2.sqlite", "journal.sqlite"]))
async def test_no_process_shares_its_journal(tmp_path: Path, which: str) -> None:
    """Where another server has the journal of one of them, none is started."""
    async with server_process("--journal", str(tmp_path / which)):
        ended = await text_of(
            SERVER, "--port=0", "--processes=2", "--journal", str(tmp_path / "journal.sqlite")
        )
    assert (ended.code, ended.out) == (3, "")
    assert f"Another server uses the journal {tmp_path / which}" in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    ("arguments", "why"),
    usually(
        1,
        [
            (["--processes=0"], "'0' is not allowed: give a number from 1 to 20"),
            (["--processes=21"], "'21' is not allowed: give a number from 1 to 20"),
            (["--processes=many"], "'many' is not allowed: give a number from 1 to 20"),
            (["--processes=2", "--port=65534"], "--port is too high: the processes use the ports after it"),
            (["--processes=2", "--stop-with-stdin"], "--processes cannot be combined with --stop-with-stdin"),
            (["--processes=2", f"--node={'a' * 32}"], "--node is too long"),
        ],
    ),
)
async def test_what_cannot_be_is_said(arguments: list[str], why: str) -> None:
    """Wrong arguments end the program before anything is started."""
    ended = await text_of(SERVER, *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert why in ended.err


# People.


async def identified(peer: Peer, known: Identified, secret: str, host: str) -> Identified:
    """Prove to be a player who is known already."""
    await peer.say(answer(await challenged(peer), known, secret, host))
    return await peer.until(Identified)


async def test_a_player_is_one_in_all_processes(tmp_path: Path) -> None:
    """Ann plays at two processes, proving who she is for the address that she knows: she has one row."""
    journal = tmp_path / "journal.sqlite"
    asked = ("--journal", str(journal), "--bot-speed=100", "--standings=open")
    async with server_processes(2, *asked) as server:
        shared = f"127.0.0.1:{port_of(server.url)}"
        async with Peer.connect(server.urls[0]) as peer:
            known = await enrolled(peer, "Ann", SECRETS[0])
            await play_alone(peer, "Ann", spectators=False)
        async with Peer.connect(server.urls[1]) as peer:
            again = await identified(peer, known, SECRETS[0], shared)
            assert again.player == known.player
            await play_alone(peer, "Ann", spectators=False)
        for port in server.ports:
            found: dict[str, Any] = {"matches": 0}
            async with deadline(lambda: f"not all matches: {found}"):  # noqa: B023
                while found["matches"] < 2:
                    found = json.loads(await page(port, "/v1/standings?people=1"))
            (row,) = found["rows"]
            assert (row["matches"], row["player"]) == (2, known.player)
            for _, link in results_of(journal):  # of matches that only their player may see
                assert await page(port, f"/v1/matches/{link}", Authorization=f"Bearer {known.token}")


async def test_a_code_links_one_device_wherever_it_is_used(tmp_path: Path) -> None:
    """Two use it at two processes at once, and one is linked; it is shown, and removed, at another."""
    async with (
        server_processes(2, "--journal", str(tmp_path / "journal.sqlite")) as server,
        Peer.connect(server.url) as phone,
        contextlib.AsyncExitStack() as stack,
    ):
        await enrolled(phone, "Ann", SECRETS[0])
        code = await link_code(phone)
        # Now: whoever says nothing for some seconds is sent away, and a busy disk may take them.
        tablets = [await stack.enter_async_context(Peer.connect(url)) for url in server.urls]
        for tablet in tablets:
            await challenged(tablet)
        for tablet, secret in zip(tablets, SECRETS[1:], strict=False):
            await tablet.say(cl.Link(name="Ann", code=code, secret=secret))
        answers = [await tablet.hear() for tablet in tablets]
        ((tablet, linked),) = [
            each for each in zip(tablets, answers, strict=True) if isinstance(each[1], Identified)
        ]
        assert isinstance(linked, Identified)
        assert linked.device in {each.device for each in (await phone.until(Devices)).devices}
        await phone.say(cl.RemoveDevice(device=linked.device))
        await phone.until(Devices)
        assert await tablet.refusal(cl.ListDevices()) is Reason.NOT_NOW


@pytest.mark.long
async def test_wrong_codes_are_counted_over_all_processes(tmp_path: Path) -> None:
    """Five wrong codes, some of them at each process, end the right one."""
    async with server_processes(2, "--journal", str(tmp_path / "journal.sqlite")) as server:
        async with Peer.connect(server.url) as phone, contextlib.AsyncExitStack() as stack:
            await enrolled(phone, "Ann", SECRETS[0])
            code = await link_code(phone)
            guests = [await stack.enter_async_context(Peer.connect(url)) for url in server.urls]
            for guest in guests:
                await challenged(guest)
            for number in range(5):
                wrong = cl.Link(name="Ann", code="BBBBBB", secret=SECRETS[1])
                assert await guests[number % 2].refusal(wrong) is Reason.BAD_TOKEN
            right = cl.Link(name="Ann", code=code, secret=SECRETS[1])
            assert await guests[0].refusal(right) is Reason.BAD_TOKEN
