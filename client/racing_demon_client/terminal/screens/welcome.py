"""The welcome screen: play now, play solo, host, join, watch; nearby and recent tables."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import ClassVar, Final

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.events import DescendantFocus, Focus
from textual.screen import Screen
from textual.widgets import Button, Input, Label, OptionList, Select
from textual.widgets.option_list import Option

from racing_demon_client.discovery.finder import table_line
from racing_demon_client.discovery.mdns import find
from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.links import PastedLink, parse_link
from racing_demon_client.net.server_query import FoundTable, fetch_tables, is_server
from racing_demon_client.saved_presets import saved_presets
from racing_demon_client.saved_tables import RecentTable
from racing_demon_client.sources import PRACTICE_HANDS
from racing_demon_client.sources.tables import TableAddress
from racing_demon_client.terminal.drawing.pages import ROOMY
from racing_demon_client.terminal.style import screen_text
from racing_demon_client.terminal.workers import deferred
from racing_demon_protocol.constants import MAX_NAME_LENGTH, MAX_PASSPHRASE_LENGTH, MAX_SEATS
from racing_demon_protocol.enums import BOTS_PLAY, BotLevel
from racing_demon_protocol.formatting import pluralize
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.wire.options import Options
from racing_demon_protocol.wire.presets import PRESETS, usual_options

from .dialogs import Dialog
from .options import YOURS, OptionsScreen

MAX_SEARCH: Final = 40


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
            yield Input(placeholder="part of its name", max_length=MAX_SEARCH, compact=True)
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


class PresetsScreen(Dialog[Options]):
    """Asks how a table for others is to be played, and thereby whether to open it.

    Args:
        question: what opening a table means.
        game: the game chosen before.

    """

    AUTO_FOCUS = "OptionList"
    DEFAULT_CSS = """
    PresetsScreen { align: center middle; }
    PresetsScreen > Vertical { width: 78; max-width: 100%; height: auto; max-height: 100%; }
    PresetsScreen > Vertical { border: round $primary; }
    PresetsScreen Label { width: 100%; }
    PresetsScreen OptionList { height: auto; max-height: 18; border: none; padding: 0; }
    PresetsScreen OptionList:focus { border: none; }
    PresetsScreen OptionList > .option-list--option-highlighted { text-style: bold underline; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "open", show=False),
        Binding("n", "back", show=False),
    ]

    def __init__(self, question: str, game: str) -> None:
        super().__init__()
        self._question = question
        self._game = game
        self._presets = PRESETS | saved_presets()[0]
        title = GAMES[game].title  # a preset that is called like the game stands for it
        self._same_name = next((each.name for each in PRESETS.values() if each.title == title), "")

    def compose(self) -> ComposeResult:
        """Compose the dialog: the chosen game, two presets, the others, and all options."""
        listed = {
            preset.name: Option(
                Content.assemble((preset.title, "bold"), f"\n  {preset.text or YOURS}"), id=preset.name
            )
            for preset in self._presets.values()
        }
        first, second, *others = [listed[name] for name in PRESETS]
        saved = [row for name, row in listed.items() if name not in PRESETS]
        chosen = GAMES[self._game].title
        own = [Option(Content.assemble((chosen, "bold"), "\n  The game chosen before."), id="chosen"), None]
        with Vertical():
            yield Label(self._question, markup=False)
            yield Label("Arrows and Enter choose; Escape leaves.")
            yield OptionList(
                *([] if self._same_name else own),
                first,
                second,
                None,
                *saved,
                *others,
                None,
                Option(Content("All options..."), id="more"),
            )

    def on_mount(self) -> None:
        """Highlight the chosen game."""
        games = self.query_one(OptionList)
        games.highlighted = games.get_option_index(self._same_name or "chosen")

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        chosen = usual_options(self._game)
        if event.option_id == "more":
            self.app.push_screen(OptionsScreen(chosen), self._answer)
        else:
            preset = self._presets.get(event.option_id or "")
            self.dismiss(chosen if preset is None else preset.options)

    def _answer(self, options: Options | None) -> None:
        if options is not None:
            self.dismiss(options)

    def action_open(self) -> None:
        """Open a table with the highlighted choice."""
        self.query_one(OptionList).action_select()


