"""The first hand, as a lesson: by taps on a phone, and as text, against a server that knows no lessons."""

from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import Browser, CDPSession, Page, Position, expect

from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from tests.support.browsers import LASTING, TALL_PHONE, WATCH_SCREENS, phone
from tests.support.restartable_server import RestartableServer
from tests.support.servers import Peer, serving

BY_HAND: Final = ("Aces start", "Same suit", "one lower: ", "Cards in order", "An empty column", "Turn three")
CORNER: Final = Position(x=10, y=8)
"""Of a card: others may lie on the rest of it."""
NEXT_SECOND: Final = """() => new Promise((done) => new MutationObserver((_, observer) => {
  observer.disconnect();
  done();
}).observe(document.querySelector(".status"), { characterData: true, childList: true, subtree: true }))"""


@pytest.mark.long
async def test_the_first_hand_is_learned_by_taps(browser: Browser, tmp_path: Path) -> None:
    """A wrong tap is answered by the reason; left and taken up, it goes on at its step, to the score.

    Of a server that is killed meanwhile nobody learns. Whom the device knows is offered to play at once.
    """
    async with (
        RestartableServer.started(tmp_path / "journal.sqlite") as server,
        phone(browser, server.url.replace("ws:", "http:").removesuffix("/v1")) as guest,
    ):
        page = guest.page
        says, marked = page.locator(".says"), page.locator("#table .from")
        await expect(page.locator("#play-now")).not_to_have_class("primary")
        await page.evaluate(WATCH_SCREENS)
        await page.tap("#learn")
        tops = set[float]()
        for number, words in enumerate(BY_HAND):
            await expect(says).to_contain_text(words)
            await marked.wait_for()
            tops.add(await page.evaluate(TOP))
            if number == 2:
                await page.locator("#table .slot.tableau").first.wait_for()
                wrong = page.locator("#table .card.royal").last
                await wrong.tap(position=CORNER, force=True)
                await expect(page.locator(".say-box .wrong")).to_contain_text("one lower")
            if number == 3:
                await page.tap(".lesson button")
                await page.tap("#learn")
                await expect(says).to_contain_text(words)
                await marked.wait_for()
            if number == 4:
                server.kill()
                await guest.see("#offline")
                await server.start()
                await page.locator("#offline").wait_for(state="hidden")
                await expect(says).to_contain_text(words)
                await marked.wait_for()
            await marked.tap(position=CORNER, force=True)
        assert len(tops) == 1, "the cards move from step to step"
        colors = await page.locator(".marks i").evaluate_all(
            "(all) => all.map((i) => getComputedStyle(i).backgroundColor)"
        )
        assert len(set(colors)) == len(("done", "now", "to come"))
        await _race(page)
        await page.tap(".stuck")
        await expect(page.locator("#sheet")).to_contain_text("You have 4 points.")
        await page.tap("#sheet-close")
        await expect(page.locator("#learn")).to_be_hidden()
        assert "lobby" not in await page.evaluate("screens")
        dealt = [each for each in guest.heard if isinstance(each, ev.Committed)]
        assert all(each.known_deal for each in dealt)
        assert [each for each in guest.complaints if "WebSocket" not in each and "net::" not in each] == []


@pytest.mark.long
async def test_a_late_guest_learns_the_game_of_the_table(browser: Browser) -> None:
    """No button lies on the cards of a tall phone; whoever leaves by the menu is back at the table."""
    async with (
        serving(seed=LASTING) as served,
        Peer.hosting(served.url, game="classic", countdown_ms=0) as host,
        phone(browser, f"{served.origin}/{host.code}", **TALL_PHONE) as guest,
    ):
        await host.ask(cl.AddBot)
        await host.ask(cl.Start, seen=served.registry.room(host.code).table.view.seq)
        await guest.join("Ben")
        page = guest.page
        says, marked = page.locator(".says"), page.locator("#table .from")
        await page.tap("text=Learn while you wait")
        for number, words in enumerate(BY_HAND):
            await expect(says).to_contain_text(words)
            await marked.wait_for()
            if number == 1:
                await page.tap("#table .menu")
                await page.tap("#sheet-items >> text=Leave the table")
                await expect(page.locator(".late:visible")).to_have_text("You play from the next deal.")
                await page.tap("text=Learn while you wait")
                await expect(says).to_contain_text(words)
                await marked.wait_for()
            assert await page.evaluate(COVERED) == []
            await marked.tap(position=CORNER, force=True)
        await _race(page)
        await page.tap(".stuck")
        await expect(page.locator("#sheet")).to_contain_text("You have -12 points.")
        await page.tap("#sheet-close")
        await expect(page.locator(".late:visible")).to_have_text("You play from the next deal.")
        assert guest.complaints == []


