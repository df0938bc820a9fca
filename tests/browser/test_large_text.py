"""Large text and narrow screens: nothing has to be scrolled sideways, and a double tap does not zoom."""

import re
from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import Browser

from tests.browser.walk import HASTY, screens
from tests.support.browsers import phone
from tests.support.restartable_server import RestartableServer
from tests.support.results import origin_of
from tests.support.servers import serving

ENLARGE: Final = "(size) => document.documentElement.style.setProperty('font-size', size)"
STRETCHED: Final = """() => [document.documentElement, document.querySelector(".sheet-box")]
  .filter((each) => each && each.scrollWidth > each.clientWidth)
  .flatMap((each) => [...each.querySelectorAll("*")].filter((part) =>
    part.checkVisibility() && !part.closest(".unseen, .wide > *") && !part.firstElementChild &&
    part.getBoundingClientRect().right > each.clientWidth + 0.5))
  .map((part) => `scrolls sideways to ${part.tagName} ${part.className} ${part.textContent.slice(0, 30)}`)"""
OUTSIDE: Final = """() => [...document.querySelectorAll("button, a, input, select, summary, .chip")]
  .filter((each) => each.checkVisibility({ visibilityProperty: true }) && !each.closest(".unseen, .wide"))
  .filter((each) => {
    const { left, right, top, bottom, width } = each.getBoundingClientRect();
    const isFixed = document.body.dataset.screen === "table" && !each.closest(".sheet-box, .text");
    const isBeside = left < -1 || right > innerWidth + 1;
    return width && (isBeside || (isFixed && (top < -1 || bottom > innerHeight + 1)));
  })
  .map((each) => `${each.id || each.className || each.tagName} is outside`)"""
CUT: Final = """() => {
  const found = new Set();
  const lines = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let line = lines.nextNode(); line; line = lines.nextNode()) {
    const owner = line.parentElement;
    if (!line.textContent.trim() || !owner.checkVisibility({ visibilityProperty: true })) continue;
    if (owner.closest(".unseen, .sprite, .card, script, noscript, .chatlog, [aria-hidden=true]")) continue;
    const range = document.createRange();
    range.selectNodeContents(line);
    const text = range.getBoundingClientRect();
    for (let box = owner; box !== document.body; box = box.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(box);
      const { left, right, top, bottom } = box.getBoundingClientRect();
      const isButton = box === owner && box.tagName === "BUTTON";
      const isNarrow = overflowX === "hidden" || isButton;
      const isLow = overflowY === "hidden" || isButton;
      if (overflowX === "auto" || overflowY === "auto") break;
      if ((isNarrow && (text.left < left - 1.5 || text.right > right + 1.5)) ||
          (isLow && (text.top < top - 3 || text.bottom > bottom + 3)))
        found.add(`${owner.className || owner.tagName}: ${line.textContent.trim().slice(0, 40)} is cut`);
    }
  }
  return [...found];
}"""
"""Text that leaves what cuts it. Names are cut with an ellipsis by intent: their shapes say who it is."""
IS_NAME: Final = re.compile(r"^(name|BDI|whose)\b")
DRAWN: Final = """() => new Promise((told) => {
  let [before, same] = ["", 0];
  const look = () => {
    const nodes = [...document.querySelectorAll("#table .slot, .chip")];
    const boxes = nodes.map((each) => each.getBoundingClientRect());
    const now = boxes.map(({ left, top, width, height }) => [left, top, width, height]).join();
    same = now === before ? same + 1 : 0;
    before = now;
    if (same < 3) requestAnimationFrame(look);
    else told();
  };
  look();
})"""
"""Tells when the table lies still: the page measures and lays it out in pictures of its own."""
ZOOMS: Final = """() => {
  const safe = (node) => node && (/none|manipulation/.test(getComputedStyle(node).touchAction)
    || safe(node.parentElement));
  return [...document.querySelectorAll("button, a, input, select, .chip")]
    .filter((node) => !safe(node)).map((node) => node.outerHTML);
}"""


@pytest.mark.long
@pytest.mark.parametrize(("width", "size"), [(390, "32px"), (280, "16px")])
async def test_every_screen_fits(browser: Browser, tmp_path: Path, width: int, size: str) -> None:
    """Nothing scrolls sideways, no control is outside, no text is cut: folded phones, text at 200 %."""
    found: list[str] = []
    async with (
        RestartableServer.started(tmp_path / "journal.sqlite", *HASTY) as server,
        phone(browser, origin_of(server), viewport={"width": width, "height": 844}) as player,
    ):
        async for name in screens(player, origin_of(server)):
            await player.page.evaluate(ENLARGE, size)
            await player.page.evaluate(DRAWN)
            for faults in (STRETCHED, OUTSIDE, CUT):
                told = await player.page.evaluate(faults)
                found += [f"{name}: {each}" for each in told if not IS_NAME.search(each)]
    assert not found, "\n".join(found)


@pytest.mark.long
async def test_a_double_tap_zooms_nothing_that_is_pressed(browser: Browser) -> None:
    """Whoever taps a button quickly sees no other picture, on whichever screen."""
    async with serving() as served, phone(browser, served.origin) as player:
        await player.create("Ann")
        assert await player.page.evaluate(ZOOMS) == []
