"""``racing-demon-server journal``: exports, and what is said of matches afterwards."""

import contextlib
import io
import json
import shutil
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from racing_demon_protocol.records.format import Correction, correction_problem, read_records, section_line
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_server.cli import main
from racing_demon_server.journal.sqlite.database import open_journal
from tests.support.effort import usually
from tests.support.journals import journaled, play_match
from tests.support.processes import SERVER, Ended, started, unread
from tests.support.servers import Peer

MORE_TABLES = """
    WITH RECURSIVE more (id) AS (SELECT 2 UNION ALL SELECT id + 1 FROM more WHERE id < 2000)
    INSERT INTO tables SELECT more.id, code, number, options, salt, passphrase, software, protocol, opened_ms,
    closed_ms, last_event, listed FROM more, tables WHERE tables.id = 1
"""
MORE_EVENTS = """
    INSERT INTO events SELECT NULL, tables.id, seq, kind, at_us, at_ms, frame
    FROM tables, marks WHERE tables.id > 1 AND table_id = 1
"""

NOTE = Correction(at_ms=1, by="Ann", why="A slip.", seat=0, points=-2)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a journal in which one match of bots is kept."""
    return tmp_path_factory.mktemp("journal")


async def kept(folder: Path) -> str:
    """Return the journal's file; the first who asks has the match played."""
    path = folder / "journal.sqlite"
    if not path.exists():
        async with journaled(path, bot_speed=500.0) as served:
            await play_match(served.url)
    return str(path)


def ask(path: str, *arguments: str, typed: str = "") -> Ended:
    """Run the journal's command in this process: the same as a process, and quicker."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "stdin", io.StringIO(typed))
        code = main(["journal", *arguments, "--journal", path])
    return Ended(code, out.getvalue(), err.getvalue())


async def test_an_export_is_a_portable_record(folder: Path) -> None:
    """It begins with the match's name and who kept it, has wall times, and proves itself."""
    exported = ask(await kept(folder), "export", "1.1")
    (record,) = read_records(exported.out.splitlines())
    assert record.header is not None
    assert (record.header.id, record.header.kept_by) == ("1.1", "server")
    assert all(entry.at_ms is not None for entry in record.entries)
    assert verify(entry.message for entry in record.entries).hands == 1
    assert json.loads(exported.out.splitlines()[-1])["message"] == "tally"


@pytest.mark.long
@pytest.mark.parametrize("command", usually(1, [(("export", "all"),), (("list", "--json"),)]))
async def test_an_output_that_nobody_reads_holds_nothing_up(
    folder: Path, tmp_path: Path, command: tuple[str, ...]
) -> None:
    """While the command waits for its reader, what a server writes still goes from its log to its file."""
    path = tmp_path / "journal.sqlite"
    shutil.copy(await kept(folder), path)
    with contextlib.closing(open_journal(path, write=True)) as db:
        many = NOTE.model_copy(update={"why": "x" * 200}).model_dump_json()
        db.executemany("INSERT INTO corrections (match, entry) VALUES ('1.1', ?)", [(many,)] * 1_000)
        db.execute(MORE_TABLES)
        db.execute(MORE_EVENTS)
        async with started(SERVER, "journal", *command, "--journal", str(path)) as program:
            await program.line("1.1")
            db.execute("DELETE FROM corrections WHERE id = 1")
            assert db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0] == 0
            assert program.process.returncode is None


@pytest.mark.long
@pytest.mark.parametrize("arguments", usually(1, [["export", "all"], ["list"]]))
async def test_a_reader_that_has_gone_is_no_trouble(folder: Path, arguments: list[str]) -> None:
    """If nobody reads the output any more, little or much of it, the program ends with 0 and no complaint."""
    path = await kept(folder)
    assert Ended(0, "", "") == await unread(SERVER, "journal", *arguments, "--journal", path)


async def test_what_is_said_of_a_match_is_kept_in_order(folder: Path) -> None:
    """Each correction stands behind the match as it was said; the list counts them."""
    path = await kept(folder)
    second = NOTE.model_copy(update={"at_ms": 2, "void": True})
    for each in (NOTE, second):
        assert (ask(path, "correct", "1.1", typed=section_line(each) + "\n")).code == 0
    (record,) = read_records((ask(path, "export", "all")).out.splitlines())
    assert [NOTE, second] == record.corrections
    assert json.loads((ask(path, "list", "--json")).out)["corrections"] == 2


@pytest.mark.parametrize("typed", ["{}", '{"at_ms":1,"by":"A","why":"' + "x" * 70_000 + '"}'])
async def test_what_is_no_correction_is_not_kept(typed: str, folder: Path) -> None:
    """Anything else ends with 2 and a sentence, and nothing is written."""
    path = await kept(folder)
    before = (ask(path, "export", "1.1")).out
    ended = ask(path, "correct", "1.1", typed=typed + "\n")
    assert (ended.code, len(ended.err.splitlines())) == (2, 1)
    assert before == (ask(path, "export", "1.1")).out


async def test_a_match_that_is_not_there_is_not_corrected(folder: Path) -> None:
    """A name that the journal does not have ends with 1; a file that is not there is not made."""
    path = await kept(folder)
    assert (ask(path, "correct", "7.7", typed=section_line(NOTE) + "\n")).code == 1
    nowhere = folder / "nowhere.sqlite"
    assert (ask(str(nowhere), "correct", "1.1", typed=section_line(NOTE) + "\n")).code == 3
    assert not nowhere.exists()


async def test_a_match_that_goes_on_is_not_corrected(tmp_path: Path) -> None:
    """While a match is played nobody may say how it was; the answer says so, and nothing is written."""
    path = tmp_path / "journal.sqlite"
    async with journaled(path) as served, Peer.hosting(served.url, seated=False, hands=1) as host:
        for _ in range(2):
            await host.ask(cl.AddBot, level="easy")
        await host.ask(cl.Start)
        await host.until(ev.Signalled)
        ended = ask(str(path), "correct", "1.1", typed=section_line(NOTE) + "\n")
    assert ended.code == 1
    assert "Match 1.1 is not over yet" in ended.err
    assert json.loads((ask(str(path), "list", "--json")).out)["corrections"] == 0


def test_a_match_without_a_hand_has_nothing_to_correct() -> None:
    """A match in which no hand was played to its end is said to have none."""
    assert "has no hand" in correction_problem(NOTE, "1.1", {0: "Ann"}, 0)


async def test_the_matches_of_all_processes_are_found(folder: Path, tmp_path: Path) -> None:
    """Those in a second process's journal, beside the first, have its number in their names."""
    path, both = Path(await kept(folder)), tmp_path / "journal.sqlite"
    for copy in (both, tmp_path / "journal-process-2.sqlite"):
        assert main(["journal", "backup", str(path), "--to", str(copy)]) == 0
    listed = ask(str(both), "list", "--json")
    assert [json.loads(line)["id"] for line in listed.out.splitlines()] == ["1.1", "2-1.1"]
    assert (ask(str(both), "correct", "2-1.1", typed=section_line(NOTE) + "\n")).code == 0
    first, second = read_records((ask(str(both), "export", "all")).out.splitlines())
    assert second.header is not None
    assert second.header.id == "2-1.1"
    assert [*first.corrections, NOTE] == second.corrections
