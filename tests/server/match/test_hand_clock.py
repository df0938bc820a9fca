"""The time of a hand, as its events tell it."""

from racing_demon_protocol.enums import EndReason
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.events import Event
from racing_demon_server.match.hand import HandClock
from tests.support.tables import SECOND, Sitting


class Follower:
    """A table, and beside it a clock that knows nothing but the events and their times."""

    def __init__(self) -> None:
        self.sitting = Sitting.lobby(2, countdown_ms=3_000, tally_ms=20_000)
        self.hand_clock = HandClock()

    def follow(self, events: list[Event]) -> None:
        """Take events up, and compare the two clocks, now and a while later."""
        for event in events:
            self.hand_clock = self.hand_clock.after(event, self.sitting.now)
        for at in (self.sitting.now, self.sitting.now + 7 * SECOND):
            assert self.sitting.table.hand_clock.elapsed_ms(at) == self.hand_clock.elapsed_ms(at)


def test_events_tell_the_time_that_the_judge_knows() -> None:
    """Before the first deal, in the countdown, at play, in a pause and after it, in the tally, and anew."""
    follower = Follower()
    sitting = follower.sitting
    follower.follow([])
    follower.follow(sitting.events(0, cl.Start))
    follower.follow(sitting.events(0, cl.Pause, paused=True))
    follower.follow(sitting.wait(5 * SECOND))
    follower.follow(sitting.events(0, cl.Pause, paused=False))
    follower.follow(sitting.wait(3 * SECOND))
    follower.follow(sitting.wait(10 * SECOND))
    follower.follow(sitting.events(0, cl.Pause, paused=True))
    follower.follow(sitting.wait(5 * SECOND))
    follower.follow(sitting.events(0, cl.Pause, paused=False))
    follower.follow(sitting.events(0, cl.Stuck))
    follower.follow(sitting.events(1, cl.Stuck))
    follower.follow(sitting.wait(20 * SECOND))
    assert follower.hand_clock.elapsed_ms(sitting.now) == -3_000


def test_before_the_first_hand_no_time_has_passed() -> None:
    """A table without a hand tells 0, whatever the clock says."""
    assert HandClock().elapsed_ms(5 * SECOND) == 0


def test_a_hand_that_stands_still_has_the_time_at_which_it_stopped() -> None:
    """In a pause the clock goes on, and the hand's time does not."""
    hand_clock = HandClock(signal_at=SECOND, stopped_at=4 * SECOND)
    assert [hand_clock.elapsed_ms(at * SECOND) for at in (4, 9)] == [3_000, 3_000]


def test_the_end_of_a_hand_alone_tells_its_time() -> None:
    """Whoever knows no earlier event of a hand knows its time from its end on."""
    over = ev.HandOver(
        seq=9, reason=EndReason.DEAD, out=None, elapsed_ms=4_000, points=(0, 0), seed=bytes(32).hex()
    )
    hand_clock = HandClock().after(over, 10 * SECOND)
    assert hand_clock.elapsed_ms(11 * SECOND) == 5_000
