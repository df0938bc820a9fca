"""The table for everybody: without a mouse, without sight, and in every palette."""

from pathlib import Path
from typing import Any, Final

import pytest
from playwright.async_api import Browser

from tests.browser.walk import HASTY, screens
from tests.support.browsers import LASTING, Phone, phone
from tests.support.effort import LONG
from tests.support.nodes import tool
from tests.support.restartable_server import RestartableServer
from tests.support.results import origin_of
from tests.support.servers import serving

PALETTES: Final = (
    *(("dark", False), ("light", False), ("contrast", False)),
    *(("dark", True), ("light", True), ("contrast", True)),
)
"""Themes, with two colors of suits and with four."""

SHOW: Final = """([theme, isFourColor]) => {
  document.documentElement.dataset.theme = theme;
  document.documentElement.classList.toggle("four-color", isFourColor);
  for (const moving of document.getAnimations()) {
    const isEndless = moving.effect.getComputedTiming().endTime === Infinity;
    isEndless ? moving.cancel() : moving.finish();
  }
}"""
STYLED: Final = "() => [...document.querySelectorAll('link[rel=stylesheet]')].every(({ sheet }) => sheet)"
VIOLATIONS: Final = """async () => (await axe.run()).violations.map(({ id, nodes }) =>
  `${id}: ${nodes.map((node) => node.target).join(" ")}`)"""
QUICK: Final[dict[str, Any]] = {"bot_speed": 200.0, "seed": LASTING}


async def violations(player: Phone) -> list[Any]:
    """Return what axe finds wrong with the page as it is, in any palette; it is asked in the long run."""
    if not LONG:
        return []
    await player.page.wait_for_function(STYLED)
    await player.page.evaluate(tool("axe-core/axe.min.js").read_text("utf-8") + "; 0")
    found = []
    for palette in PALETTES:
        await player.page.evaluate(SHOW, list(palette))
        found += [(*palette, broken) for broken in await player.page.evaluate(VIOLATIONS)]
    return found


@pytest.mark.long
async def test_no_screen_breaks_a_rule_of_accessibility_in_any_palette(
    browser: Browser, tmp_path: Path
) -> None:
    """Axe finds nothing: names, contrast, sizes of targets, headings, order, and roles are right."""
    found = []
    async with (
        RestartableServer.started(tmp_path / "journal.sqlite", *HASTY) as server,
        phone(browser, origin_of(server)) as player,
    ):
        async for name in screens(player, origin_of(server)):
            found += [(name, each) for each in await violations(player)]
        async with phone(browser, origin_of(server)) as guest:
            await guest.page.tap("#learn")
            await guest.page.locator("#table .from").wait_for()
            found += [("lesson", each) for each in await violations(guest)]
        assert player.complaints + guest.complaints == []
    assert not found, found


@pytest.mark.long
@pytest.mark.parametrize("view", ["#watch", "#tv"])
async def test_no_screen_of_a_spectator_breaks_a_rule_of_accessibility(browser: Browser, view: str) -> None:
    """Axe finds nothing on the lobby, the table, and the tally of those who watch, on any screen."""
    async with serving(**QUICK) as served, phone(browser, served.origin) as player:
        link = f"{served.origin}/{await player.create('Ann')}"
        await player.page.tap(".add-bot")
        async with phone(browser, link, viewport={"width": 1920, "height": 1080}) as spectator:
            await spectator.page.tap(view)
            await spectator.see("#lobby")
            assert await violations(spectator) == []
            await player.page.tap(".deal")
            await spectator.see("#table .slot.foundation")
            assert await violations(spectator) == []
            await player.finish()
            await spectator.see(".tally")
            assert await violations(spectator) == []
            assert spectator.complaints == []


async def test_a_hand_is_played_with_the_keyboard_alone(browser: Browser) -> None:
    """From the first screen to the tally no pointer is needed."""
    async with serving(**QUICK) as served, phone(browser, served.origin) as player:
        keys = player.page.keyboard
        await keys.type("Ann")
        for name in ("Open a table", "Klondike race"):
            await _focus_on(player, name)
            await keys.press("Enter")
        await player.see("#lobby")
        for name in ("Deal anyway", "Deal for me alone"):
            await _focus_on(player, name)
            await keys.press("Enter")
        await player.see("#table")
        await player.until_playing()
        for key in "  asdfjkl qweruio ; p asdfjkl":
            await keys.press("Space" if key == " " else key)
        room = served.registry.room(await player.code())
        await _focus_on(player, "Stock", "#table")
        before = room.table.view.seq
        await keys.press("Enter")
        await keys.press("v")
        await player.see(".tally")
        assert before < room.table.view.seq
        assert player.complaints == []


async def test_the_table_is_read_and_played_as_text(browser: Browser) -> None:
    """Headings and lists say what lies where, and typed lines play it."""
    async with serving(seed=bytes(32)) as served:
        async with phone(browser, served.origin) as player:
            code = await player.create("Ann")
            await player.page.tap(".add-bot")
            await player.page.tap("#lobby-menu")
            await player.page.tap("text=Show the table as text")
            await player.page.tap("#sheet-close")
            await player.page.tap(".deal")
            await player.until_playing()
            board = served.registry.room(code).table.view.board
            assert board is not None
            line = player.page.locator(".command input")
            await line.fill("t")
            await line.press("Enter")
            await player.page.locator(".lines", has_text="Stock: 21 face down").wait_for()
            assert await player.page.locator(".lines h2").all_inner_texts() == [
                "Foundations",
                "Your cards",
                "Points",
            ]
            rows = await player.page.locator(".lines li").all_inner_texts()
            assert any(row.startswith("Waste: ") for row in rows)
            assert any(row.startswith("Column 7: ") and row.endswith(", 6 hidden") for row in rows)
            await line.fill("99 up")
            await line.press("Enter")
            await player.page.locator("#alert", has_text="Type a column's number").wait_for(state="attached")


async def _focus_on(player: Phone, name: str, root: str = "body") -> None:
    """Press Tab until what has the focus has a name that begins so."""

    async def has_it() -> bool:
        await player.page.keyboard.press("Tab")
        return str(await player.page.evaluate(FOCUSED, root)).startswith(name)

    await player.until(has_it)


FOCUSED: Final = """(root) => {
  const focused = document.querySelector(`${root} :focus`);
  return focused?.getAttribute("aria-label") ?? focused?.textContent ?? "";
}"""
