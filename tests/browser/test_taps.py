"""What fingers mean on the felt: taps, drags, flicks and long presses, one and two at a time."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final, NamedTuple

import pytest
from playwright.async_api import Browser, expect

from racing_demon_protocol.engine.board import Kind, Play
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.table.suggestions import best_play
from racing_demon_server.match.table import Table
from tests.support.browsers import Phone, phone
from tests.support.restartable_server import wait_until
from tests.support.servers import serving

END_OF: Final = """(pile) => {
  const box = document.querySelector(`.slot[data-pile="${pile}"]`).getBoundingClientRect();
  return [box.left + box.width / 2, box.bottom - 8];
}"""


class Sitting(NamedTuple):
    """One player at a table of a deal that is always the same, with fingers on the glass."""

    player: Phone
    table: Table
    touches: Any

    @property
    def view(self) -> TableState:
        """The table, as the server has it."""
        return self.table.view

    def plays(self) -> list[Play]:
        """Return the best play of each column that has one."""
        assert self.view.hand is not None
        columns = self.view.hand.rules.layout.seat_piles(0, Kind.TABLEAU)
        bests = [best_play(self.view.hand.rules, self.view.hand.board, 0, column) for column in columns]
        return [best for best in bests if best is not None and best.count == 1]

    async def end_of(self, pile: int) -> tuple[float, float]:
        """Return where the last card of a pile can be touched."""
        x, y = await self.player.page.evaluate(END_OF, pile)
        return float(x), float(y)

    async def touch(self, kind: str, *points: tuple[float, float]) -> None:
        """Let fingers go down, move, or up: those that are named stay on the glass."""
        named = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
        await self.touches.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": named})


@asynccontextmanager
async def sitting(browser: Browser) -> AsyncIterator[Sitting]:
    """Sit alone at a table whose stock was never turned, after the signal."""
    async with serving(seed=bytes(31) + b"\7") as served:
        async with phone(browser, served.origin) as player:
            code = await player.create("Ann")
            await player.deal()
            await player.until_playing()
            touches = await player.page.context.new_cdp_session(player.page)
            yield Sitting(player, served.registry.room(code).table, touches)
            assert player.complaints == []


@pytest.mark.long
async def test_two_thumbs_tap_at_once(browser: Browser) -> None:
    """Each finger has a gesture of its own: one that rests on the felt takes nothing from the other."""
    async with sitting(browser) as there:
        play, before = there.plays()[0], there.view.seq
        resting = (2.0, 300.0)
        x, y = await there.end_of(play.source)
        await there.touch("Start", resting)
        # At once: on a busy machine the finger would rest for as long as a long press.
        await asyncio.gather(there.touch("Start", resting, (x, y)), there.touch("End"))
        await wait_until(lambda: there.view.seq > before)


async def test_a_card_is_dragged_to_where_it_goes(browser: Browser) -> None:
    """It follows the finger, above it, and lands where it is let go."""
    async with sitting(browser) as there:
        play, before = there.plays()[0], there.view.seq
        (x, y), (to_x, to_y) = await there.end_of(play.source), await there.end_of(play.destination)
        await there.touch("Start", (x, y))
        for part in (0.3, 0.7, 1.0):
            await there.touch("Move", (x + (to_x - x) * part, y + (to_y + 40 - y) * part))
        await expect(there.player.page.locator(".card.drag")).to_have_count(1)
        await there.touch("End")
        await wait_until(lambda: there.view.seq > before)


@pytest.mark.long
async def test_a_long_press_picks_up_and_a_tap_puts_down(browser: Browser) -> None:
    """For shaky hands, and for columns on purpose."""
    async with sitting(browser) as there:
        play, before = there.plays()[0], there.view.seq
        x, y = await there.end_of(play.source)
        await there.touch("Start", (x, y))
        await there.player.page.locator(".card.held").wait_for()
        await there.touch("End")
        assert before == there.view.seq
        await there.player.page.touchscreen.tap(*await there.end_of(play.destination))
        await wait_until(lambda: there.view.seq > before)


@pytest.mark.long
async def test_the_stock_turns_while_the_finger_is_down(browser: Browser) -> None:
    """Nothing can be dragged from it, so it need not wait for the finger to lift."""
    async with sitting(browser) as there:
        before = there.view.seq
        assert there.view.hand is not None
        x, y = await there.end_of(there.view.hand.rules.layout.stock[0])
        await there.touch("Start", (x + 30, y))  # a thumb that just misses it means it, too
        await wait_until(lambda: there.view.seq > before)
        await there.touch("End")


@pytest.mark.long
async def test_a_finger_that_comes_as_the_hand_ends_presses_nothing(browser: Browser) -> None:
    """For half a second the tally heeds no finger: it was on its way to a card."""
    async with sitting(browser) as there:
        page = there.player.page
        await there.touches.send("Animation.enable")
        await there.touches.send("Animation.setPlaybackRate", {"playbackRate": 0})
        await page.tap(".stuck")
        await there.player.see(".tally")
        box = await page.locator(".ready").bounding_box()
        assert box is not None
        await page.touchscreen.tap(box["x"] + 9, box["y"] + 9)
        await there.touches.send("Animation.setPlaybackRate", {"playbackRate": 1})
        await page.tap(".ready")
        await wait_until(lambda: there.view.hand_number == 2)


@pytest.mark.long
async def test_nothing_that_fingers_do_moves_the_page(browser: Browser) -> None:
    """It neither scrolls nor zooms while cards are played."""
    async with sitting(browser) as there:
        await there.touch("Start", (100, 400))
        await there.touch("Move", (100, 100))
        await there.touch("End")
        await there.touch("Start", (100, 300), (200, 300))
        await there.touch("Move", (40, 300), (300, 300))
        await there.touch("End")
        moved = (
            "[scrollX, scrollY, visualViewport.scale, document.documentElement.scrollHeight - innerHeight]"
        )
        assert await there.player.page.evaluate(moved) == [0, 0, 1, 0]
