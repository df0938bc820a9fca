"""Bots at a table: they play by themselves, alike from one seed, and stop when they are sent away."""

import asyncio
from collections import Counter
from collections.abc import Generator
from itertools import pairwise
from typing import ClassVar

import pytest

from racing_demon_protocol.engine.search import Search
from racing_demon_protocol.table.view import TableView
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Accepted
from racing_demon_server.bots import seats
from racing_demon_server.bots.players import Bot, Decision
from racing_demon_server.bots.seats import SLICE_GAP_SECONDS, SLICE_UNITS
from tests.support.rooms import Ear, in_virtual_time, now, open_room, say, seat_at, virtual
from tests.support.tables import told


async def play_out(bot_speed: float) -> tuple[list[Event], float]:
    """Let three bots play a hand; return the log and how many seconds it took."""
    room = open_room(bot_speed=bot_speed, hands=1)
    host, ear = Ear(), Ear()
    room.table.seat_tokens.add(None, b"host")
    room.broadcast.take_seat(host, None)
    room.broadcast.catch_up(ear, 0)
    begun = now()
    bots = [cl.AddBot(counter=number) for number in (1, 2, 3)]
    await say(room, host, None, *bots, cl.Start(counter=4))
    await ear.until(ev.MatchOver)
    room.close()
    return ear.events, (now() - begun) / 1_000_000


def test_bots_play_a_match_to_its_end() -> None:
    """Three bots and nobody else finish a hand."""
    events, _ = in_virtual_time(play_out(1.0))
    assert "hand_over match_over" == told(events[-2:])
    assert {0, 1, 2} == {event.seat for event in events if isinstance(event, ev.Played)}


def test_bots_from_one_seed_play_alike() -> None:
    """The same seeds, on the same clock, make the same log."""
    assert in_virtual_time(play_out(3.0)) == in_virtual_time(play_out(3.0))


def test_bots_can_be_hurried() -> None:
    """Ten times the speed takes about a tenth of the time."""
    _, slow = in_virtual_time(play_out(1.0))
    _, fast = in_virtual_time(play_out(10.0))
    assert 5 < slow / fast < 20


@virtual
async def test_a_bot_that_is_sent_away_stops_playing() -> None:
    """After a bot has left, nothing of it is heard, and another can take its seat."""
    room = open_room()
    ann, ear = seat_at(room, "Ann")
    await say(room, ear, ann, cl.AddBot(counter=1), cl.RemoveBot(counter=2, seat=1), cl.AddBot(counter=3))
    await say(room, ear, ann, cl.RemoveBot(counter=4, seat=1), cl.Start(counter=5))
    await asyncio.sleep(60)
    assert not any(isinstance(event, ev.Played) for event in ear.events)


@virtual
async def test_a_bot_stands_in_beyond_the_highest_counter() -> None:
    """A player who has used the highest counter leaves the bot a next one, and finds one on coming back."""
    room = open_room(bot_speed=10.0)
    ann, ann_ear = seat_at(room, "Ann")
    ben, ben_ear = seat_at(room, "Ben")
    for counter in (2**30 - 1, 2**31 - 3, 2**31 - 1):
        await say(room, ben_ear, ben, cl.Ready(counter=counter, ready=False))
    await say(room, ann_ear, ann, cl.Start(counter=1))
    room.leave(ben_ear, ben)
    await say(room, ann_ear, ann, cl.StandIn(counter=2, seat=ben))
    await asyncio.sleep(5)
    assert any(isinstance(event, ev.Played) and event.seat == ben for event in ann_ear.events)
    room.broadcast.take_seat(ben_ear, ben)
    room.connect(ben)
    last = room.table.seat_tokens.counter(ben)
    await say(room, ben_ear, ben, cl.Say(counter=last + 1, text="back"))
    assert Accepted(counter=last + 1, seq=room.table.view.seq) == ben_ear.replies[-1]


# Thinking in slices.


class Ponderer(Bot):
    """A bot that thinks long, and then has nothing to play.

    Attributes:
        work: how many units were done at which moment, by all together.

    """

    work: ClassVar[Counter[int]] = Counter()

    def look(self, view: TableView) -> Search[Decision]:
        """Begin to think."""
        return Search(self._ponder())

    def _ponder(self) -> Generator[int, None, Decision]:
        for _ in range(10 * SLICE_UNITS):
            self.work[now()] += 1
            yield 1
        return None, 60_000


@pytest.fixture
def ponderers(monkeypatch: pytest.MonkeyPatch) -> Counter[int]:
    """Let bots ponder; return what they do when."""
    monkeypatch.setattr(seats, "Bot", Ponderer)
    monkeypatch.setattr(Ponderer, "work", work := Counter[int]())
    return work


def test_a_bot_lets_others_come_between_two_slices(ponderers: Counter[int]) -> None:
    """However long a bot thinks, it does one slice at a time, and leaves the loop alone until the next."""

    async def history() -> None:
        room = open_room()
        ann, ear = seat_at(room, "Ann")
        await say(room, ear, ann, cl.AddBot(counter=1))
        await asyncio.sleep(5)
        room.close()

    in_virtual_time(history())
    assert [SLICE_UNITS] * 10 == list(ponderers.values())
    gap = round(SLICE_GAP_SECONDS * 1_000_000)
    assert all(gap <= after - before < 2 * gap for before, after in pairwise(ponderers))


def test_a_bot_that_is_sent_away_while_it_thinks_stops_thinking(ponderers: Counter[int]) -> None:
    """Nothing more is done for a bot whose seat was taken from it in the midst of a thought."""

    async def history() -> None:
        room = open_room()
        ann, ear = seat_at(room, "Ann")
        await say(room, ear, ann, cl.AddBot(counter=1))
        begins = room._bots._timers[1].when() - asyncio.get_running_loop().time()
        await asyncio.sleep(begins + SLICE_GAP_SECONDS)
        await say(room, ear, ann, cl.RemoveBot(counter=2, seat=1))
        done = ponderers.total()
        assert done > 0
        await asyncio.sleep(5)
        assert done == ponderers.total() < 10 * SLICE_UNITS
        room.close()

    in_virtual_time(history())
