"""The command ``racing-demon-server journal``: copies, lists, exports."""

import contextlib
import json
import os
import re
import shutil
import sqlite3
import stat
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from racing_demon_protocol.records.format import read_messages
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Snapshot
from racing_demon_server.journal.interface import JournalUnusable
from racing_demon_server.journal.sqlite.backup import backup
from racing_demon_server.journal.sqlite.backup_time import last_backup
from racing_demon_server.journal.sqlite.database import open_journal
from tests.support.effort import usually
from tests.support.faults import needs_strace
from tests.support.journal_command import fails, lines, played_journal
from tests.support.journals import check, journaled, play_match
from tests.support.servers import PATIENCE, Peer, Served


@pytest.fixture
def played(tmp_path: Path) -> Path:
    """Return a journal with a finished match in it."""
    path = tmp_path / "journal.sqlite"
    played_journal(path)
    return path


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[Served]:
    """Run a server that keeps a journal."""
    async with journaled(tmp_path / "journal.sqlite", bot_speed=100.0) as served:
        yield served


# Matches.


async def test_matches_are_listed(tmp_path: Path, served: Served, capsys: pytest.CaptureFixture[str]) -> None:
    """While the server runs: each match with its players, its hands, and whether it was finished."""
    code = await play_match(served.url, bots=2, hands=2)
    async with Peer.hosting(served.url, game="racing-demon") as ann:
        await ann.ask(cl.AddBot, level="easy")
        await ann.ask(cl.Start)
        await ann.until(ev.Signalled)
        journal = tmp_path / "journal.sqlite"
        first, second = map(json.loads, lines(capsys, "list", "--json", "--journal", journal))
        told = lines(capsys, "list", "--journal", journal)
    assert ("1.1", code, "classic", 2, True) == (
        first["id"],
        first["code"],
        first["game"],
        first["hands"],
        first["finished"],
    )
    assert (first["seats"], first["bots"]) == ({"0": "Ada", "1": "Bob"}, [0, 1])
    assert first["started_ms"] < first["ended_ms"]
    assert ("2.1", ann.code, "racing-demon", 0, False, None) == (
        second["id"],
        second["code"],
        second["game"],
        second["hands"],
        second["finished"],
        second["ended_ms"],
    )
    assert (second["seats"], second["bots"]) == ({"0": "Ann", "1": "Ada"}, [1])
    assert "Ada (bot), Bob (bot)" in told[0]
    assert told[1].endswith("not finished")


