"""The hall: tables by their codes, how many there may be, and how long they are kept."""

import asyncio
import contextlib
import random
from pathlib import Path

import pytest

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Accepted, Refused
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.journal.sqlite.database import open_journal
from racing_demon_server.net.handler import ServerContext
from racing_demon_server.net.table_service import TableService
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.passphrase import Passphrase
from racing_demon_server.tables.registry import Registry
from racing_demon_server.tables.room import Room
from tests.support.servers import NO_METRICS
from tests.support.virtual_journal import VirtualJournal
from tests.support.virtual_rooms import FakeConnection, now, say, seat_at, virtual

pytestmark = pytest.mark.usefixtures("quick_hashes")


def open_hall(**settings: object) -> Registry:
    """Open a hall with some settings changed."""
    return Registry(ServerSettings(**settings), now, NullJournal())  # type: ignore[arg-type]


def listen(room: Room) -> FakeConnection:
    """Let somebody come to a room."""
    conn = FakeConnection()
    room.broadcast.catch_up(conn, 0)
    return conn


def go(registry: Registry, room: Room, conn: FakeConnection) -> None:
    """Let somebody go from a room, as the gateway does."""
    room.leave(conn, None)
    if room.is_deserted:
        registry.expire(room)


def found(registry: Registry, code: str) -> bool:
    """Tell whether a hall has a table of a code."""
    try:
        registry.room(code)
    except CommandRefused:
        return False
    return True


# What everybody is told.


@virtual
async def test_tables_are_listed_as_everybody_sees_them(tmp_path: Path) -> None:
    """Who has sat down is on no list before that is written down."""
    journal = VirtualJournal(tmp_path / "journal.db", random.Random(0))
    registry = Registry(ServerSettings(), now, journal)
    seat_at(registry.open(Options()), "Ann")
    listed = [list(table.view.seats) for table in registry]
    await journal.drained()
    assert listed == [[]]
    assert [list(table.view.seats) for table in registry] == [[0]]
    registry.close()
    journal.close()


# How many, and how long.


@virtual
async def test_a_full_hall_opens_no_table() -> None:
    """One table too many is refused; when one goes there is room again."""
    registry = open_hall(max_tables=2, idle_table_seconds=10)
    rooms = [registry.open(Options()) for _ in range(2)]
    conn = listen(rooms[0])
    with pytest.raises(CommandRefused) as refused:
        registry.open(Options())
    assert refused.value.reason == Reason.SERVER_FULL
    await asyncio.sleep(11)
    assert len(registry) == 1
    registry.open(Options())
    go(registry, rooms[0], conn)
    registry.close()


@virtual
async def test_an_address_has_so_many_tables_at_a_time() -> None:
    """It gets one more when one of its own is closed; others', and this machine's, do not count for it."""
    registry = open_hall(tables_per_address=2, idle_table_seconds=10)
    service = TableService(ServerContext(ServerSettings(tables_per_address=2), now, NO_METRICS), registry)
    rooms = [service.open("203.0.113.9", Options(), Passphrase(bytes(16))) for _ in range(2)]
    conn = listen(rooms[0])
    with pytest.raises(CommandRefused, match="2 tables") as refused:
        service.open("203.0.113.9", Options(), Passphrase(bytes(16)))
    assert refused.value.reason == Reason.SERVER_FULL
    for address in ("203.0.113.10", "", "", ""):
        service.open(address, Options(), Passphrase(bytes(16)))
    await asyncio.sleep(11)
    assert len(registry) == 1
    service.open("203.0.113.9", Options(), Passphrase(bytes(16)))
    go(registry, rooms[0], conn)
    registry.close()


