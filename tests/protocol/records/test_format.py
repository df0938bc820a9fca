"""The portable file of matches: what is written is read again, and nothing else is."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import InvalidRecord
from racing_demon_protocol.records.format import (
    VERSION,
    Correction,
    Header,
    Record,
    TimedMessage,
    entry_line,
    message_line,
    parse_message,
    parse_row,
    read_records,
    record_lines,
    section_line,
)
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.table.scoring import totals
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Refused, Snapshot
from tests.support.cases import for_each
from tests.support.effort import examples
from tests.support.matches import final_view, log_of, of_matches, options_of
from tests.support.recordings import recording_of
from tests.support.relay import table_of

NOTE = Correction(at_ms=5, by="Ann", why="A slip.", seat=1, points=-3)


@of_matches
def test_what_is_written_is_read_again(name: str) -> None:
    """Header, every message with its times, and corrections come out as they went in."""
    record = Record(recording_of(name).header, recording_of(name).entries, [NOTE])
    assert [record] == list(read_records(record_lines(record)))


def test_several_matches_follow_each_other() -> None:
    """One file holds many matches, each with its own header and its own corrections."""
    first, second = recording_of("demon-a"), Record(Header(id="b"), recording_of("demon-b").entries, [NOTE])
    lines = [*record_lines(first), *record_lines(second)]
    assert [first, second] == list(read_records(lines))


def test_older_programs_read_it() -> None:
    """Who knows only messages reads the same match, and finds it right."""
    record = recording_of("shouted")
    messages = [*filter(None, map(parse_message, map(parse_row, record_lines(record))))]
    assert log_of("shouted") == [message for message in messages if isinstance(message, Event)]
    assert verify(messages).hands == 2


def test_older_files_are_read() -> None:
    """A record without a header is one, whose milliseconds count from its beginning."""
    lines = [message_line(table_of(code="SIM", options=options_of("shouted")), at_ms=3)]
    lines += [message_line(event, at_ms=number) for number, event in enumerate(log_of("shouted"), 4)]
    (record,) = read_records(lines)
    assert record.header is None
    assert log_of("shouted") == [entry.message for entry in record.entries[1:]]
    assert [entry.at_us for entry in record.entries[:2]] == [3_000, 4_000]
    assert {None} == {entry.at_ms for entry in record.entries}


def test_a_match_ends_with_its_tally() -> None:
    """Behind the last event stands the tally, as the table told it."""
    tally = json.loads(list(record_lines(recording_of("shouted")))[-1])
    told = {int(seat): points for seat, points in tally["totals"].items()}
    assert totals(final_view("shouted")) == told


def test_a_refusal_keeps_whose_it_is() -> None:
    """Beside a refusal stands the seat that was refused."""
    refused = [entry for entry in recording_of("eight").entries if isinstance(entry.message, Refused)]
    assert refused
    lines = [section_line(Header()), *map(entry_line, refused)]
    (record,) = read_records(lines)
    assert refused == record.entries
    assert None not in {entry.seat for entry in record.entries}


@for_each(("name", "most", "without"), [("at_ms", 2**43, None), ("at_us", 2**53, 0), ("seat", 7, None)])
def test_numbers_beside_a_message_have_bounds(name: str, most: int, without: int | None) -> None:
    """The last moment, and the last seat, are read; one later is none, as if it had not been noted."""
    refused = Refused(counter=1, reason=Reason.BEATEN, text="")
    row = json.loads(entry_line(TimedMessage(refused, 1, 1, 1)))
    for value, read_as in ((most, most), (most + 1, without), (-1, without)):
        (record,) = read_records([section_line(Header()), json.dumps({**row, name: value})])
        (entry,) = record.entries
        assert read_as == getattr(entry, name)


def test_a_newer_version_is_refused() -> None:
    """A file of a version that is not known is not half understood."""
    line = json.dumps({**json.loads(section_line(Header())), "version": VERSION + 1})
    with pytest.raises(InvalidRecord, match=f"Line 1: this record is of version {VERSION + 1}"):
        list(read_records([line]))


def test_what_a_later_version_adds_is_passed_over() -> None:
    """New members of known lines, and new kinds of lines, do not hinder."""
    header = json.dumps({**json.loads(section_line(Header(id="x"))), "weather": "rain"})
    signal = json.dumps({**json.loads(entry_line(TimedMessage(ev.Signalled(seq=1), 7))), "loud": True})
    (record,) = read_records([header, '{"message":"weather"}', signal])
    assert Record(Header(id="x"), [TimedMessage(ev.Signalled(seq=1), 7)]) == record


@for_each(
    ("line", "wrong"),
    [
        ('{"message":"record","format":"chess","version":1}', "a record is wrong in format"),
        ('{"message":"record","format":"racing-demon-record","version":0}', "a record is wrong in version"),
        ('{"message":"correction","at_ms":1,"by":"Ann"}', "a correction is wrong in why"),
        ('{"message":"correction","at_ms":-1,"by":"A","why":"x"}', "a correction is wrong in at_ms"),
        ('{"message":"correction","at_ms":1,"by":"A","why":"x","seat":8}', "a correction is wrong in seat"),
        ('{"message":"played"}', "a line is not a message of a record"),
        ("[]", "a line is not a message of a record"),
    ],
)
def test_lines_that_are_none(line: str, wrong: str) -> None:
    """A broken line is refused with its number, and with what is wrong in it."""
    with pytest.raises(InvalidRecord, match=f"Line 2: {wrong}"):
        list(read_records([section_line(Header()), line]))


@examples(300)
@given(
    st.dictionaries(
        st.sampled_from(["message", "format", "version", "at_ms", "at_us", "seat", "seq", "why", "by", "id"]),
        st.sampled_from(
            ["record", "correction", "signalled", "racing-demon-record", 1, -1, 2**70, None, True]
        )
        | st.floats(),
    )
)
def test_any_object_is_a_line_or_invalid(row: dict[str, object]) -> None:
    """Random objects raise nothing but InvalidRecord, and never give a time out of bounds."""
    with suppress(InvalidRecord):
        for record in read_records([section_line(Header()), json.dumps(row)]):
            for entry in record.entries:
                assert 0 <= entry.at_us <= 2**53
                assert entry.at_ms is None or 0 <= entry.at_ms <= 2**43


def test_what_is_whole_is_read_where_events_are_missing() -> None:
    """It is read up to where they are missing, and again from the next table on; what is wrong is told."""
    lines, whole = list(record_lines(recording_of("racing-demon"))), recording_of("demon-a")
    told: list[str] = []
    for forged, kept in (([lines[0], *lines[2:]], 0), ([*lines[:60], *lines[61:]], 60)):
        found = list(read_records([*forged, *record_lines(whole)], told.append))
        assert [line for each in found[:-1] for line in map(entry_line, each.entries)] == lines[1:kept]
        assert found[-1].entries == whole.entries
    first, gap = told
    assert "comes before any table" in first
    assert "those between are missing" in gap


def test_events_before_a_table_cannot_be_exported() -> None:
    """What does not agree with itself is not passed on as a record."""
    with pytest.raises(InvalidRecord, match="before any table"):
        list(record_lines(Record(None, [TimedMessage(ev.Signalled(seq=1))])))


def test_a_snapshot_of_another_table_begins_anew() -> None:
    """Two tables whose numbers happen to meet are not taken for one."""
    log = log_of("demon-a")
    first = [table_of(code="SIM", options=options_of("demon-a")), *log]
    last = final_view("demon-a").snapshot(0)
    other = Snapshot.model_validate({**dict(last), "code": "ELSE"})
    assert verify([*first, other]).matches == 1
