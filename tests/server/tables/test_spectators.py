"""The spectators of a table: what they see, and when."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

import pytest

from racing_demon_cluster.relay.tables import Replica
from racing_demon_protocol.enums import Phase
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.handicap import Handicap
from racing_demon_protocol.wire.messages.server import RaceLost, Snapshot, Watchers
from racing_demon_protocol.wire.options import Options
from racing_demon_server.encoded_messages import EncodedEvent
from racing_demon_server.journal import recovery
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.failures import Failures
from racing_demon_server.tables.feed import Backlog
from racing_demon_server.tables.passphrase import Passphrase, slow_hash
from racing_demon_server.tables.registry import Registry
from racing_demon_server.tables.room import Room
from racing_demon_server.tables.spectators import FairScheduler, Spectators
from tests.support.old_client import SOFTWARE
from tests.support.virtual_journal import VirtualJournal
from tests.support.virtual_rooms import (
    FakeConnection,
    RoundingLoop,
    in_virtual_time,
    now,
    open_room,
    say,
    seat_at,
    virtual,
)

DELAY = 60


def _seen_by_a_spectator(room: Room) -> Snapshot:
    conn = FakeConnection()
    room.broadcast.watch(conn)
    return conn.snapshots[-1]


def _seen_by_a_player(room: Room) -> Snapshot:
    conn = FakeConnection()
    room.broadcast.catch_up(conn, 0)
    room.broadcast.discard(conn)
    return conn.snapshots[-1]


# After the server was started anew.


@asynccontextmanager
async def _opened(folder: Path, *, anew: bool = False) -> AsyncIterator[Registry]:
    journal = VirtualJournal(folder / "journal.db", random.Random(anew))
    registry = Registry(ServerSettings(), now, journal)
    if anew:
        registry.restore()
    yield registry
    registry.close(for_good=False)
    await journal.drained()
    journal.close()


async def _begin(registry: Registry, lock: Passphrase | None = None, **options: object) -> Room:
    """Open a table that is seen a minute late, and long after let its bots begin to play."""
    asked = {"watch_delay_ms": DELAY * 1_000, "countdown_ms": 0, "hands": 1, **options}
    room = registry.open(Options.model_validate(asked), lock)
    ann = FakeConnection()
    room.broadcast.take_seat(ann, room.join("Ann", b"token", ""))
    room.connect(0)
    await say(room, ann, 0, *(cl.AddBot(counter=number, level="hard") for number in (1, 2)))
    await asyncio.sleep(2 * DELAY)
    await say(room, ann, 0, cl.Start(counter=3))
    return room


@pytest.mark.long
@virtual
async def test_a_delay_goes_on_when_the_server_is_started_anew(tmp_path: Path) -> None:
    """Who watches sees the table as it was a minute ago, and then all that was to come, each in its time."""
    async with _opened(tmp_path) as registry:
        salt = bytes(16)
        room = await _begin(registry, Passphrase(salt, slow_hash("sesame", salt)))
        before = [room.table.view.seq]
        for _ in range(DELAY - 20):
            await asyncio.sleep(1)
            before.append(room.table.view.seq)
        assert before[-1] > before[0] + 20
        code = room.table.view.code
    async with _opened(tmp_path, anew=True) as registry:
        room = registry.room(code)
        seen = _seen_by_a_spectator(room)
        assert seen.locked
        assert seen.seq < before[0]
        await asyncio.sleep(DELAY - 20 + 10)
        assert before[20] < _seen_by_a_spectator(room).seq < before[-1]
        await asyncio.sleep(DELAY)
        assert _seen_by_a_spectator(room).seq > before[-1]


@virtual
async def test_nobody_sees_the_end_of_a_hand_too_early_when_the_server_is_started_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hand that has just ended goes on for those who watch, until its end is as old as the delay."""
    monkeypatch.setattr(recovery, "BEFORE_SNAPSHOT", 0)  # as where the hand was long

    async with _opened(tmp_path) as registry:
        room = await _begin(registry, hands=2, tally_ms=120_000)
        ann, counters = FakeConnection(), count(10)
        room.broadcast.take_seat(ann, 0)
        while room.table.view.phase is not Phase.TALLY:
            await asyncio.sleep(1)
            await say(room, ann, 0, cl.Stuck(counter=next(counters)))
        await asyncio.sleep(DELAY / 2)
        code, last = room.table.view.code, room.table.view.seq
    async with _opened(tmp_path, anew=True) as registry:
        room = registry.room(code)
        seen = _seen_by_a_spectator(room)
        assert seen.phase == Phase.PLAYING
        assert 0 < seen.seq < last
        await asyncio.sleep(DELAY)
        assert _seen_by_a_spectator(room).phase == Phase.TALLY


