"""The screens of a table: the cards, the lobby, the tally and the analysis."""

import asyncio
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.screen import Screen

from racing_demon_client.links import is_own_device, qr_lines, table_link
from racing_demon_client.terminal.appearance import Appearance
from racing_demon_client.terminal.canvas_widget import CanvasWidget
from racing_demon_client.terminal.drawing.canvas import Canvas, HitArea
from racing_demon_client.terminal.drawing.pages import (
    draw_analysis,
    draw_lobby,
    draw_tally,
    is_roomy,
)
from racing_demon_client.terminal.drawing.table import draw_table
from racing_demon_client.terminal.keymap import Keymap, equivalent_keys
from racing_demon_client.terminal.sessions import TableSession
from racing_demon_client.terminal.style import ASCII, choose
from racing_demon_client.terminal.workers import deferred
from racing_demon_protocol.engine.board import Kind, Play

from .dialogs import pass_on

PerformAction = Callable[[str], Awaitable[None]]
"""Carries out an action that the screen does not handle itself."""


class CanvasScreen(Screen[None]):
    """Shows one picture of a session.

    Args:
        session: the session to show.
        appearance: returns the current appearance.
        perform_action: carries out the actions of keys and clicks.

    """

    AUTO_FOCUS = None

    def __init__(
        self, session: TableSession, appearance: Callable[[], Appearance], perform_action: PerformAction
    ) -> None:
        super().__init__()
        self.session = session
        self.canvas = CanvasWidget(self.draw, appearance)
        self.perform_action = perform_action

    @abstractmethod
    def draw(self, appearance: Appearance, width: int, height: int) -> Canvas:
        """Return the picture."""

    @property
    @abstractmethod
    def keymap(self) -> Keymap:
        """The keys of this screen."""

    def compose(self) -> ComposeResult:
        """Compose the picture that fills the screen."""
        yield self.canvas

    def on_screen_resume(self) -> None:
        """Redraw: the table may have changed behind another screen."""
        self.canvas.redraw()

    async def on_key(self, event: events.Key) -> None:
        """Carry out a key's action; let a key without one bubble."""
        if pass_on(self, event):
            return
        key = event.character if event.is_printable and event.character != " " else event.key
        keys = [key or "", *(equivalent_keys(key) if key and event.is_printable else ())]
        action = next(filter(None, map(self.keymap.action, keys)), None)
        if action is None and len(key or "") == 1 and not (key or "").isascii():
            self.session.model.selection.show_message(
                f"There is no key {key} here. Latin letters are.", self.session.now()
            )
            self.canvas.redraw()
        if action is not None:
            event.stop()
            event.prevent_default()
            if not self.accepts(action):
                return
            await self.do(action)
            self.call_after_refresh(self.session.record_paint, event.time)

    def accepts(self, action: str) -> bool:
        """Return whether an action is accepted now."""
        return True

    async def do(self, action: str) -> None:
        """Carry out an action and redraw. Commands are sent before anything is painted."""
        await self.perform_action(action)
        await asyncio.sleep(0)
        self.canvas.redraw()

    async def on_mouse_down(self, event: events.MouseDown) -> None:
        """Handle a click; Textual calls the handlers of base classes, too."""
        await self.press(event, self.canvas.hit(event.x, event.y))

    async def press(self, event: events.MouseDown, hit: HitArea | None) -> None:
        """Carry out the action at the pointer."""
        if hit is not None and hit.action is not None:
            await self.do(hit.action)


class LobbyScreen(CanvasScreen):
    """The lobby: the seats, the game and how others can join.

    Its codes are the table's alone, as everybody in the room may see them.

    Attributes:
        invites: whether this screen shows how others join, and whom the server knows.
        shown_code: which code is shown, by its number; -1 for none, ``None`` to show what fits.

    """

    invites: ClassVar[bool] = True
    shown_code: int | None = None

    def on_mount(self) -> None:
        """Ask the server whom it knows, if it is this user's own."""
        people = self.session.absent_people
        if people is not None and self.invites:
            self.run_worker(deferred(people.ask, self.canvas.redraw), exit_on_error=False)

    @property
    def keymap(self) -> Keymap:
        """The keys between hands."""
        return self.session.lobby_keymap

    def accepts(self, action: str) -> bool:
        """Return whether an action is accepted: just after a hand, keys were meant for cards."""
        return action == "leave" or self.session.now() >= self.session.debounce_until

    def draw(self, appearance: Appearance, width: int, height: int) -> Canvas:
        """Return the picture of the lobby."""
        size, page, glyphs = (width, height), self.session.page(), appearance.glyphs
        lines: Sequence[str] = ()
        links, number = self._links(), self._number(size)
        if number < len(links):
            is_dark = appearance.palette.is_dark
            lines = qr_lines(links[number], ascii_only=glyphs is ASCII, is_dark=is_dark)
        return draw_lobby(page, size, glyphs, lines)

    def _number(self, size: tuple[int, int]) -> int:
        """Return the number of the code that is shown, of those of :meth:`_links`; theirs for none."""
        last = len(self._links())
        if self.shown_code is None:
            return 0 if is_roomy(size) else last
        return min(self.shown_code, max(0, last - 1)) if self.shown_code >= 0 else last

    def _links(self) -> list[str]:
        """Return the links that have a QR code: in this room, and over the internet."""
        opened, code = self.session.opened, self.session.client.view.code
        addresses = [each for each in opened.current_addresses() if not is_own_device(each)]
        links = [table_link(address, code) for address in addresses[:1]]
        invitation = opened.current_invitation()
        return links if invitation is None or invitation.link is None else [*links, invitation.link]

    async def do(self, action: str) -> None:
        """Carry out an action, hide a note, or show the next QR code; after the last one, none."""
        if action == "qr":
            last = len(self._links())
            number = self._number((self.size.width, self.size.height))
            self.shown_code = 0 if number == last else number + 1 if number + 1 < last else -1
        elif action == "internet" and self._number((self.size.width, self.size.height)) != len(self._links()):
            self.shown_code = 1  # that of the new invitation
        elif action == "back" and self.invites and self.session.hide_note():
            self.canvas.redraw()
            return
        await super().do(action)


