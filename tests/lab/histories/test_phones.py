"""What phones tell of a hand in which their networks fail, judged as the history of a table."""

import asyncio
from contextlib import AsyncExitStack
from typing import Any, Final

import pytest
from playwright.async_api import Browser

from racing_demon_protocol.enums import Phase
from racing_demon_protocol.wire.codec import decode_client, decode_server
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Accepted, Refused
from tests.lab.histories.checker import check
from tests.lab.histories.client_log import ClientLog, Heard, Sent
from tests.support.browsers import Phone, phone
from tests.support.restartable_server import wait_until
from tests.support.servers import Peer, serving

PHONES: Final = 4
CUTS: Final = 4
CUT_SECONDS: Final = 4.0
OPTIONS: Final[dict[str, Any]] = {
    "turn": 1,
    "tally_ms": 600_000,
    "time_limit_ms": 45_000,
    "pause_after_ms": None,
}
WRITE_DOWN: Final = """() => {
  window.told = [];
  const now = () => Math.round((performance.timeOrigin + performance.now()) * 1000);
  window.WebSocket = class extends WebSocket {
    constructor(...given) {
      super(...given);
      this.addEventListener("message", ({ data }) => window.told.push([false, now(), data]));
    }
    send(data) {
      window.told.push([true, now(), data]);
      super.send(data);
    }
  };
}"""
"""Has a page write down all that it sends and hears, and when, in microseconds of the machine's clock."""


@pytest.mark.long
@pytest.mark.asyncio(loop_scope="session")  # the loop on which Chromium lives
async def test_what_phones_tell_that_were_cut_off_is_true(browser: Browser) -> None:
    """Each event was told once and in order, each tap was carried out once, and each refusal was right."""
    async with AsyncExitStack() as stack:
        served = await stack.enter_async_context(serving())
        host = await stack.enter_async_context(Peer.hosting(served.url, seated=False, **OPTIONS))
        room = served.registry.room(host.code)
        link = f"{served.origin}/{host.code}"
        players = [await stack.enter_async_context(phone(browser, link)) for _ in range(PHONES)]
        for number, player in enumerate(players):
            await player.page.evaluate(WRITE_DOWN)
            await player.join(f"Phone {number}")
        for player in players:
            await player.page.tap(".ready")
        playing = [asyncio.create_task(_tap_until_over(player)) for player in players]
        await wait_until(lambda: room.table.view.phase is Phase.PLAYING)
        for number in range(CUTS):
            cut = players[number % PHONES].page
            await cut.context.set_offline(True)
            await asyncio.sleep(CUT_SECONDS)
            await cut.context.set_offline(False)
        await asyncio.gather(*playing)
        for player in players:
            await wait_until(lambda player=player: player.seq >= room.table.view.seq)  # type: ignore[misc]
        client_logs = [await _account(player, seat) for seat, player in enumerate(players)]
        assert sum(len(player.connections) for player in players) >= PHONES + CUTS
    findings = check(client_logs)
    assert findings.commands > 0
    assert findings.unanswered == 0


async def _tap_until_over(player: Phone) -> None:
    await player.see("#table")
    while not await player.page.locator(".tally:visible").count():
        await player.tap_piles()


async def _account(player: Phone, seat: int) -> ClientLog:
    """Return what a page has written down, but for what it adds to the shuffle."""
    entries: list[Sent | Heard] = []
    newest, left_out = 0, set()
    for is_sent, at, data in await player.page.evaluate("window.told"):
        if not is_sent:
            message = decode_server(data)
            if not (isinstance(message, Accepted | Refused) and message.counter in left_out):
                entries.append(Heard(at, message))
            continue
        command = decode_client(data)
        if isinstance(command, cl.Command) and command.counter > newest:  # else it is sent again
            newest = command.counter
            if isinstance(command, cl.Contribute | cl.Reveal):
                left_out.add(newest)
            else:
                entries.append(Sent(at, command))
    return ClientLog(seat, entries)
