"""The file: whose it is, who may read it, and how older ones are brought up to date."""

import contextlib
import logging
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from racing_demon_server.enums import Durability
from racing_demon_server.journal.interface import JournalUnusable
from racing_demon_server.journal.matches import export, matches
from racing_demon_server.journal.reader import log_of
from racing_demon_server.journal.sqlite.database import (
    APPLICATION_ID,
    LAYOUT,
    TABLES,
    VERSION,
    default_path,
    journal_of,
    journals_of,
    layout,
    open_journal,
    practice_path,
    reading,
    tables_of,
    telling_damage,
)
from racing_demon_server.journal.sqlite.lock_file import LockFile, first_free
from racing_demon_server.players.file import PlayersFile
from racing_demon_server.sharding import MAX_PROCESSES
from tests.support.cases import for_each
from tests.support.journals import check, overwrite_page

FIXTURES = Path(__file__).parent


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where a journal is to be."""
    return tmp_path / "folder" / "journal.sqlite"


def test_a_new_file_is_its_owners_alone(path: Path) -> None:
    """With folder and all; so are the files that SQLite puts beside it."""
    with contextlib.closing(open_journal(path, write=True)) as db:
        db.execute("INSERT INTO corrections (match, entry) VALUES ('1.1', '')")
        files = sorted(path.parent.iterdir())
        assert [file.name for file in files] == ["journal.sqlite", "journal.sqlite-shm", "journal.sqlite-wal"]
        assert {0o600} == {stat.S_IMODE(file.stat().st_mode) for file in files}


@pytest.mark.parametrize("write", [False, True], ids=["to read", "to write"])
@pytest.mark.parametrize("is_there", [False, True], ids=["missing", "empty"])
def test_a_log_without_its_file_is_left_as_it_is(path: Path, *, is_there: bool, write: bool) -> None:
    """A file that a crash has emptied is not taken for a new one, whose log would be deleted."""
    log = path.with_name("journal.sqlite-wal")
    with contextlib.closing(open_journal(path, write=True)) as db:
        db.execute("INSERT INTO corrections (match, entry) VALUES ('1.1', '')")
        kept = log.read_bytes()
    path.unlink()
    log.write_bytes(kept)
    if is_there:
        path.touch()
    with pytest.raises(JournalUnusable, match=r"journal\.sqlite-wal beside it holds events"):
        open_journal(path, write=write)
    assert kept == log.read_bytes()


def test_folders_that_are_not_there_are_made(tmp_path: Path) -> None:
    """A new user has none of the folders in which the journal is by default."""
    path = tmp_path / "one" / "two" / "journal.sqlite"
    open_journal(path, write=True).close()
    assert path.exists()


def test_nothing_is_put_aside_elsewhere(path: Path) -> None:
    """What SQLite keeps for a while only is kept in memory: a full /var/tmp is no trouble."""
    with contextlib.closing(open_journal(path, write=True)) as db:
        assert db.execute("PRAGMA temp_store").fetchone() == (2,)


def test_whoever_only_reads_can_write_nothing(path: Path) -> None:
    """A list or an export is no danger to the journal of a running server, whatever is wrong with it."""
    open_journal(path, write=True).close()
    with reading(path) as db, pytest.raises(JournalUnusable, match="readonly"), telling_damage(path):
        db.execute("DELETE FROM tables")


def test_an_empty_journal_has_no_time_yet(path: Path) -> None:
    """Nor faults, tables or corrections."""
    with contextlib.closing(open_journal(path, write=True)) as db:
        found = (db.last_us(), list(db.faults()), list(db.tables()), list(db.corrected()))
        assert found == (0, [], [], [])


def test_a_moment_shows_nothing_that_is_written_meanwhile(path: Path) -> None:
    """Behind it the newest is seen again, also where something went wrong in it."""
    with contextlib.closing(open_journal(path, write=True)) as writer, reading(path) as reader:
        for number in (1, 2):
            with contextlib.suppress(ZeroDivisionError), reader.moment():
                before = list(reader.corrected())
                writer.correct(f"{number}.1", "{}")
                assert before == list(reader.corrected())
                assert 1 // (number - 2)
            assert number == len(list(reader.corrected()))


def test_a_new_file_says_what_it_is(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Its application and its version stand in its head; nothing about it needed to be brought up to date."""
    caplog.set_level(logging.INFO, "racing_demon_server")
    open_journal(path, write=True).close()
    assert caplog.messages == []
    with contextlib.closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert db.execute("PRAGMA user_version").fetchone() == (VERSION,)


