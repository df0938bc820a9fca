"""What a journal keeps of a table: its matches, and of all else the newest events and a snapshot."""

import contextlib
import shutil
import sqlite3
import tracemalloc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

import pytest

from racing_demon_protocol.records.format import read_records
from racing_demon_protocol.records.verify import verify
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Snapshot
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal.matches import export, matches
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.journal.operations import Operation
from racing_demon_server.journal.recovery import saved_state_of
from racing_demon_server.journal.sqlite.database import open_journal
from racing_demon_server.journal.table_journal import MAX_BYTES, MAX_EVENTS, replace_by_snapshot
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.registry import Registry
from tests.support.journals import check, journaled
from tests.support.restartable_server import wait_until
from tests.support.servers import Peer, Served

MANY: Final = 1e6
LIMITLESS: Final = {
    **dict.fromkeys(("commands_per_second", "command_burst", "frames_per_second", "frame_burst"), MANY),
    **dict.fromkeys(
        ("units_per_connection", "units_per_address", "units_per_table", "units_per_server"), MANY
    ),
}
AT_ONCE: Final = 50


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where a journal is to be."""
    return tmp_path / "journal.sqlite"


@asynccontextmanager
async def server(path: Path, **settings: float) -> AsyncIterator[Served]:
    """Run a server that limits nothing."""
    async with journaled(path, bot_speed=1_000.0, **LIMITLESS, **settings) as served:
        yield served


def rows(path: Path, name: str = "events") -> int:
    """Return how many rows a table of the file has."""
    with contextlib.closing(open_journal(path)) as db:
        return int(db.execute(f"SELECT count(*) FROM {name}").fetchone()[0])  # noqa: S608 - our own names


async def burst(peer: Peer, commands: list[cl.Command]) -> None:
    """Give many commands, and wait for the events of all of them."""
    for begin in range(0, len(commands), AT_ONCE):
        some = commands[begin : begin + AT_ONCE]
        wanted = peer.view.seq + len(some)
        peer.burst(list(some))
        await peer.follow(wanted)


async def change_options(peer: Peer, times: int, **options: object) -> None:
    """Change the options so often."""
    await burst(
        peer, [peer.next(cl.SetOptions, options=Options(hands=1 + n % 2, **options)) for n in range(times)]
    )


async def get_ready(peer: Peer, times: int) -> None:
    """Say so often that the player is ready, or not after all."""
    await burst(peer, [peer.next(cl.Ready, ready=number % 2 == 0) for number in range(times)])


async def play(host: Peer) -> None:
    """Let bots play a match."""
    await host.ask(cl.SetOptions, options=Options(hands=1, countdown_ms=0, tally_ms=0))
    await host.ask(cl.Start)
    await host.until(ev.MatchOver)


# A lobby.


@pytest.mark.long
async def test_the_log_of_a_lobby_does_not_grow(path: Path) -> None:
    """However often a player is ready, and then is not: the newest events are kept, and a snapshot."""
    async with server(path) as served, Peer.hosting(served.url) as ann:
        await get_ready(ann, 3 * MAX_EVENTS)
        assert rows(path) <= 2 * MAX_EVENTS + AT_ONCE
        assert rows(path, "snapshots") <= 2
    report = check(path)
    assert ([], [], rows(path)) == (report.faults, report.waiting, report.events)
    async with server(path) as served:
        view = served.registry.room(ann.code).table.view
        assert (ann.view.seq + 1, ann.view.options, 0) == (view.seq, view.options, view.host)
        assert ann.view.seats[0].model_copy(update={"connected": False}) == view.seats[0]


async def test_long_events_are_folded_sooner(path: Path) -> None:
    """What is kept of a lobby is bounded in bytes, too."""
    async with server(path) as served, Peer.hosting(served.url) as ann:
        await change_options(ann, 150)
        with contextlib.closing(open_journal(path)) as db:
            (size,) = db.execute("SELECT sum(length(frame)) FROM events").fetchone()
    assert MAX_BYTES < size < 2 * MAX_BYTES + AT_ONCE * 500


async def test_who_comes_back_to_a_folded_lobby_misses_nothing(path: Path) -> None:
    """After a restart: the events where they are kept, and a snapshot where they are not."""
    async with server(path) as served, Peer.hosting(served.url) as ann:
        first = ann.view.seq
        await change_options(ann, 150)
        await get_ready(ann, 10)
        newest, options = ann.view.seq, ann.view.options
    for seq, wanted in ((first, Snapshot), (newest - 5, ev.Readied)):
        async with server(path) as served, Peer.connect(served.url) as back:
            await back.greet()
            request = cl.Resume(code=ann.code, token=ann.token, seq=seq, epoch=ann.place.epoch)
            await back.enter(request)
            message = await back.hear()
            assert isinstance(message, wanted)
            if isinstance(message, Snapshot):
                assert options == message.options
            else:
                assert seq + 1 == message.seq


@pytest.mark.long
async def test_what_a_restart_reads_does_not_grow(path: Path) -> None:
    """A lobby's snapshot and some events; also where spectators see everything later."""
    for watch_delay_ms in (0, 1):
        async with server(path) as served, Peer.hosting(served.url) as ann:
            await change_options(ann, 200, watch_delay_ms=watch_delay_ms)
        with contextlib.closing(open_journal(path)) as db:
            *_, table = db.tables()
            saved_state = saved_state_of(db, table)
            assert saved_state.snapshot is not None
            assert saved_state.snapshot.seq > ann.view.seq - 120
            assert len(list(saved_state.log)) <= 170


