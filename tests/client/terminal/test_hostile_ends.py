"""Hostile refusals, goodbyes and tables end with a sentence; the whole program on a real terminal."""

import asyncio
import fcntl
import os
import struct
import sys
import termios
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Label

from racing_demon_client.settings import PlayerSettings
from racing_demon_client.terminal.app import TerminalApp
from racing_demon_client.terminal.appearance import Appearance
from racing_demon_client.terminal.screens.table import LobbyScreen
from racing_demon_client.terminal.screens.welcome import WelcomeScreen
from racing_demon_protocol.enums import CloseCode, Phase, Reason
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Refused, Versions
from tests.support.cases import for_each
from tests.support.effort import usually
from tests.support.hostile_server import (
    HARMLESS,
    SEQUENCE,
    SIZE,
    Recorder,
    hostile_server,
    introduce,
    shapes_of,
    strays_of,
    stream,
)
from tests.support.matches import log_of
from tests.support.relay import WELCOME, speak, visited
from tests.support.servers import PATIENCE, Closing, timeout


@asynccontextmanager
async def at_the_door(url: str) -> AsyncIterator[tuple[TerminalApp, Pilot[None]]]:
    """Ask on the first screen for a table."""
    app = TerminalApp(None, PlayerSettings(name="Ann", sound=False), Appearance())
    app.driver_class = Recorder
    async with app.run_test(headless=False, size=SIZE) as pilot:
        app.screen.query_one("#address", Input).value = url
        app.screen.query_one("#code", Input).value = "BCDF"
        await pilot.press("j")
        yield app, pilot


async def until_told(app: TerminalApp, pilot: Pilot[None], text: str) -> None:
    """Wait until the first screen says something."""
    async with asyncio.timeout(PATIENCE):
        while True:
            screen = app.screen
            if isinstance(screen, WelcomeScreen) and text in str(screen.query_one("#told", Label).content):
                break
            await pilot.pause()
    await pilot.pause()


def check_recorded(app: TerminalApp) -> None:
    """Check that nothing foreign went to the terminal."""
    assert isinstance(app._driver, Recorder)
    assert strays_of("".join(app._driver.written)) <= {"\n"}


@pytest.mark.long
@for_each("text", usually(1, ["\x1b[2J[/][bold]no\x9b\u202e", "[@click=app.bell]x[/]", "\x1b]0;t\x07 [/]"]))
async def test_a_refusal_at_the_door_is_told_as_it_is(text: str) -> None:
    """A hostile refusal is told on the first screen, as plain text."""
    told = "".join(char if char.isprintable() else "?" for char in text)
    async with visited() as (url, visitors), at_the_door(url) as (app, pilot):
        connection = await timeout(PATIENCE, visitors.get())
        await speak(connection, WELCOME[0])
        for _ in range(2):
            await connection.recv()
        await speak(connection, Refused(counter=0, reason=Reason.TABLE_FULL, text=text))
        await until_told(app, pilot, told)
        check_recorded(app)


# Each has a folder of its own: a seat that is remembered would be asked for.
@pytest.mark.long
@pytest.mark.parametrize("code", [CloseCode.BAD_FRAME, CloseCode.TAKEN_OVER, 1001])
async def test_a_close_reason_is_told_as_it_is(code: int) -> None:
    """What a server says when it hangs up is told on the first screen, as plain text."""
    text = "\x1b[2J[/][bold]bye\x9b\u202e"
    async with visited() as (url, visitors), at_the_door(url) as (app, pilot):
        connection = await timeout(PATIENCE, visitors.get())
        await introduce(connection, "B\x1b[2JC")
        async with asyncio.timeout(PATIENCE):
            while not isinstance(app.screen, LobbyScreen):
                await pilot.pause()
        await connection.close(code, text)
        await until_told(app, pilot, "?[2J[/][bold]bye??")
        assert app.is_running
        check_recorded(app)


@pytest.mark.long
async def test_versions_that_are_none_are_told() -> None:
    """A server of the future is told apart on the first screen, whatever software it names."""
    async with visited() as (url, visitors), at_the_door(url) as (app, pilot):
        connection = await timeout(PATIENCE, visitors.get())
        await speak(connection, Versions(oldest=7, newest=9, software="\x1b[2J"))
        await until_told(app, pilot, "update this client")
        check_recorded(app)


