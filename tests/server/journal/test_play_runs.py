"""Plays that follow each other: one row of the journal, and plays again when it is read."""

import asyncio
import contextlib
import random
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.records.format import TimedMessage
from racing_demon_protocol.wire.codec import pack
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Refused
from racing_demon_protocol.wire.options import Options
from racing_demon_server.encoded_messages import EncodedEvent
from racing_demon_server.journal.clock_watermark import ClockWatermark
from racing_demon_server.journal.play_runs import (
    MAX_RUN,
    RUN,
    BrokenRun,
    StoredPlay,
    decode_run,
    encode_run,
    is_private,
    plays_in,
)
from racing_demon_server.journal.reader import StoredEvent, UnknownContents, beaten_of, log_of
from racing_demon_server.journal.sqlite.database import open_journal
from racing_demon_server.journal.table_journal import TableJournal
from racing_demon_server.journal.writer import DurableJournal
from racing_demon_server.match.seat_tokens import SeatToken
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.registry import Registry
from tests.support.cases import for_each
from tests.support.effort import examples, usually
from tests.support.virtual_journal import VirtualJournal
from tests.support.virtual_rooms import in_virtual_time, now, say, seat_at

WALL = 1_795_000_000_000
FIRST = ev.Committed(seq=1, hand=1, hand_id="BCDF/1/1", commitment="00" * 32)
PLAYS = st.builds(StoredPlay, st.binary(max_size=40), st.integers(0, 2**53))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where a journal is to be."""
    return tmp_path / "journal.sqlite"


def play(seq: int) -> ev.Played:
    """Return some play."""
    return ev.Played(seq=seq, seat=0, counter=seq, source=1, count=1, destination=2, depth=0)


def tables_in(journal: DurableJournal, number: int) -> list[TableJournal]:
    """Return so many new tables of a journal."""
    clock_watermark = ClockWatermark(journal, now)
    return [TableJournal(journal, journal.new_number(), lambda: WALL, clock_watermark) for _ in range(number)]


def written(
    path: Path, rng: random.Random, *logs: Sequence[tuple[ev.Event, int]], apart: float = 0.02
) -> None:
    """Write the logs of tables, with the times of their events, some of it together; close each but the last.

    Where all are apart, each event has a row, and one table comes after the other.
    """

    async def write() -> None:
        journal = VirtualJournal(path, rng)
        kept = tables_in(journal, len(logs))
        for number, table in enumerate(kept, 1):
            table.open("BCDF", number, Options(), b"", None)
        turns = [table for table, log in zip(kept, logs, strict=True) for _ in log]
        if apart < 1:
            rng.shuffle(turns)
        rest = dict(zip(kept, map(iter, logs), strict=True))
        for turn, table in enumerate(turns):
            event, at = next(rest[table])
            table.append([EncodedEvent(event, at)])
            if rng.random() < apart:
                table.write(lambda: None)
            if table is not kept[-1] and table not in turns[turn + 1 :]:
                table.write(lambda: None)
                table.close()
        kept[-1].write(lambda: None)
        await journal.drained()
        journal.close()

    in_virtual_time(write())


def some_log(rng: random.Random, events: int) -> list[tuple[ev.Event, int]]:
    """Return a table's log: a match's beginning, then plays, some other events, and times out of order."""
    log: list[tuple[ev.Event, int]] = [(FIRST, 1_000)]
    for seq in range(2, events + 1):
        event = play(seq) if rng.random() < 0.97 else ev.StuckSaid(seq=seq, seat=0)
        log.append((event, 1_000 * seq + rng.randrange(1_500)))
    return log


@examples(100)
@given(st.lists(PLAYS, min_size=1, max_size=MAX_RUN))
def test_what_is_joined_comes_apart_as_it_was(plays: list[StoredPlay]) -> None:
    """Each play with its bytes and its time, whatever they are; the run has the newest time."""
    for private in (False, True):
        run = encode_run(plays, private=private)
        assert private is is_private(run.frame)
        assert plays == list(decode_run(run))
        assert max(each.at_us for each in plays) == run.at_us


@examples(100)
@given(st.binary(max_size=60))
def test_other_bytes_are_refused_and_nothing_else(noise: bytes) -> None:
    """Whatever stands in a damaged file: it is a run, or there is one error that says it is none."""
    assert is_private(noise) in {False, True}
    with contextlib.suppress(BrokenRun):
        assert list(decode_run(StoredPlay(noise, 5)))


@for_each(
    "noise",
    [
        b"",
        b"\x90",
        b"\x91\xc0",
        b"\x92\xc0\xc4\x00",
        b"\x91\xc4\x00",
        b"\x92\x01\x02",
        b"\x92\xc4\x00\xc3",
        b"\xc0",
    ],
)
def test_what_only_looks_like_a_run_is_refused(noise: bytes) -> None:
    """Nothing, an empty list, half a pair, and values of other types."""
    with pytest.raises(BrokenRun, match="no run of plays"):
        list(decode_run(StoredPlay(noise, 5)))


@pytest.mark.parametrize("seed", usually(1, range(4)))
def test_a_log_is_read_as_it_was_noted(path: Path, seed: int) -> None:
    """From any event to any other, with plays in rows of their own and in long and short runs."""
    rng = random.Random(seed)
    log = some_log(rng, 399)
    written(path, rng, log)
    with contextlib.closing(open_journal(path)) as db:
        assert 250 > db.execute("SELECT count(*) FROM events").fetchone()[0] > len(log) / MAX_RUN
        for _ in range(60):
            first, last = sorted(rng.sample(range(-5, 420), 2))
            wanted = [StoredEvent(event, at, WALL) for event, at in log if first <= event.seq <= last]
            assert wanted == list(log_of(db, 1, first=first, last=last))
        stuck = [event for event, _ in log if isinstance(event, ev.StuckSaid)]
        assert stuck == [kept.event for kept in log_of(db, 1, kinds=frozenset({ev.StuckSaid.TAG}))]
        assert 0 <= max(at for _, at in log) - db.last_us() <= 1_500


@pytest.mark.parametrize("seed", usually(2, range(8)))
def test_logs_that_lie_among_each_other_are_read_apart(path: Path, seed: int) -> None:
    """From any event to any other, whatever lies between their rows. Only the last is open."""
    rng = random.Random(seed)
    logs = [some_log(rng, rng.randrange(1, 200)) for _ in range(5)]
    written(path, rng, *logs)
    with contextlib.closing(open_journal(path)) as db:
        assert [table.last_event for table in db.tables(only_open=True)] == [None]
        for number, log in enumerate(logs, 1):
            assert [StoredEvent(event, at, WALL) for event, at in log] == list(log_of(db, number))
            for _ in range(20):
                first, last = sorted(rng.sample(range(-5, 210), 2))
                wanted = [StoredEvent(event, at, WALL) for event, at in log if first <= event.seq <= last]
                assert wanted == list(log_of(db, number, first=first, last=last))
        assert 0 <= max(at for _, at in logs[-1]) - db.last_us() <= 1_500  # the others are closed


@pytest.mark.parametrize("seed", usually(1, range(4)))
def test_plays_that_only_their_players_see_are_read_as_they_were_noted(path: Path, seed: int) -> None:
    """In runs of their own, behind the event whose number they have, some of them exactly alike."""
    rng = random.Random(seed)
    told: list[tuple[ev.Event, int, int | None]] = [(FIRST, 1_000, None)]
    for at in range(2_000, 400_000, 1_000):
        seq = told[-1][0].seq
        if rng.random() < 0.95:
            told.append((play(seq).model_copy(update={"counter": rng.randrange(3)}), at, rng.randrange(2)))
        else:
            told.append((ev.Progressed(seq=seq + 1, seat=0, progress=at // 1_000), at, None))

    async def write() -> None:
        journal = VirtualJournal(path, rng)
        (table,) = tables_in(journal, 1)
        table.open("BCDF", 1, Options(), b"", None)
        for event, at, seat in told:
            table.append([EncodedEvent(event, at, seat)])
            if rng.random() < 0.05:
                table.write(lambda: None)
        table.write(lambda: None)
        await journal.drained()
        journal.close()

    in_virtual_time(write())
    with contextlib.closing(open_journal(path)) as db:
        assert db.execute("SELECT count(*) FROM events").fetchone()[0] < 100
        for first, last in [(1, 99), *(sorted(rng.sample(range(-5, 30), 2)) for _ in range(40))]:
            wanted = [StoredEvent(event, at, WALL) for event, at, _ in told if first <= event.seq <= last]
            assert wanted == list(log_of(db, 1, first=first, last=last))
        assert told[-1][1] == db.last_us()


def test_a_hand_that_an_older_server_began_goes_on_in_order(path: Path) -> None:
    """Its plays of before are in rows of another table, and come between their event and those in runs."""
    plays = [play(1).model_copy(update={"counter": number}) for number in range(1, 5)]

    async def write() -> None:
        journal = VirtualJournal(path, random.Random(1))
        (table,) = tables_in(journal, 1)
        table.open("BCDF", 1, Options(), b"", None)
        table.append([EncodedEvent(FIRST, 10)])
        for each in plays[2:]:
            table.append([EncodedEvent(each, 30, 0)])
            table.write(lambda: None)
        await journal.drained()
        journal.store.commit([])
        journal.store.db.executemany(  # type: ignore[attr-defined]  # that of SQLite
            "INSERT INTO whispers VALUES (NULL, 1, 1, 20, ?, ?)", [(WALL, pack(each)) for each in plays[:2]]
        )
        journal.close()

    in_virtual_time(write())
    with contextlib.closing(open_journal(path)) as db:
        assert [FIRST, *plays] == [kept.event for kept in log_of(db, 1)]


@pytest.mark.long
def test_a_log_is_looked_for_where_it_lies(path: Path) -> None:
    """However much lies before it, and however much others have written since."""
    log = [(FIRST, 1), *((play(seq), seq) for seq in range(2, 3_000))]
    log[2_899] = ev.StuckSaid(seq=2_900, seat=0), 2_900
    written(path, random.Random(1), log, log, log, apart=1)
    steps = 0

    def count() -> None:
        nonlocal steps
        steps += 1

    def steps_of(table: int, **asked: int) -> int:
        nonlocal steps
        steps = 0
        assert list(log_of(db, table, **asked))  # type: ignore[arg-type]
        return steps

    with contextlib.closing(open_journal(path)) as db:
        db.set_progress_handler(count, 1)
        whole = steps_of(3)
        assert max(steps_of(1), steps_of(2)) < 1.1 * whole
        assert steps_of(2, first=2_950) < whole / 10
        assert steps_of(2, first=2_950, last=2_960) < whole / 10
        steps = 0
        assert db.last_us()
        assert steps < whole / 10


def test_who_was_beaten_stands_behind_the_newest_event_of_the_own_table(path: Path) -> None:
    """Whatever others have written since."""
    late = Refused(counter=7, reason=Reason.BEATEN, text="Too late.", by=1, late_us=4)

    async def write() -> None:
        journal = VirtualJournal(path, random.Random(1))
        table, other = tables_in(journal, 2)
        for seq in (1, 2):
            table.append([EncodedEvent(play(seq), 10 * seq)])
            table.write(lambda: None)
        other.append([EncodedEvent(play(seq), 30) for seq in (1, 2, 3)])
        other.write(lambda: None)
        table.append_details(40, seat_tokens=[(0, SeatToken(b"", 7, late))])
        table.write(lambda: None)
        await journal.drained()
        journal.close()

    in_virtual_time(write())
    with contextlib.closing(open_journal(path)) as db:
        assert [(2, TimedMessage(late, 40, WALL, 0))] == list(beaten_of(db, 1))


def test_who_takes_a_seat_again_is_beaten_like_any_other(path: Path) -> None:
    """The counters of a seat begin anew with its next player, whose lost races are kept, too."""
    late = Refused(counter=7, reason=Reason.BEATEN, text="Too late.", by=1, late_us=4)

    async def write() -> None:
        journal = VirtualJournal(path, random.Random(1))
        (table,) = tables_in(journal, 1)
        table.append([EncodedEvent(play(1), 10)])
        for at, token in ((40, b"Ann"), (50, b"Ben")):
            table.append_details(at, seat_tokens=[(0, SeatToken(token, 7, late))])
            table.write(lambda: None)
        await journal.drained()
        journal.close()

    in_virtual_time(write())
    with contextlib.closing(open_journal(path)) as db:
        assert [(1, TimedMessage(late, at, WALL, 0)) for at in (40, 50)] == list(beaten_of(db, 1))


@pytest.mark.long
def test_plays_of_many_tables_lie_together(path: Path) -> None:
    """A play at each of a hundred tables is some pages of the journal in all, not one or more for each."""

    async def write() -> None:
        journal = VirtualJournal(path, random.Random(1))
        kept = tables_in(journal, 100)
        for seq in range(1, 400):  # until what each table has would fill pages
            for table in kept:
                table.append([EncodedEvent(play(seq), seq)])
                table.write(lambda: None)
            await journal.drained()
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for table in kept:
            table.append([EncodedEvent(play(400), 400)])
            table.write(lambda: None)
        await journal.drained()
        pages.append(path.with_name("journal.sqlite-wal").stat().st_size // 4_096)
        journal.close()

    pages: list[int] = []
    in_virtual_time(write())
    assert pages[0] <= 5


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        ("UPDATE events SET frame = x'9101' WHERE kind = 0", "up to event 9 is no run"),
        ("UPDATE events SET seq = 8 WHERE kind = 0", "stands as event 1 is none"),
        ("UPDATE events SET frame = x'92c4019300' WHERE kind = 0", "event 9 is not understood"),
    ],
)
def test_a_damaged_run_is_not_understood(path: Path, damage: str, why: str) -> None:
    """Whoever reads it is told which events are lost, and no other error comes of it."""
    written(path, random.Random(1), [(play(seq), seq) for seq in range(1, 10)], apart=0)
    with contextlib.closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT kind, seq FROM events").fetchall() == [(RUN, 9)]
        db.execute(damage)
        db.commit()
    with contextlib.closing(open_journal(path)) as db, pytest.raises(UnknownContents, match=why):
        list(log_of(db, 1))


def test_what_arrives_together_is_one_row(path: Path) -> None:
    """The plays of one turn of the loop at a table, each with the time when it came; one alone as before."""
    came: list[int] = []

    async def history() -> None:
        journal = VirtualJournal(path, random.Random(1))
        room = Registry(ServerSettings(), now, journal).open(Options(countdown_ms=0))
        seats = [seat_at(room, name) for name in ("Ann", "Ben", "Cat")]
        await say(room, seats[0][1], 0, cl.Start(counter=9))
        await asyncio.sleep(1)
        for together in (seats, seats[:1]):
            hand, seq = room.table.view.hand, room.table.view.seq
            assert hand is not None
            turns = [hand.rules.stock_play(hand.board, seat) for seat, _ in together]
            for (seat, conn), turn in zip(together, turns, strict=True):
                assert turn is not None
                source, count, destination, _ = turn
                made = {"source": source, "count": count, "destination": destination, "seen": seq}
                came.append(now() + 7 * len(came))
                room.put(conn, seat, cl.PlayCards(counter=10 + len(came), **made), came[-1])
            await asyncio.sleep(1)
        room.close()
        journal.close()

    in_virtual_time(history())
    with contextlib.closing(open_journal(path)) as db:
        sql = "SELECT kind FROM events WHERE kind IN (?, ?) ORDER BY seq"
        assert db.execute(sql, (RUN, ev.Played.TAG)).fetchall() == [(RUN,), (ev.Played.TAG,)]
        plays = [kept for kept in log_of(db, 1) if isinstance(kept.event, ev.Played)]
    assert [(0, came[0]), (1, came[1]), (2, came[2]), (0, came[3])] == [
        (kept.event.seat, kept.at_us) for kept in plays if isinstance(kept.event, ev.Played)
    ]


def test_a_row_tells_how_many_events_are_in_it() -> None:
    """A run has a frame and a time for each play; any other row is one event."""
    frame = msgpack.packb([b"one", 0, b"two", 5, b"three", 7])
    counts = [plays_in(kind, frame) for kind in (RUN, ev.Joined.TAG)]
    assert ([3, 1], [int, int]) == (counts, [type(count) for count in counts])
