"""The page asks in its own words: a browser may suppress the dialogs that are its own."""

from typing import Final

import pytest
from playwright.async_api import Browser

from tests.support.browsers import phone
from tests.support.restartable_server import wait_until
from tests.support.servers import serving

SUPPRESSED: Final = "window.confirm = window.alert = window.prompt = () => false;"
"""As browsers within other programs do, and those whose user wanted no more dialogs."""
BUTTONS: Final = "#sheet-items button"


@pytest.mark.long
async def test_a_player_leaves_where_dialogs_are_suppressed(browser: Browser) -> None:
    """The question is part of the page, and its answer is taken."""
    async with serving() as served, phone(browser, served.origin) as player:
        await player.page.context.add_init_script(SUPPRESSED)
        await player.open(served.origin)
        room = served.registry.room(await player.create("Ann"))
        await player.page.tap("#lobby-menu")
        await player.page.tap("text=Leave the table")
        await player.page.locator("#sheet-items", has_text="You give up your seat for good").wait_for()
        await player.page.locator(BUTTONS, has_text="Leave the table").tap()
        await player.see("#start")
        await wait_until(lambda: room.table.view.seats == {})
        assert player.complaints == []


@pytest.mark.long
async def test_a_host_kicks_where_dialogs_are_suppressed(browser: Browser) -> None:
    """The host is told what it means, and then the player is removed."""
    async with serving() as served, phone(browser, served.origin) as host:
        await host.page.context.add_init_script(SUPPRESSED)
        await host.open(served.origin)
        link = f"{served.origin}/{await host.create('Ann')}"
        async with phone(browser, link) as player:
            await player.join("Ben")
            await host.page.get_by_label("What to do about Ben").tap()
            await host.page.get_by_label("Kick Ben").tap()
            await host.page.locator("#sheet-items", has_text="Nobody with this name can come back").wait_for()
            await host.page.locator(BUTTONS, has_text="Kick").tap()
            await player.page.locator("#problem", has_text="kicked you").wait_for()
            assert host.complaints == []


@pytest.mark.long
async def test_escape_answers_no(browser: Browser) -> None:
    """The question is closed, the seat is kept, and the focus is where it was."""
    async with serving() as served, phone(browser, served.origin) as player:
        room = served.registry.room(await player.create("Ann"))
        await player.page.evaluate("history.back()")
        await player.page.locator("#sheet-items", has_text="You give up your seat for good").wait_for()
        await player.page.keyboard.press("Escape")
        await player.page.locator("#sheet").wait_for(state="hidden")
        assert list(room.table.view.seats) == [0]


@pytest.mark.long
async def test_the_menu_fits_the_smallest_phone(browser: Browser) -> None:
    """All of its buttons lie within the sheet, however long their words are."""
    async with serving() as served:
        async with phone(browser, served.origin, viewport={"width": 320, "height": 568}) as ann:
            await ann.create("Ann")
            await ann.page.tap("#lobby-menu")
            await ann.page.locator("#sheet .chat").wait_for()
            widths = "(box) => [box.scrollWidth, box.clientWidth]"
            whole, shown = await ann.page.locator(".sheet-box").evaluate(widths)
            assert whole == shown
