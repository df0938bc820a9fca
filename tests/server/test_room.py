"""A room without sockets: rounds, catching up, seats changing hands, and the clockwork."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from racing_demon_protocol.codec import Encoding
from racing_demon_protocol.messages import Event
from racing_demon_protocol.messages import client as cl
from racing_demon_protocol.messages import events as ev
from racing_demon_protocol.messages.server import Accepted, Refused, Seated
from racing_demon_protocol.reasons import Phase, Reason
from racing_demon_server.listener import Batch
from racing_demon_server.room import Room

from ..support.rooms import Ear, in_virtual_time, now, open_room, say, seat_at
from ..support.tables import told

Story = Callable[[], Coroutine[Any, Any, None]]


def virtual(story: Story) -> Callable[[], None]:
    """Turn a story into a test that runs in virtual time."""

    def test() -> None:
        in_virtual_time(story())

    test.__name__, test.__doc__ = story.__name__, story.__doc__
    return test


def ready(counter: int, wanted: bool = True) -> cl.Ready:
    """Return a harmless command that makes an event."""
    return cl.Ready(counter=counter, ready=wanted)


def who(events: list[Event]) -> list[int]:
    """Return the seats of a list of events."""
    return [event.seat for event in events if isinstance(event, ev.Readied)]


# Rounds.


@virtual
async def test_a_burst_waits_for_the_first_command_of_others() -> None:
    """What arrived together is judged in rounds: nobody's second comes before anybody's first."""
    room = open_room()
    (ann, ann_ear), (ben, ben_ear), (cat, _) = (seat_at(room, name) for name in ("Ann", "Ben", "Cat"))
    watching = Ear()
    room.catch_up(watching, 0)
    burst = [ready(1), ready(2, wanted=False), ready(3)]
    for number, command in enumerate(burst):
        room.put(ann_ear, ann, command, now(), number)
    room.put(ben_ear, ben, ready(1), now(), 0)
    room.put(ben_ear, ben, ready(2, wanted=False), now(), 1)
    await asyncio.sleep(0)
    assert [ann, ben, ann, ben, ann] == who(watching.events)
    assert cat not in who(watching.events)


@virtual
async def test_within_a_round_the_first_to_arrive_is_first() -> None:
    """In one round the order is that of arrival."""
    room = open_room()
    seats = [seat_at(room, name) for name in ("Ann", "Ben", "Cat", "Don")]
    watching = Ear()
    room.catch_up(watching, 0)
    for place in (2, 0, 3):
        seat, ear = seats[place]
        room.put(ear, seat, ready(1), now(), 0)
    await asyncio.sleep(0)
    assert [2, 0, 3] == who(watching.events)


@virtual
async def test_nothing_is_judged_before_all_that_arrived_is_in() -> None:
    """Putting a command into the inbox judges nothing; the loop's next step does."""
    room = open_room()
    seat, ear = seat_at(room, "Ann")
    seq = room.table.view.seq
    room.put(ear, seat, ready(1), now(), 0)
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
    assert [Reason.NOT_NOW] == [r.reason for r in ann_ear.replies if isinstance(r, Refused)]
    assert [] == ben_ear.replies


@virtual
async def test_a_repeated_command_is_answered_and_not_carried_out() -> None:
    """The newest command, sent again, gets its answer again; an older one is called repeated."""
    room = open_room()
    ann, ear = seat_at(room, "Ann")
    await say(room, ear, ann, cl.AddBot(counter=1), cl.AddBot(counter=2))
    await say(room, ear, ann, cl.AddBot(counter=2), cl.AddBot(counter=1))
    first, second, again, older = ear.replies
    assert second == again
    assert first != again
    assert isinstance(older, Refused)
    assert Reason.REPEATED == older.reason
    assert 3 == len(room.table.view.seats)


@virtual
async def test_one_frame_for_all_of_an_encoding() -> None:
    """Listeners of one encoding get the very same object; those of the other its equal."""
    room = open_room()
    ears = [Ear(encoding) for encoding in [*Encoding, *Encoding]]
    for ear in ears:
        room.catch_up(ear, 0)
    seat_at(room, "Ann")
    await asyncio.sleep(0)
    packed, text, packed_too, text_too = (ear.written[-1] for ear in ears)
    assert packed is packed_too
    assert text is text_too
    assert ears[0].heard == ears[1].heard


# Catching up.


def missed(room: Room, seq: int) -> str:
    """Return the names of what somebody is given who comes back with the number of the last event."""
    ear = Ear()
    room.catch_up(ear, seq)
    return "snapshot" if ear.snapshots else " ".join(str(event.seq) for event in ear.events)


