"""House rules on a phone: the heap lies face up, a button shifts the stock, and the hand's proof follows."""

import re
from typing import Any, Final

import pytest
from playwright.async_api import Browser, expect

from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.table import scoring
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.presets import PRESETS
from tests.support.browsers import phone
from tests.support.restartable_server import wait_until
from tests.support.servers import Peer, serving

OPTIONS: Final[dict[str, Any]] = {
    "game": "classic",
    "countdown_ms": 0,
    "hands": 1,
    "hints": True,
    "king_bonus": 5,
    "reserve_up": True,
    "spaces": "at_once",
    "stock_shift": "once_a_pass",
    "match_score": "hands",
}
IN_HEAP: Final = """() => {
  const heap = document.querySelector(".slot.reserve").getBoundingClientRect();
  const isThere = ({ left, right }) => left < heap.right && right > heap.left;
  return [...document.querySelectorAll("#table .card.face")]
    .filter((card) => isThere(card.getBoundingClientRect())).length;
}"""


@pytest.mark.long
async def test_a_phone_plays_by_house_rules(browser: Browser) -> None:
    """All cards of the heap show; the stock is shifted once, and again in the next pass; all is proven."""
    async with (
        serving() as served,
        Peer.hosting(served.url, **OPTIONS) as ben,
        phone(browser, f"{served.origin}/{ben.code}") as ann,
    ):
        await ann.join("Ann")
        view = served.registry.room(ben.code).table.view
        await ben.ask(cl.Start, seen=view.seq)
        await ann.page.locator(".shift:enabled").wait_for()
        heap = view.hand.rules.layout.seat_piles(1, Kind.RESERVE)[0] if view.hand else -1
        assert view.board is not None
        await ann.page.wait_for_function(
            f"(cards) => ({IN_HEAP})() >= cards", arg=len(view.board.cards[heap])
        )
        await ann.page.tap(".shift")
        await ben.until(ev.StockShifted)
        await ann.page.locator(".shift:disabled").wait_for()
        for _ in range(13):
            await ann.page.touchscreen.tap(*await ann.stock())
            await ben.until(ev.Played)
        await ann.page.locator(".shift:enabled").wait_for()
        await ben.ask(cl.Stuck)
        await ann.finish()
        await wait_until(lambda: view.phase is Phase.OVER)
        await ann.page.locator(".proof", has_text="dealt the hand again").wait_for(state="attached")
        assert await ann.points() == {view.player(seat): won for seat, won in scoring.totals(view).items()}
        assert ann.complaints == []


@pytest.mark.long
async def test_another_preset_takes_house_rules_back(browser: Browser) -> None:
    """After Guardian, Nerts is Nerts: no bonus for kings is left; guests read which rules are in force."""
    async with serving() as served, phone(browser, served.origin) as ann:
        code = await ann.create("Ann")
        room = served.registry.room(code)
        async with phone(browser, f"{served.origin}/{code}") as ben:
            await ben.join("Ben")
            await ann.show_rules()
            game = ben.page.locator("#lobby .game")
            await ann.page.locator(".options select").first.select_option("guardian")
            await expect(game).to_have_text("Guardian, 5 hands")
            assert room.table.view.options.king_bonus
            await ann.page.locator(".options select").first.select_option("nerts")
            await expect(game).to_have_text("Nerts, first to 100")
            assert not PRESETS["nerts"].deviations(room.table.view.options)
            offered = await ann.page.locator(".options select").first.locator("option").all_text_contents()
            assert sorted({*offered}) == sorted(offered), "a game stands among the presets or below them"
        assert ann.complaints == []


@pytest.mark.long
async def test_a_rule_is_changed_in_three_presses(browser: Browser) -> None:
    """What is yes or no has a switch, what was changed its mark, and another preset changes all at once.

    Meanwhile one large button ends it: nobody is ready by mistake.
    """
    async with serving() as served, phone(browser, served.origin) as ann:
        view = served.registry.room(await ann.create("Ann")).table.view
        await ann.page.tap(".all-options")
        await expect(ann.page.locator("#lobby .primary:visible")).to_have_text(["Done"])
        await ann.page.locator(".options summary", has_text=re.compile("^Hand")).tap()
        await ann.page.get_by_role("switch", name="Hints").tap()
        await wait_until(lambda: view.options.hints)
        await ann.page.tap(".all-options")
        await ann.page.locator(".others select").select_option(
            "nerts"
        )  # a tap opens the list, and one chooses
        await wait_until(lambda: not PRESETS["nerts"].deviations(view.options))
        await ann.show_rules()
        await ann.page.get_by_label("Cards in the reserve").select_option("10")
        await ann.page.locator(".rule select").select_option(label="12")
        await ann.page.locator("#lobby .rule", has_text="reserve of 12 13").wait_for()
        await expect(ann.page.locator(".options summary:has(small)")).to_have_text(
            ["Reserve and columns1 changed"]
        )
        assert view.options.reserve == 12
        assert ann.complaints == []


@pytest.mark.long
async def test_a_refused_option_is_named_in_words(browser: Browser) -> None:
    """The server's sentence has the option's name in commands; the page shows the one of its form."""
    async with serving() as served, phone(browser, served.origin) as ann:
        await ann.create("Ann")
        await ann.show_rules()
        await ann.page.get_by_label("What fills empty columns").select_option(
            "the reserve fills them at once"
        )
        await ann.page.locator("#toast", has_text="the option “What fills empty columns”").wait_for()
        assert ann.complaints == []
