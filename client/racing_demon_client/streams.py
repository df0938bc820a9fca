"""Standard input, output and error: what they are connected to, and how lines are written."""

import argparse
import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import Coroutine
from concurrent.futures import CancelledError
from itertools import chain
from typing import Any, Final, TextIO


async def read_line(lines: TextIO) -> str:
    """Return the next line, or an empty one at the end of the input. Ctrl-C interrupts it.

    The line is read in a daemon thread: the event loop's own threads would delay the program's exit.
    """
    loop = asyncio.get_running_loop()
    line: asyncio.Future[str] = loop.create_future()

    def enqueue(text: str) -> None:
        if not line.done():
            line.set_result(text)

    def read() -> None:
        try:
            text = lines.readline()
        except (OSError, ValueError):  # the terminal is gone, or the input was closed
            text = ""
        with contextlib.suppress(RuntimeError):  # the loop has ended before the line came
            loop.call_soon_threadsafe(enqueue, text)

    threading.Thread(target=read, name="typed line", daemon=True).start()
    return await line


def write(line: str) -> None:
    """Print a line and flush it."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def write_error(line: str) -> None:
    """Print a line to standard error, which programs reading the output do not see."""
    sys.stderr.write(line + "\n")


def is_ascii_only(arguments: argparse.Namespace) -> bool:
    """Return whether suits are written as letters, by request or because the terminal needs it."""
    return bool(arguments.ascii) or is_ascii_encoding(sys.stdout.encoding or "")


def is_terminal() -> bool:
    """Return whether standard input and output are a terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def wants_terminal(arguments: argparse.Namespace) -> bool:
    """Return whether the terminal table is wanted and possible."""
    return not arguments.plain and can_draw()


def can_draw() -> bool:
    """Return whether Textual can draw: it writes escape sequences to standard error."""
    return is_terminal() and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def is_ascii_encoding(encoding: str) -> bool:
    """Return whether an output with this encoding is limited to ASCII."""
    locale = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_CTYPE", "LANG"))), "")
    # In the C locale Python writes UTF-8 even if the terminal cannot show it.
    return locale in {"C", "POSIX"} or "utf" not in encoding.lower()


MAX_QUEUED_LINES: Final = 1_000
"""The maximum number of queued lines."""


def read_in_background(lines: TextIO) -> asyncio.Queue[str | None]:
    """Read lines in a thread; return the queue that receives them, with ``None`` at the end.

    Making the terminal non-blocking would garble the output. Reading stops while the queue is full: piped
    input may be endless.
    """
    loop = asyncio.get_running_loop()
    typed: asyncio.Queue[str | None] = asyncio.Queue(MAX_QUEUED_LINES)

    def read() -> None:
        # The loop may end before the input, or the input may be closed.
        with contextlib.suppress(RuntimeError, ValueError, CancelledError):
            for line in chain(lines, [None]):
                put = typed.put(line)
                try:
                    asyncio.run_coroutine_threadsafe(put, loop).result()
                finally:
                    put.close()

    threading.Thread(target=read, name="typed lines", daemon=True).start()
    return typed


async def run_until_one_ends(*works: Coroutine[Any, Any, None]) -> None:
    """Run some work until the first of it ends; cancel the rest, and raise what the first one raised."""
    tasks = [asyncio.create_task(work) for work in works]
    done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in pending:
        task.cancel()
    await asyncio.gather(*pending, return_exceptions=True)
    for task in done:
        task.result()
