"""The operator's way to a running server: a Unix socket beside its journal, for the server's user alone.

A request is a line of JSON, and so is its answer. What is held ends when whoever asked has gone. No network
and no tunnel leads there.
"""

import asyncio
import contextlib
import json
import logging
import os
import socket
import stat
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

ENDING: Final = "-control"
"""What the socket's name has more than the journal's."""
MAX_REQUEST: Final = 4_096
MAX_ANSWER: Final = 16 * 1024 * 1024
READ_SECONDS: Final = 5.0
"""How long a request may take to arrive."""
ANSWER_SECONDS: Final = 30.0
"""How long the operator's command waits for an answer."""

Gone = asyncio.Future[None]
"""Is done when whoever made a request has gone: their connection is closed."""
Answer = Callable[[Mapping[str, Any], Gone], Awaitable[Mapping[str, Any]]]
"""Carries out a request, and returns its answer."""

log = logging.getLogger("racing_demon_server")


class NotRunning(Exception):
    """No server listens there."""


class RequestFailed(Exception):
    """The server refuses a request, or cannot be asked. The text says why."""


def control_socket_of(journal: Path) -> Path:
    """Return the socket of the server that has this journal."""
    return journal.with_name(f"{journal.name}{ENDING}")


@contextlib.asynccontextmanager
async def serving_operator(journal: Path, answer: Answer) -> AsyncIterator[None]:
    """Answer the operator of the server that has this journal, by a function.

    The journal's lock has one holder, so a socket that lies there already is that of a dead server.
    """
    path = control_socket_of(journal)

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        gone: Gone = asyncio.get_running_loop().create_future()
        try:
            with contextlib.suppress(OSError), contextlib.closing(writer):
                writer.write(json.dumps(await _answered(reader, answer, gone)).encode() + b"\n")
                await writer.drain()
                await reader.read(1)
        finally:
            gone.set_result(None)

    if sys.platform == "win32":
        yield
        return
    try:
        listening = _listening(path)
    except OSError as error:  # such as for a path that is too long
        extra = {"socket": str(path), "why": str(error)}
        log.warning("the operator's commands cannot reach this server", extra=extra)
        yield
        return
    server = await asyncio.start_unix_server(meet, sock=listening, limit=MAX_REQUEST)
    try:
        yield
    finally:
        server.close()
        path.unlink(missing_ok=True)


def _listening(path: Path) -> socket.socket:
    with contextlib.suppress(FileNotFoundError):
        if stat.S_ISSOCK(path.lstat().st_mode):
            path.unlink()
    listening = socket.socket(socket.AF_UNIX)
    mask = os.umask(0o177)
    try:
        listening.bind(str(path))
    except OSError:
        listening.close()
        raise
    finally:
        os.umask(mask)
    return listening


async def _answered(reader: asyncio.StreamReader, answer: Answer, gone: Gone) -> Mapping[str, Any]:
    try:
        request = json.loads(await asyncio.wait_for(reader.readline(), READ_SECONDS))
        return await answer(request, gone)
    except RequestFailed as error:
        return {"error": str(error)}
    except Exception:
        log.exception("a request of the operator failed")
        return {"error": "The server made an error, and has logged it."}


def request(path: Path, **asked: Any) -> Mapping[str, Any]:
    """Ask the server that listens at a socket, and return its answer. See :func:`holding`."""
    with holding(path, **asked) as said:
        return said


@contextlib.contextmanager
def holding(path: Path, **asked: Any) -> Iterator[Mapping[str, Any]]:
    """Ask the server that listens at a socket, and hold what it gives while the context lasts.

    Raises:
        NotRunning: there is none.
        RequestFailed: it refuses, cannot be reached, or does not answer.

    """
    if sys.platform == "win32":
        raise RequestFailed("a running server takes no commands on Windows")
    with socket.socket(socket.AF_UNIX) as asking:
        asking.settimeout(ANSWER_SECONDS)
        try:
            asking.connect(str(path))
            asking.sendall(json.dumps(asked).encode() + b"\n")
            with asking.makefile("rb") as answer:
                said: Mapping[str, Any] = json.loads(answer.readline(MAX_ANSWER))
        except (FileNotFoundError, ConnectionRefusedError):
            raise NotRunning from None
        except (OSError, ValueError) as error:
            raise RequestFailed(f"the server at {path} cannot be asked: {error}") from error
        if "error" in said:
            raise RequestFailed(said["error"])
        yield said
