"""After a hand: what cost a player most, as a sentence, and the board of that moment."""

import re
from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from racing_demon_protocol.wire.messages import client as cl
from tests.support.browsers import SMALL_PHONE, TALL_PHONE, TELEVISION, phone
from tests.support.results import origin_of
from tests.support.servers import Peer, serving
from tests.support.whole_servers import whole_server


@pytest.mark.long
async def test_what_cost_most_is_told_and_shown(browser: Browser, tmp_path: Path) -> None:
    """One sentence stands below the tally; pressing it shows the board of that moment, which stands still."""
    options = {"tally_ms": 60_000, "time_limit_ms": 6_000, "countdown_ms": 0}
    async with serving(bot_speed=20.0) as served, Peer.hosting(served.url, **options) as host:  # type: ignore[arg-type]
        async with phone(browser, f"{served.origin}/{host.code}", **SMALL_PHONE) as ann:
            await ann.join("Ann")
            for _ in range(4):
                await host.ask(cl.AddBot)
            await host.ask(cl.Start)
            first = ann.page.locator("#lobby .moments > .moment")
            await first.wait_for()
            words = await first.locator("span").last.inner_text()
            assert re.match(
                r"Your \S+ could go up for [\d.]+ seconds?(; .+ went instead|, and never did)\. That", words
            )
            wide = "document.documentElement.scrollWidth <= innerWidth"
            assert await ann.page.evaluate(wide)
            await ann.page.screenshot(path=tmp_path / "moments.png")
            await first.tap()
            await expect(ann.page.locator(".replay .sign")).to_have_text(words)
            await ann.see("#table")
            await ann.page.screenshot(path=tmp_path / "board.png")
            await ann.page.get_by_label("One step back").tap()
            await expect(ann.page.locator(".replay .sign")).to_be_hidden()  # that is another board
            await ann.page.get_by_label("Close the replay").tap()
            await first.wait_for()


@pytest.mark.long
async def test_everybody_has_a_title_after_a_match(browser: Browser, tmp_path: Path) -> None:
    """The phone and the big screen name the same titles, none for bots; with eight players all are seen."""
    options = {"hands": 1, "tally_ms": 60_000, "time_limit_ms": 6_000, "countdown_ms": 0}
    async with whole_server(tmp_path / "journal.sqlite", bot_speed=20.0) as (server, _):
        async with Peer.hosting(server.url, **options) as host:  # type: ignore[arg-type]
            link = f"{origin_of(server)}/{host.code}"
            async with (
                phone(browser, link, **TALL_PHONE) as ann,
                phone(browser, f"{link}?tv", **TELEVISION) as screen,
            ):
                await ann.join("Benedikt-Amadeus")
                for _ in range(6):
                    await host.ask(cl.AddBot)
                await host.ask(cl.Start)
                for number, each in enumerate((ann, screen)):
                    await each.page.locator("#lobby .titles li").nth(1).wait_for()
                    await expect(each.page.locator("#lobby .titles li")).to_have_count(2)
                    await each.page.screenshot(path=tmp_path / f"titles-{number}.png", full_page=True)
                told = [await each.page.locator(".titles .what").all_inner_texts() for each in (ann, screen)]
                assert told[0] == told[1]
                rows = screen.page.locator("#lobby .titles li, #lobby .tally tbody tr")
                ends = await rows.evaluate_all("rows => rows.map(row => row.getBoundingClientRect().bottom)")
                assert len(ends) == 8 + 2
                assert max(ends) <= 1080
