"""A server tells systemd that it listens, and that it lives."""

import asyncio
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from benchmarks.pty_program import children_of

from tests.support.ports import free_port
from tests.support.processes import SERVER, started
from tests.support.servers import PATIENCE

LIMIT_US = 400_000
"""The service manager's limit: a sign of life comes twice as often."""


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[socket.socket]:
    """Listen as systemd does."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "notify"))
        yield listening


async def told(manager: socket.socket, seconds: float = PATIENCE) -> str:
    """Return what is told next; empty if nothing is."""
    manager.settimeout(seconds)
    try:
        return (await asyncio.to_thread(manager.recv, 64)).decode()
    except TimeoutError:
        return ""


@pytest.mark.long
@pytest.mark.parametrize("processes", [1, 2])
async def test_a_server_that_hangs_is_no_longer_said_to_live(
    manager: socket.socket, processes: int, tmp_path: Path
) -> None:
    """Each of several processes counts: one that stands still is found out, and when it goes on, too."""
    env = {"NOTIFY_SOCKET": str(tmp_path / "notify"), "WATCHDOG_USEC": str(LIMIT_US)}
    arguments = ("--host=127.0.0.1", f"--port={free_port()}", "--durability=none")
    async with started(SERVER, *arguments, f"--processes={processes}", env=env) as server:
        assert await told(manager) == "READY=1"
        assert await told(manager) == "WATCHDOG=1"
        hanging = children_of(server.process.pid)[-1] if processes > 1 else server.process.pid
        os.kill(hanging, signal.SIGSTOP)
        while await told(manager, 3 * LIMIT_US / 1_000_000):
            pass
        os.kill(hanging, signal.SIGCONT)
        assert await told(manager) == "WATCHDOG=1"
