"""The operator's commands for this user's own server, over a socket that only its user may open."""

import asyncio
import sys
from contextlib import suppress
from typing import Final

from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.net.local_server import own_words

ANSWER_SECONDS: Final = 15.0
MAX_ERROR_TEXT: Final = 2_000
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
    command = [sys.executable, "-m", "racing_demon_server", name, "--table", code]
    if journal is not None:
        command += ["--journal", journal]
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *command, *arguments, stdin=asyncio.subprocess.DEVNULL, stdout=pipe, stderr=pipe
    )
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            said, errors = await process.communicate()
    except TimeoutError:
        raise ConnectionFailed("The server of this table does not answer.") from None
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):  # it may end at this moment
                process.kill()
            await process.wait()
    if process.returncode != 0:
        raise ConnectionFailed(own_words(errors)[:MAX_ERROR_TEXT] or "The server cannot be asked.")
    return said.decode(errors="replace")
