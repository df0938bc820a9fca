"""A tunnel's program as a child of a host's server: its address, and its end with either side."""

import asyncio
import json
import os
import re
import shlex
import signal
import sys
import urllib.request
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path

import pytest
from benchmarks.pty_program import children_of, end_all

from racing_demon_client.errors import TableEnded
from racing_demon_client.net.client import Client
from racing_demon_client.net.local_server import MAX_RESTARTS
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from tests.support.effort import amount, more_when_long, usually
from tests.support.ports import free_port
from tests.support.processes import CLIENT, HOST_LINK, SERVER, Running, server_process, started, text_of
from tests.support.restartable_server import wait_until
from tests.support.servers import PATIENCE
from tests.support.tunnels import make_certificate
from tests.system.test_mouse import mouse

TIMES = amount(1, 10)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the certificate that the tunnel shows, which our programs trust."""
    return make_certificate(tmp_path_factory.mktemp("tunnel"))


def command(certificate: Path, *more: object) -> str:
    """Return the tunnel's command line."""
    words = [sys.executable, "-m", "tests.support.tunnels", "{port}", str(certificate), *map(str, more)]
    return shlex.join(words)


def programs_of(certificate: Path) -> list[int]:
    """Return the processes of the tunnel that run with this certificate; guards have it in theirs, too."""
    found = []
    for folder in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if os.fsencode(certificate) in words and b"tests.support.tunnels" in words[2:3]:
                found.append(int(folder.name))
    return found


