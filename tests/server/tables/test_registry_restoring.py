"""A hall that takes its tables up from the journal, beside one that never ended."""

import asyncio
import contextlib
import logging
import math
import random
import shutil
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from racing_demon_protocol.enums import CloseCode
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.options import Options
from racing_demon_server.enums import Durability
from racing_demon_server.journal.interface import Journal
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.journal.sqlite.store import SqliteStore
from racing_demon_server.journal.table_journal import MAX_EVENTS
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables import registry as registries
from racing_demon_server.tables.passphrase import Passphrase, Unchecked, slow_hash
from racing_demon_server.tables.registry import Registry
from racing_demon_server.tables.room import Room
from tests.support.builds import skip_unless_pure
from tests.support.journals import journaled, journaled_in
from tests.support.servers import Peer
from tests.support.virtual_journal import VirtualJournal
from tests.support.virtual_rooms import FakeConnection, in_virtual_time, now, say, virtual

pytestmark = pytest.mark.usefixtures("quick_hashes")

SEED = bytes(32)
WORD, SALT = "sesame", bytes(16)
HASH = slow_hash(WORD, SALT)


@asynccontextmanager
async def running(path: Path | None, **settings: object) -> AsyncIterator[Registry]:
    """Run a hall on a journal, or on none, and stop it as an operator does."""
    journal: Journal = NullJournal() if path is None else VirtualJournal(path, random.Random(1))
    registry = Registry(ServerSettings(seed=SEED, **settings), now, journal)  # type: ignore[arg-type]
    registry.restore()
    yield registry
    registry.stop()
    await journal.drained()
    registry.close(for_good=False)
    journal.close()


async def seated(room: Room, seat: int | None = None) -> FakeConnection:
    """Let Ann sit down, or come back to her seat."""
    conn = FakeConnection()
    seat = room.join("Ann", b"token", "") if seat is None else seat
    room.broadcast.take_seat(conn, seat)
    room.broadcast.catch_up(conn, 0)
    room.connect(seat)
    return conn


async def opened(registry: Registry) -> tuple[Room, FakeConnection]:
    """Open a table at which hands take ten seconds, and let Ann play there with a bot."""
    options = Options(hands=3, countdown_ms=0, tally_ms=0, time_limit_ms=10_000)
    room = registry.open(options, Passphrase(SALT, HASH, WORD))
    conn = await seated(room)
    await say(room, conn, 0, cl.AddBot(counter=1, level="hard"), cl.Start(counter=2))
    return room, conn


async def play_on(room: Room, conn: FakeConnection, *counters: int) -> None:
    """Let Ann be ready for the next hand, once for each number, whenever the time of the last one is up."""
    for counter in counters:
        await asyncio.sleep(25)
        await say(room, conn, 0, cl.Ready(counter=counter))
        await asyncio.sleep(1)  # what is to be kept is told a little later


def promises(conn: FakeConnection) -> list[str]:
    """Return what was promised of the hands that somebody has seen begin."""
    return [event.commitment for event in conn.events if isinstance(event, ev.Committed)]


@virtual
async def test_a_table_goes_on_with_the_cards_that_it_would_have_had(tmp_path: Path) -> None:
    """The hands of a seeded server are the same, whether it was started anew among them or not."""
    async with running(None) as registry:
        room, conn = await opened(registry)
        await play_on(room, conn, 3, 4)
        expected = promises(conn)
        assert len(expected) == 3
    async with running(tmp_path / "journal.db") as registry:
        room, before = await opened(registry)
        code = room.table.view.code
        await asyncio.sleep(5)
    async with running(tmp_path / "journal.db") as registry:
        room = registry.room(code)
        after = await seated(room, 0)
        await play_on(room, after, 3, 4)
        assert expected == promises(before) + promises(after)