@virtual
async def test_a_server_has_so_many_bots_at_a_time() -> None:
    """One more is refused at every table, and standing in, too, until one goes; levels still change."""
    registry = open_hall(max_bots=3)
    one, other = (registry.open(Options()) for _ in range(2))
    (_, ann), (away, _), (_, eve) = seat_at(one, "Ann"), seat_at(one, "Ben"), seat_at(other, "Eve")
    one.table.connect(away, connected=False, at=now())
    bot = {"level": "easy"}
    await say(one, ann, 0, cl.AddBot(counter=1, **bot), cl.AddBot(counter=2, **bot))
    await say(one, ann, 0, cl.StandIn(counter=3, seat=away, **bot))
    await say(one, ann, 0, cl.StandIn(counter=4, seat=away, level="hard"), cl.AddBot(counter=5, **bot))
    await say(other, eve, 0, cl.AddBot(counter=1, **bot))
    await say(one, ann, 0, cl.RemoveBot(counter=6, seat=2))
    await say(other, eve, 0, cl.AddBot(counter=2, **bot))
    assert [reason(reply) for reply in ann.replies] == [None] * 4 + [Reason.SERVER_FULL, None]
    assert [reason(reply) for reply in eve.replies] == [Reason.SERVER_FULL, None]
    assert (one.bots, other.bots) == (2, 1)
    registry.close()


def reason(reply: Accepted | Refused) -> Reason | None:
    """Return why something was refused, if it was."""
    return reply.reason if isinstance(reply, Refused) else None


@virtual
async def test_options_that_no_game_has_open_no_table() -> None:
    """A table that cannot be played is refused, and takes no place."""
    registry = open_hall(max_tables=1)
    for options in (Options(game="bridge"), Options(game="racing-demon", reserve=13)):
        with pytest.raises(CommandRefused) as refused:
            registry.open(options)
        assert refused.value.reason == Reason.BAD_OPTION
    assert len(registry) == 0
    registry.open(Options())


@virtual
async def test_a_table_that_nobody_comes_to_is_closed() -> None:
    """A table that was opened and never listened to goes after the idle time, and not before."""
    registry = open_hall(idle_table_seconds=300)
    code = registry.open(Options()).table.view.code
    await asyncio.sleep(299)
    assert found(registry, code)
    await asyncio.sleep(2)
    assert not found(registry, code)


@virtual
async def test_a_table_is_kept_while_somebody_listens() -> None:
    """Hours pass, and the table stays."""
    registry = open_hall(idle_table_seconds=300)
    room = registry.open(Options())
    listen(room)
    await asyncio.sleep(10_000)
    assert room is registry.room(room.table.view.code)


@virtual
async def test_a_table_is_kept_for_the_idle_time_after_the_last_has_gone() -> None:
    """It goes when the time has passed since the last listener."""
    registry = open_hall(idle_table_seconds=300)
    room = registry.open(Options())
    code = room.table.view.code
    conn = listen(room)
    await asyncio.sleep(1_000)
    go(registry, room, conn)
    await asyncio.sleep(299)
    assert found(registry, code)
    await asyncio.sleep(2)
    assert not found(registry, code)


@virtual
async def test_the_idle_time_begins_anew_with_each_visit() -> None:
    """Whoever comes back just before the end, and is cut off again at once, finds the table later."""
    registry = open_hall(idle_table_seconds=300)
    room = registry.open(Options())
    code = room.table.view.code
    for _ in range(3):
        conn = listen(room)
        await asyncio.sleep(1)
        go(registry, room, conn)
        await asyncio.sleep(298.5)
        assert found(registry, code)
    await asyncio.sleep(2)
    assert not found(registry, code)


@virtual
async def test_no_table_is_closed_while_nobody_can_come_back(tmp_path: Path) -> None:
    """While the disk takes nothing seats cannot be taken up again; the idle time begins when it does."""
    journal = VirtualJournal(tmp_path / "journal.db", random.Random(1))
    registry = Registry(ServerSettings(idle_table_seconds=300), now, journal)
    room = registry.open(Options())
    code = room.table.view.code
    await journal.drained()
    journal.is_failing = True
    room.join("Ann", b"token", "")
    await asyncio.sleep(1_000)
    assert room.is_halted
    assert found(registry, code)
    journal.is_failing = False
    await asyncio.sleep(299)
    assert found(registry, code)
    await asyncio.sleep(3)
    assert not found(registry, code)
    journal.close()


