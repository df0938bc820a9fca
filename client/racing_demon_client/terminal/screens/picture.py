"""Screens that are a single picture, with keys from a keymap and clicks from hit areas."""

import asyncio
from abc import abstractmethod
from collections.abc import Awaitable, Callable

from textual import events
from textual.app import ComposeResult
from textual.screen import Screen

from racing_demon_client.discovery.qr import qr_lines
from racing_demon_client.links import link_of
from racing_demon_client.terminal.drawing.canvas import Canvas, Hit
from racing_demon_client.terminal.drawing.pages.analysis import draw_analysis
from racing_demon_client.terminal.drawing.pages.lobby import draw_lobby, shows_qr
from racing_demon_client.terminal.drawing.pages.tally import draw_tally
from racing_demon_client.terminal.input.keymap import Keymap
from racing_demon_client.terminal.input.scripts import usual_keys
from racing_demon_client.terminal.picture_widget import PictureWidget
from racing_demon_client.terminal.session import TableSession
from racing_demon_client.terminal.style.glyphs import ASCII
from racing_demon_client.terminal.style.look import Look

from .dialogs import pass_on

Act = Callable[[str], Awaitable[None]]
"""Carries out an action that the screen does not handle itself."""


class PictureScreen(Screen[None]):
    """Shows one picture of a session.

    Args:
        session: the session to show.
        look: returns the current look.
        act: carries out the actions of keys and clicks.

    """

    AUTO_FOCUS = None

    def __init__(self, session: TableSession, look: Callable[[], Look], act: Act) -> None:
        super().__init__()
        self.session = session
        self.picture = PictureWidget(self.draw, look)
        self.act = act

    @abstractmethod
    def draw(self, look: Look, width: int, height: int) -> Canvas:
        """Return the picture."""

    @property
    @abstractmethod
    def keymap(self) -> Keymap:
        """The keys of this screen."""

    def compose(self) -> ComposeResult:
        """Compose the picture that fills the screen."""
        yield self.picture

    def on_screen_resume(self) -> None:
        """Redraw: the table may have changed behind another screen."""
        self.picture.redraw()

    async def on_key(self, event: events.Key) -> None:
        """Carry out a key's action; let a key without one bubble."""
        if pass_on(self, event):
            return
        key = event.character if event.is_printable and event.character != " " else event.key
        keys = [key or "", *(usual_keys(key) if key and event.is_printable else ())]
        action = next(filter(None, map(self.keymap.action, keys)), None)
        if action is None and len(key or "") == 1 and not (key or "").isascii():
            self.session.desk.hands.say(f"There is no key {key} here. Latin letters are.", self.session.now())
            self.picture.redraw()
        if action is not None:
            event.stop()
            event.prevent_default()
            if not self.heeds(action):
                return
            await self.do(action)
            self.call_after_refresh(self.session.note_paint, event.time)

    def heeds(self, action: str) -> bool:
        """Return whether an action is accepted now."""
        return True

    async def do(self, action: str) -> None:
        """Carry out an action and redraw. Commands are sent before anything is painted."""
        await self.act(action)
        await asyncio.sleep(0)
        self.picture.redraw()

    async def on_mouse_down(self, event: events.MouseDown) -> None:
        """Handle a click; Textual calls the handlers of base classes, too."""
        await self.press(event, self.picture.hit(event.x, event.y))

    async def press(self, event: events.MouseDown, hit: Hit | None) -> None:
        """Carry out the action at the pointer."""
        if hit is not None and hit.action is not None:
            await self.do(hit.action)


class LobbyScreen(PictureScreen):
    """The lobby: the seats, the game and how others can join.

    Attributes:
        shows_qr: whether the QR code is shown; ``None`` to show it if it fits.

    """

    shows_qr: bool | None = None

    @property
    def keymap(self) -> Keymap:
        """The keys between hands."""
        return self.session.lobby_keymap

    def heeds(self, action: str) -> bool:
        """Return whether an action is accepted: just after a hand, keys were meant for cards."""
        return action == "leave" or self.session.now() >= self.session.settled_at

    def draw(self, look: Look, width: int, height: int) -> Canvas:
        """Return the picture of the lobby."""
        qr = self._qr(look, width, height)
        return draw_lobby(self.session.page(), (width, height), look.glyphs, qr)

    def _qr(self, look: Look, width: int, height: int) -> tuple[str, ...]:
        """Return the lines of the QR code, if it is to be shown."""
        addresses = self.session.opened.addresses_now()
        if not (addresses and shows_qr(self.shows_qr, (width, height))):
            return ()
        link = link_of(addresses[0], self.session.client.view.code)
        return qr_lines(link, ascii_only=look.glyphs is ASCII, is_dark=look.palette.is_dark)

    async def do(self, action: str) -> None:
        """Carry out an action, or toggle the QR code."""
        if action == "qr":
            self.shows_qr = not shows_qr(self.shows_qr, (self.size.width, self.size.height))
        await super().do(action)


class TallyScreen(LobbyScreen):
    """The tally: points, hand by hand."""

    def draw(self, look: Look, width: int, height: int) -> Canvas:
        """Return the picture of the tally."""
        return draw_tally(self.session.page(), (width, height), look.glyphs)


class AnalysisScreen(LobbyScreen):
    """The analysis of the last hand, for each of its players."""

    def draw(self, look: Look, width: int, height: int) -> Canvas:
        """Return the picture of the analysis."""
        return draw_analysis(self.session.page(), (width, height), look.glyphs)
