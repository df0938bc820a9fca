"""Old matches are deleted from a journal, and nothing else is."""

import contextlib
import io
import sqlite3
import sys
from pathlib import Path

import pytest

from racing_demon_protocol.records.format import read_records
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Snapshot
from racing_demon_server.cli import main
from racing_demon_server.journal.matches import export, matches
from racing_demon_server.journal.sqlite.database import TABLES, open_journal
from racing_demon_server.journal.sqlite.retention import prune
from racing_demon_server.tables.registry import wall_clock
from tests.support.journals import check, journaled, play_match
from tests.support.restartable_server import wait_until
from tests.support.servers import Peer

LATER = 2**60


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where a journal is to be."""
    return tmp_path / "journal.sqlite"


def owners(path: Path, name: str) -> set[int]:
    """Return the numbers of the tables that have rows in a table of the file."""
    key = "id" if name == "tables" else "table_id"
    with contextlib.closing(open_journal(path)) as db:
        return {number for (number,) in db.execute(f"SELECT {key} FROM {name}")}  # noqa: S608 - our own names


def proven(path: Path) -> list[str]:
    """Return the names of the matches in a journal, each of which proves itself and is played to its end."""
    with contextlib.closing(open_journal(path)) as db:
        played = list(matches(db))
        for match in played:
            (record,) = read_records(list(export(db, match)))
            assert verify(entry.message for entry in record.entries).matches == 1
        return [match.key for match in played]


def ended_of(path: Path) -> list[int]:
    """Return when the matches in a journal ended."""
    with contextlib.closing(open_journal(path)) as db:
        return [match.ended_ms for match in matches(db) if match.ended_ms is not None]


def test_a_table_that_was_closed_at_the_moment_stays(path: Path) -> None:
    """One that was closed before it goes, and its bytes are free for others; the newest number stays."""
    with contextlib.closing(open_journal(path, write=True)) as db:
        for number, closed_ms in ((1, 999), (2, 1_000), (3, 0)):
            values = (number, "BCDF", number, "{}", b"", None, "0.1.0", 1, 0, closed_ms, None, 1)
            db.execute(f"INSERT INTO tables VALUES ({', '.join('?' * len(values))})", values)  # noqa: S608
        db.execute("INSERT INTO bans VALUES (NULL, 1, 'Ann', zeroblob(50000), x'00')")
    pruned = prune(path, 1_000)
    with contextlib.closing(open_journal(path)) as db:
        (pages,), (size,) = (
            db.execute(f"PRAGMA {name}").fetchone() for name in ("freelist_count", "page_size")
        )
    assert {2, 3} == owners(path, "tables")
    assert (0, pages * size, []) == pruned
    assert pages * size >= 40_000


async def test_old_tables_go_and_newer_ones_stay(path: Path) -> None:
    """Closed tables whose matches are old leave nothing, not even a number that could be given again."""
    async with journaled(path, bot_speed=1_000.0, idle_table_seconds=0.05) as served:
        for _ in range(3):
            await play_match(served.url)
            await wait_until(lambda: not served.registry)
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("UPDATE tables SET closed_ms = closed_ms - 1000000 WHERE id < 3")
        db.execute("UPDATE events SET at_ms = at_ms - 1000000 WHERE table_id < 3")
        db.execute("INSERT INTO corrections (match, entry) VALUES ('1.1', ''), ('3.1', '')")
        db.commit()
    assert (prune(path, wall_clock() - 500_000).matches, check(path).faults[1:]) == (2, [])
    for name in TABLES - {"clock", "corrections", "marks"}:
        assert owners(path, name) <= {3}, name
    assert (prune(path, wall_clock() - 500_000).matches, prune(path, LATER).matches) == (0, 0)
    with contextlib.closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT match FROM corrections").fetchall() == [("3.1",)]
        db.execute("DELETE FROM corrections")
        db.commit()
    assert proven(path) == ["3.1"]
    assert check(path)[3:] == ([], [])


async def test_an_open_table_goes_on_without_its_old_matches(path: Path) -> None:
    """While its server runs, and after a restart; the numbers of its matches stay what they were."""
    async with journaled(path, bot_speed=1_000.0) as served:
        async with Peer.hosting(served.url, seated=False, hands=1) as host:
            for _ in range(2):
                await host.ask(cl.AddBot, level="hard")
            for number in (1, 2, 3):
                await host.ask(cl.Start)
                await host.until(ev.MatchOver)
                assert [f"1.{n}" for n in range(1, number + 1)] == proven(path)
            ended = ended_of(path)
            assert prune(path, ended[0]).matches == 0
            assert prune(path, LATER).matches == 2
            assert proven(path) == ["1.3"]
            assert check(path)[3:] == ([], [])
            await host.ask(cl.Start)
            await host.until(ev.MatchOver)
            assert proven(path) == ["1.3", "1.4"]
            view = host.view
    async with journaled(path) as served, Peer.connect(served.url) as back:
        await back.greet()
        await back.enter(cl.Resume(code=host.code, token=host.token))
        snapshot = await back.until(Snapshot)
        assert (view.seats, view.results) == ({s.seat: s for s in snapshot.seats}, snapshot.results)


async def test_what_replaces_old_matches_is_as_old_as_their_end(path: Path) -> None:
    """After a restart spectators with a delay begin with it, and are shown nothing too early."""
    async with journaled(path, bot_speed=1_000.0) as served:
        async with Peer.hosting(served.url, seated=False, hands=1) as host:
            for _ in range(2):
                await host.ask(cl.AddBot, level="hard")
            for _ in range(2):
                await host.ask(cl.Start)
                await host.until(ev.MatchOver)
        with contextlib.closing(open_journal(path)) as db:
            at = "SELECT seq, at_us FROM events WHERE kind = ? ORDER BY seq"
            end, _ = db.execute(at, (ev.MatchOver.TAG,)).fetchall()
            assert prune(path, LATER).matches == 1
            assert [end] == db.execute("SELECT seq, at_us FROM snapshots WHERE seq = ?", end[:1]).fetchall()


async def test_a_prune_that_was_killed_is_made_whole_by_the_next(path: Path) -> None:
    """Rows whose table is gone are nobody's, and go with the next prune, whatever it is asked for."""
    async with journaled(path, bot_speed=1_000.0) as served:
        await play_match(served.url)
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("INSERT INTO events SELECT NULL, 77, seq, kind, at_us, at_ms, frame FROM events")
        db.commit()
    assert prune(path, 0).matches == 0
    assert {1} == owners(path, "events")
    assert proven(path) == ["1.1"]


