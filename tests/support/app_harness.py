"""The real application at a table whose events are written down, on a clock that stands still at the end."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Final, NamedTuple

from rich.style import Style
from textual.app import App
from textual.pilot import Pilot

from racing_demon_client.net.client import Client
from racing_demon_client.settings import PaletteName, PlayerSettings
from racing_demon_client.sources.opened_table import OpenedTable
from racing_demon_client.terminal.app import TerminalApp
from racing_demon_client.terminal.appearance import Appearance, Depth
from racing_demon_client.terminal.screens.table import CanvasScreen
from racing_demon_client.terminal.sessions import TableSession
from racing_demon_client.terminal.style import UNICODE, Glyphs
from racing_demon_client.terminal.view_model import ViewModel
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages.events import Event
from racing_demon_protocol.wire.messages.server import Refused
from tests.support.matches import log_of, options_of
from tests.support.opened_tables import OPENED
from tests.support.servers import PATIENCE, timeout

BETWEEN_MS: Final = 150
"""So long after one another the messages come."""


@dataclass(frozen=True, kw_only=True)
class AppHarness:
    """A moment of a table.

    Attributes:
        match: the match that is played.
        events: how many of its events have happened.
        log: other events, instead of a match's.
        options: what is played otherwise than in the match.
        seat: the player's; ``None`` for a spectator.
        how: how the table was come to.
        keys: what the player presses then.
        answer: what the server answers to that.

    """

    match: str = "racing-demon"
    events: int = 0
    log: Sequence[Event] = ()
    options: dict[str, object] = field(default_factory=dict)
    seat: int | None = 0
    how: str = "practiced"
    keys: Sequence[str] = ()
    answer: Refused | None = None


class RecordedClient(Client):
    """A client whose server is a list: it follows what stands there, and what it says is never answered.

    Attributes:
        now: the time, in milliseconds: it goes on with each message.

    """

    def __init__(self, stage: AppHarness) -> None:
        super().__init__("ws://192.168.1.5:5252/v1")
        options = options_of(stage.match).model_copy(update=stage.options)
        self.code = "DEMN"
        self.seat = stage.seat
        self.now = 1_000_000
        self._view = TableState(self.code, options)
        self._coming: asyncio.Queue[Message] = asyncio.Queue()
        for message in (self._view.snapshot(0), *(stage.log or log_of(stage.match)[: stage.events])):
            self._coming.put_nowait(message)

    async def __aiter__(self) -> AsyncIterator[Message]:
        """Yield what is written down, and then what is added."""
        while True:
            message = await self._coming.get()
            self.now += BETWEEN_MS
            self._apply(message)
            yield message
            self._coming.task_done()

    def hear(self, message: Message) -> None:
        """Add a message."""
        self._coming.put_nowait(message)

    async def heard_all(self) -> None:
        """Wait until everything has been heard."""
        await timeout(PATIENCE, self._coming.join())


class RecordedSession(TableSession):
    """A session on its client's clock."""

    client: RecordedClient

    def now(self) -> int:
        """Return the time."""
        assert isinstance(self.opened.client, RecordedClient)
        return self.opened.client.now

    def record_paint(self, born: float) -> None:
        """Be always equally quick."""


class RecordedApp(TerminalApp):
    """The application with such a session, on a terminal that shows all colors."""

    def _start_session(self, opened: OpenedTable) -> None:
        self.appearance = replace(self.appearance, depth=Depth.TRUE)
        self._apply_theme()
        model = ViewModel(opened.client, glyphs=self.appearance.glyphs)
        model.ping_ms, model.paint_ms = 12.0, 4.0
        self.session = RecordedSession(opened, model, PlayerSettings(), None)
        self.run_worker(self._listen(self.session), group="table")
        self.push_screen(self._screen_for(self.session))


@asynccontextmanager
async def app_at_table(
    stage: AppHarness, size: tuple[int, int], *, palette: PaletteName = "dark", glyphs: Glyphs = UNICODE
) -> AsyncIterator[Pilot[None]]:
    """Run the application until a moment is there."""
    client = RecordedClient(stage)
    addresses = () if stage.how == "practiced" else ("ws://192.168.1.5:5252",)
    app = RecordedApp(
        OPENED[stage.how](client, addresses),
        PlayerSettings(sound=False, palette=palette),
        Appearance(glyphs=glyphs),
    )
    async with app.run_test(size=size) as pilot:
        await client.heard_all()
        assert app.session is not None
        async with asyncio.timeout(PATIENCE):
            while app.session.verifier.proof.startswith("checking"):
                await pilot.pause()
        await pilot.press(*stage.keys)
        if stage.answer is not None:
            client.hear(stage.answer)
            await client.heard_all()
        await pilot.pause()
        for _ in range(3):  # all that came at once is drawn, however late the loop gets to it
            if isinstance(app.screen, CanvasScreen):
                app.screen.canvas.redraw()
            await pilot.pause()
        yield pilot


class Painted(NamedTuple):
    """What a terminal shows.

    Attributes:
        rows: the text, row by row.
        cells: each row's styles: how many cells have which.

    """

    rows: list[str]
    cells: list[list[tuple[int, Style]]]

    @property
    def styles(self) -> set[Style]:
        """All styles in use."""
        return {style for row in self.cells for _, style in row}

    def text(self) -> str:
        """Return the text, without the blanks at the ends of the rows."""
        return "\n".join(row.rstrip() for row in self.rows)


def painted(app: App[None]) -> Painted:
    """Return what Textual's compositor paints, every row of it."""
    rows, cells = [], []
    for strip in app.screen._compositor.render_strips():
        rows.append(strip.text)
        styles = [(segment.cell_length, segment.style or Style.null()) for segment in strip]
        runs = groupby(styles, key=lambda each: str(each[1]))
        cells.append([_joined(list(run)) for _, run in runs])
    return Painted(rows, cells)


def _joined(run: list[tuple[int, Style]]) -> tuple[int, Style]:
    return sum(length for length, _ in run), run[0][1]
