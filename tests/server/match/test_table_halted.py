"""A table that stands still, because the server can keep nothing for a while."""

from typing import Any

from racing_demon_protocol.enums import Phase
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from tests.support.cases import for_each
from tests.support.tables import MS, SECOND, Own, Sitting, of_type, pack_of, told

HOUR = 3_600 * SECOND


def _at_tally(**options: Any) -> Sitting:
    sitting = Sitting.playing(3, **options)
    for seat in range(3):
        sitting.events(seat, cl.Stuck)
    assert Phase.TALLY is sitting.mirror.phase
    return sitting


def test_no_hand_is_played_away() -> None:
    """The next hand is dealt as much later as the table stood still, whoever comes and goes meanwhile."""
    sitting = _at_tally(tally_ms=20_000, countdown_ms=3_000, time_limit_ms=60_000, hands=5)
    sitting.wait(4 * SECOND)
    sitting.halt()
    assert sitting.wait(HOUR // 2) == []
    assert told(sitting.connect(2, connected=False)) == "connected"
    assert told(sitting.connect(2, connected=True)) == "connected"
    assert sitting.wait(HOUR // 2) == []
    assert sitting.resume() == []
    assert sitting.wait(16 * SECOND - 1) == []
    assert told(sitting.wait(1)) == "committed dealt"
    assert "signalled" in told(sitting.wait(3 * SECOND))


def test_a_hand_has_as_much_time_as_before() -> None:
    """The clock of a hand stands, too, though enough are still there when somebody's line breaks."""
    sitting = Sitting.playing(3, time_limit_ms=60_000)
    sitting.wait(10 * SECOND)
    assert told(sitting.halt()) == "paused"
    assert told(sitting.connect(2, connected=False)) == "connected"
    assert sitting.wait(HOUR) == []
    (event,) = of_type(ev.Continued, sitting.resume())
    assert event.elapsed_ms == 10_000
    assert told(sitting.wait(50 * SECOND - 1)) == ""
    assert "hand_over" in told(sitting.wait(1))


def test_a_pause_of_the_server_says_so() -> None:
    """Players are told that no host and no missing player stopped the hand."""
    (event,) = of_type(ev.Paused, Sitting.playing(2).halt())
    assert (event.seat, event.by_server) == (None, True)


def test_cards_in_the_air_may_still_land() -> None:
    """After a shout the time in which cards count goes on where it was."""
    sitting = Sitting.lobby(2, call_out="shout", grace_ms=900)
    sitting.start()
    last = Own(["KD"])
    sitting.lay([*pack_of("SHC"), "AD 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD"], last, Own(["2S"]))
    sitting.play(0, sitting.column(0))
    sitting.events(0, cl.Call)
    sitting.wait(400 * MS)
    sitting.halt()
    sitting.wait(HOUR)
    sitting.resume()
    assert sitting.wait(500 * MS - 1) == []
    assert "hand_over" in told(sitting.wait(1))


def test_who_is_away_is_waited_for_as_long_as_before() -> None:
    """Nobody could come back: so nobody loses the hostship meanwhile."""
    sitting = Sitting.lobby(3)
    sitting.connect(0, connected=False)
    sitting.wait(15 * SECOND)
    sitting.halt()
    sitting.wait(HOUR)
    sitting.resume()
    assert told(sitting.wait(5 * SECOND - 1)) == ""
    assert told(sitting.wait(1)) == "hosted"


def test_who_goes_away_meanwhile_is_waited_for_from_the_end() -> None:
    """Time away begins to count when the table goes on, as for whoever goes at that moment."""
    sitting = Sitting.lobby(3)
    sitting.halt()
    sitting.wait(HOUR)
    sitting.connect(0, connected=False)
    sitting.wait(HOUR)
    sitting.resume()
    assert told(sitting.wait(20 * SECOND - 1)) == ""
    assert told(sitting.wait(1)) == "hosted"


@for_each(("after_ms", "goes_on"), [(None, True), (10_000, False)])
def test_who_is_away_is_waited_for_where_the_table_wants_that(after_ms: int | None, goes_on: bool) -> None:
    """With one of two away a hand goes on where the table never pauses for that, else when both are there."""
    sitting = Sitting.playing(2, pause_after_ms=after_ms)
    sitting.connect(1, connected=False)
    sitting.wait(1 * SECOND)
    sitting.halt()
    sitting.wait(HOUR)
    sitting.resume()
    assert goes_on is not sitting.mirror.paused
    sitting.connect(1, connected=True)
    assert not sitting.mirror.paused


def test_a_pause_of_the_host_stays_one() -> None:
    """That the disk works again is no word of the host's."""
    sitting = Sitting.playing(2, pause_after_ms=None)
    sitting.events(0, cl.Pause)
    sitting.halt()
    sitting.wait(HOUR)
    assert sitting.resume() == []
    assert sitting.mirror.paused