def invitation(port: str, code: str) -> dict[str, str | None]:
    """Ask the server for the invitation, as the host's page does."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/internet/{code}.json") as answer:
        found: dict[str, str | None] = json.load(answer)
        return found


async def open_link(port: str, code: str, before: str | None = None) -> str:
    """Wait for an invitation other than the one before."""
    seen: list[str | None] = [None]

    def is_new() -> bool:
        with suppress(OSError):
            seen[0] = invitation(port, code)["link"]
        return seen[0] not in {None, before}

    await wait_until(is_new)
    assert seen[0] is not None
    return seen[0]


@asynccontextmanager
async def hosting(
    certificate: Path, folder: Path, port: int = 0, *more: str
) -> AsyncIterator[tuple[Running, re.Match[str]]]:
    """Host a table in plain text, with the tunnel."""
    arguments = ["host", "--name=Ann", "--plain", f"--port={port}", "--no-announce", *more]
    async with started(
        CLIENT,
        *arguments,
        f"--tunnel={command(certificate)}",
        env={
            "SSL_CERT_FILE": str(certificate),
            "HOME": str(folder),
            "RACING_DEMON_STATE": str(folder),
            "RACING_DEMON_DATA": str(folder),
        },
    ) as host:
        yield host, await host.line(HOST_LINK)


async def test_a_guest_comes_through_the_tunnel(
    certificate: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The host reads a second invitation; whoever follows it sits at the table, and is told when it ends."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    async with hosting(certificate, tmp_path) as (host, _):
        await host.line("^Over the internet")
        found = await host.line(r"^  racing-demon join https://(127\.0\.0\.1:\d+)/#([2-9][A-Z2-9]{15})$")
        async with await Client.join(f"wss://{found[1]}/v1", found[2], "Ben") as ben:
            assert (ben.code, ben.seat) == (found[2], 1)
            host.type("leave", "leave")
            with pytest.raises(TableEnded, match="The host has ended the table"):
                async for _ in ben:
                    pass
        await host.end()
    await wait_until(lambda: not programs_of(certificate))


@pytest.mark.long
async def test_who_cannot_open_a_tunnel_later_is_told_why(tmp_path: Path) -> None:
    """A server that no host has started, and a host whose server has no way for commands."""
    journal = tmp_path / "journal.sqlite"
    async with server_process("--journal", str(journal)) as _:
        refused = await text_of(SERVER, "tunnel", "--journal", str(journal))
        assert (refused.code, "start it with --tunnel" in refused.err) == (1, True)

    env = {"RACING_DEMON_STATE": str(tmp_path)}
    arguments = ["host", "--plain", "--port=0", "--no-announce", "--durability=none"]
    async with started(CLIENT, *arguments, env=env) as host:
        await host.line(HOST_LINK)
        host.type("internet")
        await host.line("^A table without a journal is opened to the internet from the start")


@pytest.mark.long
async def test_a_table_without_a_journal_does_not_seem_to_close_its_tunnel(
    certificate: Path, tmp_path: Path
) -> None:
    """Nobody can tell its server to: the host is told so, and goes on seeing the invitation."""
    async with hosting(certificate, tmp_path, 0, "--durability=none") as (host, found):
        await host.line("^Over the internet, others open")
        host.type("internet")
        await host.line("^A table without a journal .* stays open until it ends")
        assert invitation(found[1], found[2])["link"]
        host.type("leave", "leave")
        rest = (await host.end()).out
        assert "nobody can join any more" not in rest


LINK = r"https://(127\.0\.0\.1:\d+)/#([2-9][A-Z2-9]{15}) over the internet"


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
async def test_a_key_in_the_lobby_closes_the_tunnel_and_opens_it(
    certificate: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Closing asks first, and tells who is there; the invitation stays the same but for the tunnel's name."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    arguments = ["host", "--name=Ann", "--port=0", "--no-announce", f"--tunnel={command(certificate)}"]
    with mouse(tmp_path, *arguments) as lobby:
        before = lobby.until(LINK)
        async with await Client.join(f"wss://{before[1]}/v1", before[2], "Ben") as ben:
            lobby.type("i")
            lobby.until(r"Close the tunnel\?")
            lobby.type("y")
            with pytest.raises(TableEnded, match="closed the way over the internet"):
                async for _ in ben:
                    pass
        lobby.until(r"(?s)i over the internet(?!.*https:)(?!.*tunnel)")
        await wait_until(lambda: not programs_of(certificate))
        lobby.type("i")
        after = lobby.until(LINK)
        assert (before[1], before[2]) != (after[1], before[2]) == (after[1], after[2])
        lobby.until("p shows the link by which Ben returns")
        assert "seat=" not in lobby.text
        lobby.type("p")
        lobby.until("Ben +away: the link back")
        lobby.type("\r")
        lobby.until(r"(?s)Ben returns to their seat.*seat=")
        lobby.type("\x1b")
        lobby.until(r"(?s)\A(?!.*seat=)")
        async with await Client.resume(f"wss://{after[1]}/v1", after[2], ben.token or "") as returned:
            assert returned.seat == ben.seat
        lobby.type("\x03")
        lobby.until("Leave the table")
        lobby.type("\x03")
        lobby.ended()
    await wait_until(lambda: not programs_of(certificate))


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_the_lobby_says_what_a_tunnel_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No program is installed; then there is one that fails, and is quoted."""
    programs = tmp_path / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    with mouse(tmp_path, "host", "--name=Ann", "--port=0", "--no-announce") as lobby:
        lobby.until("i over the internet")
        lobby.type("i")
        lobby.until(r"(?s)No program for tunnels is installed\..*\bcloudflared needs no account")
        cloudflared = programs / "cloudflared"
        cloudflared.write_text("#!/bin/sh\necho failed to request quick Tunnel: no such host\nexit 1\n")
        cloudflared.chmod(0o700)
        lobby.type("i")
        lobby.until(r"(?s)tunnel has ended, and is being started again\..*failed\s+to request quick Tunnel")


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_an_address_without_https_is_told_at_once_and_can_be_hidden(tmp_path: Path) -> None:
    """Nobody waits for what cannot come; Escape shows the lobby without the note."""
    program = "sh -c 'echo http://ab12.tunnel.example; sleep 600; echo {port}'"
    with mouse(tmp_path, "host", "--name=Ann", "--port=0", "--no-announce", f"--tunnel={program}") as lobby:
        lobby.until(r"(?s)names http://ab12\.tunnel\.example, and no address with\s+https.*hides this")
        lobby.type("\x1b")
        lobby.until(r"(?s)i over the internet(?!.*tunnel)")


