"""A phone that keeps the page: an icon on its home screen, and what its browser may delete."""

import json
from typing import Final
from urllib.parse import urljoin

import pytest
from playwright.async_api import Browser, expect

from tests.support.browsers import Phone, phone
from tests.support.effort import usually
from tests.support.servers import Peer, serving

ASKED: Final = """
  window.asked = 0;
  navigator.storage.persist = async () => { window.asked += 1; return true; };
  navigator.storage.persisted = async () => window.asked > 0;
"""
OVER_HTTP: Final = """
  Object.defineProperty(navigator, "storage", { value: undefined });
  Object.defineProperty(window, "isSecureContext", { value: false });
"""


async def start_of(player: Phone) -> str:
    """Return the address that an icon opens which is made now."""
    session = await player.page.context.new_cdp_session(player.page)
    manifest = await session.send("Page.getAppManifest")
    assert manifest["errors"] == []
    data = json.loads(manifest["data"])
    assert data["id"] == "/"  # one icon, whatever it opens
    return urljoin(player.page.url, str(data["start_url"]))


@pytest.mark.long
async def test_an_icon_opens_the_table_where_it_was_made(browser: Browser) -> None:
    """It brings the name to a storage of its own; a table that is closed by then leads to the first page."""
    async with serving() as served, phone(browser, served.origin) as player:
        assert await start_of(player) == f"{served.origin}/"
        async with Peer.hosting(served.url) as place:
            await player.open(f"{served.origin}/{place.code}")
            assert await start_of(player) == f"{served.origin}/{place.code}"
            await player.join("Zoë & Bo #1")
            start = await start_of(player)
            async with phone(browser, start) as icon:
                assert icon.page.url == f"{served.origin}/{place.code}"
                await expect(icon.page.locator("#name")).to_have_value("Zoë & Bo #1")
                await icon.page.tap("#join")
                await icon.see("#lobby")
                await icon.page.reload()
                await icon.see("#lobby")
                assert icon.complaints == []
        gone = start.replace(place.code, "QQQQ")
        async with phone(browser, gone) as icon:
            await icon.page.tap("#join")
            await expect(icon.page.locator("#problem")).to_contain_text("No table has this code")
            await expect(icon.page.locator("#play-now")).to_be_visible()
            assert icon.page.url == f"{served.origin}/"
            assert await start_of(icon) == f"{served.origin}/#name=Zo%C3%AB+%26+Bo+%231"


@pytest.mark.long
@pytest.mark.parametrize("link", usually(1, ["#1abcdefghijkmnpq", "?tv", "scores"]))
async def test_an_icon_holds_no_secret(browser: Browser, link: str) -> None:
    """The word of an invitation is in no address that a server is asked for, and so in no icon."""
    async with serving() as served, phone(browser, f"{served.origin}/{link}") as player:
        assert await start_of(player) == f"{served.origin}/"


@pytest.mark.long
async def test_any_name_that_somebody_has_kept_is_in_the_icon(browser: Browser) -> None:
    """The page starts with half a character, as an earlier one may have stored."""
    async with serving() as served, phone(browser, served.origin) as player:
        await player.page.evaluate(
            "localStorage.setItem('racing-demon.settings', '{\"name\": \"\\\\ud83d\"}')"
        )
        await player.open(served.origin)
        assert await start_of(player) == f"{served.origin}/#name=%EF%BF%BD"
        assert player.complaints == []


@pytest.mark.long
async def test_a_browser_is_asked_to_keep_who_wants_to_be_remembered(browser: Browser) -> None:
    """It is asked once somebody ticks the box, not before; the page says what holds until it agrees."""
    async with serving() as served:
        origin = served.origin
        async with phone(browser, origin) as player:
            await player.page.add_init_script(ASKED)
            await player.open(f"{origin}/you")
            await expect(player.page.locator("#page .choice input")).not_to_be_checked()
            await expect(player.page.locator("#page")).not_to_contain_text("a phone may forget you")
            assert await player.page.evaluate("asked") == 0
            await player.page.locator("#page .choice input").tap()
            await player.page.wait_for_function("() => asked === 1")
            await expect(player.page.locator("#page")).not_to_contain_text("a phone may forget you")
        async with phone(browser, origin) as player:
            await player.page.add_init_script(OVER_HTTP)
            await player.open(f"{origin}/you")
            await player.page.locator("#page .choice input").tap()
            await expect(player.page.locator("#page")).to_contain_text("Over http no browser promises")
            await player.page.reload()
            await expect(player.page.locator("#page")).to_contain_text("a phone may forget you")
            assert player.complaints == []
