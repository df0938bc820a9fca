"""What a terminal would show, as far as one must know it to tell whose paint came."""

import re
from codecs import getincrementaldecoder
from dataclasses import dataclass
from typing import Final

TOKEN: Final = re.compile(r"\x1b\[([?>=<]?)([\d;]*)([ -/]*[@-~])|\x1b[^\[]|[\r\n]|[^\x1b\r\n]+")
HEADER: Final = 2
"""The first rows of our table, where clock and round trip change by themselves."""


@dataclass(slots=True)
class Frame:
    """One synchronized paint.

    Attributes:
        begin: when its first byte was read, in monotonic nanoseconds.
        end: when its last byte was read.
        size: its bytes.
        changes: whether it changed any text below the header.
        holding: whether the screen tells after it that cards are held.

    """

    begin: int
    end: int = 0
    size: int = 0
    changes: bool = False
    holding: bool = False


class Screen:
    """The characters on a terminal, without their colors.

    Args:
        width: in cells.
        height: in cells.

    """

    def __init__(self, width: int, height: int) -> None:
        self._width = width
        self._cells = [[" "] * width for _ in range(height)]
        self._x = self._y = 0
        self._decode = getincrementaldecoder("utf-8")("replace").decode
        self._rest = ""
        self._frame: Frame | None = None

    @property
    def text(self) -> str:
        """What is to be read."""
        return "\n".join(map("".join, self._cells))

    @property
    def is_painting(self) -> bool:
        """Whether a synchronized paint has begun, of which the rest is still to be read."""
        return self._frame is not None

    def feed(self, data: bytes, at: int) -> list[Frame]:
        """Take what a program wrote, read at a time, and return the paints that are complete with it."""
        text = self._rest + self._decode(data)
        frames = []
        done = 0
        while token := TOKEN.match(text, done):  # up to a sequence whose end has not been read yet
            if self._take(token, at):
                assert self._frame is not None
                frames.append(self._frame)
                self._frame = None
            done = token.end()
        self._rest = text[done:]
        return frames

    def _take(self, token: re.Match[str], at: int) -> bool:
        """Do what a token says; tell whether it closed a paint."""
        mark, numbers, does = token.group(1), token.group(2), token.group(3)
        if (mark, numbers, does) == ("?", "2026", "h"):
            self._frame = Frame(at)
        if self._frame is not None:
            self._frame.size += len(token.group().encode())
        if does is None:
            self._write(token.group())
        elif does == "H" and not mark:
            row, _, column = numbers.partition(";")
            self._y, self._x = int(row or 1) - 1, int(column or 1) - 1
        elif (mark, numbers, does) == ("?", "2026", "l") and self._frame is not None:
            self._frame.end = at
            self._frame.holding = "holding" in self.text
            return True
        return False

    def _write(self, text: str) -> None:
        if text == "\n":
            self._y += 1
        elif text == "\r":
            self._x = 0
        elif text[0] != "\x1b" and self._y < len(self._cells):
            row, end = self._cells[self._y], min(self._width, self._x + len(text))
            signs = list(text[: max(0, end - self._x)])
            if self._frame is not None and self._y >= HEADER and row[self._x : end] != signs:
                self._frame.changes = True
            row[self._x : end] = signs
            self._x += len(text)
