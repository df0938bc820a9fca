"""Records whose ends are forged: points, winners, reasons, and the numbers of the hands."""

import pytest

from racing_demon_protocol.enums import EndReason
from racing_demon_protocol.errors import InvalidRecord
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Snapshot
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each
from tests.support.records import MATCHES, Log, change, match, place_of, plays_up, record, refused
from tests.support.tables import SECOND, Sitting


@for_each("name", MATCHES)
def test_a_point_too_many(name: str) -> None:
    """One point more for the last of the last hand is found."""

    def forge(log: Log) -> None:
        place = place_of(log, ev.HandOver, -1)
        over = log[place]
        assert isinstance(over, ev.HandOver)
        change(log, place, points=(*over.points[:-1], over.points[-1] + 1))

    assert "the points are wrong" in refused(name, forge)


def test_points_that_change_places() -> None:
    """Each player's points are the player's own."""

    def forge(log: Log) -> None:
        place = place_of(log, ev.HandOver)
        over = log[place]
        assert isinstance(over, ev.HandOver)
        change(log, place, points=over.points[::-1])

    assert "the points are wrong" in refused("classic", forge)


def test_a_hand_that_ends_before_it_begins() -> None:
    """The time from the signal to the end is none that runs backwards."""

    def forge(log: Log) -> None:
        change(log, place_of(log, ev.HandOver), elapsed_ms=-5)

    assert "the time is wrong" in refused("classic", forge)


@for_each("winners", [(), (1,), (0, 1)])
def test_other_winners(winners: tuple[int, ...]) -> None:
    """Nobody, both and the loser did not win."""
    said = refused("classic", lambda log: change(log, place_of(log, ev.MatchOver), winners=winners))
    assert "the winners are others" in said


def test_a_winner_too_early() -> None:
    """A match of three hands is not won after the first."""

    def forge(log: Log) -> None:
        place = place_of(log, ev.HandOver)
        del log[place + 1 :]
        log.append(ev.MatchOver(seq=1, winners=(0,)))

    assert "the winners are others" in refused("classic", forge)


def test_a_match_that_goes_on_for_too_long() -> None:
    """After the last hand there is no other one, whether the end was told or not."""
    _, true = match("classic")
    hand = list(true[place_of(list(true), ev.Committed, 2) : place_of(list(true), ev.HandOver, 2) + 1])

    def forge(log: Log) -> None:
        del log[place_of(log, ev.MatchOver) :]
        log.extend(hand)
        change(log, place_of(log, ev.Committed, 3), hand=4)

    assert "the match was over" in refused("classic", forge)


def test_a_new_match_without_the_end_of_the_old() -> None:
    """The end of a match cannot be left out."""
    sitting = Sitting.lobby(2, hands=1, game="classic", countdown_ms=0)
    for _ in range(2):
        sitting.start()
        for seat in (0, 1):
            sitting.events(seat, cl.Stuck)
    log = list(sitting.log)
    del log[place_of(log, ev.MatchOver)]
    with pytest.raises(InvalidRecord):
        verify(record(sitting.options, log))


@for_each("number", [1, 3, 9])
def test_a_hand_of_another_number(number: int) -> None:
    """Hands are numbered in a row, so that none is missing."""
    said = refused("racing-demon", lambda log: change(log, place_of(log, ev.Committed, 1), hand=number))
    assert "the hand's number is another" in said


def test_somebody_out_who_is_not() -> None:
    """A player with cards left was not out, although the bonus is counted."""

    def forge(log: Log) -> None:
        place = place_of(log, ev.HandOver)
        over = log[place]
        assert isinstance(over, ev.HandOver)
        points = (over.points[0] + 10, *over.points[1:])
        change(log, place, reason=EndReason.OUT, out=0, points=points)

    assert "seat 0 was not out" in refused("racing-demon", forge)


def stuck_hand() -> Sitting:
    """Return a hand that both gave up although there were plays."""
    sitting = Sitting.playing(2, hands=1, game="classic", countdown_ms=0)
    for seat in (0, 1):
        sitting.events(seat, cl.Stuck)
    return sitting


@for_each(
    ("reason", "complaint"),
    [
        (EndReason.DEAD, "the hand was not dead"),
        (EndReason.ABANDONED, "not everybody had left"),
        (EndReason.OUT, "the reason is another"),
    ],
)
def test_another_reason_for_the_end(reason: EndReason, complaint: str) -> None:
    """A hand that was given up was neither dead nor abandoned, and nobody was out."""
    sitting = stuck_hand()
    log = list(sitting.log)
    change(log, place_of(log, ev.HandOver), reason=reason)
    with pytest.raises(InvalidRecord, match=complaint):
        verify(record(sitting.options, log))


@for_each("seat", [0, 1])
def test_stuck_who_never_said_so(seat: int) -> None:
    """A hand is given up by all who are there, not by some."""
    sitting = stuck_hand()
    log = list(sitting.log)
    del log[place_of(log, ev.StuckSaid, seat)]
    with pytest.raises(InvalidRecord, match="not everybody was stuck"):
        verify(record(sitting.options, log))


def test_the_time_is_up_with_its_last_millisecond() -> None:
    """A hand that ends when its limit is reached is right; one that says it ended earlier is not."""
    sitting = Sitting.playing(2, hands=1, countdown_ms=0, time_limit_ms=60_000)
    sitting.wait(60 * SECOND)
    log = list(sitting.log)
    assert verify(record(sitting.options, log)).hands == 1
    change(log, place_of(log, ev.HandOver), elapsed_ms=59_999)
    with pytest.raises(InvalidRecord, match="the time was not up"):
        verify(record(sitting.options, log))


def test_stuck_that_was_taken_back() -> None:
    """A play that brings the hand on takes all "stuck" back, so that the hand is not given up."""
    options, true = match("racing-demon")
    log = list(true)
    place = plays_up(log, "racing-demon")[0]
    view = TableState("SIM", options)
    log[place:place] = [ev.StuckSaid(seq=1, seat=seat) for seat in (0, 1)]
    for number, event in enumerate(log[: place + 3], 1):
        view.apply(event.model_copy(update={"seq": number}))
    over = log[place_of(log, ev.HandOver)]
    assert isinstance(over, ev.HandOver)
    assert view.hand is not None
    points = view.hand.rules.points(view.hand.board)
    end = {"reason": EndReason.STUCK, "out": None, "points": tuple(points[seat] for seat in (0, 1))}
    forged = [*log[: place + 3], over.model_copy(update=end)]
    with pytest.raises(InvalidRecord, match="not everybody was stuck"):
        verify(record(options, forged))


def test_other_options_in_mid_match() -> None:
    """Options change between matches only: a target set in a pause does not end the match."""

    def forge(log: Log) -> None:
        options, _ = match("racing-demon")
        place = place_of(log, ev.HandOver) + 1
        log[place:] = [
            ev.OptionsSet(seq=1, options=options.model_copy(update={"hands": 1})),
            ev.MatchOver(seq=1, winners=(0,)),
        ]
        over = log[place - 1]
        assert isinstance(over, ev.HandOver)
        change(log, place + 1, winners=(over.points.index(max(over.points)),))

    assert "options changed within a match" in refused("racing-demon", forge)


def test_a_table_that_cannot_be() -> None:
    """A record whose first table fits no game is refused."""
    snapshot = TableState("SIM", Options()).snapshot(0)
    broken = Snapshot.model_validate(
        [*snapshot.model_copy(update={"hand_seats": (0,)}).model_dump(mode="json")]
    )
    with pytest.raises(InvalidRecord, match="The table at event 0 cannot be"):
        verify([broken])
