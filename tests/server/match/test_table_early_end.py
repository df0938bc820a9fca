"""How a host ends a match before its options do: now, or with a last hand."""

from racing_demon_protocol.enums import EndReason, Phase, Reason
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from tests.support.records import record
from tests.support.tables import Own, Sitting, of_type, told

RANKS = "A23456789TJQK"


def finish(sitting: Sitting, *points: int) -> list[ev.Event]:
    """End the hand with so many points for each of its seats, by agreement."""
    if sitting.table.view.phase is not Phase.PLAYING:
        sitting.start()
    runs = [" ".join(f"{rank}S/{pack}" for rank in RANKS[:count]) for pack, count in enumerate(points)]
    sitting.lay(runs, *[Own(["KD"])] * len(points))
    return [event for seat in sitting.table.view.hand_seats for event in sitting.events(seat, cl.Stuck)]


# At once.


def test_the_host_ends_the_match_in_a_hand_and_the_table_goes_on() -> None:
    """The hand counts as it stands, whoever leads has won, and the next deal begins another match."""
    sitting = Sitting.playing(2, hands=9)
    sitting.lay(["AS", "AS/1 2S/1"], Own(["KD"]), Own(["KD", "3S"]))
    sitting.events(0, cl.Pause)
    events = sitting.events(0, cl.EndMatch)
    assert told(events[:2]) == "hand_over match_over"
    over, end = of_type(ev.HandOver, events)[0], of_type(ev.MatchOver, events)[0]
    assert (over.reason, over.points) == (EndReason.CLOSED, (1, 2))
    assert (end.winners, end.closed) == ((1,), True)
    finish(sitting, 3, 1)
    assert [result.hand for result in sitting.table.view.results] == [1]
    assert sitting.refused(0, cl.EndMatch, seen=over.seq).reason == Reason.HAND_OVER


def test_a_match_whose_only_hand_is_cut_off_ends_early() -> None:
    """A host who leads cannot make a hand shorter and have it rated."""
    sitting = Sitting.playing(2, hands=1)
    assert of_type(ev.MatchOver, sitting.events(0, cl.EndMatch))[0].closed


def test_a_match_is_ended_between_two_hands_and_while_cards_are_dealt() -> None:
    """What was tallied counts; all leaders share the win; the hand that has not begun is nobody's."""
    for phase in (Phase.TALLY, Phase.COUNTDOWN):
        for paused in (False, phase is Phase.COUNTDOWN):
            sitting = Sitting.playing(2, hands=9)
            finish(sitting, 4, 4)
            if phase is Phase.COUNTDOWN:
                sitting.events(0, cl.Start)
            if paused:
                sitting.events(0, cl.Pause)
            assert sitting.table.view.phase is phase
            end = of_type(ev.MatchOver, sitting.events(0, cl.EndMatch))[0]
            assert (end.winners, end.closed) == ((0, 1), True)
            assert not sitting.table.view.paused
            finish(sitting, 2, 1)
            assert len(sitting.table.view.results) == 1


def test_a_host_without_a_seat_ends_a_match() -> None:
    """Both ways are the host's, wherever they sit, or watch."""
    sitting = Sitting(hands=9)
    sitting.host_watching()
    for name in ("Ann", "Ben"):
        sitting.join(name)
    sitting.start()
    assert told(sitting.events(None, cl.SetLastHand)) == "last_hand_set"
    assert sitting.refused(0, cl.EndMatch).reason == Reason.NOT_HOST
    assert of_type(ev.MatchOver, sitting.events(None, cl.EndMatch))[0].closed


def test_nothing_is_ended_before_anything_counts() -> None:
    """In the lobby, in the first countdown, and after a match it is refused, and nothing changes."""
    sitting = Sitting.lobby(2, hands=1)
    assert sitting.refused(0, cl.EndMatch).reason == Reason.NOT_NOW
    sitting.events(0, cl.Start)
    assert sitting.table.view.phase is Phase.COUNTDOWN
    assert sitting.refused(0, cl.EndMatch).reason == Reason.NOT_NOW
    over = Sitting.playing(2, hands=1)
    finish(over, 1, 2)
    for command in (cl.EndMatch, cl.SetLastHand):
        assert over.refused(0, command).reason == Reason.NOT_NOW


# With a last hand.


def test_the_hand_that_is_played_is_made_the_last() -> None:
    """The match ends with it, and was played out."""
    sitting = Sitting.playing(2, hands=9)
    assert told(sitting.events(0, cl.SetLastHand)) == "last_hand_set"
    assert sitting.events(0, cl.SetLastHand) == []
    end = of_type(ev.MatchOver, finish(sitting, 3, 5))[0]
    assert (end.winners, end.closed) == ((1,), False)
    finish(sitting, 3, 5)
    assert sitting.table.view.last_hand == 0


def test_in_the_tally_the_next_hand_is_the_last() -> None:
    """The match does not end with the hand that is over, and a match that is ended before it ends early."""
    sitting = Sitting.playing(2, hands=9)
    finish(sitting, 3, 5)
    sitting.events(0, cl.SetLastHand)
    assert sitting.table.view.last_hand == 2
    early = sitting.fork()
    assert of_type(ev.MatchOver, early.events(0, cl.EndMatch))[0].closed
    assert of_type(ev.MatchOver, finish(sitting, 4, 0))[0].winners == (0,)


def test_a_last_hand_that_ends_tied_is_followed_by_another_where_ties_are_broken() -> None:
    """The option tie_break says what a tie is worth."""
    sitting = Sitting.playing(2, hands=9, tie_break="hand")
    sitting.events(0, cl.SetLastHand)
    assert not of_type(ev.MatchOver, finish(sitting, 5, 5))
    assert of_type(ev.MatchOver, finish(sitting, 5, 2))[0].winners == (0,)


def test_a_last_hand_can_be_taken_back() -> None:
    """Then the match goes on as its options say."""
    sitting = Sitting.playing(2, hands=2)
    sitting.events(0, cl.SetLastHand)
    assert told(sitting.events(0, cl.SetLastHand, last=False)) == "last_hand_set"
    assert not of_type(ev.MatchOver, finish(sitting, 3, 5))


def test_snapshots_and_records_know_the_last_hand() -> None:
    """Whoever comes later sees it, and the record of such matches is right."""
    sitting = Sitting.playing(2, hands=9, countdown_ms=0)
    sitting.turn(0)
    sitting.events(0, cl.SetLastHand)
    snapshot = sitting.table.view.snapshot(0)
    assert snapshot.last_hand == 1
    assert TableState.from_snapshot(snapshot).last_hand == 1
    for _ in range(2):
        for seat in (0, 1):
            sitting.events(seat, cl.Stuck)
        sitting.start()
        sitting.turn(1)
    sitting.events(0, cl.EndMatch)
    checked = verify(record(sitting.table.view.options, sitting.log))
    assert (checked.hands, checked.matches) == (3, 2)
