"""Exports of released versions: each must be read for ever, and mean what it meant."""

import json
from pathlib import Path
from typing import Any

from racing_demon_protocol.records.format import Record, next_state, read_records
from racing_demon_protocol.records.summary import summarize
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Event
from tests.support.cases import for_each
from tests.support.recordings import picture_of

FOLDER = Path(__file__).parents[2] / "fixtures" / "records"
EXPORTS = sorted(path.name for path in FOLDER.glob("*.jsonl"))


def fixture(name: str) -> tuple[Record, dict[str, Any]]:
    """Return an export, and what must be read from it."""
    (record,) = read_records((FOLDER / name).read_text(encoding="utf-8").splitlines())
    expected = json.loads((FOLDER / name).with_suffix(".expected.json").read_text(encoding="utf-8"))
    return record, expected


@for_each("name", EXPORTS)
def test_its_messages_are_those_that_were_kept(name: str) -> None:
    """Header, number of messages, their times and the corrections are read as they were written."""
    record, expected = fixture(name)
    assert record.header is not None
    assert expected["header"] == record.header.model_dump(exclude={"continues"})
    assert expected["entries"] == len(record.entries)
    assert expected["first_ms"] == record.entries[0].at_ms
    assert expected["last_us"] == record.entries[-1].at_us
    assert expected["corrections"] == [correction.model_dump() for correction in record.corrections]


@for_each("name", EXPORTS)
def test_it_proves_itself(name: str) -> None:
    """Every hand is found right, play by play."""
    record, expected = fixture(name)
    verdict = verify(entry.message for entry in record.entries)
    assert (expected["hands"], expected["plays"], 0) == (verdict.hands, verdict.plays, verdict.skipped)


@for_each("name", EXPORTS)
def test_it_says_who_had_a_part_in_its_deals(name: str) -> None:
    """How many hands the server shuffled alone, and how many contributions were left out, is as it was."""
    record, expected = fixture(name)
    verdict = verify(entry.message for entry in record.entries)
    alone = expected.get("alone", expected["hands"])  # version 1 knew no contributions
    assert (alone, expected.get("left_out", 0)) == (verdict.server_only, len(verdict.left_out))


@for_each("name", EXPORTS)
def test_its_boards_and_its_tally_are_the_same(name: str) -> None:
    """The table lies as it lay then, at many moments; points, names and winners are the same."""
    record, expected = fixture(name)
    view: TableState | None = None
    boards = {}
    for entry in record.entries:
        view = next_state(view, entry.message)
        if isinstance(entry.message, Event) and str(entry.message.seq) in expected["boards"]:
            boards[str(entry.message.seq)] = picture_of(view)
    assert view is not None
    assert expected["boards"] == boards
    assert expected["points"] == [list(result.points) for result in view.results]
    assert expected["winners"] == list(view.winners)
    assert expected["names"] == [view.seats[seat].name for seat in sorted(view.seats)]


@for_each("name", EXPORTS)
def test_its_races_are_the_same(name: str) -> None:
    """Who won which race, and by how much, is found again."""
    record, expected = fixture(name)
    (digest,) = summarize([record])
    assert expected["races"] == [[list(race) for race in hand.races] for hand in digest.hands]