async def test_delayed_spectators_lose_nothing_by_a_snapshot(path: Path) -> None:
    """What they have not seen yet when the server ends is shown in its time by the next one."""
    async with server(path) as served, Peer.hosting(served.url, watch_delay_ms=60_000) as ann:
        seen = ann.view.seq
        async with Peer.entered(served.url, cl.Watch(code=ann.code)):
            await change_options(ann, 150, watch_delay_ms=60_000)
    assert rows(path) > 150
    async with server(path) as served, Peer.entered(served.url, cl.Watch(code=ann.code)) as eve:
        assert seen >= eve.view.seq


# A hand.


@pytest.mark.long
async def test_the_memory_of_a_restart_does_not_grow_with_a_hand(path: Path) -> None:
    """Its events are gone through one by one: of ten times as many a restart takes no more memory."""
    peaks = []
    async with server(path) as served, Peer.hosting(served.url) as ann:
        await ann.ask(cl.Start)
        await ann.until(ev.Signalled)
        for times in (1_000, 5_000):
            pauses = [ann.next(cl.Pause, paused=number % 2 == 0) for number in range(times)]
            await burst(ann, pauses)
            peaks.append(peak_of_restart(path))
    assert peaks[1] < 1.5 * peaks[0]


def peak_of_restart(path: Path) -> int:
    """Return how many bytes a server takes at most while it takes its tables up, apart from SQLite's."""
    with contextlib.closing(open_journal(path)) as db:
        registry = Registry(ServerSettings(), lambda: 0, NullJournal())
        tracemalloc.start()
        try:
            assert list(registry.restore_from(db)) == []
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
            registry.close(for_good=False)


# Matches.


@pytest.mark.long
async def test_matches_are_kept_whole_around_folded_lobbies(path: Path) -> None:
    """Before, between and behind them: each record proves itself, and names its players and its game."""
    async with server(path) as served, Peer.hosting(served.url, seated=False) as host:
        for _ in range(2):
            await host.ask(cl.AddBot, level="hard")
        await change_options(host, 150)
        await play(host)
        await change_options(host, 150, game="classic")
        await play(host)
        await change_options(host, 150)
        assert check(path)[3:] == ([], [])
    async with server(path) as served:
        assert check(path)[3:] == ([], [])
        assert len(served.registry.room(host.code).table.view.seats) == 2
    with contextlib.closing(open_journal(path)) as db:
        played = list(matches(db))
        assert [match.key for match in played] == ["1.1", "1.2"]
        assert [match.seats for match in played] == [{0: "Ada", 1: "Bob"}] * 2
        for match in played:
            (record,) = read_records(list(export(db, match)))
            verdict = verify(entry.message for entry in record.entries)
            assert (verdict.hands, verdict.skipped, verdict.matches) == (1, 0, 1)


@pytest.mark.long
async def test_a_hole_is_no_folded_lobby(path: Path, tmp_path: Path) -> None:
    """An event that is lost is missed, also where a snapshot stands behind it."""
    async with server(path) as served, Peer.hosting(served.url, seated=False) as host:
        for _ in range(2):
            await host.ask(cl.AddBot, level="hard")
        await play(host)
        await change_options(host, 150)
    with contextlib.closing(sqlite3.connect(path)) as db:
        (snapshot,) = db.execute("SELECT max(seq) FROM snapshots").fetchone()
    for lost in (
        f"seq = {host.view.seq - 5}",
        f"seq = {snapshot}",
        f"kind = {ev.HandOver.TAG}",
        f"kind = {ev.MatchOver.TAG}",
    ):
        copy = tmp_path / "copy.sqlite"
        shutil.copy(path, copy)
        with contextlib.closing(sqlite3.connect(copy)) as db, db:
            assert db.execute(f"DELETE FROM events WHERE {lost}").rowcount  # noqa: S608 - our own conditions
        assert check(copy).faults != [], lost


# The end of a table.


async def test_a_table_without_a_match_leaves_nothing(path: Path) -> None:
    """When it is closed for good; but no other table ever gets the number of the newest one."""
    async with server(path, idle_table_seconds=0.05) as served:
        for number in (1, 2, 3):
            async with Peer.hosting(served.url) as ann:
                await get_ready(ann, 10)
            await wait_until(lambda: not served.registry)
            await wait_until(lambda: rows(path) == 0)
            assert [number] == numbers(path)
    for name in ("events", "claims", "snapshots", "epochs"):
        assert rows(path, name) == 0
    async with server(path) as served, Peer.hosting(served.url):
        assert numbers(path) == [4]


def numbers(path: Path) -> list[int]:
    """Return the numbers of a journal's tables."""
    with contextlib.closing(open_journal(path)) as db:
        return [table.id for table in db.tables()]


def test_what_delayed_spectators_have_not_seen_is_not_deleted() -> None:
    """A snapshot deletes what is older than their delay, to the microsecond."""
    snapshot = TableState("BCDF", Options(watch_delay_ms=60_000)).snapshot(0)
    *_, (operation, values) = replace_by_snapshot(7, snapshot, 100_000_000)
    assert (Operation.FORGET_SNAPSHOTS, (7, snapshot.seq, 40_000_000)) == (operation, values)
