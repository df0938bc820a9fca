"""The program's own streams: who sits there, and how lines go out."""

import argparse
import asyncio
import contextlib
import os
import sys
import threading
from typing import TextIO

from .environment import is_poor

__all__ = ["can_draw", "has_screen", "is_ascii_only", "is_terminal", "read_line", "write", "write_aside"]


async def read_line(lines: TextIO) -> str:
    """Return the next line, empty at the end of the input; Ctrl-C need not wait for it.

    A thread of the loop's own would be waited for when the program ends, so the line is read in another.
    """
    loop = asyncio.get_running_loop()
    line: asyncio.Future[str] = loop.create_future()

    def keep(text: str) -> None:
        if not line.done():
            line.set_result(text)

    def read() -> None:
        try:
            text = lines.readline()
        except (OSError, ValueError):  # the terminal is gone, or the input was closed meanwhile
            text = ""
        with contextlib.suppress(RuntimeError):  # the loop has ended before the line
            loop.call_soon_threadsafe(keep, text)

    threading.Thread(target=read, name="typed line", daemon=True).start()
    return await line


def write(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def write_aside(line: str) -> None:
    """Print a line where it is in nobody's way who reads the output by program."""
    sys.stderr.write(line + "\n")


def is_ascii_only(arguments: argparse.Namespace) -> bool:
    """Tell whether suits are written as letters: as asked for, or as the terminal needs it."""
    return bool(arguments.ascii) or is_poor(sys.stdout.encoding or "")


def is_terminal() -> bool:
    """Tell whether somebody sits at a terminal."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def has_screen(arguments: argparse.Namespace) -> bool:
    """Tell whether the terminal table is to be shown, and can be."""
    return not arguments.plain and can_draw()


def can_draw() -> bool:
    """Tell whether Textual can draw: it does so on standard error, with escape sequences."""
    return is_terminal() and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
