"""Players who come late: at 0, or at the lowest total of all, as the host wants it."""

import pytest

from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.errors import InvalidRecord
from racing_demon_protocol.records.format import Record, TimedMessage
from racing_demon_protocol.records.standings import side_points, total_points
from racing_demon_protocol.records.summary import summarize
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.table.scoring import totals
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.handicap import Handicap
from tests.support.records import record
from tests.support.tables import Sitting, of_type, told


def behind(**options: object) -> Sitting:
    """Return a table in the tally of the first hand, where seat 0 has -7 and has left, and seat 1 has -2."""
    sitting = Sitting.lobby(3, hands=9, countdown_ms=0, **options)
    sitting.events(0, cl.SetHandicap, seat=0, handicap=Handicap(points=-7))
    sitting.events(0, cl.SetHandicap, seat=1, handicap=Handicap(points=-2))
    hand(sitting)
    return sitting


def hand(sitting: Sitting) -> None:
    """Play a hand in which nobody does anything."""
    sitting.start()
    for seat in sitting.table.view.hand_seats:
        if sitting.table.view.plays_hand(seat):
            sitting.events(seat, cl.Stuck)
    assert sitting.table.view.phase in {Phase.TALLY, Phase.OVER}


def late(sitting: Sitting) -> ev.Joined:
    """Let somebody come late."""
    sitting.join("Fay")
    return of_type(ev.Joined, sitting.log)[-1]


def test_whoever_comes_late_starts_at_the_lowest_total_where_the_host_wants_it() -> None:
    """Of all seats, that of a leaver too; a bot as well; in the match alone."""
    sitting = behind()
    assert late(sitting.fork()).start == 0
    assert told(sitting.events(0, cl.SetLateStart)) == "late_start_set"
    sitting.events(0, cl.Leave)
    joined = late(sitting)
    assert (joined.start, totals(sitting.table.view)[joined.seat]) == (-7, -7)
    sitting.events(1, cl.AddBot)
    assert of_type(ev.Joined, sitting.log)[-1].start == -7
    snapshot = sitting.table.view.snapshot(0)
    assert dict(snapshot.starts) == {3: -7, 4: -7}
    assert totals(TableState.from_snapshot(snapshot)) == totals(sitting.table.view)
    sitting.events(1, cl.EndMatch)
    assert totals(sitting.table.view)[joined.seat] == -7
    hand(sitting)
    assert not sitting.table.view.starts
    assert sitting.table.view.late_start


def test_who_comes_back_has_the_start_still() -> None:
    """It belongs to the row."""
    sitting = behind()
    sitting.events(0, cl.SetLateStart)
    seat = late(sitting).seat
    sitting.events(seat, cl.Leave)
    sitting.come_back(seat)
    assert totals(sitting.table.view)[seat] == -7


def test_a_program_that_is_back_from_another_device_has_the_start_still() -> None:
    """Whoever they are, and wherever they play, it belongs to the row."""
    sitting = behind()
    sitting.events(0, cl.SetLateStart)
    seat, events = sitting.table.join("Deep Demon", b"phone", sitting.now, program=True)
    sitting.record(events)
    joined = of_type(ev.Joined, events)[-1]
    assert (joined.program, joined.start) == (True, -7)
    sitting.events(seat, cl.Leave)
    _, events = sitting.table.take_back(seat, b"tablet", sitting.now)
    assert [each.seat for each in of_type(ev.Returned, events)] == [seat]
    restored = TableState.from_snapshot(sitting.table.view.snapshot(0))
    assert (totals(restored)[seat], len(restored.seats)) == (-7, 4)


def test_between_matches_and_with_teams_everybody_starts_at_0() -> None:
    """A team has one total, and a match begins anew."""
    sitting = Sitting.lobby(2)
    sitting.events(0, cl.SetLateStart)
    assert late(sitting).start == 0
    teams = Sitting.lobby(2, teams=2)
    assert teams.refused(0, cl.SetLateStart).reason == Reason.NOT_NOW
    teams.events(0, cl.SetLateStart, lowest=False)


def test_where_somebody_lacks_the_word_it_is_refused() -> None:
    """The host is told who would not understand it."""
    sitting = behind()
    sitting.table.ask_who_lacks(lambda _words: ["Ben"])
    assert "Ben" in sitting.refused(0, cl.SetLateStart).text


def test_records_know_it_and_standings_leave_it_out() -> None:
    """The totals of the match have it, and nobody can write another start."""
    sitting = behind()
    sitting.events(0, cl.SetLateStart)
    seat = late(sitting).seat
    hand(sitting)
    sitting.events(0, cl.EndMatch)
    written = record(sitting.table.view.options, sitting.log)
    verify(written)
    (summary,) = summarize([Record(entries=[TimedMessage(message) for message in written])])
    assert (side_points(summary)[seat], total_points(summary)[seat]) == (-7, 0)
    forged = [
        event.model_copy(update={"start": -1}) if isinstance(event, ev.Joined) and event.start else event
        for event in sitting.log
    ]
    with pytest.raises(InvalidRecord, match="another total"):
        verify(record(sitting.table.view.options, forged))
