"""A dialog to choose a game from a list, with a search field."""

from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input, Label, OptionList
from textual.widgets.option_list import Option

from racing_demon_protocol.games import GAMES

from .dialogs import Dialog

LONGEST: Final = 40


class GamesScreen(Dialog[str]):
    """Asks for a game to play solo; answers with its name."""

    AUTO_FOCUS = "Input"
    DEFAULT_CSS = """
    GamesScreen { align: center middle; }
    GamesScreen > Vertical { width: 74; max-width: 100%; height: auto; max-height: 100%; }
    GamesScreen > Vertical { border: round $primary; }
    GamesScreen Label { width: 100%; }
    GamesScreen OptionList { height: auto; max-height: 16; border: none; padding: 0; }
    GamesScreen OptionList:focus { border: none; }
    GamesScreen OptionList > .option-list--option-highlighted { text-style: bold underline; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "list('cursor_down')", show=False),
        Binding("up", "list('cursor_up')", show=False),
        Binding("pagedown", "list('page_down')", show=False),
        Binding("pageup", "list('page_up')", show=False),
    ]

    def compose(self) -> ComposeResult:
        """Compose the dialog."""
        with Vertical():
            yield Label("Which game? Arrows and Enter choose; Escape leaves.")
            yield Input(placeholder="part of its name", max_length=LONGEST, compact=True)
            yield OptionList()

    def on_mount(self) -> None:
        """List all games."""
        self.query_one(OptionList).can_focus = False  # keys go to the input, which moves the list
        self._show("")

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        self._show(event.value)

    def _show(self, text: str) -> None:
        part = text.strip().lower()
        games = [game for game in GAMES.values() if part in game.title.lower() or part in game.name]
        shown = self.query_one(OptionList)
        shown.set_options(Option(game.title, id=game.name) for game in games)
        shown.action_first()

    @on(Input.Submitted)
    def _submitted(self) -> None:
        self.query_one(OptionList).action_select()

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(event.option_id)

    async def action_list(self, action: str) -> None:
        """Move in the list while the input has the focus."""
        await self.query_one(OptionList).run_action(action)
