"""The dialog with a table's players and the actions on them."""

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import Any, ClassVar, Final, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Grid, Vertical
from textual.content import Content
from textual.widgets import Button, Label, OptionList
from textual.widgets.option_list import Option

from racing_demon_client.shared.message_text import spectator_text
from racing_demon_client.shared.seat_text import handicap_text, team_name
from racing_demon_client.terminal.style import screen_text
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import SeatState, SpectatorState

from .dialogs import Dialog

OF_ONESELF: Final = {
    "kick": "to leave, go back and press Ctrl-C.",
    "host": "you are the host.",
    "stand-in": "a bot stands in only for a player who is away.",
    "mute": "you need not be muted.",
    "ignore": "you cannot ignore yourself.",
}
OF_A_BOT: Final = {
    "host": "it cannot be the host.",
    "stand-in": "it plays already. Bots stand in for players who are away.",
    "mute": "it says nothing.",
    "ignore": "it says nothing.",
}
"""Why an action does not apply to a certain player."""


ONLY_OF_THE_BANNED: Final = "That player is here. Only kicked players can be let back in."
ONLY_THE_HOST: Final = "Only the host can do that."
OF_A_SPECTATOR: Final = "Spectators have no seat. Press k to remove this one for an hour."
IN_LISTS: Final = "This table is in the lists already."
OF_THE_BANNED: Final = "That player was kicked. Press l to let them back in."


@dataclass(frozen=True, slots=True)
class PlayerAction:
    """An action on a player.

    Attributes:
        seat: the player's seat; ``None`` for somebody without one, and for the whole table.
        command: the command to send; ``None`` to toggle whether their chat is hidden.
        fields: the command's fields.

    """

    seat: int | None
    command: type[cl.Command] | None = None
    fields: dict[str, Any] = field(default_factory=dict)


class Watching(NamedTuple):
    """A spectator in the list, by the number that the server has given."""

    number: int


Row = int | str | Watching
"""Who stands in a row: a seat, the name of somebody who was kicked, or a spectator."""


