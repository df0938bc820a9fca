"""Draw the README's picture of a table, reproducibly: ``python client/picture.py docs/table.svg``.

Bots play a match in virtual time, and one moment of it is drawn from the point of view of one player.
"""

import argparse
import io
import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from rich.console import Console
from rich.segment import Segment, Segments
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from tests.support.bot_matches import play_match

from racing_demon_client.terminal.appearance import NAMES, Palette, palette
from racing_demon_client.terminal.drawing.canvas import Canvas
from racing_demon_client.terminal.drawing.table import draw_table
from racing_demon_client.terminal.keymap import KEYBOARD_LAYOUTS, table_keymap
from racing_demon_client.terminal.style import UNICODE, choose
from racing_demon_client.terminal.view_model import ViewModel
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages.client import Command
from racing_demon_protocol.wire.options import Options

EVENTS = 300
MS_PER_EVENT = 190
FONT_SHAPE = 0.61
"""The width of a character relative to its height in the picture's font."""


class Seen:
    """The table as seen from one seat."""

    def __init__(self, view: TableState, seat: int) -> None:
        self.view = view
        self.seat: int | None = seat
        self.watchers = 0
        self.unanswered: Sequence[Command] = ()


def table(size: tuple[int, int]) -> Canvas:
    """Return the picture of one moment, in a width and height of cells."""
    options = Options(hands=1, hints=True)
    _, log, _ = play_match(bytes([5] * 32), ["hard", "medium", "hard", "medium", "hard"], options)
    view = TableState("BCDF", options)
    model = ViewModel(Seen(view, 0))
    now = 0
    for event in log[:EVENTS]:
        view.apply(event)
        now += MS_PER_EVENT
        model.observe(event, now)
    model.ping_ms, model.paint_ms = 2, 4
    keymap = table_keymap(KEYBOARD_LAYOUTS["qwerty"], {})
    model.selection.press("column-4", now)
    scene = model.scene(now, keymap.labels, keymap.footer(hints=options.hints))
    return draw_table(scene, size, choose("auto", *size), UNICODE)


def svg(canvas: Canvas, colors: Palette) -> str:
    """Return a picture as SVG."""
    console = Console(
        record=True, width=canvas.width, file=io.StringIO(), force_terminal=True, color_system="truecolor"
    )
    for y in range(canvas.height):
        line = [Segment(text, colors.style(ink)) for text, ink in canvas.runs(y)]
        console.print(Segments([*line, Segment.line()]), end="")
    ground = Style(bgcolor=colors.ground).bgcolor
    assert ground is not None
    shade = ground.get_truecolor()
    theme = TerminalTheme(shade, (230, 236, 232), [(0, 0, 0)] * 8)
    return console.export_svg(
        title="racing-demon", theme=theme, font_aspect_ratio=FONT_SHAPE, unique_id="table"
    )


def main() -> int:
    """Write the picture."""
    parser = argparse.ArgumentParser(description="Draw the picture of a table in the README.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--size", default="120x40", help="in cells (default 120x40)")
    parser.add_argument("--palette", choices=NAMES, default="dark")
    arguments = parser.parse_args()
    width, height = map(int, arguments.size.split("x"))
    text = svg(table((width, height)), palette(arguments.palette))
    arguments.file.parent.mkdir(parents=True, exist_ok=True)
    arguments.file.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
