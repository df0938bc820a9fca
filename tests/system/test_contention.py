"""Eight clients on one table over real sockets, all after the same foundations."""

import asyncio
from collections import Counter
from contextlib import AsyncExitStack

from racing_demon_client.net.connection import Client
from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.wire.messages.client import Ready
from racing_demon_protocol.wire.messages.events import Event, HandOver, Played
from racing_demon_protocol.wire.messages.server import Refused
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal.immediate import ImmediateJournal
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.registry import Registry
from tests.support.clocks import clock
from tests.support.effort import amount, more_when_long
from tests.support.pounding import Pounder, Slot, pound
from tests.support.servers import start

HANDS = amount(3, 12)
RESERVE = 30
FOUNDATIONS = 32
PILES_EACH = 3 + 9
"""Stock, waste, reserve, and nine columns."""

OPTIONS = Options(
    game="classic",
    columns=9,
    turn=1,
    reserve=RESERVE,
    countdown_ms=0,
    tally_ms=600_000,
    hands=HANDS,
)
"""Many cards at hand at a time, so that many are wanted for the same place."""


@more_when_long
async def test_eight_clients_pound_the_same_foundations() -> None:
    """Each slot is won once, each loser is told by whom and how late, and all mirrors stay equal."""
    settings = ServerSettings(
        port=0,
        seed=bytes(32),
        commands_per_second=1e6,
        command_burst=1e6,
        frames_per_second=1e6,
        frame_burst=1e6,
        units_per_connection=1e6,
    )
    registry = Registry(settings, clock, ImmediateJournal())
    async with AsyncExitStack() as stack:
        server = await start(settings, registry, clock)
        stack.callback(registry.close)
        stack.push_async_callback(server.wait_closed)
        stack.callback(server.close)
        port = server.port
        url = f"ws://127.0.0.1:{port}/v1"
        first = await Client.create(url, "Ann", OPTIONS)
        clients = [first] + [await Client.join(url, first.code, f"Guest {n}") for n in range(7)]
        for client in clients:
            stack.push_async_callback(client.close)
        pounders = [Pounder(client) for client in clients]
        tasks = [asyncio.create_task(pounder.listen()) for pounder in pounders]
        stack.callback(lambda: [task.cancel() for task in tasks])

        contended: Counter[tuple[int, Slot]] = Counter()
        for hand in range(1, HANDS + 1):
            await _everybody_ready(pounders, hand)
            slots = await pound(pounders, rounds=400)
            contended.update({(hand, slot): times for slot, times in slots.items()})
            assert pounders[0].client.view.phase is not Phase.PLAYING
            for pounder in pounders:
                _check_tries(pounder, pounders)
            for pounder in pounders:
                pounder.tried.clear()

        assert sum(contended.values()) > 150 * HANDS
        _check_logs(pounders)
        await asyncio.gather(*(client.close() for client in clients))
        await asyncio.gather(*tasks)


async def _everybody_ready(pounders: list[Pounder], hand: int) -> None:
    for pounder in pounders:
        await pounder.client.send(Ready(counter=pounder.client.next_counter()))
    for pounder in pounders:
        await pounder.until_playing(hand)


def _check_tries(pounder: Pounder, pounders: list[Pounder]) -> None:
    """Check what one client was told of its plays to the foundations, against everybody's."""
    won = {
        other.tried[answer.counter]: other.seat
        for other in pounders
        for answer in other.answers.values()
        if isinstance(answer, Played) and answer.counter in other.tried
    }
    for counter, slot in pounder.tried.items():
        answer = pounder.answers[counter]
        if isinstance(answer, Played):
            assert won[slot] == pounder.seat
        else:
            assert isinstance(answer, Refused)
            assert answer.reason in {Reason.BEATEN, Reason.HAND_OVER}
            if answer.reason is Reason.BEATEN:
                assert won[slot] == answer.by
                assert answer.by != pounder.seat


def _check_logs(pounders: list[Pounder]) -> None:
    """Check that all saw the same, without a gap, and that each slot was filled once a hand."""
    log = pounders[0].log
    last = log[-1].seq
    for pounder in pounders:
        tail = [event for event in pounder.log if event.seq > log[0].seq]
        assert [event for event in log if event.seq >= tail[0].seq] == tail
        assert [event.seq for event in tail] == list(range(tail[0].seq, last + 1))
        assert pounder.client.view.snapshot(0) == pounders[0].client.view.snapshot(0)
    _check_tally(log)


def _check_tally(log: list[Event]) -> None:
    """Count every hand once more by hand: cards sent up, cards left in the reserve, ten for going out."""
    up, out_of_reserve = Counter[int](), Counter[int]()
    for event in log:
        if isinstance(event, Played):
            up[event.seat] += event.destination < FOUNDATIONS
            out_of_reserve[event.seat] += (event.source - FOUNDATIONS) % PILES_EACH == 2
        elif isinstance(event, HandOver):
            expected = tuple(
                up[seat] - 2 * (RESERVE - out_of_reserve[seat]) + 10 * (seat == event.out)
                for seat in range(8)
            )
            assert expected == event.points
            up.clear()
            out_of_reserve.clear()