@virtual
async def test_exactly_the_missed_events_are_given() -> None:
    """Whoever comes back gets the events after the last one, no more and no fewer."""
    room = open_room()
    for name in ("Ann", "Ben", "Cat"):
        seat_at(room, name)
    assert 4 == room.table.view.seq
    assert ["2 3 4", "3 4", "4", ""] == [missed(room, seq) for seq in (1, 2, 3, 4)]


@pytest.mark.parametrize("seq", [0, 5, 1_000])
def test_a_number_that_was_never_told_gets_a_snapshot(seq: int) -> None:
    """Number 0, and those of the future, mean that nothing is known."""

    async def story() -> None:
        room = open_room()
        for name in ("Ann", "Ben", "Cat"):
            seat_at(room, name)
        assert "snapshot" == missed(room, seq)

    in_virtual_time(story())


@virtual
async def test_events_that_are_not_kept_are_replaced_by_a_snapshot() -> None:
    """With three events kept, whoever misses four gets all of the table."""
    room = open_room(kept_events=3)
    for name in ("Ann", "Ben", "Cat", "Don", "Eve"):
        seat_at(room, name)
    assert 6 == room.table.view.seq
    assert ["snapshot", "4 5 6", "5 6"] == [missed(room, seq) for seq in (2, 3, 4)]


@virtual
async def test_after_catching_up_comes_the_next_event() -> None:
    """Between what was missed and what follows there is no gap, and nothing twice."""
    room = open_room()
    seat_at(room, "Ann")
    ear = Ear()
    room.catch_up(ear, 1)
    seat_at(room, "Ben")
    assert [2, 3] == [event.seq for event in ear.events]


@virtual
async def test_what_was_missed_is_what_was_told() -> None:
    """Whoever catches up, in either encoding, gets the very frames of those who were there."""
    room = open_room()
    present = [Ear(encoding) for encoding in Encoding]
    for ear in present:
        room.catch_up(ear, 0)
    for name in ("Ann", "Ben", "Cid"):
        seat_at(room, name)
    late = [Ear(encoding) for encoding in Encoding]
    for ear in late:
        room.catch_up(ear, 2)
    assert [ear.written[2:] for ear in present] == [ear.written for ear in late]
    assert late[0].written != late[1].written


@virtual
async def test_what_one_turn_brought_goes_out_together() -> None:
    """Two plays that came together are told each player in one write."""
    room = open_room(countdown_ms=0)
    (ann, ann_ear), (ben, ben_ear) = seat_at(room, "Ann"), seat_at(room, "Ben")
    await say(room, ann_ear, ann, cl.Start(counter=1))
    view, sizes, send = room.table.view, list[int](), ben_ear.send

    def note(events: Batch) -> None:
        sizes.append(len(events.frames))
        send(events)

    ben_ear.send = note  # type: ignore[method-assign]
    await asyncio.sleep(0.001)
    assert view.rules is not None
    assert view.board is not None
    sizes.clear()
    for seat, ear, counter in ((ann, ann_ear, 2), (ben, ben_ear, 1)):
        turn = view.rules.turn(view.board, seat)
        assert turn is not None
        source, count, destination, _ = turn
        play = cl.PlayCards(
            counter=counter, source=source, count=count, destination=destination, seen=view.seq
        )
        room.put(ear, seat, play, now(), 0)
    await asyncio.sleep(0.001)
    assert [2] == sizes
    assert [ann, ben] == [event.seat for event in ben_ear.events if isinstance(event, ev.Played)]


@virtual
async def test_a_snapshot_says_how_long_the_hand_has_lasted() -> None:
    """Before the signal the time is negative, and after it counts up."""
    room = open_room(countdown_ms=3_000)
    ann, ear = seat_at(room, "Ann")
    await say(room, ear, ann, cl.Start(counter=1))
    await asyncio.sleep(1)
    elapsed = []
    for seconds in (0, 5):
        await asyncio.sleep(seconds)
        late = Ear()
        room.catch_up(late, 0)
        elapsed.append(late.snapshots[0].elapsed_ms)
    assert [-2_000, 3_000] == elapsed


# Seats and those who speak for them.


@virtual
async def test_the_newest_speaker_wins() -> None:
    """Taking up a seat again returns the older connection, which hears no more."""
    room = open_room()
    ann, old = seat_at(room, "Ann")
    new = Ear()
    assert old is room.take_seat(new, ann)
    room.catch_up(new, 0)
    heard = len(old.frames)
    seat_at(room, "Ben")
    assert heard == len(old.frames)
    assert ["Ben"] == [event.name for event in new.events if isinstance(event, ev.Joined)]


