"""Who hears what of a table: in order, together, and what was missed."""

import asyncio
import random
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from racing_demon_protocol.enums import CloseCode
from racing_demon_protocol.wire.codec import Encoding
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Accepted, Refused
from racing_demon_protocol.wire.options import Options
from racing_demon_server.encoded_messages import EncodedEvent, encoded_events
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.feed import CommittedTable, ReplayBuffer
from racing_demon_server.tables.observer import Observer
from racing_demon_server.tables.registry import Registry
from racing_demon_server.tables.room import Room
from tests.support.cases import for_each
from tests.support.virtual_journal import VirtualJournal
from tests.support.virtual_rooms import FakeConnection, answered, now, open_room, say, seat_at, virtual


@virtual
async def test_one_frame_for_all_of_an_encoding() -> None:
    """Listeners of one encoding get the very same object; those of the other its equal."""
    room = open_room()
    conns = [FakeConnection(encoding) for encoding in [*Encoding, *Encoding]]
    for conn in conns:
        room.broadcast.catch_up(conn, 0)
    seat_at(room, "Ann")
    await asyncio.sleep(0)
    packed, text, packed_too, text_too = (conn.written[-1] for conn in conns)
    assert packed is packed_too
    assert text is text_too
    assert conns[0].heard == conns[1].heard


def test_what_is_whispered_is_not_kept_and_not_forgotten() -> None:
    """Whoever may have missed a private play gets the whole table; whoever came later, the events."""
    kept = ReplayBuffer(100)
    for seq in (1, 2):
        kept.add([EncodedEvent(ev.Signalled(seq=seq), 0)])
    kept.add(
        [EncodedEvent(ev.Played(seq=2, seat=0, counter=1, source=0, count=1, destination=1, shown=()), 0, 0)]
    )
    for seq in (3, 4):
        kept.add([EncodedEvent(ev.Signalled(seq=seq), 0)])
    missed = [kept.since(seq) for seq in (1, 2, 3, 4)]
    assert [None if each is None else len(each.messages) for each in missed] == [None, None, 1, 0]


def test_plays_are_known_by_their_numbers_as_everybody_s_or_their_player_s() -> None:
    """Of a log that is read again, a play that bears the number of the event before is for its player."""
    play = partial(ev.Played, seat=1, counter=1, source=0, count=1, destination=1, shown=())
    log = [play(seq=1), ev.Signalled(seq=2), play(seq=2), play(seq=3), ev.Signalled(seq=3)]
    assert [each.seat for each in encoded_events((event, 0) for event in log)] == [None, None, 1, None, None]


class Watching(Observer):
    """An observer that writes down how long plays and other answers took."""

    def __init__(self) -> None:
        self.took: list[object] = []

    def carried_out(self, table: CommittedTable, took_us: Sequence[int]) -> None:
        """Note plays."""
        self.took.append((table, list(took_us)))

    def answered(
        self, table: CommittedTable, command: cl.Command, reply: Accepted | Refused, took_us: int
    ) -> None:
        """Note another answer."""
        self.took.append((table, command, reply, took_us))


@virtual
async def test_observers_are_told_how_long_it_took() -> None:
    """From the arrival of each play, and of any other command, to the moment in which it is answered."""
    watching, conn = Watching(), FakeConnection()
    room = open_room(observers=[watching])
    command, reply = cl.Call(counter=1), Accepted(counter=1, seq=1)
    begun = now()
    await asyncio.sleep(0.5)
    room.broadcast.count([begun, begun + 200_000])
    room.broadcast.answer(conn, command, reply, begun + 100_000)
    await answered()
    assert [(room.shown, [500_000, 300_000]), (room.shown, command, reply, 400_000)] == watching.took
    assert [reply] == conn.heard


@virtual
async def test_the_newest_speaker_wins() -> None:
    """Taking up a seat again returns the older connection, which hears no more."""
    room = open_room()
    ann, old = seat_at(room, "Ann")
    new = FakeConnection()
    assert old is room.broadcast.take_seat(new, ann)
    room.broadcast.catch_up(new, 0)
    heard = len(old.frames)
    seat_at(room, "Ben")
    assert heard == len(old.frames)
    assert [event.name for event in new.events if isinstance(event, ev.Joined)] == ["Ben"]