@virtual
async def test_what_was_seen_to_its_end_is_seen_so_when_the_server_is_started_anew(tmp_path: Path) -> None:
    """It goes on from the snapshot behind its hand, which all have seen."""
    async with _opened(tmp_path) as registry:
        room = await _begin(registry, time_limit_ms=60_000)
        while not room.shown.view.results:  # noqa: ASYNC110 - in virtual time
            await asyncio.sleep(DELAY)
        await asyncio.sleep(3 * DELAY)
        seen = _seen_by_a_spectator(room)
    async with _opened(tmp_path, anew=True) as registry:
        again = _seen_by_a_spectator(registry.room(room.table.view.code))
        assert (seen.results, seen.phase) == (again.results, Phase.OVER)


@virtual
async def test_the_time_goes_on_with_the_delay_when_the_server_is_started_anew(tmp_path: Path) -> None:
    """Who watches afterwards is told the time of the hand that it sees."""
    async with _opened(tmp_path) as registry:
        room = await _begin(registry)
        code = room.table.view.code
        await asyncio.sleep(30)
    async with _opened(tmp_path, anew=True) as registry:
        room = registry.room(code)
        await asyncio.sleep(DELAY - 30 + 10)
        assert pytest.approx(_seen_by_a_spectator(room).elapsed_ms, abs=100) == 10_000


@virtual
async def test_nobody_is_told_the_plays_of_identical_deals_when_the_server_is_started_anew(
    tmp_path: Path,
) -> None:
    """What is for one player alone stays so, even where it comes at the signal, which is still to be told."""
    async with _opened(tmp_path) as registry:
        room = await _begin(registry, game="puzzle")
        code = room.table.view.code
        await asyncio.sleep(DELAY / 2)
        assert room.table.view.is_private
    async with _opened(tmp_path, anew=True) as registry:
        room, eve = registry.room(code), FakeConnection()
        room.broadcast.watch(eve)
        assert Phase.LOBBY is eve.snapshots[-1].phase
        await asyncio.sleep(DELAY)
        told = {type(event) for event in eve.events}
        assert {ev.Signalled, ev.Progressed} <= told
        assert ev.Played not in told


@virtual
async def test_late_signals_are_seen_as_late_as_all_else() -> None:
    """Who watches with a delay sees a seat wait as long as it did, and hears its signal after the delay."""
    room = open_room(watch_delay_ms=DELAY * 1_000, countdown_ms=0, pause_after_ms=None, hands=1)
    eve = FakeConnection()
    room.broadcast.watch(eve)
    (_, ann), (_, ben) = seat_at(room, "Ann"), seat_at(room, "Ben")
    handicap = Handicap(delay_s=7, points=3)
    await say(room, ann, 0, cl.SetHandicap(counter=1, seat=1, handicap=handicap), cl.Start(counter=2))
    await asyncio.sleep(8)
    heard = [type(event) for event in ben.events]
    assert heard.index(ev.Signalled) < heard.index(ev.SeatSignalled)
    await asyncio.sleep(DELAY - 2)
    (dealt,) = (event for event in eve.events if isinstance(event, ev.Dealt))
    assert dealt.handicaps[1] == handicap
    assert ev.Signalled in map(type, eve.events)
    assert ev.SeatSignalled not in map(type, eve.events)
    await asyncio.sleep(2)
    assert eve.events[-1] == ben.events[heard.index(ev.SeatSignalled)]


# What the host changes.


@virtual
async def test_a_delay_that_is_taken_away_lets_nothing_overtake() -> None:
    """What happens then comes in its order, and what was to come later comes no sooner."""
    room = open_room(watch_delay_ms=DELAY * 1_000)
    eve = FakeConnection()
    room.broadcast.watch(eve)
    _, ann = seat_at(room, "Ann")
    await asyncio.sleep(10)
    await say(room, ann, 0, cl.SetOptions(counter=1, options=Options(watch_delay_ms=0)))
    await asyncio.sleep(10)
    await say(room, ann, 0, cl.AddBot(counter=2))
    await asyncio.sleep(DELAY - 21)
    assert eve.events == []
    await asyncio.sleep(DELAY)
    assert ann.events == eve.events[-len(ann.events) :]
    assert sorted(event.seq for event in eve.events) == [event.seq for event in eve.events]


