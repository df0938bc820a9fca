"""The story of a hand: plays, waits and races, on the hand's own clock."""

import pytest

from racing_demon_protocol.engine.cards import UNKNOWN
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.records.analysis import HandHistory, HistoryTracker
from racing_demon_protocol.records.format import Record, TimedMessage, next_state
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Refused
from tests.support.matches import of_matches
from tests.support.recordings import recording_of


def stories(record: Record) -> list[HandHistory]:
    """Return the story of each hand of a record."""
    told: list[HandHistory] = []
    history, view = HistoryTracker(), None
    for entry in record.entries:
        view = next_state(view, entry.message)
        history.note(entry.message, view, entry.at_us, entry.seat)
        if isinstance(entry.message, ev.HandOver):
            assert history.hand is not None
            told.append(history.hand)
    return told


def with_a_pause(record: Record, after: int, length_us: int) -> Record:
    """Return a record in which the first hand stood still after so many plays."""
    entries: list[TimedMessage] = []
    plays = shift = signal = extra = 0
    for entry in record.entries:
        at, message = entry.at_us + shift, entry.message
        if isinstance(message, ev.Event):
            message = message.model_copy(update={"seq": message.seq + extra})
        entries.append(TimedMessage(message, at, None, entry.seat))
        signal = at if isinstance(message, ev.Signalled) and not signal else signal
        plays += isinstance(message, ev.Played)
        if plays == after and not shift and isinstance(message, ev.Played):
            entries.append(TimedMessage(ev.Paused(seq=message.seq + 1), at))
            elapsed = (at - signal) // 1_000
            entries.append(
                TimedMessage(ev.Continued(seq=message.seq + 2, elapsed_ms=elapsed), at + length_us)
            )
            shift, extra = length_us, 2
    return Record(None, entries)


@of_matches
def test_it_counts_what_the_log_holds(name: str) -> None:
    """A seat's plays are its events with a counter; the cards that went up are those on the foundations."""
    record = recording_of(name)
    told = stories(record)
    hand = -1
    counted: list[dict[int, int]] = []
    for entry in record.entries:
        if isinstance(entry.message, ev.Dealt):
            hand += 1
            counted.append({})
        elif isinstance(entry.message, ev.Played) and entry.message.counter:
            seat = entry.message.seat
            counted[hand][seat] = counted[hand].get(seat, 0) + 1
    assert counted == [history.plays for history in told]
    assert all(history.is_whole for history in told)


@pytest.mark.parametrize("name", ["racing-demon", "shouted", "eight"])
def test_waits_and_races_lie_within_the_hand(name: str) -> None:
    """No card waited for longer than since the signal, and no race was over before it was open."""
    for history in stories(recording_of(name)):
        assert history.made
        assert all(0 <= made.waited_us <= made.at for made in history.made)
        assert all(0 <= race.open_us <= race.at for race in history.races)


def test_the_beaten_are_among_the_losers() -> None:
    """Whoever was told of a faster card has lost a race to its owner, and the story knows by how much."""
    record = recording_of("eight")
    told = [
        (entry.message.by, entry.seat, entry.message.late_us)
        for entry in record.entries
        if isinstance(entry.message, Refused)
    ]
    (history,) = stories(record)
    known = [(race.winner, race.loser, race.late_us) for race in history.races if race.late_us is not None]
    assert sorted(map(str, told)) == sorted(map(str, known))
    named = [race for race in history.races if race.late_us is not None and race.card != UNKNOWN]
    assert len(named) > len(known) * 3 // 4


def test_a_pause_is_no_time() -> None:
    """Times go on after a pause as if it had not been."""
    record = recording_of("racing-demon")
    (first, *_), (paused, *_) = stories(record), stories(with_a_pause(record, 40, 90_000_000))
    assert first.plays == paused.plays
    # A pause is told in milliseconds; so exactly do times go on.
    for plain, late in zip(first.made, paused.made, strict=True):
        assert (plain.seat, plain.card) == (late.seat, late.card)
        assert abs(plain.at - late.at) <= 1_000
        assert abs(plain.waited_us - late.waited_us) <= 1_000


def test_a_hand_that_was_not_seen_whole_is_called_so() -> None:
    """From a snapshot in the middle on the rest is told, and that it is a rest."""
    record = recording_of("racing-demon")
    place = [n for n, entry in enumerate(record.entries) if isinstance(entry.message, ev.Played)][30]
    view: TableState | None = None
    for entry in record.entries[:place]:
        view = next_state(view, entry.message)
    assert view is not None
    began = record.entries[place].at_us
    signal = next(e.at_us for e in record.entries if isinstance(e.message, ev.Signalled))
    first = TimedMessage(view.snapshot((began - signal) // 1_000), began)
    rest, *_ = stories(Record(None, [first, *record.entries[place:]]))
    whole, *_ = stories(record)
    assert not rest.is_whole
    assert sum(rest.plays.values()) < sum(whole.plays.values())
    assert {made.card for made in rest.made} <= {made.card for made in whole.made}


def test_an_answer_that_fits_no_race_is_one_of_its_own() -> None:
    """A card came too late where the board showed no chance: it counts, without a name."""
    history = HandHistory(1)
    refused = Refused(counter=1, reason=Reason.BEATEN, text="", by=2, late_us=7_000)
    history.note_late(0, refused)
    (race,) = history.races
    assert (race.winner, race.loser, race.late_us, race.card) == (2, 0, 7_000, UNKNOWN)
