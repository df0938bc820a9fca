"""A room without sockets: rounds, catching up, seats changing hands, and the clockwork."""

import asyncio
import random
from pathlib import Path

import pytest

from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Accepted, Refused, Seated, Snapshot
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.rate_limits import Budget, TokenBucket
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.registry import Registry
from racing_demon_server.tables.room import Room
from tests.support.tables import told
from tests.support.virtual_journal import VirtualJournal
from tests.support.virtual_rooms import (
    FakeConnection,
    RoundingLoop,
    answered,
    in_virtual_time,
    now,
    open_room,
    say,
    seat_at,
    virtual,
)


def ready(counter: int, wanted: bool = True) -> cl.Ready:
    """Return a harmless command that makes an event."""
    return cl.Ready(counter=counter, ready=wanted)


def who(events: list[Event]) -> list[int]:
    """Return the seats of a list of events."""
    return [event.seat for event in events if isinstance(event, ev.Readied)]


@virtual
async def test_plays_are_applied_once_as_long_as_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """What everybody sees follows later, all at once: else each play would cost half as much again."""
    applied: list[Event] = []

    def apply(view: TableState, event: Event) -> None:
        applied.append(event)
        really(view, event)

    really = TableState.apply
    room = open_room()
    ann, conn = seat_at(room, "Ann")
    room.broadcast.watch(FakeConnection())
    await say(room, conn, ann, cl.AddBot(counter=1, level="hard"), cl.Start(counter=2))
    await conn.until(ev.Played)
    monkeypatch.setattr(TableState, "apply", apply)
    before = len(conn.events)
    await asyncio.sleep(20)
    plays = [event for event in conn.events[before:] if isinstance(event, ev.Played)]
    assert len(plays) > 5
    assert not [event for event in applied if isinstance(event, ev.Played)]


# Matches an hour.


@virtual
async def test_a_table_has_so_many_matches_an_hour() -> None:
    """Each is kept, and its result is made: a start beyond them is refused, and told when it goes on."""
    room = open_room(game="puzzle", hands=1, seats=1, contributions=False, matches_per_hour=2)
    ann, conn = seat_at(room, "Ann")
    for counter in (1, 3):
        await say(room, conn, ann, cl.Start(counter=counter))
        await asyncio.sleep(1)
        await say(room, conn, ann, cl.Stuck(counter=counter + 1))
        await asyncio.sleep(1)
    await say(room, conn, ann, cl.Start(counter=5), ready(6))
    refused = conn.replies[-2:]
    assert [(type(each), getattr(each, "reason", None)) for each in refused] == [
        (Refused, Reason.TOO_FAST)
    ] * 2
    assert "the next one may start in 1797 seconds" in getattr(refused[0], "text", "")
    await asyncio.sleep(1_797)
    await say(room, conn, ann, cl.Start(counter=7))
    assert isinstance(conn.replies[-1], Accepted)


@virtual
async def test_who_opened_a_table_pays_for_hands_that_the_clock_ends() -> None:
    """Hands that nobody ends are dealt no faster than whoever opened the table can pay for them."""
    hands, options = [], Options(hands=100, countdown_ms=0, tally_ms=0, time_limit_ms=1_000)
    for budget in (None, Budget(TokenBucket(100, 100))):
        registry = Registry(ServerSettings(contributions=False), now, NullJournal())
        room = registry.open(options, budget=budget)
        (ann, ear), _ = seat_at(room, "Ann"), seat_at(room, "Ben")
        await say(room, ear, ann, cl.Start(counter=1))
        await asyncio.sleep(60)
        hands.append(room.table.view.hand_number)
        room.put(ear, ann, ready(2), now())
        registry.close()
    assert hands[0] > 55
    assert 5 < hands[1] < 30  # 27 hands cost 6,210 units


# Rounds.


@virtual
async def test_a_burst_waits_for_the_first_command_of_others() -> None:
    """What arrived together is judged in rounds: nobody's second comes before anybody's first."""
    room = open_room()
    (ann, ann_ear), (ben, ben_ear), (cat, _) = (seat_at(room, name) for name in ("Ann", "Ben", "Cat"))
    watching = FakeConnection()
    room.broadcast.catch_up(watching, 0)
    burst = [ready(1), ready(2, wanted=False), ready(3)]
    for command in burst:
        room.put(ann_ear, ann, command, now())
    room.put(ben_ear, ben, ready(1), now())
    room.put(ben_ear, ben, ready(2, wanted=False), now())
    await answered()
    assert [ann, ben, ann, ben, ann] == who(watching.events)
    assert cat not in who(watching.events)


@virtual
async def test_within_a_round_the_first_to_arrive_is_first() -> None:
    """In one round the order is that of arrival."""
    room = open_room()
    seats = [seat_at(room, name) for name in ("Ann", "Ben", "Cat", "Don")]
    watching = FakeConnection()
    room.broadcast.catch_up(watching, 0)
    for place in (2, 0, 3):
        seat, conn = seats[place]
        room.put(conn, seat, ready(1), now())
    await answered()
    assert who(watching.events) == [2, 0, 3]


