"""Phones that were cut off: back on their seats in a moment, with nothing lost and nothing doubled."""

import time
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Final

import pytest
from playwright.async_api import Browser

from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.client import PlayCards
from racing_demon_protocol.wire.messages.events import Event, Played
from racing_demon_server.tables.room import Room
from tests.support.browsers import Phone, phone
from tests.support.effort import LONG
from tests.support.processes import SERVER, server_process, started
from tests.support.restartable_server import wait_until
from tests.support.servers import Peer, serving

SOON_SECONDS: Final = 1.0
CUTS: Final = [
    pytest.param(seconds, marks=() if seconds == 3 else pytest.mark.long) for seconds in (3, 10, 60)
]
HOLD_FRAMES: Final = """window.held = []; window.sent = [];
window.WebSocket = class extends WebSocket {
  set onmessage(handle) {
    super.onmessage = (event) => window.isHeld ? window.held.push(() => handle(event)) : handle?.(event);
  }
  send(text) { window.sent.push(JSON.parse(text)); super.send(text); }
}"""
TURN: Final = """() => document.dispatchEvent(
  new KeyboardEvent("keydown", { code: "Space", key: " ", bubbles: true }))"""
DRAWN: Final = "() => new Promise((told) => requestAnimationFrame(() => requestAnimationFrame(told)))"
HEAR_AND_TURN: Final = f"""() => {{
  window.held[0]();
  ({TURN})();
  return window.sent.filter(([tag]) => tag === {PlayCards.TAG});
}}"""
KEEP_SOCKETS: Final = """window.WebSocket = class extends WebSocket {
  constructor(...given) { super(...given); window.newest = this; }
}"""
PRESS_WHILE_CLOSING: Final = """() => {
  window.newest.close();
  document.querySelector(".add-bot").click();
}"""
SLEEP: Final = "() => { const begun = Date.now(); while (Date.now() - begun < 6000); }"


@pytest.mark.parametrize("seconds", CUTS)
async def test_a_phone_is_back_as_soon_as_there_is_a_network_again(seconds: int, browser: Browser) -> None:
    """Sockets fall silent, as phones' do; all that happened meanwhile comes once, and a tap counts once."""
    async with serving(bot_speed=20.0) as served:
        async with phone(browser, served.origin) as player:
            room = served.registry.room(await player.create("Ann"))
            await player.deal_with_bot()
            await player.page.context.set_offline(True)
            await player.tap_piles()
            await player.page.wait_for_timeout(seconds * 1_000)
            await player.page.context.set_offline(False)
            took = await _back(player, room)
            assert not LONG or took < SOON_SECONDS, took
            await player.finish()
            await wait_until(lambda: player.seq >= room.table.view.seq)
            assert_told_once(player)


@pytest.mark.long
async def test_what_is_pressed_while_the_connection_closes_is_sent_on_the_next(browser: Browser) -> None:
    """Between the closing handshake and its end nothing can be sent, and nothing complains."""
    async with serving() as served:
        async with phone(browser, served.origin) as player:
            await player.page.add_init_script(KEEP_SOCKETS)
            await player.open(served.origin)
            room = served.registry.room(await player.create("Ann"))
            await player.page.evaluate(PRESS_WHILE_CLOSING)
            await wait_until(lambda: len(room.table.view.seats) == 2)
            await wait_until(lambda: len(player.connections) == 2)
            assert player.complaints == []


@pytest.mark.long
async def test_a_play_says_what_its_player_saw(browser: Browser) -> None:
    """What came since the last picture, while a play was on its way, has not been seen."""
    async with serving() as served, phone(browser, served.origin) as player:
        await player.page.add_init_script(HOLD_FRAMES)
        await player.open(served.origin)
        code = await player.create("Ann")
        async with Peer.entered(served.url, cl.Join(code=code, name="Ben")) as ben:
            await player.deal()
            await player.until_playing()
            await player.page.evaluate("() => { window.isHeld = true; }")
            before = served.registry.room(code).table.view.seq
            await ben.ask(cl.Say, text="hello")
            await player.page.evaluate(TURN)
            await player.page.evaluate(DRAWN)
            await player.page.wait_for_function("() => held.length > 0")
            first, second = await player.page.evaluate(HEAR_AND_TURN)
    seen = [*PlayCards.model_fields].index("seen") + 1
    assert [before, before] == [first[seen], second[seen]]


@pytest.mark.long
async def test_a_page_that_slept_has_the_table_as_it_is_now(browser: Browser) -> None:
    """While its thread stands still nothing is drawn or answered; then all comes at once."""
    async with serving(bot_speed=20.0) as served:
        async with phone(browser, served.origin) as player:
            room = served.registry.room(await player.create("Ann"))
            await player.deal_with_bot()
            await player.page.evaluate(SLEEP)
            await _back(player, room)
            await player.finish()
            await wait_until(lambda: player.seq >= room.table.view.seq)
            assert_told_once(player)


@pytest.mark.long
async def test_a_page_is_back_when_its_server_was_killed(tmp_path: Path, browser: Browser) -> None:
    """The server is killed in the middle of a hand, and started again at its port: the hand goes on."""
    journal = ("--journal", str(tmp_path / "journal.db"), "--bot-speed", "5")
    async with AsyncExitStack() as stack:
        async with server_process(*journal) as (running, url):
            port = url.rpartition(":")[2].partition("/")[0]
            player = await stack.enter_async_context(phone(browser, f"http://127.0.0.1:{port}"))
            code = await player.create("Ann")
            await player.deal_with_bot()
            await player.tap_piles()
            running.process.kill()
            await running.process.wait()
        again = started(SERVER, "--host", "127.0.0.1", "--port", port, *journal)
        await (await stack.enter_async_context(again)).line("listening on")
        await player.page.locator("#offline").wait_for(state="hidden")
        await player.until_playing()
        await player.finish()
        assert code == await player.code()
        assert_told_once(player)


async def _back(player: Phone, room: Room) -> float:
    """Wait until a page has all that has happened by now; return how long that took, in seconds."""
    began, seq = time.monotonic(), room.table.view.seq
    await wait_until(lambda: player.seq >= seq)
    return time.monotonic() - began


def assert_told_once(player: Phone, seat: int = 0) -> None:
    """Verify that a page was told all events in order, and that no command was carried out twice."""
    for told in player.connections:
        numbers = [each.seq for each in told if isinstance(each, Event)]
        assert numbers == list(range(min(numbers, default=0), min(numbers, default=0) + len(numbers)))
    own = {each.seq: each for each in player.heard if isinstance(each, Played) and each.seat == seat}
    counters = [own[seq].counter for seq in sorted(own) if own[seq].counter]
    assert sorted(set(counters)) == counters
    assert [text for text in player.complaints if "WebSocket" not in text and "net::" not in text] == []
