"""The tables of the network on the first screen, by real multicast on the loopback interface."""

import pytest
from textual.widgets import Label, OptionList

from racing_demon_client.lan import announce
from racing_demon_client.terminal.app import TerminalApp
from racing_demon_client.terminal.screens import welcome
from racing_demon_client.terminal.screens.picture import LobbyScreen

from ...support.neighbours import among_ourselves, announcement, saying
from ...support.screens import at_first_screen, field, wait
from ...support.servers import Peer, serving


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    among_ourselves(monkeypatch)
    monkeypatch.setattr(welcome, "LOOK_SECONDS", 1.2)
    monkeypatch.setattr(welcome, "REST_SECONDS", 0.1)


def near(app: TerminalApp) -> OptionList:
    """Return the list of the tables of the network."""
    return app.screen.query_one("#near", OptionList)


def looking(app: TerminalApp) -> bool:
    """Tell whether somebody still looks for tables."""
    return any(worker.group == "looking" and worker.is_running for worker in app.workers)


async def test_a_table_is_chosen_from_the_list() -> None:
    """A table appears while the screen is shown; choosing it fills the fields, and Enter joins it."""
    async with at_first_screen() as (app, pilot), serving() as served, Peer.hosting(served.url) as ann:
        assert not near(app).display
        async with announce(announcement(served.port, ann.code)):
            await wait(pilot, lambda: near(app).display)
            near(app).focus()
            await pilot.press("down", "enter")
            await wait(pilot, lambda: field(app, "code").value == ann.code)
            assert field(app, "address").value == served.url.removesuffix("/v1")
            assert app.focused is not None
            assert app.focused.id == "join"
            assert looking(app)
            await pilot.press("enter")
            await wait(pilot, lambda: isinstance(app.screen, LobbyScreen))
            await wait(pilot, lambda: not looking(app))


async def test_a_table_that_is_gone_is_shown_no_longer() -> None:
    """The list forgets what does not answer any more, and says that there is nothing."""
    async with at_first_screen() as (app, pilot), serving() as served, Peer.hosting(served.url) as ann:
        async with announce(announcement(served.port, ann.code)):
            await wait(pilot, lambda: near(app).display)
        await wait(pilot, lambda: not near(app).display)
        assert "none found so far" in str(app.screen.query_one("#near-told", Label).content)


async def test_names_of_neighbours_are_plain_text() -> None:
    """Markup and escapes that somebody announces are shown as text, and steer nothing."""
    async with at_first_screen() as (app, pilot), serving() as served, Peer.hosting(served.url) as ann:
        texts = {"code": ann.code, "host": "[@click=app.quit]\x1b[2J[/]"}
        async with saying({"port": served.port, "texts": texts}):
            await wait(pilot, lambda: near(app).display)
            shown = str(near(app).get_option_at_index(0).prompt)
            assert "[@click=app.quit]?[2J[/]'s table" in shown


async def test_a_table_may_be_found_while_the_screen_goes() -> None:
    """What is found when nothing is left to show it on is found in vain."""
    async with at_first_screen() as (app, _):
        screen = app.screen
    assert isinstance(screen, welcome.WelcomeScreen)
    screen._show_near([])