@virtual
async def test_nothing_new_begins_while_the_disk_takes_nothing(tmp_path: Path) -> None:
    """Neither a table nor a seat is given away that could not be kept; later both are."""
    journal = VirtualJournal(tmp_path / "journal.db", random.Random(1))
    registry = Registry(ServerSettings(), now, journal)
    room = registry.open(Options())
    await journal.drained()
    journal.is_failing = True
    room.join("Ann", b"token", "")
    await asyncio.sleep(1)
    for begin in (lambda: registry.open(Options()), lambda: room.join("Ben", b"other", "")):
        with pytest.raises(CommandRefused) as refused:
            begin()
        assert Reason.HALTED is refused.value.reason
    journal.is_failing = False
    await journal.drained()
    assert room.join("Ben", b"other", "") == 1
    registry.open(Options())
    await journal.drained()
    journal.close()


@virtual
async def test_a_table_that_was_refused_is_not_in_the_journal(tmp_path: Path) -> None:
    """What cannot be played is not opened again by the next server."""
    journal = VirtualJournal(tmp_path / "journal.db", random.Random(1))
    registry = Registry(ServerSettings(), now, journal)
    with pytest.raises(CommandRefused):
        registry.open(Options(game="bridge"))
    kept = registry.open(Options())
    await journal.drained()
    with contextlib.closing(open_journal(journal.path)) as db:
        assert [kept.table.view.code] == [each.code for each in db.tables(only_open=True)]
    journal.close()


@virtual
async def test_a_closed_table_stands_still() -> None:
    """The bots of a table that was closed for want of listeners play no more."""
    registry = open_hall(idle_table_seconds=30)
    room = registry.open(Options(countdown_ms=0))
    host = FakeConnection()
    room.table.seat_tokens.add(None, b"host")
    room.broadcast.take_seat(host, None)
    bots = [cl.AddBot(counter=counter) for counter in range(1, 8)]
    await say(room, host, None, *bots, cl.Start(counter=8))
    dealt = room.table.view.seq
    go(registry, room, host)
    await asyncio.sleep(31)
    seq = room.table.view.seq
    await asyncio.sleep(100)
    assert dealt < seq == room.table.view.seq


@virtual
async def test_a_table_that_was_closed_in_a_hand_stays_as_it_was() -> None:
    """Its idle time is over then, too: nothing ends its match behind what the journal has of it."""
    registry = open_hall(idle_table_seconds=30)
    room = registry.open(Options(countdown_ms=0))
    ann, conn = seat_at(room, "Ann")
    await say(room, conn, ann, cl.AddBot(counter=1), cl.Start(counter=2))
    await asyncio.sleep(1)
    assert room.table.view.in_hand
    room.leave(conn, ann)
    registry.expire(room)
    registry.discard(room)
    seq = room.table.view.seq
    await asyncio.sleep(100)
    assert seq == room.table.view.seq


@virtual
async def test_a_table_is_not_closed_under_who_has_just_come() -> None:
    """Whoever waits for the disk to have written the place is there, though nothing is heard yet."""
    registry = open_hall(idle_table_seconds=30)
    room = registry.open(Options())
    room.broadcast.take_seat(FakeConnection(), room.join("Bob", b"token", ""))
    assert not room.broadcast
    await asyncio.sleep(31)
    assert found(registry, room.table.view.code)


@virtual
async def test_a_closed_hall_is_empty() -> None:
    """When the server stops, so do all tables."""
    registry = open_hall()
    rooms = [registry.open(Options()) for _ in range(3)]
    registry.close()
    assert len(registry) == 0
    assert not found(registry, rooms[0].table.view.code)