class PlayersScreen(Dialog[PlayerAction]):
    """Lists the players and asks for an action on one of them.

    Args:
        view: returns the current table.
        seat: this player's seat; ``None`` for a spectator.
        ignored: the seats whose chat is hidden.
        spectators: returns the spectators that the server has named to this player.
        is_listed: returns whether lists name the table, as far as is known.

    """

    AUTO_FOCUS = "OptionList"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (80, "-wide")]  # noqa: RUF012 - Textual declares it this way
    DEFAULT_CSS = """
    PlayersScreen { align: center middle; }
    PlayersScreen Vertical { width: 80; max-width: 100%; height: auto; }
    PlayersScreen Vertical { border: round $primary; padding: 0 1; }
    PlayersScreen OptionList { height: auto; max-height: 10; border: none; padding: 0; }
    PlayersScreen OptionList:focus { border: none; }
    PlayersScreen #wrong { color: $error; height: auto; width: 100%; }
    PlayersScreen Grid { grid-size: 4; grid-rows: 1; height: auto; }
    PlayersScreen #wrong { margin-bottom: 1; }
    PlayersScreen Button { width: 100%; min-width: 8; text-align: left; content-align: left middle; }
    PlayersScreen #keys { display: none; color: $text-muted; height: auto; width: 100%; }
    PlayersScreen.-narrow Grid { display: none; }
    PlayersScreen.-narrow #keys { display: block; }
    PlayersScreen.-narrow #title { display: none; }
    PlayersScreen.-narrow OptionList { max-height: 4; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("k", "take('kick')", "kick"),
        Binding("h", "take('host')", "make host"),
        Binding("b", "take('stand-in')", "bot stands in"),
        Binding("m", "take('mute')", "mute"),
        Binding("i", "take('ignore')", "ignore"),
        Binding("d", "take('handicap')", "handicap"),
        Binding("t", "take('team')", "other team"),
        Binding("l", "take('unban')", "let back in"),
        Binding("c", "lock", "lock the table"),
        Binding("f", "last", "the final hand"),
        Binding("z", "late", "where late players start"),
        Binding("e", "end", "end the match"),
        Binding("p", "publish", "put the table into the lists"),
        Binding("r", "report", "report"),
        Binding("n", "name", "your name and color"),
    ]

    def __init__(
        self,
        view: Callable[[], TableState],
        seat: int | None,
        ignored: Set[int],
        spectators: Callable[[], Sequence[SpectatorState]] = tuple,
        is_listed: Callable[[], bool] = bool,
    ) -> None:
        super().__init__()
        self._view = view
        self._seat = seat
        self._ignored = ignored
        self._spectators = spectators
        self._is_listed = is_listed
        self._shown: list[tuple[Row, str]] = []

    @property
    def _is_host(self) -> bool:
        return self._seat is not None and self._seat == self._view().host

    def compose(self) -> ComposeResult:
        """Compose the list of players and the buttons below it."""
        with Vertical():
            yield Label("Players", id="title", markup=False)
            yield OptionList()
            yield Label("", id="wrong", markup=False)
            with Grid():
                yield Button("Kick (k)", id="kick", classes="hosts", compact=True)
                yield Button("Make host (h)", id="host", classes="hosts", compact=True)
                yield Button("Bot stands in (b)", id="stand-in", classes="hosts", compact=True)
                yield Button("Mute (m)", id="mute", classes="hosts", compact=True)
                yield Button("Ignore (i)", id="ignore", compact=True)
                yield Button("Late low (z)", id="late", classes="hosts", compact=True)
                yield Button("List table (p)", id="publish", classes="hosts", compact=True)
                yield Button("Handicap (d)", id="handicap", compact=True)
                yield Button("Other team (t)", id="team", compact=True)
                yield Button("Let in (l)", id="unban", compact=True)
                yield Button("Lock table (c)", id="lock", classes="hosts", compact=True)
                yield Button("Final hand (f)", id="last", classes="hosts match", compact=True)
                yield Button("End match (e)", id="end", classes="hosts match", compact=True)
                yield Button("Report (r)", id="report", compact=True)
                yield Button("Name, color (n)", id="name", compact=True)
                yield Button("Back", id="back", compact=True)
            yield Label("", id="keys", markup=False)

    def on_mount(self) -> None:
        """List the current players."""
        self.renew()

    def renew(self) -> None:
        """Update the list of players and kicked names; the cursor stays on its player."""
        view = self._view()
        there = [state for state in view.seats.values() if not state.left]
        entries: list[tuple[Row, str]] = [(state.seat, self._entry_text(state)) for state in there]
        entries += [(name, f"- {screen_text(name)}  kicked") for name in view.banned]
        if self._is_host:
            entries += [
                (Watching(each.spectator), f"- {screen_text(spectator_text(each))}")
                for each in self._spectators()
            ]
        for title in self.query("#title").results(Label):
            title.update("Players: the table is locked" if view.entry_closed else "Players")
        for lock in self.query("#lock").results(Button):
            lock.label = "Unlock table (c)" if view.entry_closed else "Lock table (c)"
        for last in self.query("#last").results(Button):
            last.label = "Go on (f)" if view.last_hand else "Final hand (f)"
        for late in self.query("#late").results(Button):
            late.label = "Late at 0 (z)" if view.late_start else "Late low (z)"
        self.query(".hosts").set(display=self._is_host)
        self.query("#late").set(display=self._is_host and view.options.teams is None)
        self.query(".match").set(display=self._is_host and not view.between_matches)
        self.query("#name").set(display=self._seat is not None)
        self.query("#publish").set(display=self._is_host and not self._is_listed())
        self.query("#team").set(display=view.options.teams is not None)
        self.query("#unban").set(display=self._is_host and bool(view.banned))
        for label in self.query("#keys").results(Label):
            label.update(self._key_lines())
        if entries == self._shown or not self.query(OptionList):  # the list may not be mounted yet
            return
        players = self.query_one(OptionList)
        chosen, place = self._chosen(), players.highlighted or 0
        self._shown = entries
        players.set_options(
            Option(Content.styled(text, "bold" * (row == self._seat))) for row, text in entries
        )
        rows = [row for row, _ in entries]
        players.highlighted = rows.index(chosen) if chosen in rows else min(place, len(rows) - 1)

    def _key_lines(self) -> str:
        """Return the keys, two a line, for a terminal too small for buttons."""
        lock = "c unlock table" if self._view().entry_closed else "c lock table"
        keys = ["k kick", "h make host", "b bot stands in", "m mute", lock] if self._is_host else []
        if self._is_host and not self._view().between_matches:
            keys += ["f go on" if self._view().last_hand else "f final hand", "e end match"]
        if self._is_host and self._view().options.teams is None:
            keys += ["z late at 0" if self._view().late_start else "z late low"]
        keys += ["p list table"] * (self._is_host and not self._is_listed())
        keys += ["d handicap", *["t other team"] * (self._view().options.teams is not None)]
        keys += ["r report", *["n name, color"] * (self._seat is not None)]
        keys += [*["l let in"] * (self._is_host and bool(self._view().banned)), "i ignore", "Esc back"]
        return "\n".join(
            f"{one:17}{other}" for one, other in zip_longest(keys[::2], keys[1::2], fillvalue="")
        )

    def _chosen(self) -> Row | None:
        """Return who is under the cursor."""
        place = self.query_one(OptionList).highlighted
        return self._shown[place][0] if place is not None and place < len(self._shown) else None

    def _entry_text(self, state: SeatState) -> str:
        marks = [
            "you" * (state.seat == self._seat),
            "host" if state.seat == self._view().host else "",
            f"bot, {state.bot}" if state.bot else "",
            "program" * state.program,
            "" if state.connected else "away",
            f"a bot stands in ({state.stand_in})" if state.stand_in else "",
            "muted by the host" if state.muted else "",
            "ignored here" if state.seat in self._ignored else "",
            "" if state.team is None else team_name(state.team),
            handicap_text(state.handicap),
        ]
        shown = ", ".join(screen_text(mark) for mark in marks if mark)
        return f"{state.seat + 1} {screen_text(state.name)}  {shown}"

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        if event.button.id == "back":
            self.action_back()
        elif event.button.id == "lock":
            self.action_lock()
        elif event.button.id == "last":
            self.action_last()
        elif event.button.id == "late":
            self.action_late()
        elif event.button.id == "end":
            self.action_end()
        elif event.button.id == "publish":
            self.action_publish()
        elif event.button.id == "report":
            self.action_report()
        elif event.button.id == "name":
            self.action_name()
        else:
            self.action_take(event.button.id or "")

    def action_lock(self) -> None:
        """Answer with the command that locks the table, or unlocks it."""
        self._answer_as_host(cl.CloseEntry, closed=not self._view().entry_closed)

    def action_last(self) -> None:
        """Answer with the command that makes this hand, or the next one, the match's last; or not."""
        self._answer_as_host(cl.SetLastHand, last=not self._view().last_hand)

    def action_late(self) -> None:
        """Answer with the command that lets late players start at the lowest total, or at 0 again."""
        self._answer_as_host(cl.SetLateStart, lowest=not self._view().late_start)

    def action_end(self) -> None:
        """Answer with the command that ends the match."""
        self._answer_as_host(cl.EndMatch)

    def _answer_as_host(self, command: type[cl.Command], **fields: Any) -> None:
        if self._is_host:
            self.dismiss(PlayerAction(None, command, fields))
        else:
            self.query_one("#wrong", Label).update(ONLY_THE_HOST)

    def action_publish(self) -> None:
        """Answer with the command that puts a table into the lists which is in none."""
        if self._is_host and not self._is_listed():
            self.dismiss(PlayerAction(None, cl.ListTable))
        else:
            self.query_one("#wrong", Label).update(IN_LISTS if self._is_host else ONLY_THE_HOST)

    def action_report(self) -> None:
        """Answer with a report about the person under the cursor, or about the table."""
        chosen = self._chosen()
        state = self._view().seats.get(chosen) if isinstance(chosen, int) else None
        is_other = state is not None and not state.bot and state.seat != self._seat
        self.dismiss(PlayerAction(state.seat if state is not None and is_other else None, cl.Report))

    def action_name(self) -> None:
        """Answer with the command that changes one's own name and colour."""
        if self._seat is not None and self._view().between_matches:
            self.dismiss(PlayerAction(self._seat, cl.SetAppearance))
        else:
            self.query_one("#wrong", Label).update("Names and colors can be changed only between matches.")

    def action_take(self, what: str) -> None:
        """Answer with an action on the player under the cursor, or show why it does not apply."""
        chosen = self._chosen()
        if isinstance(chosen, Watching):
            self._take_spectator(what, chosen)
            return
        state = self._view().seats.get(chosen) if isinstance(chosen, int) else None
        if isinstance(chosen, str):
            wrong = self._refusal_of_banned(what)
        elif state is not None:
            wrong = self._refusal(what, state)
        else:
            return
        if wrong:
            self.query_one("#wrong", Label).update(wrong)
        elif state is None:
            self.dismiss(PlayerAction(None, cl.Unban, {"name": chosen}))
        else:
            self.dismiss(self._action_on(what, state))

    def _take_spectator(self, what: str, chosen: Watching) -> None:
        if what == "kick":
            self.dismiss(PlayerAction(None, cl.RemoveSpectator, {"spectator": chosen.number}))
        else:
            self.query_one("#wrong", Label).update(OF_A_SPECTATOR)

    def _action_on(self, what: str, state: SeatState) -> PlayerAction:
        seat = {"seat": state.seat}
        actions = {
            "kick": PlayerAction(state.seat, cl.Kick, seat),
            "host": PlayerAction(state.seat, cl.MakeHost, seat),
            "stand-in": PlayerAction(state.seat, cl.StandIn, seat),
            "mute": PlayerAction(state.seat, cl.Mute, {**seat, "muted": not state.muted}),
            "ignore": PlayerAction(state.seat),
            "handicap": PlayerAction(state.seat, cl.SetHandicap, seat),
            "team": PlayerAction(state.seat, cl.SetTeam, {**seat, "team": self._next_team(state)}),
        }
        return actions[what]

    def _next_team(self, state: SeatState) -> int:
        """Return the team behind that of a player; behind the last one is the first."""
        return ((state.team or 0) + 1) % (self._view().options.teams or 1)

    def _refusal_of_banned(self, what: str) -> str:
        if not self._is_host:
            return ONLY_THE_HOST
        return "" if what == "unban" else OF_THE_BANNED

    def _refusal(self, what: str, state: SeatState) -> str:
        """Return why an action does not apply to a player; empty if it does, as far as is known."""
        if what == "handicap":
            return self._refusal_of_handicap(state)
        if what == "team":
            return self._refusal_of_team(state)
        if what != "ignore" and not self._is_host:
            return ONLY_THE_HOST
        if what == "unban":
            return ONLY_OF_THE_BANNED
        if state.seat == self._seat:
            return f"That is you: {OF_ONESELF[what]}"
        return f"That is a bot: {OF_A_BOT[what]}" if state.bot and what in OF_A_BOT else ""

    def _refusal_of_handicap(self, state: SeatState) -> str:
        if not (self._is_host or state.seat == self._seat):
            return "The host sets that. You can make your own game harder."
        return "" if self._view().is_between_hands else "Handicaps can be changed only between hands."

    def _refusal_of_team(self, state: SeatState) -> str:
        if self._view().options.teams is None:
            return "This table has no teams. The host can change that in the options."
        if not (self._is_host or state.seat == self._seat):
            return "The host does that. You can choose your own team."
        return "" if self._view().between_matches else "Teams can be changed only between matches."