@pytest.mark.long
async def test_the_first_hand_is_learned_as_text(browser: Browser) -> None:
    """With the table as text a step says what to type, and is announced with its rule."""
    async with serving() as served, phone(browser, served.origin) as guest:
        page = guest.page
        await page.evaluate(AS_TEXT)
        await page.reload()
        await page.tap("#learn")
        step = page.get_by_role("status").filter(has_text="Type ")
        told: list[str] = []
        while not told or "Stuck" not in told[-1]:
            said = step.filter(has_not_text=told[-1]) if told else step
            told.append(await said.locator(".says").inner_text())
            line = told[-1].rpartition("Type ")[2].partition(",")[0].removesuffix(".")
            await page.fill(".command input", line)
            await page.keyboard.press("Enter")
            if ", too" in told[-1]:
                await page.get_by_role("button", name="Go on").tap()
        await expect(page.locator("#sheet")).to_contain_text("You have 4 points.")
        assert told[:2] == ["Aces start the middle. Type 7 up.", "Same suit, one higher. Type 6 up."]
        assert guest.complaints == []


async def _race(page: Page) -> None:
    """Win a race, and lose another; how each ended stays until it has been read."""
    says, marked = page.locator(".says"), page.locator("#table .from")
    for asked, told in (("Be first!", "You were first"), ("race her again", "Ada was first")):
        await expect(says).to_contain_text(asked)
        await marked.tap(position=CORNER, force=True)
        await expect(says).to_contain_text(told)
        await page.get_by_role("button", name="Go on").tap()
    await expect(says).to_contain_text("Not stuck yet")
    await marked.tap(position=CORNER, force=True)
    await expect(says).to_contain_text("Both say Stuck")


TOP: Final = "document.querySelector('#table .felt').getBoundingClientRect().top"
COVERED: Final = """() => [...document.querySelectorAll("#table .bar button")].flatMap((button) => {
  const { left, right, top, bottom } = button.getBoundingClientRect();
  return [...document.querySelectorAll("#table .felt .card")].filter((card) => {
    const box = card.getBoundingClientRect();
    return right > left && box.left < right && box.right > left && box.top < bottom && box.bottom > top;
  }).map((card) => card.className);
})"""
AS_TEXT: Final = """() => localStorage.setItem("racing-demon.settings", JSON.stringify({ hasText: true }))"""


@pytest.mark.long
async def test_what_is_asked_for_is_marked_without_work(browser: Browser) -> None:
    """Its frame changes all the time: a thread that drew that itself would have less time for taps."""
    async with serving() as served, phone(browser, served.origin, **TALL_PHONE) as guest:
        marked = guest.page.locator("#table .from")
        await guest.page.tap("#learn")
        await marked.tap(position=CORNER, force=True)
        await expect(guest.page.locator(".says")).to_contain_text(BY_HAND[1])
        await marked.wait_for()
        session = await guest.page.context.new_cdp_session(guest.page)
        await session.send("Performance.enable")
        await guest.page.evaluate(NEXT_SECOND)
        before = await _styled(session)
        await guest.page.evaluate(NEXT_SECOND)
        assert await _styled(session) - before < 20, "60 are drawn in a second"
        assert guest.complaints == []


async def _styled(session: CDPSession) -> float:
    """Return how often the page was styled."""
    told = await session.send("Performance.getMetrics")
    return float(next(each["value"] for each in told["metrics"] if each["name"] == "RecalcStyleCount"))
