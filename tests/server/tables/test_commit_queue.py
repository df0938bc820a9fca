"""What happens at a table on its way to the disk and to everybody."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Accepted, CaughtUp, Seated, Snapshot
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal import table_journal
from racing_demon_server.journal.reader import claims_of
from racing_demon_server.journal.sqlite.database import open_journal
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.feed import CommittedTable
from racing_demon_server.tables.observer import Observer
from racing_demon_server.tables.registry import Registry
from racing_demon_server.tables.room import Room
from tests.support.virtual_journal import VirtualJournal
from tests.support.virtual_rooms import FakeConnection, now, open_room, say, seat_at, virtual


@virtual
async def test_what_arrives_together_is_written_together_and_told_in_its_order(tmp_path: Path) -> None:
    """Commands of one turn are one entry of the journal; before it is written nobody hears anything."""
    journal = VirtualJournal(tmp_path / "journal.db", random.Random(1))
    room = Registry(ServerSettings(), now, journal).open(Options())
    conns = []
    for name in ("Ann", "Ben", "Cat"):
        conn = FakeConnection()
        room.broadcast.take_seat(conn, room.join(name, name.encode(), ""))
        conns.append(conn)
    await journal.drained()
    for conn in conns:
        room.broadcast.catch_up(conn, 0)
    for seat in (2, 0, 1):
        room.put(conns[seat], seat, cl.Say(counter=1, text="Hello"), now())
    await asyncio.sleep(0)
    assert len(journal) == 1
    assert not [conn.events for conn in conns if conn.events]
    await journal.drained()
    await asyncio.sleep(0)
    for conn in conns:
        assert [event.seat for event in conn.events if isinstance(event, ev.Said)] == [2, 0, 1]
        assert len([reply for reply in conn.replies if isinstance(reply, Accepted)]) == 1
    room.close()
    journal.close()


@virtual
async def test_a_host_without_a_seat_is_told_of_the_place_when_it_is_certain(tmp_path: Path) -> None:
    """No event tells of that place; it is written down all the same, before its token is given away."""
    path = tmp_path / "journal.db"

    journal = VirtualJournal(path, random.Random(1))
    room = Registry(ServerSettings(), now, journal).open(Options())
    host = FakeConnection()
    room.add_host(b"token")
    room.attach(host, None, "a" * 64)
    assert not host.heard
    await journal.drained()
    with contextlib.closing(open_journal(path)) as db:
        assert claims_of(db, 1)[None].token_hash == b"token"
    await asyncio.sleep(0)
    assert [Seated, Snapshot, CaughtUp] == [type(message) for message in host.heard]
    room.close()
    journal.close()


@virtual
async def test_the_answers_of_plays_are_kept_when_the_log_is_cut(tmp_path: Path) -> None:
    """Who only played has the last play's answer beside the snapshot that takes the place of the plays."""
    path = tmp_path / "journal.db"

    journal = VirtualJournal(path, random.Random(1))
    options = Options(countdown_ms=0, time_limit_ms=60_000)
    room = Registry(ServerSettings(), now, journal).open(options)
    ann, ben = (seat_at(room, name) for name in ("Ann", "Ben"))
    room.put(ann[1], ann[0], cl.Start(counter=1), now())
    await ben[1].until(ev.Signalled)
    view = room.table.view
    assert view.hand is not None
    turn = view.hand.rules.stock_play(view.hand.board, ben[0])
    assert turn is not None
    fields = {"source": turn.source, "count": turn.count, "destination": turn.destination}
    room.put(ben[1], ben[0], cl.PlayCards(counter=1, seen=view.seq, **fields), now())
    await ben[1].until(ev.HandOver)
    await journal.drained()
    with contextlib.closing(open_journal(path)) as db:
        assert db.execute("SELECT count(*) FROM snapshots").fetchone() == (1,)
        seat_token = claims_of(db, 1)[ben[0]]
    (played,) = [event for event in ben[1].events if isinstance(event, ev.Played)]
    assert Accepted(counter=1, seq=played.seq) == seat_token.answer()
    room.close()
    journal.close()


class Looking(Observer):
    """Looks at the table with every event: at which event it is, and which one was told."""

    def __init__(self) -> None:
        self.seen: list[tuple[int, int]] = []

    def published(self, table: CommittedTable, events: Sequence[Event]) -> None:
        """Note both."""
        self.seen.append((table.view.seq, events[-1].seq))


@virtual
async def test_nobody_sees_what_is_not_written(tmp_path: Path) -> None:
    """Of plays that are judged while others are being told, whoever looks sees those that were told."""
    journal, looking = VirtualJournal(tmp_path / "journal.db", random.Random(1)), Looking()
    registry = Registry(ServerSettings(), now, journal, [looking])
    room = registry.open(Options(countdown_ms=0, auto_first_turn=False))
    (ann, conn), (_, other) = (seat_at(room, name) for name in ("Ann", "Ben"))
    room.put(conn, ann, cl.Start(counter=1), now())
    await other.until(ev.Signalled)
    await journal.drained()
    looking.seen.clear()
    view = room.table.view
    assert view.hand is not None
    for counter in range(2, 7):
        turn = view.hand.rules.stock_play(view.hand.board, ann)
        assert turn is not None
        fields = {"source": turn.source, "count": turn.count, "destination": turn.destination}
        room.put(conn, ann, cl.PlayCards(counter=counter, seen=view.seq, **fields), now())
        await asyncio.sleep(0)
    await journal.drained()
    assert len(looking.seen) == 5
    assert [told for _, told in looking.seen] == [seen for seen, _ in looking.seen]
    room.close()
    journal.close()


