"""The page's address names what is shown, whatever was pressed: a reload shows the same again."""

from typing import Final

import pytest
from playwright.async_api import Browser

from tests.support.browsers import Phone, phone
from tests.support.servers import serving

BACK: Final = "history.back()"
BUTTONS: Final = "#sheet-items button"
DEAF: Final = """if (sessionStorage.isDeaf) {
  window.WebSocket = class { send() {} close() {} };
}"""
"""Lets no socket open, where a test has said so."""


@pytest.mark.long
async def test_back_and_staying_leaves_the_address_at_the_table(browser: Browser) -> None:
    """In a hand the way back asks; who stays is on the same seat after a reload, too."""
    async with serving() as served, phone(browser, served.origin) as player:
        code = await _play(player)
        await player.page.evaluate(BACK)
        await player.page.locator(BUTTONS, has_text="Cancel").tap()
        assert f"{served.origin}/{code}" == player.page.url
        await player.page.reload()
        await player.until_playing()
        assert list(served.registry.room(code).table.view.seats) == [0, 1]
        assert player.complaints == []


@pytest.mark.long
async def test_back_again_stays_as_well(browser: Browser) -> None:
    """Pressed twice, it asks and takes the question back; the address is the table's all the time."""
    async with serving() as served, phone(browser, served.origin) as player:
        code = await _play(player)
        for is_asked in (True, False, True):
            await player.page.evaluate(BACK)
            await player.page.locator("#sheet").wait_for(state="visible" if is_asked else "hidden")
            assert f"{served.origin}/{code}" == player.page.url


@pytest.mark.long
async def test_back_leads_out_of_a_sheet_first(browser: Browser) -> None:
    """The menu closes, nothing is asked, and the address still names the table."""
    async with serving() as served, phone(browser, served.origin) as player:
        code = await player.create("Ann")
        await player.page.tap("#lobby-menu")
        await player.see("#sheet")
        await player.page.evaluate(BACK)
        await player.page.locator("#sheet").wait_for(state="hidden")
        assert f"{served.origin}/{code}" == player.page.url


@pytest.mark.long
async def test_who_leaves_by_the_way_back_is_at_the_start(browser: Browser) -> None:
    """The address is the start's, and a reload shows the start."""
    async with serving() as served, phone(browser, served.origin) as player:
        await player.create("Ann")
        await player.page.evaluate(BACK)
        await player.page.locator(BUTTONS, has_text="Leave the table").tap()
        await player.see("#start")
        assert f"{served.origin}/" == player.page.url
        await player.page.reload()
        await player.see("#start")


@pytest.mark.long
async def test_a_way_back_before_the_table_is_there_gives_no_seat_up(browser: Browser) -> None:
    """While nothing is heard of the table nobody is asked, so the seat stays this device's."""
    async with serving() as served, phone(browser, served.origin) as player:
        await player.page.context.add_init_script(DEAF)
        code = await player.create("Ann")
        await player.page.evaluate("sessionStorage.isDeaf = 1")
        await player.page.reload()
        await player.page.locator("#offline", has_text="Connecting").wait_for()
        await player.page.evaluate(BACK)
        await player.page.wait_for_url(f"{served.origin}/")
        await player.page.evaluate("sessionStorage.clear()")
        await player.page.goto(f"{served.origin}/{code}")
        await player.page.locator(".player .state", has_text="you, host").wait_for()


@pytest.mark.long
async def test_leaving_a_big_screen_gives_no_seat_up(browser: Browser) -> None:
    """Who only watched comes back to the seat that the device has."""
    async with serving() as served, phone(browser, served.origin) as player:
        code = await player.create("Ann")
        await player.page.goto(f"{served.origin}/{code}?tv")
        await player.page.locator(".tv #lobby").wait_for()
        await player.page.evaluate(BACK)
        await player.see("#start")
        await player.page.goto(f"{served.origin}/{code}")
        await player.page.locator(".player .state", has_text="you, host").wait_for()


@pytest.mark.long
async def test_a_spectator_still_watches_after_a_reload(browser: Browser) -> None:
    """Nobody has to say again that they only watch, and the address can be passed on to players."""
    async with serving() as served, phone(browser, served.origin) as player:
        link = f"{served.origin}/{await player.create('Ann')}"
        async with phone(browser, link) as spectator:
            await spectator.page.tap("#watch")
            await spectator.see("#lobby")
            await spectator.page.reload()
            await spectator.see("#lobby")
            assert link == spectator.page.url
            assert await spectator.page.locator("#lobby .ready").is_hidden()


@pytest.mark.long
async def test_a_big_screen_that_found_no_table_is_none(browser: Browser) -> None:
    """Whoever plays on that device afterwards has buttons, and an address that leads back to the seat."""
    async with serving() as served, phone(browser, served.origin) as player:
        await player.page.fill("#code", "QQQQ")
        await player.page.tap("#tv")
        await player.page.locator("#problem", has_text="No table has this code").wait_for()
        code = await player.create("Ann")
        assert f"{served.origin}/{code}" == player.page.url
        assert await player.page.locator("#lobby .ready").is_visible()


async def _play(player: Phone) -> str:
    """Open a table, and play a hand against a bot; return the table's code."""
    code = await player.create("Ann")
    await player.deal_with_bot()
    return code
