"""Bots at a table: they play by themselves, alike from one seed, and stop when they are sent away."""

import asyncio

from racing_demon_protocol.messages import Event
from racing_demon_protocol.messages import client as cl
from racing_demon_protocol.messages import events as ev

from ..support.rooms import Ear, in_virtual_time, now, open_room, say, seat_at, virtual
from ..support.tables import told


async def play_out(bot_speed: float) -> tuple[list[Event], float]:
    """Let three bots play a hand; return the log and how many seconds it took."""
    room = open_room(bot_speed=bot_speed, hands=1)
    host, ear = Ear(), Ear()
    room.table.claims.add(None, b"host")
    room.audience.take_seat(host, None)
    room.audience.catch_up(ear, 0)
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
