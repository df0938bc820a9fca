"""The seat that a device holds at a table: every way in leads to it, and only leaving takes it away."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Browser

from racing_demon_protocol.wire.messages import client as cl
from racing_demon_server.tables.room import Room
from tests.support.browsers import Phone, phone
from tests.support.restartable_server import wait_until
from tests.support.servers import Peer, serving

KEEP_COPIED = """() => {
  window.copied = "";
  document.addEventListener("copy", () => { window.copied = document.activeElement.value; });
}"""


class Evening:
    """A table whose host has one phone, on which pages are opened one after the other."""

    def __init__(self, origin: str, room: Room, first: Phone) -> None:
        self.origin = origin
        self.code = room.table.view.code
        self._room = room
        self.first = first

    async def open(self, path: str = "") -> Phone:
        """Open another page on the same phone."""
        opened = Phone(await self.first.page.context.new_page())
        await opened.open(f"{self.origin}/{path}")
        return opened

    async def type_in(self, page: Phone, name: str) -> None:
        """Enter the table at the front page, by its code."""
        await page.page.fill("#code", self.code)
        await page.page.fill("#name", name)
        await page.page.tap("#join")

    @property
    def names(self) -> list[str]:
        """The names of all who have a seat, in the order of their seats."""
        return [state.name for state in self._room.table.view.seats.values() if not state.left]

    @property
    def present(self) -> list[str]:
        """The names of those whose device is connected."""
        return [state.name for state in self._room.table.view.seats.values() if state.connected]

    async def see(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds at the table."""
        await wait_until(holds)


@asynccontextmanager
async def evening(browser: Browser) -> AsyncIterator[Evening]:
    """Open a table whose host watches, and let Ann sit down by its link."""
    async with serving() as served, Peer.hosting(served.url, seated=False) as host:
        async with phone(browser, f"{served.origin}/{host.code}") as first:
            await first.join("Ann")
            yield Evening(served.origin, served.registry.room(host.code), first)


@pytest.mark.long
async def test_who_comes_back_by_the_front_page_has_the_same_seat(browser: Browser) -> None:
    """A closed page, an installed app and a typed code all lead to the seat, and nobody sits there twice."""
    async with evening(browser) as held:
        await held.first.page.close()
        await held.see(lambda: held.present == [])
        again = await held.open()
        await held.type_in(again, "Ann")
        await again.see("#lobby")
        await held.see(lambda: held.present == ["Ann"])
        assert held.names == ["Ann"]


@pytest.mark.long
async def test_a_page_of_an_older_version_has_left_a_seat_that_is_found(browser: Browser) -> None:
    """It kept the token alone, as a text below the table's code."""
    async with evening(browser) as held:
        kept = f"localStorage['racing-demon.seat.{held.code}']"
        token = await held.first.page.evaluate(kept)
        await held.first.page.evaluate(
            "([code, token]) => { const { settings } = { settings: localStorage['racing-demon.settings'] };"
            "localStorage.clear(); localStorage['racing-demon.settings'] = settings;"
            "localStorage[`racing-demon.seat.${code}`] = token; }",
            [held.code, token],
        )
        await held.first.page.close()
        again = await held.open()
        await held.type_in(again, "Ann")
        await again.see("#lobby")
        assert token == await again.page.evaluate(kept)
        assert held.names == ["Ann"]


@pytest.mark.long
async def test_another_name_is_asked_about(browser: Browser) -> None:
    """Whoever says that they go on has the seat, under the name that it has."""
    async with evening(browser) as held:
        again = await held.open()
        await held.type_in(again, "Bob")
        await again.page.get_by_role("button", name="Go on as Ann").tap()
        await again.see("#lobby")
        assert held.names == ["Ann"]
        assert await again.page.input_value("#name") == "Ann"


@pytest.mark.long
async def test_two_who_share_a_device_keep_a_seat_each(browser: Browser) -> None:
    """A second player takes a new seat, and the first one's is found again by the name."""
    async with evening(browser) as held:
        await held.first.page.close()
        bob = await held.open()
        await held.type_in(bob, "Bob")
        await bob.page.get_by_role("button", name="Join as Bob").tap()
        await held.see(lambda: held.present == ["Bob"])
        await bob.page.close()
        ann = await held.open()
        await held.type_in(ann, "Ann")
        await held.see(lambda: held.present == ["Ann"])
        assert held.names == ["Ann", "Bob"]


@pytest.mark.long
async def test_a_number_that_the_server_gave_a_name_is_no_other_name(browser: Browser) -> None:
    """Another Ann sat there first, so this one is called Ann 2, and comes back as Ann."""
    async with evening(browser) as held, phone(browser, f"{held.origin}/{held.code}") as other:
        await other.join("Ann")
        await other.page.goto(held.origin)
        await held.see(lambda: held.present == ["Ann"])
        await held.type_in(other, "Ann")
        await other.see("#lobby")
        assert held.names == ["Ann", "Ann 2"]


