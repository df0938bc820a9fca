"""Checkpoints of long hands: a restart goes on from there, and from the deal where it cannot read one."""

import asyncio
import contextlib
import logging
import random
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st

from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.errors import InvalidFrame
from racing_demon_protocol.wire.codec import pack
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Snapshot
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal import table_journal
from racing_demon_server.journal.reader import checkpoint_of, seeds_of
from racing_demon_server.journal.recovery import saved_state_of
from racing_demon_server.journal.sealing import BrokenSeal, checkpoint_name, opened, sealed
from racing_demon_server.journal.sqlite.database import open_journal
from racing_demon_server.match.checkpoint import FORMAT, Checkpoint, DelayedView
from racing_demon_server.match.table import SavedState
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.registry import Registry
from racing_demon_server.tables.room import Room
from tests.support.effort import examples
from tests.support.inside import dealer_of, hand_of, hidden_board
from tests.support.journals import check
from tests.support.virtual_journal import VirtualJournal
from tests.support.virtual_rooms import FakeConnection, in_virtual_time, now, say, seat_at

CHECKPOINT_EVENTS = 400
"""Here; it is many more, so that only long hands have one."""
LONG = CHECKPOINT_EVENTS + 30
GAMES = ["racing-demon", "puzzle"]
"""One with a public board, and one of identical deals."""


Played = tuple[Path, list[object]]


