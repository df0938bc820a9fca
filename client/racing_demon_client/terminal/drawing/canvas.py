"""A grid of cells to draw on, with hit areas for the pointer, framed cards and big letters."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Final, NamedTuple

from racing_demon_client.terminal.style import Glyphs, Highlight, Role, drawn_width, spacing_marks


@dataclass(frozen=True, slots=True)
class HitArea:
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
        self._hits: list[HitArea] = []

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

    def touch(self, hit: HitArea) -> None:
        """Add a hit area on top of earlier ones."""
        self._hits.append(hit)

    def hit(self, x: int, y: int) -> HitArea | None:
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


def draw_frame(
    canvas: Canvas, at: tuple[int, int], size: tuple[int, int], glyphs: Glyphs, *, dashed: bool = False
) -> None:
    """Draw an empty frame; a dashed one marks an empty place."""
    (x, y), (width, height) = at, size
    rule, side = (glyphs.gap, glyphs.gap_side) if dashed else (glyphs.rule, glyphs.side)
    ink = Role.DIM if dashed else Role.FRAME
    canvas.put(x, y, glyphs.corners[0] + rule * (width - 2) + glyphs.corners[1], ink)
    for row in range(1, height - 1):
        canvas.put(x, y + row, side + " " * (width - 2) + side, ink)
    canvas.put(x, y + height - 1, glyphs.corners[2] + rule * (width - 2) + glyphs.corners[3], ink)


class CardRect(NamedTuple):
    """A rectangle of cells."""

    at: tuple[int, int]
    size: tuple[int, int]


FACE: Final = (6, 3)
"""The smallest card with its name in its face."""


def draw_card(canvas: Canvas, box: CardRect, name: str, ink: int, glyphs: Glyphs) -> None:
    """Draw a card with its name in the top edge, as of overlapping cards: the face has room for a count.

    With a height of 1, draw only the top edge.
    """
    (x, y), (width, height) = box
    sign = sign_of(ink, glyphs)
    canvas.put(x, y, sign or glyphs.corners[0], ink if sign else Role.FRAME)
    end = canvas.put(x + 1, y, name, ink)
    if end < x + width:  # a ten fills the edge of a narrow card
        canvas.put(end, y, glyphs.rule * (x + width - 1 - end) + glyphs.corners[1], Role.FRAME)
    for row in range(1, height):
        left, fill, right = glyphs.side, " ", glyphs.side
        if row == height - 1:
            left, fill, right = glyphs.corners[2], glyphs.rule, glyphs.corners[3]
        canvas.put(x, y + row, left + fill * (width - 2) + right, Role.FRAME)


def draw_face(canvas: Canvas, box: CardRect, name: str, ink: int, glyphs: Glyphs) -> None:
    """Draw a card that nothing lies on, with its name in its face; a smaller one has it in its edge."""
    (x, y), (width, height) = box
    if width < FACE[0] or height < FACE[1]:
        draw_card(canvas, box, name, ink, glyphs)
        return
    draw_frame(canvas, (x, y), (width, height), glyphs)
    canvas.put(x + 1, y + 1, name, ink)
    if sign := sign_of(ink, glyphs):
        canvas.put(x, y + 1, sign, ink)
    if height > FACE[1]:
        canvas.put(x + width - 3, y + height - 2, name[-1:], ink)


def sign_of(ink: int, glyphs: Glyphs) -> str:
    """Return the mark beside a card that is held or under the cursor: a cue without color."""
    if ink & Highlight.HELD:
        return glyphs.held
    return glyphs.cursor if ink & Highlight.CURSOR else ""


FONT: Final = {
    "D": ("####.", "#...#", "#...#", "#...#", "####."),
    "P": ("####.", "#...#", "####.", "#....", "#...."),
    "A": (".###.", "#...#", "#####", "#...#", "#...#"),
    "U": ("#...#", "#...#", "#...#", "#...#", ".###."),
    "S": (".####", "#....", ".###.", "....#", "####."),
    "E": ("#####", "#....", "####.", "#....", "#####"),
    "M": ("#...#", "##.##", "#.#.#", "#...#", "#...#"),
    "O": (".###.", "#...#", "#...#", "#...#", ".###."),
    "N": ("#...#", "##..#", "#.#.#", "#..##", "#...#"),
    "G": (".####", "#....", "#..##", "#...#", ".####"),
    "W": ("#...#", "#...#", "#.#.#", "##.##", "#...#"),
    "!": ("#", "#", "#", ".", "#"),
    "1": (".#.", "##.", ".#.", ".#.", "###"),
    "2": ("####.", "....#", ".###.", "#....", "#####"),
    "3": ("####.", "....#", ".###.", "....#", "####."),
    "4": ("#..#.", "#..#.", "#####", "...#.", "...#."),
    "5": ("#####", "#....", "####.", "....#", "####."),
    "6": (".###.", "#....", "####.", "#...#", ".###."),
    "7": ("#####", "...#.", "..#..", ".#...", ".#..."),
    "8": (".###.", "#...#", ".###.", "#...#", ".###."),
    "9": (".###.", "#...#", ".####", "....#", ".###."),
    "0": (".###.", "#...#", "#...#", "#...#", ".###."),
}
LETTER_ROWS: Final = 5


def draw_banner(canvas: Canvas, text: str, area: tuple[int, int, int, int], block: str) -> None:
    """Draw a word in the middle of an area, as large as it fits.

    Args:
        canvas: the canvas.
        text: the word, in letters of the banner font.
        area: left column, top row, width and height, in cells.
        block: the character that the letters are made of.

    """
    x, y, width, height = area
    dots = sum(len(FONT[char][0]) + 1 for char in text) - 1
    scale = max(1, min(height // LETTER_ROWS, (width - 2) // (2 * dots)))
    wide = 2 * scale if 2 * scale * dots <= width else 1
    left = x + (width - dots * wide) // 2
    top = y + (height - LETTER_ROWS * scale) // 2
    for char in text:
        for row, line in enumerate(FONT[char]):
            for dot, sign in enumerate(line):
                if sign == "#":
                    for repeat in range(scale):
                        canvas.put(
                            left + dot * wide,
                            top + row * scale + repeat,
                            block * wide,
                            Role.BANNER | Highlight.STRONG,
                        )
        left += (len(FONT[char][0]) + 1) * wide
