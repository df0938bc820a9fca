"""What is kept of a table."""

import json
import time
from pathlib import Path

from racing_demon_client.records.recorder import Recorder
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.records.format import next_state, read_messages, read_records
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages.server import Accepted, Pong, Refused, Seated, Versions
from tests.support.matches import log_of, options_of

RECORDS = Path(__file__).parents[2] / "fixtures" / "records"
NAMES = ("message", "format", "kept_by")


def kept(*, private: bool = False) -> list[str]:
    """Return the record of a match that is followed event by event."""
    lines: list[str] = []
    recorder = Recorder(lines.append)
    view = TableState("SIM", options_of("shouted"))
    recorder.record(view.snapshot(0), view)
    for event in log_of("shouted"):
        view.apply(event)
        recorder.record(event, view)
        if private:
            recorder.record(Seated(code="SIM", seat=0, token="5e" * 32), view)
            recorder.record(Accepted(counter=1, seq=1), view)
            recorder.record(Refused(counter=1, reason=Reason.BEATEN, text="secret"), view)
            recorder.record(Pong(stamp=1), view)
            recorder.record(Versions(oldest=1, newest=1), view)
    return lines


def test_every_public_message_is_kept() -> None:
    """The table comes first, then each event in its order."""
    messages = list(read_messages(kept()))
    assert log_of("shouted") == [message for message in messages if isinstance(message, Event)]
    assert 1 + len(log_of("shouted")) == len(messages)


def test_nothing_private_is_kept() -> None:
    """Tokens, answers and refusals are nobody's business."""
    assert len(kept()) == len(kept(private=True))
    assert not any("5e5e" in line or "secret" in line for line in kept(private=True))


def test_the_tally_stands_at_the_end() -> None:
    """After the match a line for people adds it up."""
    tally = json.loads(kept()[-1])
    assert tally["message"] == "tally"
    assert [hand["hand"] for hand in tally["hands"]] == [1, 2]
    totals = {seat: sum(hand["points"][seat] for hand in tally["hands"]) for seat in ("0", "1")}
    assert totals == tally["totals"]


def test_a_void_draw_raises_the_version_of_what_is_written_already() -> None:
    """Programs that know no void draws stop there, and say that a newer one is needed; others read on."""
    lines: list[str] = []
    recorder = Recorder(lines.append)
    (record,) = read_records((RECORDS / "version-3.jsonl").read_text(encoding="utf-8").splitlines())
    view: TableState | None = None
    for entry in record.entries:
        view = next_state(view, entry.message)
        recorder.record(entry.message, view)
    headers = [row for line in lines if (row := json.loads(line))["message"] == "record"]
    assert [(row["version"], row.get("continues")) for row in headers] == [(2, None), (3, True)]
    (again,) = read_records(lines)
    assert again.header is not None
    assert again.header.version == 3
    assert [entry.message for entry in again.entries] == [entry.message for entry in record.entries]


def test_each_line_has_its_times() -> None:
    """Behind the header each message has the microseconds since the record began, and the wall time."""
    header, *rows = map(json.loads, kept()[:-1])
    assert tuple(header[name] for name in NAMES) == ("record", "racing-demon-record", "client")
    times = [row["at_us"] for row in rows]
    assert times == sorted(times)
    assert times[0] >= 0
    began = time.time_ns() // 1_000_000 - 600_000
    assert all(began < row["at_ms"] < began + 1_200_000 for row in rows)
