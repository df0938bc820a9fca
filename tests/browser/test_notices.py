"""Where what is told for a moment lies: on nothing that is pressed, and on no card."""

from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import Browser

from tests.browser.walk import HASTY, screens
from tests.support.browsers import TALL_PHONE, phone
from tests.support.restartable_server import RestartableServer
from tests.support.results import origin_of

TELL: Final = """async (text) => {
  const main = document.querySelector("script[src$='main.js']").src;
  const { show } = await import(main.replace("main.js", "screens/notices.js"));
  const toast = document.querySelector("#toast");
  clearTimeout(Number(toast.dataset.timer));
  toast.textContent = text;
  toast.classList.add("shown");
  show(toast);
}"""
HIDDEN: Final = """() => {
  if (!document.querySelector("#toast.shown")) return [];
  const toast = document.querySelector("#toast").getBoundingClientRect();
  const sheet = document.querySelector("#sheet");
  const kept = "button, a, input, select, summary, .slot, #table .card, #note:not(:empty)";
  return [...(sheet.hidden ? document.body : sheet).querySelectorAll(kept)]
    .filter((each) => each.checkVisibility({ visibilityProperty: true }))
    .filter((each) => {
      const { left, right, top, bottom, width } = each.getBoundingClientRect();
      return width && left < toast.right && toast.left < right && top < toast.bottom && toast.top < bottom;
    })
    .map((each) => `${each.tagName} ${each.className} ${each.textContent.slice(0, 30)}`);
}"""
SIGN: Final = """(textContent) => {
  document.querySelector(".replay [aria-label=Pause]")?.click();
  Object.assign(document.querySelector(".replay .sign"), { hidden: false, textContent });
}"""
IS_CLEAR: Final = """() => document.querySelector("#table .slot.stock").getBoundingClientRect().bottom <=
  document.querySelector(".replay").getBoundingClientRect().top"""
JUMP: Final = """() => {
  const slider = document.querySelector(".replay input");
  slider.value = slider.max;
  slider.dispatchEvent(new Event("input"));
}"""
SHORT, LONG = "Time is up.", "Cyn played 7♦: your 8♦ can go up, and your 2♠ on the 3♥ of the second column."


@pytest.mark.long
async def test_a_notice_hides_nothing_that_is_pressed(browser: Browser, tmp_path: Path) -> None:
    """On every screen of a phone, also where another comes below it; a replay's sentence makes room.

    A replay that jumps takes away what was said of where it was.
    """
    found: list[str] = []
    async with (
        RestartableServer.started(tmp_path / "journal.sqlite", *HASTY) as server,
        phone(browser, origin_of(server), **TALL_PHONE) as player,
    ):
        async for name in screens(player, origin_of(server)):
            # What was told on the screen before has to make way by itself.
            await player.page.wait_for_function(f"() => ({HIDDEN})().length === 0")
            for text in (SHORT, LONG):
                await player.page.evaluate(TELL, text)
                found += [f"{name}: {each}" for each in await player.page.evaluate(HIDDEN)]
            if name == "replay":
                await player.page.evaluate(SIGN, LONG * 2)
                await player.page.wait_for_function(IS_CLEAR)
                await player.page.evaluate(TELL, SHORT)
                await player.page.evaluate(JUMP)
                if await player.page.locator("#toast.shown").count() > 0:
                    found.append("what was said before a jump")
        assert player.complaints == []
    assert not found, "\n".join(found)
