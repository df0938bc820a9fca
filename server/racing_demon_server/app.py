"""The wiring, on one page: settings, hall, gateway; started, announced, and stopped on a signal."""

import asyncio
import contextlib
import gc
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable

from . import __version__
from .gateway import PATH, start
from .hall import Hall
from .logs import TableLog
from .metrics import Metrics
from .pages import Meter
from .publisher.wiring import own_urls, publishers
from .settings import Settings

__all__ = ["run"]

GOING_DOWN = 1001
"""The WebSocket close code "going away": the tables end with the server, so nobody needs to come back."""

log = logging.getLogger("racing_demon_server")


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
    metrics = Metrics()
    brokers = publishers(settings, clock)
    hall = Hall(settings, clock, [metrics, TableLog(), *brokers])
    meter = Meter(lambda open_: metrics.text(open_, hall.listeners), metrics.cut, metrics.refused)
    server = await start(settings, hall, clock, meter)
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):  # Windows has no signal handlers on its loop
            loop.add_signal_handler(number, stopping.set)
    if stop_with_stdin:
        threading.Thread(target=_watch_stdin, args=[loop, stopping], name="stdin", daemon=True).start()
    port = next(iter(server.sockets)).getsockname()[1]
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    lag = asyncio.create_task(metrics.measure_lag(clock))
    url = f"ws://{host}:{port}{PATH}"
    log.info("server started", extra={"url": url, "version": __version__})
    for broker in brokers:
        broker.start(settings.public_urls or own_urls(settings.host, port))
    # What is loaded stays: else each full collection would look through it, and play stood still for 50 ms.
    gc.collect()
    gc.freeze()
    announce(url)
    await stopping.wait()
    log.info("server stopping", extra={"tables": len(hall)})
    server.close(code=GOING_DOWN, reason="The server was stopped, and the table with it.")
    await server.wait_closed()
    hall.close()
    for broker in brokers:
        await broker.stop()
    lag.cancel()
    log.info("server stopped")


def clock() -> int:
    """Return the microseconds on the machine's rising clock."""
    return time.monotonic_ns() // 1_000


def _watch_stdin(loop: asyncio.AbstractEventLoop, stopping: asyncio.Event) -> None:
    """Wait, in a thread, until standard input ends: a loop cannot watch a file, or a pipe on Windows."""
    with contextlib.suppress(OSError):
        # Not by way of sys.stdin, whose lock would then be held when the interpreter wants to close it.
        while sys.stdin is not None and os.read(0, 1_024):
            pass
    with contextlib.suppress(RuntimeError):  # the loop has ended before the input
        loop.call_soon_threadsafe(stopping.set)
