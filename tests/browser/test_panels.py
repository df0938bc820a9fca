"""Large screens show what others have: small cards, who leads, and how close a race was."""

from contextlib import AsyncExitStack
from typing import Any, Final

import pytest
from playwright.async_api import Browser, expect

from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.engine.cards import UNKNOWN, rank, suit
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Accepted
from tests.support.browsers import LASTING, TELEVISION, phone
from tests.support.restartable_server import wait_until
from tests.support.servers import Peer, serving
from tests.support.small_cards import CUT, SMALL_CARDS

RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUITS: Final = "♠♥♣♦"
LAPTOP: Final[dict[str, Any]] = {
    "viewport": {"width": 1366, "height": 768},
    "has_touch": False,
    "is_mobile": False,
}
TABLET: Final[dict[str, Any]] = {"viewport": LAPTOP["viewport"]}
TOPS: Final = f"""() => Promise.all(
  [...document.querySelectorAll("#table .chip")].map({SMALL_CARDS}))"""
OUTSIDE: Final = """() => [...document.querySelectorAll("#table .chip")].flatMap((chip) => {
  const box = chip.getBoundingClientRect();
  const shown = [...chip.querySelectorAll(".name, .out, .left, canvas")];
  return shown.filter((each) => {
    if (!each.checkVisibility()) return false;
    const { left, right, top, bottom } = each.getBoundingClientRect();
    return left < box.left - 1 || right > box.right + 1 || top < box.top - 1 || bottom > box.bottom + 1;
  }).map((each) => `${each.className} of ${chip.querySelector(".name").textContent}`);
})"""
HOW_OTHERS_MOVE: Final = """() => {
  window.seen = { moving: 0, marks: 0 };
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) for (const node of addedNodes) {
      if (node.classList?.contains("trail")) window.seen.moving += 1;
      if (node.classList?.contains("fresh")) window.seen.marks += 1;
    }
  }).observe(document.querySelector("#table .felt"), { childList: true });
}"""
SLOW_DOWN: Final = """() => {
  const ask = window.requestAnimationFrame;
  window.requestAnimationFrame = (draw) => ask((now) => {
    draw(now);
    while (performance.now() < now + 20);
  });
}"""
"""Takes as long for each picture as a slow device."""
WHAT_MOVES: Final = """() => {
  const table = document.querySelector("#table");
  window.moved = [];
  for (const kind of ["animationstart", "transitionrun"])
    table.addEventListener(kind, ({ target }) => window.moved.push(target.className));
}"""
IS_LEGIBLE: Final = """() => {
  const boxes = [...document.querySelectorAll("#table .track .run .token")].map((each) =>
    each.getBoundingClientRect()).sort((one, other) => one.left - other.left);
  return boxes.every(({ left }, at) => at === 0 || left >= boxes[at - 1].right - 1);
}"""
"""Whether no player on the way to the goal hides another."""
APART: Final = """async (places) => {
  const { src } = document.querySelector("script[type=module]");
  const { apart } = await import(new URL("table/panels.js", src));
  return apart(places, 0.1).map((place) => Math.round(place * 100));
}"""
"""Where players on the way are shown, in hundredths, if each takes ten."""
WAYS: Final = {(0.5, 0.5, 0.5): [40, 50, 60], (0.2, 0.6, 0.62): [20, 56, 66], (0.97, 1, 1): [80, 90, 100]}
"""Who would hide others is beside them, none further off than the rest; and all are on the way."""


@pytest.mark.long
@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
async def test_a_television_shows_everybody(browser: Browser, motion: str) -> None:
    """Eight players' piles as they lie, within their panels; cards fly, or piles are marked alone."""
    async with AsyncExitStack() as stack:
        served = await stack.enter_async_context(serving(bot_speed=6.0, seed=LASTING))
        options: dict[str, Any] = {"game": "classic", "countdown_ms": 2_000}
        host = await stack.enter_async_context(Peer.hosting(served.url, seated=False, **options))
        view = served.registry.room(host.code).table.view
        link = f"{served.origin}/{host.code}"
        screens = [
            await stack.enter_async_context(phone(browser, f"{link}?{how}", reduced_motion=motion, **each))
            for how, each in (("tv", TELEVISION), ("watch", LAPTOP))
        ]
        for _ in range(8):
            await host.ask(cl.AddBot)
        await host.ask(cl.Start, seen=view.seq)
        for screen in screens:
            await screen.see("#table .minis canvas")
            await screen.page.evaluate(HOW_OTHERS_MOVE)
        seen = "() => window.seen.marks > 2"
        for screen in screens:
            await screen.page.wait_for_function(seen)
            if motion == "reduce":  # otherwise it depends on how fast the machine draws
                assert await screen.page.evaluate("window.seen.moving") == 0
        assert isinstance(await host.ask(cl.SetLastHand, seen=view.seq), Accepted)
        await screens[0].page.locator("#table header .played", has_text="the last hand").wait_for()
        assert isinstance(await host.ask(cl.Pause, paused=True, seen=view.seq), Accepted)
        expected = tops(view)
        for screen in screens:
            await screen.page.wait_for_function(
                f"async (expected) => JSON.stringify(await ({TOPS})()) === JSON.stringify(expected)",
                arg=expected,
            )
            assert await screen.page.evaluate(OUTSIDE) == []
            assert await screen.page.evaluate(CUT) == 0
            assert await screen.page.locator("#table .track .run").count() == len(view.seats)
            await screen.page.wait_for_function(IS_LEGIBLE)
            for places, shown in WAYS.items():
                assert await screen.page.evaluate(APART, places) == shown
            assert screen.complaints == []
        left = screens[0].page.locator("#table .left:visible b")
        assert await left.all_text_contents() == [str(reserve_of(view, seat)) for seat in sorted(view.seats)]
        assert "reserve" in await screens[0].page.locator("#table .aim:visible").inner_text()
        assert await screens[1].page.locator("#table :is(.left, .aim):visible").count() == 0


