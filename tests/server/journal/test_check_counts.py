"""What a check counts, and how it names what it finds, in journals that are written by hand."""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from racing_demon_protocol.engine.commit_reveal import SEED_SIZE, commitment
from racing_demon_protocol.engine.deal import hand_seeds
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.codec import VERSION, encode
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal import check as checking
from racing_demon_server.journal.play_runs import is_private
from racing_demon_server.journal.reader import OtherVersion
from racing_demon_server.journal.sqlite.database import JournalFile, open_journal
from racing_demon_server.match.table import Table
from tests.support.journals import check, journaled, play_match
from tests.support.servers import Peer

CODES = ("", "BCDG", "BCDH", "BCDJ")
SECRET = next(hand_seeds(bytes(32)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where a journal is to be."""
    return tmp_path / "journal.sqlite"


@pytest.fixture
def db(path: Path) -> Iterator[JournalFile]:
    """Return an empty journal."""
    with contextlib.closing(open_journal(path, write=True)) as db:
        yield db


def add_table(db: JournalFile, number: int, options: str = "{}") -> None:
    """Add a table without events."""
    values = (number, CODES[number], number, options, b"", None, "0.1.0", VERSION, 0, None, None, 1)
    db.execute(f"INSERT INTO tables VALUES ({', '.join('?' * len(values))})", values)  # noqa: S608


def add_events(db: JournalFile, number: int, log: Sequence[Event], secret: bytes = SECRET) -> None:
    """Add events of a table, and the secret of its first hand."""
    rows = [(number, event.seq, event.TAG, encode(event)) for event in log]
    db.executemany("INSERT INTO events VALUES (NULL, ?, ?, ?, 0, 0, ?)", rows)
    for event in log:
        if isinstance(event, ev.Prepared):
            row = (number, event.hand_id, secret, event.commitment)
            db.execute("INSERT INTO seeds VALUES (?, ?, ?, ?)", row)


def joined() -> list[Event]:
    """Return the events of a table at which somebody has sat down."""
    _, events = Table("BCDG", Options(), hand_seeds(bytes(32))).join("Ann", b"Ann", 0)
    return events


def test_what_is_wrong_is_told_once_for_each_table(db: JournalFile) -> None:
    """A damaged table is not told again; another is told with its reason, or with what it raised."""
    for number, options in ((1, "{}}"), (2, "{}"), (3, "{}")):
        add_table(db, number, options)
    reasons = (ValueError("never told"), AssertionError(), OtherVersion("it waits"))
    report = checking.check(db, lambda journal: list(zip(journal.tables(), reasons, strict=True)))
    faults = [
        "table 1 (BCDG): its options are unknown here",
        "table 2 (BCDH): it cannot go on: AssertionError()",
    ]
    assert (3, 0, 0, faults, ["table 3 (BCDJ): it cannot go on: it waits"]) == report


def test_the_events_of_all_tables_are_counted(db: JournalFile) -> None:
    """Those of each after those of the others."""
    for number in (1, 2):
        add_table(db, number)
        add_events(db, number, joined())
    assert checking.check(db, lambda _: [])[:4] == (2, 6, 0, [])


def test_a_log_may_begin_after_a_snapshot_that_has_replaced_one_event(db: JournalFile) -> None:
    """As it may after one that has replaced hundreds."""
    first, *others = joined()
    add_table(db, 1)
    add_events(db, 1, others)
    view = TableState("BCDG", Options())
    view.apply(first)
    db.execute("INSERT INTO snapshots VALUES (1, 1, 0, ?)", (encode(view.snapshot(0)),))
    assert checking.check(db, lambda _: [])[:4] == (1, 2, 0, [])


def test_a_secret_of_another_length_is_refused(db: JournalFile) -> None:
    """Though it is the one that was promised: no proof of a hand takes it."""
    short = bytes(SEED_SIZE - 1)
    log = [
        event.model_copy(update={"commitment": commitment(short, event.hand_id)})
        if isinstance(event, ev.Prepared)
        else event
        for event in joined()
    ]
    add_table(db, 1)
    add_events(db, 1, log, short)
    (fault,) = checking.check(db, lambda _: []).faults
    assert fault.endswith("is not the one that was promised")


@pytest.mark.parametrize(
    ("columns", "values", "what"),
    [
        (
            "epochs (id INTEGER PRIMARY KEY, table_id, seq, epoch)",
            "(1, 1, 'x', 'a')",
            "a start of the server",
        ),
        ("claims (table_id, actor, token_hash, counter, reply)", "(1, 'x', x'00', 0, NULL)", "a claim"),
    ],
)
def test_a_wrong_value_beside_the_events_is_found(
    db: JournalFile, columns: str, values: str, what: str
) -> None:
    """Clients that come back ask for it, also where the table waits for another version of the server."""
    name = columns.split(maxsplit=1)[0]
    db.executescript(f"DROP TABLE {name}; CREATE TABLE {columns}; INSERT INTO {name} VALUES {values};")  # noqa: S608 - our own names
    add_table(db, 1)
    faults = [f"table 1 (BCDG): {what} has 'x' where a number belongs"]
    assert faults == checking.check(db, lambda _: []).faults


async def test_plays_that_only_their_players_see_are_no_events(path: Path) -> None:
    """A hand of identical deals counts as many as have numbers; and so does any other."""
    # One deal in 160 has no pair, and so no play.
    async with journaled(path, bot_speed=1_000.0, seed=bytes(32)) as served:
        await play_match(served.url)
        async with Peer.hosting(served.url, seated=False, game="little-lots", hands=1) as host:
            for _ in range(2):
                await host.ask(cl.AddBot, level="hard")
            await host.ask(cl.Start)
            await host.until(ev.MatchOver)
    with contextlib.closing(open_journal(path)) as db:
        assert any(is_private(frame) for (frame,) in db.execute("SELECT frame FROM events WHERE kind = 0"))
        numbers = db.execute("SELECT max(seq) FROM events GROUP BY table_id").fetchall()
    assert (2, sum(number for (number,) in numbers), 2, []) == check(path)[:4]
