"""Devices as they are: screens that go to sleep, clocks that stand still, and browsers that are old."""

from typing import Final

import pytest
from playwright.async_api import Browser

from tests.support.browsers import LASTING, phone
from tests.support.effort import usually
from tests.support.servers import serving

COUNT_LOCKS: Final = """window.locks = new Set();
navigator.wakeLock.request = async () => {
  const lock = { released: false, release() { this.released = true; window.locks.delete(this); } };
  window.locks.add(lock);
  return lock;
};"""
IS_AWAKE: Final = "() => window.locks.size > 0"
TELEVISION: Final = {"viewport": {"width": 1280, "height": 720}, "has_touch": False, "is_mobile": False}
OLD: Final = """for (const [owner, names] of [
  [Element.prototype, ["checkVisibility"]],
  [Object, ["hasOwn", "groupBy"]],
  [Promise, ["withResolvers", "try"]],
  [Array.prototype, ["at", "findLast", "findLastIndex", "toSorted", "toReversed", "with"]],
  [String.prototype, ["at", "isWellFormed"]],
  [Iterator.prototype, ["map", "filter", "toArray", "take"]],
  [Set.prototype, ["union", "difference", "intersection"]],
  [AbortSignal, ["timeout", "any"]],
  [Crypto.prototype, ["randomUUID"]],
  [window, ["structuredClone", "navigation", "requestIdleCallback"]],
  [Navigator.prototype, ["wakeLock", "keyboard"]],
  [Document.prototype, ["startViewTransition"]],
]) for (const name of names) delete owner[name];"""
"""Takes away what Chromium 87, in televisions of 2022, and Safari 15 do not have."""
SLEEPS: Final = """window.sleep = (milliseconds) => {
  const now = Date.now.bind(Date);
  Date.now = () => now() + milliseconds;
};"""
"""While a device sleeps its clock goes on, but not the one that counts since the page was opened."""
SECONDS: Final = r"""() => {
  const [, minutes, seconds] = document.querySelector("#table .status").textContent.match(/(\d+):(\d\d)/);
  return Number(minutes) * 60 + Number(seconds);
}"""


@pytest.mark.long
@pytest.mark.parametrize("way", usually(1, ["?tv", "#watch"]))
async def test_a_screen_that_watches_stays_on(way: str, browser: Browser) -> None:
    """A big screen and a spectator's keep awake while cards are played, though nobody touches them."""
    async with serving() as served, phone(browser, served.origin) as player:
        link = f"{served.origin}/{await player.create('Ann')}"
        async with phone(browser, served.origin, **TELEVISION) as screen:
            await screen.page.context.add_init_script(COUNT_LOCKS)
            await screen.open(f"{link}{way if way == '?tv' else ''}")
            if way == "#watch":
                await screen.page.click(way)
            await screen.see("#lobby")
            await player.page.tap(".add-bot")
            await player.page.tap(".deal")
            await screen.page.wait_for_function(IS_AWAKE)


@pytest.mark.long
async def test_a_big_screen_stays_on_while_players_come(browser: Browser) -> None:
    """It shows the way to the table before the first card, and between matches."""
    async with serving() as served, phone(browser, served.origin) as player:
        link = f"{served.origin}/{await player.create('Ann')}"
        async with phone(browser, served.origin, **TELEVISION) as screen:
            await screen.page.context.add_init_script(COUNT_LOCKS)
            await screen.open(f"{link}?tv")
            await screen.page.wait_for_function(IS_AWAKE)


@pytest.mark.long
async def test_a_phone_may_sleep_when_it_has_left(browser: Browser) -> None:
    """What kept it awake is given back with the table."""
    async with serving(seed=LASTING) as served, phone(browser, served.origin) as player:
        await player.page.context.add_init_script(COUNT_LOCKS)
        await player.open(served.origin)
        await player.create("Ann")
        await player.deal()
        await player.page.wait_for_function(IS_AWAKE)
        await player.page.evaluate("history.back()")
        await player.page.locator("#sheet-items button", has_text="Leave the table").tap()
        await player.see("#start")
        await player.page.wait_for_function(f"() => !({IS_AWAKE})()")


@pytest.mark.long
@pytest.mark.parametrize("way", usually(1, ["", "?tv"]))
async def test_an_old_browser_shows_the_way_and_the_cards(way: str, browser: Browser) -> None:
    """A television and a host's laptop that get no updates: QR code, address, all cards, no errors."""
    async with (
        serving(bot_speed=50.0, seed=LASTING, public_urls=("ws://192.0.2.5:5252",)) as served,
        phone(browser, served.origin) as player,
    ):
        link = f"{served.origin}/{await player.create('Ann')}"
        async with phone(browser, served.origin, **TELEVISION) as old:
            await old.page.context.add_init_script(OLD)
            await old.open(f"{link}{way}" if way else served.origin)
            if not way:
                await old.page.fill("#name", "Cat")
                await old.page.click("#create")
                await old.page.click("#sheet .preset.primary")
            host = player if way else old
            await old.page.locator("#lobby .address", has_text="192.0.2.5:5252/").wait_for()
            await old.page.wait_for_function("() => document.querySelector('#lobby img.qr').naturalWidth > 0")
            await host.page.locator(".add-bot").click()
            await host.page.locator(".deal").click()
            await old.see("#table .felt .card")
            await host.until_playing()
            await host.finish()
            await old.see(".tally")
            assert old.complaints == []


@pytest.mark.long
async def test_the_clock_is_right_after_a_device_has_slept(browser: Browser) -> None:
    """It slept for a minute in a hand, and was back without a new table: it shows what the others show."""
    async with serving() as served, phone(browser, served.origin) as player:
        await player.page.context.add_init_script(SLEEPS)
        await player.open(served.origin)
        await player.create("Ann")
        await player.deal_with_bot()
        assert await player.page.evaluate(SECONDS) < 30
        await player.page.evaluate("sleep(60_000)")
        await player.page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        await player.page.wait_for_function(f"() => ({SECONDS})() >= 60")
        assert await player.page.evaluate(SECONDS) < 90
