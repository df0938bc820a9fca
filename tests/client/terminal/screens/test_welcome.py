"""The first screen: play now, host, join and watch, against a real server."""

import argparse
import json

import pytest
from textual.widgets import Label, OptionList, Select

from racing_demon_client.errors import SettingsRefused
from racing_demon_client.net.client import Client
from racing_demon_client.saved_tables import RecentTable, recent_tables, recents_path, save_recent
from racing_demon_client.settings import load
from racing_demon_client.sources import PRACTICE_HANDS, tables
from racing_demon_client.sources.tables import TableAddress
from racing_demon_client.terminal.app import run
from racing_demon_client.terminal.screens.dialogs import QuestionScreen
from racing_demon_client.terminal.screens.options import OptionsScreen, ValueScreen
from racing_demon_client.terminal.screens.table import LobbyScreen, TableScreen
from racing_demon_client.terminal.screens.welcome import ABOUT, GamesScreen, PresetsScreen, TableList
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.options import Options
from racing_demon_protocol.wire.presets import PRESETS
from tests.client.terminal.conftest import Folders
from tests.support.app_harness import painted
from tests.support.cases import for_each
from tests.support.effort import usually
from tests.support.screens import SLOW, at_first_screen, at_the_door, field, told, type_into, wait
from tests.support.servers import Peer, serving


async def test_practising_opens_a_table(folders: Folders) -> None:
    """One key on the first screen opens a table against bots; leaving it leads back there."""
    async with at_first_screen() as (app, pilot):
        await type_into(pilot, "name", "Zoe")
        await pilot.press("escape", "p")
        await wait(pilot, lambda: isinstance(app.screen, TableScreen))
        assert app.session is not None
        names = [(state.name, bool(state.bot)) for state in app.session.client.view.seats.values()]
        assert names[0] == ("Zoe", False)
        assert [is_bot for _, is_bot in names[1:]] == [True] * 3
        assert app.session.client.view.options.hints
        assert app.session.client.view.options.hands == PRACTICE_HANDS
        assert load(folders.settings).name == "Zoe"
        await pilot.press("ctrl+c")
        await pilot.press("y")
        await wait(pilot, lambda: at_the_door(app))
        assert app.session is None
    assert recent_tables(recents_path()) == ()


@pytest.mark.long
async def test_a_link_is_an_address_and_a_code() -> None:
    """What a lobby shows may be written where the address goes, and the code with it."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        async with at_first_screen() as (app, pilot):
            await type_into(pilot, "address", f"{served.url}#{ann.code.lower()}")
            await pilot.press("enter")
            await wait(pilot, lambda: isinstance(app.screen, LobbyScreen))
            assert app.session is not None
            assert ann.code == app.session.client.code


@pytest.mark.long
async def test_a_link_with_a_seat_is_one_to_the_own_seat() -> None:
    """It may be pasted where the address goes; the form's name changes nothing."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        async with Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")) as ben:
            link = f"http://{served.url.split('/')[2]}/{ann.code}#seat={ben.token}"
        async with at_first_screen() as (app, pilot):
            await type_into(pilot, "address", link)
            await pilot.press("enter")
            await wait(pilot, lambda: isinstance(app.screen, LobbyScreen))
            assert app.session is not None
            assert app.session.client.seat == ben.place.seat == 1


@pytest.mark.long
async def test_another_name_than_the_seats_is_asked_about() -> None:
    """Whoever was at the table as Zoe and types another name says which of the two is meant."""
    async with serving() as served, Peer.hosting(served.url) as host:
        async with tables.join(TableAddress(served.url, host.code), "Zoe"):
            pass
        async with at_first_screen() as (app, pilot):
            await type_into(pilot, "address", f"{served.url}#{host.code}")
            await pilot.press("enter")
            await wait(pilot, lambda: isinstance(app.screen, QuestionScreen))
            await wait(pilot, lambda: "Go on as Zoe, or join as Ann?" in " ".join(painted(app).rows))
            await pilot.press("y")
            await wait(pilot, lambda: isinstance(app.screen, LobbyScreen))
            assert app.session is not None
            assert app.session.client.seat == 1