class TallyScreen(LobbyScreen):
    """The tally: points, hand by hand."""

    invites = False

    def draw(self, appearance: Appearance, width: int, height: int) -> Canvas:
        """Return the picture of the tally."""
        return draw_tally(self.session.page(), (width, height), appearance.glyphs)


class AnalysisScreen(LobbyScreen):
    """The analysis of the last hand, for each of its players."""

    invites = False

    def draw(self, appearance: Appearance, width: int, height: int) -> Canvas:
        """Return the picture of the analysis."""
        return draw_analysis(self.session.page(), (width, height), appearance.glyphs)


LEFT, RIGHT = 1, 3
SELECTION_ACTIONS = frozenset({"turn", "drop", "left", "right", "more", "fewer"})
"""The selection's actions, beside those that name a pile."""
PILE_PREFIXES = ("column-", "waste", "reserve", "pile-", "place-", "foundation-")
"""The prefixes of actions that name a pile."""


class TableScreen(CanvasScreen):
    """Shows the table. An input is carried out, sent and drawn at once, in this order."""

    _pressed: tuple[int, int] | None = None

    @property
    def keymap(self) -> Keymap:
        """The keys of the game in play."""
        return self.session.keymap

    def draw(self, appearance: Appearance, width: int, height: int) -> Canvas:
        """Return the picture of the table."""
        keymap = self.keymap
        footer = keymap.footer(hints=self.session.client.view.options.hints)
        scene = self.session.model.scene(self.session.now(), keymap.labels, footer)
        return draw_table(
            scene, (width, height), choose(appearance.density, width, height), appearance.glyphs
        )

    # Keys.

    async def do(self, action: str) -> None:
        """Carry out an action: the selection's here, all others in the application."""
        selection, now = self.session.model.selection, self.session.now()
        self.session.model.notice = ()
        if action == "drop" and self.session.alone and selection.held is None:
            await self.perform_action(action)
        elif action in SELECTION_ACTIONS or action.startswith(PILE_PREFIXES):
            await self._send(selection.press(action, now))
        elif action == "enter" and selection.cursor is not None and self.session.client.view.in_hand:
            await self._send(selection.use_cursor(now))
        elif action.startswith("watch-"):
            self.session.model.watch(int(action.removeprefix("watch-")) - 1)
        else:
            await self.perform_action(action)
        self.canvas.redraw()

    async def _send(self, play: Play | None) -> None:
        if play is not None:
            self.session.play(play)
            await asyncio.sleep(0)  # send the play before anything is drawn

    # The pointer.

    async def press(self, event: events.MouseDown, hit: HitArea | None) -> None:
        """Pick up or put down with the left button, play to a foundation with the right one."""
        self._pressed = None
        self.session.model.notice = ()
        if hit is None:
            self.session.model.selection.release()
        elif hit.action is not None and hit.action not in {"turn", "foundations"}:
            await self.do(hit.action)
        elif self.session.client.view.in_hand and self.session.client.seat is not None:
            await self._touch(event, hit)
        self.canvas.redraw()

    async def _touch(self, event: events.MouseDown, hit: HitArea) -> None:
        selection, now = self.session.model.selection, self.session.now()
        held = selection.held
        if hit.action == "turn":
            await self._send(selection.press("turn", now))
        elif hit.pile is None:  # between foundations: play the held cards to any of them
            if held is not None:
                await self._send(selection.send_up(held.pile, now))
        elif event.button == RIGHT:
            await self._send(selection.send_up(hit.pile, now))
        elif held is not None and held.pile != hit.pile:
            await self._send(selection.put_down(held, hit.pile, now))
        else:
            if held is None:
                count = None
                if hit.index is not None:
                    count = len(selection.board().cards[hit.pile]) - hit.index
                selection.choose(hit.pile, now, count=count)
            self._pressed = event.x, event.y

    async def on_mouse_move(self, event: events.MouseMove) -> None:
        """Drag the held cards while the button is down."""
        if self._pressed is not None and event.button == LEFT and self._pressed != (event.x, event.y):
            self.session.model.selection.drag(event.x, event.y)
            self.canvas.redraw()

    async def on_mouse_up(self, event: events.MouseUp) -> None:
        """Put down the dragged cards, or return them if they do not fit."""
        selection, now = self.session.model.selection, self.session.now()
        held, pressed, self._pressed = selection.held, self._pressed, None
        if held is None or pressed is None or selection.dragged is None:
            return
        hit = self.canvas.hit(event.x, event.y)
        selection.release()
        if hit is not None and hit.action == "foundations":
            await self._send(selection.send_up(held.pile, now))
        elif hit is not None and hit.pile is not None and hit.pile != held.pile:
            await self._send(selection.put_down(held, hit.pile, now))
        self.canvas.redraw()

    async def on_click(self, event: events.Click) -> None:
        """Play a card to a foundation with a double click."""
        hit = self.canvas.hit(event.x, event.y)
        selection = self.session.model.selection
        if event.chain != 2 or event.button != LEFT or hit is None or hit.pile is None:
            return
        if self.session.client.view.in_hand and self.session.client.seat is not None:
            kind = selection.board().piles[hit.pile].kind
            if kind not in {Kind.STOCK, Kind.FOUNDATION}:
                await self._send(selection.send_up(hit.pile, self.session.now()))
                self.canvas.redraw()
