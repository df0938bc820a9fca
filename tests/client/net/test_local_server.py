"""A server of one's own: it starts, it stops, and it does not outlive whoever started it."""

import asyncio
import contextlib
import os
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from racing_demon_client.errors import ConnectionFailed, JournalRefused
from racing_demon_client.net import local_server as local
from racing_demon_client.net.client import Client
from racing_demon_client.net.local_server import JournalConfig, local_server
from racing_demon_protocol.wire.messages.client import AddBot
from tests.support.processes import started
from tests.support.servers import PATIENCE, Peer, timeout

OWNER = """
import asyncio
from racing_demon_client.net.local_server import local_server

async def main():
    async with local_server() as url:
        print(url, flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Let a shell script stand in for the server."""

    def stand_in(script: str) -> None:
        file = tmp_path / "server"
        file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        file.chmod(0o700)
        monkeypatch.setattr(sys, "executable", str(file))

    return stand_in


async def test_it_starts_and_stops() -> None:
    """While it is wanted it serves, and afterwards nobody listens there."""
    async with local_server() as url, await Client.create(url, "Ann") as ann:
        assert ann.seat == 0
    with pytest.raises(ConnectionFailed):
        await Client.watch(url, ann.code)


async def test_a_server_that_refuses_its_arguments_gives_the_reason_alone(
    program: Callable[[str], None],
) -> None:
    """Its usage is of a command that nobody has typed."""
    program("printf 'usage: server [-h]\n  [--port PORT]\nserver close: error: it is: so\n' >&2; exit 2")
    with pytest.raises(ConnectionFailed, match=r"\Ait is: so\Z"):
        async with local_server():
            pass


@pytest.mark.long
async def test_it_stops_when_its_user_fails() -> None:
    """A server is stopped, too, when what it was wanted for goes wrong."""
    with pytest.raises(ZeroDivisionError):
        async with local_server() as url:
            raise ZeroDivisionError
    with pytest.raises(ConnectionFailed):
        await Client.watch(url, "BCDF")


@pytest.mark.long
async def test_one_seed_opens_the_same_tables() -> None:
    """The seed reaches the server."""
    codes = []
    for _ in range(2):
        async with local_server(seed=bytes(range(32))) as url, await Client.create(url, "Ann") as ann:
            codes.append(ann.code)
    assert codes[0] == codes[1]


@pytest.mark.long
async def test_a_taken_port_is_said_in_the_server_s_words() -> None:
    """Why it could not start is told as the server told it."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(ConnectionFailed, match=f"cannot listen on 127.0.0.1:{port}"):
            async with local_server(port=port):
                raise AssertionError("it started")


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="needs kill -9")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["kill -9", "kill"])
async def test_it_dies_with_its_owner(number: int) -> None:
    """However its owner ends, the server sends its clients away and ends."""
    async with started(OWNER) as owner:
        url = (await owner.line("^ws://.*$")).group()
        async with Peer.connect(url) as peer:
            await peer.greet()
            owner.stop(number)
            assert (await peer.closed()).code == 1001
    with pytest.raises(ConnectionFailed):
        await Client.watch(url, "BCDF")


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="needs process groups")
async def test_ctrl_c_is_for_the_client() -> None:
    """An interruption of the terminal's whole group leaves it to the client to stop the server."""
    async with started(OWNER, start_new_session=True) as owner:
        url = (await owner.line("^ws://.*$")).group()
        async with Peer.connect(url) as peer:
            await peer.greet()
            os.killpg(owner.pid, signal.SIGINT)
            assert (await peer.closed()).code == 1001
        assert "KeyboardInterrupt" in (await owner.end()).err


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="needs kill -9")
async def test_one_that_keeps_its_tables_is_started_again(tmp_path: Path) -> None:
    """A server that dies under its host comes back on its port, and the host goes on at the same table."""
    journal = tmp_path / "journal.sqlite"
    async with local_server(journal=JournalConfig("full", str(journal))) as url:
        async with await Client.create(url, "Ann") as ann:
            await ann.ask(AddBot(counter=ann.next_counter()))
            code, (pid,) = ann.code, pids_of(str(journal))
            os.kill(pid, signal.SIGKILL)
            await ann.ask(AddBot(counter=ann.next_counter()))
            assert [pid] != pids_of(str(journal))
            assert (code, 3) == (ann.code, len(ann.view.seats))
    assert pids_of(str(journal)) == []


def pids_of(argument: str) -> list[int]:
    """Return the processes in whose command lines something stands."""
    commands = Path("/proc").glob("[0-9]*/cmdline")
    found = []
    for command in commands:
        with contextlib.suppress(OSError):
            if argument.encode() in command.read_bytes():
                found.append(int(command.parent.name))
    return found