@pytest.mark.long
async def test_a_table_that_cannot_be_is_told() -> None:
    """A table that fits no rules ends with a sentence on the first screen."""
    async with visited() as (url, visitors), at_the_door(url) as (app, pilot):
        connection = await timeout(PATIENCE, visitors.get())
        await introduce(connection, "BCDF")
        await speak(connection, ev.Played(seq=1, seat=0, counter=1, source=4, count=3, destination=5))
        await until_told(app, pilot, "The server sent an invalid table")


async def test_a_spectators_table_without_seats() -> None:
    """A hand whose seats nobody has is shown all the same."""
    committed, dealt, signalled = log_of("racing-demon")[3:6]
    async with hostile_server("BCDF") as server:
        await server.tell(*(ev.Joined(seq=0, seat=seat, name="x") for seat in (1, 2)))
        await server.tell(committed, dealt, signalled)
        assert server.session.client.view.phase is Phase.PLAYING
        await server.tell(ev.Left(seq=0, seat=0), ev.Left(seq=0, seat=1), ev.Hosted(seq=0, seat=None))
        assert server.pilot.app.is_running


# The whole program, on a terminal of its own.

ENDED: Final = "zqxjv"
"""Not to be found in anything that the program says by itself."""


class Terminal:
    """A pseudo-terminal, and all that was written to it.

    Attributes:
        seen: the bytes.

    """

    def __init__(self) -> None:
        self.ours, self.theirs = os.openpty()
        self.seen = bytearray()
        fcntl.ioctl(self.theirs, termios.TIOCSWINSZ, struct.pack("HHHH", SIZE[1], SIZE[0], 0, 0))
        self._news = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        os.set_blocking(self.ours, False)
        self._loop.add_reader(self.ours, self._read)

    def _read(self) -> None:
        try:
            self.seen += os.read(self.ours, 65_536)
        except OSError:  # nobody has the other end open any more
            self._loop.remove_reader(self.ours)
        self._news.set()

    @property
    def text(self) -> str:
        """What was written, as text."""
        return self.seen.decode("utf-8")

    async def until(self, text: str) -> None:
        """Wait until something has been written."""
        async with asyncio.timeout(PATIENCE):
            while text.encode() not in self.seen:
                self._news.clear()
                await self._news.wait()

    def close(self) -> None:
        """Hang up."""
        self._loop.remove_reader(self.ours)
        os.close(self.ours)


async def _run_program(names: Sequence[str], reason: str, folder: Path) -> tuple[str, int]:
    """Run the program, with its own folder, at a liar's table; return all that it wrote, and its code."""
    terminal = Terminal()
    async with visited() as (url, visitors):
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "racing_demon_client", "join", url, "BCDF", "--name", "Ann"),
            stdin=terminal.theirs,
            stdout=terminal.theirs,
            stderr=terminal.theirs,
            env={
                **os.environ,
                "RACING_DEMON_STATE": str(folder),
                "TERM": "xterm-256color",
                "COLORTERM": "truecolor",
                "LANG": "C.UTF-8",
            },
            start_new_session=True,
        )
        try:
            os.close(terminal.theirs)
            connection = await timeout(PATIENCE, visitors.get())
            await introduce(connection, names[0])
            seq = 0
            for name in names:
                events = (
                    ev.Joined(seq=seq + 1, seat=0, name=name),
                    ev.Joined(seq=seq + 2, seat=1, name=name, bot=name[:16]),
                    ev.Said(seq=seq + 3, seat=1, text=name),
                )
                seq += 3
                await speak(connection, *events, Refused(counter=0, reason=Reason.NOT_NOW, text=name))
            await speak(connection, ev.Said(seq=seq + 1, seat=1, text=ENDED))
            await terminal.until(ENDED)
            await speak(connection, Closing(CloseCode.BAD_FRAME, reason))
            code = await timeout(PATIENCE, process.wait())
            await terminal.until(reason.strip("\x1b\u202e")[-3:])
            return terminal.text, code
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
            terminal.close()


async def test_the_whole_program_on_a_terminal(tmp_path: Path) -> None:
    """The bytes that reach a terminal hold only the sequences that harmless names bring, too, to the end."""
    tame, tame_code = await _run_program(HARMLESS, "all good bye", tmp_path / "tame")
    wild, wild_code = await _run_program(list(stream(10, 11)), "\x1b[2J\u202e bye", tmp_path / "wild")
    assert tame_code == wild_code == 4
    assert shapes_of(wild) <= shapes_of(tame)
    assert strays_of(wild) <= strays_of(tame) <= set("\x1b\x07\r\n\t")
    assert wild.count("\x1b") == len(SEQUENCE.findall(wild)) + tame.count("\x1b") - len(
        SEQUENCE.findall(tame)
    )
