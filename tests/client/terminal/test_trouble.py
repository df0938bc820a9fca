"""What the screens say while the connection or the server has trouble."""

from contextlib import AsyncExitStack

import pytest

from racing_demon_client.net.client import Client
from racing_demon_client.terminal.app import TerminalApp
from racing_demon_client.terminal.screens.table import LobbyScreen
from tests.support.app_harness import AppHarness, app_at_table
from tests.support.relay import Relay
from tests.support.screens import (
    SLOW,
    at_first_screen,
    deal,
    shows,
    sitting,
    told,
    turned,
    type_into,
    until_ended,
    wait,
)
from tests.support.servers import serving
from tests.support.terminal import Player
from tests.support.whole_servers import whole_server


async def test_a_lost_connection_comes_back() -> None:
    """A break is told on the table; what was pressed meanwhile is played once reconnected."""
    async with serving() as served, Relay.before(served.url) as relay:
        client = await Client.create(relay.url, "Ann", SLOW)
        async with sitting(client, "hosted") as player:
            await deal(player)
            await player.pilot.press("space")
            await wait(player.pilot, lambda: turned(player) == 3)
            relay.open = False
            relay.cut()
            await shows(player, "reconnecting...")
            await player.pilot.press("space")
            assert player.session.client.waiting
            relay.open = True
            await wait(player.pilot, lambda: turned(player) == 6)
            await wait(player.pilot, lambda: "reconnecting" not in player.text)
            await player.pilot.press("space")
            await wait(player.pilot, lambda: turned(player) == 9)


def is_in_trouble(player: Player) -> bool:
    """Return whether the screen says that nothing comes from the server."""
    return "no answer for" in player.text or "reconnecting" in player.text


async def test_a_silent_server_is_told() -> None:
    """A silent server is reported, whether the client still waits or reconnects, until it answers again."""
    async with serving() as served, Relay.before(served.url) as relay:
        client = await Client.create(relay.url, "Ann", SLOW)
        async with sitting(client, "hosted") as player:
            await deal(player)
            relay.hold()
            await wait(player.pilot, lambda: is_in_trouble(player))
            relay.release()
            await wait(player.pilot, lambda: not is_in_trouble(player))


@pytest.mark.long
async def test_a_server_that_dies_for_good() -> None:
    """When the connection cannot be restored, the first screen says so."""
    async with serving() as served, Relay.before(served.url) as relay, at_first_screen() as (app, pilot):
        async with await Client.create(served.url, "Ben", SLOW) as ben:
            await type_into(pilot, "address", relay.url)
            await type_into(pilot, "code", ben.code)
            await pilot.press("enter")
            await wait(pilot, lambda: isinstance(app.screen, LobbyScreen))
            assert app.session is not None
            app.session.client.patience = 0.2
            relay.open = False
            relay.cut()
            await wait(pilot, lambda: "could not be restored" in told(app))
            assert app.session is None


@pytest.mark.long
async def test_a_server_that_is_stopped() -> None:
    """When the server is shut down the first screen gives its reason, and the next table can be opened."""
    async with AsyncExitStack() as stack:
        other = (await stack.enter_async_context(serving())).url
        app, pilot = await stack.enter_async_context(at_first_screen())
        ben = await stack.enter_async_context(await Client.create(other, "Ben", SLOW))
        async with whole_server() as (server, url):
            async with await Client.create(url, "Cyn", SLOW) as cyn:
                await type_into(pilot, "address", url)
                await type_into(pilot, "code", cyn.code)
                await pilot.press("enter")
                await wait(pilot, lambda: isinstance(app.screen, LobbyScreen))
                await server.stop()
                await wait(pilot, lambda: told(app))
                assert "server" in told(app)
        await type_into(pilot, "address", other)
        await type_into(pilot, "code", ben.code)
        await pilot.press("enter")
        await wait(pilot, lambda: isinstance(app.screen, LobbyScreen))


async def test_failure_at_a_table_from_the_command_line() -> None:
    """A program that was started for one table ends with it, and keeps why."""
    async with serving() as served, Relay.before(served.url) as relay:
        client = await Client.create(relay.url, "Ann", SLOW)
        client.patience = 0.2
        async with sitting(client, "hosted") as player:
            relay.open = False
            relay.cut()
            await until_ended(player.app)
            assert "could not be restored" in str(player.app.failure)


async def test_the_clock_may_strike_while_the_application_ends() -> None:
    """A stroke of the clock that comes when all screens are gone changes nothing."""
    async with app_at_table(AppHarness(events=40), (80, 24)) as pilot:
        app = pilot.app
        assert isinstance(app, TerminalApp)
    assert not app.screen_stack
    await app._tick()
