"""Arrival order is the law at a table: for bots, for clocks, and for whoever comes and goes."""

import asyncio
import contextlib
import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import pytest

from racing_demon_protocol.engine.board import Board
from racing_demon_protocol.engine.dealer import Dealer
from racing_demon_protocol.engine.sliced_search import SearchSteps, SlicedSearch
from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Refused
from racing_demon_protocol.wire.options import Options
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.journal.reader import log_of
from racing_demon_server.journal.sqlite.database import open_journal
from racing_demon_server.match.hand import SLICE_UNITS, DeadHandTest
from racing_demon_server.match.lifecycle import SETTLED_AT_ONCE
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.registry import Registry
from racing_demon_server.tables.room import Room
from tests.support.builds import skip_unless_pure
from tests.support.cases import for_each
from tests.support.inside import dead_tests, hand_of
from tests.support.servers import Peer, logged_warnings, serving
from tests.support.virtual_journal import VirtualJournal
from tests.support.virtual_rooms import (
    FakeConnection,
    RoundingLoop,
    answered,
    in_virtual_time,
    now,
    open_room,
    say,
    seat_at,
)

LIMIT_SECONDS = 2


class Started:
    """A room at play, with Ann and Ben, whose hand ends at a certain time."""

    def __init__(self, room: Room, conns: dict[int, FakeConnection]) -> None:
        self.room = room
        self.conns = conns
        self._counters = dict.fromkeys(conns, 1)

    @classmethod
    async def at_play(cls, **options: Any) -> "Started":
        """Open a room, and let the hand begin."""
        room = open_room(time_limit_ms=LIMIT_SECONDS * 1_000, **options)
        started = cls(room, dict(seat_at(room, name) for name in ("Ann", "Ben")))
        await say(room, started.conns[0], 0, cl.Start(counter=1))
        await asyncio.sleep(0.001)
        assert Phase.PLAYING is room.table.view.phase
        return started

    async def almost_over(self) -> None:
        """Wait until the time is up in a millisecond, or a little more."""
        signal_at = self.room.table.hand_clock.signal_at
        assert signal_at is not None
        await asyncio.sleep((signal_at - now()) / 1_000_000 + LIMIT_SECONDS - 0.002)

    def turn(self, seat: int) -> None:
        """Let bytes be read now that turn a seat's stock."""
        view = self.room.table.view
        assert view.hand is not None
        turn = view.hand.rules.stock_play(view.hand.board, seat)
        assert turn is not None
        self._counters[seat] += 1
        command = cl.PlayCards.of(turn, counter=self._counters[seat], seen=view.seq)
        self.room.put(self.conns[seat], seat, command, now())

    @property
    def log(self) -> list[ev.Event]:
        """What Ann and Ben have heard."""
        return max((conn.events for conn in self.conns.values()), key=len)

    def played(self) -> list[int]:
        """Return whose plays were carried out before the hand was over."""
        seats = []
        for event in self.log:
            if isinstance(event, ev.HandOver):
                break
            if isinstance(event, ev.Played):
                seats.append(event.seat)
        return seats


def pass_seconds(seconds: float) -> None:
    """Let some time pass in which the loop is busy with something else."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, RoundingLoop)
    loop.let_pass(seconds)


def lose(started: Started) -> None:
    """Let Ben's line break."""
    started.room.leave(started.conns[1], 1)


def join(started: Started) -> None:
    """Let Cat come."""
    seat_at(started.room, "Cat")


def come_back(started: Started) -> None:
    """Let Ben come back on another line, as a session does it."""
    conn = FakeConnection()
    started.room.catch_up()
    started.room.broadcast.take_seat(conn, 1)
    started.room.connect(1)


def halt(started: Started) -> None:
    """Let the disk fail."""
    started.room.halt(halted=True)


def wake(started: Started) -> None:
    """Let the table's own timer run late."""
    started.room._run_once()


def move(started: Started) -> None:
    """Let a bot look at the table."""
    started.room._bots._catch_up()


@for_each("act", [lose, join, come_back, halt, wake, move], ids=lambda act: act.__name__)
def test_what_was_read_before_the_time_was_up_counts(act: Callable[[Started], None]) -> None:
    """Whatever else comes to the table when the time is up, it overtakes nothing that was read before."""

    async def history() -> None:
        started = await Started.at_play()
        await started.almost_over()
        started.turn(0)
        pass_seconds(0.003)
        act(started)
        await answered()
        await asyncio.sleep(0.1)
        assert started.played() == [0]
        started.room.close()

    in_virtual_time(history(), RoundingLoop)


