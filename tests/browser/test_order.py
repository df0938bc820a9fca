"""Order at a table, on phones: the host's lock and spectators, and everybody's reports."""

from pathlib import Path

import pytest
from playwright.async_api import Browser, expect

from racing_demon_protocol.wire.messages import client as cl
from racing_demon_server.journal.sqlite.database import reports_of
from racing_demon_server.moderation.reports import read_reports
from tests.support.browsers import phone
from tests.support.processes import server_process
from tests.support.restartable_server import wait_until
from tests.support.servers import Closing, Peer, serving


@pytest.mark.long
async def test_a_host_keeps_order_and_ends_the_match(browser: Browser) -> None:
    """The lock, spectators, the last hand and the end are in the menu, and fit the smallest phone."""
    small = {"width": 320, "height": 568}
    async with serving() as served, phone(browser, served.origin, viewport=small) as ann:
        code = await ann.create("Ann")
        room = served.registry.room(code)
        await ann.page.tap(".add-bot")
        await ann.page.get_by_label("What to do about").tap()
        await ann.page.get_by_role("button", name="Remove the bot").tap()
        await wait_until(lambda: len(room.shown.view.seats) == 1)
        await ann.page.tap("#lobby-menu")
        await ann.page.get_by_role("button", name="Lock the table").tap()
        await wait_until(lambda: room.shown.view.entry_closed)
        await ann.page.get_by_text("Locked: nobody new can take a seat").wait_for()
        async with phone(browser, f"{served.origin}/{code}") as ben:
            await ben.page.fill("#name", "Ben")
            await ben.page.tap("#join")
            await ben.page.locator("text=The host has locked this table").first.wait_for()
        async with Peer.entered(served.url, cl.Watch(code=code)) as eve:
            await ann.page.tap("#lobby-menu")
            await ann.page.get_by_role("button", name="Spectators").tap()
            await ann.page.get_by_text("Spectator 1, since just now").wait_for()
            whole, shown = await ann.page.locator(".sheet-box").evaluate(
                "(box) => [box.scrollWidth, box.clientWidth]"
            )
            assert whole == shown
            await ann.page.locator("#sheet-items button", has_text="Remove").tap()
            assert await eve.closed() == Closing(4007, "The host has removed you from the table.")
        await ann.page.get_by_text("Nobody is watching.").wait_for()
        await ann.page.tap("#sheet-close")
        await ann.deal()
        await ann.until_playing()
        await ann.page.tap("#table .menu")
        for at_once in ("Pause the hand", "Leave the table"):
            await expect(ann.page.get_by_role("button", name=at_once)).to_be_in_viewport(ratio=1)
        await ann.page.get_by_role("button", name="Make this the last hand").tap()
        await wait_until(lambda: room.shown.view.last_hand == 1)
        await ann.page.tap("#table .menu")
        await ann.page.get_by_role("button", name="End the match now").tap()
        await ann.page.get_by_role("button", name="End it").tap()
        await ann.page.locator(".tally").wait_for()
        assert room.shown.view.winners == (0,)
        assert ann.complaints == []


@pytest.mark.long
async def test_a_player_reports_another(browser: Browser, tmp_path: Path) -> None:
    """The form names the people at the table; the operator's folder has what was sent."""
    journal = tmp_path / "journal"
    async with server_process("--journal", str(journal)) as (_, url):
        origin = url.replace("ws:", "http:").removesuffix("/v1")
        async with phone(browser, origin) as ann:
            code = await ann.create("Ann")
            async with Peer.entered(url, cl.Join(code=code, name="Ben")):
                await ann.page.tap("#lobby-menu")
                await ann.page.get_by_role("button", name="Report somebody").tap()
                await ann.page.get_by_label("Whom the report is about").select_option("Ben")
                await ann.page.get_by_label("What happened?").fill("insults")
                await ann.page.get_by_role("button", name="Send").tap()
                await wait_until(lambda: bool(list(read_reports(reports_of(journal)))))
            assert ann.complaints == []
    ((_, _, report),) = read_reports(reports_of(journal))
    assert report is not None
    assert report.about is not None
    assert (report.by.who, report.about.who, report.text) == ("Ann", "Ben", "insults")
