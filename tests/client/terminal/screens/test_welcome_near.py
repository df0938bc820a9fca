"""The tables of the network on the first screen, by real multicast on the loopback interface."""

from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from syrupy.assertion import SnapshotAssertion
from textual.pilot import Pilot
from textual.widgets import Label

from racing_demon_client.net.server_query import FoundTable
from racing_demon_client.saved_tables import RecentTable, recents_path, save_recent
from racing_demon_client.terminal.app import TerminalApp
from racing_demon_client.terminal.screens import welcome
from racing_demon_client.terminal.screens.table import LobbyScreen
from racing_demon_client.terminal.screens.welcome import TableList, TableRow
from tests.client.terminal.test_snapshots import TextFile
from tests.support.app_harness import painted
from tests.support.mdns_responders import among_ourselves, announced, announcement, saying
from tests.support.screens import at_first_screen, field, told, wait
from tests.support.servers import Peer, serving


@pytest.fixture(autouse=True)
def _among_ourselves(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    # On a busy machine a table may not answer at once, and would be gone from the list for a while.
    monkeypatch.setattr(welcome, "LOOK_SECONDS", 600.0)
    with among_ourselves(monkeypatch):
        yield


def near(app: TerminalApp) -> TableList:
    """Return the list of tables."""
    return app.screen.query_one(TableList)


def looking(app: TerminalApp) -> bool:
    """Tell whether somebody still looks for tables."""
    return any(worker.group == "looking" and worker.is_running for worker in app.workers)


@asynccontextmanager
async def tables(*texts: dict[str, object]) -> AsyncIterator[tuple[TerminalApp, Pilot[None], list[Peer]]]:
    """Show the first screen, with that many tables on the network."""
    async with AsyncExitStack() as stack:
        served = await stack.enter_async_context(serving())
        app, pilot = await stack.enter_async_context(at_first_screen())
        hosts = []
        for number, changes in enumerate(texts, 1):
            host = await stack.enter_async_context(Peer.hosting(served.url))
            hosts.append(host)
            told = announcement(served.port, host.code, host=f"Host {number}", **changes)
            await stack.enter_async_context(announced(told))
            await wait(pilot, lambda number=number: len(near(app).rows) == number)  # type: ignore[misc]
        yield app, pilot, hosts


def code_of(app: TerminalApp) -> str:
    """Return the code of the table that one is at."""
    assert app.session is not None
    return app.session.client.code


@pytest.mark.long
async def test_one_key_joins_the_only_table() -> None:
    """With one table on the network the key for joining goes there, and nothing more is looked for."""
    async with tables({}) as (app, pilot, hosts):
        assert looking(app)
        await pilot.press("j")
        await wait(pilot, lambda: isinstance(app.screen, LobbyScreen))
        assert code_of(app) == hosts[0].code
        await wait(pilot, lambda: not looking(app))


async def test_the_keys_choose_among_tables() -> None:
    """With several tables the key for joining asks which; a digit or arrows point at one, Enter joins it.

    A row is painted otherwise only while the list has the keys.
    """
    async with tables({}, {}) as (app, pilot, hosts):

        def looks() -> list[set[str]]:
            rows = painted(app)
            at = near(app).region.y
            return [{str(style) for _, style in rows.cells[at + number]} for number in range(2)]

        await wait(pilot, lambda: looks()[0] == looks()[1])
        await pilot.press("j")
        assert "There are 2 tables" in told(app)
        await pilot.press("2")
        assert f"{hosts[1].code}: Enter joins" in told(app)
        await wait(pilot, lambda: looks()[0] != looks()[1])
        assert any("underline" in style for style in looks()[1])
        await pilot.press("3")
        assert "There is no table 3" in told(app)
        await pilot.press("escape")
        await wait(pilot, lambda: looks()[0] == looks()[1])
        near(app).focus()
        await pilot.press("up", "down", "enter")
        await wait(pilot, lambda: isinstance(app.screen, LobbyScreen))
        assert code_of(app) == hosts[1].code


@pytest.mark.long
async def test_the_pointed_table_can_be_watched() -> None:
    """The key for watching goes to the row that is pointed at."""
    async with tables({}, {}) as (app, pilot, hosts):
        await pilot.press("2", "w")
        await wait(pilot, lambda: isinstance(app.screen, LobbyScreen))
        assert code_of(app) == hosts[1].code
        assert app.session is not None
        assert app.session.client.seat is None


@pytest.mark.long
async def test_a_click_joins_a_table_once() -> None:
    """A click on a row joins that table, and takes one seat."""
    async with tables({}, {}) as (app, pilot, hosts):
        await pilot.click(TableList, offset=(4, 1))
        await wait(pilot, lambda: isinstance(app.screen, LobbyScreen))
        assert code_of(app) == hosts[1].code
        assert app.session is not None
        assert len(app.session.client.view.seats) == 2


@pytest.mark.long
async def test_a_passphrase_is_asked_for() -> None:
    """A table that is locked asks for its passphrase before anything is sent; Enter then goes there."""
    async with tables({"needs_passphrase": True}) as (app, pilot, hosts):
        await pilot.press("j")
        assert "needs a passphrase" in told(app)
        assert app.focused is field(app, "passphrase")
        await pilot.press(*"sesame", "enter")
        await wait(pilot, lambda: isinstance(app.screen, LobbyScreen))
        assert code_of(app) == hosts[0].code


@pytest.mark.long
async def test_a_table_of_late_that_is_near_stands_once() -> None:
    """A table that one was at, and that is on the network now, has one row, whatever its address was."""
    async with serving() as served, Peer.hosting(served.url) as host:
        for code in (host.code, "CDFG"):
            at = "2026-11-01T20:15:00"
            recent = RecentTable(url="ws://192.0.2.5:5252", code=code, name="Ann", how="joined", at=at)
            save_recent(recents_path(), recent)
        async with at_first_screen() as (app, pilot), announced(announcement(served.port, host.code)):
            await wait(pilot, lambda: any("joined" not in row.description for row in near(app).rows))
            assert sorted(row.code for row in near(app).rows) == sorted(["CDFG", host.code])


@pytest.mark.long
async def test_a_table_stays_chosen() -> None:
    """A recent table that is found elsewhere stays chosen; of two with its code, the one at its address.

    So does one whose row reads otherwise: one that is found, or that changes its game.
    """
    async with at_first_screen() as (app, pilot):
        near(app).show([], [TableRow("ws://y", "CDFG", "late"), TableRow("ws://x", "BCDF", "late")])
        await pilot.press("2")
        found, other = TableRow("ws://127.0.0.1", "BCDF", "found"), TableRow("ws://z", "BCDF", "other")
        near(app).show([found], [])
        assert found == near(app).pointed
        near(app).show([other, found], [])
        assert found == near(app).pointed
        for told in ("BCDF  Ann's table, Sultan", "BCDF  Ann's table, Klondike"):
            near(app).show([TableRow("ws://127.0.0.1", "BCDF", told)], [TableRow("ws://y", "CDFG", "late")])
            pointed = near(app).pointed
            assert pointed is not None
            assert told == pointed.description


async def test_the_first_screen(snapshot: SnapshotAssertion) -> None:
    """What is painted of the first screen, with two tables near and one of late, the second pointed at."""
    late = RecentTable(
        url="ws://192.0.2.9:5252", code="DFGH", name="Ann", how="watched", at="2026-11-01T20:15:00"
    )
    save_recent(recents_path(), late)
    near = [
        FoundTable(code="BCDF", game="racing-demon", host="Ben", url="ws://192.0.2.5:5252/v1"),
        FoundTable(
            code="CDFG", game="sultan", host="Cyn", url="ws://192.0.2.6:5252/v1", needs_passphrase=True
        ),
    ]
    async with at_first_screen(size=(80, 24)) as (app, pilot):
        screen = app.screen
        assert isinstance(screen, welcome.WelcomeScreen)
        screen._show_near([TableRow.of_found(table) for table in near])
        await pilot.press("2")
        await pilot.pause()
        seen = painted(app)
    assert snapshot.use_extension(TextFile) == seen.text() + "\n"


@pytest.mark.long
async def test_a_table_that_is_gone_is_shown_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The list forgets what does not answer any more, and says that there is nothing."""
    monkeypatch.setattr(welcome, "LOOK_SECONDS", 1.2)
    monkeypatch.setattr(welcome, "REST_SECONDS", 0.1)
    async with at_first_screen() as (app, pilot), serving() as served, Peer.hosting(served.url) as ann:
        async with announced(announcement(served.port, ann.code)):
            await wait(pilot, lambda: near(app).display)
        await wait(pilot, lambda: not near(app).display)
        assert "none found so far" in str(app.screen.query_one("#near-told", Label).content)


@pytest.mark.long
async def test_names_of_neighbors_are_plain_text() -> None:
    """Markup and escapes that somebody announces are shown as text, and steer nothing."""
    async with at_first_screen() as (app, pilot), serving() as served, Peer.hosting(served.url) as ann:
        texts = {"code": ann.code, "host": "[@click=app.quit]\x1b[2J[/]"}
        async with saying({"port": served.port, "texts": texts}):
            await wait(pilot, lambda: near(app).display)
            shown = str(near(app).get_option_at_index(0).prompt)
            assert "[@click=app.quit]?[2J[/]'s table" in shown


@pytest.mark.long
async def test_a_table_may_be_found_while_the_screen_goes() -> None:
    """What is found when nothing is left to show it on is found in vain."""
    async with at_first_screen() as (app, _):
        screen = app.screen
    assert isinstance(screen, welcome.WelcomeScreen)
    screen._show_near([])