@virtual
async def test_whoever_is_sent_away_hears_no_more() -> None:
    """A kicked player, and spectators whom the host does not want, get nothing after their end."""
    room = open_room()
    (ann, ann_ear), (ben, ben_ear), eve = seat_at(room, "Ann"), seat_at(room, "Ben"), FakeConnection()
    room.watch(eve, "", "")
    await say(room, ann_ear, ann, cl.Kick(counter=1, seat=ben))
    await say(room, ann_ear, ann, cl.SetOptions(counter=2, options=Options(spectators=False)))
    assert [each.closing and each.closing.code for each in (ben_ear, eve)] == [CloseCode.KICKED] * 2
    heard = [len(each.frames) for each in (ben_ear, eve)]
    assert len(room.broadcast) == 1
    await say(room, ann_ear, ann, cl.Say(counter=3, text="Hello"))
    await asyncio.sleep(1)
    assert heard == [len(each.frames) for each in (ben_ear, eve)]
    assert isinstance(ben_ear.events[-1], ev.Left)


# Catching up.


def missed(room: Room, seq: int) -> str:
    """Return the names of what somebody is given who comes back with the number of the last event."""
    conn = FakeConnection()
    room.broadcast.catch_up(conn, seq)
    return "snapshot" if conn.snapshots else " ".join(str(event.seq) for event in conn.events)


@virtual
async def test_exactly_the_missed_events_are_given() -> None:
    """Whoever comes back gets the events after the last one, no more and no fewer."""
    room = open_room()
    for name in ("Ann", "Ben", "Cat"):
        seat_at(room, name)
    assert room.table.view.seq == 5
    assert [missed(room, seq) for seq in (1, 2, 4, 5)] == ["2 3 4 5", "3 4 5", "5", ""]


@pytest.mark.parametrize("seq", [0, 6, 1_000])
@virtual
async def test_a_number_that_was_never_told_gets_a_snapshot(seq: int) -> None:
    """Number 0, and those of the future, mean that nothing is known."""
    room = open_room()
    for name in ("Ann", "Ben", "Cat"):
        seat_at(room, name)
    assert missed(room, seq) == "snapshot"


@virtual
async def test_events_that_are_not_kept_are_replaced_by_a_snapshot() -> None:
    """With three events kept, whoever misses four gets all of the table."""
    room = open_room(kept_events=3)
    for name in ("Ann", "Ben", "Cat", "Don", "Eve"):
        seat_at(room, name)
    assert room.table.view.seq == 7
    assert [missed(room, seq) for seq in (3, 4, 5)] == ["snapshot", "5 6 7", "6 7"]


@virtual
async def test_after_catching_up_comes_the_next_event() -> None:
    """Between what was missed and what follows there is no gap, and nothing twice."""
    room = open_room()
    seat_at(room, "Ann")
    conn = FakeConnection()
    room.broadcast.catch_up(conn, 1)
    seat_at(room, "Ben")
    assert [event.seq for event in conn.events] == [2, 3, 4]


@virtual
async def test_what_was_missed_is_what_was_told() -> None:
    """Whoever catches up, in either encoding, gets the very frames of those who were there."""
    room = open_room()
    present = [FakeConnection(encoding) for encoding in Encoding]
    for conn in present:
        room.broadcast.catch_up(conn, 0)
    for name in ("Ann", "Ben", "Cid"):
        seat_at(room, name)
    late = [FakeConnection(encoding) for encoding in Encoding]
    for conn in late:
        room.broadcast.catch_up(conn, 2)
    assert [conn.written[2:] for conn in present] == [conn.written for conn in late]
    assert late[0].written != late[1].written


@virtual
async def test_what_one_turn_brought_goes_out_together() -> None:
    """Two plays that came together are told each player in one write."""
    room = open_room(countdown_ms=0)
    (ann, ann_ear), (ben, ben_ear) = seat_at(room, "Ann"), seat_at(room, "Ben")
    await say(room, ann_ear, ann, cl.Start(counter=1))
    view = room.table.view
    await asyncio.sleep(0.001)
    assert view.hand is not None
    ben_ear.writes.clear()
    for seat, conn, counter in ((ann, ann_ear, 2), (ben, ben_ear, 1)):
        turn = view.hand.rules.stock_play(view.hand.board, seat)
        assert turn is not None
        source, count, destination, _ = turn
        play = cl.PlayCards(
            counter=counter, source=source, count=count, destination=destination, seen=view.seq
        )
        room.put(conn, seat, play, now())
    await asyncio.sleep(0.001)
    assert ben_ear.writes == [2]
    assert [ann, ben] == [event.seat for event in ben_ear.events if isinstance(event, ev.Played)]


