"""Other people's screens: tables in frames of other sites, and over somebody's picture."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http import HTTPStatus
from typing import Final

import pytest
from playwright.async_api import Browser, Frame, Page
from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from racing_demon_protocol.wire.messages.server import RaceLost
from tests.support.browsers import LASTING, phone
from tests.support.servers import Peer, serving

SITE: Final = """<!doctype html><body style="margin: 0; background: rgb(20, 60, 200)">
<iframe src="{url}" style="border: 0; width: 100vw; height: 100vh"></iframe>"""
STREAM: Final = {"viewport": {"width": 1280, "height": 720}, "is_mobile": False, "has_touch": False}
CORNERS: Final = [{"x": x, "y": y, "width": 8, "height": 8} for x in (0, 1272) for y in (0, 712)]
IDS: Final = """() => Object.fromEntries([...document.querySelectorAll("[id^=overlay-]")].map((node) =>
  [node.id, node.textContent.trim()]))"""
SHOWN: Final = """() => [...document.body.querySelectorAll("*")].filter((node) =>
  node.checkVisibility() && [...node.childNodes].some((each) => each.nodeType === 3 && each.data.trim()))
  .filter((node) => !node.closest("#overlay, .unseen, noscript")).map((node) => node.textContent)"""
KEPT: Final = "() => Object.keys(localStorage)"
HELD: Final = (
    """(code) => localStorage.setItem(`racing-demon.seat.${code}`, JSON.stringify("ab".repeat(32)))"""
)


@asynccontextmanager
async def site() -> AsyncIterator[tuple[str, dict[str, str]]]:
    """Run another site, whose page has a frame; give its origin, and the place for the frame's address."""
    framed = {"url": ""}

    async def page(_connection: ServerConnection, _request: Request) -> Response:
        body = SITE.format(url=framed["url"]).encode()
        headers = Headers(
            {"Content-Type": "text/html", "Content-Length": str(len(body)), "Connection": "close"}
        )
        return Response(HTTPStatus.OK, "OK", headers, body)

    async with serve(lambda _: asyncio.sleep(0), "127.0.0.1", 0, process_request=page) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        yield f"http://127.0.0.1:{port}", framed


async def framed_by(page: Page, origin: str) -> Frame:
    """Load a site's page, and return what is in its frame."""
    await page.goto(origin)
    (frame,) = page.main_frame.child_frames
    return frame


async def is_refused(page: Page, frame: Frame) -> bool:
    """Whether the browser shows nothing of the server in a frame."""
    await page.wait_for_load_state("load")
    return not frame.url.startswith("http")


@pytest.mark.long
@pytest.mark.parametrize("view", ["overlay", "watch", "tv"])
async def test_a_site_that_is_named_shows_a_table_that_is_watched(browser: Browser, view: str) -> None:
    """It sees the table as any spectator does, and another site sees nothing."""
    async with (
        site() as (club, at_club),
        site() as (other, at_other),
        serving(embeds=(club,), seed=LASTING) as served,
    ):
        async with phone(browser, served.origin) as ann, phone(browser, served.origin, **STREAM) as guest:
            code = await ann.create("Ann")
            await ann.deal()
            at_club["url"] = at_other["url"] = f"{served.origin}/{code}?{view}"
            frame = await framed_by(guest.page, club)
            await frame.locator("#overlay-name-0" if view == "overlay" else ".chip .name").wait_for()
            await frame.evaluate("location.reload()")  # its address is still one that may be framed
            await frame.locator("#overlay-name-0" if view == "overlay" else ".chip .name").wait_for()
            assert guest.complaints == []
            assert await is_refused(guest.page, await framed_by(guest.page, other))


@pytest.mark.long
async def test_nobody_frames_a_page_on_which_somebody_may_play(browser: Browser) -> None:
    """A site that may show tables may show only those: it could have a press on its page play a card."""
    async with site() as (club, at_club), serving(embeds=(club,)) as served:
        async with phone(browser, served.origin) as guest, Peer.hosting(served.url) as host:
            code = host.code
            for path in ("", "/new", f"/{code}", "/new?watch", "/?tv", f"/{code}?preset=nerts"):
                at_club["url"] = served.origin + path
                assert await is_refused(guest.page, await framed_by(guest.page, club)), path