def test_other_files_are_refused_and_left_alone(path: Path) -> None:
    """A file of others is no journal, whatever is in it, and stays as it was to the byte."""
    path.parent.mkdir()
    other = path.with_name("other")
    with contextlib.closing(sqlite3.connect(other)) as db:
        db.execute("CREATE TABLE events (id)")
    for text in (other.read_bytes(), b"not a database at all, but long enough for one" * 100, b"short"):
        path.write_bytes(text)
        for write in (True, False):
            with pytest.raises(JournalUnusable, match=f"^{path} is no journal of Racing Demon"):
                open_journal(path, write=write)
        assert text == path.read_bytes()


def test_a_newer_version_is_refused_and_left_alone(path: Path) -> None:
    """Whoever reads the message knows that the program is to be updated, and not the file thrown away."""
    open_journal(path, write=True).close()
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA user_version = {VERSION + 1}")
    before = path.read_bytes()
    with pytest.raises(
        JournalUnusable, match=rf"^{path} was written by a newer version .* update this program"
    ):
        open_journal(path, write=True)
    assert before == path.read_bytes()


def test_what_cannot_be_opened_has_a_sentence(tmp_path: Path) -> None:
    """No file, a folder, and a folder that is a file."""
    with pytest.raises(JournalUnusable, match="There is no journal at"):
        open_journal(tmp_path / "none")
    with pytest.raises(JournalUnusable, match="cannot be opened"):
        open_journal(tmp_path, write=True)
    (tmp_path / "file").touch()
    with pytest.raises(JournalUnusable, match="cannot be opened"):
        open_journal(tmp_path / "file" / "journal", write=True)


@pytest.mark.parametrize("name", sorted(TABLES))
def test_a_file_without_one_of_its_tables_is_damaged(path: Path, name: str) -> None:
    """Whoever opens it is told so, and not only whoever comes to read or write that table."""
    open_journal(path, write=True).close()
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute(f"DROP {'VIEW' if name == 'marks' else 'TABLE'} {name}")
    for write in (True, False):
        with pytest.raises(JournalUnusable, match=rf"^The journal {path} is damaged: it lacks {name}\."):
            open_journal(path, write=write)


def test_a_file_has_all_its_tables_and_no_others(path: Path) -> None:
    """What is looked for when a file is opened is what its layout makes."""
    with contextlib.closing(open_journal(path, write=True)) as db:
        made = db.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
        assert {name for (name,) in made} == TABLES


def test_damage_that_comes_to_light_later_is_told_in_the_same_way(path: Path) -> None:
    """A page that cannot be read is a sentence for its reader, who has closed the file by then."""
    open_journal(path, write=True).close()
    overwrite_page(path, "tables")
    with pytest.raises(JournalUnusable, match=f"^The journal {path} is damaged: database disk image is"):
        with reading(path) as db:
            list(db.tables())
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        db.execute("SELECT 1")


@pytest.mark.long
@pytest.mark.parametrize("version", range(1, VERSION))
def test_older_files_are_brought_up_to_date(
    path: Path, version: int, caplog: pytest.LogCaptureFixture
) -> None:
    """A journal of each version before this, as it was written then, is whole and can be exported."""
    caplog.set_level(logging.INFO, "racing_demon_server")
    path.parent.mkdir()
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.executescript((FIXTURES / f"version{version}.sql").read_text())
        assert (version,) == db.execute("PRAGMA user_version").fetchone()
        events = db.execute("SELECT max(seq) FROM events").fetchone()[0]
    with pytest.raises(JournalUnusable, match="A server upgrades it when it starts"):
        open_journal(path)
    open_journal(path, write=True, durability=Durability.NORMAL).close()
    open_journal(path, write=True).close()  # which has nothing to do any more
    assert caplog.messages == ["the journal is brought up to date"]
    assert (version, VERSION) == tuple(getattr(caplog.records[0], name) for name in ("version", "to"))
    report = check(path)
    assert ([], events) == (report.faults, report.events)
    with contextlib.closing(open_journal(path)) as db:
        (match,) = matches(db)
        assert match.finished
        assert len(list(export(db, match))) > 50


