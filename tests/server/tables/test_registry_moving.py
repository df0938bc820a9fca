"""A table that one server hands over and another one adopts, in virtual time."""

import asyncio
import logging
import math
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import pytest

from racing_demon_protocol.enums import CloseCode, Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Halted
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal.interface import Journal, StoredTable
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.journal.operations import Change, Operation
from racing_demon_server.journal.recovery import saved_state_of
from racing_demon_server.match.table import SavedState
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.observer import Observer
from racing_demon_server.tables.passphrase import Passphrase, Unchecked, slow_hash
from racing_demon_server.tables.registry import MOVED, STAYS, Registry
from racing_demon_server.tables.room import Room
from tests.support.servers import Closing
from tests.support.tables import of_type
from tests.support.virtual_journal import VirtualJournal
from tests.support.virtual_rooms import FakeConnection, answered, in_virtual_time, now, say, virtual

pytestmark = pytest.mark.usefixtures("quick_hashes")

HEIR = 7
WORD, SALT = "sesame", bytes(16)
HASH = slow_hash(WORD, SALT)
AHEAD = 5_000_000
"""How far the other server's clock is behind that of the first one, in microseconds."""


class SharedJournal(VirtualJournal):
    """A journal that notes who gets which table; SQLite, which has one server, does not keep that.

    Attributes:
        moved: the numbers of tables, each with the server that gets it.
        times: how many times of running hands were written.

    """

    def __init__(self, path: Path) -> None:
        super().__init__(path, random.Random(1))
        self.moved: list[tuple[int, int]] = []
        self.times = 0

    def write(self, changes: Sequence[Change], told: Callable[[], None]) -> None:
        """Write changes, and note what is moved."""
        self.times += sum(operation is Operation.KEEP_TIME for operation, _ in changes)
        self.moved += [values for operation, values in changes if operation is Operation.MOVE_TABLE]  # type: ignore[misc]
        super().write([each for each in changes if each[0] is not Operation.MOVE_TABLE], told)


class Observing(Observer):
    """Notes which tables were closed."""

    def __init__(self) -> None:
        self.closings = 0

    def closed(self, table: object) -> None:
        """Count it."""
        self.closings += 1


async def _played(registry: Registry) -> tuple[Room, FakeConnection]:
    """Open a table behind a passphrase, at which Ann plays with a bot."""
    room = registry.open(Options(hands=3, countdown_ms=0, time_limit_ms=60_000), Passphrase(SALT, HASH, WORD))
    conn = FakeConnection()
    ann = room.join("Ann", b"token", "")
    room.broadcast.take_seat(conn, ann)
    room.broadcast.catch_up(conn, 0)
    room.connect(ann)
    await say(room, conn, ann, cl.AddBot(counter=1, level="hard"), cl.Start(counter=2))
    await conn.until(ev.Signalled)
    await asyncio.sleep(5)
    return room, conn


async def _handed_over(registry: Registry, journal: SharedJournal) -> Room:
    """Open a table at a server, play, and hand it over."""
    room, _ = await _played(registry)
    registry.hand_over(room, HEIR)
    await journal.drained()
    return room


def _kept(journal: SharedJournal) -> tuple[StoredTable, SavedState, int]:
    """Return what the journal has of its only open table, and the newest time that was told."""
    with journal.reading() as (reader,):
        (kept,) = reader.tables(only_open=True)
        saved_state = saved_state_of(reader, kept)
        return kept, saved_state._replace(log=list(saved_state.log)), reader.last_us()