@virtual
async def test_nothing_is_judged_before_all_that_arrived_is_in() -> None:
    """Putting a command into the inbox judges nothing; the loop's next step does."""
    room = open_room()
    seat, conn = seat_at(room, "Ann")
    seq = room.table.view.seq
    room.put(conn, seat, ready(1), now())
    assert seq == room.table.view.seq
    await asyncio.sleep(0)
    assert seq + 1 == room.table.view.seq


# Answers.


@virtual
async def test_answers_go_to_the_sender_alone() -> None:
    """Others hear the events of a command, and nothing of its answer."""
    room = open_room()
    (ann, ann_ear), (_, ben_ear) = seat_at(room, "Ann"), seat_at(room, "Ben")
    await say(room, ann_ear, ann, ready(1), cl.Call(counter=2))
    assert [Accepted(counter=1, seq=room.table.view.seq)] == ann_ear.replies[:1]
    assert [r.reason for r in ann_ear.replies if isinstance(r, Refused)] == [Reason.NOT_STARTED]
    assert ben_ear.replies == []


@virtual
async def test_a_repeated_command_is_answered_and_not_carried_out() -> None:
    """The newest command, sent again, gets its answer again; an older one is called repeated."""
    room = open_room()
    ann, conn = seat_at(room, "Ann")
    await say(room, conn, ann, cl.AddBot(counter=1), cl.AddBot(counter=2))
    await say(room, conn, ann, cl.AddBot(counter=2), cl.AddBot(counter=1))
    first, second, again, older = conn.replies
    assert second == again
    assert first != again
    assert isinstance(older, Refused)
    assert older.reason == Reason.REPEATED
    assert len(room.table.view.seats) == 3


# Seats and those who speak for them.


@virtual
async def test_only_the_present_speaker_s_loss_is_news() -> None:
    """When an older connection of a seat goes at last, the seat is not called lost."""
    room = open_room()
    ann, old = seat_at(room, "Ann")
    new = FakeConnection()
    room.broadcast.take_seat(new, ann)
    room.broadcast.catch_up(new, 0)
    room.leave(old, ann)
    assert told(new.events) == ""
    room.leave(new, ann)
    assert not room.table.view.seats[ann].connected


@virtual
async def test_coming_and_going_is_told() -> None:
    """A lost connection is an event, and so is the one that comes back."""
    room = open_room()
    ann, conn = seat_at(room, "Ann")
    watching = FakeConnection()
    room.broadcast.catch_up(watching, 0)
    room.leave(conn, ann)
    back = FakeConnection()
    room.broadcast.take_seat(back, ann)
    room.broadcast.catch_up(back, room.table.view.seq)
    room.connect(ann)
    told_ = [event.connected for event in watching.events if isinstance(event, ev.Connected)]
    assert told_ == [False, True]


@virtual
async def test_who_has_left_does_not_speak_for_the_seat_s_next_owner() -> None:
    """A command that was on its way when the seat changed hands is refused, and does nothing."""
    room = open_room()
    ann, ann_ear = seat_at(room, "Ann")
    await say(room, ann_ear, ann, cl.Leave(counter=1))
    room.put(ann_ear, ann, cl.Leave(counter=2), now())
    ben, ben_ear = seat_at(room, "Ben")
    await answered()
    assert ann == ben
    assert room.table.view.seats[ben].name == "Ben"
    assert isinstance(ann_ear.replies[-1], Refused)
    await say(room, ben_ear, ben, cl.Ready(counter=1))
    assert isinstance(ben_ear.replies[-1], Accepted)


@virtual
async def test_who_has_left_does_not_speak_for_a_bot() -> None:
    """A seat that somebody left and a bot took is the bot's: the leaver's commands are refused."""
    room = open_room()
    host, host_ear = seat_at(room, "Ann")
    leaver, leaver_ear = seat_at(room, "Ben")
    await say(room, leaver_ear, leaver, cl.Leave(counter=1))
    await say(room, host_ear, host, cl.AddBot(counter=1))
    await say(room, leaver_ear, leaver, ready(2, wanted=False))

    assert room.table.view.seats[leaver].bot == "medium"
    assert room.table.view.seats[leaver].ready
    assert [reply.reason for reply in leaver_ear.replies if isinstance(reply, Refused)] == [Reason.NOT_SEATED]
    room.close()


@virtual
async def test_who_has_left_may_look_on() -> None:
    """Whoever gave the seat up is a spectator, when somebody else takes it, too, and commands nothing."""
    room = open_room()
    ann, ann_ear = seat_at(room, "Ann")
    await say(room, ann_ear, ann, cl.Leave(counter=1))
    ben, _ = seat_at(room, "Ben")
    await ann_ear.until(ev.Joined)
    assert ann_ear.closing is None
    assert [ann_ear] == [*room.broadcast.spectators]
    assert ben in [event.seat for event in ann_ear.events if isinstance(event, ev.Joined)]
    await say(room, ann_ear, ann, cl.Ready(counter=2))
    assert isinstance(ann_ear.replies[-1], Refused)
    room.leave(ann_ear, ann)
    assert room.table.view.seats[ben].connected


