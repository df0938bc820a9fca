"""Our two programs as processes of their own."""

import asyncio
import contextlib
import os
import re
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable, Coroutine, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.pty_program import children_of, end_all

from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Elsewhere
from tests.support.prepared import Forked, can_fork, fork
from tests.support.servers import PATIENCE, Peer, deadline, timeout

SERVER: Final = "racing_demon_server"
CLIENT: Final = "racing_demon_client"
PATIENT: Final = "--limit=entry_seconds=600"
"""Whoever connects may take their time: on a busy machine a long test would be cut off."""
MAX_TRIES: Final = 20
"""So many clients come to the table's own one of two processes by chance only once in a million times."""
HOST_LINK: Final = r"^  racing-demon join http://[^:]+:(\d+)/([A-Z]{4})$"
"""What a host in plain text prints: the port, and the table's code."""


class Ended(NamedTuple):
    """How a program ended."""

    code: int
    out: str
    err: str


Here = Callable[..., Coroutine[Any, Any, Ended]]
"""Runs a program with its arguments, and returns how it ended."""


class Running:
    """A program that runs, with its three streams."""

    def __init__(self, process: Process | Forked) -> None:
        self.process = process

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self.process.pid

    def stop(self, number: int = signal.SIGTERM) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)

    def type(self, *lines: str) -> None:
        """Write lines to its standard input."""
        assert self.process.stdin is not None
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode())

    def hang_up(self) -> None:
        """End its standard input."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    async def line(self, pattern: str = "") -> re.Match[str]:
        """Return the next line of its output in which something is found."""
        assert self.process.stdout is not None
        lines: list[str] = []
        async with deadline(lambda: f"no {pattern!r} in {lines[-9:]}"):
            while (found := re.search(pattern, lines[-1]) if lines else None) is None:
                lines.append((await timeout(PATIENCE, self.process.stdout.readline())).decode())
                if not lines[-1]:
                    raise AssertionError(f"the output ended without {pattern!r}: {await self.end()}")
        return found

    async def end(self) -> Ended:
        """Wait until it ends, and return what is left of its output."""
        out, err = await timeout(PATIENCE, self.process.communicate())
        assert self.process.returncode is not None
        return Ended(self.process.returncode, (out or b"").decode(), (err or b"").decode())


@asynccontextmanager
async def started(
    module: str, *arguments: str, env: Mapping[str, str] | None = None, **more: Any
) -> AsyncIterator[Running]:
    """Start a program, by its module or as a text; whatever happens, it is gone in the end.

    One of our own is forked from a process that has loaded it, unless something is special about it.
    """
    surroundings = {**os.environ, **(env or {})}
    process: Process | Forked
    if not more.keys() - {"stderr"} and can_fork(module, surroundings):
        process = await fork(module, arguments, surroundings, **more)
    else:
        streams: dict[str, Any] = {"stdin": PIPE, "stdout": PIPE, "stderr": PIPE, **more}
        switch = "-c" if "\n" in module else "-m"
        process = await asyncio.create_subprocess_exec(
            sys.executable, switch, module, *arguments, env=surroundings, **streams
        )
    try:
        yield Running(process)
    finally:
        servers = children_of(process.pid)  # that of a host outlives it
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.communicate()
        end_all(servers)


async def text_of(
    module: str, *arguments: str, typed: str = "", env: Mapping[str, str] | None = None
) -> Ended:
    """Run a program to its end, with something typed into it."""
    async with started(module, *arguments, env=env) as program:
        out, err = await timeout(PATIENCE, program.process.communicate(typed.encode()))
        assert program.process.returncode is not None
        return Ended(program.process.returncode, out.decode(), err.decode())


async def unread(module: str, *arguments: str) -> Ended:
    """Run a program to its end whose output nobody reads any more."""
    read, write = os.pipe()
    os.close(read)
    async with started(module, *arguments, stdout=write) as program:
        os.close(write)
        return await program.end()


@asynccontextmanager
async def plain_host(folder: Path, port: int, *more: str) -> AsyncIterator[tuple[Running, str]]:
    """Host a table in plain text, with all files in a folder. Give the program and the table's code."""
    env = {"RACING_DEMON_STATE": str(folder), "RACING_DEMON_DATA": str(folder)}
    command = ("host", "--plain", "--name", "Ann", "--port", str(port), "--no-announce", *more)
    async with started(CLIENT, *command, env=env) as program:
        yield program, (await program.line(HOST_LINK))[2]


@asynccontextmanager
async def server_process(*arguments: str, **more: Any) -> AsyncIterator[tuple[Running, str]]:
    """Start a server on a free port here; without --journal it keeps nothing. Give it and its URL."""
    if "--journal" not in arguments:
        arguments = ("--durability", "none", *arguments)
    async with started(SERVER, "--host", "127.0.0.1", "--port", "0", PATIENT, *arguments, **more) as server:
        found = await server.line(r"listening on (\S+)")
        yield server, found.group(1)


async def port_of_process(url: str, code: str) -> int:
    """Return the port of the process that has a table, as one of the others says at the port of all."""
    for _ in range(MAX_TRIES):
        async with Peer.connect(url) as peer:
            await peer.greet()
            await peer.say(cl.Watch(code=code))
            answer = await peer.hear()
            if isinstance(answer, Elsewhere):
                return answer.port
    raise AssertionError(f"{MAX_TRIES} clients came to the process of {code}")


def kib(pid: int, field: str) -> int:
    """Return a figure of a process' memory."""
    found = re.search(rf"^{field}:\s+(\d+)", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    assert found is not None
    return int(found.group(1))