@pytest.mark.parametrize("version", range(1, VERSION))
def test_a_table_goes_on_in_a_file_that_was_brought_up_to_date(path: Path, version: int) -> None:
    """Where one was open its log is whole, has no end, and its server's clock goes on from there."""
    path.parent.mkdir()
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.executescript((FIXTURES / f"version{version}.sql").read_text())
        db.execute("UPDATE tables SET closed_ms = NULL")
        if version >= 6:  # before, there was no such column
            db.execute("UPDATE tables SET last_event = NULL")
        db.commit()
        events, newest = db.execute("SELECT max(seq), max(at_us) FROM events").fetchone()
    open_journal(path, write=True).close()
    with contextlib.closing(open_journal(path)) as db:
        (table,) = db.tables(only_open=True)
        assert table.last_event is None
        assert list(range(1, events + 1)) == sorted({kept.event.seq for kept in log_of(db, table.id)})
        assert db.last_us() >= newest


def test_a_migration_is_whole_or_not_there(path: Path) -> None:
    """One that fails leaves the file at the version before it, with all that was in it."""
    path.parent.mkdir()
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.executescript((FIXTURES / "version1.sql").read_text())
        db.execute("CREATE TABLE corrections (id)")  # in the way of its index
    with pytest.raises(JournalUnusable, match="It was left as it is"):
        open_journal(path, write=True)
    with contextlib.closing(sqlite3.connect(path)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (1,)
        assert (
            db.execute("SELECT * FROM sqlite_master WHERE name IN ('beaten', 'old_events')").fetchall() == []
        )


@pytest.mark.parametrize("version", range(1, VERSION))
def test_an_older_file_without_one_of_its_tables_is_damaged(path: Path, version: int) -> None:
    """It is told so by its name, and does not get an empty one."""
    path.parent.mkdir()
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.executescript((FIXTURES / f"version{version}.sql").read_text())
        db.execute("DROP TABLE seeds")
    with pytest.raises(JournalUnusable, match=rf"^The journal {path} is damaged: it lacks seeds\."):
        open_journal(path, write=True)


@for_each("version", range(1, VERSION))
def test_tables_that_a_file_should_have_are_those_of_its_version(version: int) -> None:
    """A file as it was written then has them, and no others."""
    with contextlib.closing(sqlite3.connect(":memory:")) as db:
        db.executescript((FIXTURES / f"version{version}.sql").read_text())
        made = db.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
        assert tables_of(version) == {name for (name,) in made}


def facts_of(db: sqlite3.Connection) -> tuple[object, ...]:
    """Return the tables, columns, keys and indices of a database."""
    named = db.execute("SELECT type, name FROM sqlite_master WHERE type <> 'index' ORDER BY name")
    names = named.fetchall()
    columns = {name: db.execute(f"PRAGMA table_info({name})").fetchall() for _, name in names}
    indices = "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'index' ORDER BY name"
    return names, columns, db.execute(indices).fetchall()


@pytest.mark.parametrize("version", range(1, VERSION))
def test_a_file_that_was_brought_up_to_date_is_laid_out_like_a_new_one(path: Path, version: int) -> None:
    """The same tables, columns, keys and indices, in the same order; a new file's tables may be strict."""
    path.parent.mkdir()
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.executescript((FIXTURES / f"version{version}.sql").read_text())
    with (
        contextlib.closing(open_journal(path, write=True)) as upgraded,
        contextlib.closing(open_journal(path.with_name("new"), write=True)) as new,
    ):
        assert facts_of(upgraded) == facts_of(new)
        strict = "SELECT name FROM sqlite_master WHERE sql LIKE '%STRICT'"
        assert upgraded.execute(strict).fetchall() == []


def test_tables_are_strict_or_not_and_otherwise_the_same() -> None:
    """Older SQLite has no strict tables."""
    facts = []
    for script in (LAYOUT, layout(strict=False)):
        with contextlib.closing(sqlite3.connect(":memory:")) as db:
            db.executescript(script)
            facts.append(facts_of(db))
    assert facts[0] == facts[1]


@pytest.mark.skipif(sqlite3.sqlite_version_info < (3, 37), reason="older SQLite has no strict tables")
@pytest.mark.parametrize("name", sorted(TABLES - {"marks"}))
def test_a_table_takes_no_value_of_another_type(path: Path, name: str) -> None:
    """In a new file a text cannot get to where a number belongs, nor a number to where bytes do."""
    with contextlib.closing(open_journal(path, write=True)) as db:
        columns = db.execute(f"PRAGMA table_info({name})").fetchall()
        right = {"INTEGER": 1, "TEXT": "a", "BLOB": b"a"}
        for place, column in enumerate(columns):
            values = [right[each[2]] for each in columns]
            values[place] = b"a" if column[2] == "INTEGER" else 1
            if column[2] == "TEXT":
                values[place] = b"a"
            marks = ", ".join("?" * len(values))
            with pytest.raises(sqlite3.Error, match=r"cannot store|datatype mismatch"):
                db.execute(f"INSERT INTO {name} VALUES ({marks})", values)  # noqa: S608 - our own names


def test_the_usual_place_is_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable names another folder."""
    monkeypatch.setenv("RACING_DEMON_DATA", str(tmp_path))
    assert tmp_path / "journal.sqlite" == default_path()
    assert tmp_path / "practice.sqlite" == practice_path()
    monkeypatch.delenv("RACING_DEMON_DATA")
    assert default_path().is_absolute()
    if sys.platform == "linux":
        monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
        assert tmp_path / "racing-demon" / "journal.sqlite" == default_path()


def test_each_process_of_a_server_has_its_journal(path: Path) -> None:
    """The first has that of a server alone. Those of others that are there are found, up to the last."""
    second, last = (path.with_name(f"journal-process-{number}.sqlite") for number in (2, MAX_PROCESSES))
    assert [path, second, last] == [journal_of(path, number) for number in (1, 2, MAX_PROCESSES)]
    assert [("", path)] == list(journals_of(path))
    path.parent.mkdir()
    for number in (2, MAX_PROCESSES, MAX_PROCESSES + 1):
        journal_of(path, number).touch()
    assert [("", path), ("2-", second), (f"{MAX_PROCESSES}-", last)] == list(journals_of(path))


def test_who_needs_any_file_gets_one_that_is_free(path: Path) -> None:
    """The usual one, or else one with a number."""
    assert path == first_free(path)
    first = LockFile(path)
    second = LockFile(first_free(path))
    assert first_free(path).name == "journal-3.sqlite"
    first.release()
    assert path == first_free(path)
    second.release()


def test_why_there_is_no_file_is_said(tmp_path: Path) -> None:
    """Where no file can be made that is said, and not that others use them all."""
    (tmp_path / "data").write_text("in the way")
    with pytest.raises(JournalUnusable, match=r"cannot be opened: (File exists|Not a directory)"):
        first_free(tmp_path / "data" / "journal.sqlite")


def test_what_another_thread_waits_for_can_be_ended() -> None:
    """Whoever closes a side file does not wait for a long question."""
    with contextlib.closing(PlayersFile(None, "server")) as file:
        rows = file.stream(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000) SELECT i FROM n"
        )
        next(rows)
        file.interrupt()
        with pytest.raises(sqlite3.OperationalError, match="interrupted"):
            list(rows)


def test_whoever_reads_a_side_file_keeps_nobody_from_writing(tmp_path: Path) -> None:
    """Standings are read while results are written."""
    path = tmp_path / "players.sqlite"
    with (
        contextlib.closing(PlayersFile(path, "server")) as writer,
        contextlib.closing(PlayersFile(path, "server", writes=False)) as reader,
    ):
        rows = reader.stream("SELECT name FROM sqlite_master")
        next(rows)
        with writer.transaction():
            writer.rows("CREATE TABLE another (id)")
        assert "another" not in {name for (name,) in rows}


STARTS = """
import os, sys, time
from pathlib import Path
from racing_demon_server.players.file import PlayersFile

for number in range(30):
    at, pids = time.monotonic() + 0.01, []
    for _ in range(4):
        if not (pid := os.fork()):
            while time.monotonic() < at:
                pass
            try:
                PlayersFile(Path(sys.argv[1], str(number)), "server").close()
            except Exception as error:
                print(error, flush=True)
            os._exit(0)
        pids.append(pid)
    for pid in pids:
        os.waitpid(pid, 0)
"""


@pytest.mark.long
def test_processes_that_start_at_once_make_one_file(tmp_path: Path) -> None:
    """None of them takes what another one is making for somebody else's file, or finds it locked."""
    command = [sys.executable, "-c", STARTS, str(tmp_path)]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout == ""  # noqa: S603
