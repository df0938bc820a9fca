"""Pauses: who is there, when a hand stands still, and how it goes on."""

from typing import Any

from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Refused
from tests.support.cases import for_each
from tests.support.records import record
from tests.support.tables import MS, SECOND, Own, Sitting, of_type, told


def lonely(players: int = 2, **options: Any) -> Sitting:
    """Return a hand that pauses because all but the host lost their connections."""
    sitting = Sitting.playing(players, **options)
    for seat in range(1, players):
        sitting.connect(seat, connected=False)
    assert "paused" in told(sitting.wait(10 * SECOND))
    return sitting


def test_a_hand_pauses_for_want_of_players() -> None:
    """When fewer than two have been connected for ten seconds the hand stands still; not before."""
    sitting = Sitting.playing(2)
    sitting.connect(1, connected=False)
    assert sitting.wait(10 * SECOND - 1) == []
    assert told(sitting.wait(1)) == "paused"
    assert sitting.mirror.paused


def test_a_hand_that_is_dealt_while_somebody_is_away_pauses() -> None:
    """Who was gone before the deal is waited for from the deal on."""
    sitting = Sitting.lobby(2, countdown_ms=3_000)
    sitting.connect(1, connected=False)
    sitting.wait(15 * SECOND)
    sitting.events(0, cl.Start)
    assert "paused" not in told(sitting.wait(10 * SECOND - 1))
    assert "paused" in told(sitting.wait(1))


def test_whoever_else_is_lost_does_not_put_a_pause_off() -> None:
    """The time counts from when too few were connected at first."""
    sitting = Sitting.playing(3)
    for seat in (1, 2):
        sitting.connect(seat, connected=False)
    sitting.wait(6 * SECOND)
    sitting.connect(0, connected=False)
    assert sitting.wait(4 * SECOND - 1) == []
    assert told(sitting.wait(1)) == "paused"


def test_two_are_enough() -> None:
    """While two of three are connected the hand goes on."""
    sitting = Sitting.playing(3)
    sitting.connect(2, connected=False)
    assert told(sitting.wait(60 * SECOND)) == ""


def test_who_comes_back_in_time_pauses_nothing() -> None:
    """A short break is nobody's trouble."""
    sitting = Sitting.playing(2)
    sitting.connect(1, connected=False)
    sitting.wait(9 * SECOND)
    sitting.connect(1, connected=True)
    assert sitting.wait(60 * SECOND) == []


def test_the_hand_goes_on_by_itself() -> None:
    """Once two are connected again the hand goes on, and no time has passed in it."""
    sitting = lonely()
    before = sitting.table.hand_clock.elapsed_ms(sitting.now)
    sitting.wait(100 * SECOND)
    assert before == sitting.table.hand_clock.elapsed_ms(sitting.now)
    assert told(sitting.connect(1, connected=True)) == "connected continued"
    sitting.wait(50 * MS)
    assert before + 50 == sitting.table.hand_clock.elapsed_ms(sitting.now)


def test_how_long_is_an_option() -> None:
    """A table may wait for longer, or never pause by itself."""
    sitting = Sitting.playing(2, pause_after_ms=60_000)
    sitting.connect(1, connected=False)
    assert told(sitting.wait(59 * SECOND)) == ""
    assert told(sitting.wait(SECOND)) == "paused"
    sitting = Sitting.playing(2, pause_after_ms=None)
    sitting.connect(1, connected=False)
    assert told(sitting.wait(3_600 * SECOND)) == ""


def test_bots_do_not_count() -> None:
    """One person against bots pauses the hand by going away, and ends the pause by coming back."""
    sitting = Sitting.lobby(1)
    sitting.events(0, cl.AddBot)
    sitting.start()
    sitting.connect(0, connected=False)
    assert told(sitting.wait(10 * SECOND)) == "paused"
    assert told(sitting.connect(0, connected=True)) == "connected continued"


@for_each("cls", [cl.Stuck, cl.Call])
def test_nothing_is_said_in_a_pause(cls: type[cl.Command]) -> None:
    """Nobody is stuck, and nobody calls, while the hand stands still."""
    assert lonely().refused(0, cls).reason == Reason.PAUSED


def test_nothing_is_played_in_a_pause() -> None:
    """A play that comes in a pause is refused with its reason, and changes nothing."""
    sitting = lonely()
    assert sitting.mirror.hand is not None
    layout = sitting.mirror.hand.rules.layout
    turn = cl.PlayCards(
        counter=100, source=layout.stock[0], count=3, destination=layout.waste[0], seen=sitting.seq
    )
    answer = sitting.table.handle_command(0, turn, sitting.now)
    assert isinstance(answer.reply, Refused)
    assert (answer.reply.reason, answer.events) == (Reason.PAUSED, [])


