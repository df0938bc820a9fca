"""Every command is carried out once, however often it is sent."""

from typing import Any, Final

from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Accepted, Refused
from racing_demon_server.match.seat_tokens import SeatToken
from racing_demon_server.match.table import CommandResult
from tests.support.cases import for_each
from tests.support.tables import MS, Own, Sitting, told


def _again(sitting: Sitting, actor: int, command: cl.Command) -> CommandResult:
    """Send a command once more, which must change nothing."""
    before = sitting.state()
    answer = sitting.give(actor, command)
    assert (before, []) == (sitting.state(), answer.events)
    return answer


def test_a_command_sent_again_is_answered_again() -> None:
    """The same counter gets the same answer, and nothing happens."""
    sitting = Sitting.lobby(2)
    command = cl.Ready(counter=1)
    assert sitting.give(0, command).reply == _again(sitting, 0, command).reply


def test_a_play_is_answered_by_its_event() -> None:
    """An accepted play gets no reply of its own."""
    sitting = Sitting.playing(2)
    command = cl.PlayCards(
        counter=5, source=sitting.stock(1), count=3, destination=sitting.waste(1), seen=sitting.seq
    )
    answer = sitting.give(1, command)
    assert (answer.reply, told(answer.events)) == (None, "played")


def test_a_play_sent_again_is_not_played_twice() -> None:
    """When the event was lost on the way, the answer names it by its number."""
    sitting = Sitting.playing(2)
    command = cl.PlayCards(
        counter=5, source=sitting.stock(1), count=3, destination=sitting.waste(1), seen=sitting.seq
    )
    sitting.give(1, command)
    assert Accepted(counter=5, seq=sitting.seq) == _again(sitting, 1, command).reply


def test_a_refusal_stands() -> None:
    """A refused play sent again is refused again, even when it would be legal by now."""
    sitting = Sitting.playing(2)
    sitting.lay(["AS"], Own(["3S", "KD"]), Own(["2S", "KC"]))
    command = cl.PlayCards(counter=5, source=sitting.column(0), count=1, destination=-1, seen=sitting.seq)
    refusal = sitting.give(0, command).reply
    sitting.play(1, sitting.column(1))
    assert isinstance(refusal, Refused)
    assert refusal == _again(sitting, 0, command).reply


def test_a_lost_race_is_told_in_the_same_words_again() -> None:
    """By whom and by how much somebody was beaten does not change with the time of asking."""
    sitting = Sitting.playing(2)
    sitting.lay(["AS"], Own(["2S", "KD"]), Own(["2S", "KC"]))
    command = cl.PlayCards(counter=5, source=sitting.column(1), count=1, destination=-1, seen=sitting.seq)
    sitting.play(0, sitting.column(0))
    sitting.wait(3 * MS)
    refusal = sitting.give(1, command).reply
    sitting.wait(50 * MS)
    assert isinstance(refusal, Refused)
    assert refusal.late_us == 3 * MS
    assert refusal == _again(sitting, 1, command).reply


def test_what_is_sent_under_an_old_counter_is_not_judged() -> None:
    """Another command with the last counter gets the last answer."""
    sitting = Sitting.lobby(2)
    first = sitting.give(0, cl.Ready(counter=1)).reply
    assert first == _again(sitting, 0, cl.Leave(counter=1)).reply


@for_each("counter", [0, 1, 3])
def test_older_counters_are_refused(counter: int) -> None:
    """Only the last answer is kept."""
    sitting = Sitting.lobby(2)
    sitting.give(0, cl.Ready(counter=4))
    reply = _again(sitting, 0, cl.Leave(counter=counter)).reply
    assert isinstance(reply, Refused)
    assert (counter, Reason.REPEATED) == (reply.counter, reply.reason)


def test_counters_may_skip() -> None:
    """A counter only has to rise, by less than half of all numbers."""
    sitting = Sitting.lobby(2)
    sitting.give(0, cl.Ready(counter=2))
    assert Accepted(counter=2**30, seq=6) == sitting.give(0, cl.Ready(counter=2**30, ready=False)).reply


def test_counters_are_each_seat_s_own() -> None:
    """What one seat has sent does not spoil another's counters."""
    sitting = Sitting.lobby(3)
    sitting.give(0, cl.Ready(counter=9))
    assert told(sitting.give(1, cl.Ready(counter=1)).events) == "readied"


def test_answers_survive_a_lost_connection() -> None:
    """After coming back, a command that was on its way is answered and not carried out twice."""
    sitting = Sitting.playing(2)
    command = cl.Stuck(counter=5)
    reply = sitting.give(1, command).reply
    sitting.connect(1, connected=False)
    sitting.connect(1, connected=True)
    assert sitting.table.seat_tokens.counter(1) == 5
    assert reply == _again(sitting, 1, command).reply


def test_answers_survive_the_hand() -> None:
    """A play that was sent again after its hand had ended is answered as it was then."""
    sitting = Sitting.playing(1)
    sitting.lay(["AS"], Own(["2S"]))
    command = cl.PlayCards(counter=5, source=sitting.column(0), count=1, destination=-1, seen=sitting.seq)
    sitting.give(0, command)
    over = sitting.seq
    sitting.wait(30_000 * MS)
    assert Accepted(counter=5, seq=over) == _again(sitting, 0, command).reply


