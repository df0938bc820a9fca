"""The names that people type, in the page: it shows what the server makes of them, letter for letter."""

import json
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import Browser, expect

from racing_demon_protocol.wire.messages import client as cl
from tests.support.browsers import SMALL_PHONE, phone
from tests.support.servers import Peer, serving

TABLE: Final = Path(__file__).parents[1] / "client" / "names.json"
NAMES: Final[list[tuple[str, str, str]]] = json.loads(TABLE.read_text())
"""What is typed, what the server calls the player (nothing: it is refused), and what a terminal shows."""
SHOWN: Final = "() => [...document.querySelectorAll('#lobby .player .name')].map((each) => each.textContent)"
AT_A_TABLE: Final = 8


@pytest.mark.long
async def test_all_names_are_shown_as_they_are(browser: Browser) -> None:
    """Those of seven others, and the one that was typed in the page itself; after a reload it is the same."""
    typed = [typed for typed, called, _ in NAMES if called]
    async with serving() as served:
        for start in range(0, len(typed), AT_A_TABLE):
            own, *others = typed[start : start + AT_A_TABLE]
            async with AsyncExitStack() as stack:
                host = await stack.enter_async_context(Peer.hosting(served.url, seated=False))
                for name in others:
                    request = cl.Join(code=host.code, name=name)
                    await stack.enter_async_context(Peer.entered(served.url, request))
                link = f"{served.origin}/{host.code}"
                page = await stack.enter_async_context(phone(browser, link, **SMALL_PHONE))
                await page.join(own)
                for _ in range(2):
                    await page.page.wait_for_function(
                        f"(number) => ({SHOWN})().length === number", arg=len(others) + 1
                    )
                    seats = served.registry.room(host.code).table.view.seats
                    assert await page.page.evaluate(SHOWN) == [seats[seat].name for seat in sorted(seats)]
                    await page.page.reload()
                assert page.complaints == []


@pytest.mark.long
async def test_a_name_and_a_colour_are_changed_in_the_menu(browser: Browser) -> None:
    """Everybody sees them at once, also after a reload; a colour that somebody has cannot be taken."""
    async with serving() as served, phone(browser, served.origin) as ann:
        link = f"{served.origin}/{await ann.create('Ann')}"
        async with phone(browser, link) as ben:
            await ben.join("Ben")
            await ann.page.locator("#lobby .player", has_text="Ben").wait_for()
            await ann.page.tap("#lobby-menu")
            await ann.page.get_by_role("button", name="Your name and color").tap()
            await ann.page.get_by_label("Your name", exact=True).last.fill("Zoe")
            await expect(ann.page.get_by_role("radio", name="orange: Ben")).to_be_disabled()
            await ann.page.get_by_role("radio", name="pink").check()
            await ann.page.get_by_role("button", name="Save").tap()
            for each in (ben, ann):
                await each.page.locator("#lobby .player.p5", has_text="Zoe").wait_for()
            await ann.page.reload()
            await ann.page.locator("#lobby .player.p5.me", has_text="Zoe").wait_for()
            assert await ann.page.evaluate("JSON.parse(localStorage['racing-demon.settings']).name") == "Zoe"
            await ann.page.tap(".deal")
            await ben.page.locator("#table .chip.p5", has_text="Zoe").wait_for()
            assert ann.complaints + ben.complaints == []


@pytest.mark.long
async def test_a_name_of_which_nothing_is_seen_is_refused(browser: Browser) -> None:
    """The page says so, and asks for another."""
    async with serving() as served, phone(browser, served.origin, **SMALL_PHONE) as page:
        for typed in (typed for typed, called, _ in NAMES if not called and typed.strip()):
            await page.page.fill("#name", typed)
            await page.page.tap("#create")
            await page.page.tap("#sheet .preset.primary")
            await expect(page.page.locator("#problem")).to_contain_text("at least one visible character")
