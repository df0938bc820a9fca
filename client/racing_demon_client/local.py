"""A server of one's own, as a process of its own: a host's screen must not delay a guest's card."""

import asyncio
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, NamedTuple

from .errors import ConnectionFailed

__all__ = ["NOTHING", "JournalRefused", "Keeping", "local_server"]

START_SECONDS: Final = 20.0
STOP_SECONDS: Final = 5.0
JOURNAL_UNUSABLE: Final = 3
"""The exit code of a server whose journal cannot be used."""


class JournalRefused(ConnectionFailed):
    """One's own server cannot keep what is played; the text says why."""


class Keeping(NamedTuple):
    """Whether and where a server of one's own keeps what is played.

    Attributes:
        durability: ``full``: what is told survives a power cut; ``normal``: the server's death; or ``none``.
        journal: the file; ``None`` for one in the user's folder for data.

    """

    durability: str
    journal: str | None = None


NOTHING: Final = Keeping("none")


@asynccontextmanager
async def local_server(
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    seed: bytes | None = None,
    bot_speed: float = 1.0,
    keeping: Keeping = NOTHING,
) -> AsyncIterator[str]:
    """Start a server, give its URL, and stop it at the end.

    The server also stops when this process dies: its standard input then ends.

    Args:
        host: the address it listens on.
        port: the port; 0 for any free one.
        seed: 32 bytes that all deals follow from; ``None`` for secret ones.
        bot_speed: bots think so many times faster than people.
        keeping: whether and where it keeps what is played.

    Raises:
        ConnectionFailed: it did not start.
        JournalRefused: it did not, because it cannot keep what is played.

    """
    command = [sys.executable, "-m", "racing_demon_server", "--stop-with-stdin"]
    command += [f"--host={host}", f"--port={port}", f"--bot-speed={bot_speed}"]
    command.append(f"--durability={keeping.durability}")
    if keeping.journal is not None:
        command.append(f"--journal={keeping.journal}")
    if seed is not None:
        command.append(f"--seed={seed.hex()}")
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        start_new_session=True,  # Ctrl-C is for the client, which then stops the server
    )
    try:
        url = await _url(process)
        draining = asyncio.create_task(_drain(process))
        try:
            yield url
        finally:
            draining.cancel()
    finally:
        await _stop(process)


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
            raise JournalRefused(said)
        raise ConnectionFailed(said or "The server did not start, and did not say why.")
    return found.group()


async def _drain(process: asyncio.subprocess.Process) -> None:
    """Read what the server complains of, and forget it: a full pipe would stop the server."""
    assert process.stderr is not None
    while await process.stderr.read(4_096):
        pass


async def _stop(process: asyncio.subprocess.Process) -> None:
    assert process.stdin is not None
    process.stdin.close()
    try:
        await asyncio.wait_for(process.wait(), STOP_SECONDS)
    except TimeoutError:
        process.kill()
        await process.wait()
