"""The players of a table, and what can be done with them."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Button, Label, OptionList
from textual.widgets.option_list import Option

from racing_demon_protocol.messages import client as cl
from racing_demon_protocol.messages.server import SeatState
from racing_demon_protocol.view import TableView

from ..drawing.glyphs import screen_text
from .dialogs import Dialog

__all__ = ["Deed", "PlayersScreen"]


@dataclass(frozen=True, slots=True)
class Deed:
    """What is to be done with a player.

    Attributes:
        seat: whose seat.
        command: what the server is asked for; ``None``: not to show what they say, or to show it again.
        fields: the command's fields.

    """

    seat: int
    command: type[cl.Command] | None = None
    fields: dict[str, Any] = field(default_factory=dict)


class PlayersScreen(Dialog[Deed]):
    """Shows who plays, and asks what is to be done with whom.

    Args:
        view: the table.
        seat: the own seat; ``None`` for a spectator.
        ignored: the seats whose words are not shown here.

    """

    AUTO_FOCUS = "OptionList"
    DEFAULT_CSS = """
    PlayersScreen { align: center middle; }
    PlayersScreen Vertical { width: 76; max-width: 100%; height: auto; }
    PlayersScreen Vertical { border: round $primary; padding: 0 1; }
    PlayersScreen OptionList { height: auto; max-height: 10; border: none; padding: 0; }
    PlayersScreen OptionList:focus { border: none; }
    PlayersScreen Horizontal { height: auto; margin-top: 1; }
    PlayersScreen Button { margin-right: 1; min-width: 8; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("k", "take('kick')", "send away"),
        Binding("h", "take('host')", "make host"),
        Binding("b", "take('stand-in')", "bot stands in"),
        Binding("m", "take('mute')", "mute"),
        Binding("i", "take('ignore')", "ignore"),
        Binding("escape", "back", "back"),
    ]

    def __init__(self, view: TableView, seat: int | None, ignored: frozenset[int]) -> None:
        super().__init__()
        self._states = [state for state in view.seats.values() if not state.left]
        self._is_host = seat is not None and seat == view.host
        self._host = view.host
        self._ignored = ignored

    def compose(self) -> ComposeResult:
        """Lay the players out, and below them what can be done."""
        with Vertical():
            yield Label("Who plays", markup=False)
            yield OptionList(*(Option(Content(self._told(state))) for state in self._states))
            with Horizontal():
                if self._is_host:
                    yield Button("Send away (k)", id="kick", compact=True)
                    yield Button("Host (h)", id="host", compact=True)
                    yield Button("Bot (b)", id="stand-in", compact=True)
                    yield Button("Mute (m)", id="mute", compact=True)
                yield Button("Ignore (i)", id="ignore", compact=True)
                yield Button("Back", id="back", compact=True)

    def _told(self, state: SeatState) -> str:
        marks = [
            "host" if state.seat == self._host else "",
            f"bot, {state.bot}" if state.bot else "",
            "" if state.connected else "away",
            f"a bot stands in ({state.stand_in})" if state.stand_in else "",
            "muted by the host" if state.muted else "",
            "ignored here" if state.seat in self._ignored else "",
        ]
        told = ", ".join(screen_text(mark) for mark in marks if mark)
        return f"{state.seat + 1} {screen_text(state.name)}  {told}"

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "back":
            self.action_back()
        else:
            self.action_take(event.button.id or "")

    def action_back(self) -> None:
        """Do nothing."""
        self.dismiss(None)

    def action_take(self, what: str) -> None:
        """Do something with the player under the cursor; what is the host's is refused by the server."""
        place = self.query_one(OptionList).highlighted
        if place is None or place >= len(self._states):
            return
        state = self._states[place]
        seat = {"seat": state.seat}
        deeds = {
            "kick": Deed(state.seat, cl.Kick, seat),
            "host": Deed(state.seat, cl.MakeHost, seat),
            "stand-in": Deed(state.seat, cl.StandIn, seat),
            "mute": Deed(state.seat, cl.Mute, {**seat, "muted": not state.muted}),
            "ignore": Deed(state.seat),
        }
        self.dismiss(deeds[what])