@virtual
async def test_answers_come_in_the_same_write_as_the_events_around_them() -> None:
    """What a turn has for one listener alone lies between its events, where it was said; others get these."""
    room = open_room()
    players = [seat_at(room, name) for name in ("Ann", "Ben", "Cat")]
    for _, conn in players:
        conn.writes.clear()
        conn.frames.clear()
    for seat, conn in players[:2]:
        room.put(conn, seat, cl.Say(counter=1, text="Hello"), now())
        room.put(conn, seat, cl.Call(counter=2), now())
    await answered()
    heard = [[type(message) for message in conn.heard] for _, conn in players]
    assert [ev.Said, Accepted, ev.Said, Refused] == heard[0]
    assert [ev.Said, ev.Said, Accepted, Refused] == heard[1]
    assert [ev.Said, ev.Said] == heard[2]
    assert [conn.writes for _, conn in players] == [[4], [4], [2]]


@virtual
async def test_what_comes_while_something_is_sent_goes_out_together() -> None:
    """However much one turn brings, it is sent once, so that nothing of the next turn is sent too early."""
    room, loop = open_room(), asyncio.get_running_loop()
    _, conn = seat_at(room, "Ann")
    await answered()
    conn.writes.clear()
    for counter in (1, 3):
        room.broadcast.reply(conn, Accepted(counter=counter, seq=1))
        loop.call_soon(room.broadcast.reply, conn, Accepted(counter=counter + 1, seq=1))
    await answered()
    await answered()
    assert conn.writes == [2, 2]


@virtual
async def test_whoever_hears_no_events_is_still_answered() -> None:
    """A refusal for somebody who has no seat any more comes alone."""
    room = open_room()
    (_, ann_ear), (ben, ben_ear) = seat_at(room, "Ann"), seat_at(room, "Ben")
    room.put(ben_ear, ben, cl.Say(counter=1, text="Bye"), now())
    room.broadcast.take_seat(FakeConnection(), ben)  # the newest speaker wins
    heard = len(ben_ear.heard)
    room.put(ann_ear, 0, cl.Say(counter=1, text="Hm"), now())
    await answered()
    assert [Refused] == [type(message) for message in ben_ear.heard[heard:]]


@virtual
async def test_a_fault_in_sending_is_not_for_ever() -> None:
    """After a turn in which a listener fails the table goes on telling everybody what happens."""
    room = open_room()
    (ann, ann_ear), (_, ben_ear) = seat_at(room, "Ann"), seat_at(room, "Ben")
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ben_ear, "send", None)
        await say(room, ann_ear, ann, cl.Say(counter=1, text="Hello"), cl.Call(counter=2))
    ann_ear.frames.clear()
    await say(room, ann_ear, ann, cl.Say(counter=3, text="Still there?"))
    assert [ev.Said, Accepted] == [type(message) for message in ann_ear.heard]


@virtual
async def test_a_snapshot_says_how_long_the_hand_has_lasted() -> None:
    """Before the signal the time is negative, and after it counts up."""
    room = open_room(countdown_ms=3_000)
    ann, conn = seat_at(room, "Ann")
    await say(room, conn, ann, cl.Start(counter=1))
    await asyncio.sleep(1)
    elapsed = []
    for seconds in (0, 5):
        await asyncio.sleep(seconds)
        late = FakeConnection()
        room.broadcast.catch_up(late, 0)
        elapsed.append(late.snapshots[0].elapsed_ms)
    assert elapsed == [-2_000, 3_000]


@virtual
async def test_a_player_of_identical_deals_comes_back_to_the_own_plays() -> None:
    """The snapshot holds what the seat has played, which nobody else is shown."""
    room = open_room(game="sultan")
    (ann, conn), _ = seat_at(room, "Ann"), seat_at(room, "Ben")
    await say(room, conn, ann, cl.Start(counter=1))
    await asyncio.sleep(1)
    view = room.table.view
    assert view.hand is not None
    play = next(iter(view.hand.rules.legal_plays(view.hand.board, ann)))
    fields = {"source": play.source, "count": play.count, "destination": play.destination}
    await say(room, conn, ann, cl.PlayCards(counter=2, seen=view.seq, depth=play.depth, **fields))
    shown = []
    for actor in (ann, None):
        late = FakeConnection()
        room.broadcast.catch_up(late, 0, actor)
        shown.append(late.snapshots[0])
    elapsed_ms = shown[0].elapsed_ms
    assert [view.snapshot_for(actor, elapsed_ms) for actor in (ann, None)] == shown
    assert shown[0] != shown[1]


# In order.


