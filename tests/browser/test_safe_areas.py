"""Screens of which the device keeps parts for itself: a notch, rounded corners, a bar of the system."""

from typing import Any, Final

import pytest
from playwright.async_api import Browser

from tests.support.browsers import phone
from tests.support.effort import usually
from tests.support.servers import serving

SCREENS: Final[dict[str, tuple[tuple[int, int], dict[str, int]]]] = {
    "notch and home bar": ((390, 844), {"top": 47, "right": 0, "bottom": 34, "left": 0}),
    "system bar": ((320, 568), {"top": 0, "right": 0, "bottom": 48, "left": 0}),
    "landscape": ((844, 390), {"top": 0, "right": 47, "bottom": 21, "left": 47}),
}
# A screen that is shown comes to rest first: what was there before may have been scrolled.
INSIDE: Final = """({top, right, bottom, left}) => {
  const table = "#table:not([hidden]) :is(.slot, .stuck, .menu, .status, .standing, .chip)";
  const others = "#lobby:not([hidden]) header *, .sheet:not([hidden]) :is(h2, #sheet-close)";
  return [...document.querySelectorAll(`${table}, ${others}`)].every((each) => {
    const box = each.getBoundingClientRect();
    const ends = box.top >= top - 1 && box.bottom <= innerHeight - bottom + 1;
    const sides = box.left >= left - 1 && box.right <= innerWidth - right + 1;
    return box.width === 0 || (ends && sides);
  });
}"""


@pytest.mark.long
@pytest.mark.parametrize("name", usually(1, SCREENS))
async def test_nothing_lies_in_parts_that_the_device_keeps(browser: Browser, name: str) -> None:
    """Cards, buttons and words are inside of them in the lobby, at the table, and in the menu."""
    (width, height), insets = SCREENS[name]
    most = {f"{side}Max": length for side, length in insets.items()}
    viewport: dict[str, Any] = {"viewport": {"width": width, "height": height}}
    async with serving() as served, phone(browser, served.origin, **viewport) as ann:
        page = ann.page
        devtools = await page.context.new_cdp_session(page)
        await devtools.send("Emulation.setSafeAreaInsetsOverride", {"insets": {**insets, **most}})
        await ann.create("Ann")
        await page.wait_for_function(INSIDE, arg=insets)
        for _ in range(3):
            await page.tap(".add-bot")
        await page.tap(".deal")
        await page.locator("#table .slot.stock").wait_for()
        await page.wait_for_function(INSIDE, arg=insets)
        await page.tap("#table .menu")
        await page.locator("#sheet button").last.wait_for()
        await page.wait_for_function(INSIDE, arg=insets)
        last = page.locator("#sheet button").last
        await last.scroll_into_view_if_needed()
        box = await last.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= height - insets["bottom"]