@pytest.fixture(scope="module", autouse=True)
def _soon() -> Iterator[None]:
    """Let every hand be a long one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(table_journal, "CHECKPOINT_EVENTS", CHECKPOINT_EVENTS)
        yield


async def play(room: Room, seats: list[tuple[int, FakeConnection]], plays: int) -> None:
    """Let players turn their stocks, or gather them, as often as that together."""
    before = room.table.plays
    while room.table.plays < before + plays:
        for seat, conn in seats:
            hand = room.table.view.hand
            assert hand is not None
            rules, board = hand.rules, hand.board
            turns = [
                each for each in rules.legal_plays(board, seat) if board.piles[each.source].kind is Kind.STOCK
            ]
            turn = turns[0] if turns else next(iter(rules.legal_plays(board, seat)))
            counter, seen = room.table.seat_tokens.counter(seat) + 1, room.table.view.seq
            await say(room, conn, seat, cl.PlayCards.of(turn, counter=counter, seen=seen))
        await asyncio.sleep(0.02)


def story(
    path: Path,
    then: Callable[[Room, list[tuple[int, FakeConnection]]], None],
    plays: int = LONG,
    **options: object,
) -> None:
    """Play a long hand, do something with its room, and let the server die."""

    async def history() -> None:
        journal = VirtualJournal(path, random.Random(1))
        registry = Registry(ServerSettings(), now, journal)
        room = registry.open(Options.model_validate({"countdown_ms": 0, **options}))
        seats = [seat_at(room, name) for name in ("Ann", "Ben")]
        await say(room, seats[0][1], 0, cl.Start(counter=1))
        await asyncio.sleep(5)
        await play(room, seats, plays)
        await journal.drained()
        then(room, seats)
        await journal.drained()
        registry.stop()
        journal.die()

    in_virtual_time(history())


def restored(path: Path) -> tuple[Snapshot, object]:
    """Return the table that a server restores from a journal, and its hidden cards."""

    async def history() -> tuple[Snapshot, object]:
        journal = VirtualJournal(path, random.Random(2))
        registry = Registry(ServerSettings(), now, journal)
        registry.restore()
        (room,) = registry.rooms
        found = told(room)
        registry.stop()
        journal.die()
        return found

    return in_virtual_time(history())


def told(room: Room) -> tuple[Snapshot, object]:
    """Return what a table is, but for who is there, and its hidden cards."""
    hand = hand_of(room.table)
    assert hand is not None
    snapshot = room.table.view.snapshot(0)
    seats = tuple(state.model_copy(update={"connected": False}) for state in snapshot.seats)
    same = snapshot.model_copy(update={"seats": seats, "seq": 0, "paused": False})
    return same, hidden_board(dealer_of(hand)).cards


def saved_state(path: Path) -> SavedState:
    """Return what a restart reads of the only table."""
    with contextlib.closing(open_journal(path)) as db:
        (table,) = db.tables(only_open=True)
        found = saved_state_of(db, table)
        return found._replace(log=list(found.log))


def alter(path: Path, sql: str, *values: object) -> None:
    """Alter a journal."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        assert db.execute(sql, values).rowcount == 1


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Return the journal of a long hand, and what the table was."""
    path, before = tmp_path_factory.mktemp("journal") / "journal.sqlite", list[object]()
    story(path, lambda room, _: before.append(told(room)))
    return path, before


def copied(played: Played, folder: Path) -> Path:
    """Return a copy of that journal."""
    path = folder / "journal.sqlite"
    with (
        contextlib.closing(sqlite3.connect(played[0])) as db,
        contextlib.closing(sqlite3.connect(path)) as copy,
    ):
        db.backup(copy)
    return path


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_a_restart_reads_what_follows_the_checkpoint(tmp_path: Path, game: str) -> None:
    """However long the hand is; and the table is what it was, hidden cards and all."""
    path, before = tmp_path / "journal.sqlite", list[object]()
    story(path, lambda room, _: before.append(told(room)), game=game)
    found = saved_state(path)
    assert found.checkpoint is not None
    assert len(list(found.log)) < CHECKPOINT_EVENTS
    assert before == [restored(path)]
    assert check(path).faults == []
    alter(path, "DELETE FROM checkpoints")
    assert len(list(saved_state(path).log)) > CHECKPOINT_EVENTS
    assert before == [restored(path)]


def test_plays_are_known_again_after_a_restart(tmp_path: Path) -> None:
    """Also those that came before all that a restart reads: nothing is carried out twice."""
    path = tmp_path / "journal.sqlite"
    counters: list[list[int]] = []

    async def history() -> None:
        journal = VirtualJournal(path, random.Random(1))
        registry = Registry(ServerSettings(), now, journal)
        room = registry.open(Options(countdown_ms=0))
        seats = [seat_at(room, name) for name in ("Ann", "Ben")]
        await say(room, seats[0][1], 0, cl.Start(counter=1))
        await asyncio.sleep(5)
        await play(room, seats, 20)
        await play(room, seats[:1], LONG)
        await journal.drained()
        for _ in range(2):
            counters.append([registry.rooms[0].table.seat_tokens.counter(seat) for seat in (0, 1)])
            registry.stop()
            journal.die()
            journal = VirtualJournal(path, random.Random(2))
            registry = Registry(ServerSettings(), now, journal)
            registry.restore()
        registry.stop()
        journal.die()

    in_virtual_time(history())
    assert counters[0] == counters[1]


def test_it_knows_since_when_somebody_is_away(tmp_path: Path) -> None:
    """After a restart nobody waits for them anew."""
    away: list[object] = []

    def leave(room: Room, seats: list[tuple[int, FakeConnection]]) -> None:
        at = now()
        room.leave(seats[1][1], 1)
        checkpoint = room.table.checkpoint()
        assert checkpoint is not None
        away.extend([{1: at}, Checkpoint.unpacked(checkpoint.packed()).record.away])

    story(tmp_path / "journal.sqlite", leave, plays=1)
    assert away[0] == away[1]


@pytest.mark.parametrize("game", GAMES)
def test_it_goes_on_from_restart_to_restart(tmp_path: Path, game: str) -> None:
    """A server that dies again and again within one hand writes checkpoints all the same."""
    path = tmp_path / "journal.sqlite"
    story(path, lambda *_: None, plays=450, game=game)

    async def again(seed: int) -> None:
        journal = VirtualJournal(path, random.Random(seed))
        registry = Registry(ServerSettings(), now, journal)
        registry.restore()
        (room,) = registry.rooms
        seats = []
        for seat in (0, 1):
            conn = FakeConnection()
            room.broadcast.take_seat(conn, seat)
            room.connect(seat)
            seats.append((seat, conn))
        await asyncio.sleep(30)
        await play(room, seats, 450)
        await journal.drained()
        expected.append(told(room))
        registry.stop()
        journal.die()

    for seed in range(3):
        expected = list[object]()
        in_virtual_time(again(seed))
        assert expected == [restored(path)]
        found = saved_state(path)
        assert found.checkpoint is not None
        assert len(list(found.log)) < 3 * CHECKPOINT_EVENTS
        assert check(path).faults == []


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        ("UPDATE checkpoints SET frame = CAST(substr(frame, 1, 99) || x'00' AS BLOB)", "seal"),
        ("UPDATE checkpoints SET frame = x''", "seal"),
        ("UPDATE checkpoints SET salt = x'0102'", "seal"),
        ("UPDATE checkpoints SET seq = seq - 1", "seal"),
        ("UPDATE checkpoints SET hand_id = 'BCDF/1/1'", "whose secret is not there"),
    ],
)
def test_a_checkpoint_that_is_damaged_or_of_another_hand_is_left_out(
    played: Played, tmp_path: Path, damage: str, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The hand is read from its deal then, and the log says why in a line."""
    path, before = copied(played, tmp_path), played[1]
    alter(path, damage)
    caplog.set_level(logging.WARNING, "racing_demon_server")
    assert before == [restored(path)]
    (record,) = caplog.records
    assert record.getMessage() == "a hand is read from its deal"
    assert why in record.__dict__["why"]
    assert check(path).faults == []


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_one_that_is_ahead_of_its_log_is_left_out(
    tmp_path: Path, game: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The hand is read from its deal, so that the log has no gap; the check tells that events are missing."""
    path = tmp_path / "journal.sqlite"
    story(path, lambda *_: None, game=game)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("DELETE FROM events WHERE id >= (SELECT last_play FROM checkpoints)")
    (fault,) = check(path).faults
    assert "its checkpoint is ahead of its log" in fault
    caplog.clear()
    found = restored(path)
    assert [record.__dict__["why"] for record in caplog.records] == ["its checkpoint is ahead of its log"]
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("DELETE FROM checkpoints")
    assert restored(path) == found


def sealed_again(path: Path, change: Callable[[bytes], bytes]) -> None:
    """Change what is sealed in a checkpoint, as only a server could."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        row = db.execute(
            "SELECT table_id, seq, checkpoints.hand_id, salt, frame, seed FROM checkpoints "
            "JOIN seeds USING (table_id, hand_id)"
        ).fetchone()
        number, seq, hand_id, salt, frame, seed = row
        name = checkpoint_name(number, seq, hand_id)
        data = change(opened(seed, salt, name, frame))
        db.execute("UPDATE checkpoints SET frame = ?", (sealed(seed, salt, name, data),))