@pytest.mark.long
async def test_nothing_moves_on_a_slow_television(browser: Browser) -> None:
    """Where drawing takes long, piles are marked, and neither marks nor players on the way move."""
    async with AsyncExitStack() as stack:
        served = await stack.enter_async_context(serving(bot_speed=6.0, seed=LASTING))
        options: dict[str, Any] = {"game": "classic", "countdown_ms": 0}
        host = await stack.enter_async_context(Peer.hosting(served.url, seated=False, **options))
        screen = await stack.enter_async_context(
            phone(browser, f"{served.origin}/{host.code}?tv", **TELEVISION)
        )
        for _ in range(4):
            await host.ask(cl.AddBot)
        await screen.page.evaluate(SLOW_DOWN)
        await host.ask(cl.Start, seen=served.registry.room(host.code).table.view.seq)
        await screen.see("#table.still .minis canvas")
        for watch in (WHAT_MOVES, HOW_OTHERS_MOVE):
            await screen.page.evaluate(watch)
        await screen.page.wait_for_function("() => window.seen.marks > 5")
        assert await screen.page.evaluate("window.moved") == []
        assert screen.complaints == []


@pytest.mark.long
async def test_rows_of_suits_go_with_the_large_screen(browser: Browser) -> None:
    """One for each suit lies in the middle; a screen as narrow as a phone has none, nor with open panels."""
    async with serving() as served, phone(browser, served.origin, **TABLET) as ann:
        await ann.create("Ann")
        await ann.page.tap(".add-bot")
        await ann.page.get_by_role("button", name="Deal", exact=True).tap()
        rows = ann.page.locator("#table .suit-row")
        await expect(rows).to_have_count(4)
        await ann.page.set_viewport_size({"width": 390, "height": 844})
        await expect(rows).to_have_count(0)
        await ann.page.tap("#table .chip")
        await ann.page.locator("#table .chips.open canvas").first.wait_for()
        await expect(rows).to_have_count(0)


@pytest.mark.long
async def test_identical_deals_show_progress_alone(browser: Browser) -> None:
    """Nobody's layout is anybody else's business there; how much is left of it is."""
    async with AsyncExitStack() as stack:
        served = await stack.enter_async_context(serving(seed=LASTING))
        host = await stack.enter_async_context(
            Peer.hosting(served.url, seated=False, game="demon-a", countdown_ms=0)
        )
        view = served.registry.room(host.code).table.view
        screen = await stack.enter_async_context(
            phone(browser, f"{served.origin}/{host.code}?tv", **TELEVISION)
        )
        for _ in range(2):
            await host.ask(cl.AddBot)
        await host.ask(cl.Start, seen=view.seq)
        await wait_until(lambda: view.phase is Phase.PLAYING)
        await screen.see("#table .chip .heap")
        assert view.is_private
        assert await screen.page.locator("#table .minis canvas").count() == 0


def reserve_of(view: TableState, seat: int) -> int:
    """Return how many cards a seat has left in its reserve."""
    assert view.board is not None
    piles = view.board.piles
    return sum(
        len(view.board.cards[each.number]) for each in piles if (each.seat, each.kind) == (seat, Kind.RESERVE)
    )


def tops(view: TableState) -> list[list[str]]:
    """Return the top card of each pile of each seat, as the page's small cards show it."""
    assert view.board is not None
    board = view.board
    return [
        [
            ""
            if not cards
            else "?"
            if cards[-1] == UNKNOWN
            else f"{RANKS[rank(cards[-1]) - 1]}{SUITS[suit(cards[-1])]}"
            for pile in board.piles
            if pile.seat == seat and (cards := board.cards[pile.number]) is not None
        ]
        for seat in sorted(view.seats)
    ]