MAX_DIGITS = 9
"""Rows after these have no digit; the arrow keys reach them."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """A table in the list.

    Attributes:
        address: its server's address; a table may have several.
        code: its code, which identifies it.
        description: its description.
        what: what choosing it does: ``join`` or ``watch``.
        is_locked: whether it has a passphrase.

    """

    address: str
    code: str
    description: str
    what: str = "join"
    is_locked: bool = False

    @classmethod
    def of_found(cls, table: FoundTable) -> "TableRow":
        """Return the row of a table found on this network."""
        return cls(table.address, table.code, table_line(table), is_locked=table.needs_passphrase)

    @classmethod
    def of_recent(cls, recent: RecentTable) -> "TableRow":
        """Return the row of a recent table."""
        text = f"{recent.code}  {recent.how} {recent.at[:16].replace('T', ' ')}  {recent.url}"
        return cls(recent.url, recent.code, text, "watch" if recent.how == "watched" else "join")


class TableList(OptionList):
    """Nearby and recent tables. A row looks selected only while the list has the focus."""

    DEFAULT_CSS = """
    TableList { height: auto; max-height: 9; width: 100%; border: none; padding: 0; }
    TableList, TableList > .option-list--option-highlighted { background: transparent; }
    TableList:focus { border: none; background-tint: transparent; }
    TableList > .option-list--option-highlighted { color: $foreground; text-style: none; }
    """

    def __init__(self, *, id: str) -> None:  # noqa: A002 - the name that every Textual widget uses
        super().__init__(id=id)
        self.rows: list[TableRow] = []
        self.display = False

    def show(self, near: Sequence[TableRow], late: Sequence[TableRow]) -> None:
        """Show these tables; the highlighted table stays highlighted even if its row moves or changes."""
        before = self._at_pointer()
        self.rows = [*near, *late]
        options = [self._option(number, row) for number, row in enumerate(self.rows)]
        if late:
            options.insert(len(near), Option("recent:", disabled=True))
        self.set_options(options)
        self.display = bool(self.rows)
        same = [number for number, row in enumerate(self.rows) if before and row.code == before.code]
        if before is not None and same:
            row = max(same, key=lambda number: self.rows[number].address == before.address)
            self.highlighted = self.get_option_index(str(row))

    def _option(self, number: int, row: TableRow) -> Option:
        digit = str(number + 1) if number < MAX_DIGITS else " "
        return Option(Content(f"{digit}  {screen_text(row.description)}"), id=str(number))

    def point(self, number: int) -> bool:
        """Highlight a row, counted from 0; return whether there is one."""
        if number < len(self.rows):
            self.highlighted = self.get_option_index(str(number))
            self.focus()
        return number < len(self.rows)

    @property
    def pointed(self) -> TableRow | None:
        """The highlighted row while the list has the focus."""
        return self._at_pointer() if self.has_focus else None

    def _at_pointer(self) -> TableRow | None:
        return None if self.highlighted_option is None else self.rows[int(self.highlighted_option.id or "")]

    def on_focus(self, event: Focus) -> None:
        """Highlight the first row if none is: Enter would choose it."""
        if self.highlighted is None:
            self.action_first()

    def action_cursor_down(self) -> None:
        """Move to the next row, or from the last one to the next field."""
        before = self.highlighted
        super().action_cursor_down()
        if before is not None and self.highlighted is not None and self.highlighted <= before:
            self.highlighted = before
            self.screen.focus_next()

    def action_cursor_up(self) -> None:
        """Move to the previous row, or from the first one to the previous field."""
        before = self.highlighted
        super().action_cursor_up()
        if before is not None and self.highlighted is not None and self.highlighted >= before:
            self.highlighted = before
            self.screen.focus_previous()


MAX_ADDRESS = 200
NO_TABLE: Final = TableAddress("", "")
LOOK_SECONDS = 5.0
"""How long one search of the network takes; tables that do not answer disappear."""
REST_SECONDS = 5.0
NEAR = "tables on this network"
MISSING = "Type the table's address and code first. Its host sees them."
UNLISTED = "The server lists no tables. Type the table's code, too. Its host sees it."
FULL = "All seats at this server's tables are taken. Wait for one, or watch a table (w)."


@dataclass(frozen=True, slots=True)
class OpeningRequest:
    """What the welcome screen asks for.

    Attributes:
        what: ``practice``, ``learn``, ``alone``, ``host``, ``join`` or ``watch``.
        name: the player's name.
        address: the server's address; empty for a local server.
        code: the table's code.
        game: the game to play.
        bots: how many bots.
        level: how well they play.
        passphrase: the table's passphrase; empty for none.
        seat: the token of the seat that a pasted link brings; empty for none.
        otherwise: the address and the code that are meant if there is no such table; ``None`` for none.
        options: the options of a table to host.

    """

    what: str
    name: str
    address: str = ""
    code: str = ""
    game: str = "racing-demon"
    bots: int = 3
    level: str = BotLevel.MEDIUM
    passphrase: str = ""
    seat: str = ""
    otherwise: tuple[str, str] | None = None
    options: Options = field(default_factory=usual_options)

    @property
    def table(self) -> TableAddress:
        """Where the table to join or watch is."""
        return TableAddress(self.address, self.code, self.passphrase, self.seat)


ABOUT: Final = {
    "name": ("Your name", "What the others at a table call you."),
    "game": ("The game", "What is played here."),
    "bots": ("The bots", "How many bots play against you here. More of them make a wilder race."),
    "level": ("The bots", "How well they play."),
    "learn": (
        "New here?",
        "A lesson of a minute: you play, and are told what to do and why. Nothing counts.",
    ),
    "practice": (
        "Play now",
        f"{PRACTICE_HANDS} hands against the bots that are chosen here, at once and on this machine. You "
        "may ask for hints.",
    ),
    "alone": (
        "Play alone",
        f"One of {len(GAMES)} games for yourself, with hints and undo, and nobody to be faster than. Your "
        "wins are counted.",
    ),
    "host": (
        "Open a table",
        "A table for up to eight. The others come with a phone, a browser or a terminal: its lobby shows the "
        "address and a QR code. Bots take as many seats as you like.",
    ),
    "tables": ("Tables", "Tables that others have opened on this network, and those where you were lately."),
    "address": ("Address", "The link that the host of a table sees in the lobby. It may hold the code, too."),
    "code": ("Code", "The letters that the host of a table sees in the lobby."),
    "passphrase": ("Passphrase", "Some hosts ask for one. It also guards the table that you open."),
    "join": ("Join", "Sit down at the table that is chosen or typed above."),
    "watch": ("Watch", "Look on at that table without a seat."),
}
"""What a field or a button is called, and what it is for, by its name."""
WITH_GAME: Final = frozenset({"game", "practice", "host"})
"""What is about the chosen game."""


class ScrollForm(VerticalScroll, can_focus=False, inherit_bindings=False):
    """A form that scrolls to the focused field; the arrow keys move between fields."""


class FormSelect(Select[str], inherit_bindings=False):
    """A drop-down that Enter opens; the arrow keys move past it to the next field."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter,space", "show_overlay", show=False)]


