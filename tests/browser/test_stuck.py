"""Who says "stuck" on a phone has said so: until a play opens one for them, which the page names."""

import re
from typing import Final

import pytest
from playwright.async_api import Browser

from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from tests.support.browsers import phone
from tests.support.servers import Peer, serving

SEED: Final = bytes(31) + bytes([36])
OPENS_NOTHING, OPENS_ONE = Play(25, 1, 0), Play(24, 1, 1)
"""Ben's first plays in this deal: a two of Ann's can go up upon the second."""


@pytest.mark.long
async def test_a_word_stands_until_a_play_opens_one(browser: Browser) -> None:
    """The button is not live again after others' plays; then a sentence says which play opened which."""
    async with serving(seed=SEED) as served, phone(browser, served.origin) as ann:
        code = await ann.create("Ann")
        async with Peer.entered(served.url, cl.Join(code=code, name="Ben")) as ben:
            await ben.ask(cl.Ready)
            await ann.page.tap(".ready")
            await ann.page.locator(".stuck:enabled").tap()
            await ben.until(ev.StuckSaid)

            async def play(source: int, count: int, destination: int, _: int) -> None:
                where = {"source": source, "count": count, "destination": destination}
                await ben.ask(cl.PlayCards, **where, seen=ben.view.seq)

            await play(*OPENS_NOTHING)
            await ben.until(ev.StuckSaid)
            await ann.page.locator(".stuck:disabled").wait_for()
            await play(*OPENS_ONE)
            await ann.until_playing()
            told = re.compile(r"^Ben played A♠: your 2♠ can go up\.$")
            await ann.page.locator("#alert").get_by_text(told).wait_for(state="attached")
            assert ann.complaints == []
