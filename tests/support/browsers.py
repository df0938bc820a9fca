"""A real browser: Chromium from the distribution's packages, driven by Playwright."""

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import pytest
from playwright.async_api import Browser, ConsoleMessage, Page, WebSocket, async_playwright, expect

from racing_demon_protocol.errors import InvalidFrame
from racing_demon_protocol.wire.codec import decode_server
from racing_demon_protocol.wire.messages import Event, Message
from racing_demon_protocol.wire.messages.server import Refused, Snapshot
from tests.support.namespaces import NetworkLink
from tests.support.servers import PATIENCE, deadline, timeout

NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""It runs as root, and asks nobody on the Internet for anything."""
NOT_UNDERSTOOD: Final = "not understood: "
POLL_MS: Final = 50
QUICK: Final = 10.0
"""Seconds in which a page that is not stuck answers."""
PATIENCE_MS: Final = PATIENCE * 1_000
LASTING: Final = bytes(32)
"""The seed of a deal in which one medium bot gets stuck: of others it ends one in fourteen by going out.

A player alone can play, too: one in 600 other deals is over half a second after it, as there is no play.
"""
WATCH_SCREENS: Final = """() => {
  window.screens = [];
  new MutationObserver(() => window.screens.push(document.body.dataset.screen))
    .observe(document.body, { attributes: true, attributeFilter: ["data-screen"] });
}"""
"""Keeps which screens a page shows, one after another."""
SMALL: Final = {"width": 360, "height": 560}
TALL_PHONE: Final[dict[str, Any]] = {"viewport": {"width": 390, "height": 844}}
SMALL_PHONE: Final[dict[str, Any]] = {"viewport": {"width": 320, "height": 568}}
TELEVISION: Final[dict[str, Any]] = {
    "viewport": {"width": 1920, "height": 1080},
    "has_touch": False,
    "is_mobile": False,
}
"""The screens on which what is new is looked at."""

expect.set_options(timeout=PATIENCE_MS)


@asynccontextmanager
async def chromium(*flags: str, machine: NetworkLink | None = None, end: str = "b") -> AsyncIterator[Browser]:
    """Start Chromium, here or on one of the machines of a cable.

    Where there is none, the test is passed over, unless it was said to be there.
    """
    found = next(filter(None, map(shutil.which, NAMES)), None)
    path = found if machine is None or found is None else machine.program(end, found)
    if path is None:
        if os.environ.get("RACING_DEMON_BROWSER") == "required":
            pytest.fail("there is no Chromium: apt-get install chromium")
        pytest.skip("there is no Chromium here: apt-get install chromium")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=[*QUIET, *flags])
        try:
            yield browser
        finally:
            await browser.close()


class Phone:
    """A page on a device of its own.

    Attributes:
        page: the page.
        complaints: what went wrong on it: errors of scripts, what its policy forbade, and frames that no
            server of ours sends.
        heard: what the server told it.
        connections: the same by the sockets that it came through, in their order.

    """

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.heard: list[Message] = []
        self.connections: list[list[Message]] = []
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", self._record_error)
        page.on("websocket", self._listen)

    def _listen(self, socket: WebSocket) -> None:
        told: list[Message] = []
        self.connections.append(told)

        def hear(frame: bytes | str) -> None:
            try:
                message = decode_server(frame)
            except InvalidFrame as error:
                self.complaints.append(f"{NOT_UNDERSTOOD}{error}")
                return
            told.append(message)
            self.heard.append(message)

        socket.on("framereceived", hear)

    def _record_error(self, message: ConsoleMessage) -> None:
        address = str(message.location.get("url", ""))
        is_not_ours = "/v1/" in address and "404" in message.text  # results that are not there, or not shown
        if message.type == "error" and not is_not_ours:
            self.complaints.append(f"{message.text} {address}".strip())

    @property
    def seq(self) -> int:
        """The last event that came through the newest socket, by itself or within a snapshot."""
        newest = self.connections[-1]
        return max((each.seq for each in newest if isinstance(each, Event | Snapshot)), default=0)

    async def open(self, url: str) -> None:
        """Load the page and wait until it can be used."""
        await self.page.goto(url)
        await self.page.wait_for_selector("#start.is-ready", state="attached")

    async def create(self, name: str) -> str:
        """Open a table, and return its code."""
        await self.page.fill("#name", name)
        await self.page.tap("#create")
        await self.page.tap("#sheet .preset.primary")
        await self.see("#lobby")
        return await self.code()

    async def show_rules(self) -> None:
        """Show all options of the table, to change them or to read them."""
        await self.page.tap(".all-options:not([aria-expanded=true])")  # earlier trees do not say which
        await self.page.locator(".option").first.wait_for()
        await self.page.evaluate(UNFOLD)

    async def hide_rules(self) -> None:
        """Be done with the options."""
        await self.page.tap(".all-options[aria-expanded=true]")

    async def code(self) -> str:
        """Return the code of the table that the page is at."""
        # The field has it with the place at the table: a lobby that is left at once may never be drawn.
        return await self.page.input_value("#code")

    async def join(self, name: str) -> None:
        """Sit down at the table of the page's path."""
        await self.page.fill("#name", name)
        await self.page.tap("#join")
        await self.see("#lobby, #table")

    async def deal(self) -> None:
        """Deal, also where nobody else is there."""
        await self.page.tap(".deal")
        await self.see(f"#table, {ALONE}")
        if await self.page.locator(ALONE).is_visible():
            await self.page.tap(ALONE)

    async def deal_with_bot(self) -> None:
        """Add a bot, deal, and wait until cards can be played."""
        await self.page.tap(".add-bot")
        await self.deal()
        await self.until_playing()

    async def until_playing(self) -> None:
        """Wait until cards can be played."""
        await self.page.locator(".stuck:enabled").wait_for()

    async def see(self, selector: str) -> None:
        """Wait until one of these is shown."""
        await self.page.locator(selector).locator("visible=true").first.wait_for()

    async def play_match(self, name: str, *, casual: bool = False) -> None:
        """Open a table, and play a match of one hand against a bot, up to its tally."""
        await self.create(name)
        await self.page.tap(".add-bot")
        await self.show_rules()
        hands = self.page.locator('.option:has(span:text-is("Hands in a match")) select')
        await hands.select_option(label="1")
        if casual:
            await self.page.get_by_label("Casual (in no standings)").check()
        await self.hide_rules()
        await self.page.tap(".deal")
        await self.finish()

    async def finish(self) -> None:
        """Say that there is nothing left to play, as often as it takes, until the tally is shown."""
        tally = self.page.locator(".tally tbody tr:visible")

        async def say_stuck() -> bool:
            if await tally.count():
                return True
            await self.page.evaluate(SAY_STUCK)
            return False

        await self.until(say_stuck)

    async def until(self, holds: Callable[[], Awaitable[bool]]) -> None:
        """Look until something holds, and fail with what the page shows if it never does."""
        try:
            async with asyncio.timeout(PATIENCE):
                while not await holds():
                    await self.page.wait_for_timeout(POLL_MS)
        except TimeoutError:
            raise AssertionError(f"waited in vain: {await self.state()}") from None

    async def state(self) -> str:
        """Say what the page shows, and what it was told."""
        shown = await timeout(QUICK, self.page.evaluate(SHOWN))
        refused = [each for each in self.heard if isinstance(each, Refused)]
        told = f"event {self.seq}, {len(self.connections)} connections, refused {refused[-3:]}"
        return f"{shown}; {told}, complaints {self.complaints}"

    async def keep_tapping(self) -> None:
        """Tap all piles as soon as there is a table, until this is cancelled or has gone on for too long."""
        await self.see("#table")
        async with deadline(lambda: f"tapped until event {self.seq}"):
            while True:
                await self.tap_piles()

    async def tap_piles(self) -> None:
        """Tap the end of each of the player's piles once, as a finger would."""
        for number in range(len(await self.page.evaluate(ENDS))):
            ends = await self.page.evaluate(ENDS)
            if number < len(ends):  # else the hand is over: another screen is under the finger
                await self.page.touchscreen.tap(*ends[number])

    async def stock(self) -> tuple[float, float]:
        """Return where the player's stock is."""
        x, y = await self.page.evaluate(STOCK)
        return float(x), float(y)

    async def tops(self) -> list[str]:
        """Return the cards that lie on foundations, as they are read to those who cannot see them."""
        labels = [label.partition(": ")[2] for label in await self.page.evaluate(FOUNDATIONS)]
        return sorted(label for label in labels if label != "empty")

    async def points(self) -> dict[str, int]:
        """Return the tally: what each player has in all."""
        return {name: int(total) for name, total in await self.page.evaluate(TALLY)}


