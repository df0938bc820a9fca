"""The real application at a real server's tables, and what tests do and look for there."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from textual.pilot import Pilot
from textual.widgets import Input, Label

from racing_demon_client.net.client import Client
from racing_demon_client.net.table_client import TableClient
from racing_demon_client.settings import PlayerSettings
from racing_demon_client.terminal.app import TerminalApp
from racing_demon_client.terminal.appearance import Appearance
from racing_demon_client.terminal.screens.table import CanvasScreen
from racing_demon_client.terminal.screens.welcome import WelcomeScreen
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.wire.options import Options
from tests.support.opened_tables import OPENED
from tests.support.servers import PATIENCE, serving
from tests.support.terminal import Player

SIZE = (100, 34)
SLOW = Options(countdown_ms=0, tally_ms=600_000)
"""Nothing goes on by itself."""


# Waiting, finding.


async def wait(pilot: Pilot[None], condition: Callable[[], object]) -> None:
    """Wait until something is so."""
    if condition():
        return
    async with asyncio.timeout(PATIENCE):
        while not condition():  # noqa: ASYNC110  # a pause would ask every widget, many times a second
            await asyncio.sleep(0.02)
    await pilot.pause(0)


async def shows(player: Player, text: str) -> None:
    """Wait until a picture shows a text."""
    try:
        await wait(player.pilot, lambda: isinstance(player.app.screen, CanvasScreen) and text in player.text)
    except TimeoutError:
        raise AssertionError(f"{text!r} is not on the screen:\n{player.text}") from None


async def until_ended(app: TerminalApp) -> None:
    """Wait until the application has ended."""
    async with asyncio.timeout(PATIENCE):
        while app.is_running:  # noqa: ASYNC110  # it has no event for its end
            await asyncio.sleep(0.01)


async def click(player: Player, action: str) -> None:
    """Click what does something."""
    screen = player.app.screen
    assert isinstance(screen, CanvasScreen)
    cells = [(x, y) for y in range(screen.size.height) for x in range(screen.size.width)]
    spot = next(
        (x, y) for x, y in cells if (hit := screen.canvas.hit(x, y)) is not None and hit.action == action
    )
    await player.pilot.click(offset=spot)


def field(app: TerminalApp, name: str) -> Input:
    """Return a field of a form."""
    return app.screen.query_one(f"#{name}", Input)


def told(app: TerminalApp) -> str:
    """Return what the first screen says."""
    if not at_the_door(app):
        return ""
    labels = app.screen.query("#told").results(Label)  # none before the screen is laid out
    return "".join(str(label.content) for label in labels)


def at_the_door(app: TerminalApp) -> bool:
    """Tell whether the first screen is seen."""
    return isinstance(app.screen, WelcomeScreen)


async def type_into(pilot: Pilot[None], name: str, text: str) -> None:
    """Write into a field at once, as by a paste, instead of what stands there."""
    assert isinstance(pilot.app, TerminalApp)
    widget = field(pilot.app, name)
    widget.value = text
    widget.focus()
    await pilot.pause()


# Tables.


@asynccontextmanager
async def at_first_screen(
    settings: PlayerSettings | None = None, size: tuple[int, int] = SIZE
) -> AsyncIterator[tuple[TerminalApp, Pilot[None]]]:
    """Run the application from its first screen on."""
    app = TerminalApp(None, settings or PlayerSettings(name="Ann", sound=False), Appearance())
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield app, pilot


@asynccontextmanager
async def sitting(
    client: TableClient, how: str, *, size: tuple[int, int] = SIZE, address: str = "", **settings: Any
) -> AsyncIterator[Player]:
    """Run the application at a table."""
    async with client:
        addresses = (address or client.url,) if isinstance(client, Client) and how != "practiced" else ()
        opened = OPENED[how](client, addresses)
        app = TerminalApp(opened, PlayerSettings(**{"sound": False, **settings}), Appearance())
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            yield Player(app, pilot)


@asynccontextmanager
async def hosting(
    options: Options = SLOW, *, how: str = "hosted", size: tuple[int, int] = SIZE, **settings: Any
) -> AsyncIterator[Player]:
    """Host a table as Ann, with the same deals each time."""
    async with serving(seed=bytes(32)) as served:
        client = await Client.create(served.url, "Ann", options)
        async with sitting(client, how, size=size, **settings) as player:
            yield player


async def deal(player: Player) -> None:
    """Sit against a bot, and deal."""
    await player.pilot.press("1")
    await wait(player.pilot, lambda: len(player.session.client.view.seats) == 2)
    await player.pilot.press("enter")
    await wait(player.pilot, lambda: player.phase is Phase.PLAYING)
    await player.pilot.pause()


def turned(player: Player) -> int:
    """Return how many cards lie on the player's waste."""
    view = player.session.client.view
    assert view.hand is not None
    return len(view.hand.board.cards[view.hand.rules.layout.waste[0]])
