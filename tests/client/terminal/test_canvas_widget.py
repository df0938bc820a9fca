"""Rows of a picture as terminals draw them."""

import ctypes
import locale
from collections.abc import Callable, Iterator

import pytest
from rich.cells import cell_len
from textual.app import App, ComposeResult

from racing_demon_client.terminal.appearance import Appearance
from racing_demon_client.terminal.canvas_widget import CanvasWidget
from racing_demon_client.terminal.drawing.canvas import Canvas
from racing_demon_client.terminal.style import UNICODE, Role, fit
from tests.support.cases import for_each

NAMES = ["Ann", "한국어", "क्षितिज", "தமிழ்", "மொழி", "שלום", "น้ำ", "মৌমিতা"]
WIDTH = 14


@pytest.fixture
def wcwidth() -> Iterator[Callable[[str], int]]:
    """Return how many cells the C library gives a character, which is what tmux and xterm draw."""
    before = locale.setlocale(locale.LC_CTYPE)
    try:
        measure = ctypes.CDLL(None).wcwidth
        locale.setlocale(locale.LC_CTYPE, "C.UTF-8")
    except (AttributeError, OSError, locale.Error):
        pytest.skip("the C library has no wcwidth, or no UTF-8")
    yield lambda char: int(measure(ord(char)))
    locale.setlocale(locale.LC_CTYPE, before)


class Roll(App[None]):
    """Shows a name in a column, and a line behind it."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.shown = name

    def compose(self) -> ComposeResult:
        """Yield the picture."""
        yield CanvasWidget(self._paint, Appearance)

    def _paint(self, appearance: Appearance, width: int, height: int) -> Canvas:
        canvas = Canvas(width, height)
        canvas.put(0, 0, fit(self.shown, WIDTH, UNICODE), Role.TEXT)
        canvas.put(WIDTH, 0, "|", Role.FRAME)
        return canvas


@pytest.mark.long
@for_each("name", [*NAMES, *(name * 5 for name in NAMES)])
async def test_what_follows_a_name_stands_in_its_column(name: str, wcwidth: Callable[[str], int]) -> None:
    """So do Textual's cells, by which it draws dialogs over a row."""
    app = Roll(name)
    async with app.run_test(size=(40, 2)):
        row = "".join(segment.text for segment in app.query_one(CanvasWidget).render_line(0))
    before, behind = row.split("|")
    assert cell_len(before) == WIDTH
    assert sum(-1 if char == "\b" else wcwidth(char) for char in before) == WIDTH
    assert cell_len(row) == 40
    assert behind.strip() == ""
