"""The dialog by which a host lets a new device be somebody's, or somebody return who is away."""

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
from racing_demon_client.shared.invitation import SeatLink
from racing_demon_client.sources.invitations import InternetAccess
from racing_demon_client.sources.known_people import Confirmation, KnownPeople, KnownPerson
from racing_demon_client.terminal.style import screen_text
from racing_demon_protocol.formatting import pluralize

from .dialogs import Dialog

NOBODY: Final = (
    "The server knows nobody yet. It gets to know whoever sits down, unless they forbid it, or the table was "
    "opened with --durability none."
)
ADVICE: Final = "Whose is the new phone? Choose only who stands before you (Escape: back)."
RETURN_ADVICE: Final = "Who returns, or has a new phone? Show it to nobody else (Escape: back)."
SHORT_LINK: Final = 78
"""The bytes of a QR code of version 4, which fits into the dialog in a small terminal."""
ROWS_AROUND: Final = 4
"""The rows of the dialog that are not the QR code's."""
COLUMNS_BESIDE: Final = 34
"""The columns that the dialog's frame and the text beside the QR code take at least."""
COLUMNS_BESIDE_SEAT: Final = 28
"""The same, beside the larger code of a seat."""


class PeopleScreen(Dialog[None]):
    """Lists who is away and whom the server knows, and shows what one of them needs.

    That is the link back to a seat over the internet, or a code for another device.

    Args:
        people: asks the server.
        internet: asks it for the links; ``None`` where there can be no tunnel.
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

    def __init__(
        self,
        people: KnownPeople,
        internet: InternetAccess | None,
        address: str,
        table: str,
        *,
        ascii_only: bool,
    ) -> None:
        super().__init__()
        self._people = people
        self._internet = internet
        self._address = address
        self._table = table
        self._ascii_only = ascii_only
        self._shown: Sequence[SeatLink | KnownPerson] = ()

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
            away = [] if self._internet is None else await self._internet.seat_links()
            self._shown = [*away, *await self._people.all()]
        except ConnectionFailed as error:
            self._say(str(error))
            return
        self._say(RETURN_ADVICE if away else ADVICE if self._shown else NOBODY)
        choices = self.query_one(OptionList)
        choices.set_options(Option(Content(_line(each))) for each in self._shown)
        choices.highlighted = 0 if self._shown else None

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        chosen = self._shown[event.option_index]
        if isinstance(chosen, SeatLink):
            self._show_seat(chosen)
        else:
            self._confirm(chosen)

    @work(group="people", exclusive=True, exit_on_error=False)
    async def _confirm(self, person: KnownPerson) -> None:
        try:
            confirmation = await self._people.confirm(person)
        except ConnectionFailed as error:
            self._say(str(error))
            return
        self._show(confirmation)

    def on_unmount(self) -> None:
        """End the code: the host does not look at it any more."""
        self._people.end_code()

    def _hide(self) -> None:
        """Take a code away that is over."""
        self.query_one("#confirmed").display = False
        self._say("The code is no longer valid (Escape: back)")

    def _show(self, confirmed: Confirmation) -> None:
        """Show a code in place of the list."""
        name, seconds = screen_text(confirmed.name), pluralize(confirmed.seconds, "second")
        self._say(f"A new phone of {name} (Escape: back)")
        link, page = "", "the server's page /you"
        if self._address:
            link, page = (
                person_link(self._address, confirmed.code, confirmed.name, self._table, SHORT_LINK),
                person_page(self._address),
            )
        is_drawn = self._draw(link, COLUMNS_BESIDE)
        scan = "Scan this with the phone, or open" if is_drawn else "On the phone, open"
        self._explain(
            f"{scan} {screen_text(page)} and enter the name {name} and the code",
            confirmed.code,
            f"It is valid for {seconds} while you see it, once.",
        )
        self.set_timer(confirmed.seconds, self._hide)

    def _show_seat(self, seat: SeatLink) -> None:
        """Show the link by which somebody returns, in place of the list."""
        name = screen_text(seat.name)
        self._say(f"{name} returns to their seat over the internet (Escape: back)")
        is_drawn = self._draw(seat.link, COLUMNS_BESIDE_SEAT)
        self._explain(
            f"{name} scans this, or opens" if is_drawn else f"{name} opens",
            screen_text(seat.link),
            "Give it to nobody else: it opens the seat.",
        )

    def _draw(self, link: str, beside: int) -> bool:
        """Draw a link's QR code if it fits beside so many columns; return whether it does."""
        self.query_one(OptionList).display = False
        self.query_one("#confirmed").display = True
        lines, size = qr_lines(link, ascii_only=self._ascii_only) if link else (), self.app.size
        qr = self.query_one("#qr", Label)
        qr.update("\n".join(lines))
        qr.display = (
            0 < len(lines) <= size.height - ROWS_AROUND and len(lines[0]) <= min(size.width, 80) - beside
        )
        return bool(qr.display)

    def _explain(self, how: str, code: str, limits: str) -> None:
        """Write what is to be done, with what, and what it is good for."""
        self.query_one("#how", Label).update(how)
        self.query_one("#code", Label).update(code)
        self.query_one("#limits", Label).update(limits)

    def _say(self, text: str) -> None:
        self.query_one("#title", Label).update(screen_text(text))


def _line(person: SeatLink | KnownPerson) -> str:
    """Return a person's line: the name, when they were last here, and what tells namesakes apart."""
    if isinstance(person, SeatLink):
        return f"{screen_text(person.name):24}  away: the link back to their seat"
    seen = f"{datetime.fromtimestamp(person.seen).astimezone():%Y-%m-%d %H:%M}"
    return f"{screen_text(person.name):24}  last here {seen}  {person.id}"