@virtual
async def test_who_has_left_misses_nothing_that_was_judged_in_the_same_turn(tmp_path: Path) -> None:
    """Whoever leaves and looks on hears each event once, also what was read together with the leave."""
    journal = VirtualJournal(tmp_path / "journal.db", random.Random(1))
    room = Registry(ServerSettings(), now, journal).open(Options())
    (ann, ann_ear), (ben, ben_ear) = seat_at(room, "Ann"), seat_at(room, "Ben")
    await journal.drained()
    await answered()
    room.put(ben_ear, ben, cl.Leave(counter=1), now())
    for counter in range(1, 4):
        room.put(ann_ear, ann, cl.Say(counter=counter, text="Hello"), now())
    await ann_ear.until(ev.Left)
    await answered()
    seen = [event.seq for event in ben_ear.events]
    assert seen == [*range(seen[0], room.shown.view.seq + 1)]
    room.close()
    journal.close()


@virtual
async def test_a_new_delay_hides_what_was_judged_in_the_same_turn(tmp_path: Path) -> None:
    """Whoever comes to watch sees the table as it was when the delay began, and not what followed at once."""
    journal = VirtualJournal(tmp_path / "journal.db", random.Random(1))
    room = Registry(ServerSettings(), now, journal).open(Options())
    (ann, ann_ear), (ben, ben_ear) = seat_at(room, "Ann"), seat_at(room, "Ben")
    await journal.drained()
    await answered()
    room.put(ann_ear, ann, cl.SetOptions(counter=1, options=Options(watch_delay_ms=60_000)), now())
    room.put(ben_ear, ben, ready(1), now())
    await ann_ear.until(ev.Readied)
    eve = FakeConnection()
    room.broadcast.watch(eve)
    (table,) = [message for message in eve.heard if isinstance(message, Snapshot)]
    assert not table.seats[ben].ready
    room.close()
    journal.close()


@virtual
async def test_private_messages_stay_private() -> None:
    """No listener is ever given a seat's token by the room."""
    room = open_room()
    _, conn = seat_at(room, "Ann")
    seat_at(room, "Ben")
    assert not any(isinstance(message, Seated) for message in conn.heard)


# The clockwork.


def phase(room: Room) -> Phase:
    """Return what a room's table is doing."""
    return room.table.view.phase


@virtual
async def test_the_signal_comes_by_itself() -> None:
    """Play begins when the countdown is over, to the millisecond."""
    room = open_room(countdown_ms=3_000)
    ann, conn = seat_at(room, "Ann")
    await say(room, conn, ann, cl.Start(counter=1))
    await asyncio.sleep(2.999)
    assert phase(room) == Phase.COUNTDOWN
    await asyncio.sleep(0.002)
    assert phase(room) == Phase.PLAYING
    assert told(conn.events[-1:]) == "signalled"


def test_a_loop_that_wakes_too_early_is_asked_for_little_more() -> None:
    """Where timers are whole milliseconds, nobody asks again and again in the last of them what is due."""

    async def history() -> int:
        room, loop = open_room(countdown_ms=3_000), asyncio.get_running_loop()
        assert isinstance(loop, RoundingLoop)
        ann, conn = seat_at(room, "Ann")
        room.put(conn, ann, cl.Start(counter=1), now())
        loop.let_pass(0.000_6)
        await answered()
        before = loop.appointments
        await asyncio.sleep(3.1)
        assert phase(room) == Phase.PLAYING
        return loop.appointments - before

    assert in_virtual_time(history(), RoundingLoop) <= 4


@virtual
async def test_the_next_hand_comes_by_itself() -> None:
    """After the pause for the tally the next hand is dealt, without anybody's doing."""
    room = open_room(tally_ms=10_000, hands=2)
    ann, conn = seat_at(room, "Ann")
    ben, other = seat_at(room, "Ben")
    await say(room, conn, ann, cl.Start(counter=1))
    await asyncio.sleep(0.01)
    await say(room, conn, ann, cl.Stuck(counter=2))
    await say(room, other, ben, cl.Stuck(counter=1))
    assert phase(room) == Phase.TALLY
    await asyncio.sleep(9.9)
    assert room.table.view.hand_number == 1
    await asyncio.sleep(0.2)
    assert room.table.view.hand_number == 2


@virtual
async def test_a_closed_room_stands_still() -> None:
    """After the end neither signal nor bots come."""
    room = open_room(countdown_ms=100)
    ann, conn = seat_at(room, "Ann")
    await say(room, conn, ann, cl.AddBot(counter=1), cl.Start(counter=2))
    room.close()
    await asyncio.sleep(60)
    assert phase(room) == Phase.COUNTDOWN