@pytest.mark.long
async def test_of_two_tabs_one_plays_and_the_other_says_so(browser: Browser) -> None:
    """The newer one has the seat; at the older one a tap takes it back, and then the newer one says it."""
    async with evening(browser) as held:
        newer = await held.open(held.code)
        for loser in (held.first, newer):
            await loser.page.locator("#problem", has_text="You are now playing in another tab").wait_for()
            assert held.code == await loser.page.input_value("#code")
            await loser.page.tap("#join")
            await loser.see("#lobby")
        assert held.names == ["Ann"]


@pytest.mark.long
async def test_who_opened_a_table_and_plays_in_another_tab_finds_back(browser: Browser) -> None:
    """The host never typed the code, and still needs a single tap."""
    async with serving() as served, phone(browser, served.origin) as ann:
        code = await ann.create("Ann")
        newer = Phone(await ann.page.context.new_page())
        await newer.open(f"{served.origin}/{code}")
        await ann.page.locator("#problem.notice", has_text="You are now playing in another tab").wait_for()
        await ann.page.tap("#join")
        await ann.see("#lobby")
        assert list(served.registry.room(code).table.view.seats) == [0]


@pytest.mark.long
async def test_who_watches_from_a_device_with_a_seat_keeps_it(browser: Browser) -> None:
    """To stop watching gives no seat up."""
    async with evening(browser) as held:
        await held.first.page.close()
        watching = await held.open()
        await watching.page.fill("#code", held.code)
        await watching.page.tap("#watch")
        await watching.page.tap("#lobby-menu")
        await watching.page.get_by_role("button", name="Leave the table").tap()
        await watching.see("#start")
        await held.type_in(watching, "Ann")
        await held.see(lambda: held.present == ["Ann"])
        assert held.names == ["Ann"]


@pytest.mark.long
async def test_who_leaves_joins_as_somebody_new(browser: Browser) -> None:
    """A seat that is given up is used up: nobody is asked about it."""
    async with evening(browser) as held:
        await held.first.page.tap("#lobby-menu")
        await held.first.page.get_by_role("button", name="Leave the table").tap()
        await (
            held.first.page.locator("#sheet", has_text="give up")
            .get_by_text("Leave the table", exact=True)
            .tap()
        )
        await held.see(lambda: held.names == [])
        await held.type_in(held.first, "Bob")
        await held.see(lambda: held.names == ["Bob"])


@pytest.mark.long
async def test_a_seat_goes_along_to_another_address_of_the_server(browser: Browser) -> None:
    """Browsers share nothing between names of one server; a link does, whose secret no server sees."""
    named = ("ws://192.0.2.5:5252",)
    async with serving(public_urls=named) as served, Peer.hosting(served.url, seated=False) as host:
        room = served.registry.room(host.code)
        async with phone(browser, f"{served.origin}/{host.code}") as first:
            await first.join("Ann")
            await first.page.evaluate(KEEP_COPIED)
            await first.page.get_by_role("button", name="Invite").first.tap()
            await first.page.get_by_role("button", name="Take my seat to another device").tap()
            await first.page.get_by_role("button", name="Copy the link").tap()
            link = str(await (await first.page.wait_for_function("() => copied")).json_value())
            other = link.replace("192.0.2.5:5252", f"localhost:{served.port}")
            asked: list[str] = []
            async with phone(browser, served.origin) as second:
                second.page.on("request", lambda request: asked.append(request.url))
                await second.page.goto(other)
                await second.page.locator(".player .state", has_text="you").wait_for()
                assert second.page.url == other.partition("#")[0]
                await second.page.reload()
                await second.page.locator(".player .state", has_text="you").wait_for()
            assert [state.name for state in room.table.view.seats.values()] == ["Ann"]
            assert not [url for url in asked if "seat=" in url]


@pytest.mark.long
async def test_who_leaves_a_match_is_offered_to_come_back_and_does(browser: Browser) -> None:
    """The page says so before and after; the same name gets the same seat, and waits for the next deal."""
    async with serving() as served, Peer.hosting(served.url, hands=9, pause_after_ms=None) as host:
        room = served.registry.room(host.code)
        async with phone(browser, f"{served.origin}/{host.code}") as ben:
            await ben.join("Ben")
            await host.ask(cl.Start)
            await ben.see("#table")
            await ben.page.evaluate("history.back()")
            await ben.page.locator("#sheet-items", has_text="you can come back").wait_for()
            await ben.page.locator("#sheet-items button", has_text="Leave the table").tap()
            await ben.page.locator("#problem.notice", has_text="you can come back").wait_for()
            await wait_until(lambda: room.table.view.seats[1].left)
            await ben.page.tap("#join")
            await ben.see("#table")
            await wait_until(lambda: not room.table.view.seats[1].left)
            assert [state.name for state in room.table.view.seats.values()] == ["Ann", "Ben"]
            await ben.page.locator("text=You play from the next deal").wait_for()