@virtual
async def test_a_table_is_handed_over_and_goes_on_elsewhere(tmp_path: Path) -> None:
    """It is as it was: code, seats, tokens, passphrase, number, hand, and time, on a clock of its own."""
    observing = Observing()
    journal = SharedJournal(tmp_path / "journal.db")
    first = Registry(ServerSettings(), now, journal, [observing])
    room, conn = await _played(first)
    code, number = room.table.view.code, room.journal.number
    first.hand_over(room, HEIR)
    assert (0, {number}) == (len(first), {*first.leaving})
    with pytest.raises(CommandRefused):
        first.room(code)
    await journal.drained()
    await asyncio.sleep(1)
    assert ([(number, HEIR)], set(), 1) == (journal.moved, {*first.leaving}, observing.closings)
    assert Closing(CloseCode.TRY_AGAIN, MOVED) == conn.closing
    elapsed = room.table.hand_clock.elapsed_ms(now())

    kept, saved_state, last = _kept(journal)
    second = Registry(ServerSettings(), lambda: now() - AHEAD, NullJournal())
    second.adopt(kept, saved_state, last, AHEAD, patience=math.inf)
    again = second.room(code)
    assert (kept.id, {number}) == (again.journal.number, {*second.numbers})
    assert room.table.view.options == again.table.view.options
    assert room.table.view.snapshot_for(0, 0).piles == again.table.view.snapshot_for(0, 0).piles
    assert again.table.seat_tokens.actor(b"token") == 0
    for word in ("guess", WORD):
        with pytest.raises(Unchecked) as unchecked:
            again.verify_passphrase(word, "")
    unchecked.value.lock.check(WORD, HASH, "", 0)
    with pytest.raises(CommandRefused) as caught:
        again.verify_passphrase("guess", "")
    assert Reason.BAD_PASSPHRASE is caught.value.reason
    again.verify_passphrase(WORD, "")
    assert again.journal.clock_watermark.offset_us == AHEAD
    assert elapsed - 2_000 <= again.table.hand_clock.elapsed_ms(now()) <= elapsed
    later = FakeConnection()
    again.attach(later, 0, "a" * 64)
    await asyncio.sleep(0)
    assert not again.table.view.paused
    first.close(for_good=False)
    second.close(for_good=False)
    journal.close()


@pytest.mark.parametrize("patience", [math.inf, 0])
@virtual
async def test_a_table_that_is_adopted_piece_by_piece_is_the_same(tmp_path: Path, patience: float) -> None:
    """While a long hand is read, others play, and then it goes on as it was."""
    journal = SharedJournal(tmp_path / "journal.db")
    first = Registry(ServerSettings(), now, journal)
    gone = await _handed_over(first, journal)
    second = Registry(ServerSettings(), now, NullJournal())
    ended = asyncio.Event()
    second.adopt(*_kept(journal), 0, ended.set, patience)
    code = gone.table.view.code
    if not patience:
        assert not second.rooms
        _, conn = await _played(second)
        assert [event for event in conn.events if isinstance(event, ev.Played)]
    await ended.wait()
    assert gone.table.view.snapshot_for(0, 0).piles == second.room(code).table.view.snapshot_for(0, 0).piles
    second.stop()
    first.close(for_good=False)
    second.close(for_good=False)
    journal.close()


@virtual
async def test_a_table_that_cannot_be_adopted_is_told_as_ended(tmp_path: Path) -> None:
    """It stays in the journal, and may not be asked for again and again."""
    journal = SharedJournal(tmp_path / "journal.db")
    first = Registry(ServerSettings(), now, journal)
    await _handed_over(first, journal)
    kept, saved_state, last = _kept(journal)
    second = Registry(ServerSettings(), now, NullJournal())
    ended = asyncio.Event()
    second.adopt(kept, saved_state._replace(seeds={}), last, 0, ended.set, math.inf)
    assert ended.is_set()
    assert not second.rooms
    with pytest.raises(CommandRefused):
        second.room(kept.code)
    first.close(for_good=False)
    journal.close()


@virtual
async def test_each_adoption_is_an_epoch_of_its_own(tmp_path: Path) -> None:
    """Who has seen events that a table lost on its way gets all of the table, whoever had it in between."""
    journal = SharedJournal(tmp_path / "journal.db")
    first = Registry(ServerSettings(), now, journal)
    room, _ = await _played(first)
    code, before = room.table.view.code, room.epochs
    first.hand_over(room, HEIR)
    await journal.drained()
    kept, saved_state, last = _kept(journal)
    names = set()
    for _ in range(2):
        server = Registry(ServerSettings(), now, NullJournal())
        server.adopt(kept, saved_state, last, 0, patience=math.inf)
        names.add(server.room(code).epochs.current)
        server.close(for_good=False)
    assert len(names) == 2
    assert before.current not in names
    assert {16} == {len(name) for name in names}
    first.close(for_good=False)
    journal.close()


