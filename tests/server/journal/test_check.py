"""The command ``racing-demon-server journal check``: whatever is missing, changed, or left out is found."""

import contextlib
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from racing_demon_protocol.wire.codec import VERSION, decode_server, pack
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Snapshot
from racing_demon_protocol.wire.options import Options
from tests.support.journal_command import fails, lines, played_journal
from tests.support.journals import check, journaled, overwrite_page, play_match
from tests.support.servers import Peer

pytestmark = pytest.mark.usefixtures("quick_hashes")


@pytest.fixture
def played(tmp_path: Path) -> Path:
    """Return a journal with a finished match in it."""
    path = tmp_path / "journal.sqlite"
    played_journal(path)
    return path


async def begin_second_hand(host: Peer) -> None:
    """Let three bots play into a second hand."""
    for _ in range(3):
        await host.ask(cl.AddBot, level="hard")
    await host.ask(cl.Start)
    await host.until(ev.HandOver)
    await host.until(ev.Signalled)
    await host.follow(host.view.seq + 5)


def test_a_whole_journal_is_right(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It says how much was looked at."""
    (told,) = lines(capsys, "check", played)
    assert told.startswith("valid: 1 table, 1 hand, ")


async def test_all_tables_are_counted(tmp_path: Path) -> None:
    """So are the hands of all of them."""
    path = tmp_path / "journal.sqlite"
    async with journaled(path, bot_speed=1_000.0) as served:
        for hands in (1, 2):
            await play_match(served.url, hands=hands)
    assert (check(path).tables, check(path).hands, check(path).faults) == (2, 3, [])


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        ("DELETE FROM events WHERE seq = 20", "event 21 after event 19"),
        ("UPDATE events SET frame = x'00' WHERE seq = 20", "event 20 is not understood"),
        (
            "UPDATE events SET frame = (SELECT frame FROM events WHERE seq = 21) WHERE seq = 20",
            "event 20 is none",
        ),
        ("UPDATE seeds SET seed = zeroblob(32)", "is not the one that was promised"),
        ("DELETE FROM seeds", "is not the one that was promised"),
        ("UPDATE claims SET reply = x'c0'", "an answer is not understood"),
        ("UPDATE tables SET options = '{}}'", "its options are unknown here"),
        ("INSERT INTO beaten VALUES (NULL, 1, 0, 1, 0, 0, x'c0')", "an answer is not understood"),
    ],
)
def test_what_is_wrong_is_found(
    played: Path, capsys: pytest.CaptureFixture[str], damage: str, why: str
) -> None:
    """Whatever is missing or changed: which table, and what."""
    with contextlib.closing(sqlite3.connect(played)) as db:
        db.execute(damage)
        db.commit()
    code, said = fails(capsys, "check", played)
    assert code == 1
    assert said.startswith("not valid: table 1 (")
    assert why in said


@pytest.mark.long
@pytest.mark.parametrize("game", ["racing-demon", pytest.param("flower-garden", marks=pytest.mark.long)])
async def test_an_open_table_is_right(tmp_path: Path, capsys: pytest.CaptureFixture[str], game: str) -> None:
    """In the midst of a match, and after it when another server has taken it up; locked, and of any kind."""
    journal = tmp_path / "journal.sqlite"
    async with journaled(journal, bot_speed=100.0) as served:
        options = Options(game=game, hands=2, countdown_ms=0, tally_ms=0)
        create = cl.Create(name="Ann", options=options, seated=False, passphrase="sesame")  # noqa: S106
        async with Peer.entered(served.url, create) as host:
            await begin_second_hand(host)
            (told,) = lines(capsys, "check", journal)
    assert told.startswith("valid: 1 table, 2 hands, ")
    async with journaled(journal, bot_speed=100.0) as again, Peer.connect(again.url) as back:
        await back.greet()
        await back.enter(cl.Resume(code=host.code, token=host.token))
        await back.until(ev.MatchOver)
        (told,) = lines(capsys, "check", journal)
    assert told.startswith("valid: 1 table, 2 hands, ")


def undone(snapshot: Snapshot) -> bytes:
    """Return the snapshot with another host and another tally."""
    (result, *others) = snapshot.results
    changed = result.model_copy(update={"points": (*result.points[:-1], 99)})
    return pack(snapshot.model_copy(update={"host": 0, "results": (changed, *others)}))


def other_seq(snapshot: Snapshot, seq: int) -> bytes:
    """Return the snapshot as that of another event."""
    return pack(snapshot.model_copy(update={"seq": seq}))


WRONG_SNAPSHOTS: Final[list[tuple[Callable[[Snapshot], bytes], str]]] = [
    (lambda _: b"\xc0", "its snapshot is not understood"),
    (lambda _: pack(ev.Readied(seq=2, seat=0, ready=True)), "what stands as its snapshot is none"),
    (undone, "does not follow from its events: host, results"),
    (lambda snapshot: other_seq(snapshot, 99_999), "its snapshot is of event 99999"),
    (lambda snapshot: pack(snapshot.model_copy(update={"piles": ((1,),)})), "from its events: piles"),
]


@pytest.mark.long
async def test_a_wrong_snapshot_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A server would begin with it: it must be there, and be what the events before it have led to."""
    journal, copy = tmp_path / "journal.sqlite", tmp_path / "copy.sqlite"
    async with journaled(journal, bot_speed=100.0) as served:
        async with Peer.hosting(served.url, seated=False, hands=100) as host:
            await begin_second_hand(host)
    for damage, why in WRONG_SNAPSHOTS:
        shutil.copy(journal, copy)
        with contextlib.closing(sqlite3.connect(copy)) as db, db:
            snapshot = decode_server(
                db.execute("SELECT frame FROM snapshots ORDER BY seq DESC").fetchone()[0]
            )
            assert isinstance(snapshot, Snapshot)
            seq = 99_999 if why.endswith("99999") else snapshot.seq
            db.execute(
                "UPDATE snapshots SET frame = ?, seq = ? WHERE seq = (SELECT max(seq) FROM snapshots)",
                (damage(snapshot), seq),
            )
        code, said = fails(capsys, "check", copy)
        assert code == 1
        assert said.startswith(f"not valid: table 1 ({host.code}): ")
        assert why in said


async def test_an_open_table_that_no_server_can_take_up_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its log may be whole: what the server does with it when it starts is done here, too."""
    journal = tmp_path / "journal.sqlite"
    async with journaled(journal) as served, Peer.hosting(served.url):
        pass
    with contextlib.closing(sqlite3.connect(journal)) as db:
        db.execute('UPDATE tables SET options = \'{"game": "bridge"}\'')
        db.commit()
    code, said = fails(capsys, "check", journal)
    assert (code, "it cannot go on: " in said) == (1, True)
    code, said = fails(capsys, "restore", journal, "--to", tmp_path / "other.sqlite")
    assert (code, "is damaged: " in said) == (3, True)


async def test_a_table_of_another_version_is_told_and_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is whole, and waits for a server that speaks its version: a copy of it may be put back."""
    journal = tmp_path / "journal.sqlite"
    async with journaled(journal) as served, Peer.hosting(served.url):
        pass
    with contextlib.closing(sqlite3.connect(journal)) as db:
        db.execute("UPDATE tables SET protocol = ?", (VERSION + 1,))
        db.commit()
    code, said = fails(capsys, "check", journal)
    assert (code, f"played with version {VERSION + 1} of the protocol" in said) == (1, True)
    lines(capsys, "restore", journal, "--to", tmp_path / "other.sqlite")


def test_a_wrong_correction_is_found(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What was said of a match afterwards belongs to its record."""
    with contextlib.closing(sqlite3.connect(played)) as db:
        db.execute("INSERT INTO corrections VALUES (1, '1.1', '{}')")
        db.commit()
    code, said = fails(capsys, "check", played)
    assert (code, said) == (1, "not valid: a correction of match 1.1 is not understood\n")


def test_a_damaged_page_is_found(played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that SQLite cannot read through is told so, and restored nowhere."""
    for name in ("events", "tables"):
        overwrite_page(played, name)
    code, said = fails(capsys, "check", played)
    assert (code, said.startswith("not valid: ")) == (1, True)
    code, _ = fails(capsys, "restore", played, "--to", tmp_path / "other.sqlite")
    assert code == 3
    assert not (tmp_path / "other.sqlite").exists()
