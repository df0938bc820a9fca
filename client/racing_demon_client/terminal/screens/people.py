"""The dialog by which a host lets a new device be somebody's whom the server knows."""

from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar, Final

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Label, OptionList
from textual.widgets.option_list import Option

from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.links import person_link, person_page, qr_lines
from racing_demon_client.sources.known_people import Confirmation, KnownPeople, KnownPerson
from racing_demon_client.terminal.style import screen_text
from racing_demon_protocol.formatting import pluralize

from .dialogs import Dialog

NOBODY: Final = (
    "The server knows nobody yet. It gets to know whoever sits down, unless they forbid it, or the table was "
    "opened with --durability none."
)
ADVICE: Final = "Whose is the new phone? Choose only who stands before you (Escape: back)."
SHORT_LINK: Final = 78
"""The bytes of a QR code of version 4, which fits into the dialog in a small terminal."""
ROWS_AROUND: Final = 4
"""The rows of the dialog that are not the QR code's."""
COLUMNS_BESIDE: Final = 34
"""The columns that the dialog's frame and the text beside the QR code take at least."""


class PeopleScreen(Dialog[None]):
    """Lists the people whom the server knows, and shows a code for the device of one.

    Args:
        people: asks the server.
        address: the server's address for other devices; empty while there is none.
        table: the code of the table to which a device is led on.
        ascii_only: whether only ASCII can be shown.

    """

    AUTO_FOCUS = "OptionList"
    DEFAULT_CSS = """
    PeopleScreen { align: center middle; }
    PeopleScreen > Vertical { width: 80; max-width: 100%; height: auto; }
    PeopleScreen > Vertical { border: round $primary; padding: 0 1; }
    PeopleScreen OptionList { height: auto; max-height: 14; border: none; padding: 0; }
    PeopleScreen OptionList:focus { border: none; }
    PeopleScreen Label { width: 100%; height: auto; }
    PeopleScreen #confirmed { height: auto; display: none; }
    PeopleScreen #qr { width: auto; color: white; background: black; }
    PeopleScreen #words { width: 1fr; height: auto; padding: 1 0 0 2; }
    PeopleScreen #code { text-style: bold; margin: 1 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", "back")]

    def __init__(self, people: KnownPeople, address: str, table: str, *, ascii_only: bool) -> None:
        super().__init__()
        self._people = people
        self._address = address
        self._table = table
        self._ascii_only = ascii_only
        self._shown: Sequence[KnownPerson] = ()
        self._chosen: KnownPerson | None = None

    def compose(self) -> ComposeResult:
        """Compose the list, and what takes its place once somebody is chosen."""
        with Vertical():
            yield Label("Asking the server...", id="title", markup=False)
            yield OptionList()
            with Horizontal(id="confirmed"):
                yield Label("", id="qr", markup=False)
                with Vertical(id="words"):
                    yield Label("", id="how", markup=False)
                    yield Label("", id="code", markup=False)
                    yield Label("", id="limits", markup=False)

    def on_mount(self) -> None:
        """Ask for the people."""
        self._list()

    @work(group="people", exit_on_error=False)
    async def _list(self) -> None:
        try:
            self._shown = await self._people.all()
        except ConnectionFailed as error:
            self._say(str(error))
            return
        self._say(ADVICE if self._shown else NOBODY)
        choices = self.query_one(OptionList)
        choices.set_options(Option(Content(_line(each))) for each in self._shown)
        choices.highlighted = 0 if self._shown else None

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        self._confirm(self._shown[event.option_index])

    @work(group="people", exclusive=True, exit_on_error=False)
    async def _confirm(self, person: KnownPerson) -> None:
        self._chosen = person
        try:
            confirmation = await self._people.confirm(person)
        except ConnectionFailed as error:
            self._say(str(error))
            return
        self._show(confirmation)

    def on_unmount(self) -> None:
        """End the code: the host does not look at it any more."""
        if self._chosen is not None:
            self._people.end_code(self._chosen)

    def _hide(self) -> None:
        """Take a code away that is over."""
        self.query_one("#confirmed").display = False
        self._say("The code is no longer valid (Escape: back)")

    def _show(self, confirmed: Confirmation) -> None:
        """Show a code in place of the list."""
        name, seconds = screen_text(confirmed.name), pluralize(confirmed.seconds, "second")
        self._say(f"A new phone of {name} (Escape: back)")
        self.query_one(OptionList).display = False
        self.query_one("#confirmed").display = True
        lines: tuple[str, ...] = ()
        page = "the server's page /you"
        if self._address:
            link, page = (
                person_link(self._address, confirmed.code, confirmed.name, self._table, SHORT_LINK),
                person_page(self._address),
            )
            lines = qr_lines(link, ascii_only=self._ascii_only)
        size = self.app.size
        fits = len(lines) <= size.height - ROWS_AROUND and len(lines[:1] and lines[0]) <= (
            min(size.width, 80) - COLUMNS_BESIDE
        )
        qr = self.query_one("#qr", Label)
        qr.update("\n".join(lines))
        qr.display = bool(lines) and fits
        scan = "Scan this with the phone, or open" if qr.display else "On the phone, open"
        self.query_one("#how", Label).update(
            f"{scan} {screen_text(page)} and enter the name {name} and the code"
        )
        self.query_one("#code", Label).update(confirmed.code)
        limits = f"It is valid for {seconds} while you see it, once."
        self.query_one("#limits", Label).update(limits)
        self.set_timer(confirmed.seconds, self._hide)

    def _say(self, text: str) -> None:
        self.query_one("#title", Label).update(screen_text(text))


def _line(person: KnownPerson) -> str:
    """Return a person's line: the name, when they were last here, and what tells namesakes apart."""
    seen = f"{datetime.fromtimestamp(person.seen).astimezone():%Y-%m-%d %H:%M}"
    return f"{screen_text(person.name):24}  last here {seen}  {person.id}"