@virtual
async def test_a_table_that_comes_back_is_in_another_epoch(tmp_path: Path) -> None:
    """A server that adopts its own former table does not take it for the one that it had."""
    journal = SharedJournal(tmp_path / "journal.db")
    registry = Registry(ServerSettings(), now, journal)
    room = await _handed_over(registry, journal)
    registry.adopt(*_kept(journal), 0, patience=math.inf)
    (again,) = registry.rooms
    assert room.epochs.current != again.epochs.current
    registry.close(for_good=False)
    journal.close()


@virtual
async def test_the_time_that_an_answer_takes_is_right_on_any_clock(tmp_path: Path) -> None:
    """It counts from the moment in which the command was read, though the table's clock is another."""

    class Timing(Observer):
        took: Final[list[int]] = []

        def answered(self, table: object, command: object, reply: object, took_us: int) -> None:
            self.took.append(took_us)

    journal = SharedJournal(tmp_path / "journal.db")
    first = Registry(ServerSettings(), now, journal)
    await _handed_over(first, journal)
    second = Registry(ServerSettings(), lambda: now() - AHEAD, NullJournal(), [Timing()])
    second.adopt(*_kept(journal), AHEAD, patience=math.inf)
    (again,) = second.rooms
    conn = FakeConnection()
    again.attach(conn, 0, "a" * 64)
    again.put(conn, 0, cl.Say(counter=3, text="Hello"), now() - AHEAD - 300)
    await answered()
    assert Timing.took == [300]
    first.close(for_good=False)
    second.close(for_good=False)
    journal.close()


@virtual
async def test_an_adopted_table_has_the_cards_that_it_would_have_had(tmp_path: Path) -> None:
    """Servers of one seed deal a table the same hands, whichever of them has it."""

    async def promises(journal: Journal, heir: bool) -> list[str]:
        registry = Registry(ServerSettings(seed=bytes(32)), now, journal)
        registry.open(Options())
        room, conn = await _played(registry)
        before = [event.commitment for event in conn.events if isinstance(event, ev.Committed)]
        if heir:
            assert isinstance(journal, SharedJournal)
            registry.discard(registry.rooms[0])
            registry.hand_over(room, HEIR)
            await journal.drained()
            registry = Registry(ServerSettings(seed=bytes(32)), now, NullJournal())
            registry.adopt(*_kept(journal), 0, patience=math.inf)
            (room,) = registry.rooms
            assert room.journal.number == 2
            conn = FakeConnection()
            room.broadcast.take_seat(conn, 0)
            room.broadcast.catch_up(conn, 0)
            room.connect(0)
        await asyncio.sleep(90)
        await say(room, conn, 0, cl.Ready(counter=3))
        await conn.until(ev.Committed)
        after = [event.commitment for event in conn.events if isinstance(event, ev.Committed)]
        registry.close(for_good=False)
        return before + after if heir else after

    undisturbed = await promises(NullJournal(), heir=False)
    journal = SharedJournal(tmp_path / "journal.db")
    assert len(undisturbed) == 2
    assert undisturbed == await promises(journal, heir=True)
    journal.close()


@virtual
async def test_nothing_more_is_kept_of_a_table_that_is_handed_over(tmp_path: Path) -> None:
    """Its hand runs elsewhere: the time of this server need not go on for it."""
    journal = SharedJournal(tmp_path / "journal.db")
    registry = Registry(ServerSettings(), now, journal)
    room, _ = await _played(registry)
    assert journal.times
    registry.hand_over(room, HEIR)
    await asyncio.sleep(2)
    times = journal.times
    await asyncio.sleep(60)
    assert times == journal.times
    registry.close(for_good=False)
    journal.close()


@virtual
async def test_players_of_a_table_without_an_heir_hear_that_it_waits(tmp_path: Path) -> None:
    """It is in the journal, for a server that starts."""
    journal = SharedJournal(tmp_path / "journal.db")
    registry = Registry(ServerSettings(), now, journal)
    room, conn = await _played(registry)
    registry.hand_over(room, None)
    await journal.drained()
    assert journal.moved == []
    assert Closing(CloseCode.TRY_AGAIN, STAYS) == conn.closing
    journal.close()


