"""Files that do not come, and files of another version: people are told, and nothing false is said."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from itertools import product
from typing import Final

import pytest
from playwright.async_api import Browser, Page, Route, ViewportSize

from racing_demon_protocol.wire.codec import VERSION, Encoding, encode
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Versions
from tests.support.browsers import LASTING, Phone, phone
from tests.support.effort import usually
from tests.support.restartable_server import wait_until
from tests.support.servers import Peer, serving

LOGIN: Final = "<html><title>Wi-Fi</title>Please log in to the Wi-Fi</html>"
SMALL: Final[ViewportSize] = {"width": 390, "height": 844}
OTHER: Final = "/web/0123456789abcdef/"
FILES: Final = ("games.js", "main.js", "session.js", "style.css")


async def _abort(route: Route) -> None:
    await route.abort("connectionreset")


async def _refuse(route: Route) -> None:
    await route.fulfill(status=429, body="Too many requests")


async def _log_in(route: Route) -> None:
    await route.fulfill(body=LOGIN, content_type="text/html")


async def _say_nothing(_route: Route) -> None:
    await asyncio.sleep(0)


LOSSES: Final = (_abort, _refuse, _log_in, _say_nothing)
Loss = Callable[[Route], Awaitable[None]]


@pytest.mark.parametrize(("name", "lose"), usually(1, product(FILES, LOSSES)))
async def test_a_file_that_does_not_come_is_told_and_asked_for_again(
    name: str, lose: Loss, browser: Browser
) -> None:
    """Whichever it is, and however it is lost: people see a sentence, and a press loads the page."""
    lost: list[str] = []
    is_mended = False

    async def answer(route: Route) -> None:
        if is_mended:
            await route.continue_()
        else:
            await lose(route)
            lost.append(route.request.url)

    async with serving() as served:
        context = await browser.new_context(viewport=SMALL)
        page = await context.new_page()
        await page.route(re.compile(f"/{name}"), answer)
        await page.goto(served.origin, wait_until="commit")
        await wait_until(lambda: bool(lost))
        again = page.locator("#loading a")
        await again.click(trial=True)
        assert "try again" in (await page.locator("#loading").inner_text()).lower()
        is_mended = True
        await again.click(no_wait_after=True)
        await page.wait_for_selector("#start.is-ready")
        assert await again.count() == 0
        assert await page.locator("#create").is_visible()
        await context.close()


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "lose"), usually(1, product(("tables.js", "tables.json", "texts.json"), LOSSES))
)
async def test_what_is_not_needed_stops_nobody(name: str, lose: Loss, browser: Browser) -> None:
    """Without the list of open tables, and without the games' texts, a table can be opened."""
    async with serving(lists_tables=True) as served:
        context = await browser.new_context(viewport=SMALL, has_touch=True)
        player = Phone(await context.new_page())
        await player.page.route(re.compile(f"/{name}"), lose)
        await player.page.goto(served.origin, wait_until="commit")
        await player.page.wait_for_selector("#start.is-ready")
        assert await player.create("Ann")
        await context.close()


@pytest.mark.long
async def test_a_tables_game_is_loaded_before_its_cards_are_dealt(browser: Browser) -> None:
    """Whoever comes to a table of another game waits for its file, and is at the table once it comes."""
    async with serving() as served, Peer.hosting(served.url, game="st-helena") as ann:
        async with phone(browser, served.origin) as ben:
            await ben.page.route(re.compile("/games_later.js"), _refuse)
            await ben.open(f"{served.origin}/{ann.place.code}")
            await ben.page.fill("#name", "Ben")
            await ben.page.tap("#join")
            await ben.page.locator("#offline", has_text="lost").wait_for()
            assert not await ben.page.locator("#lobby").is_visible()
            await ben.page.unroute_all()
            await ben.see("#lobby")
            await ann.ask(cl.Start)
            await ben.until_playing()


@pytest.mark.long
async def test_a_picture_that_was_lost_is_asked_for_again(browser: Browser) -> None:
    """A big screen is not touched for an evening: its code for cameras comes by itself."""
    there = ("ws://192.0.2.5:5252",)
    async with serving(public_urls=there) as served, phone(browser, served.origin) as player:
        link = f"{served.origin}/{await player.create('Ann')}"
        lost: list[str] = []

        async def lose_first(route: Route) -> None:
            lost.append(route.request.url)
            await (_refuse(route) if len(lost) == 1 else route.continue_())

        await player.page.route(re.compile("/qr/"), lose_first)
        await player.page.goto(f"{link}?tv")
        await player.page.wait_for_function("() => document.querySelector('#lobby img.qr').naturalWidth > 0")
        assert len(lost) > 1


