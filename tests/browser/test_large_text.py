"""Large text and narrow screens: nothing has to be scrolled sideways, and a double tap does not zoom."""

from typing import Final

import pytest
from playwright.async_api import Browser, Page

from tests.support.browsers import phone
from tests.support.effort import usually
from tests.support.servers import serving

BEYOND: Final = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
IN_SHEET: Final = """() => {
  const box = document.querySelector(".sheet-box");
  return box.scrollWidth - box.clientWidth;
}"""
ENLARGE: Final = "(size) => document.documentElement.style.setProperty('font-size', size)"
ZOOMS: Final = """() => {
  const safe = (node) => node && (/none|manipulation/.test(getComputedStyle(node).touchAction)
    || safe(node.parentElement));
  return [...document.querySelectorAll("button, a, input, select, .chip")]
    .filter((node) => !safe(node)).map((node) => node.outerHTML);
}"""


async def _beyond(page: Page, size: str) -> int:
    """Return how many pixels lie beside the screen with text of a size."""
    await page.evaluate(ENLARGE, size)
    return int(await page.evaluate(BEYOND))


@pytest.mark.long
@pytest.mark.parametrize(("width", "size"), usually(1, [(390, "32px"), (280, "16px")]))
async def test_no_screen_scrolls_sideways(browser: Browser, width: int, size: str) -> None:
    """The lobby, all options, the menu and the page of people fit a folded phone, and text at 200 %."""
    viewport = {"width": width, "height": 844}
    async with serving() as served, phone(browser, served.origin, viewport=viewport) as player:
        page = player.page
        await player.create("Maximiliane")
        await page.wait_for_selector("#lobby .game:not(:empty)")
        beyond = {"lobby": await _beyond(page, size)}
        await player.show_rules()
        beyond["options"] = await _beyond(page, size)
        await page.tap("#lobby-menu")
        await page.wait_for_selector("#sheet:not([hidden]) button")
        await page.wait_for_selector("#sheet .reactions button")
        beyond["menu"] = await _beyond(page, size)
        beyond["sheet"] = int(await page.evaluate(IN_SHEET))
        await page.goto(f"{served.origin}/you")
        await page.wait_for_selector("#page h1")
        beyond["you"] = await _beyond(page, size)
    assert {name for name, pixels in beyond.items() if pixels > 0} == set()


@pytest.mark.long
async def test_a_double_tap_zooms_nothing_that_is_pressed(browser: Browser) -> None:
    """Whoever taps a button quickly sees no other picture, on whichever screen."""
    async with serving() as served, phone(browser, served.origin) as player:
        await player.create("Ann")
        assert await player.page.evaluate(ZOOMS) == []
