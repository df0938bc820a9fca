"""What a phone shows when its host goes: it stays at the table, or sees the standings and a way on."""

import re
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from benchmarks.pty_program import children_of, end_all
from playwright.async_api import Browser, expect

from tests.support.browsers import Phone, phone
from tests.support.ports import free_port
from tests.support.processes import Running, plain_host
from tests.support.servers import serving


@asynccontextmanager
async def hosting(folder: Path, port: int, *more: str) -> AsyncIterator[tuple[Running, str]]:
    """Host a table; give the program and the table's address."""
    async with plain_host(folder, port, *more) as (program, code):
        yield program, f"http://127.0.0.1:{port}/{code}"


async def deal(host: Running, guest: Phone) -> None:
    """Begin a hand, and wait until the guest can play."""
    await host.line("^Ben took seat")
    host.type("")
    await guest.until_playing()


async def test_a_table_that_its_host_ends_leaves_the_standings_and_a_way_on(
    tmp_path: Path, browser: Browser
) -> None:
    """The host leaves in mid-hand: the tally stays in view, with a reason and a button to go on.

    Parts of the page that nobody has asked for, and that do not come any more, do not cover it.
    """
    quick = ("--option", "countdown_ms=0")
    async with hosting(tmp_path, free_port(), *quick) as (host, link), phone(browser, link) as guest:
        await guest.page.route(re.compile("/(pages|hints)\\.js|panels.css"), lambda route: route.abort())
        await guest.join("Ben")
        await deal(host, guest)
        host.type("leave", "leave")
        page = guest.page
        await expect(page.locator("#offline")).to_have_text("The host has ended the table.")
        await expect(page.locator(".tally tbody tr")).to_have_count(2)
        await expect(page.locator(".ready")).to_be_hidden()
        await page.get_by_role("button", name="To the first screen").tap()
        await guest.see("#join")


@pytest.mark.long
async def test_a_phone_is_back_when_the_host_is(tmp_path: Path, browser: Browser) -> None:
    """Host and server are killed; a new host brings the hand back, and the phone returns by itself."""
    port = free_port()
    async with hosting(tmp_path, port, "--option", "countdown_ms=0") as (host, link):
        async with phone(browser, link) as guest:
            await guest.join("Ben")
            await deal(host, guest)
            servers = children_of(host.pid)
            host.stop(signal.SIGKILL)
            end_all(servers)
            await guest.see("#offline")
            async with hosting(tmp_path, port) as (again, same):
                servers = children_of(again.pid)
                assert link == same
                await guest.page.locator("#offline").wait_for(state="hidden")
                await guest.until_playing()
                again.type("tally")
                await again.line("Ben")
            end_all(servers)


@pytest.mark.long
async def test_who_joins_during_a_hand_is_told_when_to_play(tmp_path: Path, browser: Browser) -> None:
    """Instead of the button of those who play there is the sentence that the terminal shows.

    They may learn the game meanwhile at a table of their own, and count as ready: the next deal waits for
    nobody, and they are back in time for it, whatever step it is.
    """
    quick = ("--option", "countdown_ms=0", "--option", "time_limit_ms=9000", "--bots", "1")
    async with hosting(tmp_path, free_port(), *quick) as (host, link), phone(browser, link) as guest:
        host.type("")
        await host.line("^play!")
        await guest.join("Ben")
        await expect(guest.page.locator(".late:visible")).to_have_text("You play from the next deal.")
        await guest.page.tap("text=Learn while you wait")
        await guest.page.locator("#table .from").tap(position={"x": 10, "y": 8}, force=True)
        await expect(guest.page.locator(".says")).to_contain_text("Same suit")
        await host.line("Ben.*ready")
        await expect(guest.page.locator(".lesson")).to_be_visible()
        host.type("ready")
        await expect(guest.page.locator(".lesson")).to_be_hidden()
        await guest.until_playing()
        await expect(guest.page.locator(".status")).to_contain_text("of 5")


@pytest.mark.long
async def test_dealing_alone_asks(browser: Browser) -> None:
    """Who deals while nobody else is there is asked whether that is meant."""
    async with serving() as served, phone(browser, served.origin) as host:
        await host.create("Ann")
        await host.page.tap(".deal")
        await host.see("#sheet")
        await host.page.get_by_role("button", name="Deal for me alone").tap()
        await host.page.locator("#table").wait_for()
