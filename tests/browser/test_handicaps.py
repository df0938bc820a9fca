"""Handicaps with real clients: set, seen, waited for, dealt by and proven."""

from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import Browser, expect

from racing_demon_client.net.client import Client
from racing_demon_client.net.shuffle_client import ContributionState
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.table.scoring import totals
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.options import Options
from tests.support.browsers import POLL_MS, SMALL_PHONE, TALL_PHONE, TELEVISION, Phone, phone
from tests.support.guests import Guest
from tests.support.restartable_server import wait_until
from tests.support.servers import Peer, serving

COUNTS_DOWN: Final = """() => /^[1-9]$/.test(document.getElementById("note").textContent)
  && document.querySelector(".stuck").disabled"""
FITS: Final = "() => document.documentElement.scrollWidth <= innerWidth"


async def _all_contributed(guest: Guest) -> None:
    """Wait until all four have contributed to the next deal."""

    def have_all() -> bool:
        shuffle = guest.client.view.next_shuffle
        return shuffle is not None and len(shuffle.contributions) == 4

    await wait_until(have_all)


async def _give_up(mia: Phone, *guests: Guest) -> None:
    """Let everybody say that they are stuck, and wait for the tally."""
    await wait_until(lambda: guests[0].client.view.phase is Phase.PLAYING)
    # A page that still shows the last hand's tally would be taken for one that has finished this hand.
    await mia.until_playing()
    for guest in guests:
        await guest.send(cl.Stuck)
    await mia.finish()
    await wait_until(lambda: not guests[0].client.view.in_hand)


@pytest.mark.long
async def test_four_with_four_handicaps(browser: Browser) -> None:
    """Two hands, with a change after the first one's reveal: Python and the page prove both."""
    options = Options(game="classic", hands=2, countdown_ms=0, tally_ms=600_000)
    async with AsyncExitStack() as stack:
        served = await stack.enter_async_context(serving())
        host = await Client.create(served.url, "Ann", options)
        ann = await stack.enter_async_context(Guest.seated(host))
        mia = await stack.enter_async_context(phone(browser, f"{served.origin}/{host.code}", **TALL_PHONE))
        await mia.join("Mia")
        ben, cat = [
            await stack.enter_async_context(Guest.seated(await Client.join(served.url, host.code, name)))
            for name in ("Ben", "Cat")
        ]
        given = [Handicap(points=-2), Handicap(delay_s=9), Handicap(heap=4), Handicap(heap=-6)]
        for seat, handicap in enumerate(given):
            await ann.send(cl.SetHandicap, seat=seat, handicap=handicap)
        await mia.page.get_by_text("starts 9 s later").wait_for()
        await mia.page.get_by_text("4 more in the reserve").wait_for()
        await _all_contributed(ann)

        await ann.send(cl.Start)
        await wait_until(lambda: host.view.waiting == (1,))
        await mia.page.wait_for_function(COUNTS_DOWN, polling=POLL_MS)
        assert ann.heaps() == [13, 13, 17, 7]
        await _give_up(mia, ann, ben, cat)
        await (
            mia.page.locator(".proof", has_text="4 players")
            .or_(mia.page.locator(".proof", has_text="You and 3 others"))
            .wait_for(state="attached")
        )
        assert await mia.points() == {"Ann": -28, "Mia": -26, "Ben": -34, "Cat": -14}

        await _all_contributed(ann)
        view = ann.client.view
        first = view.next_shuffle
        await ann.send(cl.SetHandicap, seat=2, handicap=Handicap(heap=1, points=3))
        await wait_until(lambda: view.seats[2].handicap.points == 3)
        await _all_contributed(ann)
        assert first is not None
        assert view.next_shuffle is not None
        assert not {*first.contributions} & {*view.next_shuffle.contributions}
        await ann.send(cl.Start)
        await wait_until(lambda: len(ann.states) == 2)
        assert ann.heaps() == [13, 13, 14, 7]
        await _give_up(mia, ann, ben, cat)
        await mia.page.locator(".proof", has_text="cards match the shuffle").wait_for(state="attached")
        await wait_until(lambda: all(each.client.view.phase is Phase.OVER for each in (ann, ben, cat)))
        for guest in (ann, ben, cat):
            report = verify(guest.messages)
            assert (report.hands, report.matches, report.unproven) == (2, 1, [])
            assert guest.states == [ContributionState.COUNTED] * 2
        by_name = {view.player(seat): total for seat, total in totals(view).items()}
        assert await mia.points() == by_name == {"Ann": -56, "Mia": -52, "Ben": -59, "Cat": -28}
        assert not mia.complaints


@pytest.mark.long
async def test_a_host_sets_handicaps_and_all_see_them(browser: Browser, tmp_path: Path) -> None:
    """On a phone of any size by the menu; on the television everybody reads them."""
    async with AsyncExitStack() as stack:
        served = await stack.enter_async_context(serving())
        ann = await stack.enter_async_context(phone(browser, served.origin, **TALL_PHONE))
        code = await ann.create("Ann")
        link = f"{served.origin}/{code}"
        mia = await stack.enter_async_context(phone(browser, link, **SMALL_PHONE))
        await mia.join("Mia")
        screen = await stack.enter_async_context(phone(browser, f"{link}?tv", **TELEVISION))
        await ann.page.locator(".player").nth(1).wait_for()

        await ann.page.tap("#lobby-menu")
        await ann.page.get_by_role("button", name="Handicaps").tap()
        await ann.page.get_by_role("group", name="Mia").get_by_label("Start").select_option("5")
        await ann.page.screenshot(path=tmp_path / "host.png")
        for each in (ann, mia, screen):
            await each.page.locator(".player", has_text="starts 5 s later").wait_for()
        await screen.page.screenshot(path=tmp_path / "television.png")

        await mia.page.tap("#lobby-menu")
        await mia.page.get_by_role("button", name="Handicaps").tap()
        start = mia.page.get_by_role("group", name="Mia").get_by_label("Start")
        await expect(start.locator("option").first).to_have_text("starts 5 s later")
        await expect(mia.page.get_by_role("group", name="Ann")).to_have_count(0)
        await start.select_option("10")
        await ann.page.locator(".player", has_text="starts 10 s later").wait_for()
        await mia.page.screenshot(path=tmp_path / "guest.png")
        await mia.page.wait_for_function(FITS)
        await mia.page.tap("#sheet-close")
        await mia.page.screenshot(path=tmp_path / "lobby.png")
        await mia.page.wait_for_function(FITS)
        assert not [*ann.complaints, *mia.complaints, *screen.complaints]


@pytest.mark.long
async def test_others_are_seen_to_wait(browser: Browser) -> None:
    """A chip says who has no signal yet, and who comes in the meantime counts down, too."""
    async with serving() as served:
        async with Peer.hosting(served.url, time_limit_ms=600_000) as host:
            async with phone(browser, f"{served.origin}/{host.code}", **TALL_PHONE) as mia:
                await mia.join("Mia")
                await host.ask(cl.SetHandicap, seat=0, handicap=Handicap(delay_s=60))
                await host.ask(cl.SetHandicap, seat=1, handicap=Handicap(delay_s=8))
                await host.ask(cl.Start)
                await mia.page.locator(".chip", has_text="waits").wait_for()
                await mia.page.reload()
                await mia.until_playing()
                await mia.page.locator(".chip", has_text="waits").wait_for()
