"""A widget that shows a picture and repaints only what has changed."""

import re
from collections.abc import Callable, Iterator
from typing import Final

from rich.segment import Segment
from textual.events import Resize
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from .appearance import Appearance
from .drawing.canvas import Canvas, HitArea
from .style import drawn_width, spacing_marks

WORDS: Final = re.compile(r"\s+|\S+")

Draw = Callable[[Appearance, int, int], Canvas]
"""Draws the current picture with a look, in a width and height of cells."""


class CanvasWidget(Widget):
    """A picture that fills the screen.

    Args:
        draw: draws the picture.
        appearance: returns the current appearance.

    """

    DEFAULT_CSS = """
    CanvasWidget { width: 100%; height: 100%; }
    """

    def __init__(self, draw: Draw, appearance: Callable[[], Appearance]) -> None:
        super().__init__()
        self._draw = draw
        self._appearance = appearance
        self._drawn_with: Appearance | None = None
        self._canvas: Canvas | None = None
        self._strips: dict[int, Strip] = {}

    def redraw(self) -> None:
        """Draw the picture and repaint the cells that differ from the last one."""
        width, height = self.size
        if not width or not height:
            return
        appearance = self._appearance()
        before, self._canvas = self._canvas, self._draw(appearance, width, height)
        if (
            before is None
            or (before.width, before.height) != (width, height)
            or appearance != self._drawn_with
        ):
            self._drawn_with = appearance
            self._strips.clear()
            self.refresh()
            return
        regions = []
        for span in self._canvas.spans_unlike(before):
            self._strips.pop(span.y, None)
            regions.append(Region(span.x, span.y, span.width, 1))
        if regions:
            self.refresh(*regions)

    def hit(self, x: int, y: int) -> HitArea | None:
        """Return the hit area at a cell."""
        return None if self._canvas is None else self._canvas.hit(x, y)

    @property
    def text(self) -> str:
        """The picture as plain text."""
        return "" if self._canvas is None else self._canvas.text()

    def on_resize(self, event: Resize) -> None:
        """Redraw at the new size."""
        self.redraw()

    def render_line(self, y: int) -> Strip:
        """Return one row of the picture."""
        if self._canvas is None or y >= self._canvas.height:
            return Strip.blank(self.size.width)
        strip = self._strips.get(y)
        if strip is None:
            segments = _segments(self._canvas, y, self._appearance())
            strip = self._strips[y] = Strip(segments, self._canvas.width)
        return strip


def _segments(canvas: Canvas, y: int, appearance: Appearance) -> Iterator[Segment]:
    """Yield a row's segments, of which Textual counts as many cells as terminals draw."""
    x = 0
    for text, ink in canvas.runs(y):
        style = appearance.palette.style(ink)
        for piece in WORDS.findall(text) if spacing_marks(text) else (text,):
            yield Segment(piece, style)
            x += drawn_width(piece)
            uncounted = spacing_marks(piece)
            if uncounted and x + uncounted <= canvas.width:  # else the terminal would wrap
                yield Segment(" " * uncounted + "\b" * uncounted, style)