@virtual
async def test_only_the_present_speaker_s_loss_is_news() -> None:
    """When an older connection of a seat goes at last, the seat is not called lost."""
    room = open_room()
    ann, old = seat_at(room, "Ann")
    new = Ear()
    room.take_seat(new, ann)
    room.catch_up(new, 0)
    room.leave(old, ann)
    assert "" == told(new.events)
    room.leave(new, ann)
    assert not room.table.view.seats[ann].connected


@virtual
async def test_coming_and_going_is_told() -> None:
    """A lost connection is an event, and so is the one that comes back."""
    room = open_room()
    ann, ear = seat_at(room, "Ann")
    watching = Ear()
    room.catch_up(watching, 0)
    room.leave(ear, ann)
    back = Ear()
    room.take_seat(back, ann)
    room.catch_up(back, room.table.view.seq)
    room.connect(ann)
    told_ = [event.connected for event in watching.events if isinstance(event, ev.Connected)]
    assert [False, True] == told_


@virtual
async def test_who_has_left_does_not_speak_for_the_seat_s_next_owner() -> None:
    """A command that was on its way when the seat changed hands is refused, and does nothing."""
    room = open_room()
    ann, ann_ear = seat_at(room, "Ann")
    await say(room, ann_ear, ann, cl.Leave(counter=1))
    room.put(ann_ear, ann, cl.Leave(counter=2), now(), 0)
    ben, ben_ear = seat_at(room, "Ben")
    await asyncio.sleep(0)
    assert ann == ben
    assert "Ben" == room.table.view.seats[ben].name
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
    """Whoever gave the seat up is not thrown out when somebody else takes it, and commands nothing."""
    room = open_room()
    ann, ann_ear = seat_at(room, "Ann")
    await say(room, ann_ear, ann, cl.Leave(counter=1))
    ben, _ = seat_at(room, "Ben")
    assert ann_ear.closing is None
    assert ben in [event.seat for event in ann_ear.events if isinstance(event, ev.Joined)]
    await say(room, ann_ear, ann, cl.Ready(counter=2))
    assert isinstance(ann_ear.replies[-1], Refused)
    room.leave(ann_ear, ann)
    assert room.table.view.seats[ben].connected


@virtual
async def test_private_messages_stay_private() -> None:
    """No listener is ever given a seat's token by the room."""
    room = open_room()
    _, ear = seat_at(room, "Ann")
    seat_at(room, "Ben")
    assert not any(isinstance(message, Seated) for message in ear.heard)


# The clockwork.


def phase(room: Room) -> Phase:
    """Return what a room's table is doing."""
    return room.table.view.phase


@virtual
async def test_the_signal_comes_by_itself() -> None:
    """Play begins when the countdown is over, to the millisecond."""
    room = open_room(countdown_ms=3_000)
    ann, ear = seat_at(room, "Ann")
    await say(room, ear, ann, cl.Start(counter=1))
    await asyncio.sleep(2.999)
    assert Phase.COUNTDOWN == phase(room)
    await asyncio.sleep(0.002)
    assert Phase.PLAYING == phase(room)
    assert "signalled" == told(ear.events[-1:])


@virtual
async def test_the_next_hand_comes_by_itself() -> None:
    """After the pause for the tally the next hand is dealt, without anybody's doing."""
    room = open_room(tally_ms=10_000, hands=2)
    ann, ear = seat_at(room, "Ann")
    await say(room, ear, ann, cl.Start(counter=1))
    await asyncio.sleep(0.01)
    await say(room, ear, ann, cl.Stuck(counter=2))
    assert Phase.TALLY == phase(room)
    await asyncio.sleep(9.9)
    assert 1 == room.table.view.hand
    await asyncio.sleep(0.2)
    assert 2 == room.table.view.hand


async def play_out(bot_speed: float) -> tuple[list[Event], float]:
    """Let three bots play a hand; return the log and how many seconds it took."""
    room = open_room(bot_speed=bot_speed, hands=1)
    host, ear = Ear(), Ear()
    room.table.claims.add(None, b"host")
    room.take_seat(host, None)
    room.catch_up(ear, 0)
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
async def test_a_closed_room_stands_still() -> None:
    """After the end neither signal nor bots come."""
    room = open_room(countdown_ms=100)
    ann, ear = seat_at(room, "Ann")
    await say(room, ear, ann, cl.AddBot(counter=1), cl.Start(counter=2))
    room.close()
    await asyncio.sleep(60)
    assert Phase.COUNTDOWN == phase(room)