@virtual
async def test_a_delay_that_is_taken_away_ends() -> None:
    """When all that was to come later has come, what happens is seen at once."""
    room = open_room(watch_delay_ms=DELAY * 1_000)
    eve = FakeConnection()
    room.broadcast.watch(eve)
    _, ann = seat_at(room, "Ann")
    await say(room, ann, 0, cl.SetOptions(counter=1, options=Options(watch_delay_ms=0)))
    await asyncio.sleep(2 * DELAY)
    await say(room, ann, 0, cl.Say(counter=2, text="now"))
    await asyncio.sleep(1)
    assert isinstance(eve.events[-1], ev.Said)


@virtual
async def test_whoever_comes_after_a_quiet_time_sees_no_more_than_others() -> None:
    """Where nothing has waited for long, what happens now is still seen later."""
    room = open_room(watch_delay_ms=DELAY * 1_000)
    _, ann = seat_at(room, "Ann")
    await asyncio.sleep(3 * DELAY)
    before = room.shown.view.seq
    await say(room, ann, 0, cl.AddBot(counter=1))
    await asyncio.sleep(1)
    assert before == _seen_by_a_spectator(room).seq < room.shown.view.seq


@virtual
async def test_an_old_client_that_sees_an_extension_late_is_let_go() -> None:
    """Who came after it was used and given up would still see it, and is told why the connection ends."""
    some, none = (cl.SetHandicap(counter=1, seat=0, handicap=Handicap(delay_s=each)) for each in (5, 0))
    lead, no_lead = (cl.SetOptions(counter=1, options=Options(win_lead=each)) for each in (50, None))
    for extension, commands in {"handicaps": (some, none), "house rules": (lead, no_lead)}.items():
        room = open_room(watch_delay_ms=DELAY * 1_000)
        _, ann = seat_at(room, "Ann")
        for number, command in enumerate(commands, 1):
            await say(room, ann, 0, command.model_copy(update={"counter": number}))
        eve = FakeConnection(software=SOFTWARE)
        room.verify_understood(eve.software)
        room.broadcast.watch(eve)
        await asyncio.sleep(2 * DELAY)
        assert eve.closing is not None
        assert (eve.closing.code, extension in eve.closing.reason) == (1000, True)


@virtual
async def test_a_gallery_that_is_closed_sends_nothing_more() -> None:
    """Neither what waits for a turn nor what is due later."""
    for delay_ms in (0, DELAY * 1_000):
        room = open_room(watch_delay_ms=delay_ms)
        eve = FakeConnection()
        room.broadcast.watch(eve)
        await asyncio.sleep(1)
        before = list(eve.heard)
        room.broadcast.spectators.show_race(RaceLost(pile=3, card=5, by=0, seat=1, late_us=200_000))
        room.broadcast.spectators.close()
        await asyncio.sleep(2 * DELAY)
        assert before == eve.heard


def test_a_loop_that_wakes_too_early_looks_seldom_at_what_waits() -> None:
    """Where timers are whole milliseconds, what is due a little later is not asked for again and again."""

    async def history() -> int:
        room, loop = open_room(watch_delay_ms=DELAY * 1_000), asyncio.get_running_loop()
        assert isinstance(loop, RoundingLoop)
        _, ann = seat_at(room, "Ann")
        eve = FakeConnection()
        room.broadcast.watch(eve)
        await asyncio.sleep(2 * DELAY)
        before = loop.appointments
        for counter in (1, 2):
            await say(room, ann, 0, cl.Ready(counter=counter, ready=counter == 1))
            loop.let_pass(0.000_4)
        await asyncio.sleep(DELAY + 1)
        assert sum(isinstance(event, ev.Readied) for event in eve.events) == 2
        return loop.appointments - before

    assert in_virtual_time(history(), RoundingLoop) < 10


# The time.


async def _compare(room: Room, seconds: int, acts: dict[int, tuple[int, cl.Command]]) -> None:
    """Let seats do what is said in seconds; what spectators see must be what players saw a delay before."""
    conns = [seat_at(room, name)[1] for name in ("Ann", "Ben")]
    seen: list[Snapshot] = []
    for second in range(seconds + DELAY):
        if second in acts:
            seat, command = acts[second]
            await say(room, conns[seat], seat, command)
        await asyncio.sleep(0.5)
        seen.append(_seen_by_a_player(room))
        if second >= DELAY:
            then, told = seen[second - DELAY], _seen_by_a_spectator(room)
            assert (then.hand, then.phase, then.paused) == (told.hand, told.phase, told.paused)
            assert then.elapsed_ms == pytest.approx(told.elapsed_ms, abs=2)
        await asyncio.sleep(0.5)
    assert {"lobby", "countdown", "playing"} <= {each.phase for each in seen[:seconds]}