@pytest.mark.long
async def test_a_framed_page_has_no_seat(browser: Browser) -> None:
    """Where the device holds a seat it only watches, and nobody can join or open a table: it is said why."""
    async with site() as (club, at_club), serving(embeds=(club,)) as served:
        async with phone(browser, served.origin) as ann, phone(browser, served.origin) as guest:
            code = await ann.create("Ann")
            await guest.page.evaluate(HELD, code)
            at_club["url"] = f"{served.origin}/{code}?watch"
            frame = await framed_by(guest.page, club)
            await frame.locator("#lobby-title .code", has_text=code).wait_for()
            assert await frame.locator("#lobby .ready").is_hidden()
            await frame.tap("#lobby-menu")
            await frame.tap("#sheet-items button:has-text('Leave the table')")
            await frame.fill("#name", "Eve")
            await frame.fill("#code", code)
            for press in ("#join", "#create"):
                await frame.tap(press)
                await frame.locator("#problem", has_text="only watch here").wait_for()
            assert await frame.evaluate(KEPT) == [f"racing-demon.seat.{code}"]
            assert list(served.registry.room(code).table.view.seats) == [0]


@pytest.mark.long
async def test_the_overlay_is_transparent_around_names_points_and_foundations(
    browser: Browser,
) -> None:
    """Over a picture there are the players, what they have, and the foundations; the rest is the picture."""
    async with site() as (club, at_club), serving(embeds=(club,), bot_speed=20.0) as served:
        async with phone(browser, served.origin) as ann, phone(browser, served.origin, **STREAM) as stream:
            code = await ann.create("Ann")
            # One bot may find no ace that it could play; four find one.
            for bots in range(4):
                await ann.page.locator(".player").nth(bots).wait_for()
                await ann.page.tap(".add-bot")
            await ann.page.tap(".deal")
            at_club["url"] = f"{served.origin}/{code}?overlay"
            frame = await framed_by(stream.page, club)
            await frame.locator("#overlay-foundations .card").first.wait_for()
            told = await frame.evaluate(IDS)
            assert told["overlay-name-0"] == "Ann"
            assert told["overlay-points-1"].lstrip("-").isdecimal()
            assert told.keys() >= {"overlay-players", "overlay-race", "overlay-player-1", "overlay-total-0"}
            assert await frame.evaluate(SHOWN) == []
            around = [await stream.page.screenshot(clip=corner) for corner in CORNERS]  # type: ignore[arg-type]
            await ann.finish()
            await frame.locator("#overlay-total-0", has_text="Total").wait_for()
            assert stream.complaints == []
            at_club["url"] = "about:blank"
            await stream.page.goto(club)
            assert around == [await stream.page.screenshot(clip=corner) for corner in CORNERS]  # type: ignore[arg-type]


@pytest.mark.long
async def test_the_overlay_names_the_last_race(browser: Browser) -> None:
    """Who was faster, with what, and by how much; with the next deal it is gone."""
    async with serving(seed=LASTING) as served, phone(browser, served.origin) as ann:
        code = await ann.create("Ann")
        await ann.deal()
        async with phone(browser, f"{served.origin}/{code}?overlay", **STREAM) as stream:
            await stream.page.locator("#overlay-name-0").wait_for()
            race = RaceLost(pile=0, card=5, by=0, seat=0, late_us=200_000)
            served.registry.room(code).broadcast.spectators.show_race(race)
            await stream.page.locator("#overlay-race", has_text="6♠: Ann beat Ann by 0.2 s").wait_for()
            await ann.finish()
            await ann.page.tap(".ready")
            await stream.page.locator("#overlay-race", has_text="Ann").wait_for(state="detached")


@pytest.mark.long
async def test_an_overlay_without_its_table_says_why(browser: Browser) -> None:
    """Who sets a stream up reads what is wrong, and can give the table's passphrase."""
    async with serving() as served, phone(browser, f"{served.origin}/BCDF?overlay", **STREAM) as stream:
        await stream.page.locator("#problem", has_text="No table has this code").wait_for()
        assert await stream.page.locator("#overlay").count() == 0
