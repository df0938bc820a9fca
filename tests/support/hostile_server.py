"""A server that cleans nothing of what it says, and a record of all that reaches the terminal."""

import asyncio
import random
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from textual.drivers.headless_driver import HeadlessDriver
from textual.pilot import Pilot
from websockets.asyncio.server import ServerConnection

from racing_demon_client.settings import PlayerSettings
from racing_demon_client.sources.tables import TableAddress, join
from racing_demon_client.terminal.app import TerminalApp
from racing_demon_client.terminal.appearance import Appearance
from racing_demon_client.terminal.screens.table import CanvasScreen, LobbyScreen, TableScreen, TallyScreen
from racing_demon_client.terminal.sessions import TableSession
from racing_demon_protocol.enums import EndReason, Reason
from racing_demon_protocol.formatting import is_printable
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Refused, Seated, SeatState
from tests.support.matches import log_of
from tests.support.relay import WELCOME, speak, table_of, visited
from tests.support.servers import PATIENCE, timeout
from tests.support.view_models import HOSTILE

SIZE: Final = (120, 40)
HARMLESS: Final = ("Ann", "Ben of Łódź", "漢字", "O'Neill-Smith", "Cyn (2)")
PIECES: Final = (
    "\x1b]0;title\x07",
    "\x1b]52;c;aGk=\x1b\\",
    "\x1bP$q q\x1b\\",
    "\x1b[?1049l\x1b[2J\x1b[H",
    "\x1b[?2026l",
    "\x1bc",
    "\x1b",
    "\x9b31m",
    "\x9d0;t\x9c",
    "\x00\x07\x08\x0b\x0c\x0e\x7f\x85",
    "\r\n\n\t",
    "\u2028\u2029",
    "\u202e\u2066\u061c\u200f",
    "\u200b\u200d\u2060\ufeff\u00ad",
    "\U000e0041\U000e007f",
    "e" + "\u0300\u0489" * 9,
    "漢字",
    "§°±×",
    "❤\ufe0f☎\ufe0f1\ufe0f\u20e3",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "\U0001f1e9\U0001f1ea",
    "\ufdfd\u0bcc",
    "[/]",
    "[bold]",
    "[@click=app.bell]x[/]",
    "[link=http://x]",
    "\\[",
    "{0}%s$HOME",
    "Zoë",
    "x" * 30,
)


def stream(number: int, seed: int) -> Iterator[str]:
    """Yield hostile names: those that are known, and others made of the same pieces."""
    yield from HOSTILE
    yield from PIECES
    generator = random.Random(seed)
    for _ in range(number):
        yield "".join(generator.choices(PIECES, k=generator.randint(1, 6)))[:64]


# What reaches the terminal.

SEQUENCE: Final = re.compile(r"\x1b(?:\[([?>=<]?)[\d;:]*([ -/]*[@-~])|\](22;)[a-z]*\x07)")
"""Control sequences; and the one by which Textual chooses the pointer's shape."""


def shapes_of(written: str) -> set[str]:
    """Return the shapes of the escape sequences in a text: private mark and final bytes, without numbers."""
    return {"".join(parts) for parts in SEQUENCE.findall(written)}


def strays_of(written: str) -> set[str]:
    """Return what stands between the sequences and is no sign to be seen.

    Stepping back over just as many blanks moves nothing, and is how a name of uncertain width is filled up.
    """
    text = SEQUENCE.sub("", written)
    while " \b" in text:
        text = text.replace(" \b", "")
    return {char for char in text if not is_printable(char) or char in "\ufe0e\ufe0f"}


class Recorder(HeadlessDriver):
    """A driver that keeps what would go to the terminal.

    Attributes:
        written: all of it.

    """

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self.written: list[str] = []

    @property
    def is_headless(self) -> bool:
        """Be taken seriously."""
        return False

    def write(self, data: str) -> None:
        """Keep it."""
        self.written.append(data)


