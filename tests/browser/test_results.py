"""What a device keeps of the matches that were played on it."""

from typing import Final

import pytest
from playwright.async_api import Browser

from tests.support.browsers import Phone, phone
from tests.support.servers import serving

SPOIL: Final = """() => {
  localStorage.setItem("racing-demon.results", '[{"totals": 3}, null, 7]');
  localStorage.setItem("racing-demon.settings", '[1, "x"]');
}"""


@pytest.mark.long
async def test_results_are_offered_as_soon_as_a_table_is_left(browser: Browser) -> None:
    """The first screen has the match that was just played, and the tables that are open now."""
    async with serving(lists_tables=True, bot_speed=200.0) as served, phone(browser, served.origin) as player:
        await player.play_match("Ann")
        async with phone(browser, served.origin) as other:
            code = await other.create("Ben")
            await leave(player)
            await player.page.tap("#standings")
            await player.page.locator("#page .matches li").wait_for()
            assert await player.page.locator("#page .matches li").count() == 1
            assert sorted(
                await player.page.locator("#page .standings bdi").all_inner_texts(), reverse=True
            ) == ["You", "Ada"]
            await player.page.go_back()
            await player.page.locator("#tables b", has_text=code).wait_for(state="attached")
            assert "’s table" not in await player.page.locator("#tables strong").all_inner_texts()
            card = player.page.locator("#tables button", has_text=code)
            assert await card.locator("strong").inner_text() == "Ben’s table"
            assert await card.locator(".token").count() == 1
            async with phone(browser, f"{served.origin}/{code}") as invited:
                await invited.page.locator(".lead", has_text="Ben is here").wait_for()
                assert await invited.page.locator("h1:visible").inner_text() == "Ben’s table"
                assert "5 hands" in await invited.page.locator(".lead").inner_text()
            assert player.complaints + other.complaints == []


@pytest.mark.long
async def test_a_store_with_anything_in_it_stops_no_page(browser: Browser) -> None:
    """Results and settings that no page of ours has written are passed over."""
    async with serving() as served, phone(browser, served.origin) as player:
        await player.page.evaluate(SPOIL)
        await player.open(served.origin)
        await player.page.tap("#standings")
        await player.page.locator("#page p", has_text="shows no standings to guests").wait_for()
        assert await player.page.locator("#page table").count() == 0
        await player.page.go_back()
        await player.create("Ann")
        assert player.complaints == []


async def leave(player: Phone) -> None:
    """Leave the table for good."""
    await player.page.tap("#lobby-menu")
    await player.page.tap("text=Leave the table")
    await player.page.locator("#sheet button", has_text="Leave the table").tap()
    await player.see("#start")
