"""Bots at a table: they play by themselves, alike from one seed, and stop when they are sent away."""

import asyncio
import random
from collections import Counter
from collections.abc import Generator
from itertools import pairwise
from typing import ClassVar, Final

import pytest

from racing_demon_protocol.engine.sliced_search import UNIT_MICROSECONDS, SlicedSearch
from racing_demon_protocol.enums import BotLevel
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.messages import Event
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Accepted
from racing_demon_protocol.wire.options import Options
from racing_demon_server.bots import scheduler
from racing_demon_server.bots.bot import Bot, Decision
from racing_demon_server.bots.levels import LEVELS, Skill
from racing_demon_server.bots.scheduler import SLICE_GAP_SECONDS, SLICE_UNITS, BotScheduler
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.match.seat_tokens import SeatTokens
from racing_demon_server.rate_limits import Budget, TokenBucket
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.registry import Registry
from racing_demon_server.tables.room import COST_MICROSECONDS
from tests.support.tables import told
from tests.support.virtual_rooms import FakeConnection, in_virtual_time, now, open_room, say, seat_at, virtual

SEED: Final = bytes(range(32))


async def play_out(bot_speed: float) -> tuple[list[Event], float]:
    """Let three bots play a hand, without a failure; return the log and how many seconds it took."""
    failures: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: failures.append(context))
    room = open_room(bot_speed=bot_speed, hands=1)
    host, conn = FakeConnection(), FakeConnection()
    room.table.seat_tokens.add(None, b"host")
    room.broadcast.take_seat(host, None)
    room.broadcast.catch_up(conn, 0)
    begun = now()
    bots = [cl.AddBot(counter=number) for number in (1, 2, 3)]
    await say(room, host, None, *bots, cl.Start(counter=4))
    await conn.until(ev.MatchOver)
    room.close()
    assert not failures
    return conn.events, (now() - begun) / 1_000_000


def test_bots_play_a_match_to_its_end() -> None:
    """Three bots and nobody else finish a hand."""
    events, _ = in_virtual_time(play_out(1.0))
    assert told(events[-2:]) == "hand_over match_over"
    assert {0, 1, 2} == {event.seat for event in events if isinstance(event, ev.Played)}


@pytest.mark.long
def test_bots_from_one_seed_play_alike() -> None:
    """The same seeds, on the same clock, make the same log."""
    assert in_virtual_time(play_out(3.0)) == in_virtual_time(play_out(3.0))


@pytest.mark.long
def test_bots_can_be_hurried() -> None:
    """Ten times the speed takes about a tenth of the time."""
    _, slow = in_virtual_time(play_out(1.0))
    _, fast = in_virtual_time(play_out(10.0))
    assert 5 < slow / fast < 20


@virtual
async def test_a_bot_that_is_sent_away_stops_playing() -> None:
    """After a bot has left, nothing of it is heard, and another can take its seat."""
    room = open_room()
    ann, conn = seat_at(room, "Ann")
    await say(room, conn, ann, cl.AddBot(counter=1), cl.RemoveBot(counter=2, seat=1), cl.AddBot(counter=3))
    await say(room, conn, ann, cl.RemoveBot(counter=4, seat=1), cl.Start(counter=5))
    await asyncio.sleep(60)
    assert not any(isinstance(event, ev.Played) for event in conn.events)


@virtual
async def test_a_bot_stands_in_beyond_the_highest_counter() -> None:
    """A player who has used the highest counter leaves the bot a next one, and finds one on coming back."""
    room = open_room(bot_speed=10.0)
    ann, ann_ear = seat_at(room, "Ann")
    ben, ben_ear = seat_at(room, "Ben")
    for counter in (2**30 - 1, 2**31 - 3, 2**31 - 1):
        await say(room, ben_ear, ben, cl.Ready(counter=counter, ready=False))
    await say(room, ann_ear, ann, cl.Start(counter=1))
    room.leave(ben_ear, ben)
    await say(room, ann_ear, ann, cl.StandIn(counter=2, seat=ben))
    await asyncio.sleep(5)
    assert any(isinstance(event, ev.Played) and event.seat == ben for event in ann_ear.events)
    room.broadcast.take_seat(ben_ear, ben)
    room.connect(ben)
    last = room.table.seat_tokens.counter(ben)
    await say(room, ben_ear, ben, cl.Say(counter=last + 1, text="back"))
    assert Accepted(counter=last + 1, seq=room.table.view.seq) == ben_ear.replies[-1]