@pytest.mark.long
async def test_a_hand_that_could_not_be_checked_is_not_called_false(browser: Browser) -> None:
    """The proof's script does not come: that is no fault of the deal."""
    async with serving(bot_speed=200.0, seed=LASTING) as served, phone(browser, served.origin) as player:
        await player.page.route(re.compile("/proof.js"), _abort)
        await _play_a_hand(player)
        await player.page.locator(".proof", has_text="not checked").wait_for()
        assert "Not valid" not in await player.page.inner_text("body")
        assert "Not valid" not in (await player.page.locator("#alert").text_content() or "")


@pytest.mark.long
async def test_a_hand_is_checked_once_its_proof_can_be_had(browser: Browser) -> None:
    """A file that was lost on its way is asked for again."""
    async with serving(bot_speed=200.0, seed=LASTING) as served, phone(browser, served.origin) as player:
        lost: list[str] = []

        async def lose_first(route: Route) -> None:
            lost.append(route.request.url)
            await (_abort(route) if len(lost) <= 2 else route.continue_())

        await player.page.route(re.compile("/proof.js"), lose_first)
        await _play_a_hand(player)
        await player.page.locator(".proof", has_text="match the shuffle").wait_for(state="attached")


@pytest.mark.long
async def test_a_hand_that_was_not_seen_whole_is_not_checked(browser: Browser) -> None:
    """After a reload in a hand its first cards are not known, and the page says so."""
    async with serving(bot_speed=20.0, seed=LASTING) as served, phone(browser, served.origin) as player:
        await player.create("Ann")
        await player.deal_with_bot()
        await player.page.reload()
        await player.until_playing()
        await player.finish()
        await player.page.locator(".proof", has_text="did not see the whole hand").wait_for()


@pytest.mark.long
async def test_a_page_of_another_version_is_loaded_again_between_hands(browser: Browser) -> None:
    """The server was upgraded: the hand is played to its end, then the page is the server's, on its seat."""
    async with serving(bot_speed=20.0, seed=LASTING) as served, phone(browser, served.origin) as player:
        loads: list[str] = []
        player.page.on("load", lambda page: loads.append(page.url))
        code = await player.create("Ann")
        await player.deal_with_bot()
        asked = await _upgrade(player.page)
        await player.page.context.set_offline(True)
        await player.see("#offline")
        await player.page.context.set_offline(False)
        await player.page.locator("#offline").wait_for(state="hidden")
        await player.until(lambda: _is(bool(asked)))
        assert loads == []
        await player.finish()
        await player.until(lambda: _is(bool(loads)))
        await player.page.locator("#lobby .state", has_text="you, host").wait_for()
        assert [f"{served.origin}/{code}"] == loads


@pytest.mark.long
async def test_a_page_is_loaded_again_once_for_each_version(browser: Browser) -> None:
    """Behind one address there may be servers of both versions, in turn: the page goes in no circle."""
    async with serving() as served, phone(browser, served.origin) as player:
        loads: list[str] = []
        player.page.on("load", lambda page: loads.append(page.url))
        asked = await _upgrade(player.page)
        await player.create("Ann")
        await player.until(lambda: _is(bool(loads)))
        await player.see("#lobby")
        await player.until(lambda: _is(len(asked) > 1))
        await player.page.tap(".ready")
        await player.page.locator(".ready", has_text="Ready ✓").wait_for()
        assert len(loads) == 1


@pytest.mark.long
async def test_a_page_that_is_too_old_for_the_wire_is_loaded_again(browser: Browser) -> None:
    """Nobody has to be told to do that; but if it does not help, they are, and the page goes in no circle."""
    newer = encode(Versions(oldest=VERSION + 1, newest=VERSION + 1), Encoding.JSON)
    async with serving() as served, phone(browser, served.origin) as player:
        loads: list[str] = []
        player.page.on("load", lambda page: loads.append(page.url))
        await _upgrade(player.page)
        await player.page.route_web_socket(re.compile("/v1"), lambda socket: socket.send(newer))
        for _ in range(2):
            await player.page.wait_for_selector("#start.is-ready")
            await player.page.fill("#name", "Ann")
            await player.page.tap("#create")
            await player.page.tap("#sheet .preset.primary")
            await player.until(lambda: _is(bool(loads)))
        await player.page.locator("#problem:not(:empty)").wait_for()
        assert len(loads) == 1


async def _play_a_hand(player: Phone) -> None:
    await player.create("Ann")
    await player.deal_with_bot()
    await player.finish()


async def _upgrade(page: Page) -> list[str]:
    """Let the server name the files of another version; return who asks for it as they come."""
    asked: list[str] = []
    newer = re.sub("/web/[0-9a-f]+/", OTHER, await page.content())

    async def answer(route: Route) -> None:
        if route.request.resource_type == "document":
            await route.continue_()
        else:
            asked.append(route.request.url)
            await route.fulfill(body=newer, content_type="text/html")

    await page.route(re.compile(r"//[^/]+/$"), answer)
    return asked


async def _is(value: bool) -> bool:
    return value