def test_rounds_do_not_put_a_play_off_beyond_the_end(caplog: pytest.LogCaptureFixture) -> None:
    """The second play of one read counts, though another's first, which was read later, came too late."""

    async def history() -> None:
        started = await Started.at_play()
        await started.almost_over()
        started.turn(0)
        started.turn(0)
        pass_seconds(0.003)
        started.turn(1)
        await asyncio.sleep(0.1)
        assert started.played() == [0, 0]
        assert [r.reason for r in started.conns[1].replies if isinstance(r, Refused)] == [Reason.HAND_OVER]
        started.room.close()

    in_virtual_time(history(), RoundingLoop)
    assert logged_warnings(caplog) == []


def test_what_was_sent_before_a_line_broke_is_judged() -> None:
    """A connection that is lost takes nothing back that was read from it."""

    async def history() -> None:
        started = await Started.at_play()
        started.turn(1)
        lose(started)
        await answered()
        assert started.played() == [1]
        started.room.close()

    in_virtual_time(history(), RoundingLoop)


def test_what_was_sent_before_a_seat_was_taken_up_again_is_judged() -> None:
    """A newer connection of a seat takes nothing back that was read from the older one."""

    async def history() -> None:
        started = await Started.at_play()
        started.turn(1)
        come_back(started)
        await answered()
        assert started.played() == [1]
        started.room.close()

    in_virtual_time(history(), RoundingLoop)


def test_virtual_time_deals_the_same_hands_in_every_run() -> None:
    """A table whose seed is secret deals the same in two runs: no test fails in one run of 400."""

    async def history() -> bytes:
        room = Registry(ServerSettings(), now, NullJournal()).open(Options(countdown_ms=0))
        ann, conn = seat_at(room, "Ann")
        await say(room, conn, ann, cl.Start(counter=1))
        room.close()
        return b"".join(conn.written)

    assert in_virtual_time(history()) == in_virtual_time(history())


def test_every_event_has_the_time_when_it_was_due(tmp_path: Path) -> None:
    """However late a table's timer is, the journal has its event with the moment at which it was due."""
    path = tmp_path / "journal.db"

    async def history() -> int:
        journal = VirtualJournal(path, random.Random(1))
        options = Options(time_limit_ms=LIMIT_SECONDS * 1_000, countdown_ms=0, tally_ms=0)
        room = Registry(ServerSettings(), now, journal).open(options)
        ann, conn = seat_at(room, "Ann")
        await say(room, conn, ann, cl.Start(counter=1))
        await asyncio.sleep(0.1)
        signal_at = room.table.hand_clock.signal_at
        assert signal_at is not None
        pass_seconds(LIMIT_SECONDS + 0.2)
        await asyncio.sleep(0.1)
        room.close()
        journal.close()
        return signal_at

    signal_at = in_virtual_time(history(), RoundingLoop)
    with contextlib.closing(open_journal(path)) as db:
        times = [kept.at_us for kept in log_of(db, 1) if isinstance(kept.event, ev.HandOver)]
    assert [signal_at + LIMIT_SECONDS * 1_000_000] == times


class Slow(Dealer):
    """A dealer of whom nobody hears within minutes whether a seat can come further.

    Attributes:
        units: how much work it has done.

    """

    units = 0

    def __new__(cls, *_arguments: object) -> Self:
        """Skip the test where this class is not possible."""
        skip_unless_pure("inherits from a dealer")
        return super().__new__(cls)

    def search(self, board: Board, seat: int) -> SlicedSearch[bool]:
        """Begin a search."""
        return SlicedSearch(self._take())

    def _take(self) -> SearchSteps:
        for _ in range(1_000 * SLICE_UNITS):
            self.units += 1
            yield 1
        return False


def turn(started: Started) -> None:
    """Let a play be read and judged."""
    started.turn(0)
    started.room._empty_inbox()


@for_each("act", [lose, join, come_back, halt, wake, move, turn], ids=lambda act: act.__name__)
def test_a_loop_that_is_late_makes_up_for_one_slice_of_a_search(act: Callable[[Started], None]) -> None:
    """Whatever comes to a table half a second late, the other tables wait for one slice, and not for all."""

    async def history() -> None:
        started = await Started.at_play()
        hand = hand_of(started.room.table)
        assert hand is not None
        dealer = Slow(bytes(32), hand.rules)
        dead_tests(hand)[None] = DeadHandTest(hand.board, dealer, now())
        started.room.table._is_next_known = False
        started.room._set_timer()
        await asyncio.sleep(0.1)
        begun = dealer.units
        assert begun > 10 * SLICE_UNITS
        pass_seconds(0.5)
        act(started)
        assert dealer.units <= begun + SLICE_UNITS

    in_virtual_time(history(), RoundingLoop)