@pytest.mark.long
async def test_a_word_in_plain_text_opens_the_tunnel_and_closes_it(certificate: Path, tmp_path: Path) -> None:
    """Each is told in a line."""
    async with hosting(certificate, tmp_path) as (host, _):
        await host.line("^Over the internet, others open")
        host.type("internet")
        await host.line("^Over the internet, nobody can join any more")
        await wait_until(lambda: not programs_of(certificate))
        host.type("internet")
        await host.line("^Over the internet, others open")


@asynccontextmanager
async def serving(
    certificate: Path, *more: object, options: Sequence[str] = ()
) -> AsyncIterator[tuple[Running, str, Client]]:
    """Run a server with the tunnel, and a table at it."""
    arguments = ["--host=127.0.0.1", "--port=0", "--durability=none", *options]
    arguments += [f"--tunnel={command(certificate, *more)}"]
    async with started(SERVER, *arguments, env={"SSL_CERT_FILE": str(certificate)}) as server:
        found = await server.line(r"ws://127\.0\.0\.1:(\d+)/v1")
        async with await Client.create(found[0], "Ann") as ann:
            yield server, found[1], ann


@pytest.mark.long
@pytest.mark.parametrize("killed", usually(1, ["the program", "its guard"]))
async def test_a_tunnel_that_is_killed_is_restarted(certificate: Path, killed: str) -> None:
    """At another name, with the same word; nothing is left of the one before."""
    async with serving(certificate) as (_, port, ann):
        link = await open_link(port, ann.code)
        for _ in range(TIMES):
            (program,) = programs_of(certificate)
            os.kill(program if killed == "the program" else parent_of(program), signal.SIGKILL)
            before, link = link, await open_link(port, ann.code, link)
            assert before.partition("#")[2] == link.partition("#")[2]
            await wait_until(lambda: program not in programs_of(certificate))  # noqa: B023
            assert len(programs_of(certificate)) == 1