SHOWN: Final = """() => `${document.body.dataset.screen}: ${document.body.innerText.slice(0, 2000)}`"""
ALONE: Final = "#sheet-items button:text-is('Deal for me alone')"
UNFOLD: Final = (
    """() => document.querySelectorAll(".options details").forEach((part) => { part.open = true; })"""
)
SAY_STUCK: Final = """() => document.querySelector(".stuck:enabled")?.click()"""
PILES: Final = "#table:not([hidden]) .slot:not(.foundation)"
ENDS: Final = f"""() => [...document.querySelectorAll("{PILES}")].map((slot) => {{
  const box = slot.getBoundingClientRect();
  return [box.left + box.width / 2, box.bottom - 8];
}})"""
STOCK: Final = """() => {
  const box = document.querySelector(".slot.stock").getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
}"""
FOUNDATIONS: Final = """() =>
  [...document.querySelectorAll(".slot.foundation")].map((slot) => slot.getAttribute("aria-label"))"""
TALLY: Final = """() => [...document.querySelectorAll(".tally tbody tr:not(.team)")].map((row) =>
  [row.querySelector("bdi").textContent, row.querySelector(".total").textContent])"""


@asynccontextmanager
async def phone(browser: Browser, url: str, **changes: object) -> AsyncIterator[Phone]:
    """Open a page on a small phone with a touch screen."""
    settings = {"viewport": SMALL, "has_touch": True, "is_mobile": True, **changes}
    context = await browser.new_context(**settings)  # type: ignore[arg-type]
    context.set_default_timeout(PATIENCE_MS)
    try:
        made = Phone(await context.new_page())
        await made.open(url)
        yield made
    finally:
        await context.close()