@pytest.mark.parametrize("form", [FORMAT + 1, None, "1"])
def test_one_of_another_format_is_left_out(
    played: Played, tmp_path: Path, form: object, caplog: pytest.LogCaptureFixture
) -> None:
    """A server of another version wrote it; the log of events is the same for both."""
    path, before = copied(played, tmp_path), played[1]
    sealed_again(path, lambda data: msgpack.packb([form, *msgpack.unpackb(data, strict_map_key=False)[1:]]))
    assert before == [restored(path)]
    assert "format" in caplog.records[-1].__dict__["why"]


def test_a_check_finds_one_that_does_not_follow_from_its_events(played: Played, tmp_path: Path) -> None:
    """Although it is sealed as it should be."""
    path = copied(played, tmp_path)

    def other_host(data: bytes) -> bytes:
        checkpoint = Checkpoint.unpacked(data)
        return checkpoint._replace(table=checkpoint.table.model_copy(update={"host": 1})).packed()

    sealed_again(path, other_host)
    (fault,) = check(path).faults
    assert "does not follow from its events: host" in fault


def test_it_is_gone_with_its_hand(tmp_path: Path) -> None:
    """When the tally comes, and when the table is closed in the middle of a hand."""
    path = tmp_path / "journal.sqlite"
    story(path, lambda room, _: room.end_match(lambda: None))
    with contextlib.closing(sqlite3.connect(path)) as db:
        assert db.execute("SELECT count(*) FROM checkpoints").fetchone() == (0,)


