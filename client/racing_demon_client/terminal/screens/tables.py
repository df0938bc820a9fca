"""A numbered list of tables to join or watch."""

from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content
from textual.events import Focus
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from racing_demon_client.discovery.finder import table_line
from racing_demon_client.net.probe import FoundTable
from racing_demon_client.recent_tables import Recent
from racing_demon_client.terminal.style.glyphs import screen_text

MOST_DIGITS = 9
"""Rows after these have no digit; the arrow keys reach them."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """A table in the list.

    Attributes:
        address: its server's address; a table may have several.
        code: its code, which identifies it.
        told: its description.
        what: what choosing it does: ``join`` or ``watch``.
        is_locked: whether it has a passphrase.

    """

    address: str
    code: str
    told: str
    what: str = "join"
    is_locked: bool = False

    @classmethod
    def near(cls, table: FoundTable) -> "TableRow":
        """Return the row of a table found on this network."""
        return cls(table.address, table.code, table_line(table), is_locked=table.needs_passphrase)

    @classmethod
    def late(cls, recent: Recent) -> "TableRow":
        """Return the row of a recent table."""
        told = f"{recent.code}  {recent.how} {recent.at[:16].replace('T', ' ')}  {recent.url}"
        return cls(recent.url, recent.code, told, "watch" if recent.how == "watched" else "join")


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
        digit = str(number + 1) if number < MOST_DIGITS else " "
        return Option(Content(f"{digit}  {screen_text(row.told)}"), id=str(number))

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
