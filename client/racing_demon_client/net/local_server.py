"""A local server in a process of its own: a host's drawing must not delay a guest's play."""

import asyncio
import contextlib
import re
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Final, NamedTuple

from racing_demon_client.errors import ConnectionFailed

START_SECONDS: Final = 20.0
STOP_SECONDS: Final = 5.0
CODE_LETTERS: Final = 4
"""A code that people read to each other across a room and type. The server has one table."""
MOST_DEATHS: Final = 5
"""How often a crashed server that keeps its tables is restarted."""
JOURNAL_UNUSABLE: Final = 3
"""The server's exit code for an unusable journal."""
PREFIX: Final = "racing-demon-server: "


class JournalRefused(ConnectionFailed):
    """The local server cannot use its journal; the text says why."""


class Persistence(NamedTuple):
    """Whether and where a local server keeps its tables.

    Attributes:
        durability: ``full`` survives a power cut, ``normal`` a crash of the server, ``none`` neither.
        journal: the file; ``None`` for one in the user's data folder.

    """

    durability: str
    journal: str | None = None


NOTHING: Final = Persistence("none")


@asynccontextmanager
async def local_server(  # noqa: PLR0913
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    seed: bytes | None = None,
    bot_speed: float = 1.0,
    persistence: Persistence = NOTHING,
    flags: Sequence[str] = (),
) -> AsyncIterator[str]:
    """Start a server, yield its URL, and stop it at the end.

    The server also stops when this process dies, because its standard input then ends. A server that keeps
    its
    tables is restarted on the same port if it crashes.

    Args:
        host: the address to listen on.
        port: the port; 0 for any free one.
        seed: 32 bytes that determine all deals; ``None`` for secret ones.
        bot_speed: the bots' speed-up over people.
        persistence: whether and where it keeps its tables.
        flags: more command line arguments for the server.

    Raises:
        ConnectionFailed: it did not start.
        JournalRefused: it did not start because its journal is unusable.

    """
    command = [sys.executable, "-m", "racing_demon_server", "--stop-with-stdin"]
    command += [f"--host={host}", f"--bot-speed={bot_speed}", f"--durability={persistence.durability}"]
    command += [f"--code-letters={CODE_LETTERS}", *flags]
    if persistence.journal is not None:
        command.append(f"--journal={persistence.journal}")
    if seed is not None:
        command.append(f"--seed={seed.hex()}")
    server = _OwnServer(command)
    try:
        url = await server.start(port)
        watching = asyncio.create_task(server.look_after(url, revives=persistence != NOTHING))
        try:
            yield url
        finally:
            watching.cancel()
    finally:
        await server.stop()


class _OwnServer:
    """The server's process.

    Args:
        command: its command line, without the port.

    """

    def __init__(self, command: list[str]) -> None:
        self._command = command
        self._process: asyncio.subprocess.Process | None = None

    async def start(self, port: int) -> str:
        """Start it and return its URL."""
        pipe = asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(
            *self._command,
            f"--port={port}",
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            start_new_session=True,  # Ctrl-C is for the client, which then stops the server
        )
        return await _url(self._process)

    async def look_after(self, url: str, *, revives: bool) -> None:
        """Discard its standard error; if ``revives``, restart it a few times when it crashes."""
        assert self._process is not None
        await _drain(self._process)
        port = int(url.rpartition(":")[2].partition("/")[0])
        for _ in range(MOST_DEATHS):
            if not revives or await self._process.wait() == 0:
                return
            with contextlib.suppress(ConnectionFailed):
                await self.start(port)
                await _drain(self._process)

    async def stop(self) -> None:
        """Stop it, by force if it takes too long."""
        if self._process is None:
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), STOP_SECONDS)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()


async def _url(process: asyncio.subprocess.Process) -> str:
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        line = await asyncio.wait_for(process.stdout.readline(), START_SECONDS)
    except TimeoutError:
        raise ConnectionFailed(f"The server did not start within {START_SECONDS:.0f} seconds.") from None
    found = re.search(r"ws://\S+", line.decode(errors="replace"))
    if found is None:
        said = (await process.stderr.read(2_000)).decode(errors="replace").strip()
        if said and await process.wait() == JOURNAL_UNUSABLE:
            raise JournalRefused(said.removeprefix(PREFIX))
        raise ConnectionFailed(said or "The server did not start, and gave no reason.")
    return found.group()


async def _drain(process: asyncio.subprocess.Process) -> None:
    """Read and discard standard error: a full pipe would block the server."""
    assert process.stderr is not None
    while await process.stderr.read(4_096):
        pass