@asynccontextmanager
async def _racing(
    path: Path, **options: object
) -> AsyncIterator[tuple[Room, list[tuple[int, FakeConnection]]]]:
    """Open a table with a journal, and let two players' hand begin."""
    journal = VirtualJournal(path, random.Random(1))
    room = Registry(ServerSettings(), now, journal).open(
        Options.model_validate({"countdown_ms": 0, **options})
    )
    players = [seat_at(room, name) for name in ("Ann", "Ben")]
    room.put(players[0][1], players[0][0], cl.Start(counter=1), now())
    await players[1][1].until(ev.Signalled)
    await journal.drained()
    yield room, players
    room.close()
    await journal.drained()
    journal.close()


async def _found(path: Path, query: str) -> list[tuple[int, ...]]:
    """Wait until everything is written, and return what a query finds."""
    await asyncio.sleep(1)
    with contextlib.closing(open_journal(path)) as db:
        return list(db.execute(query))


@virtual
async def test_plays_of_one_turn_are_one_row_and_change_no_claim(tmp_path: Path) -> None:
    """What a restart reads from the log is not written a second time with each play."""
    path = tmp_path / "journal.db"

    async with _racing(path) as (room, players):
        view = room.table.view
        last = await _found(path, "SELECT max(seq) FROM events")
        for seat, conn in players:
            assert view.hand is not None
            turn = view.hand.rules.stock_play(view.hand.board, seat)
            assert turn is not None
            fields = {"source": turn.source, "count": turn.count, "destination": turn.destination}
            room.put(conn, seat, cl.PlayCards(counter=2, seen=view.seq, **fields), now())
            room.put(FakeConnection(), seat, cl.Call(counter=3), now())  # from a connection that has no seat
        new = await _found(path, f"SELECT seq FROM events WHERE seq > {last[0][0]}")  # noqa: S608
        assert [(last[0][0] + 2,)] == new
        with contextlib.closing(open_journal(path)) as db:
            assert [claims_of(db, 1)[seat].counter for seat, _ in players] == [1, 0]


@virtual
async def test_a_hand_that_ends_by_itself_is_followed_by_a_snapshot(tmp_path: Path) -> None:
    """Nobody has said or done anything in it."""
    path = tmp_path / "journal.db"

    async with _racing(path, time_limit_ms=60_000) as (_, players):
        assert await _found(path, "SELECT count(*) FROM snapshots") == [(0,)]
        await players[0][1].until(ev.HandOver)
        assert await _found(path, "SELECT count(*) FROM snapshots") == [(1,)]


@virtual
async def test_no_snapshot_is_written_in_the_middle_of_a_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long the log is by then: a snapshot does not hold hidden cards."""
    monkeypatch.setattr(table_journal, "MAX_EVENTS", 1)
    path = tmp_path / "journal.db"

    async with _racing(path) as (room, [(ann, conn), _]):
        newest = await _found(path, "SELECT max(seq) FROM snapshots")
        await say(room, conn, ann, cl.Say(counter=2, text="Hello"))
        assert newest == await _found(path, "SELECT max(seq) FROM snapshots")


@virtual
async def test_a_lobby_s_long_log_is_cut_although_nobody_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection that is lost is enough."""
    path = tmp_path / "journal.db"

    async with _racing(path, time_limit_ms=60_000, hands=1) as (room, [_, (ben, conn)]):
        await conn.until(ev.MatchOver)
        monkeypatch.setattr(table_journal, "MAX_EVENTS", 1)
        room.leave(conn, ben)
        snapshots = await _found(path, "SELECT max(seq) FROM snapshots")
        assert [(room.table.view.seq,)] == snapshots


@virtual
async def test_who_was_kicked_is_written_down(tmp_path: Path) -> None:
    """After a restart the host's ban holds."""
    path = tmp_path / "journal.db"

    async with _racing(path) as (room, [(ann, conn), (ben, _)]):
        await say(room, conn, ann, cl.Kick(counter=2, seat=ben))
        assert await _found(path, "SELECT count(*) FROM bans") == [(1,)]


@virtual
async def test_without_a_journal_everything_is_told_at_once() -> None:
    """In the step after that in which a command is judged its event goes out, and the answer after it."""
    room = open_room()
    ann, conn = seat_at(room, "Ann")
    await say(room, conn, ann, cl.Say(counter=1, text="Hello"))
    said, answer = conn.heard[-2:]
    assert isinstance(said, ev.Said)
    assert Accepted(counter=1, seq=said.seq) == answer
