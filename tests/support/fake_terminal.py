"""A keyboard to type on and a screen to look at, for players in this process."""

import asyncio
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self, TextIO

from tests.support.servers import PATIENCE, timeout


class FakeTerminal:
    """What a player types, and what the player sees.

    Attributes:
        keyboard: the lines to read.
        lines: what was written so far.

    """

    def __init__(self, keyboard: TextIO, keys: TextIO) -> None:
        self.keyboard = keyboard
        self.lines: list[str] = []
        self._keys = keys
        self._seen = 0
        self._news = asyncio.Event()

    @classmethod
    @contextmanager
    def opened(cls) -> Iterator[Self]:
        """Open a console, and hang up in the end."""
        ends = os.pipe()
        with open(ends[0], encoding="utf-8") as keyboard, open(ends[1], "w", encoding="utf-8") as keys:
            yield cls(keyboard, keys)

    def write(self, line: str) -> None:
        """Show a line."""
        self.lines.append(line)
        self._news.set()

    def type(self, *lines: str) -> None:
        """Type lines."""
        for line in lines:
            self._keys.write(f"{line}\n")
        self._keys.flush()

    def hang_up(self) -> None:
        """End the input."""
        self._keys.close()

    async def until(self, pattern: str) -> str:
        """Wait for the next line in which something is found, and return it."""

        async def look() -> str:
            while True:
                while self._seen < len(self.lines):
                    line = self.lines[self._seen]
                    self._seen += 1
                    if re.search(pattern, line):
                        return line
                self._news.clear()
                await self._news.wait()

        try:
            return await timeout(PATIENCE, look())
        except TimeoutError:
            raise AssertionError(f"{pattern!r} is not in {self.lines}") from None

    async def answer(self, line: str, pattern: str) -> str:
        """Type a line, and return the next line in which something is found."""
        self._seen = len(self.lines)
        self.type(line)
        return await self.until(pattern)
