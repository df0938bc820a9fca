"""Records in which something happens at the wrong time, and records of layouts that nobody saw."""

import json

import pytest

from racing_demon_protocol.errors import InvalidRecord
from racing_demon_protocol.records.format import message_line, tally_line
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.table.scoring import hand_points
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Event, Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each
from tests.support.records import Log, change, match, place_of, record, refused
from tests.support.tables import Sitting

NAME = "racing-demon"


def pause() -> ev.Paused:
    """Return a pause; its number is the record's."""
    return ev.Paused(seq=1, seat=0)


def after(cls: type[Event], *inserted: Event) -> str:
    """Return why a record is refused in which events follow the first of a kind."""

    def forge(log: Log) -> None:
        place = place_of(log, cls) + 1
        log[place:place] = inserted

    return refused(NAME, forge)


def test_pauses_are_of_hands() -> None:
    """No table pauses without cards on it, nor twice, nor goes on without a pause."""
    on = ev.Continued(seq=1, elapsed_ms=0)
    assert "there was nothing to pause" in after(ev.Joined, pause())
    assert "there was nothing to pause" in after(ev.HandOver, pause())
    assert "there was nothing to pause" in after(ev.Signalled, pause(), pause())
    assert "there was no pause" in after(ev.Signalled, on)


def test_a_pause_between_two_plays_is_right() -> None:
    """A hand that stands still and goes on is proved like any other."""
    options, log = match(NAME)
    place = place_of(list(log), ev.Played)
    paused = [*log[:place], pause(), ev.Continued(seq=1, elapsed_ms=1), *log[place:]]
    assert verify(record(options, paused)).hands == verify(record(options, list(log))).hands == 2


def test_nothing_is_played_in_a_pause() -> None:
    """Cards lie still, and no signal is given."""
    assert "it was played in a pause" in after(ev.Signalled, pause())
    assert "the signal came in a pause" in after(ev.Dealt, pause())


def test_nobody_calls_out_in_a_pause() -> None:
    """A shout is heard while cards are played, and not when the hand stands still."""

    def forge(log: Log) -> None:
        place = place_of(log, ev.Called)
        log[place:place] = [pause()]

    assert "nobody could call out" in refused("turned singly", forge)


def test_options_change_before_the_match() -> None:
    """The host may choose anew before the first deal, and not after it."""
    options, log = match(NAME)
    chosen = ev.OptionsSet(seq=1, options=options)
    assert verify(record(options, [*log[:1], chosen, *log[1:]])).hands == 2
    assert "options changed within a match" in after(ev.Signalled, chosen)


def unseen() -> tuple[Options, Log]:
    """Return a match of identical deals: two hands of which seat 0 has made two plays each."""
    sitting = Sitting.playing(2, hands=2, game="flower-garden", countdown_ms=0, tally_ms=0)
    for _ in range(2):
        for _ in range(2):
            play = next(play for play in sitting.plays(0))
            sitting.play(0, play.source, play.destination, play.count)
        for seat in (0, 1):
            sitting.events(seat, cl.Stuck)
        sitting.wait(0)
    return sitting.options, sitting.log


def test_layouts_that_nobody_saw_are_counted_in_all_hands() -> None:
    """A spectator's record holds no private play; of each hand it proves the deal and the ends alone."""
    options, log = unseen()
    spectators = [event for event in log if not isinstance(event, ev.Played)]
    assert (verify(record(options, spectators)).hands, verify(record(options, spectators)).unseen) == (2, 4)
    assert (verify(record(options, log)).hands, verify(record(options, log)).unseen) == (2, 2)


def progressed(log: Log, told: int, seat: int = 0) -> None:
    """Let a seat be said to have come so far, before its first hand ends."""
    place = place_of(log, ev.HandOver)
    log.insert(place, ev.Progressed(seq=1, seat=seat, progress=told))


