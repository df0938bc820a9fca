"""Hints in the browser, the keys that ask for help, and where what is told stands."""

from typing import Any, Final

import pytest
from playwright.async_api import Browser

from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.engine.cards import RANK_NAMES, UNKNOWN, rank, suit
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import client as cl
from tests.support.browsers import LASTING, POLL_MS, Phone, phone
from tests.support.effort import usually
from tests.support.servers import Peer, serving

LAPTOP: Final[dict[str, Any]] = {"viewport": {"width": 1280, "height": 800}, "is_mobile": False}
SCREENS: Final[dict[str, dict[str, Any]]] = {
    "small": {"viewport": {"width": 320, "height": 568}},
    "phone": {"viewport": {"width": 390, "height": 844}},
    "landscape": {"viewport": {"width": 844, "height": 390}},
    "laptop": LAPTOP,
}
TOLD: Final = "document.querySelector('#toast').textContent"
COVERED: Final = """() => {
  const shown = document.querySelector("#toast.shown");
  if (!shown?.textContent.includes("Picked up")) return null;
  const toast = shown.getBoundingClientRect();
  const cards = [...document.querySelectorAll("#table .card")].filter((card) => {
    const box = card.getBoundingClientRect();
    const isBeside = box.right <= toast.left || box.left >= toast.right;
    return !isBeside && box.top < toast.bottom && box.bottom > toast.top;
  }).length;
  return { cards };
}"""
SPILT: Final = """() => {
  document.documentElement.classList.add("large-index");
  const card = document.querySelector("#table .card.face:not(.flat)").cloneNode(true);
  document.querySelector("#table .felt").append(card);
  const spilt = [];
  for (const rank of ["10", "Q", "K", "4"]) for (let width = 20; width <= 160; width += 4) {
    card.querySelector(".index").firstChild.data = rank;
    for (const [name, size] of [["--card", width], ["width", width], ["height", width * 1.4]])
      card.style.setProperty(name, `${size}px`);
    const text = document.createRange();
    text.selectNodeContents(card.querySelector(".index"));
    const [inside, outside] = [text.getBoundingClientRect(), card.getBoundingClientRect()];
    if (inside.right > outside.right + .5 || inside.bottom > outside.bottom + .5) spilt.push([rank, width]);
  }
  return spilt;
}"""


@pytest.mark.long
@pytest.mark.parametrize("asks", usually(1, ["key", "button"]))
async def test_a_hint_is_a_play_that_the_rules_allow(browser: Browser, asks: str) -> None:
    """Who plays alone, or at a table with hints, may ask for one: ``b``, or a button."""
    async with serving(seed=LASTING) as served, phone(browser, served.origin, **LAPTOP) as ann:
        code = await ann.create("Ann")
        await ann.deal()
        await ann.until_playing()
        view = served.registry.room(code).table.view
        if asks == "key":
            await ann.page.keyboard.press("b")
        else:
            await ann.page.locator("#table .hint").click()

        async def is_told() -> bool:
            return await ann.page.evaluate(TOLD) in _hints(view)

        await ann.until(is_told)


@pytest.mark.long
async def test_a_question_mark_shows_what_the_keys_do(browser: Browser) -> None:
    """The help names the keys, that for a hint too, in the lobby as at the table."""
    laptop = {**LAPTOP, "has_touch": False}
    async with (
        serving() as served,
        Peer.hosting(served.url, countdown_ms=0) as host,
        phone(browser, f"{served.origin}/{host.code}?watch", **laptop) as ann,
    ):
        await ann.see("#lobby")
        await ann.page.keyboard.press("?")
        await ann.page.locator("#sheet", has_text="B gives a hint").wait_for()
        await ann.page.keyboard.press("Escape")
        await host.ask(cl.Start)
        await ann.see("#table")
        await ann.page.keyboard.press("?")
        help_ = ann.page.locator("#sheet", has_text="B gives a hint")
        await help_.filter(has_text="racing-demon solo racing-demon").wait_for()


@pytest.mark.long
@pytest.mark.parametrize("name", usually(1, SCREENS))
@pytest.mark.parametrize("others", usually(1, [0, 1]))
async def test_what_is_told_covers_no_card(browser: Browser, name: str, others: int) -> None:
    """The longest sentences stand in the heading's place, on screens of every shape."""
    async with (
        serving(seed=LASTING) as served,
        Peer.hosting(served.url, seated=False, countdown_ms=0) as host,
        phone(browser, f"{served.origin}/{host.code}", **SCREENS[name]) as ann,
    ):
        await ann.join("Ann")
        for _ in range(others):
            await host.ask(cl.AddBot)
        await host.ask(cl.Start)
        await ann.until_playing()
        await _pick_up(ann)
        # It is there for a few seconds, in which a busy machine may draw no picture.
        covered = await ann.page.wait_for_function(COVERED, polling=POLL_MS)
        assert await covered.json_value() == {"cards": 0}
        assert await ann.page.evaluate(SPILT) == []


async def _pick_up(player: Phone) -> None:
    """Hold a finger, or the mouse, on a column."""
    column = player.page.locator(".slot.tableau").first
    await column.scroll_into_view_if_needed()  # which waits until it has come to rest
    await column.hover(force=True)  # as cards cover it
    await player.page.mouse.down()


def _hints(view: TableState) -> set[str]:
    """Return all hints that the rules allow, in the page's words."""
    assert view.hand is not None
    board, told = view.hand.board, set()
    for source, count, destination, *_ in view.hand.rules.legal_plays(board, 0):
        kinds = {board.piles[source].kind, board.piles[destination].kind}
        card, target = board.cards[source][-count], board.cards[destination]
        if Kind.STOCK in kinds:
            told.add("Turn the stock.")
        elif board.piles[destination].kind is Kind.FOUNDATION:
            told.add(f"{_short(card)} up")
        else:
            told.add(f"{_short(card)} to {_short(target[-1]) if target else 'the empty place'}")
    return told


def _short(card: int) -> str:
    assert card != UNKNOWN
    return RANK_NAMES[rank(card) - 1].replace("T", "10") + "♠♥♣♦"[suit(card)]
