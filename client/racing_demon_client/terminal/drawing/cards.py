"""Framed cards."""

from typing import NamedTuple

from racing_demon_client.terminal.style.glyphs import Glyphs
from racing_demon_client.terminal.style.ink import Mark, Role

from .canvas import Canvas


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


class Box(NamedTuple):
    """A rectangle of cells."""

    at: tuple[int, int]
    size: tuple[int, int]


def draw_card(canvas: Canvas, box: Box, name: str, ink: int, glyphs: Glyphs) -> None:
    """Draw a card with its name in the top edge, so that overlapping cards show theirs.

    With a height of 1, draw only the top edge.
    """
    (x, y), (width, height) = box
    sign = sign_of(ink, glyphs)
    canvas.put(x, y, sign or glyphs.corners[0], ink if sign else Role.FRAME)
    end = canvas.put(x + 1, y, name, ink)
    canvas.put(end, y, glyphs.rule * (x + width - 1 - end) + glyphs.corners[1], Role.FRAME)
    for row in range(1, height):
        left, fill, right = glyphs.side, " ", glyphs.side
        if row == height - 1:
            left, fill, right = glyphs.corners[2], glyphs.rule, glyphs.corners[3]
        canvas.put(x, y + row, left + fill * (width - 2) + right, Role.FRAME)


def sign_of(ink: int, glyphs: Glyphs) -> str:
    """Return the mark beside a card that is held or under the cursor: a cue without color."""
    if ink & Mark.HELD:
        return glyphs.held
    return glyphs.cursor if ink & Mark.CURSOR else ""