@pytest.mark.parametrize("game", GAMES)
def test_hidden_cards_stand_nowhere_in_clear(tmp_path: Path, game: str) -> None:
    """Neither the order of a stock nor any pile that somebody does not see is in the file's bytes."""
    path, packed = tmp_path / "journal.sqlite", list[bytes]()

    def hidden(room: Room, _: object) -> None:
        checkpoint = room.table.checkpoint()
        assert checkpoint is not None
        packed.extend(msgpack.packb(pile) for pile in checkpoint.hand.cards if len(pile) > 5)
        packed.append(pack(checkpoint.table)[-200:])

    story(path, hidden, game=game)
    with contextlib.closing(open_journal(path)) as db:
        seeds = seeds_of(db, 1)
        checkpoint = checkpoint_of(db, 1, seeds)
        assert checkpoint is not None
        packed += [msgpack.packb(pile) for pile in checkpoint.hand.cards if len(pile) > 5]
    stored = b"".join(each.read_bytes() for each in tmp_path.iterdir())
    assert len(packed) > 2
    assert not any(each in stored for each in packed)


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_delayed_spectators_go_on_where_they_were(tmp_path: Path, game: str) -> None:
    """They see the table as it was before the delay, and what they see next is the same."""
    path, seen = tmp_path / "journal.sqlite", list[DelayedView | None]()

    def look(room: Room, _: object) -> None:
        seen.append(room.broadcast.spectators.delayed_view())

    story(path, look, game=game, watch_delay_ms=5_000)
    with contextlib.closing(open_journal(path)) as db:
        starts_at = db.last_us()

    async def history() -> None:
        began = now()
        journal = VirtualJournal(path, random.Random(2))
        registry = Registry(ServerSettings(), lambda: now() - began + starts_at, journal)
        registry.restore()
        (room,) = registry.rooms
        look(room, None)
        await asyncio.sleep(4)
        look(room, None)
        registry.stop()
        journal.die()

    in_virtual_time(history())
    assert saved_state(path).checkpoint is not None
    died, back, later = seen
    assert died is not None
    assert back is not None
    assert later is not None
    assert died.table.seq <= back.table.seq < later.table.seq or game == "puzzle"
    alter(path, "DELETE FROM checkpoints")
    in_virtual_time(history())
    assert seen[3:] == [back, later]


@examples(100)
@given(st.binary(max_size=300), st.binary(max_size=32), st.binary(max_size=16))
def test_what_is_sealed_is_opened(data: bytes, secret: bytes, salt: bytes) -> None:
    """By the same secret, salt and name; and whoever lacks one of them, or alters a byte, is told so."""
    frame = sealed(secret, salt, "name", data)
    assert data == opened(secret, salt, "name", frame)
    assert len(data) < 8 or data not in frame
    wrong = [(secret + b"x", salt, "name", frame), (secret, salt + b"x", "name", frame)]
    wrong += [(secret, salt, "other", frame), (secret, salt, "name", frame[:-1] + bytes([frame[-1] ^ 1]))]
    for each in wrong:
        with pytest.raises(BrokenSeal):
            opened(*each)


@examples(100)
@given(st.binary(max_size=100))
def test_other_bytes_are_no_checkpoint(noise: bytes) -> None:
    """There is one error for all of them."""
    with pytest.raises(InvalidFrame):
        Checkpoint.unpacked(noise)
