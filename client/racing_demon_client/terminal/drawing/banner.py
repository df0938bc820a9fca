"""Banners in big letters."""

from typing import Final

from racing_demon_client.terminal.style.ink import Mark, Role

from .canvas import Canvas

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
ROWS: Final = 5


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
    scale = max(1, min(height // ROWS, (width - 2) // (2 * dots)))
    wide = 2 * scale if 2 * scale * dots <= width else 1
    left = x + (width - dots * wide) // 2
    top = y + (height - ROWS * scale) // 2
    for char in text:
        for row, line in enumerate(FONT[char]):
            for dot, sign in enumerate(line):
                if sign == "#":
                    for repeat in range(scale):
                        canvas.put(
                            left + dot * wide,
                            top + row * scale + repeat,
                            block * wide,
                            Role.BANNER | Mark.STRONG,
                        )
        left += (len(FONT[char][0]) + 1) * wide
