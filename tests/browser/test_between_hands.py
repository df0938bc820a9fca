"""Between hands: what players reach with a thumb, and what all read from afar."""

from contextlib import AsyncExitStack
from typing import Final

import pytest
from playwright.async_api import Browser, expect

from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import MatchOver
from tests.support.browsers import SMALL_PHONE, TELEVISION, phone
from tests.support.servers import Peer, serving

SIZES: Final = """() => [".tally tbody td", ".next p"].map((each) =>
  parseFloat(getComputedStyle(document.querySelector(`#lobby ${each}`)).fontSize))"""
ASKED: Final = """() => performance.getEntriesByType("resource").sort((a, b) => a.startTime - b.startTime)
  .map(({ name }) => name.replace(/.*[/]/, ""))"""
FIRST: Final = """() => {
  const shown = [...document.querySelectorAll("#lobby .main *")].filter((each) =>
    each.checkVisibility() && [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim()));
  const by = (measure) => shown.reduce((best, each) => measure(each) > measure(best) ? each : best);
  const highest = by((each) => -each.getBoundingClientRect().top);
  const largest = by((each) => parseFloat(getComputedStyle(each).fontSize));
  return [highest, largest].map((each) => each.closest(".own") ? "own" : each.className);
}"""
"""Whose words lie highest in a tally, and whose are largest."""
IS_WHOLE: Final = """() => [...document.querySelectorAll(".arc .card")].every((card) => {
  const { left, right, bottom } = card.getBoundingClientRect();
  return left >= 0 && right <= innerWidth &&
    bottom <= document.querySelector("#lobby .headline").getBoundingClientRect().top;
})"""
"""Whether the fan of a winner lies on the screen, and above the name."""
OVERLAP: Final = """() => [...document.querySelectorAll(".bar button")].some((button) => {
  const [a, ...piles] = [button, ...document.querySelectorAll(".slot.stock, .slot.waste")].map((each) =>
    each.getBoundingClientRect());
  return piles.some((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom);
})"""


@pytest.mark.long
async def test_the_next_hand_is_within_reach(browser: Browser) -> None:
    """On the smallest phone, with eight players, its button is in view; so is when it is dealt by itself.

    First and largest is one's own place.
    """
    async with AsyncExitStack() as stack:
        served = await stack.enter_async_context(serving(bot_speed=20.0))
        options = {"tally_ms": 60_000, "time_limit_ms": 1_000, "countdown_ms": 0}
        host = await stack.enter_async_context(Peer.hosting(served.url, **options))  # type: ignore[arg-type]
        link = f"{served.origin}/{host.code}"
        ann = await stack.enter_async_context(phone(browser, link, **SMALL_PHONE))
        await ann.join("Mia")
        screen = await stack.enter_async_context(phone(browser, f"{link}?tv", **TELEVISION))
        for _ in range(6):
            await host.ask(cl.AddBot)
        await host.ask(cl.Start)
        ready = ann.page.get_by_role("button", name="Next hand")
        await ready.wait_for()
        box = await ready.bounding_box()
        assert box is not None
        assert box["y"] >= SMALL_PHONE["viewport"]["height"] / 2
        assert box["y"] + box["height"] <= SMALL_PHONE["viewport"]["height"]
        await expect(ann.page.locator("#lobby bdi:visible").get_by_text("Mia", exact=True)).to_have_count(1)
        await ann.page.locator("#lobby .place").wait_for()
        assert await ann.page.evaluate(FIRST) == ["own", "own"]
        for each in (ann, screen):
            await each.page.locator(".next p", has_text="Next deal in").wait_for()
        await screen.page.locator("#lobby .tally tbody td").first.wait_for()
        await screen.page.wait_for_function(
            f"(least) => ({SIZES})().every((size) => size >= least)",
            arg=TELEVISION["viewport"]["height"] / 27,
        )
        await screen.page.wait_for_function("() => document.documentElement.scrollHeight <= 1080")


@pytest.mark.long
async def test_a_reload_in_the_tally_asks_for_the_players_first(browser: Browser) -> None:
    """Their rows come with a module; what nobody looks at yet waits."""
    options = {"tally_ms": 60_000, "time_limit_ms": 1_000, "countdown_ms": 0}
    async with serving() as served, Peer.hosting(served.url, **options) as host:  # type: ignore[arg-type]
        async with phone(browser, f"{served.origin}/{host.code}", **SMALL_PHONE) as ann:
            await ann.join("Mia")
            await host.ask(cl.Start)
            row = ann.page.locator("#lobby .tally tbody td").first
            await row.wait_for()
            await ann.page.reload()
            await row.wait_for()
            await ann.page.wait_for_function(f"() => ({ASKED})().includes('replay.js')")
            asked = await ann.page.evaluate(ASKED)
            assert asked.index("results.js") < asked.index("replay.js")


