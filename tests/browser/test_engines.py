"""A hand in the engines of other browsers: Firefox's, and that of Safari's relative."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Final

import pytest

from racing_demon_protocol.enums import Phase
from racing_demon_server.tables.room import Room
from tests.support.browsers import ENDS
from tests.support.engines import Engine, firefox, webkit
from tests.support.servers import PATIENCE, serving

SHOWN: Final = "document.body.dataset.screen"
ENTER: Final = """(() => {
  document.querySelector("#name").value = "Ann";
  document.querySelector("#create").click();
})()"""
CLICK: Final = """document.querySelector("{}")?.click()"""
POLL_SECONDS: Final = 0.1
TURNS: Final = 6


@pytest.mark.long
@pytest.mark.parametrize("open_in", [firefox, webkit])
async def test_a_hand_is_played_in_another_engine(
    open_in: Callable[[str], AbstractAsyncContextManager[Engine]],
) -> None:
    """A table is opened, cards are played by presses, the tally is shown, and the deal is proved."""
    async with serving(bot_speed=100.0) as served, open_in(served.origin) as page:
        await _until(page, f"{SHOWN} === 'start'")
        await page.evaluate(ENTER)
        await _until(page, "!!document.querySelector('#sheet .preset.primary')")
        await page.evaluate(CLICK.format("#sheet .preset.primary"))
        await _until(page, f"{SHOWN} === 'lobby'")
        room = served.registry.room(await page.evaluate("document.querySelector('.code').textContent"))
        await page.evaluate(CLICK.format(".add-bot"))
        await page.evaluate(CLICK.format(".deal"))
        await _until(page, f"{SHOWN} === 'table' && !!document.querySelector('.stuck:enabled')")
        before = room.table.view.seq
        for _ in range(TURNS):
            for x, y in await page.evaluate(f"({ENDS})()"):
                await page.press(x, y)
        assert before < room.table.view.seq
        async with asyncio.timeout(PATIENCE):
            while room.table.view.phase is Phase.PLAYING:
                await page.evaluate(CLICK.format(".stuck:enabled"))
                await asyncio.sleep(POLL_SECONDS)
        await _until(page, "document.querySelector('.proof').textContent.includes('match the shuffle')")
        assert await _out(page) == _points(room)


async def _until(page: Engine, expression: str) -> None:
    async with asyncio.timeout(PATIENCE):
        while True:
            if await page.evaluate(expression):
                return
            await asyncio.sleep(POLL_SECONDS)


async def _out(page: Engine) -> list[int]:
    told = await page.evaluate(
        "[...document.querySelectorAll('.tally tbody .total')].map((each) => Number(each.textContent))"
    )
    return sorted(told)


def _points(room: Room) -> list[int]:
    return sorted(room.table.view.results[-1].points)
