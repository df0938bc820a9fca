"""Parts of the page that are loaded when they are asked for, and what is said where they do not come."""

import re

from playwright.async_api import Browser

from tests.support.browsers import phone
from tests.support.servers import serving


async def test_a_sheet_that_does_not_come_is_tried_again(browser: Browser) -> None:
    """Who asks for the menu reads that it is missing, and gets it with a press."""
    async with serving() as served, phone(browser, served.origin) as ann:
        await ann.page.route(re.compile("/sheets.js"), lambda route: route.abort())
        await ann.create("Ann")
        await ann.page.tap("#lobby-menu")
        await ann.page.locator("#sheet", has_text="could not be loaded").wait_for()
        await ann.page.unroute_all()
        await ann.page.get_by_role("button", name="Try again").tap()
        await ann.page.locator("#sheet .toggle").first.wait_for()


async def test_a_list_that_does_not_come_is_tried_again(browser: Browser) -> None:
    """In the place of the options stands that they are missing, until they come with a press."""
    async with serving() as served, phone(browser, served.origin) as ann:
        await ann.page.route(re.compile("/options.js"), lambda route: route.abort())
        await ann.create("Ann")
        await ann.page.locator(".options", has_text="could not be loaded").wait_for()
        await ann.page.unroute_all()
        await ann.page.get_by_role("button", name="Try again").tap()
        await ann.page.locator(".options select").first.wait_for()