@pytest.mark.parametrize("is_halted", [True, False])
@virtual
async def test_a_server_that_cannot_write_adopts_a_halted_table(is_halted: bool, tmp_path: Path) -> None:
    """Nothing happens at it until the disk is back."""
    journal = SharedJournal(tmp_path / "journal.db")
    first = Registry(ServerSettings(), now, journal)
    await _handed_over(first, journal)
    second = Registry(ServerSettings(), now, NullJournal())
    second.halt("database", is_halted)
    second.adopt(*_kept(journal), 0, patience=math.inf)
    (again,) = second.rooms
    assert is_halted is again.is_halted
    first.close(for_good=False)
    second.close(for_good=False)
    journal.close()


@virtual
async def test_tables_go_on_when_no_reason_to_halt_is_left() -> None:
    """Two reasons halt once; the first that ends changes nothing, the second ends the halt."""
    registry = Registry(ServerSettings(), now, NullJournal())
    room, conn = await _played(registry)
    for why, halted in (("disk", True), ("database", True), ("disk", True), ("disk", False)):
        registry.halt(why, halted)
        assert room.is_halted
        assert registry.is_halted
    registry.halt("elsewhere", halted=False)
    registry.halt("database", halted=False)
    assert not room.is_halted
    assert [message.halted for message in conn.heard if isinstance(message, Halted)] == [True, False]
    registry.close()


def test_the_log_tells_which_table_was_opened_and_closed(caplog: pytest.LogCaptureFixture) -> None:
    """By its code."""

    async def history() -> None:
        registry = Registry(ServerSettings(), now, NullJournal())
        room = registry.open(Options())
        registry.discard(room)
        told = [(record.getMessage(), vars(record).get("table")) for record in caplog.records]
        code = room.table.view.code
        assert [("table opened", code), ("table closed", code)] == told

    with caplog.at_level(logging.INFO, "racing_demon_server"):
        in_virtual_time(history())


@virtual
async def test_who_has_left_or_hosted_comes_back_at_the_server_that_takes_the_table_over(
    tmp_path: Path,
) -> None:
    """Tokens, what late players start with, whom the table waits for as its host, and the last hand stay."""
    journal = SharedJournal(tmp_path / "journal.db")
    first = Registry(ServerSettings(), now, journal)
    room, conn = await _played(first)
    guests = {name: (room.join(name, name.encode(), ""), FakeConnection()) for name in ("Ben", "Cleo")}
    for seat, each in guests.values():
        room.broadcast.take_seat(each, seat)
        room.connect(seat)
    await say(room, conn, 0, cl.SetLateStart(counter=3), cl.SetLastHand(counter=4))
    ben, other = guests["Ben"]
    await say(room, other, ben, cl.Leave(counter=1))
    room.leave(conn, 0)
    await asyncio.sleep(21)
    cleo, _ = guests["Cleo"]
    assert (room.table.view.host, room.table.view.absent_host) == (cleo, 0)
    first.hand_over(room, HEIR)
    await journal.drained()
    stored, saved_state, last_us = _kept(journal)
    heir = Registry(ServerSettings(), now, NullJournal())
    heir.adopt(stored, saved_state, last_us, 0, patience=math.inf)
    adopted = heir.room(room.table.view.code)
    assert (adopted.table.view.late_start, adopted.table.view.last_hand) == (True, 1)
    assert not adopted.table.seat_tokens.knows(b"Ben")
    assert adopted.seat_of_leaver(b"Ben", "", program=False) == ben
    adopted.players[ben] = "player"
    assert adopted.seat_of_leaver(b"tablet", "player", program=False) == ben
    assert adopted.seat_of_leaver(b"tablet", "player", program=True) is None, (
        "a program takes a seat of its own"
    )
    adopted.take_back(ben, b"Ben", "")
    assert adopted.table.view.seats[ben].name == "Ben"
    assert adopted.table.view.sitting_out == (ben,)
    ann = FakeConnection()
    adopted.attach(ann, 0, "0" * 64)
    assert (adopted.table.view.host, adopted.table.view.absent_host) == (0, None)
    await say(adopted, ann, 0, cl.EndMatch(counter=5))
    (end,) = of_type(ev.MatchOver, ann.events)
    assert end.closed
    heir.close(for_good=False)
    first.close(for_good=False)
    journal.close()
