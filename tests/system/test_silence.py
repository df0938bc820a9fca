"""During a hand the network to a server is cut without a word: its player is soon back at the seat."""

import asyncio
import sys
import time

import pytest

from racing_demon_client.net.client import Client
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.options import Options
from tests.support.relay import Relay
from tests.support.servers import PATIENCE, serving, timeout


@pytest.mark.long
@pytest.mark.parametrize("delay", [0.0, 0.1])
async def test_a_player_is_back_soon_after_a_silent_cut(delay: float) -> None:
    """Nothing more arrives on the connection; the client opens another one and resumes its seat."""
    async with serving() as served, Relay.before(served.url) as wire:
        wire.delay = delay
        for pause in range(5):
            async with await Client.create(wire.url, "Ann", Options(countdown_ms=0)) as ann:
                times = list[float]()
                back = asyncio.Event()

                def note(_text: str, times: list[float] = times, back: asyncio.Event = back) -> None:
                    times.append(time.monotonic())
                    wire.release()
                    if len(times) == 2:
                        back.set()

                ann.notice = note
                signalled = asyncio.Event()

                async def listen(ann: Client = ann, signalled: asyncio.Event = signalled) -> None:
                    async for message in ann:
                        if isinstance(message, ev.Signalled):
                            signalled.set()

                listening = asyncio.create_task(listen())
                await ann.send(cl.AddBot(counter=ann.next_counter(), level="easy"))
                await ann.send(cl.Start(counter=ann.next_counter()))
                await timeout(PATIENCE, signalled.wait())
                await asyncio.sleep(4.0 + 0.3 * pause)  # somewhere between two pings
                assert times == []
                wire.hold()
                cut_at = time.monotonic()
                await timeout(PATIENCE, back.wait())
                sys.stdout.write(
                    f"\ndelay {delay} s each way: noticed after {times[0] - cut_at:.2f} s, "
                    f"back after {times[1] - cut_at:.2f} s"
                )
                await ann.close()
                await timeout(PATIENCE, listening)