def test_the_host_pauses_and_goes_on() -> None:
    """The host may stop the hand for everybody, and let it go on."""
    sitting = Sitting.playing(2)
    (paused,) = of_type(ev.Paused, sitting.events(0, cl.Pause))
    assert paused.seat == 0
    assert sitting.events(0, cl.Pause) == []
    assert sitting.wait(3_600 * SECOND) == []
    assert told(sitting.events(0, cl.Pause, paused=False)) == "continued"
    assert sitting.events(0, cl.Pause, paused=False) == []


def test_a_pause_that_the_host_wants_stays() -> None:
    """Who comes and goes does not end a pause that was asked for."""
    sitting = Sitting.playing(3)
    sitting.events(0, cl.Pause)
    sitting.connect(1, connected=False)
    assert told(sitting.connect(1, connected=True)) == "connected"
    assert sitting.mirror.paused


def test_the_host_may_go_on_alone() -> None:
    """Who is there may go on without the others, and is not stopped again at once."""
    sitting = lonely()
    assert told(sitting.events(0, cl.Pause, paused=False)) == "continued"
    assert told(sitting.wait(60 * SECOND)) == ""


def test_a_countdown_pauses_too() -> None:
    """A pause before the signal puts the signal off."""
    sitting = Sitting.lobby(2)
    sitting.events(0, cl.Start)
    sitting.wait(1 * SECOND)
    sitting.events(0, cl.Pause)
    assert sitting.wait(60 * SECOND) == []
    (event,) = of_type(ev.Continued, sitting.events(0, cl.Pause, paused=False))
    assert event.elapsed_ms == -2_000
    assert sitting.wait(2 * SECOND - 1) == []
    assert told(sitting.wait(1)) == "signalled"


def test_a_hand_in_its_grace_does_not_pause() -> None:
    """A line that breaks just before the call stops nothing: the grace ends when it was meant to."""
    sitting = Sitting.lobby(2, game="classic", call_out="shout", grace_ms=5_000, pause_after_ms=1_000)
    sitting.start()
    sitting.lay(["AS"], Own(["KC"], reserve="2S"), Own(["KD"], reserve="3H"))
    sitting.play(0, sitting.reserve(0))
    sitting.connect(1, connected=False)
    sitting.wait(900 * MS)
    sitting.events(0, cl.Call)
    assert sitting.wait(5 * SECOND - 1) == []
    assert "hand_over" in told(sitting.wait(1))


@for_each("phase", [Phase.LOBBY, Phase.TALLY])
def test_there_must_be_a_hand_to_pause(phase: Phase) -> None:
    """Before and between the hands there is nothing to pause."""
    sitting = Sitting.lobby(2) if phase is Phase.LOBBY else Sitting.playing(2)
    if phase is Phase.TALLY:
        for seat in (0, 1):
            sitting.events(seat, cl.Stuck)
    assert phase is sitting.mirror.phase
    assert sitting.refused(0, cl.Pause).reason == Reason.NOT_NOW


def test_a_hand_that_all_leave_in_a_pause_ends() -> None:
    """The pause ends with the hand, whose time stands where it stood."""
    sitting = lonely()
    before = sitting.table.hand_clock.elapsed_ms(sitting.now)
    sitting.wait(60 * SECOND)
    for seat in (1, 0):
        sitting.events(seat, cl.Leave)
    (over,) = of_type(ev.HandOver, sitting.log)
    assert before == over.elapsed_ms
    assert not sitting.mirror.paused


def test_who_is_given_up_in_a_pause_is_asked_no_more() -> None:
    """A hand in which all others are stuck ends when it goes on."""
    sitting = Sitting.playing(3)
    for seat in (0, 1):
        sitting.events(seat, cl.Stuck)
    sitting.events(0, cl.Pause)
    sitting.connect(2, connected=False)
    sitting.wait(60 * SECOND)
    assert told(sitting.events(0, cl.Pause, paused=False)) == "continued hand_over"


def test_pauses_are_part_of_a_right_record() -> None:
    """A match with pauses verifies; a play within one does not."""
    sitting = lonely(hands=1)
    sitting.connect(1, connected=True)
    for seat in (0, 1):
        sitting.events(seat, cl.Stuck)
    assert verify(record(sitting.options, sitting.log)).hands == 1


def test_a_snapshot_tells_of_a_pause() -> None:
    """Who comes in a pause knows that there is one."""
    sitting = lonely()
    assert sitting.mirror.snapshot(0).paused
    assert type(sitting.mirror).from_snapshot(sitting.mirror.snapshot(0)).paused