# Who plays which seat.


class Recruit(Bot):
    """A bot that tells what it was made of, and when it looks first.

    Attributes:
        made: of each bot its seat, level, last counter, first random number, and the time of its first look.

    """

    made: ClassVar[list[tuple[int, Skill, int, float, int]]] = []

    def observe(self, view: TableState) -> SlicedSearch[Decision]:
        """Look once, and then wait for ever."""
        first = random.Random(SEED + bytes([self.seat])).random()
        assert self._rng.random() != first  # the first number was for the start
        self.made.append((self.seat, self.level, self._counter, first, now()))
        return SlicedSearch(self._nothing())

    def _nothing(self) -> Generator[int, None, Decision]:
        yield from ()
        return None, 10**9


@virtual
async def test_a_seat_has_the_bot_that_the_events_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has its level, the seat's last counter, randomness of its own, and starts within 400 ms."""
    monkeypatch.setattr(scheduler, "Bot", Recruit)
    monkeypatch.setattr(Recruit, "made", [])

    tokens, view = SeatTokens(), TableState("TEST", Options())
    for seat in range(4):
        tokens.add(seat, b"token")
    tokens.remember(1, Accepted(counter=77, seq=1))
    bots = BotScheduler(view, lambda: None, lambda seat, command: None, speed=0.5, seed=SEED)
    begun = now()
    bots.apply(ev.Joined(seq=1, seat=0, name="Ada", bot=BotLevel.EASY), tokens)
    bots.apply(ev.Joined(seq=2, seat=1, name="Ben"), tokens)
    bots.apply(ev.Signalled(seq=3), tokens)
    assert len(bots) == 1
    bots.apply(ev.StoodIn(seq=4, seat=1, bot=BotLevel.HARD), tokens)
    bots.apply(ev.Joined(seq=5, seat=2, name="Cat", bot=BotLevel.EASY), tokens)
    bots.apply(ev.Joined(seq=6, seat=3, name="Dan", bot=BotLevel.EASY), tokens)
    bots.apply(ev.Connected(seq=7, seat=1, connected=False), tokens)
    assert len(bots) == 4
    bots.apply(ev.Left(seq=8, seat=2), tokens)
    bots.apply(ev.Connected(seq=9, seat=3, connected=True), tokens)
    bots.apply(ev.StoodIn(seq=10, seat=1, bot=BotLevel.EXPERT), tokens)
    assert len(bots) == 2
    await asyncio.sleep(2)
    assert [(0, LEVELS[BotLevel.EASY], 0), (1, LEVELS[BotLevel.EXPERT], 77)] == sorted(
        made[:3] for made in Recruit.made
    )
    for *_, first, at in Recruit.made:
        assert at - begun == pytest.approx(first * 2 * 400_000, abs=2)
    bots.close()
    assert len(bots) == 0