@more_when_long
async def test_players_return_by_themselves_where_the_name_stays(
    certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was said while they were away is told then."""
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    own_port = free_port()
    async with serving(certificate, own_port) as (_, port, ann):
        word = (await open_link(port, ann.code)).partition("#")[2]
        async with await Client.join(f"wss://127.0.0.1:{own_port}/v1", word, "Ben") as ben:
            for number in range(TIMES):
                (program,) = programs_of(certificate)
                os.kill(program, signal.SIGKILL)
                await wait_until(partial(is_gone, program))
                await ann.ask(cl.Say(counter=ann.next_counter(), text=f"back {number}?"))
                async with asyncio.timeout(PATIENCE):
                    async for message in ben:
                        if isinstance(message, ev.Said) and message.text == f"back {number}?":
                            break
                assert len(programs_of(certificate)) == 1


@pytest.mark.long
async def test_a_host_whose_server_is_killed_has_its_tunnel_again(certificate: Path, tmp_path: Path) -> None:
    """The word stays, and nothing is left of the tunnel before."""
    for folder in (tmp_path / str(number) for number in range(amount(1, 2))):
        folder.mkdir()
        async with hosting(certificate, folder) as (host, found):
            port, code = found.groups()
            link = await open_link(port, code)
            for _ in range(amount(1, MAX_RESTARTS)):
                (program,) = programs_of(certificate)
                server = min(children_of(host.pid))  # commands come later
                os.kill(server, signal.SIGKILL)
                before, link = link, await open_link(port, code, link)
                assert before.partition("#")[2] == link.partition("#")[2]
                await wait_until(partial(is_gone, program))
                assert len(programs_of(certificate)) == 1
        await wait_until(lambda: not programs_of(certificate))


@pytest.mark.long
async def test_the_tunnel_outlives_the_hosts_terminal(certificate: Path, tmp_path: Path) -> None:
    """The table does, too; the next terminal shows the same invitation, and ends both."""
    port = free_port()
    async with hosting(certificate, tmp_path, port) as (host, found):
        code = found[2]
        link = await open_link(str(port), code)
        (program,) = programs_of(certificate)
        servers = children_of(host.pid)
        host.stop(signal.SIGKILL)
        await host.process.wait()
    try:
        for _ in range(TIMES):
            async with hosting(certificate, tmp_path, port) as (host, again):
                assert again[2] == code
                shown = await host.line(r"^  racing-demon join (https://\S+)$")
                assert (shown[1], programs_of(certificate)) == (link, [program])
                host.stop(signal.SIGKILL)
                await host.process.wait()
        async with hosting(certificate, tmp_path, port) as (host, _):
            await host.line(r"^  racing-demon join https://")
            host.type("leave", "leave", "q")
            await host.end()
    finally:
        end_all(servers)
    await wait_until(lambda: not programs_of(certificate))


SEAT_LINK = r"^  https://(127\.0\.0\.1:\d+)/#([2-9][A-Z2-9]{15}),seat=([0-9a-f]{64})$"


@pytest.mark.long
async def test_who_is_away_has_a_link_to_the_own_seat(
    certificate: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also at another name, whoever has forgotten the token returns by it; in the room it opens nothing.

    The host is shown it on request: whoever sees it could sit there. Those who paste it behind
    `racing-demon join` need no quotes.
    """
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    async with hosting(certificate, tmp_path) as (host, found):
        port, code = found.groups()
        first = await host.line(r"^  racing-demon join https://(127\.0\.0\.1:\d+)/#(\S+)$")
        async with await Client.join(f"wss://{first[1]}/v1", first[2], "Ben") as ben:
            seat = ben.seat
        (program,) = programs_of(certificate)
        os.kill(program, signal.SIGKILL)
        while (await host.line(r"^  racing-demon join https://127\.0\.0\.1:(\d+)/#"))[1] == first[1]:
            pass  # it may be told twice: once the tunnel is lost, and once it is back
        host.type("people", "people 1", "people 2")
        await host.line("^Ben is away: people 2 shows the link back to seat 2")
        await host.line("^That seat needs no link")
        await host.line("^Ben returns to their seat by this link")
        link = await host.line(SEAT_LINK)
        assert link[2] == first[2]
        with pytest.raises(CommandRefused) as refused:
            await Client.resume(f"ws://127.0.0.1:{port}/v1", code, link[3])
        assert refused.value.reason is Reason.BAD_TOKEN
        for _ in range(2):
            async with await Client.resume(f"wss://{link[1]}/v1", link[2], link[3]) as returned:
                assert (returned.seat, returned.view.seats[1].name) == (seat, "Ben")
        assert shlex.split(link[0].strip()) == [link[0].strip()]
        async with started(CLIENT, "join", link[0].strip(), "--plain", "--name=Eve") as other:
            await other.line("you have your seat back, and are still called Ben")


def is_gone(process: int) -> bool:
    """Return whether a process has ended."""
    return not Path(f"/proc/{process}/cmdline").exists()


@more_when_long
@pytest.mark.parametrize("number", usually(1, [signal.SIGKILL, signal.SIGTERM]))
async def test_the_tunnel_ends_with_its_server(certificate: Path, number: signal.Signals) -> None:
    """However the server ends, the internet reaches this machine no longer."""
    for _ in range(TIMES):
        async with serving(certificate) as (server, port, ann):
            await open_link(port, ann.code)
            assert len(programs_of(certificate)) == 1
            server.stop(number)
            await wait_until(lambda: not programs_of(certificate))


def parent_of(process: int) -> int:
    """Return the process that has started another."""
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])