@pytest.mark.long
async def test_practice_keeps_no_host_from_its_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever practises in one terminal and hosts in another has the evening in the hosts' journal.

    Who practises beside another learns where the match is kept; of the usual file nothing need be said.
    """
    monkeypatch.setenv("RACING_DEMON_DATA", str(tmp_path))
    first: list[str] = []
    second: list[str] = []
    async with (
        local_server(journal=JournalConfig("normal"), tell=first.append),
        local_server(journal=JournalConfig("normal"), tell=second.append),
    ):
        assert not first
        assert [text.rpartition(" ")[2] for text in second] == [str(tmp_path / "practice-2.sqlite")]
        hosted = local.start_hosted_server(host="127.0.0.1", port=0, journal=JournalConfig("normal"))
        _, pid = await hosted
        os.kill(pid, signal.SIGTERM)
    locks = {path.name for path in tmp_path.glob("*.sqlite-lock")}
    assert locks == {f"{name}.sqlite-lock" for name in ("journal", "practice", "practice-2")}


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="needs kill -9")
async def test_practice_goes_on_in_its_own_journal_when_the_usual_one_is_free(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever practised before has ended; then the server dies, and the next one takes no other file."""
    monkeypatch.setenv("RACING_DEMON_DATA", str(tmp_path))
    practice = JournalConfig("normal")
    async with contextlib.AsyncExitStack() as before:
        await before.enter_async_context(local_server(journal=practice))
        async with (
            local_server(journal=practice, bot_speed=7.25) as url,
            await Client.create(url, "Ann") as ann,
        ):
            await before.aclose()
            (pid,) = pids_of("--bot-speed=7.25")
            os.kill(pid, signal.SIGKILL)
            await ann.ask(AddBot(counter=ann.next_counter()))
            assert len(ann.view.seats) == 2


@pytest.mark.long
async def test_a_journal_that_cannot_be_used_has_a_way_out(tmp_path: Path) -> None:
    """Where nothing can be kept, the user learns how to play all the same."""
    (tmp_path / "file").touch()
    persistence = JournalConfig("full", str(tmp_path / "file" / "journal.sqlite"))
    with pytest.raises(JournalRefused, match=r"^The journal .* cannot be opened: .*--durability none\.$"):
        async with local_server(journal=persistence):
            pass


async def test_a_talkative_server_is_not_held_up(program: Callable[[str], None], tmp_path: Path) -> None:
    """Whatever a server complains of, nobody need read it for the server to go on."""
    done = tmp_path / "done"
    program(f"""
        mkfifo {done}
        echo listening on ws://127.0.0.1:1/v1
        head -c 1000000 /dev/zero | tr '\\0' x >&2
        echo done > {done}
        cat > /dev/null""")
    async with local_server():
        assert await timeout(PATIENCE, asyncio.to_thread(done.read_text)) == "done\n"


async def test_a_server_that_fails_is_quoted(program: Callable[[str], None]) -> None:
    """If it ends before it listens, its last words are told."""
    program("echo 'out of cards' >&2; exit 1")
    with pytest.raises(ConnectionFailed, match=r"^out of cards$"):
        async with local_server():
            raise AssertionError("it started")


async def test_a_server_that_fails_silently_has_a_sentence(program: Callable[[str], None]) -> None:
    """If it says nothing, that is said."""
    program("exit 3")
    with pytest.raises(ConnectionFailed, match="The server did not start, and gave no reason"):
        async with local_server():
            raise AssertionError("it started")


async def test_a_server_that_hangs_is_ended(
    program: Callable[[str], None], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """If it neither starts nor stops, it is given up, and ended by force."""
    monkeypatch.setattr(local, "START_SECONDS", 3.0)  # a busy machine has it run by then
    monkeypatch.setattr(local, "STOP_SECONDS", 0.3)
    pid = tmp_path / "pid"
    program(f"echo $$ > {pid}; exec sleep 1000")
    with pytest.raises(ConnectionFailed, match="The server did not start within 3 seconds"):
        async with local_server():
            raise AssertionError("it started")
    assert not Path(f"/proc/{pid.read_text().strip()}").exists()


async def test_nothing_is_left_of_one_that_nobody_waits_for(
    program: Callable[[str], None], tmp_path: Path
) -> None:
    """If its user ends at once, as at more than one Ctrl-C, it is ended by force in place of left behind."""
    pid = tmp_path / "pid"
    program(f"echo $$ > {pid}; echo listening on ws://127.0.0.1:1/v1; exec sleep 1000")
    has_started = asyncio.Event()

    async def use() -> None:
        async with local_server():
            has_started.set()
            await asyncio.Event().wait()

    user = asyncio.create_task(use())
    await timeout(PATIENCE, has_started.wait())
    user.cancel()
    for _ in range(2):
        await asyncio.sleep(0)  # it waits for its server to stop, and then for it to be gone
        user.cancel()
    with pytest.raises(asyncio.CancelledError):
        await user
    assert not Path(f"/proc/{pid.read_text().strip()}").exists()