@virtual
async def test_a_table_is_the_same_after_each_start(tmp_path: Path) -> None:
    """Its bots play on, its passphrase is asked for, and what happens is kept for the next start, too."""
    path = tmp_path / "journal.db"
    async with running(path) as registry:
        room, _ = await opened(registry)
        code, hand_id = room.table.view.code, room.table.view.hand_id
        await asyncio.sleep(3)
        seq = room.table.view.seq
    for _ in range(2):
        async with running(path) as registry:
            room = registry.room(code)
            assert room.table.view.seq >= seq
            assert hand_id == room.table.view.hand_id
            with pytest.raises(Unchecked) as first:
                room.verify_passphrase(WORD, "192.0.2.1")
            first.value.lock.check(WORD, HASH, "192.0.2.1", 0)
            room.verify_passphrase(WORD, "192.0.2.1")
            with pytest.raises(CommandRefused):
                room.verify_passphrase("simsalabim", "192.0.2.1")
            conn = await seated(room, 0)
            await asyncio.sleep(2)
            assert [play for play in conn.events if isinstance(play, ev.Played) and play.seat == 1]
            seq = room.table.view.seq


async def test_a_table_that_is_still_read_asks_for_patience(tmp_path: Path) -> None:
    """The port is open before long logs are read; then their players are told to come back, and go on."""
    path = tmp_path / "journal.db"
    async with journaled(path) as served, Peer.hosting(served.url, hands=3) as ann:
        await ann.ask(cl.AddBot, level="hard")
        await ann.ask(cl.Start)
        await ann.until(ev.Played)
        resume = cl.Resume(code=ann.code, token=ann.place.token)
        hand_id = ann.view.hand_id
    async with journaled_in(SqliteStore(path, Durability.NORMAL), patience=0) as served:
        async with Peer.connect(served.url) as peer:
            await peer.greet()
            await peer.say(resume)
            assert (await peer.closed()).code == CloseCode.TRY_AGAIN
        async with Peer.hosting(served.url) as ben:
            assert ben.code != ann.code
            reading = served.registry.restore_waiting()
            await ben.ask(cl.Say, text="Meanwhile")
            await reading
        async with Peer.entered(served.url, resume) as peer:
            assert hand_id == peer.view.hand_id


@pytest.mark.parametrize("watch_delay_ms", [0, 60_000])
@virtual
async def test_a_table_that_is_read_piece_by_piece_is_the_same(tmp_path: Path, watch_delay_ms: int) -> None:
    """However often its reading stops, it goes on as if it had been read at once."""
    path = tmp_path / "journal.db"
    async with running(path) as registry:
        room = registry.open(Options(hands=3, countdown_ms=0, watch_delay_ms=watch_delay_ms))
        conn = await seated(room)
        await say(room, conn, 0, cl.AddBot(counter=1, level="hard"), cl.Start(counter=2))
        await asyncio.sleep(20)
        code = room.table.view.code
    shown = []
    for patience in (math.inf, 0):
        copied = tmp_path / f"{patience}.db"
        shutil.copy(path, copied)
        journal = VirtualJournal(copied, random.Random(1))
        registry = Registry(ServerSettings(seed=SEED), now, journal)
        registry.restore(patience)
        await registry.restore_waiting()
        shown.append(registry.room(code).table.view.snapshot(0))
        registry.stop()
        await journal.drained()
        registry.close(for_good=False)
        journal.close()
    assert shown[0] == shown[1]


@virtual
async def test_a_host_without_a_seat_is_kept_at_once(tmp_path: Path) -> None:
    """Nothing else need happen at the table before the server ends."""
    path = tmp_path / "journal.db"
    journal = VirtualJournal(path, random.Random(1))
    registry = Registry(ServerSettings(), now, journal)
    room = registry.open(Options())
    room.add_host(b"host")
    await journal.drained()
    journal.die()
    room.close()
    async with running(path) as registry:
        (room,) = registry.rooms
        assert room.table.seat_tokens.knows(b"host")
        assert room.table.seat_tokens.actor(b"host") is None


@virtual
async def test_who_comes_back_after_a_start_gets_what_is_new(tmp_path: Path) -> None:
    """The events since the last one seen, which an earlier start of the server has told; no snapshot."""
    path = tmp_path / "journal.db"
    async with running(path) as registry:
        room = registry.open(Options())
        await seated(room)
        code, epoch, seq = room.table.view.code, room.epochs.current, room.table.view.seq
    for _ in range(2):
        async with running(path) as registry:
            room, back = registry.room(code), FakeConnection()
            room.resume(back, 0, "a" * 64, "", epoch, seq)
            await asyncio.sleep(1)
            assert not back.snapshots
            assert seq + 1 == back.events[0].seq


