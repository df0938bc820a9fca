"""The first screen of a server: from nothing to the first card against bots, in one tap."""

import re
from typing import Final

import pytest
from playwright.async_api import Browser, expect

from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.table.suggestions import best_play
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from tests.support.browsers import LASTING, TALL_PHONE, WATCH_SCREENS, phone
from tests.support.restartable_server import wait_until
from tests.support.servers import Peer, serving


async def test_one_tap_leads_to_cards_against_bots(browser: Browser) -> None:
    """Nobody needs a name, a code or a choice; the table takes no strangers until its host lists it.

    Who wants to know before how it is played is told in four panels, without a word of keyboards on a phone.
    """
    async with serving(lists_tables=True) as served, phone(browser, served.origin) as guest:
        await guest.page.tap("#how")
        panels = guest.page.locator(".guide section")
        await expect(panels).to_have_count(4)
        told = " ".join(await panels.all_inner_texts())
        assert "Tap the stock" in told
        assert "Space" not in told
        await guest.page.tap("#sheet-close")
        await guest.page.evaluate(WATCH_SCREENS)
        await guest.page.tap("#play-now")
        await guest.see("#table .slot.foundation")
        assert await guest.page.evaluate("screens") == ["table"], "there is nothing to do in a lobby"
        view = served.registry.room(await guest.code()).table.view
        assert view.phase in {Phase.COUNTDOWN, Phase.PLAYING}
        players = [(state.name, state.bot) for state in view.seats.values()]
        assert players[0] == ("Player", "")
        assert [bot for _, bot in players[1:]] == ["adaptive", "easy"]
        assert view.options.seats == len(view.seats)
        assert [state.handicap.delay_s for state in view.seats.values()] == [0, 15, 15], "bots wait at first"
        assert view.options.casual, "practice counts in the host's standings"
        lists = guest.page.get_by_role("button", name="Let everybody find the table")
        await guest.page.tap("#table .menu")
        await lists.tap()
        room = served.registry.room(view.code)
        await wait_until(lambda: room.is_listed)
        await guest.page.tap("#table .menu")
        await expect(guest.page.get_by_role("button", name="Lock the table")).to_be_visible()
        await expect(lists).to_be_hidden()
        await guest.page.tap("#sheet-close")
        await expect(guest.page.locator("#table .standing")).to_have_text(re.compile(r"you -?\d"))
        line = guest.page.locator(".coach")
        await expect(line).to_have_text(re.compile("Your .+ can go|Nothing fits"))
        await expect(guest.page.locator("#table .goes").first).to_be_visible()
        await guest.page.locator("#table .slot.foundation").first.tap(force=True)
        await expect(line).to_have_text(re.compile("[Tt]ap the (ace|.+: it finds)"))
        await line.get_by_label("Tell me no more of this").tap()
        await expect(line).to_be_hidden()
        assert guest.complaints == []


@pytest.mark.long
async def test_the_first_choices_need_no_scrolling(browser: Browser) -> None:
    """All ways to a table are on the screen of the smallest phone; a link to a table offers only that."""
    async with serving() as served, phone(browser, served.origin, **TALL_PHONE) as guest:
        for width, height in ((390, 844), (280, 653), (320, 568)):
            await guest.page.set_viewport_size({"width": width, "height": height})
            for part in ("#name", "#learn", "#play-now", "#create", "#code", "#join"):
                await expect(guest.page.locator(part)).to_be_in_viewport(ratio=1)
        await guest.open(f"{served.origin}/BCDFGHJK")
        assert await guest.page.locator("#play-now").is_hidden()
        assert await guest.page.locator("#join").is_visible()


@pytest.mark.long
async def test_a_newcomer_is_told_what_is_true(browser: Browser) -> None:
    """Once begun nobody reads that others wait; Stuck too soon, and a card put where none goes, are answered.

    What helps is searched for once a board, when it is told: phones are slow.
    """
    async with serving(seed=LASTING) as served, phone(browser, served.origin, **TALL_PHONE) as guest:
        page, line = guest.page, guest.page.locator(".coach span")
        await page.tap("#play-now")
        await expect(line).to_have_text(re.compile("The others begin soon"))
        await page.evaluate(COUNT_SEARCHES)
        view = served.registry.room(await guest.code()).table.view
        assert view.hand is not None
        rules, board = view.hand.rules, view.hand.board
        columns = rules.layout.seat_piles(0, Kind.TABLEAU)
        fitting, nowhere = (
            next(pile for pile in columns if (best_play(rules, board, 0, pile) is not None) is fits)
            for fits in (True, False)
        )
        await page.touchscreen.tap(*await page.evaluate(END_OF, fitting))
        await expect(line).not_to_contain_text("The others")
        assert await page.evaluate("searches") == 0
        await expect(line).to_have_text(re.compile("^Your .+ can go"))
        await page.tap(".stuck")
        await expect(line).to_have_text(re.compile("^You have said Stuck too soon. Your .+ can go"))
        assert await page.evaluate("searches") == 1, "with every frame"
        await page.mouse.move(*await page.evaluate(END_OF, nowhere))
        await page.mouse.down()
        await page.mouse.move(*await guest.stock(), steps=5)
        await page.mouse.up()
        await expect(line).to_have_text(re.compile("^Nothing is laid there. Your .+ (waits for|can go)"))
        await expect(page.locator("#toast")).not_to_contain_text("Your")
        assert guest.complaints == []


@pytest.mark.long
async def test_without_hints_a_newcomer_is_told_the_goal_alone(browser: Browser) -> None:
    """It is the same for all. Whether Stuck comes too soon would be a hint."""
    async with (
        serving(seed=LASTING) as served,
        Peer.hosting(served.url, seated=False, hints=False, countdown_ms=0) as host,
        phone(browser, f"{served.origin}/{host.code}", **TALL_PHONE) as guest,
    ):
        await guest.join("Ann")
        await host.ask(cl.AddBot)
        await host.ask(cl.Start)
        await guest.until_playing()
        await guest.page.tap(".stuck")
        await wait_until(lambda: any(isinstance(each, ev.StuckSaid) for each in guest.heard))
        await guest.page.evaluate(TWO_FRAMES)
        line = await guest.page.locator(".coach span").inner_text()
        assert line == "Play your cards up from the aces in the middle."
        assert guest.complaints == []


TWO_FRAMES: Final = "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))"
END_OF: Final = """(pile) => {
  const box = document.querySelector(`.slot[data-pile="${pile}"]`).getBoundingClientRect();
  return [box.left + box.width / 2, box.bottom - 8];
}"""
COUNT_SEARCHES: Final = """async () => {
  const { name } = performance.getEntriesByType("resource").find(({ name }) => name.includes("/hints.js"));
  const { Hints } = await import(name);
  const { play } = Hints.prototype;
  window.searches = 0;
  Hints.prototype.play = function (...given) {
    window.searches += 1;
    return play.apply(this, given);
  };
}"""