@pytest.mark.long
async def test_an_unknown_code_is_told() -> None:
    """Joining with a code that no table has says so, and stays where it is."""
    async with serving() as served, at_first_screen() as (app, pilot):
        await type_into(pilot, "address", served.url)
        await type_into(pilot, "code", "zzzz")
        await pilot.press("enter")
        await wait(pilot, lambda: "table" in told(app) and "Opening" not in told(app))
        assert at_the_door(app)
        assert app.session is None
        assert recent_tables(recents_path()) == ()


@pytest.mark.long
async def test_an_address_alone_lists_the_tables_of_a_server() -> None:
    """With several tables one chooses; Enter joins."""
    async with serving(lists_tables=True) as served:
        async with Peer.hosting(served.url), Peer.hosting(served.url) as second:
            async with at_first_screen() as (app, pilot):
                await type_into(pilot, "address", served.url)
                await pilot.press("enter")
                await wait(pilot, lambda: "There are 2 tables" in told(app))
                await pilot.press("2", "enter")
                await wait(pilot, lambda: isinstance(app.screen, LobbyScreen))
                assert app.session is not None
                assert second.code == app.session.client.code


@pytest.mark.long
async def test_an_address_alone_leads_to_the_only_free_seat() -> None:
    """The only table with a free seat is joined; a server that lists none asks for the code."""
    async with serving(lists_tables=True) as served, at_first_screen() as (app, pilot):
        await type_into(pilot, "address", served.url)
        await pilot.press("enter")
        await wait(pilot, lambda: "The server lists no tables" in told(app))
        assert app.focused is field(app, "code")
        async with Peer.hosting(served.url) as ann:
            await pilot.press("escape", "j")
            await wait(pilot, lambda: isinstance(app.screen, LobbyScreen))
            assert app.session is not None
            assert ann.code == app.session.client.code


@pytest.mark.long
@for_each("behind", ["", "/"])
async def test_a_server_may_be_below_a_path(behind: str) -> None:
    """The last name of the path is taken for a code only as long as no server is there."""
    async with serving(lists_tables=True, base_path="/games/cards") as served:
        async with Peer.hosting(served.url) as ann, at_first_screen() as (app, pilot):
            await type_into(pilot, "address", served.url.removesuffix("/v1") + behind)
            await pilot.press("enter")
            await wait(pilot, lambda: isinstance(app.screen, LobbyScreen))
            assert app.session is not None
            assert ann.code == app.session.client.code


@pytest.mark.long
async def test_a_stray_slash_leads_to_the_table() -> None:
    """If no server is below the whole path, its last name is the code."""
    async with serving() as served, Peer.hosting(served.url) as ann, at_first_screen() as (app, pilot):
        await type_into(pilot, "address", f"{served.origin}/{ann.code}/")
        await pilot.press("enter")
        await wait(pilot, lambda: isinstance(app.screen, LobbyScreen))
        assert app.session is not None
        assert ann.code == app.session.client.code


EMPTY = (
    (("", "", ""), "p", "Type your name first.", "name"),
    (("  ", "ws://x", "BCDF"), "j", "Type your name first.", "name"),
    (("Ann", "", "BCDF"), "j", "Type the table's address and code first", "address"),
)
"""What is in the fields, a key, the sentence that comes, and the field that is ready then."""


async def test_a_wrong_address_is_told() -> None:
    """An address where nobody listens, and one that is none, end with a whole sentence there.

    What is missing is told, too, and the field for it is ready to be written in.
    """
    async with at_first_screen(size=(80, 24)) as (app, pilot):
        for fields, key, sentence, focused in EMPTY:
            for which, text in zip(("name", "address", "code"), fields, strict=True):
                field(app, which).value = text
            await pilot.press(key)
            await wait(pilot, lambda sentence=sentence: sentence in told(app))  # type: ignore[misc]
            assert app.focused is field(app, focused)
            assert app.session is None
            await pilot.press("escape")
        for address, sentence in [
            ("ws://127.0.0.1:1", "There is no server at"),
            ("::", "not a server's address"),
        ]:
            await type_into(pilot, "address", address)
            await type_into(pilot, "code", "BCDF")
            await pilot.press("enter")
            await wait(pilot, lambda sentence=sentence: sentence in told(app))  # type: ignore[misc]
            await pilot.pause()
            assert told(app) in " ".join(" ".join(painted(app).rows).split())


