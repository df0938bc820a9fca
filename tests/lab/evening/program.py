"""A client of this machine on a terminal of its own, which is read all the time."""

import asyncio
import os
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, Self

from benchmarks.pty_program import ProgramEnded, PtyProgram

from tests.support.processes import CLIENT
from tests.support.servers import deadline

WAIT_SECONDS: Final = 60.0
SIZE: Final = (80, 24)


class Program:
    """A client in a terminal of 80 columns.

    Attributes:
        data: the folder of its journals and settings.

    """

    def __init__(self, program: PtyProgram) -> None:
        self._program = program
        self._has_read = asyncio.Event()
        self._is_over = asyncio.Event()

    @classmethod
    @asynccontextmanager
    async def running(cls, data: Path, *arguments: str) -> AsyncIterator[Self]:
        """Start it with these arguments, and end it by force if it still runs in the end."""
        env = {name: text for name, text in os.environ.items() if not name.startswith("LC_")}
        env |= {"LANG": "C.UTF-8", "TERM": "xterm-256color"}
        env |= {f"RACING_DEMON_{kind}": str(data) for kind in ("CONFIG", "STATE", "DATA")}
        command = [sys.executable, "-m", CLIENT, *arguments]
        loop = asyncio.get_running_loop()
        with PtyProgram(arguments[0], command, SIZE, env) as program:
            running = cls(program)
            loop.add_reader(program.fd, running._read)
            try:
                yield running
            finally:
                loop.remove_reader(program.fd)

    def _read(self) -> None:
        self._has_read.set()
        try:
            self._program.read()
        except ProgramEnded:
            self._is_over.set()
            asyncio.get_running_loop().remove_reader(self._program.fd)

    @property
    def text(self) -> str:
        """What the terminal shows."""
        return self._program.screen.text

    async def shows(self, pattern: str) -> re.Match[str]:
        """Wait until the terminal shows something."""
        async with deadline(lambda: f"no {pattern!r} on\n{self.text}", WAIT_SECONDS):
            while (found := re.search(pattern, self.text)) is None:
                self._has_read.clear()
                await self._has_read.wait()
        return found

    def type(self, keys: str) -> None:
        """Type at the terminal."""
        os.write(self._program.fd, keys.encode())

    async def ended(self) -> None:
        """Wait until it has ended by itself."""
        async with deadline(lambda: f"does not end:\n{self.text}", WAIT_SECONDS):
            await self._is_over.wait()

    async def leave(self) -> None:
        """Leave the table as a player does at the end of an evening."""
        self.type("\x03")
        await self.shows("Leave the table")
        self.type("y")
        await self.ended()
