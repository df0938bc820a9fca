"""What a terminal would show, as far as one must know it to tell what a program has painted."""

import re
from codecs import getincrementaldecoder
from typing import Final

TOKEN: Final = re.compile(r"\x1b\[([?>=<]?)([\d;]*)([ -/]*[@-~])|\x1b[^\[]|[\r\n]|[^\x1b\r\n]+")


class Screen:
    """The characters on a terminal, without their colors.

    Args:
        width: in cells.
        height: in cells.

    Attributes:
        is_painting: whether a synchronized paint has begun, of which the rest is still to be read.

    """

    def __init__(self, width: int, height: int) -> None:
        self.is_painting = False
        self._width = width
        self._cells = [[" "] * width for _ in range(height)]
        self._x = self._y = 0
        self._decode = getincrementaldecoder("utf-8")("replace").decode
        self._rest = ""

    @property
    def text(self) -> str:
        """What is to be read."""
        return "\n".join(map("".join, self._cells))

    def feed(self, data: bytes) -> None:
        """Take what a program wrote."""
        text = self._rest + self._decode(data)
        done = 0
        while token := TOKEN.match(text, done):  # up to a sequence whose end has not been read yet
            self._take(token)
            done = token.end()
        self._rest = text[done:]

    def _take(self, token: re.Match[str]) -> None:
        mark, numbers, does = token.group(1), token.group(2), token.group(3)
        if does is None:
            self._write(token.group())
        elif does == "H" and not mark:
            row, _, column = numbers.partition(";")
            self._y, self._x = int(row or 1) - 1, int(column or 1) - 1
        elif (mark, numbers) == ("?", "2026"):
            self.is_painting = does == "h"

    def _write(self, text: str) -> None:
        if text == "\n":
            self._y += 1
        elif text == "\r":
            self._x = 0
        elif text[0] != "\x1b" and self._y < len(self._cells):
            row, end = self._cells[self._y], min(self._width, self._x + len(text))
            row[self._x : end] = text[: max(0, end - self._x)]
            self._x += len(text)
