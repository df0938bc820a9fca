"""Parts of the page that are loaded when they are asked for, and what is said where they do not come."""

import re
from typing import Final

import pytest
from playwright.async_api import Browser

from tests.support.browsers import LASTING, Phone, phone
from tests.support.servers import serving

TONES: Final = """() => {
  window.tones = 0;
  const start = OscillatorNode.prototype.start;
  OscillatorNode.prototype.start = function (...when) {
    window.tones += 1;
    return start.apply(this, when);
  };
}"""


@pytest.mark.long
async def test_a_sheet_that_does_not_come_is_tried_again(browser: Browser) -> None:
    """Who asks for the menu reads that it is missing, and gets it with a press."""
    async with serving() as served, phone(browser, served.origin) as ann:
        await ann.page.route(re.compile("/menus.js"), lambda route: route.abort())
        await ann.create("Ann")
        await ann.page.tap("#lobby-menu")
        await ann.page.locator("#sheet", has_text="could not be loaded").wait_for()
        await ann.page.unroute_all()
        await ann.page.get_by_role("button", name="Try again").tap()
        await ann.page.locator("#sheet .toggle").first.wait_for()


@pytest.mark.long
async def test_a_list_that_does_not_come_is_tried_again(browser: Browser) -> None:
    """In their place stands that the options are missing, until they come: by the button, or opened anew."""
    async with serving() as served, phone(browser, served.origin) as ann:
        failed = ann.page.locator(".options", has_text="could not be loaded")
        await ann.page.route(re.compile("/options.js"), lambda route: route.abort())
        await ann.create("Ann")
        await ann.page.tap(".all-options")
        await failed.wait_for()
        await ann.page.get_by_role("button", name="Try again").tap()
        await failed.wait_for()
        await ann.page.tap(".all-options")
        await ann.page.unroute_all()
        await ann.show_rules()
        await ann.page.locator(".options select").first.wait_for()
        await ann.hide_rules()
        await ann.page.locator("#lobby .newcomer summary").wait_for()


@pytest.mark.long
async def test_sounds_are_heard_until_they_are_switched_off(browser: Browser) -> None:
    """The table is silent until somebody asks for sounds, and again as soon as nobody wants them."""
    async with serving(seed=LASTING) as served, phone(browser, served.origin) as ann:
        await ann.page.evaluate(TONES)
        await ann.create("Ann")
        await ann.deal()
        await ann.until_playing()
        await ann.page.touchscreen.tap(*await ann.stock())
        assert await ann.page.evaluate("tones") == 0
        await _toggle_sounds(ann)

        async def is_heard() -> bool:
            await ann.page.touchscreen.tap(*await ann.stock())
            return bool(await ann.page.evaluate("tones"))

        await ann.until(is_heard)
        await _toggle_sounds(ann)
        heard = await ann.page.evaluate("tones")
        await ann.page.touchscreen.tap(*await ann.stock())
        assert heard == await ann.page.evaluate("tones")


@pytest.mark.long
async def test_a_browser_without_sounds_raises_nothing_at_a_press(browser: Browser) -> None:
    """Where there is no Web Audio, sounds can be asked for all the same, and each press does what it did."""
    async with serving(seed=LASTING) as served, phone(browser, served.origin) as ann:
        await ann.page.add_init_script("delete window.AudioContext; delete window.webkitAudioContext;")
        await ann.open(served.origin)
        await ann.create("Ann")
        await ann.deal()
        await ann.until_playing()
        await _toggle_sounds(ann)
        await ann.page.touchscreen.tap(*await ann.stock())
        assert await ann.page.evaluate("'AudioContext' in window") is False
        assert ann.complaints == []


async def _toggle_sounds(player: Phone) -> None:
    await player.page.tap("#table .menu")
    await player.page.get_by_role("button", name="Sounds").tap()
    await player.page.tap("#sheet-close")


@pytest.mark.long
async def test_styles_that_come_later_hold_against_the_first(browser: Browser) -> None:
    """Of rules of equal weight the one of the later file is meant, however a page was reached."""
    async with serving() as served, phone(browser, f"{served.origin}/scores") as guest:
        await guest.see("#page h1")
        files = await guest.page.locator("link[rel=stylesheet]").evaluate_all(
            "(links) => links.map(({ href }) => href.split('/').pop())"
        )
        assert files[0] == "style.css"
        assert "later.css" in files