@virtual
async def test_guesses_are_counted_for_each_address(tmp_path: Path) -> None:
    """Somebody else's guesses keep nobody out who knows the word."""
    async with running(tmp_path / "journal.db") as registry:
        room, _ = await opened(registry)
        for _ in range(20):
            with pytest.raises(CommandRefused):
                room.verify_passphrase("guess", "192.0.2.1")
        with pytest.raises(CommandRefused):
            room.verify_passphrase(WORD, "192.0.2.1")
        room.verify_passphrase(WORD, "192.0.2.2")


@virtual
async def test_guesses_of_spectators_are_counted_for_each_address() -> None:
    """Somebody else's guesses keep nobody from watching who knows the word."""
    async with running(None) as registry:
        room, _ = await opened(registry)
        for _ in range(20):
            with pytest.raises(CommandRefused):
                room.watch(FakeConnection(), "guess", "192.0.2.1")
        with pytest.raises(CommandRefused):
            room.watch(FakeConnection(), WORD, "192.0.2.1")
        eve = FakeConnection()
        room.watch(eve, WORD, "192.0.2.2")
        assert eve in room.broadcast.spectators


@virtual
async def test_new_tables_go_on_with_the_numbers_of_the_old(tmp_path: Path) -> None:
    """The next table of a seeded server has the code that it would have had, and no other table's cards."""
    async with running(None) as registry:
        codes = [registry.open(Options()).table.view.code for _ in range(3)]
    for number in range(3):
        async with running(tmp_path / "journal.db") as registry:
            assert number == len(registry)
            assert codes[number] == registry.open(Options()).table.view.code


@pytest.mark.parametrize("is_known", [True, False])
def test_the_log_tells_which_table_cannot_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, is_known: bool
) -> None:
    """Its code, its number in the journal and the reason; how it came to that where nobody foresaw it."""
    path = tmp_path / "journal.db"

    def mistaken(*_: object) -> None:
        raise ValueError("nobody foresaw it")

    async def history() -> str:
        async with running(path) as registry:
            registry.open(Options())
            code = registry.open(Options()).table.view.code
            registry.discard(registry.rooms[0])
        if is_known:
            with contextlib.closing(sqlite3.connect(path)) as db:
                db.execute("""UPDATE tables SET options = '{"game": "bridge"}'""")
                db.commit()
        else:
            skip_unless_pure("replaces a function")
            monkeypatch.setattr(registries, "saved_state_of", mistaken)
        journal = VirtualJournal(path, random.Random(1))
        Registry(ServerSettings(), now, journal).restore()
        journal.close()
        return code

    with caplog.at_level(logging.ERROR, "racing_demon_server"):
        code = in_virtual_time(history())
    (told,) = caplog.records
    facts = vars(told)
    assert told.getMessage() == "a table cannot go on here; it stays in the journal"
    assert (code, 2) == (facts["table"], facts["number"])
    if is_known:
        assert "There is no game 'bridge'" in facts["why"]
        assert not told.exc_info
    else:
        assert facts["why"] == "nobody foresaw it"
        assert told.exc_info is not None
        assert ValueError is told.exc_info[0]


@pytest.mark.long
@virtual
async def test_a_restart_changes_nothing_of_when_a_log_is_cut(tmp_path: Path) -> None:
    """A snapshot follows so many events after the last one, wherever among them a server was started."""
    path = tmp_path / "journal.db"

    def newest() -> int:
        with contextlib.closing(sqlite3.connect(path)) as db:
            return db.execute("SELECT coalesce(max(seq), 0) FROM snapshots").fetchone()[0]  # type: ignore[no-any-return]

    async def talk(room: Room, conn: FakeConnection, until: int) -> None:
        while room.table.view.seq < until:
            counter = room.table.seat_tokens.counter(0) + 1
            await say(room, conn, 0, cl.Say(counter=counter, text="Hello"))
            await asyncio.sleep(30)

    async with running(path) as registry:
        room = registry.open(Options())
        code = room.table.view.code
        conn = await seated(room)
        await talk(room, conn, MAX_EVENTS - 1)
        assert not newest()
        await talk(room, conn, MAX_EVENTS + 10)
        assert newest() == MAX_EVENTS
    async with running(path) as registry:
        room = registry.room(code)
        conn = await seated(room, 0)
        await talk(room, conn, 2 * MAX_EVENTS - 1)
        assert newest() == MAX_EVENTS
        await talk(room, conn, 2 * MAX_EVENTS)
        assert newest() == 2 * MAX_EVENTS
