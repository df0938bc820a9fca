"""The end of a hand, and of a table, at the terminal: what its keys do then, and what is still shown."""

import pytest

from racing_demon_client.errors import TableEnded
from racing_demon_client.net.client import Client
from racing_demon_client.terminal import app
from racing_demon_client.terminal.screens.dialogs import BotsScreen
from racing_demon_client.terminal.screens.table import LobbyScreen, TallyScreen
from racing_demon_client.terminal.sessions import TableSession
from racing_demon_protocol.wire.messages.client import Start
from racing_demon_protocol.wire.messages.events import HandOver
from tests.support.app_harness import AppHarness, app_at_table
from tests.support.cases import for_each
from tests.support.matches import log_of
from tests.support.screens import (
    SLOW,
    at_first_screen,
    at_the_door,
    deal,
    shows,
    sitting,
    told,
    type_into,
    until_ended,
    wait,
)
from tests.support.whole_servers import whole_server


def tallied() -> AppHarness:
    """Return the moment at which the first hand is over."""
    log = log_of("racing-demon")
    return AppHarness(events=next(n for n, event in enumerate(log, 1) if isinstance(event, HandOver)))


@pytest.mark.long
@for_each(("debounce_ms", "opens"), [(600_000, False), (0, True)])
async def test_keys_of_a_hand_do_nothing_just_after_it(
    debounce_ms: int, opens: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The key that means the bots at the tally opens nothing before the moment after the hand is over."""
    monkeypatch.setattr(TableSession, "debounce_ms", debounce_ms)
    async with app_at_table(tallied(), (80, 24)) as pilot:
        assert isinstance(pilot.app.screen, TallyScreen)
        await pilot.press("b")
        assert isinstance(pilot.app.screen, BotsScreen) == opens


async def test_one_can_leave_just_after_a_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaving is asked for by a key that no hand has, and needs no moment."""
    monkeypatch.setattr(TableSession, "debounce_ms", 600_000)
    async with app_at_table(tallied(), (80, 24)) as pilot:
        assert isinstance(pilot.app.screen, TallyScreen)
        await pilot.press("ctrl+c")
        assert not isinstance(pilot.app.screen, TallyScreen)


async def test_a_hand_that_ends_without_a_word_leaves_nothing_to_turn_from(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where no word fills the screen at a hand's end, the first key or click at the tally counts at once."""
    monkeypatch.setattr(app, "TICK_SECONDS", 3_600)
    async with app_at_table(tallied(), (80, 24)) as pilot:
        assert isinstance(pilot.app, app.TerminalApp)
        assert isinstance(pilot.app.screen, TallyScreen)
        assert not pilot.app.dismiss_banner()


async def test_a_table_that_ends_in_a_hand_is_tallied() -> None:
    """When the server stops in a hand, its guest sees how far everybody came until a key is pressed."""
    async with (
        whole_server() as (server, url),
        sitting(await Client.create(url, "Ann", SLOW), "joined") as ann,
    ):
        await deal(ann)
        await server.stop()
        await wait(ann.pilot, lambda: isinstance(ann.app.screen, TallyScreen))
        await shows(ann, "Enter goes on.")
        assert "The match is over" in ann.text
        assert "total" in ann.text
        assert "easy bot" not in ann.text
        await ann.pilot.press("enter")
        await until_ended(ann.app)
        assert isinstance(ann.app.failure, TableEnded)


@pytest.mark.long
async def test_a_tally_of_a_table_that_is_gone_leads_back() -> None:
    """From there any key leads to the first screen, which says why; none speaks to the server."""
    async with whole_server() as (server, url), at_first_screen() as (app, pilot):
        async with await Client.create(url, "Ben", SLOW) as ben:
            await type_into(pilot, "address", f"{url}#{ben.code}")
            await pilot.press("enter")
            await wait(pilot, lambda: isinstance(app.screen, LobbyScreen))
            await pilot.press("enter")
            await ben.ask(Start(counter=ben.next_counter()))
            await wait(pilot, lambda: app.session is not None and app.session.client.view.in_hand)
        await server.stop()
        await wait(pilot, lambda: isinstance(app.screen, TallyScreen))
        while not at_the_door(app):  # a key that comes before the end of the connection is one of the tally
            await pilot.press("1")
            await pilot.pause(0.1)
        await wait(pilot, lambda: "stopped" in told(app))
