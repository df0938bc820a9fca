"""The first screen: practise, host, join, watch, and the tables of late."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Button, Input, Label, OptionList, Select
from textual.widgets.option_list import Option

from racing_demon_protocol.games import GAMES

from ...recents import Recent
from ..drawing.glyphs import screen_text

__all__ = ["WelcomeScreen", "Wish"]

MOST_NAME, MOST_CODE, MOST_ADDRESS = 24, 16, 200


@dataclass(frozen=True, slots=True)
class Wish:
    """What was asked for on the first screen.

    Attributes:
        what: ``practise``, ``host``, ``join`` or ``watch``.
        name: the player's name.
        address: the server's address; empty for one's own.
        code: the table's code.
        game: the game to play.
        bots: how many bots.
        level: how well they play.

    """

    what: str
    name: str
    address: str = ""
    code: str = ""
    game: str = "racing-demon"
    bots: int = 3
    level: str = "medium"


class WelcomeScreen(Screen[None]):
    """Asks what to do.

    Args:
        name: the player's name, as known so far.
        recents: the tables of late, the newest first.
        chosen: takes what was asked for.

    """

    AUTO_FOCUS = "#practise"
    DEFAULT_CSS = """
    WelcomeScreen VerticalScroll { padding: 0 2; }
    WelcomeScreen .title { text-style: bold; color: $accent; margin: 0 0 1 0; }
    WelcomeScreen Horizontal { height: 3; }
    WelcomeScreen Horizontal Label { padding: 1 1; width: 9; }
    WelcomeScreen Button { min-width: 14; margin-right: 1; }
    WelcomeScreen Input { width: 26; }
    WelcomeScreen #address { width: 36; }
    WelcomeScreen #code { width: 14; }
    WelcomeScreen Select { width: 22; }
    WelcomeScreen #game { width: 36; }
    WelcomeScreen OptionList { height: auto; max-height: 6; width: 76; }
    WelcomeScreen #told { color: $error; height: auto; }
    WelcomeScreen #keys { color: $secondary; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("p", "go('practise')", "practise"),
        Binding("h", "go('host')", "host"),
        Binding("j", "go('join')", "join"),
        Binding("w", "go('watch')", "watch"),
        Binding("q", "app.quit", "quit"),
        Binding("escape", "leave_field", "out of a field"),
        Binding("down", "app.focus_next", show=False),
        Binding("up", "app.focus_previous", show=False),
    ]

    def __init__(self, name: str, recents: Sequence[Recent], chosen: Callable[[Wish], None]) -> None:
        super().__init__()
        self._name = name
        self._recents = list(recents)
        self._chosen = chosen

    def compose(self) -> ComposeResult:
        """Lay the form out."""
        with VerticalScroll():
            yield Label("Racing Demon: a race of patience for two to eight", classes="title")
            with Horizontal():
                yield Label("name")
                yield Input(self._name, id="name", max_length=MOST_NAME)
            with Horizontal():
                yield Label("game")
                games = [(game.title, game.name) for game in GAMES.values()]
                yield Select(games, value="racing-demon", allow_blank=False, id="game")
            with Horizontal():
                yield Label("bots")
                counts = [(str(number), str(number)) for number in range(8)]
                yield Select(counts, value="3", allow_blank=False, id="bots")
                levels = [(level, level) for level in ("easy", "medium", "hard")]
                yield Select(levels, value="medium", allow_blank=False, id="level")
            with Horizontal():
                yield Button("Practise (p)", id="practise", variant="primary")
                yield Button("Host (h)", id="host")
            with Horizontal():
                yield Label("table")
                yield Input(placeholder="ws://192.168.1.5:5252", id="address", max_length=MOST_ADDRESS)
                yield Input(placeholder="code", id="code", max_length=MOST_CODE)
            with Horizontal():
                yield Button("Join (j)", id="join")
                yield Button("Watch (w)", id="watch")
            yield Label("", id="told", markup=False)
            if self._recents:
                yield Label("tables of late", id="keys")
                yield OptionList(*(Option(Content(_told(recent))) for recent in self._recents))

    def tell(self, text: str) -> None:
        """Say why something did not work."""
        self.query_one("#told", Label).update(screen_text(text))

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        self.action_go(event.button.id or "")

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        if event.input.id in {"address", "code"}:
            self.action_go("join")
        else:
            self.query_one("#practise", Button).focus()

    @on(OptionList.OptionSelected)
    def _recent(self, event: OptionList.OptionSelected) -> None:
        recent = self._recents[event.option_index]
        self.query_one("#address", Input).value = recent.url
        self.query_one("#code", Input).value = recent.code
        self.query_one("#watch" if recent.how == "watched" else "#join", Button).focus()

    def action_leave_field(self) -> None:
        """Leave a field, so that the letters are keys again."""
        self.query_one("#practise", Button).focus()

    def action_go(self, what: str) -> None:
        """Ask for what a button says."""

        def text(name: str) -> str:
            return self.query_one(f"#{name}", Input).value.strip()

        if not text("name"):
            self.tell("Write a name first.")
            self.query_one("#name", Input).focus()
        elif what in {"join", "watch"} and not (text("address") and text("code")):
            self.tell("Write the table's address and code first: whoever hosts it sees them.")
            self.query_one("#address", Input).focus()
        else:
            self._chosen(
                Wish(
                    what,
                    text("name"),
                    text("address"),
                    text("code").upper(),
                    str(self.query_one("#game", Select).value),
                    int(str(self.query_one("#bots", Select).value)),
                    str(self.query_one("#level", Select).value),
                )
            )


def _told(recent: Recent) -> str:
    return f"{screen_text(recent.code)}  {screen_text(recent.url)}  {recent.how} {recent.at[:16]}"