@pytest.mark.long
@for_each("how", usually(1, ["joined", "watched"]))
async def test_enter_goes_to_a_table_of_late(how: str) -> None:
    """A digit points at a table of late, and Enter goes there as one did before."""
    async with serving() as served, await Client.create(served.url, "Ben", SLOW) as ben:
        recent = RecentTable.now(served.url, ben.code, "Ann", how)
        assert recent is not None
        save_recent(recents_path(), recent)
        async with at_first_screen() as (app, pilot):
            await pilot.press("1")
            assert f"{ben.code}: Enter {'watches' if how == 'watched' else 'joins'}" in told(app)
            await pilot.press("enter")
            await wait(pilot, lambda: isinstance(app.screen, LobbyScreen))
            assert app.session is not None
            assert (app.session.client.seat is None) == (how == "watched")


async def test_a_table_is_hosted_after_a_question() -> None:
    """The key asks first, and says that others will know of it: no leads back.

    Below the default stands Nerts: one arrow and Enter open a table of it, whose lobby says what the others
    are to type.
    """
    async with at_first_screen() as (app, pilot):
        await pilot.press("h")
        await wait(pilot, lambda: isinstance(app.screen, PresetsScreen))
        assert "It is announced on your network" in str(app.screen.query_one(Label).content)
        await pilot.press("n")
        await wait(pilot, lambda: at_the_door(app))
        assert app.session is None
        assert told(app) == ""
        await pilot.press("h", "down", "enter")
        await wait(pilot, lambda: isinstance(app.screen, LobbyScreen))
        assert isinstance(app.screen, LobbyScreen)
        screen = app.screen
        await wait(pilot, lambda: "in a browser, or with racing-demon join" in screen.canvas.text)
        assert app.session is not None
        assert app.session.client.view.options == PRESETS["nerts"].options
        assert recent_tables(recents_path())[0].how == "hosted"


@pytest.mark.long
async def test_all_options_can_be_chosen_before_a_table_opens() -> None:
    """The last choice leads to the form; what is chosen there is how the table opens.

    Below the presets stand the other games.
    """
    async with at_first_screen() as (app, pilot):
        await pilot.press("h", "up", "enter")
        await wait(pilot, lambda: isinstance(app.screen, OptionsScreen))
        form = app.screen
        assert isinstance(form, OptionsScreen)
        await pilot.press("enter")
        await wait(pilot, lambda: isinstance(app.screen, ValueScreen))
        await pilot.press("end", "enter")
        await wait(pilot, lambda: app.screen is form)
        assert (form.preset, form.options.game) == ("", [*GAMES][-1])
        await pilot.press("enter")
        await wait(pilot, lambda: isinstance(app.screen, ValueScreen))
        choices = app.screen.query_one(OptionList)
        choices.highlighted = [*PRESETS].index("scrooge")
        await pilot.press("enter")
        await wait(pilot, lambda: isinstance(app.screen, OptionsScreen))
        assert await pilot.click("#take")
        await wait(pilot, lambda: isinstance(app.screen, LobbyScreen))
        assert app.session is not None
        assert app.session.client.view.options == PRESETS["scrooge"].options


@pytest.mark.long
async def test_a_game_chosen_before_can_be_hosted() -> None:
    """A game other than the default is the first choice for a table for others, too."""
    async with at_first_screen() as (app, pilot):
        app.screen.query_one("#game", Select).value = "clock"
        await pilot.press("h", "enter")
        await wait(pilot, lambda: isinstance(app.screen, LobbyScreen))
        assert app.session is not None
        assert app.session.client.view.options == Options(game="clock")


