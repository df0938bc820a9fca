"""The dialog for one's own name and colour."""

from collections.abc import Mapping
from typing import Final

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input, Label, OptionList
from textual.widgets.option_list import Option

from racing_demon_client.terminal.style import screen_text
from racing_demon_protocol.constants import MAX_NAME_LENGTH

from .dialogs import Dialog

COLORS: Final = ("blue", "orange", "green", "violet", "pink", "turquoise", "lime", "sand")
"""What people call the colours of seats, as browsers draw them."""


class NameScreen(Dialog[tuple[str, int]]):
    """Asks for a name and a colour.

    Args:
        name: the present name.
        color: the present colour.
        owners: the names of the others, by the colours that they have.

    """

    DEFAULT_CSS = """
    NameScreen { align: center middle; }
    NameScreen Vertical { width: 60; max-width: 100%; height: auto; border: round $primary; padding: 0 1; }
    NameScreen OptionList { height: auto; border: none; padding: 0; }
    """

    def __init__(self, name: str, color: int, owners: Mapping[int, str]) -> None:
        super().__init__()
        self._called, self._color, self._owners = name, color, owners

    def compose(self) -> ComposeResult:
        """Compose the field and the list."""
        with Vertical():
            yield Label("Your name, and your color on everybody's screen (Escape: back)")
            yield Input(self._called, max_length=MAX_NAME_LENGTH, compact=True)
            yield OptionList(*(self._row(color, title) for color, title in enumerate(COLORS)))

    def _row(self, color: int, title: str) -> Option:
        owner = self._owners.get(color)
        return Option(Text(f"{title:12}{screen_text(owner or '')}"), disabled=owner is not None)

    def on_mount(self) -> None:
        """Mark the present colour."""
        self.query_one(OptionList).highlighted = self._color

    @on(Input.Submitted)
    @on(OptionList.OptionSelected)
    def _take(self) -> None:
        name = self.query_one(Input).value.strip()
        color = self.query_one(OptionList).highlighted
        if name:
            self.dismiss((name, self._color if color is None else color))
