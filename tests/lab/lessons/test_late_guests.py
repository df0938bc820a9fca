"""Guests who come in mid-hand and learn meanwhile, until hands that end at random: is a deal ever missed?"""

import asyncio
import os
import random
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress
from typing import Final

import pytest
from playwright.async_api import Error as BrowserError

from racing_demon_client.net.client import Client
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import client as cl
from tests.support.browsers import Phone, chromium, phone
from tests.support.restartable_server import wait_until
from tests.support.screens import shows, sitting
from tests.support.servers import Peer, Served, serving
from tests.support.terminal import Player

pytestmark = pytest.mark.long
TRIALS: Final = int(os.environ.get("RACING_DEMON_TRIALS", "2"))
"""With a phone; a fifth of them, but one at least, with a terminal."""
LONGEST: Final = 5.0
"""Seconds from the guest's coming to the end of the hand, at most."""
LATE: Final = 1
"""The guest's seat."""


async def test_a_phone_misses_no_deal() -> None:
    """Whatever step it is at, the page is back at its table, and its player has cards in the next hand."""
    rng = random.Random(513)
    async with serving() as served, chromium() as browser:
        for trial in range(TRIALS):
            async with _hand(served, rng) as (host, view):
                async with phone(browser, f"{served.origin}/{host.code}") as guest:
                    await guest.join("Ben")
                    await _ends_while(_learn_on(guest), host, view, rng)
                    assert await _next_seats(view) == (0, LATE), trial
                    await guest.until_playing()
                    assert await guest.page.locator(".lesson").count() == 0, trial
                    assert guest.complaints == [], trial


async def test_a_terminal_misses_no_deal() -> None:
    """The same for the terminal, whose lessons are on a server of its own."""
    rng = random.Random(5130)
    async with serving() as served:
        for trial in range(max(1, TRIALS // 5)):
            async with _hand(served, rng) as (host, view):
                client = await Client.join(served.url, host.code, "Ben")
                async with sitting(client, "joined") as guest:
                    await _ends_while(_learn_at(guest), host, view, rng)
                    assert await _next_seats(view) == (0, LATE), trial
                    await _until_back(guest, client)


@asynccontextmanager
async def _hand(served: Served, rng: random.Random) -> AsyncIterator[tuple[Peer, TableState]]:
    """Let Ann play alone; the next hand is dealt when all are ready, or by itself as well."""
    async with Peer.hosting(served.url, countdown_ms=0, tally_ms=rng.choice([0, 1_000])) as host:
        view = served.registry.room(host.code).table.view
        await host.ask(cl.Start, seen=view.seq)
        yield host, view


async def _ends_while(work: Awaitable[None], host: Peer, view: TableState, rng: random.Random) -> None:
    """End the hand at some time, and be ready soon after."""
    learning = asyncio.ensure_future(work)
    await wait_until(lambda: LATE in view.seats)
    await asyncio.sleep(rng.uniform(0, LONGEST))
    await host.ask(cl.Stuck)
    await wait_until(lambda: view.phase is Phase.TALLY or view.hand_number == 2)
    await asyncio.sleep(rng.uniform(0, 0.3))
    await host.ask(cl.Ready)
    await wait_until(lambda: view.hand_number == 2)
    learning.cancel()
    with suppress(asyncio.CancelledError, BrowserError):
        await learning


async def _next_seats(view: TableState) -> tuple[int, ...]:
    await wait_until(lambda: view.hand_number == 2 and view.in_hand)
    return tuple(view.hand_seats)


async def _until_back(guest: Player, own: Client) -> None:
    await wait_until(lambda: guest.session.client is own)


async def _learn_on(guest: Phone) -> None:
    await guest.page.tap("text=Learn while you wait")
    while True:
        await guest.page.locator("#table .from").tap(position={"x": 10, "y": 8}, force=True)


async def _learn_at(guest: Player) -> None:
    await shows(guest, "learn while you wait")
    await guest.pilot.press("n")
    await shows(guest, "1/8")
    while True:
        lesson, board = guest.session.opened.lesson, guest.session.client.view.board
        if lesson is not None and board is not None and lesson.progress.target is not None:
            await guest.pilot.press(*guest.keys_for(lesson.progress.target, board))
        await asyncio.sleep(0.1)
