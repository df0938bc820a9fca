"""Programs whose standard streams are closed, and journals on media that cannot be written."""

import asyncio
import contextlib
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from racing_demon_client.net.local_server import is_listening
from tests.support.effort import usually
from tests.support.journals import journaled, play_match
from tests.support.ports import free_port
from tests.support.processes import CLIENT, SERVER
from tests.support.servers import Peer

CLOSED = "import os, sys; [os.close(int(n)) for n in sys.argv[1]]; os.execv(sys.executable, sys.argv[2:])"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs exec and mounts")


def without(streams: str, *command: str) -> subprocess.CompletedProcess[str]:
    """Run one of our programs with some of its streams closed."""
    whole = [sys.executable, "-c", CLOSED, streams, sys.executable, "-m", *command]
    return subprocess.run(whole, capture_output=True, text=True, check=False)  # noqa: S603


@pytest.mark.parametrize(
    "command", usually(1, [f"{SERVER} journal list", f"{CLIENT} games", f"{CLIENT} rules sultan"])
)
def test_a_closed_output_is_said(command: str) -> None:
    """One sentence, and the exit code for what cannot be written."""
    ended = without("1", *command.split())
    assert (ended.returncode, len(ended.stderr.splitlines())) == (3, 1)
    assert "standard output is closed" in ended.stderr


@pytest.mark.long
@pytest.mark.parametrize("streams", usually(1, ["02", "0", "2"]))
def test_other_closed_streams_do_no_harm(streams: str) -> None:
    """Nothing is read or complained of, and the answer is whole."""
    ended = without(streams, CLIENT, "games")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "racing-demon " in ended.stdout


@pytest.mark.long
async def test_a_server_needs_no_streams() -> None:
    """A server without any serves: its sockets are not taken for its output."""
    port = free_port()
    whole = [sys.executable, "-c", CLOSED, "012", sys.executable, "-m", SERVER, f"--port={port}"]
    process = await asyncio.create_subprocess_exec(*whole, "--host=127.0.0.1", "--durability=none")
    await serves(process, port)


@pytest.mark.long
async def test_a_server_whose_output_nobody_reads_serves() -> None:
    """Whoever read its output has gone before it says where it listens."""
    port = free_port()
    reader, writer = os.pipe()
    os.close(reader)
    arguments = ["-m", SERVER, f"--port={port}", "--host=127.0.0.1", "--durability=none"]
    process = await asyncio.create_subprocess_exec(sys.executable, *arguments, stdout=writer)
    os.close(writer)
    await serves(process, port)


async def serves(process: asyncio.subprocess.Process, port: int) -> None:
    """Open a table at a server that has just been started, and end the server."""
    try:
        while not await is_listening(port):
            assert process.returncode is None
            await asyncio.sleep(0.05)
        async with Peer.hosting(f"ws://127.0.0.1:{port}/v1") as ann:
            assert ann.code
        process.terminate()
        assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


# Media that cannot be written.


async def journal_in(folder: Path) -> Path:
    """Play a match, and return its journal."""
    path = folder / "journal.sqlite"
    async with journaled(path, bot_speed=1_000.0) as served:
        await play_match(served.url)
    return path


def where_nothing_can_be_written(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a journal command where a folder can only be read."""
    mount = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'
    whole = ["unshare", "--mount", "sh", "-c", mount, str(folder), sys.executable, "-m", SERVER, "journal"]
    return subprocess.run([*whole, *command], capture_output=True, text=True, check=False)  # noqa: S603


needs_mounts = pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0 or shutil.which("unshare") is None, reason="needs mounts"
)


@pytest.mark.long
@needs_mounts
async def test_a_journal_on_a_read_only_medium_is_read(tmp_path: Path) -> None:
    """What is on a snapshot or a disc can be listed; what would write it says what to do."""
    path = await journal_in(tmp_path)
    ended = where_nothing_can_be_written(tmp_path, "list", "--journal", str(path))
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith("1.1 ")
    assert re.search(r", (1 hand|[02-9] hands)\b", ended.stdout)
    ended = where_nothing_can_be_written(tmp_path, "prune", str(path), "--before", "1d")
    assert (ended.returncode, ended.stdout) == (3, "")
    assert "Copy it to a place that can be written" in ended.stderr


@pytest.mark.long
@needs_mounts
async def test_a_journal_whose_log_cannot_be_joined_is_not_read_in_part(tmp_path: Path) -> None:
    """Its newest events are in another file: the sentence names it, and nothing older is shown."""
    path = await journal_in(tmp_path)
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE tables SET closed_ms = closed_ms + 1")
        db.commit()
        (tmp_path / "copy").mkdir()
        for name in ("journal.sqlite", "journal.sqlite-wal"):
            shutil.copy(tmp_path / name, tmp_path / "copy" / name)
    copy = tmp_path / "copy"
    ended = where_nothing_can_be_written(copy, "list", "--journal", str(copy / "journal.sqlite"))
    assert (ended.returncode, ended.stdout) == (3, "")
    assert "journal.sqlite-wal. Copy both to a place that can be written" in ended.stderr
