"""The tape: from any place of a record the table is as it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from racing_demon_client.records.timeline import MAX_WAIT_MS, Timeline
from racing_demon_protocol.errors import InvalidRecord
from racing_demon_protocol.records.format import Header, Record, TimedMessage, read_records, record_lines
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.options import Options
from tests.support.cases import for_each
from tests.support.effort import examples
from tests.support.matches import final_view, log_of, of_matches, options_of
from tests.support.recordings import picture_of, recording, recording_of, seed_of


def pictures(log: list[Event], options: Options) -> dict[int, str]:
    """Return how the table lay after every event, as the judge's own view tells it."""
    view = TableState("SIM", options)
    found = {0: picture_of(view)}
    for number, event in enumerate(log, 1):  # plays on identical deals have no number of their own
        view.apply(event)
        found[number] = picture_of(view)
    return found


def agrees(timeline: Timeline, position: int, expected: dict[int, str]) -> bool:
    """Tell whether the table at a place lies as it lay after the same event."""
    view = timeline.view_at(position)
    number = sum(isinstance(entry.message, Event) for entry in timeline.entries[:position])
    return view.seq == timeline.seq_at(position) and expected[number] == picture_of(view)


@pytest.mark.long
@of_matches
def test_the_board_at_every_event_is_the_recorded_one(name: str) -> None:
    """At every sequence number the board is the judge's, and so is the tally at the end."""
    timeline = Timeline(recording_of(name))
    expected = pictures(log_of(name), options_of(name))
    step = 1 if len(timeline) < 300 else 7
    positions = {
        *range(1, len(timeline) + 1, step),
        *(position for _, position in timeline.hands),
        len(timeline),
    }
    assert all(agrees(timeline, position, expected) for position in positions)
    last = timeline.view_at(len(timeline))
    assert (final_view(name).results, final_view(name).winners) == (last.results, last.winners)


@pytest.mark.long
@examples(12, 3)
@given(st.integers(0, 400), st.sampled_from(["racing-demon", "classic", "demon-b", "fooliana"]), st.data())
def test_any_simulated_match_is_the_same_on_tape(number: int, game: str, data: st.DataObject) -> None:
    """Exported, read and wound to any place, any match lies as it lay, and proves itself."""
    options = Options(game=game, hands=1, countdown_ms=0, tally_ms=0)
    record = recording(seed_of(number), ["hard", "medium"], options, name=str(number))
    (read,) = read_records(record_lines(record))
    timeline = Timeline(read)
    log = [entry.message for entry in record.entries if isinstance(entry.message, Event)]
    expected = pictures(log, options)
    for _ in range(12):
        assert agrees(timeline, data.draw(st.integers(1, len(timeline))), expected)
    assert verify(entry.message for entry in timeline.hand_at(len(timeline) - 1)).hands == 1


def test_every_event_has_its_place() -> None:
    """An event that is asked for by its number has just happened at its place."""
    timeline = Timeline(recording_of("racing-demon"))
    for event in log_of("racing-demon"):
        assert event.seq == timeline.seq_at(timeline.position_of_event(event.seq))
    assert len(timeline) == timeline.position_of_event(10**9)


def test_hands_and_times_have_their_places() -> None:
    """A hand begins at its deal; within it the last place before a time is found."""
    timeline = Timeline(recording_of("racing-demon"))
    (_, first), (_, second) = timeline.hands
    assert (first, second, None) == (
        timeline.position_of_hand(1, 1),
        timeline.position_of_hand(2, 1),
        timeline.position_of_hand(3, 1),
    )
    position = timeline.position_at_time(10_000, second)
    assert timeline.elapsed_ms(position) <= 10_000 < timeline.elapsed_ms(position + 1)
    assert second < position
    assert second == timeline.next_hand(first + 50, 1)
    assert first == timeline.next_hand(first + 50, -1)
    assert first == timeline.next_hand(second, -1)
    assert second == timeline.next_hand(second + 5, 1)


@for_each("name", ["racing-demon", "shouted"])
def test_times_never_fall_and_waits_are_short(name: str) -> None:
    """Within the hands time is what it was; between them nobody waits for long."""
    record = recording_of(name)
    timeline = Timeline(record)
    assert timeline.times == sorted(timeline.times)
    in_hand = False
    for position in range(1, len(timeline)):
        real = record.entries[position].at_us - record.entries[position - 1].at_us
        gap = timeline.times[position] - timeline.times[position - 1]
        message = timeline.message(position - 1)
        in_hand = in_hand or isinstance(message, ev.Dealt)
        in_hand = in_hand and not isinstance(message, ev.HandOver)
        assert abs(gap - real / 1_000) <= 1 if in_hand else gap <= MAX_WAIT_MS + 1


def test_a_clock_that_began_anew_stands_still() -> None:
    """After a server's restart times may be smaller than before: then nothing waits for that."""
    entries = recording_of("demon-a").entries
    cut = len(entries) // 2
    later = [TimedMessage(entry.message, entry.at_us - entries[cut].at_us) for entry in entries[cut:]]
    timeline = Timeline(Record(Header(), [*entries[:cut], *later]))
    assert timeline.times == sorted(timeline.times)
    assert timeline.times[cut] == timeline.times[cut - 1]


def test_what_is_no_record_makes_no_tape() -> None:
    """Nothing, an event before any table, and a gap are refused before anything is shown."""
    entries = recording_of("demon-a").entries
    for wrong in ([], entries[1:], [*entries[:40], *entries[41:]]):
        with pytest.raises(InvalidRecord):
            Timeline(Record(None, list(wrong)))


def test_the_analysis_is_there_when_a_hand_is_over() -> None:
    """From the end of a hand to the next deal its analysis can be had; before it there is none."""
    timeline = Timeline(recording_of("racing-demon"))
    over = [n for n, e in enumerate(timeline.entries, 1) if isinstance(e.message, ev.HandOver)]
    assert timeline.analysis_at(over[0] - 1) == []
    first = timeline.analysis_at(over[0])
    assert [each.seat for each in first] == [0, 1, 2]
    assert first == timeline.analysis_at(timeline.hands[1][1] - 2)
    assert first != timeline.analysis_at(over[1])