def test_a_play_that_ends_the_hand_is_answered_with_the_end() -> None:
    """The last event of a play that goes out is the end of the hand."""
    sitting = Sitting.playing(1)
    sitting.lay(["AS"], Own(["2S"]))
    command = cl.PlayCards(counter=5, source=sitting.column(0), count=1, destination=-1, seen=sitting.seq)
    events = sitting.give(0, command).events
    assert told(events) == "played hand_over"
    assert Accepted(counter=5, seq=events[-1].seq) == _again(sitting, 0, command).reply


def test_leaving_a_match_twice_is_leaving_once() -> None:
    """A leaver who asks again has nothing to say any more, and nothing happens."""
    sitting = Sitting.playing(3)
    command = cl.Leave(counter=5)
    assert isinstance(sitting.give(2, command).reply, Accepted)
    again = _again(sitting, 2, command).reply
    assert isinstance(again, Refused)
    assert Reason.NOT_SEATED is again.reason


def test_a_freed_seat_begins_with_new_counters() -> None:
    """Who gets a seat after somebody else counts from 1."""
    sitting = Sitting.lobby(2)
    sitting.give(1, cl.Ready(counter=1_000))
    sitting.give(1, cl.Leave(counter=1_001))
    assert sitting.join("Joy") == 1
    assert [ev.Readied] == [type(event) for event in sitting.give(1, cl.Ready(counter=1)).events]


def test_what_is_due_happens_before_an_old_answer() -> None:
    """A command sent again brings the time along, and with it whatever is due."""
    sitting = Sitting.lobby(2)
    command = cl.Start(counter=1)
    reply = sitting.give(0, command).reply
    sitting.now += 3_000 * MS
    answer = sitting.give(0, command)
    assert (reply, "signalled") == (answer.reply, told(answer.events))


HIGHEST = 2**31 - 1


def _count_up(sitting: Sitting, seat: int) -> None:
    """Let a seat come to the highest counter, by steps as long as they can be."""
    for counter in (2**30 - 1, 2**31 - 3, HIGHEST):
        sitting.give(seat, cl.Ready(counter=counter))
    assert sitting.counter(seat) == HIGHEST


def test_the_highest_counter_is_not_the_last() -> None:
    """After it comes 1, and the seat goes on."""
    sitting = Sitting.lobby(2)
    _count_up(sitting, 1)
    answer = sitting.give(1, cl.Ready(counter=1, ready=False))
    assert (Accepted, 1) == (type(answer.reply), sitting.counter(1))


def test_a_counter_cannot_be_driven_to_the_highest_at_once() -> None:
    """A counter that is ahead by half of all numbers, or more, is refused, and the seat goes on as before."""
    sitting = Sitting.lobby(2)
    refused = _again(sitting, 1, cl.Ready(counter=HIGHEST)).reply
    assert isinstance(refused, Refused)
    assert (refused.reason, sitting.counter(1)) == (Reason.REPEATED, 0)
    assert isinstance(sitting.give(1, cl.Ready(counter=1)).reply, Accepted)


def test_a_restart_finds_the_newest_counter_beyond_the_highest() -> None:
    """A play with counter 1, after the highest was answered, is the seat's last command."""
    sitting = Sitting.lobby(2)
    _count_up(sitting, 1)
    seat_token = SeatToken(b"token", HIGHEST, Accepted(counter=HIGHEST, seq=3))
    sitting.table.seat_tokens.restore(1, seat_token)
    sitting.table.seat_tokens.restore_play(1, 1, 17)
    assert Accepted(counter=1, seq=17) == sitting.table.seat_tokens.ready_answer(1, 1)


def _end_by_stuck(sitting: Sitting) -> None:
    for seat in (0, 1):
        sitting.events(seat, cl.Stuck)
    assert Phase.TALLY is sitting.table.view.phase


STALE: Final[list[tuple[type[cl.Command], dict[str, Any]]]] = [
    (cl.Stuck, {}),
    (cl.Call, {}),
    (cl.Pause, {}),
    (cl.Pause, {"paused": False}),
]


@for_each(("cls", "fields"), STALE)
def test_what_was_meant_for_a_hand_does_not_count_in_the_next(
    cls: type[cl.Command], fields: dict[str, Any]
) -> None:
    """Sent again after a break it says what its sender had seen, and is refused in any other hand."""
    sitting = Sitting.playing(2, hands=3, tally_ms=0, countdown_ms=0)
    seen = sitting.seq
    for seat in (0, 1):
        sitting.events(seat, cl.Stuck, seen=seen)
    sitting.wait(0)
    assert (sitting.table.view.phase, sitting.table.view.hand_number) == (Phase.PLAYING, 2)
    assert Reason.HAND_OVER is sitting.refused(0, cls, seen=seen, **fields).reason
    if cls is not cl.Call:
        assert isinstance(sitting.send(0, cls, seen=sitting.seq, **fields).reply, Accepted)


@for_each("cls", [cl.Ready, cl.Start])
def test_what_was_meant_for_a_deal_does_not_count_for_the_next(cls: type[cl.Command]) -> None:
    """Whoever was ready for a hand that was played without them is not ready for the one after it."""
    sitting = Sitting.playing(2, hands=3, tally_ms=60_000, countdown_ms=0)
    _end_by_stuck(sitting)
    seen = sitting.seq
    sitting.wait(60_000 * MS)
    _end_by_stuck(sitting)
    assert Reason.HAND_OVER is sitting.refused(0, cls, seen=seen).reason
    assert isinstance(sitting.send(0, cls, seen=sitting.seq).reply, Accepted)