@pytest.mark.parametrize("is_kept", [False, True])
@virtual
async def test_everything_comes_in_the_order_of_judging(is_kept: bool, tmp_path: Path) -> None:
    """Numbered events, plays told to one alone and answers: each player hears them as they were judged."""
    kept = VirtualJournal(tmp_path / "journal.db", random.Random(1)) if is_kept else None
    journal = kept or NullJournal()
    options = Options(game="sultan", countdown_ms=0)
    room = Registry(ServerSettings(), now, journal).open(options)
    players = [seat_at(room, name) for name in ("Ann", "Ben")]
    await say(room, players[0][1], 0, cl.Start(counter=1))
    await asyncio.sleep(1)
    sent = await _bustle(room, players, random.Random(7))
    for seat, conn in players:
        news = [each for each in conn.heard if isinstance(each, ev.Event | Accepted)]
        numbers = [each.seq for each in news]
        assert sorted(numbers) == numbers
        answers = [each for each in conn.heard if isinstance(each, ev.Played | Accepted | Refused)]
        counters = dict.fromkeys(each.counter for each in answers if each.counter)
        assert list(range(1, sent[seat] + 1)) == list(counters)
        assert len([each for each in answers if isinstance(each, ev.Played)]) > 20
    room.close()
    if journal is not None:
        journal.close()


async def _bustle(
    room: Room, players: list[tuple[int, FakeConnection]], rng: random.Random
) -> dict[int, int]:
    """Let players send plays and other things, several at a time; return how many commands each has sent."""
    view, sent = room.table.view, {seat: 1 - seat for seat, _ in players}
    for _ in range(60):
        for seat, conn in players:
            assert view.hand is not None
            legal = list(view.hand.rules.legal_plays(view.hand.board, seat))
            plays = [play for play in legal if view.hand.board.is_progress(play)] or legal
            for _ in range(rng.randint(0, 3)):
                sent[seat] += 1
                command: cl.Command = cl.Say(counter=sent[seat], text="so")
                if rng.random() < 0.7 and plays:
                    play = rng.choice(plays)
                    fields = {"source": play.source, "count": play.count, "destination": play.destination}
                    command = cl.PlayCards(counter=sent[seat], seen=view.seq, depth=play.depth, **fields)
                room.put(conn, seat, command, now())
        await asyncio.sleep(rng.choice([0, 0.001, 0.05]))
    await asyncio.sleep(1)
    return sent


@for_each("most", [1, 5, 63, 64, 100])
def test_the_newest_events_are_kept_whole_and_in_order(most: int) -> None:
    """However many are kept, all after one of them come back as they were; after an older one, none do."""
    told = [EncodedEvent(ev.Left(seq=seq, seat=seq % 8), 0) for seq in range(1, 201)]
    kept = ReplayBuffer(most)
    for number, each in enumerate(told, 1):
        kept.add([each])
        for seq in (number, number - 1, number - most // 2, number - most):
            batch = kept.since(seq)
            assert (batch is None) == (seq < 1)
            if batch is not None:
                wanted = b"".join(frames.framed(Encoding.MSGPACK) for frames in told[seq:number])
                assert batch[Encoding.MSGPACK] == wanted
        assert kept.since(number + 1) is None
        assert kept.since(number - most - 1) is None


def test_events_that_are_long_together_are_not_told_again() -> None:
    """Who has missed more than goes through a socket at once gets the table instead; others do not."""
    kept = ReplayBuffer(2_048)
    for seq in range(1, 1_001):
        kept.add([EncodedEvent(ev.Said(seq=seq, seat=0, text="漢" * 200), 0)])
    assert kept.since(1) is None
    newest = kept.since(950)
    assert newest is not None
    assert len(newest.messages) == 50


@for_each(
    "last", [ev.OptionsSet(seq=5, options=Options()), ev.Dealt(seq=5, seats=(1,), shown=(), countdown_ms=0)]
)
def test_events_from_before_layouts_were_public_are_not_told_again(last: ev.Event) -> None:
    """Whether plays were whispered before makes no difference: who has missed that gets the table."""
    kept = ReplayBuffer(2_048)
    kept.add([EncodedEvent(ev.Readied(seq=seq, seat=0, ready=True), 0) for seq in range(1, 5)])
    kept.add([EncodedEvent(last, 0), EncodedEvent(ev.Readied(seq=6, seat=0, ready=False), 0)])
    assert [kept.since(seq) for seq in range(1, 5)] == [None] * 4
    newest = kept.since(5)
    assert newest is not None
    assert len(newest.messages) == 1


def test_before_the_first_event_nobody_is_up_to_date() -> None:
    """Whatever number somebody says to have heard: a snapshot is the answer."""
    assert [ReplayBuffer(100).since(seq) for seq in (0, 1, 2)] == [None] * 3


@virtual
async def test_whoever_comes_back_to_private_layouts_gets_the_table() -> None:
    """Also where nobody has played: the kind of the answer would tell others that somebody has."""
    room = open_room(game="sultan")
    (ann, conn), _ = seat_at(room, "Ann"), seat_at(room, "Ben")
    await say(room, conn, ann, cl.Start(counter=1))
    await asyncio.sleep(1)
    assert missed(room, room.table.view.seq) == "snapshot"
