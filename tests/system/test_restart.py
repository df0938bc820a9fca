"""Servers that are stopped and started again, as their operators and owners do it."""

import contextlib
import json
import resource
import sqlite3
import sys
from itertools import product
from pathlib import Path

import pytest

from racing_demon_client.net.client import Client
from racing_demon_protocol.enums import Reaction
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Connected, MatchOver, Played, Signalled
from racing_demon_protocol.wire.messages.server import Accepted, CaughtUp
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal.recovery import saved_state_of
from racing_demon_server.journal.sqlite.database import open_journal
from racing_demon_server.journal.table_journal import CHECKPOINT_EVENTS
from tests.support.effort import amount, usually
from tests.support.journals import check, overwrite_page
from tests.support.processes import CLIENT, SERVER, server_process, started, text_of
from tests.support.restartable_server import RestartableServer, entered_when_read
from tests.support.servers import Closing, Peer
from tests.support.whole_servers import command, whole_server

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")


def left_open(journal: Path) -> int:
    """Return how many tables of a journal are still to be gone on with."""
    with contextlib.closing(open_journal(journal)) as db:
        return int(db.execute("SELECT count(*) FROM tables WHERE closed_ms IS NULL").fetchone()[0])


async def test_a_server_that_is_stopped_says_that_it_comes_back(tmp_path: Path) -> None:
    """SIGTERM: everybody is told so, the tables stay in the journal, and the exit code is 0."""
    journal = tmp_path / "journal.sqlite"
    async with server_process("--journal", str(journal)) as (server, url):
        async with Peer.hosting(url) as ann:
            await ann.say(ann.next(cl.Ready))
            server.stop()
            gone = Closing(1012, "The server is stopping. Your table comes back when it restarts.")
            assert gone == await ann.closed()
        assert (await server.end()).code == 0
    assert left_open(journal) == 1
    with contextlib.closing(open_journal(journal)) as db:
        last = db.execute("SELECT max(kind) FROM events WHERE seq > 1").fetchone()
        assert last != (Connected.TAG,)  # its own end is nothing that happened at the table


async def test_clients_go_to_the_server_that_comes_back(tmp_path: Path) -> None:
    """Down for a while within a hand: the client resumes by itself, and what waited is carried out."""
    said: list[str] = []
    async with RestartableServer.started(tmp_path / "journal.sqlite") as server:
        async with await Client.create(server.url, "Ann", Options(countdown_ms=0)) as ann:
            ann.notice = said.append
            await ann.ask(cl.AddBot(counter=ann.next_counter(), level="easy"))
            await ann.ask(cl.Start(counter=ann.next_counter()))
            async for message in ann:
                if isinstance(message, Signalled):
                    break
            hand = ann.view.hand_id
            await server.stop()
            ready = cl.React(counter=ann.next_counter(), reaction=Reaction.THANKS)
            await ann.send(ready)
            await server.start()
            async for message in ann:
                if isinstance(message, Accepted) and message.counter == ready.counter:
                    break
            assert hand == ann.view.hand_id
    assert said == ["connection lost; reconnecting", "reconnected"]


@pytest.mark.long
async def test_a_long_hand_goes_on_from_its_checkpoint(tmp_path: Path) -> None:
    """Killed in the middle of a hand of thousands of plays: all of it is there, and little of it is read."""
    journal = tmp_path / "journal.sqlite"
    rates = (
        "frames_per_second",
        "commands_per_second",
        "command_burst",
        "units_per_table",
        "units_per_address",
    )
    async with RestartableServer.started(journal, *(f"--limit={rate}=1000000" for rate in rates)) as server:
        async with Peer.hosting(server.url, countdown_ms=0) as ann:
            async with Peer.entered(server.url, cl.Join(code=ann.code, name="Ben")):
                await ann.ask(cl.Start)
                await ann.until(Signalled)
                for _ in range(CHECKPOINT_EVENTS + 100):
                    hand = ann.view.hand
                    assert hand is not None
                    turn = hand.rules.stock_play(hand.board, 0)
                    assert turn is not None
                    source, count, destination, _ = turn
                    play = {"source": source, "count": count, "destination": destination}
                    assert isinstance(await ann.ask(cl.PlayCards, seen=ann.view.seq, **play), Played)
                server.kill()
                before = ann.view.snapshot(0).piles
                await server.start()
                with contextlib.closing(open_journal(journal)) as db:
                    (table,) = db.tables(only_open=True)
                    saved_state = saved_state_of(db, table)
                    assert saved_state.checkpoint is not None
                    assert len(list(saved_state.log)) < 1_000
                again = cl.Resume(code=ann.code, token=ann.token)
                async with entered_when_read(server.url, again) as back:
                    await back.until(CaughtUp)
                    assert before == back.view.snapshot(0).piles
                    assert back.place.counter == ann.place.counter + CHECKPOINT_EVENTS + 101
    assert check(journal).faults == []


@pytest.mark.parametrize("how", usually(1, ["input", "interrupt"]))
async def test_what_its_owner_ends_is_ended_for_good(tmp_path: Path, how: str) -> None:
    """A server that somebody's client started for one table closes that in the journal, too."""
    journal = tmp_path / "journal.sqlite"
    async with server_process("--stop-with-stdin", "--journal", str(journal)) as (server, url):
        async with Peer.hosting(url) as ann:
            server.hang_up() if how == "input" else server.stop(2)
            assert (await ann.closed()).code == 1001
        assert (await server.end()).code == 0
    assert left_open(journal) == 0