class WelcomeScreen(Screen[None]):
    """Asks what to do.

    Args:
        name: the player's name, as known so far.
        recents: the recent tables, newest first.
        chosen: receives the request.

    """

    AUTO_FOCUS = "#practice"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (72, "-wide"), (ROOMY[0], "-broad")]  # noqa: RUF012 - as Textual does
    VERTICAL_BREAKPOINTS = [(0, "-low"), (ROOMY[1], "-tall")]  # noqa: RUF012 - as Textual does
    DEFAULT_CSS = """
    WelcomeScreen VerticalScroll { height: 1fr; padding: 0 2; }
    WelcomeScreen .title { text-style: bold; color: $accent; }
    WelcomeScreen .heading { color: $primary; width: 100%; margin: 1 0 0 0; }
    WelcomeScreen Horizontal { height: auto; }
    WelcomeScreen .field Label { width: 12; }
    WelcomeScreen Button { min-width: 14; margin-right: 2; }
    WelcomeScreen Input { width: 26; margin-right: 2; }
    WelcomeScreen #code { width: 16; }
    WelcomeScreen Select { width: 14; margin-right: 2; }
    WelcomeScreen #game { width: 40; }
    WelcomeScreen #told { color: $error; width: 100%; height: auto; padding: 0 2; }
    WelcomeScreen .keys { width: 100%; height: auto; padding: 0 2; }
    WelcomeScreen #about { display: none; }
    WelcomeScreen.-broad.-tall #about { display: block; dock: right; width: 42; height: 100%; }
    WelcomeScreen.-broad.-tall #about { padding: 0 3; border-left: solid $primary; }
    WelcomeScreen.-broad.-tall #about { content-align: left middle; }
    WelcomeScreen.-broad.-tall ScrollForm { align-vertical: middle; }
    WelcomeScreen.-broad.-tall .heading, WelcomeScreen.-broad.-tall #heading { margin: 1 0; }
    WelcomeScreen.-broad.-tall Button { margin: 1 2 1 0; }
    WelcomeScreen.-narrow VerticalScroll, WelcomeScreen.-narrow .keys { padding: 0; }
    WelcomeScreen.-narrow #told { padding: 0; }
    WelcomeScreen.-narrow .pair { layout: vertical; }
    WelcomeScreen.-narrow .more { display: none; }
    WelcomeScreen.-narrow #game { width: 26; }
    WelcomeScreen.-narrow Button { min-width: 8; margin-right: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("n", "go('learn')", "learn"),
        Binding("p", "go('practice')", "play now"),
        Binding("s", "go('alone')", "play alone"),
        Binding("h", "go('host')", "host"),
        Binding("j", "go('join')", "join"),
        Binding("w", "go('watch')", "watch"),
        Binding("q", "app.quit", "quit"),
        *(Binding(str(digit), f"point({digit})", show=False) for digit in range(1, MAX_DIGITS + 1)),
        Binding("escape", "leave_field", "out of a field"),
        Binding("down", "app.focus_next", show=False),
        Binding("up", "app.focus_previous", show=False),
    ]

    def __init__(
        self, name: str, recent_tables: Sequence[RecentTable], chosen: Callable[[OpeningRequest], None]
    ) -> None:
        super().__init__()
        self._name = name
        self._recent = [TableRow.of_recent(recent) for recent in recent_tables]
        self._chosen = chosen
        self._nearby: list[TableRow] = []
        self._listed: list[TableRow] = []

    def compose(self) -> ComposeResult:
        """Compose the form, and beside it what the field is for that has the keys."""
        yield Label("", id="about")
        with ScrollForm():
            with Horizontal(id="heading"):
                yield Label("Racing Demon", classes="title")
                yield Label(": a patience race for two to eight", classes="title more")
            yield from self._players()
            yield Label(NEAR, id="near-told", classes="heading")
            yield TableList(id="tables")
            yield from self._place()
        yield Label("", id="told", markup=False)
        with Horizontal(classes="keys pair"):
            yield Label("n learn  p play now  s alone  j join  w watch  ")
            yield Label("h host  q quit")
        yield Label(
            "1 to 9, Tab and the arrows choose, Enter confirms, Escape leaves a field", classes="keys more"
        )

    def _players(self) -> ComposeResult:
        """Yield the fields for the game and its players."""
        games = [(game.title, game.name) for game in GAMES.values()]
        counts = [(pluralize(number, "bot"), str(number)) for number in range(MAX_SEATS)]
        levels = [(level, level) for level in BotLevel]
        with Horizontal(classes="field"):
            yield Label("your name")
            yield Input(self._name, id="name", max_length=MAX_NAME_LENGTH, compact=True)
        yield Label("play here", classes="heading")
        with Horizontal(classes="field"):
            yield Label("game")
            yield FormSelect(games, value="racing-demon", allow_blank=False, id="game", compact=True)
        with Horizontal(classes="field"):
            yield Label("against")
            yield FormSelect(counts, value="3", allow_blank=False, id="bots", compact=True)
            yield FormSelect(levels, value=BotLevel.MEDIUM, allow_blank=False, id="level", compact=True)
        with Horizontal(classes="pair"):
            yield Button("New here? (n)", id="learn", compact=True)
            yield Button("Play now (p)", id="practice", variant="primary", compact=True)
            yield Button("Play alone (s)", id="alone", compact=True)
            yield Button("Open a table (h)", id="host", compact=True)

    def _place(self) -> ComposeResult:
        """Yield the fields that locate a table."""
        yield Label("a table by its address", classes="heading")
        with Horizontal(classes="pair"):
            with Horizontal(classes="field"):
                yield Label("address")
                yield Input(
                    placeholder="the link its host sees",
                    id="address",
                    max_length=MAX_ADDRESS,
                    compact=True,
                )
            with Horizontal(classes="field"):
                yield Label("code")
                yield Input(placeholder="4 or 8 letters", id="code", max_length=MAX_ADDRESS, compact=True)
        with Horizontal(classes="field"):
            yield Label("passphrase")
            yield Input(
                placeholder="if the table has one",
                id="passphrase",
                password=True,
                max_length=MAX_PASSPHRASE_LENGTH,
                compact=True,
            )
        with Horizontal():
            yield Button("Join (j)", id="join", compact=True)
            yield Button("Watch (w)", id="watch", compact=True)

    def on_mount(self) -> None:
        """Start searching for tables; the search ends with the screen."""
        self._show_near([], f"{NEAR}: looking...")
        self.run_worker(deferred(self._search_network), group="looking")

    async def _search_network(self) -> None:
        while True:
            rows: list[TableRow] = []
            async with aclosing(find(LOOK_SECONDS)) as tables:
                async for table in tables:
                    rows.append(TableRow.of_found(table))
                    self._show_near([*self._nearby, *(row for row in rows if row not in self._nearby)])
            self._show_near([row for row in self._nearby if row in rows])
            await asyncio.sleep(REST_SECONDS)

    def _show_near(self, near: Sequence[TableRow], nothing: str = f"{NEAR}: none found so far") -> None:
        """List the tables of the server that was asked, then the network's and the recent ones."""
        headings, lists = self.query("#near-told").results(Label), self.query(TableList)
        heading, tables = next(iter(headings), None), next(iter(lists), None)
        if heading is None or tables is None:  # the screen is closing
            return
        if self._listed:
            heading.update(screen_text(f"tables at {self._listed[0].address}: choose one"))
        else:
            heading.update(f"{NEAR}: {_how_to(len(near))}" if near else nothing)
        self._nearby = list(near)
        open_now = [*self._listed, *_others(near, self._listed)]
        tables.show(open_now, _others(self._recent, open_now))

    @on(DescendantFocus)
    @on(Select.Changed)
    def _explain(self) -> None:
        """Tell what the field or the button is for that has the keys."""
        name = self.focused.id if self.focused is not None else None
        if name not in ABOUT:  # a list that is open
            return
        game, (title, text) = GAMES[self._choice("game")], ABOUT[name]
        if name in WITH_GAME:
            text += f"\n\n{game.title}: {game.text}"
        elif name in {"bots", "level"}:
            text += "\n\n" + "\n".join(f"{level}: {does}" for level, does in BOTS_PLAY.items())
        self.query_one("#about", Label).update(Content.assemble((title, "bold"), f"\n\n{text}"))

    def show_text(self, text: str) -> None:
        """Show why something failed."""
        self.query_one("#told", Label).update(screen_text(text))

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        self.action_go(event.button.id or "")

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        if event.input.id in {"address", "code"} or (
            event.input.id == "passphrase" and self._text("address")
        ):
            self.action_go("join")
        else:
            self.query_one("#practice", Button).focus()

    @on(OptionList.OptionSelected, "#tables")
    def _row(self) -> None:
        row = self.query_one(TableList).pointed
        if row is not None:
            self.action_go(row.what)

    def action_leave_field(self) -> None:
        """Leave the input field, so that letters are shortcuts again."""
        self.query_one("#practice", Button).focus()

    def action_point(self, digit: int) -> None:
        """Highlight a table of the list."""
        tables = self.query_one(TableList)
        if tables.point(digit - 1):
            row = tables.rows[digit - 1]
            other = "w watches" if row.what == "join" else "j joins"
            self.show_text(f"{row.code}: Enter {'joins' if row.what == 'join' else 'watches'}, {other}.")
        else:
            self.show_text(f"There is no table {digit} in the list.")

    def action_go(self, what: str) -> None:
        """Carry out a button's action, after a question where it needs one."""
        if not self._text("name"):
            self._ask_for("name", "Type your name first.")
        elif what in {"join", "watch"}:
            self._go_to_table(what)
        elif what == "alone":
            self.app.push_screen(
                GamesScreen(), lambda game: self._request("alone", game=game) if game else None
            )
        elif what == "host":
            who = (
                "everybody who knows the passphrase" if self._text("passphrase") else "everybody who finds it"
            )
            question = f"Open a table for others? It is announced on your network, and {who} can join."
            self.app.push_screen(
                PresetsScreen(question, self._choice("game")),
                lambda options: self._request("host", options=options) if options else None,
            )
        else:
            self._request(what)

    def _go_to_table(self, what: str) -> None:
        """Open the highlighted table, the entered one, or the only one."""
        row = self.query_one(TableList).pointed
        try:
            link = self._typed()
        except ValueError as error:
            self._ask_for("address", str(error))
            return
        if row is None and not (link.address or link.code) and len(self._nearby) == 1:
            row = self._nearby[0]
        if row is not None:
            self._go_to_row(what, row)
        elif link.address:
            self._go_to_address(what, link)
        elif self._nearby and not link.code:
            self._offer(len(self._nearby))
        else:
            self._ask_for("address", MISSING)

    def _typed(self) -> PastedLink:
        """Return what stands in the fields for address and code; a whole link may stand in either.

        Raises:
            ValueError: it is no address; the text says why.

        """
        address, code = (
            parse_link(text) if text else PastedLink("", "") for text in map(self._text, ("address", "code"))
        )
        if not address.address:
            return code if code.address or code.code else address
        if code.code:
            address = address.with_code(code.code)
        return address._replace(seat=address.seat or code.seat)

    def _go_to_address(self, what: str, link: PastedLink) -> None:
        """Open a table at an address, or the only one that its server lists."""
        if link.code:
            table = TableAddress(link.address, link.code.upper(), seat=link.seat)
            self._request(what, table, otherwise=link.otherwise)
        else:
            self.show_text(f"Asking {link.address} for its tables...")
            self.run_worker(deferred(self._ask_server, what, link), group="asking", exclusive=True)

    async def go_otherwise(self, request: OpeningRequest, why: str) -> None:
        """Go where an address leads in its other reading; show why it failed if no server is there."""
        if request.otherwise is not None and await is_server(request.otherwise[0]):
            self._go_to_address(request.what, PastedLink(*request.otherwise))
        else:
            self.show_text(why)

    def _go_to_row(self, what: str, row: TableRow) -> None:
        """Open a table of the list."""
        if row.is_locked and not self._text("passphrase"):
            self.query_one("#address", Input).value = row.address
            self.query_one("#code", Input).value = row.code
            self._ask_for("passphrase", f"{row.code} needs a passphrase: type it, then press Enter.")
        else:
            self._request(what, TableAddress(row.address, row.code))

    async def _ask_server(self, what: str, link: PastedLink) -> None:
        """Open the only table that a server lists, or list them; who joins needs a free seat."""
        if link.otherwise is not None and not await is_server(link.address):
            self._go_to_address(what, PastedLink(*link.otherwise))
            return
        try:
            tables = await fetch_tables(link.address)
        except ConnectionFailed as error:
            self._ask_for("address", str(error))
            return
        rows = [TableRow.of_found(table) for table in tables if table.free or what == "watch"]
        if not self.is_current:
            return
        if len(rows) == 1:
            self._go_to_row(what, rows[0])
        elif rows:
            self._listed = rows
            self._show_near(self._nearby)
            self._offer(len(rows))
        elif tables:
            self.show_text(FULL)
        else:
            self._ask_for("code", UNLISTED)

    def _offer(self, tables: int) -> None:
        """Let the user choose one of several tables."""
        self.query_one(TableList).point(0)
        self.show_text(f"There are {tables} tables: choose one with its digit or the arrows, then Enter.")

    def _ask_for(self, field: str, text: str) -> None:
        self.show_text(text)
        self.query_one(f"#{field}", Input).focus()

    def _text(self, field: str) -> str:
        return self.query_one(f"#{field}", Input).value.strip()

    def _choice(self, field: str) -> str:
        return str(self.query_one(f"#{field}", FormSelect).value)

    def _request(
        self,
        what: str,
        table: TableAddress = NO_TABLE,
        *,
        otherwise: tuple[str, str] | None = None,
        game: str = "",
        options: Options | None = None,
    ) -> None:
        self._chosen(
            OpeningRequest(
                what,
                self._text("name"),
                table.address,
                table.code,
                game or self._choice("game"),
                int(self._choice("bots")),
                self._choice("level"),
                self.query_one("#passphrase", Input).value,
                table.seat,
                otherwise,
                options or usual_options(),
            )
        )


def _others(rows: Sequence[TableRow], known: Sequence[TableRow]) -> list[TableRow]:
    """Return the rows whose tables are not known yet, at whatever addresses."""
    codes = {row.code for row in known}
    return [row for row in rows if row.code not in codes]


def _how_to(tables: int) -> str:
    return "j joins it" if tables == 1 else "choose one"
