"""A table is opened by a preset, from the first screen or by link."""

import pytest
from playwright.async_api import Browser

from racing_demon_protocol.wire.presets import PRESETS
from tests.support.browsers import phone
from tests.support.servers import serving


async def test_the_page_opens_a_table_by_a_preset(browser: Browser) -> None:
    """The second choice is Nerts; what the host changes then is told beside its name."""
    async with serving() as served, phone(browser, served.origin) as ann:
        await ann.page.fill("#name", "Ann")
        await ann.page.tap("#create")
        await ann.page.locator("#sheet .preset.large", has_text="Nerts").tap()
        await ann.see("#lobby")
        room = served.registry.room(await ann.code())
        assert room.table.view.options == PRESETS["nerts"].options
        preset = ann.page.locator(".options select").first
        assert await preset.input_value() == "nerts"
        await ann.page.tap(".all-options")
        await ann.page.get_by_label("Cards in the reserve").select_option("10")
        await ann.page.locator(".option option:checked", has_text="Nerts, cards in the reserve: 10").wait_for(
            state="attached"
        )
        await preset.select_option("quick")
        await ann.page.locator(".option option:checked", has_text="3 min").wait_for(state="attached")
        assert room.table.view.options == PRESETS["quick"].options


@pytest.mark.parametrize("name", ["nerts", "luck"])
async def test_a_link_to_a_preset_opens_nothing(name: str, browser: Browser) -> None:
    """It fills in the form; only a press opens the table, and a preset that does not exist is the default."""
    async with serving() as served, phone(browser, f"{served.origin}/new?preset={name}") as ann:
        chosen = ann.page.locator("#sheet .preset.primary")
        await chosen.wait_for()
        preset = PRESETS.get(name, PRESETS["klondike"])
        assert (await chosen.locator("b").inner_text()) == preset.title
        assert len(served.registry) == 0
