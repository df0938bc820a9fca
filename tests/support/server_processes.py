"""Servers of several processes, and a look at each of them."""

import asyncio
import json
import os
import urllib.request
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.processes import Running, server_process
from tests.support.restartable_server import wait_until
from tests.support.servers import PATIENCE


async def page(port: int, path: str) -> str:
    """Return what a port of this machine answers to plain HTTP."""

    def get() -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=PATIENCE) as answer:
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
        port = int(url.rpartition(":")[2].partition("/")[0])
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