async def test_a_game_is_played_alone() -> None:
    """A part of a game's name and Enter lay it out; leaving it leads back to the first screen.

    The arrows move in the list of what is left. Where no game has what was typed, Enter does nothing.
    """
    async with at_first_screen(size=(40, 10)) as (app, pilot):
        await pilot.press("s")
        await wait(pilot, lambda: isinstance(app.screen, GamesScreen))
        await pilot.press(*"xyz", "enter")
        assert isinstance(app.screen, GamesScreen)
        await pilot.press("escape")
        await wait(pilot, lambda: at_the_door(app))
        for keys, game in (([*"sultan", "enter"], "sultan"), ([*"judges", "down", "enter"], "judges-free")):
            await pilot.press("s")
            await wait(pilot, lambda: isinstance(app.screen, GamesScreen))
            await pilot.press(*keys)
            await wait(pilot, lambda: isinstance(app.screen, TableScreen))
            assert app.session is not None
            assert app.session.alone
            assert app.session.client.view.options.game == game
            await pilot.press("ctrl+c", "y")
            await wait(pilot, lambda: at_the_door(app))


@pytest.mark.long
@for_each("size", [(80, 24), pytest.param((40, 10), marks=pytest.mark.long)])
async def test_arrows_go_through_the_whole_form(size: tuple[int, int]) -> None:
    """Arrows visit every field, the list and every button, down and up, and open nothing."""
    recent = RecentTable.now("ws://192.0.2.1:5252", "BCDF", "Ann", "joined")
    assert recent is not None
    save_recent(recents_path(), recent)
    async with at_first_screen(size=size) as (app, pilot):
        for key in ("down", "up"):
            seen = []
            while app.focused is not None and app.focused.id not in seen:
                seen.append(app.focused.id)
                await pilot.press(key)
            assert {"practice", "alone", "host", "tables", "address", "code", "passphrase", "name"} <= {*seen}
            assert {"join", "watch", "game", "bots", "level"} <= {*seen}
            assert {*seen} == {*ABOUT}, "each is explained where there is room"


@pytest.mark.long
async def test_a_large_screen_explains_what_has_the_keys() -> None:
    """At 120x40 it is told beside the form what a field or a button is for, and how the chosen game goes."""
    async with at_first_screen(size=(120, 40)) as (app, pilot):
        about = app.screen.query_one("#about", Label)
        for keys, game, expected in (
            ((), "racing-demon", "Only kings fill empty columns."),
            ((), "classic", "Nerts or Pounce"),
            (["tab"], "classic", "for yourself"),
        ):
            await pilot.press(*keys)
            app.screen.query_one("#game", Select).value = game
            await wait(pilot, lambda expected=expected: expected in str(about.content))  # type: ignore[misc]


@pytest.mark.long
async def test_the_small_screen_keeps_what_it_says_in_sight() -> None:
    """At 40x10 the keys and what did not work are seen wherever the form is scrolled to."""
    async with at_first_screen(size=(40, 10)) as (app, pilot):
        await pilot.press("j")
        await wait(pilot, lambda: told(app))
        shown = " ".join(" ".join(painted(app).rows).split())
        assert told(app) in shown
        assert "p play now s alone j join" in shown


@pytest.mark.long
async def test_broken_recents_are_passed_over(folders: Folders) -> None:
    """Tables of late with markup and escapes in them are shown as text, or not at all."""
    folders.recent_tables.parent.mkdir(parents=True)
    entry = {"url": "ws://[/]", "code": "[bold]", "name": "", "how": "joined", "at": "2026-01-01T00:00:00"}
    folders.recent_tables.write_text(json.dumps([entry, {**entry, "code": "\x1b[2J"}, 5]))
    async with at_first_screen() as (app, pilot):
        await pilot.pause()
        assert [row.code for row in app.screen.query_one(TableList).rows] == ["[bold]"]


async def test_a_binding_of_nothing_is_told_on_one_screen(folders: Folders) -> None:
    """Where the mistake is, and all that there is, are read at 80x24."""
    folders.settings.parent.mkdir(parents=True)
    folders.settings.write_text('[bindings]\ndance = "h"\n')
    with pytest.raises(SettingsRefused) as refused:
        await run(None, argparse.Namespace())
    told_first, _, names = str(refused.value).partition(". ")
    assert told_first == f"{folders.settings}: there is nothing called 'dance' to bind a key to"
    assert "pile-N-up" in names
    assert len(names) < 12 * 80
