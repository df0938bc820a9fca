"""Every game at a browser's table: dealt, tapped, and scored, with nothing on the page gone wrong."""

from typing import Final

import pytest
from playwright.async_api import Browser

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.games import GAMES
from racing_demon_protocol.wire.messages.events import Played
from racing_demon_protocol.wire.messages.server import Refused
from tests.support.browsers import LASTING, phone
from tests.support.restartable_server import wait_until
from tests.support.servers import serving

USUAL: Final = {"a-spell"}
"""One whose rules the page has not; the rest takes minutes."""
NAMES: Final = [pytest.param(name, marks=() if name in USUAL else pytest.mark.long) for name in sorted(GAMES)]
HANDS: Final = '.option:has(span:text-is("Hands in a match")) select'
PICK: Final = '.option:has(span:text-is("Preset")) select'
ROUNDS: Final = 3
OUTLINED: Final = """() => [...document.querySelectorAll("#table .slot.tableau")].map((slot) =>
  [slot.getAttribute("aria-label").endsWith(": empty"),
   getComputedStyle(slot).borderTopColor !== "rgba(0, 0, 0, 0)"])"""
"""Of each column: whether it is empty, and whether it has an outline."""


@pytest.mark.parametrize("name", NAMES)
async def test_a_game_is_played_by_single_taps(browser: Browser, name: str) -> None:
    """A tap plays a pile's best card, also where only the server knows the rules; the page stays whole."""
    async with serving(bot_speed=50.0, seed=LASTING) as served, phone(browser, served.origin) as player:
        room = served.registry.room(await player.create("Ann"))
        await player.show_rules()
        await player.page.select_option(PICK, label=GAMES[name].title)
        await wait_until(lambda: name == room.table.view.options.game)
        await player.page.locator(HANDS).select_option(label="1")
        await player.hide_rules()
        if GAMES[name].min_seats > 1:
            await player.page.tap(".add-bot")
        await player.deal()
        await player.until_playing()
        hand = room.table.view.hand
        assert hand is not None
        can_play = any(hand.rules.legal_plays(hand.board, 0))  # some deals are dead from the first
        for _ in range(ROUNDS):
            await player.tap_piles()
        await player.finish()
        assert not can_play or any(isinstance(each, Played) for each in player.heard)
        assert player.complaints == []
        wrong = {each.reason for each in player.heard if isinstance(each, Refused)}
        assert not wrong - {Reason.ILLEGAL, Reason.TOO_FAST, Reason.HAND_OVER}


@pytest.mark.long
async def test_a_column_has_an_outline_while_it_is_empty(browser: Browser) -> None:
    """Where nothing lies there is something to aim at; below cards there is no second frame."""
    async with serving(seed=LASTING) as served, phone(browser, served.origin) as player:
        await player.create("Ann")
        await player.show_rules()
        await player.page.select_option(PICK, "game:paternal-kings")
        await player.page.locator(".options details p", has_text="king").wait_for()
        await player.hide_rules()
        await player.deal()
        await player.until_playing()
        columns = await player.page.evaluate(OUTLINED)
    assert {is_empty for is_empty, _ in columns} == {False, True}
    assert all(is_empty == is_outlined for is_empty, is_outlined in columns)
