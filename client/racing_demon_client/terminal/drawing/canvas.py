"""A grid of cells to draw on, with hit areas for the pointer."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from racing_demon_client.terminal.style.glyphs import drawn_width, spacing_marks
from racing_demon_client.terminal.style.ink import Role


@dataclass(frozen=True, slots=True)
class Hit:
    """An area of the picture that stands for a pile or an action.

    Attributes:
        x: its first column.
        y: its first row.
        width: its width in cells.
        height: its height in cells.
        pile: the pile's number; ``None`` for an action.
        index: the card's index in the pile, from the bottom; ``None`` for the whole pile.
        action: what a click does.

    """

    x: int
    y: int
    width: int
    height: int
    pile: int | None = None
    index: int | None = None
    action: str | None = None


class Span(NamedTuple):
    """A stretch of one row."""

    x: int
    y: int
    width: int


class Canvas:
    """A picture of a fixed size in cells, with the origin at the top left.

    Anything outside is clipped. A wide character fills two cells; the second is empty.
    """

    def __init__(self, width: int, height: int) -> None:
        self.width = width
        self.height = height
        self._chars = [[" "] * width for _ in range(height)]
        self._inks = [[0] * width for _ in range(height)]
        self._hits: list[Hit] = []

    def put(self, x: int, y: int, text: str, ink: int = Role.TEXT) -> int:
        """Write text and return the column after it."""
        cells: Sequence[str] = text if text.isascii() else _cells(text)
        end = x + len(cells)
        first, last = max(0, -x), min(len(cells), self.width - x)
        if 0 <= y < self.height and first < last:
            row = self._chars[y]
            self._mend(row, x + first, x + last)
            row[x + first : x + last] = cells[first:last]
            self._inks[y][x + first : x + last] = [ink] * (last - first)
            if cells[first] == "":  # half a wide character is clipped
                row[x + first] = " "
            if last < len(cells) and cells[last] == "":
                row[x + last - 1] = " "
        return end

    def _mend(self, row: list[str], start: int, end: int) -> None:
        """Replace wide characters that are half overwritten by blanks."""
        if row[start] == "" and start:
            row[start - 1] = " "
        if end < self.width and row[end] == "":
            row[end] = " "

    def rule(self, y: int, x: int, end: int, sign: str) -> None:
        """Draw a line across a row."""
        self.put(x, y, sign * (end - x), Role.FRAME)

    def touch(self, hit: Hit) -> None:
        """Add a hit area on top of earlier ones."""
        self._hits.append(hit)

    def hit(self, x: int, y: int) -> Hit | None:
        """Return the hit area at a cell."""
        for hit in reversed(self._hits):
            if hit.x <= x < hit.x + hit.width and hit.y <= y < hit.y + hit.height:
                return hit
        return None

    def runs(self, y: int) -> Iterator[tuple[str, int]]:
        """Yield a row as stretches of text with a single ink."""
        start = 0
        chars = self._chars[y]
        for ink, group in groupby(self._inks[y]):
            end = start + len(list(group))
            yield "".join(chars[start:end]), ink
            start = end

    def text(self) -> str:
        """Return the picture's text without its inks, one line per row."""
        return "\n".join("".join(row).rstrip() for row in self._chars)

    def spans_unlike(self, other: "Canvas") -> Iterator[Span]:
        """Yield where this picture differs from another of the same size, at most one span per row."""
        for y in range(self.height):
            chars, inks = self._chars[y], self._inks[y]
            before, before_inks = other._chars[y], other._inks[y]
            if chars == before and inks == before_inks:
                continue
            if spacing_marks("".join(chars + before)):  # Textual counts fewer cells: it must not crop
                yield Span(0, y, self.width)
                continue
            unlike = [x for x in range(self.width) if chars[x] != before[x] or inks[x] != before_inks[x]]
            yield Span(unlike[0], y, unlike[-1] - unlike[0] + 1)


@lru_cache(maxsize=4_096)  # the same few dozen strings repeat; this halves the time of a picture
def _cells(text: str) -> tuple[str, ...]:
    """Split text into cells: a mark joins its base, and an empty cell follows a wide character."""
    cells: list[str] = []
    for char in text:
        width = drawn_width(char)
        if width == 0:
            if cells:
                cells[-1 if cells[-1] else -2] += char
        else:
            cells += [char, *[""] * (width - 1)]
    return tuple(cells)
