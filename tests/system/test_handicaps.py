"""Late signals of a server that is killed: none is lost, none comes twice, and nobody plays before theirs."""

import sys
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from racing_demon_client.net.client import Client
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.wire.messages import Event, Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.messages.server import Snapshot
from racing_demon_protocol.wire.options import Options
from tests.support.guests import Guest
from tests.support.journals import check
from tests.support.restartable_server import RestartableServer, wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")
DELAY_S = 8


def _once(messages: Sequence[Message]) -> list[Message]:
    """Return each event once, without the snapshots of those who came back."""
    events = {message.seq: message for message in messages if isinstance(message, Event)}
    first = next(message for message in messages if isinstance(message, Snapshot))
    return [first, *(events[seq] for seq in sorted(events))]


async def test_late_signals_survive_a_kill(tmp_path: Path) -> None:
    """Killed in the countdown, and again between two signals: the record of the hand is whole and right."""
    journal = tmp_path / "journal.sqlite"
    options = Options(game="classic", hands=1, countdown_ms=2_000)
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(RestartableServer.started(journal))
        ann = await stack.enter_async_context(Guest.seated(await Client.create(server.url, "Ann", options)))
        ben = await stack.enter_async_context(
            Guest.seated(await Client.join(server.url, ann.client.code, "Ben"))
        )
        await ann.send(cl.SetHandicap, seat=1, handicap=Handicap(delay_s=DELAY_S, heap=-3))
        await ann.send(cl.Start)
        await wait_until(lambda: ben.client.view.phase is Phase.COUNTDOWN)
        server.kill()
        await server.start()
        await wait_until(lambda: ben.client.view.phase is Phase.PLAYING)
        heard = len(ben.messages)
        server.kill()
        await server.start()  # the hand waits until both are back
        await wait_until(lambda: any(isinstance(each, ev.Continued) for each in ben.messages[heard:]))
        await ben.send(cl.Stuck)  # refused, unless this machine is so slow that his signal has come by now
        await wait_until(lambda: not ben.client.view.waiting)
        for guest in (ann, ben):
            await guest.send(cl.Stuck)
        await wait_until(lambda: all(each.client.view.phase is Phase.OVER for each in (ann, ben)))
        for guest in (ann, ben):
            told = _once(guest.messages)
            order = [type(each) for each in told if isinstance(each, ev.SeatSignalled | ev.StuckSaid)]
            assert order == [ev.SeatSignalled, ev.StuckSaid, ev.StuckSaid]
            assert verify(told).hands == 1
            assert guest.heaps() == [13, 10]
        (over,) = (each for each in _once(ann.messages) if isinstance(each, ev.HandOver))
        assert over.elapsed_ms >= DELAY_S * 1_000
    assert check(journal).faults == []
