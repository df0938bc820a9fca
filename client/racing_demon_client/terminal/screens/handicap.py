"""The dialog for a player's handicap."""

import re
from typing import Final

from pydantic import ValidationError
from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, Input, Label

from racing_demon_client.terminal.style import screen_text
from racing_demon_protocol.wire.messages.handicap import (
    MAX_DELAY_S,
    MAX_EXTRA_HEAP,
    MAX_HANDICAP_POINTS,
    Handicap,
)
from racing_demon_protocol.wire.messages.server import SeatState

from .dialogs import Dialog

WHOLE_NUMBER: Final = re.compile("[+-]?[0-9]+")
FIELDS: Final = {
    "heap": "cards more in the reserve (-: fewer)",
    "delay_s": "seconds to wait after the signal",
    "points": "points a hand (-: fewer)",
}
"""The parts of a handicap, and what to type for each."""
WRONG: Final = {
    "heap": f"Reserves differ by {MAX_EXTRA_HEAP} cards at most.",
    "delay_s": f"A player can start at most {MAX_DELAY_S} seconds later.",
    "points": f"A handicap is worth -{MAX_HANDICAP_POINTS} to {MAX_HANDICAP_POINTS} points.",
}


class HandicapScreen(Dialog[Handicap]):
    """Asks for a player's handicap.

    Args:
        state: the player's seat.
        is_own: whether the player makes their own game harder, and is not the host.

    """

    DEFAULT_CSS = """
    HandicapScreen { align: center middle; }
    HandicapScreen > Vertical { width: 60; max-width: 100%; height: auto; }
    HandicapScreen > Vertical { border: round $primary; padding: 0 1; }
    HandicapScreen .row { height: 1; }
    HandicapScreen .row Label { width: 38; }
    HandicapScreen .row Input { width: 1fr; }
    HandicapScreen #wrong { color: $error; height: auto; width: 100%; }
    HandicapScreen #buttons { height: 1; margin-top: 1; }
    HandicapScreen Button { margin-right: 2; }
    """

    def __init__(self, state: SeatState, *, is_own: bool) -> None:
        super().__init__()
        self._state = state
        self._is_own = is_own

    def compose(self) -> ComposeResult:
        """Compose one row for each part."""
        with Vertical():
            yield Label(f"Handicap of {screen_text(self._state.name)}, from the next deal on", markup=False)
            if self._is_own:
                yield Label("You can make your own game harder.", markup=False)
            for name, text in FIELDS.items():
                with Horizontal(classes="row"):
                    yield Label(text, markup=False)
                    value = getattr(self._state.handicap, name)
                    yield Input(str(value), id=name, max_length=4, compact=True)
            yield Label("", id="wrong", markup=False)
            with Horizontal(id="buttons"):
                yield Button("Set", id="take", variant="primary", compact=True)
                yield Button("None", id="none", compact=True)
                yield Button("Back", id="back", compact=True)

    @on(Input.Submitted)
    @on(Button.Pressed, "#take")
    def _take(self) -> None:
        values: dict[str, int] = {}
        for name in FIELDS:
            text = self.query_one(f"#{name}", Input).value.strip()
            if not WHOLE_NUMBER.fullmatch(text):
                self.query_one("#wrong", Label).update(f"{FIELDS[name].capitalize()}: a whole number.")
                return
            values[name] = int(text)
        try:
            self.dismiss(Handicap.model_validate(values))
        except ValidationError as error:
            self.query_one("#wrong", Label).update(WRONG[str(error.errors()[0]["loc"][0])])

    @on(Button.Pressed, "#none")
    def _clear(self) -> None:
        self.dismiss(Handicap())

    @on(Button.Pressed, "#back")
    def _back(self) -> None:
        self.action_back()