def test_a_table_that_is_not_understood_is_left_as_it_is(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The command says which, and why; and what it did with the others."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.executescript((Path(__file__).parent / "version1.sql").read_text())
        db.execute("UPDATE events SET frame = x'00' WHERE kind = 81")
        db.commit()
    assert main(["journal", "prune", str(path), "--before", "0d"]) == 1
    said = capsys.readouterr().out
    assert said.startswith("not deleted: table 1 (")
    assert "deleted: 0 matches" in said


def test_a_moment_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """With an example of one."""
    for text in ("", "x", "-3d", "90", "2026-13-01", "99999999999d"):
        with pytest.raises(SystemExit) as ended:
            main(["journal", "prune", "nowhere", f"--before={text}"])
        assert ended.value.code == 2
        assert "a date like 2026-11-01" in capsys.readouterr().err


def test_dates_and_days_are_moments(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both are understood, with a time of the day, too."""
    open_journal(path, write=True).close()
    for text in ("2026-01-31", "2026-01-31T20:15", "90d"):
        assert main(["journal", "prune", str(path), f"--before={text}"]) == 0
        assert "deleted: 0 matches" in capsys.readouterr().out


class Terminal(io.StringIO):
    """A stream that somebody sits at."""

    def isatty(self) -> bool:
        """Say so."""
        return True


def shown_at_terminal(*arguments: str, typed: str = "") -> str:
    """Run a command of the server at a terminal, and return what it shows."""
    shown = Terminal()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", Terminal(typed))
        patch.setattr(sys, "stdout", shown)
        assert main(arguments) == 0
    return shown.getvalue()


async def test_at_a_terminal_it_asks(path: Path) -> None:
    """With a dry run it says what it would do; without a clear yes nothing is deleted."""
    async with journaled(path, bot_speed=1_000.0, idle_table_seconds=0.05) as served:
        for _ in range(2):
            await play_match(served.url)
            await wait_until(lambda: not served.registry)
    pruning = "journal", "prune", str(path), "--before=0d"
    assert "would be deleted: 1 match that ended before" in shown_at_terminal(*pruning, "--dry-run")
    assert "nothing is deleted" in shown_at_terminal(*pruning, typed="\n")
    assert proven(path) == ["1.1", "2.1"]
    assert "deleted: 1 match;" in shown_at_terminal(*pruning, typed="y\n")
    assert proven(path) == ["2.1"]


def test_nobody_is_forgotten_by_a_slip(path: Path) -> None:
    """At a terminal it is asked first, and Enter alone says no; no server need run for that."""
    for words in (["k3xw7q2m", "--forget"], ["--clear", "90d"]):
        said = shown_at_terminal("players", *words, "--journal", str(path), typed="\n")
        assert "nobody is forgotten" in said


def test_all_rows_without_a_table_are_deleted(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those at both ends of each transaction, too."""
    monkeypatch.setattr("racing_demon_server.journal.sqlite.retention.AT_ONCE", 4)
    with contextlib.closing(open_journal(path, write=True)) as db:
        rows = [(seq,) for seq in range(1, 10)]
        db.executemany("INSERT INTO events VALUES (NULL, 99, ?, 3, 0, 0, x'00')", rows)
        prune(path, 0)
        assert db.execute("SELECT seq FROM events").fetchall() == []
