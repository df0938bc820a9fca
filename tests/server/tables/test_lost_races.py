"""Lost races as spectators are told of them: where, how late, and how many."""

import asyncio
from typing import Final

import pytest

from racing_demon_client.net.client import Client
from racing_demon_protocol.engine.cards import PACK_SIZE
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.codec import Encoding
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Event, OptionsSet, Said
from racing_demon_protocol.wire.messages.server import RaceLost, Snapshot
from racing_demon_protocol.wire.options import Options
from racing_demon_server.tables.feed import Backlog
from racing_demon_server.tables.room import Room
from racing_demon_server.tables.spectators import RACE_BURST, RACES_PER_SECOND
from tests.support.servers import Peer, relaying, serving, timeout
from tests.support.virtual_rooms import FakeConnection, open_room, say, seat_at, virtual

RACE: Final = RaceLost(pile=3, card=5, by=0, seat=1, late_us=200_000)
DELAY: Final = 60


def _races(conn: FakeConnection) -> list[RaceLost]:
    return [message for message in conn.heard if isinstance(message, RaceLost)]


def _watching(room: Room, conn: FakeConnection) -> FakeConnection:
    room.broadcast.watch(conn)
    return conn


@virtual
async def test_only_spectators_who_know_the_message_get_it() -> None:
    """In either encoding; players and older programs hear nothing, and all hear what comes after it."""
    room = open_room()
    _, ann = seat_at(room, "Ann")
    eyes = [_watching(room, FakeConnection(encoding)) for encoding in Encoding]
    old = _watching(room, FakeConnection(shows_races=False))
    await asyncio.sleep(1)
    room.broadcast.spectators.show_race(RACE)
    await asyncio.sleep(1)
    await say(room, ann, 0, cl.Say(counter=1, text="hello"))
    await asyncio.sleep(1)
    assert [_races(conn) for conn in (*eyes, old, ann)] == [[RACE], [RACE], [], []]
    assert [Said] * 4 == [type(conn.events[-1]) for conn in (*eyes, old, ann)]


@virtual
async def test_it_waits_as_long_as_the_events() -> None:
    """With a delay it comes between the events before it and those after it, and not a moment earlier."""
    room = open_room(watch_delay_ms=DELAY * 1_000)
    _, ann = seat_at(room, "Ann")
    eye = _watching(room, FakeConnection())
    await say(room, ann, 0, cl.Say(counter=1, text="before"))
    room.broadcast.spectators.show_race(RACE)
    await say(room, ann, 0, cl.Say(counter=2, text="after"))
    await asyncio.sleep(DELAY - 1)
    assert not _races(eye)
    await asyncio.sleep(2)
    kinds = [type(message) for message in eye.heard if isinstance(message, Said | RaceLost)]
    assert [Said, RaceLost, Said] == kinds


@virtual
async def test_it_takes_the_place_of_no_event() -> None:
    """Whoever has watched an empty table gets the first event after a race, too."""
    room = open_room()
    eye = _watching(room, FakeConnection())
    room.broadcast.spectators.show_race(RACE)
    await asyncio.sleep(1)
    seat_at(room, "Ann")
    await asyncio.sleep(1)
    assert (_races(eye)[0], eye.events[0].seq) == (RACE, 1)


@virtual
async def test_only_so_many_are_shown_and_wait() -> None:
    """However many are lost, a burst and so many a second are told, and no more wait."""
    backlog = Backlog(1_000_000, 10_000_000)
    room = open_room(backlog=backlog, watch_delay_ms=DELAY * 1_000)
    seat_at(room, "Ann")
    eye = _watching(room, FakeConnection())
    before = backlog.size
    for _ in range(10):
        for _ in range(100):
            room.broadcast.spectators.show_race(RACE)
        await asyncio.sleep(1)
    most = RACE_BURST + 10 * RACES_PER_SECOND
    assert backlog.size - before <= most * 300
    await asyncio.sleep(2 * DELAY)
    assert RACE_BURST < len(_races(eye)) <= most


@pytest.mark.long
@virtual
async def test_races_of_a_hand_name_cards_on_foundations() -> None:
    """At a table full of bots each race told names a card of the winner's, and the pile it lies on."""
    room = open_room(bot_speed=4.0, hands=1)
    _, ann = seat_at(room, "Ann")
    eye = _watching(room, FakeConnection())
    for number in range(7):
        await say(room, ann, 0, cl.AddBot(counter=number + 1, level="hard"))
    await say(room, ann, 0, cl.Start(counter=9))
    await asyncio.sleep(60)
    view, told = TableState("TEST", room.table.view.options), 0
    for message in eye.heard:
        if isinstance(message, Snapshot):
            view = TableState.from_snapshot(message)
        elif isinstance(message, Event):
            view.apply(message)
        elif isinstance(message, RaceLost):
            assert view.board is not None
            assert message.card in view.board.cards[message.pile]
            assert view.hand_seats[message.card // PACK_SIZE] == message.by != message.seat
            told += 1
    assert told


async def _heard(client: Client) -> RaceLost:
    async for message in client:
        if isinstance(message, RaceLost):
            return message
    raise AssertionError("the table has ended")


async def test_a_relay_passes_it_on() -> None:
    """The client of the terminal asks for it, at the owner's and at a relay."""
    async with serving() as owner, relaying(owner.url) as relay, Peer.hosting(owner.url) as ann:
        for url in (owner.url, relay.url):
            async with await Client.watch(url, ann.code) as eye:
                owner.registry.room(ann.code).broadcast.spectators.show_race(RACE)
                assert await timeout(10, _heard(eye)) == RACE


@virtual
async def test_it_waits_as_long_where_nothing_else_does() -> None:
    """Whoever comes meanwhile sees it as late as the others, and the time of the hand as late, too."""
    room = open_room(watch_delay_ms=DELAY * 1_000, auto_first_turn=False, pause_after_ms=None)
    seat, ann = seat_at(room, "Ann")
    await say(room, ann, seat, cl.Start(counter=1))
    eye = _watching(room, FakeConnection())
    await asyncio.sleep(2 * DELAY)
    room.broadcast.spectators.show_race(RACE)
    await asyncio.sleep(DELAY - 1)
    late = _watching(room, FakeConnection())
    assert late.snapshots[0].elapsed_ms == 1_000 * (2 * DELAY - 1)
    assert [_races(conn) for conn in (eye, late)] == [[], []]
    await asyncio.sleep(2)
    assert [_races(conn) for conn in (eye, late)] == [[RACE]] * 2


@virtual
async def test_it_does_not_overtake_events_when_the_delay_is_taken_away() -> None:
    """Events from before still wait, and the race comes after them."""
    room = open_room(watch_delay_ms=DELAY * 1_000)
    _, ann = seat_at(room, "Ann")
    eye = _watching(room, FakeConnection())
    await say(room, ann, 0, cl.Say(counter=1, text="before"))
    await say(room, ann, 0, cl.SetOptions(counter=2, options=Options(watch_delay_ms=0)))
    room.broadcast.spectators.show_race(RACE)
    await asyncio.sleep(DELAY - 1)
    assert not _races(eye)
    await asyncio.sleep(2)
    kinds = [type(message) for message in eye.heard if isinstance(message, Said | OptionsSet | RaceLost)]
    assert [Said, OptionsSet, RaceLost] == kinds
