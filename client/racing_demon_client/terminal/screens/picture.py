"""A screen that is one picture: keys by a keymap, clicks by what lies under them."""

import asyncio
from abc import abstractmethod
from collections.abc import Awaitable, Callable

from textual import events
from textual.app import ComposeResult
from textual.screen import Screen

from racing_demon_client.discovery.qr import qr_lines
from racing_demon_client.shared.links import link_of
from racing_demon_client.terminal.drawing.canvas import Canvas, Hit
from racing_demon_client.terminal.drawing.pages.analysis import draw_analysis
from racing_demon_client.terminal.drawing.pages.lobby import draw_lobby, shows_qr
from racing_demon_client.terminal.drawing.pages.tally import draw_tally
from racing_demon_client.terminal.input.keymap import Keymap
from racing_demon_client.terminal.picture_widget import PictureWidget
from racing_demon_client.terminal.session import TableSession
from racing_demon_client.terminal.style.glyphs import ASCII
from racing_demon_client.terminal.style.look import Look

from .dialogs import pass_on

__all__ = ["Act", "AnalysisScreen", "LobbyScreen", "PictureScreen", "TallyScreen"]

Act = Callable[[str], Awaitable[None]]
"""Does what an action means that is not the screen's own business."""


class PictureScreen(Screen[None]):
    """Shows one picture of a session.

    Args:
        session: the stay at a table that it shows.
        look: returns how everything looks now.
        act: does what keys and clicks mean.

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
        """Lay the screen out: it is all picture."""
        yield self.picture

    def on_screen_resume(self) -> None:
        """Show what has changed while another screen was seen."""
        self.picture.redraw()

    async def on_key(self, event: events.Key) -> None:
        """Do what a key means; one that means nothing here goes on to others."""
        if pass_on(self, event):
            return
        key = event.character if event.is_printable and event.character != " " else event.key
        action = self.keymap.action(key or "")
        if action is not None:
            event.stop()
            event.prevent_default()
            if not self.heeds(action):
                return
            await self.do(action)
            self.call_after_refresh(self._note_paint, event.time)

    def heeds(self, action: str) -> bool:
        """Tell whether a key does now what it means."""
        return True

    async def do(self, action: str) -> None:
        """Do what an action means, and show it. What goes to the server goes before the picture."""
        await self.act(action)
        await asyncio.sleep(0)
        self.picture.redraw()

    async def on_mouse_down(self, event: events.MouseDown) -> None:
        """Do what a press of a button means: Textual calls the handlers of base classes, too."""
        await self.press(event, self.picture.hit(event.x, event.y))

    async def press(self, event: events.MouseDown, hit: Hit | None) -> None:
        """Do what is written where the pointer is."""
        if hit is not None and hit.action is not None:
            await self.do(hit.action)

    def _note_paint(self, born: float) -> None:
        self.session.note_paint(born)


class LobbyScreen(PictureScreen):
    """Who sits where, what is played, how others find the table.

    Attributes:
        shows_qr: whether the link's picture is shown; ``None`` where that depends on the room for it.

    """

    shows_qr: bool | None = None

    @property
    def keymap(self) -> Keymap:
        """The keys around the hands."""
        return self.session.lobby_keymap

    def heeds(self, action: str) -> bool:
        """Tell whether a key does now what it means: just after a hand it was meant for a card."""
        return action == "leave" or self.session.now() >= self.session.settled_at

    def draw(self, look: Look, width: int, height: int) -> Canvas:
        """Return the picture of the lobby."""
        qr = self._qr(look, width, height)
        return draw_lobby(self.session.page(), (width, height), look.glyphs, qr)

    def _qr(self, look: Look, width: int, height: int) -> tuple[str, ...]:
        """Return the link's picture, as far as it is to be shown."""
        addresses = self.session.opened.addresses
        if not (addresses and shows_qr(self.shows_qr, (width, height))):
            return ()
        link = link_of(addresses[0], self.session.client.view.code)
        return qr_lines(link, ascii_only=look.glyphs is ASCII, is_dark=look.palette.is_dark)

    async def do(self, action: str) -> None:
        """Do what an action means; show the link's picture, or show it no longer."""
        if action == "qr":
            self.shows_qr = not shows_qr(self.shows_qr, (self.size.width, self.size.height))
        await super().do(action)


class TallyScreen(LobbyScreen):
    """The points, hand by hand."""

    def draw(self, look: Look, width: int, height: int) -> Canvas:
        """Return the picture of the tally."""
        return draw_tally(self.session.page(), (width, height), look.glyphs)


class AnalysisScreen(LobbyScreen):
    """What came of the last hand, for each of its players."""

    def draw(self, look: Look, width: int, height: int) -> Canvas:
        """Return the picture of the analysis."""
        return draw_analysis(self.session.page(), (width, height), look.glyphs)