@virtual
async def test_the_time_is_that_of_the_hand_that_spectators_see() -> None:
    """Neither a pause that they do not see yet nor the next hand changes what they are told of this one."""
    acts: dict[int, tuple[int, cl.Command]] = {
        1: (0, cl.Start(counter=1)),
        20: (0, cl.Pause(counter=2, paused=True)),
        35: (0, cl.Pause(counter=3, paused=False)),
        60: (0, cl.Stuck(counter=4)),
        61: (1, cl.Stuck(counter=1)),
    }
    room = open_room(watch_delay_ms=DELAY * 1_000, countdown_ms=3_000, tally_ms=20_000)
    await _compare(room, 90, acts)
    assert room.table.view.hand_number == 2


@virtual
async def test_the_time_is_that_of_the_hand_when_the_delay_is_taken_away() -> None:
    """Who comes while spectators still see what was to come later is told the time of that."""
    acts: dict[int, tuple[int, cl.Command]] = {
        1: (0, cl.Start(counter=1)),
        30: (0, cl.Stuck(counter=2)),
        31: (1, cl.Stuck(counter=1)),
        40: (0, cl.SetOptions(counter=3, options=Options(watch_delay_ms=0))),
    }
    room = open_room(watch_delay_ms=DELAY * 1_000, countdown_ms=3_000, hands=1)
    await _compare(room, 31, acts)


@virtual
async def test_what_was_used_for_a_moment_is_shown_to_no_older_client() -> None:
    """Though it was given up before they came: with a delay they see it later than that."""
    room, older, newer = (
        open_room(watch_delay_ms=DELAY * 1_000),
        FakeConnection(software="older"),
        FakeConnection(),
    )
    seat, ann = seat_at(room, "Ann")
    bonuses = [5, 0]
    for number, bonus in enumerate(bonuses, start=1):
        options = room.shown.view.options.model_copy(update={"king_bonus": bonus})
        await say(room, ann, seat, cl.SetOptions(counter=number, options=options))
    for each in (older, newer):
        room.broadcast.watch(each)
    await asyncio.sleep(2 * DELAY)
    assert older.closing is not None
    assert older.events == []
    assert bonuses == [each.options.king_bonus for each in newer.events if isinstance(each, ev.OptionsSet)]


# Relays.


@virtual
async def test_the_spectators_of_a_relay_are_counted_in_its_place() -> None:
    """All are told the number of people, among whom the relay itself is none, whenever that changes."""
    room, relay, eve = open_room(), FakeConnection(), FakeConnection()
    _, ann = seat_at(room, "Ann")
    for spectator in (relay, eve):
        room.broadcast.watch(spectator)
    for relayed in (30, 0):
        await asyncio.sleep(1)
        room.broadcast.count_relayed(relay, relayed)
    await asyncio.sleep(1)
    for conn in (ann, relay, eve):
        assert [each.count for each in conn.heard if isinstance(each, Watchers)] == [2, 31, 1]


@virtual
async def test_only_spectators_count_for_others() -> None:
    """Whoever is no spectator, or none any more, changes nothing by telling of its own spectators."""
    room, relay = open_room(), FakeConnection()
    _, ann = seat_at(room, "Ann")
    room.broadcast.watch(relay)
    room.broadcast.count_relayed(relay, 30)
    room.broadcast.discard(relay)
    await asyncio.sleep(1)
    ann.frames.clear()
    for stranger in (relay, ann, FakeConnection()):
        room.broadcast.count_relayed(stranger, 30)
    await asyncio.sleep(1)
    assert (room.broadcast.spectators.people, ann.heard) == (0, [])


@virtual
async def test_a_relay_adds_no_delay_of_its_own() -> None:
    """It receives each event with the delay applied."""
    room = open_room(watch_delay_ms=DELAY * 1_000)
    replica = Replica(room.shown.view.copy(), room.shown.hand_clock)
    failures = Failures("TEST", now, lambda: None)
    relayed = Spectators(replica, now, Backlog(1_000, 1_000), FairScheduler(), failures)
    eye = FakeConnection()
    relayed.add(eye)
    relayed.publish([EncodedEvent(ev.Readied(seq=room.shown.view.seq + 1, seat=0, ready=True), now())])
    await asyncio.sleep(1)
    assert [ev.Readied] == [type(event) for event in eye.events]
