"""Keyboards as they are: other layouts, keys without a place, numpads, and keys that are held down."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final, NamedTuple

import pytest
from playwright.async_api import Browser

from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.table.suggestions import best_play
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Played, Reacted
from racing_demon_server.match.table import Table
from tests.support.browsers import Phone, phone
from tests.support.restartable_server import wait_until
from tests.support.servers import serving

LAPTOP: Final = {"viewport": {"width": 1280, "height": 800}}
SENT: Final = """window.sent = [];
window.WebSocket = class extends WebSocket {
  send(text) { window.sent.push(text); super.send(text); }
};"""
AZERTY: Final = {"KeyQ": "a", "KeyA": "q", "KeyW": "z", "Semicolon": "m", "KeyM": ","}
"""What some keys have on their caps in France, by their places."""
LAYOUT: Final = f"""Object.defineProperty(navigator, "keyboard", {{
  value: {{ getLayoutMap: async () => new Map(Object.entries({AZERTY})) }},
}});"""


class Desk(NamedTuple):
    """A player with a keyboard, after the signal."""

    player: Phone
    table: Table
    keys: Any

    async def press(self, key: str, code: str, *, repeats: int = 0, **more: object) -> None:
        """Press a key by what is on its cap and by its place, and hold it until it has repeated."""
        named = {"key": key, "code": code, "text": key if len(key) == 1 else "", **more}
        for repeat in range(1 + repeats):
            down = {"type": "keyDown", "autoRepeat": repeat > 0, **named}
            await self.keys.send("Input.dispatchKeyEvent", down)
        await self.keys.send("Input.dispatchKeyEvent", {"type": "keyUp", **named})

    def turns(self) -> int:
        """Return how often the player's stock has been turned."""
        stocks = self._piles(Kind.STOCK)
        return sum(each.source in stocks for each in self._heard(Played))

    def reactions(self) -> list[str]:
        """Return the reactions that the table was told."""
        return [each.reaction for each in self._heard(Reacted)]

    def columns(self) -> list[int]:
        """Return the columns that have a play."""
        view = self.table.view
        assert view.hand is not None
        columns = self._piles(Kind.TABLEAU)
        return [
            at
            for at, pile in enumerate(columns)
            if best_play(view.hand.rules, view.hand.board, 0, pile) is not None
        ]

    def played(self) -> list[int]:
        """Return the columns whose cards were played."""
        columns = self._piles(Kind.TABLEAU)
        return [columns.index(each.source) for each in self._heard(Played) if each.source in columns]

    def _piles(self, kind: Kind) -> list[int]:
        assert self.table.view.hand is not None
        return list(self.table.view.hand.rules.layout.seat_piles(0, kind))

    def _heard(self, cls: type) -> list[Any]:
        heard: list[Any] = [each for each in self.player.heard if isinstance(each, cls)]
        return [each for each in heard if each.seat == 0]


@asynccontextmanager
async def desk(browser: Browser, script: str = "") -> AsyncIterator[Desk]:
    """Play against a bot that takes its time."""
    async with serving(seed=bytes(31) + b"\7", bot_speed=0.01) as served:
        async with phone(browser, served.origin, **LAPTOP) as player:
            await player.page.context.add_init_script(SENT + script)
            await player.open(served.origin)
            room = served.registry.room(await player.create("Ann"))
            await player.deal_with_bot()
            await player.page.evaluate("document.activeElement.blur()")
            keys = await player.page.context.new_cdp_session(player.page)
            yield Desk(player, room.table, keys)


@pytest.mark.long
async def test_a_key_that_is_held_acts_once(browser: Browser) -> None:
    """Held for seconds, or by a cat: one turn, one reaction, and one message each."""
    async with desk(browser) as at:
        before = await at.player.page.evaluate("sent.length")
        await at.press(" ", "Space", repeats=20)
        await at.press("1", "Digit1", repeats=20)
        await wait_until(lambda: bool(at.turns() and at.reactions()))
        assert (at.turns(), at.reactions()) == (1, ["well_played"])
        asked = [
            text
            for text in await at.player.page.evaluate(f"sent.slice({before})")
            if not text.startswith(f"[{cl.Ping.TAG},")
        ]
        assert len(asked) == 2
        assert at.player.complaints == []


@pytest.mark.long
async def test_the_space_that_is_held_presses_no_button(browser: Browser) -> None:
    """A held key moves nothing else on the page either."""
    async with desk(browser) as at:
        await at.player.page.locator("#table .menu").focus()
        await at.press(" ", "Space", repeats=5)
        await wait_until(lambda: bool(at.turns()))
        assert await at.player.page.locator("#sheet").is_hidden()


@pytest.mark.long
async def test_enter_that_is_held_presses_a_button_once(browser: Browser) -> None:
    """One bot comes to the table, and no more."""
    async with serving() as served, phone(browser, served.origin, **LAPTOP) as player:
        room = served.registry.room(await player.create("Ann"))
        await player.page.locator(".add-bot").focus()
        for _ in range(6):
            await player.page.keyboard.down("Enter")
        await player.page.keyboard.up("Enter")
        await player.page.locator("#lobby .deal").focus()
        await player.page.keyboard.press("Enter")
        await wait_until(lambda: room.table.view.hand_number == 1)
        assert len(room.table.view.seats) == 2


@pytest.mark.long
async def test_keys_without_a_place_mean_what_is_on_them(browser: Browser) -> None:
    """Remote desktops and some keyboards on screens tell no place."""
    async with desk(browser) as at:
        (column, *_) = at.columns()
        await at.press("asdfjkl"[column], "")
        await wait_until(lambda: bool(at.played()))
        assert [column] == at.played()
        await at.press(" ", "")
        await wait_until(lambda: bool(at.turns()))
        await at.press("2", "")
        await wait_until(lambda: bool(at.reactions()))


@pytest.mark.long
async def test_the_help_names_what_is_on_the_keys(browser: Browser) -> None:
    """A browser that knows the keyboard says so: in France Q S D F plays the columns, and M the waste."""
    async with desk(browser, LAYOUT) as at:
        await at.press("x", "KeyX")  # a screen that is touched has a keyboard beside it, too
        told = await _help(at.player)
        assert "Q S D F J K L" in told
        assert "M plays the card beside it" in told


@pytest.mark.long
async def test_the_help_learns_from_keys_that_were_pressed(browser: Browser) -> None:
    """Most browsers tell nothing until a key is pressed; a key that was never seen has its usual name."""
    async with desk(browser, "delete Navigator.prototype.keyboard;") as at:
        await at.press("x", "KeyX")
        assert "A S D F J K L" in await _help(at.player)
        await at.press("q", "KeyA")
        await at.press("m", "Semicolon")
        told = await _help(at.player)
        assert "Q S D F J K L" in told
        assert "M plays the card beside it" in told


async def _help(player: Phone) -> str:
    """Return what the page tells of the keyboard."""
    await player.page.tap("#table .menu")
    await player.page.tap("#sheet >> text=How to play")
    told = await player.page.locator("#sheet .guide").inner_text()
    await player.page.tap("#sheet-close")
    await player.page.evaluate("document.activeElement.blur()")
    return told
