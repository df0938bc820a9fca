"""A page that the browser translates stays true: what the translator has put around texts is no obstacle."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import pytest
from playwright.async_api import Browser

from tests.support.browsers import LASTING, Phone, phone
from tests.support.servers import serving

TRANSLATE: Final = r"""() => {
  const kept = "script, style, svg, noscript, font, textarea, input, [translate=no]";
  const wrap = (node) => {
    if (!node.parentElement || node.parentElement.closest(kept) || !node.data.trim()) return;
    const outer = document.createElement("font"), inner = document.createElement("font");
    inner.append(`«${node.data}»`);
    outer.append(inner);
    node.replaceWith(outer);
  };
  const all = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT), found = [];
    while (walker.nextNode()) found.push(walker.currentNode);
    found.forEach(wrap);
  };
  all(document.body);
  const follow = ({ addedNodes, target, type }) => {
    if (type === "characterData") wrap(target);
    for (const node of addedNodes) node.nodeType === 3 ? wrap(node) : node.nodeType === 1 && all(node);
  };
  new MutationObserver((changes) => changes.forEach(follow)).observe(document.body, {
    subtree: true, childList: true, characterData: true,
  });
}"""
"""Does what translators of browsers do: each text that is not marked gets two elements around it."""
WRONG_CARDS: Final = """() => {
  const ranks = { ace: "A", jack: "J", queen: "Q", king: "K" };
  const wrong = [];
  for (const slot of document.querySelectorAll(".felt .slot")) {
    const told = slot.getAttribute("aria-label").match(/(?:down to |: )(\\w+) of \\w+(?:,|$)/);
    if (!told) continue;
    const box = slot.getBoundingClientRect();
    const top = [...document.querySelectorAll(".felt .card.face")].filter((card) => {
      const { left, top, bottom } = card.getBoundingClientRect();
      return Math.abs(left - box.left) < 3 && bottom <= box.bottom + 6 && top >= box.top - 6;
    }).sort((a, b) => Number(b.style.zIndex) - Number(a.style.zIndex))[0];
    const shown = top?.querySelector(".index").textContent.trim();
    if (top && shown !== (ranks[told[1]] ?? told[1])) wrong.push([told[0], shown]);
  }
  return wrong;
}"""
"""Compares the corner of each pile's top card with what the pile is called for those who cannot see it."""

CLOCK: Final = r"""() => document.querySelector("#table .status").textContent.match(/\d+:\d\d/)?.[0]"""


@asynccontextmanager
async def translated(browser: Browser, url: str) -> AsyncIterator[Phone]:
    """Open a table on a page that is translated from then on."""
    async with phone(browser, url) as player:
        await player.create("Ann")
        await player.page.evaluate(TRANSLATE)
        yield player


@pytest.mark.long
async def test_the_lobby_follows(browser: Browser) -> None:
    """A button says what it does now, in the words of the translator."""
    async with serving() as served, translated(browser, served.origin) as player:
        ready = player.page.locator("#lobby .ready")
        assert await ready.text_content() == "«I’m ready»"
        await player.page.tap(".ready")
        await player.page.locator(".ready", has_text="«Ready ✓»").wait_for()


@pytest.mark.long
async def test_the_hand_follows(browser: Browser) -> None:
    """The clock runs, the count of others' cards rises, large words end, and each card shows its own rank."""
    async with serving(seed=bytes(31) + b"\7", bot_speed=20.0) as served:
        async with translated(browser, served.origin) as player:
            await player.deal_with_bot()
            for _ in range(3):
                await player.tap_piles()
            clock = await player.page.wait_for_function(CLOCK)
            await player.page.wait_for_function(f"(before) => ({CLOCK})() > before", arg=clock)
            await player.page.wait_for_function("() => !document.getElementById('note').textContent")
            await player.page.wait_for_function(f"() => ({WRONG_CARDS})().length === 0")  # none on its way
            out = player.page.locator(".chip .out")
            await player.page.wait_for_function(
                "() => Number(document.querySelector('.chip .out').textContent) > 0"
            )
            assert "«" not in (await out.text_content() or "")


@pytest.mark.long
async def test_the_tally_follows(browser: Browser) -> None:
    """The headline, the button, who went out or why the hand ended, and the proof are those of the hand."""
    async with serving(bot_speed=200.0, seed=LASTING) as served, translated(browser, served.origin) as player:
        await player.deal_with_bot()
        await player.finish()
        await player.page.locator(".headline", has_text="«").wait_for()
        await player.page.locator(".tally caption", has_text="«Hand 1 of").wait_for()
        await player.page.locator(".ready", has_text="Next hand").wait_for()
        await player.page.locator(".proof", has_text="match the shuffle").wait_for(state="attached")


@pytest.mark.long
@pytest.mark.parametrize("selector", [".code", "#lobby .player .name", "#lobby .address", "#table .felt"])
async def test_what_is_no_language_is_not_translated(selector: str, browser: Browser) -> None:
    """Codes, names, addresses and the signs on cards stay as they are."""
    async with serving() as served, phone(browser, served.origin) as player:
        await player.create("Rose")
        is_translated = "(found) => found.translate"
        assert await player.page.locator(selector).first.evaluate(is_translated) is False