async def test_each_match_is_a_record_that_proves_itself(
    tmp_path: Path, served: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two matches at one table: each export holds all of its hands, with their times."""
    async with Peer.hosting(served.url, seated=False, hands=1) as host:
        for _ in range(2):
            await host.ask(cl.AddBot, level="hard")
        for _ in range(2):
            await host.ask(cl.Start)
            await host.until(ev.MatchOver)
    journal = tmp_path / "journal.sqlite"
    plays = 0
    for id_ in ("1.1", "1.2"):
        exported = lines(capsys, "export", id_, "--journal", journal)
        verdict = verify(read_messages(exported))
        assert (verdict.hands, verdict.skipped, verdict.matches) == (1, 0, 1)
        plays += verdict.plays
        rows = [json.loads(line) for line in exported]
        times = [row["at_us"] for row in rows if "at_us" in row]
        assert times == sorted(times)
        assert len(times) > verdict.plays
    verdict = verify(read_messages(lines(capsys, "export", "all", "--journal", journal)))
    assert (2, plays, 2) == (verdict.hands, verdict.plays, verdict.matches)


def test_what_is_not_there_is_not_exported(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A wrong id, and a wrong file, have a sentence each."""
    code, said = fails(capsys, "export", "7.7", "--journal", played)
    assert code == 1
    assert "there is no match 7.7" in said
    code, said = fails(capsys, "export", "1.1", "--journal", played.with_name("none"))
    assert code == 3
    assert "There is no journal at" in said


# Copies.


async def test_a_copy_is_made_while_games_run(
    tmp_path: Path, served: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    """It holds all that was told when it began, is whole, and is its owner's alone."""
    copy = tmp_path / "copy.sqlite"
    async with Peer.hosting(served.url, seated=False, hands=5) as host:
        for _ in range(4):
            await host.ask(cl.AddBot, level="hard")
        await host.ask(cl.Start)
        for _ in range(5):
            for _ in range(20):
                await host.until(ev.Played)
            told = host.view.seq
            assert lines(capsys, "backup", tmp_path / "journal.sqlite", "--to", copy) == []
            report = check(copy)
            assert report.faults == []
            assert report.events >= told
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert list(tmp_path.glob(".copy*")) == []
    noted = last_backup(tmp_path / "journal.sqlite")
    assert noted is not None
    assert 0 <= time.time() - noted < PATIENCE
    restored = tmp_path / "restored.sqlite"
    lines(capsys, "restore", copy, "--to", restored)
    async with journaled(restored) as again, Peer.connect(again.url) as back:
        await back.greet()
        await back.enter(cl.Resume(code=host.code, token=host.token))
        assert told <= (await back.until(Snapshot)).seq


@pytest.mark.long
@needs_strace
@pytest.mark.parametrize("command", usually(1, ["backup", "restore"]))
def test_a_copy_has_its_name_on_the_disk(played: Path, tmp_path: Path, command: str) -> None:
    """When the command has ended, a power cut takes neither what is in the copy nor its name."""
    copy, log = tmp_path / "copies" / "copy.sqlite", tmp_path / "log"
    copy.parent.mkdir()
    traced = ["strace", "-f", "-y", "-e", "trace=fsync,fdatasync,rename,renameat2", "-o", str(log)]
    program = [
        sys.executable,
        "-m",
        "racing_demon_server",
        "journal",
        command,
        str(played),
        "--to",
        str(copy),
    ]
    subprocess.run([*traced, *program], check=True)  # noqa: S603 - our own program
    calls = log.read_text()
    assert re.search(r"rename.*/copy\.sqlite\"", calls)
    synced = calls.split('/copy.sqlite"')[-1]
    assert re.search(rf"fsync\(\d+<{re.escape(str(copy.parent.resolve()))}>\) += 0", synced), calls


def test_a_copy_takes_the_place_of_nothing(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is there stays there: a restore wants the place free."""
    copy = tmp_path / "copy.sqlite"
    lines(capsys, "backup", played, "--to", copy)
    before = played.read_bytes()
    code, said = fails(capsys, "restore", copy, "--to", played)
    assert (code, "is there already" in said) == (3, True)
    assert before == played.read_bytes()


def test_a_restore_brings_back_all_that_belongs_to_a_server(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The journals of its other processes, players, results, bans, reports and notices, too."""
    second = played.with_stem("journal-process-2")
    shutil.copy(played, second)
    beside = {
        "journal-results.sqlite": b"",
        "journal-players.sqlite": b"",
        "journal-webhook.sqlite": b"",
        "journal.sqlite-bans": b"[]",
        "journal.sqlite-reports/1.json": b"{}",
    }
    played.with_name("journal.sqlite-reports").mkdir()
    for name, data in beside.items():
        tmp_path.joinpath(name).write_bytes(data)
        if not data:
            with contextlib.closing(sqlite3.connect(tmp_path / name)) as db:
                db.execute("CREATE TABLE kept (text)")
    copies, there = tmp_path / "copies", tmp_path / "there"
    for folder in (copies, there):
        folder.mkdir()
    lines(capsys, "backup", played, "--to", copies / "copy.sqlite")
    lines(capsys, "restore", copies / "copy.sqlite", "--to", there / "journal.sqlite")
    for name in beside:
        assert tmp_path.joinpath(name).read_bytes()[-100:] == there.joinpath(name).read_bytes()[-100:]
    assert check(there / "journal-process-2.sqlite").faults == []
    assert len(lines(capsys, "list", "--journal", there / "journal.sqlite")) == 2


@pytest.mark.parametrize(
    "name", ["copy-process-2.sqlite", "copy-players.sqlite", "copy-webhook.sqlite", "copy.sqlite-bans"]
)
def test_a_restore_overwrites_nothing_beside_the_journal(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    """What another server has left there stays, and the sentence names it."""
    tmp_path.joinpath(name).write_bytes(b"kept")
    code, said = fails(capsys, "restore", played, "--to", tmp_path / "copy.sqlite")
    assert (code, f"{name} is there already" in said) == (3, True)
    assert tmp_path.joinpath(name).read_bytes() == b"kept"
    assert not tmp_path.joinpath("copy.sqlite").exists()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root changes owners")
def test_a_restored_server_belongs_to_the_owner_of_its_folder(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Root restores, and the service reads: each file is its own, the lock included."""
    played.with_name("journal.sqlite-bans").write_text("[]")
    there = tmp_path / "there"
    there.mkdir()
    os.chown(there, 12_345, 12_345)
    lines(capsys, "restore", played, "--to", there / "journal.sqlite")
    owners = {path.name: path.stat().st_uid for path in there.iterdir()}
    assert {"journal.sqlite", "journal.sqlite-bans", "journal.sqlite-lock"} <= owners.keys()
    assert set(owners.values()) == {12_345}


async def test_a_journal_in_use_is_not_replaced(
    tmp_path: Path, served: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    """While a server has the file, nothing is put in its place."""
    (tmp_path / "journal.sqlite").rename(tmp_path / "moved.sqlite")
    code, said = fails(capsys, "restore", tmp_path / "moved.sqlite", "--to", tmp_path / "journal.sqlite")
    assert (code, "Another server uses" in said) == (3, True)
    (tmp_path / "moved.sqlite").rename(tmp_path / "journal.sqlite")


@pytest.mark.parametrize("how", ["name", "way", "symlink", "link"])
async def test_a_journal_is_not_copied_onto_itself(
    tmp_path: Path, served: Served, capsys: pytest.CaptureFixture[str], how: str
) -> None:
    """By whatever name the copy goes: the file that the server writes stays, and what is told stays in it."""
    journal, other = tmp_path / "journal.sqlite", tmp_path / "other.sqlite"
    match how:
        case "name":
            other = journal
        case "way":
            other = tmp_path / ".." / tmp_path.name / "journal.sqlite"
        case "symlink":
            other.symlink_to(journal)
        case _:
            other.hardlink_to(journal)
    before = journal.stat().st_ino, other.lstat().st_ino
    code, said = fails(capsys, "backup", journal, "--to", other)
    assert (code, f"{other} is the journal itself" in said) == (3, True)
    assert before == (journal.stat().st_ino, other.lstat().st_ino)
    async with Peer.hosting(served.url) as ann:
        await ann.ask(cl.AddBot, level="easy")
        assert check(journal).events >= ann.view.seq


async def test_no_copy_takes_the_place_of_a_journal_in_use(
    tmp_path: Path, served: Served, capsys: pytest.CaptureFixture[str]
) -> None:
    """What another server writes is replaced by nothing, and the sentence names the option that helps."""
    journal, copy = tmp_path / "journal.sqlite", tmp_path / "copy.sqlite"
    lines(capsys, "backup", journal, "--to", copy)
    before = journal.stat().st_ino
    code, said = fails(capsys, "backup", copy, "--to", journal)
    why = f"Another server uses the journal {journal}; name another file with --to."
    assert (code, why in said) == (3, True)
    assert before == journal.stat().st_ino


@pytest.mark.parametrize("command", ["restore", "backup"])
def test_what_is_left_of_another_journal_gets_into_no_copy(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    """SQLite would take the log of a server that died for the copy's: it has to go with its own file."""
    copy, dead = tmp_path / "copy.sqlite", tmp_path / "dead.sqlite"
    lines(capsys, "backup", played, "--to", copy)
    with contextlib.closing(open_journal(played, write=True)) as db:
        db.execute("DELETE FROM events WHERE seq = 20")
        log = dead.with_name("dead.sqlite-wal")
        log.write_bytes(played.with_name("journal.sqlite-wal").read_bytes())  # as when it had died now
    code, said = fails(capsys, command, copy, "--to", dead)
    assert (code, f"{log} is there" in said) == (3, True)
    assert not dead.exists()
    log.write_bytes(b"")  # as whoever only reads leaves it
    lines(capsys, command, copy, "--to", dead)
    lines(capsys, "check", dead)


def test_where_nothing_can_be_written_nothing_is_left(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A copy that cannot be made leaves no part of itself."""
    code, said = fails(capsys, "backup", played, "--to", tmp_path / "none" / "copy.sqlite")
    assert (code, "cannot be written" in said) == (3, True)
    assert not (tmp_path / "none").exists()


def test_nobody_s_file_is_written_in_the_place_of_a_copy(tmp_path: Path) -> None:
    """A link that somebody has put where an unfinished copy lies is not followed."""
    source, target, other = (tmp_path / name for name in ("journal.sqlite", "copy.sqlite", "other"))
    open_journal(source, write=True).close()
    target.with_name(f".{target.name}.{os.getpid()}").symlink_to(other)
    with pytest.raises(JournalUnusable, match="cannot be written: File exists"):
        backup(source, target)
    assert ([each for each in (other, target) if each.exists()], target.is_symlink()) == ([], False)
