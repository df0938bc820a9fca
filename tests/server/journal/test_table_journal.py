"""The journal of one table: when it is time for a snapshot, and whether something is still to be written."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Refused
from racing_demon_protocol.wire.options import Options
from racing_demon_server.encoded_messages import EncodedEvent
from racing_demon_server.journal.clock_watermark import ClockWatermark
from racing_demon_server.journal.reader import beaten_of
from racing_demon_server.journal.sqlite.database import reading
from racing_demon_server.journal.table_journal import MAX_BYTES, MAX_EVENTS, TableJournal
from racing_demon_server.match.seat_tokens import SeatToken
from tests.support.virtual_journal import VirtualJournal
from tests.support.virtual_rooms import in_virtual_time, now

READIED = ev.Readied(seq=1, seat=0, ready=True)
PLAYED = ev.Played(seq=1, seat=0, counter=1, source=1, count=1, destination=2, depth=0)


@pytest.fixture
def table(tmp_path: Path) -> Callable[[Callable[[TableJournal], None]], None]:
    """Return what tells a story about the journal of a new table."""

    def tell(story: Callable[[TableJournal], None]) -> None:
        async def run() -> None:
            journal = VirtualJournal(tmp_path / "journal.sqlite", random.Random(1))
            story(TableJournal(journal, 1, lambda: 0, ClockWatermark(journal, now)))
            await journal.drained()
            journal.close()

        in_virtual_time(run())

    return tell


Told = Callable[[Callable[[TableJournal], None]], None]


def test_after_so_many_events_comes_a_snapshot(table: Told) -> None:
    """And after it as many again."""

    def story(journal: TableJournal) -> None:
        for _ in range(2):
            journal.append([EncodedEvent(READIED, 0)] * (MAX_EVENTS - 1))
            assert not journal.is_long
            journal.append([EncodedEvent(READIED, 0)])
            assert journal.is_long
            journal.append_details(0, snapshot=TableState("BCDF", Options()).snapshot(0))
            assert not journal.is_long

    table(story)


def test_after_so_many_bytes_comes_a_snapshot(table: Told) -> None:
    """However few events they are; and after it as many again."""
    options = ev.OptionsSet(seq=1, options=Options())
    needed = -(-MAX_BYTES // len(EncodedEvent(options, 0).packed))
    assert needed < MAX_EVENTS

    def story(journal: TableJournal) -> None:
        for _ in range(2):
            for _ in range(needed):
                assert not journal.is_long
                journal.append([EncodedEvent(options, 0)])
            assert journal.is_long
            journal.append_details(0, snapshot=TableState("BCDF", Options()).snapshot(0))
            assert not journal.is_long

    table(story)


def test_what_stands_behind_a_snapshot_counts_after_a_restart(table: Told) -> None:
    """A server that is started again and again has the log cut as often as one that runs on."""

    def story(journal: TableJournal) -> None:
        for seq, snapshot_seq, is_long in ((1_000, 900, False), (1_000, 700, True), (300, 0, True)):
            journal.begin("epoch", seq, snapshot_seq, 0)
            assert is_long is journal.is_long

    table(story)


def test_a_race_that_is_lost_first_after_a_restart_has_its_place(table: Told, tmp_path: Path) -> None:
    """It follows the last event before the restart, so that a record shows it there."""
    lost = Refused(counter=1, reason=Reason.BEATEN, text="", by=1)

    def story(journal: TableJournal) -> None:
        journal.begin("epoch", 7, 0, 0)
        journal.append_details(0, seat_tokens=[(0, SeatToken(b"", 1, lost))])
        journal.write(lambda: None)

    table(story)
    with reading(tmp_path / "journal.sqlite") as db:
        ((seq, reply),) = beaten_of(db, 1)
        assert (7, lost) == (seq, reply.message)


@pytest.mark.parametrize("event", [READIED, PLAYED])
def test_what_is_noted_is_to_be_written(table: Told, event: ev.Readied | ev.Played) -> None:
    """A play, which waits for others to share its row, as well as any other event."""

    def story(journal: TableJournal) -> None:
        assert not journal.has_pending
        journal.append([EncodedEvent(event, 0)])
        assert journal.has_pending
        journal.write(lambda: None)
        assert not journal.has_pending

    table(story)
