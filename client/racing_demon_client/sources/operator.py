"""The operator's commands for this user's own server, over a socket that only its user may open."""

import asyncio
import sys
from typing import Final, NamedTuple

from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.net.local_server import end_process, own_words

ANSWER_SECONDS: Final = 15.0
MAX_ERROR_TEXT: Final = 2_000
SILENT: Final = "The server of this table does not answer."
UNKNOWN_FORMAT: Final = "The server's answer is in an unknown format: client and server differ in version."


async def command_server(name: str, *arguments: str, code: str, journal: str | None) -> str:
    """Run an operator's command, and return what it writes.

    Args:
        name: the command.
        arguments: what follows it.
        code: the code of the table whose server is meant.
        journal: the server's journal; ``None`` for the usual one.

    Raises:
        ConnectionFailed: the server refuses, or cannot be asked; the text says why.

    """
    process = await _started(name, *arguments, code=code, journal=journal)
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            said, errors = await process.communicate()
    except TimeoutError:
        raise ConnectionFailed(SILENT) from None
    finally:
        await end_process(process)
    _check(process, errors)
    return said.decode(errors="replace")


class HeldAnswer(NamedTuple):
    """The answer of a command that goes on until nobody needs it: with this program at the latest."""

    said: str
    """What it has written."""
    process: asyncio.subprocess.Process

    async def end(self) -> int:
        """End the command, and what it holds; return its exit code."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        return await self.process.wait()


async def hold_answer(name: str, *arguments: str, code: str, journal: str | None) -> HeldAnswer:
    """Run an operator's command that writes a line and then waits for the end of its input.

    However this program ends, the command does, too. See :func:`command_server`.
    """
    process = await _started(name, *arguments, code=code, journal=journal)
    assert process.stdout is not None
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            if said := await process.stdout.readline():
                return HeldAnswer(said.decode(errors="replace"), process)
            _, errors = await process.communicate()
    except TimeoutError:
        await end_process(process)
        raise ConnectionFailed(SILENT) from None
    except asyncio.CancelledError:
        await end_process(process)
        raise
    _check(process, errors)
    raise ConnectionFailed(SILENT)


async def _started(name: str, *arguments: str, code: str, journal: str | None) -> asyncio.subprocess.Process:
    command = [sys.executable, "-m", "racing_demon_server", name, "--table", code]
    if journal is not None:
        command += ["--journal", journal]
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(*command, *arguments, stdin=pipe, stdout=pipe, stderr=pipe)


def _check(process: asyncio.subprocess.Process, errors: bytes) -> None:
    """Raise an error for a command that has failed."""
    if process.returncode != 0:
        raise ConnectionFailed(own_words(errors)[:MAX_ERROR_TEXT] or "The server cannot be asked.")