def test_progress_is_that_of_the_plays() -> None:
    """Of a layout that the record shows no other progress is believed, and none twice, seen or not."""
    options, log = unseen()
    reached = max((event.progress for event in log if isinstance(event, ev.Progressed)), default=0)
    forged = list(log)
    progressed(forged, reached + 7)
    with pytest.raises(InvalidRecord, match="the seat came to"):
        verify(record(options, forged))
    for seat in (0, 1):
        spectators = [event for event in log if not isinstance(event, ev.Played)]
        progressed(spectators, 5, seat)
        progressed(spectators, 5, seat)
        with pytest.raises(InvalidRecord, match="that was known"):
            verify(record(options, spectators))


def test_the_tally_s_line_is_what_a_reader_expects() -> None:
    """It has the hands with reason, out and points, the totals, the names and the winners."""
    sitting = Sitting.playing(2, hands=1, countdown_ms=0)
    for seat in (0, 1):
        sitting.events(seat, cl.Stuck)
    assert json.loads(tally_line(sitting.table.view)) == {
        "message": "tally",
        "hands": [{"hand": 1, "reason": "stuck", "out": None, "points": {"0": 0, "1": 0}}],
        "totals": {"0": 0, "1": 0},
        "names": {"0": "Ann", "1": "Ben"},
        "winners": [0, 1],
    }


def test_options_are_written_in_their_words() -> None:
    """What is an enumeration here is its word on the line."""
    line = json.loads(message_line(ev.OptionsSet(seq=1, options=Options(stall_rule="rotate"))))
    assert line["options"]["stall_rule"] == "rotate"


def test_the_end_tells_how_far_each_seat_came() -> None:
    """Progress that is left out shows at the end of the hand, where the record holds the plays."""
    options, log = unseen()
    last = max(place for place, event in enumerate(log) if isinstance(event, ev.Progressed))
    forged, view = [*log[:last], *log[last + 1 :]], TableState("TEST", options)
    over = max(place for place, event in enumerate(forged) if isinstance(event, ev.HandOver))
    for message in record(options, forged[:over])[1:]:
        assert isinstance(message, Event)
        view.apply(message)
    change(forged, over, points=hand_points(view, None))  # else these would tell
    with pytest.raises(InvalidRecord, match="seat 0 came to"):
        verify(record(options, forged))


def test_a_space_is_filled_before_all_else() -> None:
    """A play that the game makes by itself cannot be left out."""
    _, log = match("demon-a")
    reasons = []
    for place, event in enumerate(log):
        if isinstance(event, ev.Played) and not event.counter:
            reasons.append(refused("demon-a", lambda forged, place=place: forged.pop(place)))  # type: ignore[misc]
    assert any("a space had to be filled first" in reason for reason in reasons)


@for_each("nth", [0, 1])
def test_a_record_may_begin_between_two_hands(nth: int) -> None:
    """Whoever comes in the tally has a record of the hands that follow, and of the match's end."""
    options, log = match("classic")
    whole = record(options, list(log))
    view = TableState("SIM", options)
    overs = [place for place, message in enumerate(whole) if isinstance(message, ev.HandOver)]
    for message in whole[: overs[nth] + 1]:
        if isinstance(message, Event):
            view.apply(message)
    verdict = verify([view.snapshot(0), *whole[overs[nth] + 1 :]])
    assert (2 - nth, 0, 1) == (verdict.hands, verdict.skipped, verdict.matches)


def test_each_hand_that_is_not_whole_is_skipped() -> None:
    """A record that loses its connection in two hands proves neither."""
    options, log = match(NAME)
    view, kept = TableState("SIM", options), list[Message]()
    for message in record(options, list(log)):
        if isinstance(message, Event):
            view.apply(message)
            kept.append(message)
            if isinstance(message, ev.Signalled):
                kept.append(view.snapshot(0))
        else:
            kept.append(message)
    joined = verify(kept)
    assert (joined.hands, joined.skipped) == (2, 0)
    lost = [message for message in kept if not isinstance(message, ev.Dealt | ev.Committed | ev.Signalled)]
    verdict = verify(lost)
    assert (verdict.hands, verdict.skipped) == (0, 2)
