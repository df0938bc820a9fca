"""The first screen: practise, host, join and watch, against a real server."""

import argparse
import json

import pytest
from textual.widgets import OptionList

from racing_demon_client.connection import Client
from racing_demon_client.errors import SettingsRefused
from racing_demon_client.recents import Recent, recents, recents_path, remember
from racing_demon_client.settings import load
from racing_demon_client.terminal.app import run
from racing_demon_client.terminal.screens.picture import LobbyScreen
from racing_demon_client.terminal.screens.table import TableScreen

from ...support.screens import SLOW, at_first_screen, at_the_door, field, told, type_into, wait
from ...support.servers import Peer, serving
from ...support.stages import painted
from .conftest import Folders


async def test_practising_opens_a_table(folders: Folders) -> None:
    """One key on the first screen opens a table against bots; leaving it leads back there."""
    async with at_first_screen() as (app, pilot):
        await type_into(pilot, "name", "Zoe")
        await pilot.press("escape", "p")
        await wait(pilot, lambda: isinstance(app.screen, TableScreen))
        assert app.session is not None
        names = [(state.name, bool(state.bot)) for state in app.session.client.view.seats.values()]
        assert ("Zoe", False) == names[0]
        assert [True] * 3 == [is_bot for _, is_bot in names[1:]]
        assert app.session.client.view.options.hints
        assert "Zoe" == load(folders.settings).name
        await pilot.press("ctrl+c")
        await pilot.press("y")
        await wait(pilot, lambda: at_the_door(app))
        assert app.session is None
    assert () == recents(recents_path())


async def test_hosting_shows_how_others_come() -> None:
    """Hosting from the first screen opens a lobby that says what the others are to type."""
    async with at_first_screen() as (app, pilot):
        await pilot.press("h")
        await wait(pilot, lambda: isinstance(app.screen, LobbyScreen))
        assert isinstance(app.screen, LobbyScreen)
        screen = app.screen
        await wait(pilot, lambda: "racing-demon join ws://" in screen.picture.text)
        assert app.session is not None
        assert "hosted" == recents(recents_path())[0].how


async def test_a_link_is_an_address_and_a_code() -> None:
    """What a lobby shows may be written where the address goes, and the code with it."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        async with at_first_screen() as (app, pilot):
            await type_into(pilot, "address", f"{served.url}#{ann.code.lower()}")
            await pilot.press("enter")
            await wait(pilot, lambda: isinstance(app.screen, LobbyScreen))
            assert app.session is not None
            assert ann.code == app.session.client.code


async def test_an_unknown_code_is_told() -> None:
    """Joining with a code that no table has says so, and stays where it is."""
    async with serving() as served, at_first_screen() as (app, pilot):
        await type_into(pilot, "address", served.url)
        await type_into(pilot, "code", "zzzz")
        await pilot.press("enter")
        await wait(pilot, lambda: "table" in told(app) and "Opening" not in told(app))
        assert at_the_door(app)
        assert app.session is None
        assert () == recents(recents_path())


async def test_a_wrong_address_is_told() -> None:
    """An address where nobody listens, and one that is none, end with a whole sentence there."""
    async with at_first_screen(size=(80, 24)) as (app, pilot):
        for address, sentence in [("ws://127.0.0.1:1", "There is no table server"), ("::", "no address")]:
            await type_into(pilot, "address", address)
            await type_into(pilot, "code", "BCDF")
            await pilot.press("enter")
            await wait(pilot, lambda sentence=sentence: sentence in told(app))  # type: ignore[misc]
            await pilot.pause()
            assert told(app) in " ".join(" ".join(painted(app).rows).split())


@pytest.mark.parametrize(
    ("fields", "key", "sentence", "focused"),
    [
        (("", "", ""), "p", "Write a name first.", "name"),
        (("  ", "ws://x", "BCDF"), "j", "Write a name first.", "name"),
        (("Ann", "", "BCDF"), "j", "Write the table's address and code first", "address"),
        (("Ann", "ws://x", ""), "w", "Write the table's address and code first", "address"),
    ],
)
async def test_empty_fields_are_told(
    fields: tuple[str, str, str], key: str, sentence: str, focused: str
) -> None:
    """What is missing is told, and the field for it is ready to be written in."""
    async with at_first_screen() as (app, pilot):
        for which, text in zip(("name", "address", "code"), fields, strict=True):
            field(app, which).value = text
        await pilot.press(key)
        await wait(pilot, lambda: sentence in told(app))
        assert app.focused is field(app, focused)
        assert app.session is None


@pytest.mark.parametrize(("how", "button"), [("joined", "join"), ("watched", "watch")])
async def test_recents_fill_the_fields(how: str, button: str) -> None:
    """Choosing a table of late writes its address and code, and the next Enter goes there."""
    async with serving() as served:
        async with await Client.create(served.url, "Ben", SLOW) as ben:
            recent = Recent.now(served.url, ben.code, "Ann", how)
            assert recent is not None
            remember(recents_path(), recent)
            async with at_first_screen() as (app, pilot):
                app.screen.query_one("#late", OptionList).focus()
                await pilot.press("down", "enter")
                await wait(pilot, lambda: field(app, "code").value)
                assert (served.url.removesuffix("/v1"), ben.code) == (
                    field(app, "address").value,
                    field(app, "code").value,
                )
                assert app.focused is not None
                assert button == app.focused.id
                await pilot.press("enter")
                await wait(pilot, lambda: isinstance(app.screen, LobbyScreen))
                assert app.session is not None
                assert (app.session.client.seat is None) == (how == "watched")


async def test_broken_recents_are_passed_over(folders: Folders) -> None:
    """Tables of late with markup and escapes in them are shown as text, or not at all."""
    folders.recents.parent.mkdir()
    entry = {"url": "ws://[/]", "code": "[bold]", "name": "", "how": "joined", "at": "2026-01-01T00:00:00"}
    folders.recents.write_text(json.dumps([entry, {**entry, "code": "\x1b[2J"}, 5]))
    async with at_first_screen() as (app, pilot):
        await pilot.pause()
        assert 1 == app.screen.query_one("#late", OptionList).option_count


async def test_a_binding_of_nothing_is_told_on_one_screen(folders: Folders) -> None:
    """Where the mistake is, and all that there is, are read at 80x24."""
    folders.settings.parent.mkdir()
    folders.settings.write_text('[bindings]\ndance = "h"\n')
    with pytest.raises(SettingsRefused) as refused:
        await run(None, argparse.Namespace())
    told_first, _, names = str(refused.value).partition(". ")
    assert told_first == f"{folders.settings}: there is nothing called 'dance' to bind a key to"
    assert "pile-N-up" in names
    assert len(names) < 12 * 80