@pytest.mark.long
async def test_a_match_that_its_owner_ends_is_over(tmp_path: Path) -> None:
    """A guest gets the final standings before the table is gone, and record and scores know who has won."""
    journal, kept = tmp_path / "journal.sqlite", tmp_path / "ben.jsonl"
    options = ("--stop-with-stdin", "--journal", str(journal), "--bot-speed=50")
    async with server_process(*options) as (server, url), Peer.hosting(url, hands=3, countdown_ms=0) as ann:
        await ann.ask(cl.AddBot)
        wanted = ("--plain", "--name", "Ben", "--record", str(kept), url, ann.code)
        async with started(CLIENT, "join", *wanted) as ben:
            await ben.line("table .*lobby")
            await ann.ask(cl.Start)
            await ann.until(Played)
            server.hang_up()
            end = await ann.until(MatchOver)
            assert end.closed
            assert end.winners
            assert (await ann.closed()).code == 1001
            await ben.line("the match was ended early: .* won")
            assert "Traceback" not in (await ben.end()).err
    places = ((str(kept), (str(kept),)), ("1.1", ("--journal", str(journal))))
    for match, where in places[: amount(1, 2)]:
        verified = await text_of(CLIENT, "verify", match, "--journal", str(journal))
        assert (verified.code, verified.err) == (0, "")
        assert json.loads((await text_of(CLIENT, "scores", "--json", *where)).out)["matches"] == 1


async def test_two_servers_do_not_share_a_journal(tmp_path: Path) -> None:
    """The second ends with a sentence and the code 3; the first goes on."""
    journal = tmp_path / "journal.sqlite"
    async with server_process("--journal", str(journal)) as (_, url):
        second = await command("--port", "0", "--journal", str(journal))
        assert second.code == 3
        assert f"Another server uses the journal {journal}; name another file with --journal." in second.err
        assert "Traceback" not in second.err
        async with Peer.hosting(url) as ann:
            assert isinstance(await ann.ask(cl.Ready), Accepted)


@pytest.mark.parametrize("kind", usually(1, ["garbage", "newer", "database", "folder"]))
async def test_a_file_that_is_no_journal_is_refused_and_kept(tmp_path: Path, kind: str) -> None:
    """Whatever it is: a sentence, the code 3, and not one byte of it changed."""
    journal = tmp_path / "journal.sqlite"
    if kind == "folder":
        journal.mkdir()
    elif kind == "garbage":
        journal.write_bytes(b"shopping list\n" * 999)
    else:
        with contextlib.closing(sqlite3.connect(journal)) as db:
            db.execute("CREATE TABLE tables (id)")
            if kind == "newer":
                db.execute(f"PRAGMA application_id = {int.from_bytes(b'RDJ1', 'big')}")
                db.execute("PRAGMA user_version = 99")
    before = b"" if kind == "folder" else journal.read_bytes()
    ended = await command("--port", "0", "--journal", str(journal))
    assert (ended.code, ended.out) == (3, "")
    assert str(journal) in ended.err
    assert "Traceback" not in ended.err
    assert before == (b"" if kind == "folder" else journal.read_bytes())


@pytest.mark.parametrize(
    ("place", "processes"), usually(1, product(["tables", "events", "events_marks"], [1, 2]))
)
async def test_a_journal_that_is_damaged_is_refused(tmp_path: Path, place: str, processes: int) -> None:
    """Where its tables or its clock cannot be told: a sentence of what to do, the code 3, no traceback."""
    journal = tmp_path / "journal.sqlite"
    async with whole_server(journal) as (server, url), Peer.hosting(url):
        await server.stop()
    overwrite_page(journal, place)
    before = journal.read_bytes()
    where = ("--host=127.0.0.1", "--port=0", f"--processes={processes}")
    ended = await text_of(SERVER, *where, "--journal", str(journal))
    assert (ended.code, ended.out) == (3, "")
    assert f"The journal {journal} is damaged: database disk image is malformed." in ended.err
    assert "racing-demon-server journal restore" in ended.err
    assert "Traceback" not in ended.err
    assert before == journal.read_bytes()


@pytest.mark.long
async def test_a_host_hears_that_the_journal_is_damaged(tmp_path: Path) -> None:
    """The server that a client starts for its table says so by way of the client, and no traceback."""
    journal = tmp_path / "journal.sqlite"
    open_journal(journal, write=True).close()
    overwrite_page(journal, "tables")
    folder = {f"RACING_DEMON_{kind}": str(tmp_path) for kind in ("CONFIG", "STATE", "DATA")}
    ended = await text_of(CLIENT, "host", "--plain", "--port=0", env=folder)
    assert (ended.code, ended.out) == (3, "")
    assert f"The journal {journal} is damaged: database disk image is malformed." in ended.err
    assert "Traceback" not in ended.err


async def test_a_disk_that_takes_nothing_does_not_keep_a_server_from_stopping(tmp_path: Path) -> None:
    """A server that waits for its disk ends all the same when it is told to, after a few seconds."""
    journal = tmp_path / "journal.sqlite"
    async with server_process("--journal", str(journal)) as (server, url):
        async with Peer.hosting(url) as ann:
            limit = journal.with_name("journal.sqlite-wal").stat().st_size
            resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
            for _ in range(30):
                await ann.say(ann.next(cl.Say, text="x" * 100))
            server.stop()
            assert (await ann.closed()).code == 1012
        assert (await server.end()).code == 0
    assert left_open(journal) == 1
