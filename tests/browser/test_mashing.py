"""Pressing keys blindly does not pay on the page: after three in vain, choices rest for a moment."""

from typing import Final

import pytest
from playwright.async_api import Browser

from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.table.suggestions import best_play
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from tests.support.browsers import phone
from tests.support.servers import Peer, serving

SEED: Final = bytes(31) + bytes([36])
KEYS: Final = [f"Key{letter}" for letter in "ASDFJKL"]
PRESS: Final = """(codes) => {
  for (const code of codes) {
    document.body.dispatchEvent(new KeyboardEvent("keydown", { code, key: code, bubbles: true }));
  }
}"""
"""Presses keys at once: no time passes between them."""


@pytest.mark.long
async def test_keys_pressed_in_vain_rest(browser: Browser) -> None:
    """A fourth key at once finds nothing, although its column has a play; a little later it does."""
    async with serving(seed=SEED) as served, phone(browser, served.origin) as ann:
        code = await ann.create("Ann")
        async with Peer.entered(served.url, cl.Join(code=code, name="Ben")) as ben:
            await ben.ask(cl.Ready)
            await ann.page.tap(".ready")
            await ann.until_playing()
            view = served.registry.room(code).table.view
            assert view.hand is not None
            columns = view.hand.rules.layout.seat_piles(0, Kind.TABLEAU)
            has_play = [
                best_play(view.hand.rules, view.hand.board, 0, column) is not None for column in columns
            ]
            dead, live = KEYS[has_play.index(False)], KEYS[has_play.index(True)]
            await ben.follow(view.seq)
            await ann.page.evaluate(PRESS, [dead, dead, dead, live, "KeyV"])
            before = ben.view.seq
            said = await ben.until(ev.StuckSaid)
            assert before + 1 == said.seq, "nothing was played before"

            async def is_played() -> bool:
                await ann.page.evaluate(PRESS, [live])
                return view.seq > ben.view.seq

            await ann.until(is_played)
            assert ann.complaints == []
