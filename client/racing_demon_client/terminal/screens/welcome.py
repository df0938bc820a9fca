"""The first screen: practise, host, join, watch, the tables on this network, and those of late."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
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

from racing_demon_protocol.errors import LONGEST_NAME
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.messages.row import MOST_PASSPHRASE

from ...finding import told as told_table
from ...lan import find
from ...printing import counted
from ...probing import Table
from ...recents import Recent
from ..drawing.glyphs import screen_text

__all__ = ["WelcomeScreen", "Wish"]

MOST_CODE, MOST_ADDRESS = 16, 200
LOOK_SECONDS = 5.0
"""So long the network is listened to at a time; what has not answered then is shown no longer."""
REST_SECONDS = 5.0
NEAR = "tables on this network"


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
        passphrase: what opens the table; empty for none.

    """

    what: str
    name: str
    address: str = ""
    code: str = ""
    game: str = "racing-demon"
    bots: int = 3
    level: str = "medium"
    passphrase: str = ""


class WelcomeScreen(Screen[None]):
    """Asks what to do.

    Args:
        name: the player's name, as known so far.
        recents: the tables of late, the newest first.
        chosen: takes what was asked for.

    """

    AUTO_FOCUS = "#practise"
    DEFAULT_CSS = """
    WelcomeScreen VerticalScroll { padding: 1 2; }
    WelcomeScreen .title { text-style: bold; color: $accent; margin: 0 0 1 0; }
    WelcomeScreen .heading { color: $primary; margin: 1 0 0 0; }
    WelcomeScreen Horizontal { height: 1; }
    WelcomeScreen Horizontal Label { width: 10; }
    WelcomeScreen Button { min-width: 14; margin-right: 2; }
    WelcomeScreen Input { width: 26; margin-right: 2; }
    WelcomeScreen #address { width: 40; }
    WelcomeScreen #code { width: 18; }
    WelcomeScreen Select { width: 20; margin-right: 2; }
    WelcomeScreen #game { width: 40; }
    WelcomeScreen OptionList { height: auto; max-height: 8; width: 76; border: none; padding: 0; }
    WelcomeScreen #told { color: $error; width: 100%; height: auto; margin: 1 0 0 0; }
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
        self._near: list[Table] = []

    def compose(self) -> ComposeResult:
        """Lay the form out."""
        games = [(game.title, game.name) for game in GAMES.values()]
        counts = [(counted(number, "bot"), str(number)) for number in range(8)]
        levels = [(level, level) for level in ("easy", "medium", "hard")]
        with VerticalScroll(can_focus=False):
            yield Label("Racing Demon: a race of patience for two to eight", classes="title")
            with Horizontal():
                yield Label("your name")
                yield Input(self._name, id="name", max_length=LONGEST_NAME, compact=True)
                yield Input(
                    placeholder="passphrase, if any",
                    id="passphrase",
                    password=True,
                    max_length=MOST_PASSPHRASE,
                    compact=True,
                )
            yield Label("play against bots, or open a table for others", classes="heading")
            with Horizontal():
                yield Label("game")
                yield Select(games, value="racing-demon", allow_blank=False, id="game", compact=True)
            with Horizontal():
                yield Label("against")
                yield Select(counts, value="3", allow_blank=False, id="bots", compact=True)
                yield Select(levels, value="medium", allow_blank=False, id="level", compact=True)
            with Horizontal():
                yield Label("")
                yield Button("Practise (p)", id="practise", variant="primary", compact=True)
                yield Button("Host (h)", id="host", compact=True)
            yield Label("or go to a table that somebody hosts", classes="heading")
            with Horizontal():
                yield Label("where")
                yield Input(
                    placeholder="ws://192.168.1.5:5252", id="address", max_length=MOST_ADDRESS, compact=True
                )
                yield Input(placeholder="its code", id="code", max_length=MOST_CODE, compact=True)
            with Horizontal():
                yield Label("")
                yield Button("Join (j)", id="join", compact=True)
                yield Button("Watch (w)", id="watch", compact=True)
            yield Label("", id="told", markup=False)
            yield Label(f"{NEAR}: looking...", id="near-told", classes="heading")
            yield OptionList(id="near")
            if self._recents:
                yield Label("tables of late", classes="heading")
                yield OptionList(*(Option(Content(_told(recent))) for recent in self._recents), id="late")
            yield Label(
                "Tab, arrows and Enter move and choose; Escape leaves a field; q quits.", classes="heading"
            )

    def on_mount(self) -> None:
        """Begin to look for tables; that ends with the screen."""
        self.query_one("#near", OptionList).display = False
        self.run_worker(self._look_around(), group="looking")

    async def _look_around(self) -> None:
        while True:
            found: list[Table] = []
            async with aclosing(find(LOOK_SECONDS)) as tables:
                async for table in tables:
                    found.append(table)
                    self._show_near([*self._near, *(each for each in found if each not in self._near)])
            self._show_near(found)
            await asyncio.sleep(REST_SECONDS)

    def _show_near(self, tables: Sequence[Table]) -> None:
        """Show the tables of the network; what is pointed at stays so."""
        if not self.query("#near"):  # the screen is going, and so is what was on it
            return
        near = self.query_one("#near", OptionList)
        at = near.highlighted
        pointed = self._near[at] if at is not None and at < len(self._near) else None
        self.query_one("#near-told", Label).update(NEAR if tables else f"{NEAR}: none found so far")
        if list(tables) == self._near:
            return
        self._near = list(tables)
        near.set_options(Option(Content(screen_text(told_table(table)))) for table in self._near)
        near.display = bool(self._near)
        if pointed in self._near:
            near.highlighted = self._near.index(pointed)

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

    @on(OptionList.OptionSelected, "#late")
    def _recent(self, event: OptionList.OptionSelected) -> None:
        recent = self._recents[event.option_index]
        self._fill(recent.url, recent.code, "watch" if recent.how == "watched" else "join")

    @on(OptionList.OptionSelected, "#near")
    def _neighbour(self, event: OptionList.OptionSelected) -> None:
        table = self._near[event.option_index]
        self._fill(table.address, table.code, "join")

    def _fill(self, address: str, code: str, button: str) -> None:
        self.query_one("#address", Input).value = address
        self.query_one("#code", Input).value = code
        self.query_one(f"#{button}", Button).focus()

    def action_leave_field(self) -> None:
        """Leave a field, so that the letters are keys again."""
        self.query_one("#practise", Button).focus()

    def action_go(self, what: str) -> None:
        """Ask for what a button says."""

        def text(name: str) -> str:
            return self.query_one(f"#{name}", Input).value.strip()

        address, _, in_link = text("address").partition("#")
        code = text("code") or in_link
        if not text("name"):
            self.tell("Write a name first.")
            self.query_one("#name", Input).focus()
        elif what in {"join", "watch"} and not (address and code):
            self.tell("Write the table's address and code first: whoever hosts it sees them.")
            self.query_one("#address", Input).focus()
        else:
            self._chosen(
                Wish(
                    what,
                    text("name"),
                    address,
                    code.upper(),
                    str(self.query_one("#game", Select).value),
                    int(str(self.query_one("#bots", Select).value)),
                    str(self.query_one("#level", Select).value),
                    self.query_one("#passphrase", Input).value,
                )
            )


def _told(recent: Recent) -> str:
    at = recent.at[:16].replace("T", " ")
    return f"{screen_text(recent.code)}  {screen_text(recent.url)}  {recent.how} {at}"
