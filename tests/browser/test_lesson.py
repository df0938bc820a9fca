"""The first hand, as a lesson: by taps on a phone, against a server that knows no lessons."""

from typing import Final

import pytest
from playwright.async_api import Browser, Position, expect

from racing_demon_protocol.wire.messages import events as ev
from tests.support.browsers import phone
from tests.support.servers import serving

BY_HAND: Final = ("Aces start", "Same suit", "Columns", "A run", "An empty column", "Turn three")
CORNER: Final = Position(x=10, y=8)
"""Of a card: others may lie on the rest of it."""


@pytest.mark.long
async def test_the_first_hand_is_learned_by_taps(browser: Browser) -> None:
    """A wrong tap is answered by the reason; left and taken up, it goes on at its step, to the score.

    Whom the device knows is offered to play at once.
    """
    async with serving() as served, phone(browser, served.origin) as guest:
        page = guest.page
        says, marked = page.locator(".says"), page.locator("#table .from")
        await expect(page.locator("#play-now")).not_to_have_class("primary")
        await page.tap("#learn")
        for number, words in enumerate(BY_HAND):
            await expect(says).to_contain_text(words)
            await marked.wait_for()
            if number == 2:
                await page.locator("#table .slot.tableau").first.wait_for()
                wrong = page.locator("#table .card.royal").last
                await wrong.tap(position=CORNER, force=True)
                await expect(page.locator("#toast")).to_contain_text("one lower")
            if number == 3:
                await page.tap(".lesson button")
                await page.tap("#learn")
                await expect(says).to_contain_text(words)
                await marked.wait_for()
            await marked.tap(position=None if words == BY_HAND[-1] else CORNER, force=True)
        await expect(says).to_contain_text("Be first!")
        await marked.tap(position=CORNER, force=True)
        await expect(page.locator(".lesson small")).to_contain_text("You were first")
        await expect(page.locator(".lesson small")).to_contain_text("Ada was first")
        await page.tap(".stuck")
        await expect(page.locator("#sheet")).to_contain_text("You have 3 points.")
        await page.tap("#sheet-items button >> text=Close")
        await expect(page.locator("#learn")).to_be_hidden()
        assert {each.known_deal is not None for each in guest.heard if isinstance(each, ev.Committed)} == {
            True
        }
        assert guest.complaints == []