async def _weavers_at_the_signal() -> tuple[Room, dict[int, FakeConnection]]:
    """Return a table of three whose packs the signal is about to lay out."""
    room = open_room(game="weavers", countdown_ms=1_000)
    conns = dict(seat_at(room, name) for name in ("Ann", "Ben", "Cat"))
    await say(room, conns[0], 0, cl.Start(counter=1))
    await asyncio.sleep(0.999)
    room._alarm.set(None)
    pass_seconds(0.01)
    room._run_once()
    return room, conns


def test_what_the_signal_leads_to_is_done_bit_by_bit_and_told_together() -> None:
    """Other tables come between some plays of a seat's pack and the next, and no player sees cards first."""

    async def history() -> None:
        room, conns = await _weavers_at_the_signal()
        left, made = [], [0]
        while not any(isinstance(event, ev.Signalled) for conn in conns.values() for event in conn.events):
            left.append(len(room.table._state.record.unsettled))
            await asyncio.sleep(0)
            made.append(len(room._fresh) or made[-1])
        assert list(dict.fromkeys(left)) == [3, 2, 1]
        assert max(after - before for before, after in pairwise(made)) == SETTLED_AT_ONCE
        plays = [sum(isinstance(event, ev.Played) for event in conn.events) for conn in conns.values()]
        assert plays[0] > 50
        assert len(set(plays)) == 1

    in_virtual_time(history(), RoundingLoop)


def test_whoever_goes_while_packs_are_laid_out_holds_up_nobody() -> None:
    """What is left to be laid is laid at once, and all who are there are told."""

    async def history() -> None:
        room, conns = await _weavers_at_the_signal()
        assert room.table.is_settling
        assert not any(isinstance(event, ev.Signalled) for event in conns[0].events)
        room.leave(conns[2], 2)
        assert not room.table.is_settling
        await answered()
        for conn in (conns[0], conns[1]):
            assert room.table.view.seq == conn.events[-1].seq
        room.close()

    in_virtual_time(history(), RoundingLoop)


async def strike(peer: Peer, room: Room) -> list[int]:
    """Send a play before a bot's hand arrives, and keep the loop busy until both are there.

    Returns whose plays were carried out then, in their order; none, where this machine was too slow.
    """
    loop, bot, begun = asyncio.get_running_loop(), room._bots._timers[1], room.table.view.seq
    done = loop.create_future()

    def act() -> None:
        view = room.table.view
        assert view.hand is not None
        turn = view.hand.rules.stock_play(view.hand.board, 0)
        if turn is not None and view.seq == begun and loop.time() < bot.when() - 0.001:
            peer.burst([peer.next(cl.PlayCards, **turn._asdict(), seen=view.seq)])
            while loop.time() < bot.when():
                pass
            loop.call_soon(loop.call_soon, loop.call_soon, done.set_result, True)
        else:
            done.set_result(False)

    loop.call_at(bot.when() - 0.05, act)
    if not await done:
        return []
    return [event.seat for event in await peer.follow(room.table.view.seq) if isinstance(event, ev.Played)]


async def test_a_bot_does_not_overtake_bytes_that_were_read_before() -> None:
    """Over real sockets: a play whose bytes are there when the bot's hand arrives is judged before it."""
    async with serving(bot_speed=4.0, seed=bytes(32)) as served, Peer.hosting(served.url) as ann:
        room = served.registry.room(ann.code)
        await ann.ask(cl.AddBot, level="hard")
        await ann.ask(cl.Start)
        contested = 0
        while contested < 3:
            await ann.until(ev.Played)
            await ann.follow(room.table.view.seq)
            seats = await strike(ann, room)
            assert seats[:1] in ([], [0])
            contested += len(seats) == 2


def test_what_was_due_one_after_the_other_has_its_own_times(tmp_path: Path) -> None:
    """Whoever comes before a late timer finds all of it done, each at the moment at which it was due."""
    path = tmp_path / "journal.db"

    async def history() -> int:
        journal = VirtualJournal(path, random.Random(1))
        options = Options(time_limit_ms=LIMIT_SECONDS * 1_000, countdown_ms=500)
        room = Registry(ServerSettings(), now, journal).open(options)
        ann, conn = seat_at(room, "Ann")
        await say(room, conn, ann, cl.Start(counter=1))
        await asyncio.sleep(0.1)
        signal_at = room.table.hand_clock.signal_at
        assert signal_at is not None
        assert now() < signal_at
        pass_seconds(LIMIT_SECONDS + 1)
        seat_at(room, "Ben")
        await asyncio.sleep(0.1)
        room.close()
        journal.close()
        return signal_at

    signal_at = in_virtual_time(history(), RoundingLoop)
    with contextlib.closing(open_journal(path)) as db:
        times = [kept.at_us for kept in log_of(db, 1) if isinstance(kept.event, ev.Signalled | ev.HandOver)]
    assert [signal_at, signal_at + LIMIT_SECONDS * 1_000_000] == times
