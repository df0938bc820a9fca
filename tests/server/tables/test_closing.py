"""A table that is closed: its match ends, and everybody is told what it came to."""

import asyncio
import contextlib
import random
from pathlib import Path

import pytest

from racing_demon_protocol.enums import EndReason, Phase
from racing_demon_protocol.errors import InvalidRecord
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.journal.reader import log_of
from racing_demon_server.journal.sqlite.database import open_journal
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.registry import Registry
from racing_demon_server.tables.room import Room
from tests.support.cases import for_each
from tests.support.records import change, place_of, record
from tests.support.tables import MS, Own, Sitting, of_type, pack_of, told
from tests.support.virtual_journal import VirtualJournal
from tests.support.virtual_rooms import FakeConnection, in_virtual_time, now, open_room, say, seat_at, virtual


def _at_play(tally_ms: int = 20_000) -> Sitting:
    """Return a hand in which the second of two has brought up two cards, and the first one."""
    sitting = Sitting.playing(2, hands=3, tally_ms=tally_ms)
    sitting.lay(["AS", "AS/1 2S/1"], Own(["KD"]), Own(["KD", "3S"]))
    return sitting


# The table.


def test_the_hand_on_the_table_counts_as_far_as_it_came() -> None:
    """In the midst of a hand it ends with its points, and with it the match, with whoever is ahead."""
    sitting = _at_play()
    events = sitting.close()
    assert told(events) == "hand_over match_over"
    over, end = of_type(ev.HandOver, events)[0], of_type(ev.MatchOver, events)[0]
    assert (over.reason, over.out, over.points) == (EndReason.CLOSED, None, (1, 2))
    assert (end.winners, end.closed) == ((1,), True)


def test_a_hand_that_pauses_counts_as_well() -> None:
    """That the hand stood still when the table was closed makes no difference."""
    sitting = _at_play()
    sitting.events(0, cl.Pause)
    assert told(sitting.close()) == "hand_over match_over"


def test_who_has_called_is_out() -> None:
    """In the moment after a call the hand is the caller's, as if the moment had passed."""
    three = [*pack_of("SHC"), "AD 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD"]
    sitting = Sitting.playing(2, hands=1, call_out="shout", grace_ms=1_000)
    sitting.lay(three, Own(["KD"]), Own(["9C"]))
    sitting.play(0, sitting.column(0))
    sitting.events(0, cl.Call)
    events = sitting.close()
    assert told(events) == "hand_over match_over"
    assert (events[0].reason, events[0].out) == (EndReason.OUT, 0)  # type: ignore[attr-defined]
    assert not of_type(ev.MatchOver, events)[0].closed


def test_between_two_hands_the_match_ends_as_it_stands() -> None:
    """In the tally, while the next hand is shuffled, and before its signal nothing but the match ends."""
    sitting = _at_play(tally_ms=1_000)
    for seat in (0, 1):
        sitting.events(seat, cl.Stuck)
    assert Phase.TALLY is sitting.table.view.phase
    tally, countdown = sitting.fork(), sitting
    countdown.wait(1_000 * MS)
    assert Phase.COUNTDOWN is countdown.table.view.phase
    for each in (tally, countdown):
        events = each.close()
        assert told(events) == "match_over"
        assert (events[0].winners, events[0].closed) == ((1,), True)  # type: ignore[attr-defined]


@for_each("phase", [Phase.LOBBY, Phase.COUNTDOWN, Phase.OVER])
def test_where_nothing_was_played_nothing_ends(phase: Phase) -> None:
    """A table without a match, or before the first signal, is closed without a word."""
    sitting = Sitting.lobby(2, hands=1)
    if phase is Phase.COUNTDOWN:
        sitting.events(0, cl.Start)
    elif phase is Phase.OVER:
        sitting.start()
        for seat in (0, 1):
            sitting.events(seat, cl.Stuck)
    assert phase is sitting.table.view.phase
    assert not sitting.close()


# The record.


def _closed_record(*, in_hand: bool) -> list[ev.Event]:
    sitting = Sitting.playing(2, hands=3, game="classic", countdown_ms=0)
    sitting.turn(0)
    if not in_hand:
        for seat in (0, 1):
            sitting.events(seat, cl.Stuck)
    sitting.close()
    return sitting.log


@for_each("in_hand", [True, False])
def test_the_record_of_a_table_that_was_closed_is_right(in_hand: bool) -> None:
    """Whether in a hand or after it: the hand is checked, and the match is over."""
    checked = verify(
        record(Options(game="classic", hands=3, countdown_ms=0), _closed_record(in_hand=in_hand))
    )
    assert (checked.hands, checked.matches) == (1, 1)