@virtual
async def test_bots_take_their_seats_again_after_a_restart(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bot's own seat, and one that it stands in at, with the level and the counter; nobody who has left."""
    monkeypatch.setattr(scheduler, "Bot", Recruit)
    monkeypatch.setattr(Recruit, "made", [])

    tokens, view = SeatTokens(), TableState("TEST", Options())
    view.apply(ev.Joined(seq=1, seat=0, name="Ada", bot=BotLevel.EASY))
    view.apply(ev.Joined(seq=2, seat=1, name="Ben", bot=""))
    view.apply(ev.Joined(seq=3, seat=2, name="Cat", bot=""))
    view.apply(ev.StoodIn(seq=4, seat=2, bot=BotLevel.HARD))
    view.apply(ev.Joined(seq=5, seat=3, name="Dan", bot=BotLevel.EASY))
    view.record = view.record.with_seat(3, left=True)
    for seat in range(4):
        tokens.add(seat, b"token")
        tokens.remember(seat, Accepted(counter=seat + 5, seq=1))
    bots = BotScheduler(view, lambda: None, lambda seat, command: None, speed=1.0, seed=SEED)
    bots.continue_after_restart(tokens)
    assert len(bots) == 2
    await asyncio.sleep(1)
    assert [(0, LEVELS[BotLevel.EASY], 5), (2, LEVELS[BotLevel.HARD], 7)] == sorted(
        made[:3] for made in Recruit.made
    )
    bots.close()


@pytest.mark.long
@virtual
async def test_who_opened_a_table_pays_for_its_bots_thoughts() -> None:
    """Bots of somebody who has no units left think more seldom, and go on."""
    plays = []
    for budget in (None, Budget(TokenBucket(8, 8))):
        registry, conn = Registry(ServerSettings(), now, NullJournal()), FakeConnection()
        room = registry.open(Options(hands=9, countdown_ms=0, tally_ms=0), budget=budget)
        room.add_host(b"host")
        room.attach(conn, None, "0" * 64)
        for counter in range(1, 9):
            room.put(conn, None, cl.AddBot(counter=counter, level=BotLevel.EXPERT), now())
        room.put(conn, None, cl.Start(counter=9), now())
        await asyncio.sleep(30)
        plays.append(sum(isinstance(event, ev.Played) for event in conn.events))
        registry.close()
    assert 0 < plays[1] < plays[0] / 2


# Thinking in slices.


class Ponderer(Bot):
    """A bot that thinks long, and then has nothing to play.

    Attributes:
        work: how many units were done at which moment, by all together.

    """

    work: ClassVar[Counter[int]] = Counter()

    def observe(self, view: TableState) -> SlicedSearch[Decision]:
        """Begin to think."""
        return SlicedSearch(self._ponder())

    def _ponder(self) -> Generator[int, None, Decision]:
        for _ in range(10 * SLICE_UNITS):
            self.work[now()] += 1
            yield 1
        return None, 60_000


@pytest.fixture
def ponderers(monkeypatch: pytest.MonkeyPatch) -> Counter[int]:
    """Let bots ponder; return what they do when."""
    monkeypatch.setattr(scheduler, "Bot", Ponderer)
    monkeypatch.setattr(Ponderer, "work", work := Counter[int]())
    return work


def test_a_bot_lets_others_come_between_two_slices(ponderers: Counter[int]) -> None:
    """However long a bot thinks, it does one slice at a time, and leaves the loop alone until the next."""

    async def history() -> None:
        room = open_room()
        ann, conn = seat_at(room, "Ann")
        await say(room, conn, ann, cl.AddBot(counter=1))
        await asyncio.sleep(5)
        room.close()

    in_virtual_time(history())
    assert list(ponderers.values()) == [SLICE_UNITS] * 10
    gap = round(SLICE_GAP_SECONDS * 1_000_000)
    assert all(gap <= after - before < 2 * gap for before, after in pairwise(ponderers))


def test_a_bot_that_has_nothing_to_play_looks_again(ponderers: Counter[int]) -> None:
    """It begins a new thought after the time that it has decided to wait, and nothing fails on the way."""
    failures: list[object] = []

    async def history() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: failures.append(context))
        room = open_room()
        ann, conn = seat_at(room, "Ann")
        await say(room, conn, ann, cl.AddBot(counter=1))
        await asyncio.sleep(5)
        assert ponderers.total() == 10 * SLICE_UNITS
        await asyncio.sleep(60)
        assert ponderers.total() == 20 * SLICE_UNITS
        room.close()

    in_virtual_time(history())
    assert not failures


@virtual
async def test_a_thought_costs_the_time_that_it_takes(ponderers: Counter[int]) -> None:
    """Whoever opened the table pays for it as for everything else that keeps the server busy as long."""
    units, conn = TokenBucket(0.001, 10_000), FakeConnection()
    registry = Registry(ServerSettings(), now, NullJournal())
    room = registry.open(Options(), budget=Budget(units))
    room.add_host(b"host")
    room.attach(conn, None, "0" * 64)
    room.put(conn, None, cl.AddBot(counter=1), now())
    await asyncio.sleep(5)
    assert ponderers.total() == 10 * SLICE_UNITS
    paid = 10 * SLICE_UNITS * UNIT_MICROSECONDS / COST_MICROSECONDS
    assert units.used(now()) == pytest.approx(paid, rel=0.01)
    registry.close()


@virtual
async def test_a_bot_that_is_sent_away_while_it_thinks_stops_thinking(ponderers: Counter[int]) -> None:
    """Nothing more is done for a bot whose seat was taken from it in the midst of a thought."""
    room = open_room()
    ann, conn = seat_at(room, "Ann")
    await say(room, conn, ann, cl.AddBot(counter=1))
    begins = room._bots._timers[1].when() - asyncio.get_running_loop().time()
    await asyncio.sleep(begins + SLICE_GAP_SECONDS)
    await say(room, conn, ann, cl.RemoveBot(counter=2, seat=1))
    done = ponderers.total()
    assert done > 0
    await asyncio.sleep(5)
    assert done == ponderers.total() < 10 * SLICE_UNITS
    room.close()