@dataclass
class HostileServer:
    """A server's side of one connection, which cleans nothing, and somebody before the screen at the other.

    Attributes:
        connection: to the client.
        pilot: of the application.
        seq: the number of the last event.

    """

    connection: ServerConnection
    pilot: Pilot[None]
    seq: int = 0
    shown: list[str] = field(default_factory=list)

    @property
    def session(self) -> TableSession:
        """The client's stay at the table."""
        assert isinstance(self.pilot.app, TerminalApp)
        assert self.pilot.app.session is not None
        return self.pilot.app.session

    @property
    def written(self) -> str:
        """All that went to the terminal."""
        driver = self.pilot.app._driver
        assert isinstance(driver, Recorder)
        return "".join(driver.written)

    async def tell(self, *messages: ev.Event | Refused) -> None:
        """Say something, and wait until it has been drawn."""
        numbered: list[ev.Event | Refused] = []
        for message in messages:
            if isinstance(message, ev.Event):
                self.seq += 1
                message = message.model_copy(update={"seq": self.seq})  # noqa: PLW2901
            numbered.append(message)
        await speak(self.connection, *numbered)
        async with asyncio.timeout(PATIENCE):
            while self.session.client.view.seq < self.seq:
                await self.pilot.pause()
        await self.pilot.pause()
        screen = self.pilot.app.screen
        if isinstance(screen, CanvasScreen):
            self.shown.append(screen.canvas.text)
            assert strays_of(screen.canvas.text.replace("\n", "")) == set()

    async def spread(self, name: str) -> None:
        """Write a text wherever a server may write one that stays on the screen."""
        await self.tell(
            ev.Joined(seq=0, seat=1, name=name, bot=name[:16]),
            ev.Joined(seq=0, seat=2, name=f"{name}"[:63] + "2"),
            ev.Said(seq=0, seat=1, text=name),
            ev.Readied(seq=0, seat=2, ready=True),
            Refused(counter=0, reason=Reason.NOT_NOW, text=name),
            Refused(counter=0, reason=Reason.BEATEN, text=name, by=1, late_us=5),
        )


async def introduce(connection: ServerConnection, text: str) -> None:
    """Let a client in, with a text wherever one fits. Codes have no control characters below 0x20."""
    versions, _, _, caught_up = WELCOME
    await speak(connection, versions.model_copy(update={"software": text}))
    for _ in range(2):
        await connection.recv()
    code = re.sub(r"[\x00-\x1f\x7f]", "", text)[:16] or "BCDF"
    table = table_of(code=code, hand_id=text, seats=(SeatState(seat=0, name=text),))
    await speak(connection, Seated(code=code, seat=0, token="0f" * 32), table, caught_up)


@asynccontextmanager
async def hostile_server(text: str, size: tuple[int, int] = SIZE) -> AsyncIterator[HostileServer]:
    """Run the application at a table of a server that cleans nothing, and record what it writes."""
    async with visited() as (url, visitors):
        opening = join(TableAddress(url, "BCDF"), "Ann")
        entering = asyncio.create_task(opening.__aenter__())
        connection = await timeout(PATIENCE, visitors.get())
        await introduce(connection, text)
        opened = await timeout(PATIENCE, entering)
        try:
            app = TerminalApp(opened, PlayerSettings(volume=2), Appearance())
            app.driver_class = Recorder
            async with app.run_test(headless=False, size=size) as pilot:
                await pilot.pause()
                server = HostileServer(connection, pilot)
                await server.tell(ev.Joined(seq=0, seat=0, name=text))
                yield server
        finally:
            await opening.__aexit__(None, None, None)


async def whole_story(server: HostileServer, names: Sequence[str], places: int = 1) -> None:
    """Tell names in the lobby, at the table, in the tally and at the end of the match.

    Args:
        server: the server.
        names: the names.
        places: 1 to tell each of them in all of these places; 3 to tell each in one of them.

    """
    app = server.pilot.app
    assert isinstance(app.screen, LobbyScreen)
    for name in names[::places]:
        await server.spread(name)
    committed, dealt, signalled = log_of("racing-demon")[3:6]
    assert isinstance(committed, ev.Committed)
    await server.tell(committed.model_copy(update={"hand_id": names[0]}), dealt, signalled)
    assert isinstance(app.screen, TableScreen)
    for name in names[places // 3 :: places]:
        await server.spread(name)
        await server.tell(ev.Connected(seq=0, seat=1, connected=False), ev.StuckSaid(seq=0, seat=2))
    over = ev.HandOver(seq=0, reason=EndReason.OUT, out=1, elapsed_ms=9, points=(1, 62, -26), seed="00" * 32)
    await server.tell(ev.Called(seq=0, seat=1, grace_ms=1), over)
    await server.pilot.press("enter")
    assert isinstance(app.screen, TallyScreen)
    for name in names[places // 2 * 2 :: places]:
        await server.spread(name)
    await server.tell(ev.MatchOver(seq=0, winners=(1, 2)), ev.Hosted(seq=0, seat=0))
    assert isinstance(app.screen, TallyScreen)
    await server.pilot.press("?")
    await server.pilot.press("escape")
    await server.pilot.press("/", "h", "i", "escape")