@for_each("in_hand", [True, False])
def test_a_closed_table_has_no_other_winners(in_hand: bool) -> None:
    """Whoever is not ahead has not won because the table was closed."""
    log = _closed_record(in_hand=in_hand)
    over = log[place_of(log, ev.MatchOver)]
    assert isinstance(over, ev.MatchOver)
    change(log, place_of(log, ev.MatchOver), winners=() if over.winners else (0,))
    with pytest.raises(InvalidRecord, match="the winners are others"):
        verify(record(Options(game="classic", hands=3, countdown_ms=0), log))


# Everybody who is there.


@pytest.mark.parametrize("delay_ms", [0, 60_000])
@virtual
async def test_everybody_is_told_before_the_table_is_closed(delay_ms: int) -> None:
    """Players, and spectators, also those who see the table late, get the end of the match at once."""
    room = open_room(bot_speed=5.0, hands=3, countdown_ms=0, watch_delay_ms=delay_ms)
    ann, conn = seat_at(room, "Ann")
    eve = FakeConnection()
    room.broadcast.watch(eve)
    await say(room, conn, ann, cl.AddBot(counter=1), cl.Start(counter=2))
    await asyncio.sleep(5)
    assert room.table.view.in_hand
    room.end_match(room.broadcast.flush_delayed)
    for each in (conn, eve):
        assert told(each.events[-2:]) == "hand_over match_over"
    room.close()


@virtual
async def test_all_matches_end_where_all_tables_are_closed() -> None:
    """Who watches late, at whichever table, sees how each has ended before the server goes."""
    registry = Registry(ServerSettings(bot_speed=5.0), now, NullJournal())
    watching = []
    for _ in range(2):
        room = registry.open(Options(hands=3, countdown_ms=0, watch_delay_ms=60_000))
        ann, conn = seat_at(room, "Ann")
        eve = FakeConnection()
        room.broadcast.watch(eve)
        watching.append(eve)
        await say(room, conn, ann, cl.AddBot(counter=1), cl.Start(counter=2))
    await asyncio.sleep(5)
    assert registry.is_played
    registry.end_matches()
    assert not registry.is_played
    for eve in watching:
        assert told(eve.events[-2:]) == "hand_over match_over"
    registry.close()


async def left_in_a_hand(registry: Registry) -> tuple[Room, int, FakeConnection]:
    """Open a table whose only person leaves in the first hand; return her seat, and where she listened."""
    room = registry.open(Options(hands=3, countdown_ms=0))
    ann, conn = seat_at(room, "Ann")
    await say(room, conn, ann, cl.AddBot(counter=1), cl.Start(counter=2))
    await asyncio.sleep(5)
    room.leave(conn, ann)
    return room, ann, conn


def test_a_table_that_all_have_left_ends_its_match_in_the_journal(tmp_path: Path) -> None:
    """When nobody comes back to a table that is kept, its match is over in the journal, too."""

    async def history() -> None:
        journal = VirtualJournal(tmp_path / "journal.db", random.Random(0))
        registry = Registry(ServerSettings(idle_table_seconds=10, bot_speed=5.0), now, journal)
        room, _, _ = await left_in_a_hand(registry)
        registry.expire(room)
        await asyncio.sleep(11)
        assert not len(registry)
        await journal.drained()
        registry.close()
        journal.close()

    in_virtual_time(history())
    with contextlib.closing(open_journal(tmp_path / "journal.db")) as db:
        events = [kept.event for kept in log_of(db, 1)]
        assert told(events[-2:]) == "hand_over match_over"
        assert not list(db.tables(only_open=True))


@virtual
async def test_who_comes_back_in_the_last_moment_finds_the_table(tmp_path: Path) -> None:
    """While the end of a match is written down nobody is sent away who has just come back."""
    journal = VirtualJournal(tmp_path / "journal.db", random.Random(0))
    registry = Registry(ServerSettings(idle_table_seconds=10, bot_speed=5.0), now, journal)
    room, ann, conn = await left_in_a_hand(registry)
    await journal.drained()
    registry._close_if_empty(room)
    room.broadcast.take_seat(conn, ann)
    await journal.drained()
    await asyncio.sleep(1)
    assert registry.room(room.table.view.code) is room
    assert Phase.OVER is room.table.view.phase
    registry.close()
    journal.close()