@pytest.mark.long
async def test_who_plays_with_bots_alone_has_one_button(browser: Browser) -> None:
    """A host with nobody to wait for is not asked whether all are ready."""
    async with serving() as served, phone(browser, served.origin, **SMALL_PHONE) as ann:
        await ann.create("Ann")
        await ann.page.tap(".add-bot")
        await ann.page.locator(".player").nth(1).wait_for()
        assert await ann.page.locator(".next button:visible").all_inner_texts() == ["Deal"]
        await ann.page.get_by_role("button", name="Deal").tap()
        await ann.see("#table")


@pytest.mark.long
@pytest.mark.parametrize(
    ("game", "told"),
    [("racing-demon", "None of your cards are on the foundations."), ("fourteen", "")],
)
async def test_a_hand_is_told_by_what_its_game_has(browser: Browser, game: str, told: str) -> None:
    """Who has played nothing reads so, and reads of no foundations where there are none."""
    async with serving() as served:
        options = {"game": game, "tally_ms": 60_000, "time_limit_ms": 1_000, "countdown_ms": 0}
        async with Peer.hosting(served.url, seated=False, **options) as host:  # type: ignore[arg-type]
            async with phone(browser, f"{served.origin}/{host.code}", **SMALL_PHONE) as ann:
                await ann.join("Ann")
                await host.ask(cl.Start)
                await ann.page.locator("summary", has_text="Your hand").tap()
                await ann.see(".analysis")
                lines = await ann.page.locator(".analysis li").all_inner_texts()
                assert told == "".join(line for line in lines if "foundations" in line)


@pytest.mark.long
async def test_who_shares_a_win_is_named_first(browser: Browser) -> None:
    """It is said in a sentence, as anybody would say it."""
    async with serving() as served:
        options = {"hands": 1, "time_limit_ms": 1_000, "countdown_ms": 0}
        async with Peer.hosting(served.url, **options) as host:  # type: ignore[arg-type]
            async with phone(browser, f"{served.origin}/{host.code}", **SMALL_PHONE) as ann:
                await ann.join("Mia")
                await host.ask(cl.Start)
                winners = ann.page.locator(".headline", has_text="won the match")
                assert await winners.inner_text() == "You and Ann won the match"
                told = "The match is over. You and Ann won."
                await expect(ann.page.locator("#live")).to_have_text(told)
                await expect(ann.page.locator("#toast")).not_to_have_text(told)
                await ann.page.set_viewport_size({"width": 280, "height": 653})
                await ann.page.locator(".arc .card").first.wait_for()
                await ann.page.wait_for_function(IS_WHOLE)


@pytest.mark.long
@pytest.mark.parametrize("width", [320, 390])
async def test_letters_of_twice_the_size_fit(browser: Browser, width: int) -> None:
    """Where a device's letters are large, no button covers the stock, and the tally fits the screen."""
    options = {"tally_ms": 60_000, "countdown_ms": 0, "hints": True}
    async with serving() as served, Peer.hosting(served.url, **options) as host:  # type: ignore[arg-type]
        device = {"viewport": {"width": width, "height": 700}}
        async with phone(browser, f"{served.origin}/{host.code}", **device) as ann:
            await ann.page.evaluate("document.documentElement.style.fontSize = '200%'")
            await ann.join("Benedikt-Amadeus")
            await host.ask(cl.Start)
            await ann.until_playing()
            await ann.page.wait_for_function(f"() => !({OVERLAP})()")
            await host.ask(cl.Stuck)
            await ann.finish()
            await ann.page.get_by_role("button", name="Next hand").wait_for()
            await ann.page.wait_for_function(f"() => document.documentElement.scrollWidth <= {width}")


@pytest.mark.long
async def test_an_evening_is_added_up_between_matches(browser: Browser) -> None:
    """After a second match a big screen says who has won how many, also after a reload."""
    options = {"hands": 1, "time_limit_ms": 1_000, "countdown_ms": 0}
    async with serving(bot_speed=20.0) as served, Peer.hosting(served.url, **options) as host:  # type: ignore[arg-type]
        await host.ask(cl.AddBot)
        async with phone(browser, f"{served.origin}/{host.code}?tv", **TELEVISION) as screen:
            for _ in range(2):
                await screen.page.locator("#lobby").wait_for()
                await host.ask(cl.Start)
                await host.until(MatchOver)
                await screen.see("#lobby.over .tally tbody td")
            evening = screen.page.locator("#lobby .tonight")
            await expect(evening).to_contain_text("Tonight, after 2 matches")
            await screen.page.reload()
            await expect(evening.locator("li")).to_have_count(2)
            assert screen.complaints == []
