"""The wiring, on one page: settings, hall, gateway; started, announced, and stopped on a signal."""

import asyncio
import contextlib
import signal
import sys
import time
from collections.abc import Callable

from .gateway import PATH, start
from .hall import Hall
from .settings import Settings

__all__ = ["run"]

GOING_DOWN = 1012
"""The WebSocket close code "service restart": clients try again."""


async def run(settings: Settings, announce: Callable[[str], None], *, stop_with_stdin: bool = False) -> None:
    """Serve until a signal, or the end of standard input, stops it.

    Args:
        settings: the server's.
        announce: is told the URL once the port is open.
        stop_with_stdin: whether to stop when standard input ends: for a server that somebody's client
            has started, and that must not outlive it.

    Raises:
        OSError: the address cannot be listened on.

    """
    hall = Hall(settings, clock)
    server = await start(settings, hall, clock)
    port = next(iter(server.sockets)).getsockname()[1]
    announce(f"ws://{settings.host}:{port}{PATH}")
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # Windows has no signal handlers on its loop
            loop.add_signal_handler(number, stopping.set)
    watcher = asyncio.create_task(_watch_stdin(stopping)) if stop_with_stdin else None
    await stopping.wait()
    if watcher is not None:
        watcher.cancel()
    server.close(code=GOING_DOWN, reason="The server is going down.")
    await server.wait_closed()
    hall.close()


def clock() -> int:
    """Return the microseconds on the machine's rising clock."""
    return time.monotonic_ns() // 1_000


async def _watch_stdin(stopping: asyncio.Event) -> None:
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    while await reader.read(1_024):
        pass
    stopping.set()
