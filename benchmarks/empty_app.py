"""What Textual itself costs: an application in which a key changes one cell, drawn as our table is."""

import os

os.environ.setdefault("TEXTUAL_FPS", "240")  # as the table has it, and it must be there before the import

from rich.segment import Segment
from textual import events
from textual.app import App, ComposeResult
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

CELL = (8, 4)


class Cell(Widget):
    """An empty picture with one cell that changes."""

    DEFAULT_CSS = "Cell { width: 100%; height: 100%; }"

    is_on = False

    def turn(self) -> None:
        """Change the cell."""
        self.is_on = not self.is_on
        self.refresh(Region(*CELL, 1, 1))

    def render_line(self, y: int) -> Strip:
        """Return a row of the picture."""
        text = "ready" if y == CELL[1] + 1 else ""
        if y == CELL[1]:
            text = " " * CELL[0] + ("#" if self.is_on else ".")
        return Strip([Segment(text.ljust(self.size.width))], self.size.width)


class EmptyApp(App[None]):
    """One cell, and keys that change it."""

    ENABLE_COMMAND_PALETTE = False

    def compose(self) -> ComposeResult:
        """Lay the screen out: it is all picture."""
        yield Cell()

    def on_key(self, event: events.Key) -> None:
        """Change the cell, whatever the key."""
        event.stop()
        self.query_one(Cell).turn()


if __name__ == "__main__":
    EmptyApp().run(mouse=False)
