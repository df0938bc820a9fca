"""Tables whose judging fails: nothing half-done leaves them, and they go on from just before it."""

import asyncio
import logging
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Final

import pytest

from racing_demon_client.errors import TableEnded
from racing_demon_client.net.client import Client
from racing_demon_protocol.engine import board as engine
from racing_demon_protocol.engine.sliced_search import SlicedSearch
from racing_demon_protocol.enums import CloseCode, Reason
from racing_demon_protocol.table import state as table_state
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.codec import decode_client
from racing_demon_protocol.wire.messages import Event, Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages import events as ev
from racing_demon_protocol.wire.messages.server import Accepted, Refused, Snapshot
from racing_demon_protocol.wire.options import Options
from racing_demon_server.bots import scheduler
from racing_demon_server.bots.bot import Bot
from racing_demon_server.bots.scheduler import BotScheduler
from racing_demon_server.encoded_messages import EncodedEvent
from racing_demon_server.journal import table_journal
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.journal.operations import Change
from racing_demon_server.journal.table_journal import TableJournal
from racing_demon_server.match import table as judging
from racing_demon_server.match.checkpoint import Checkpoint
from racing_demon_server.match.hand import Hand
from racing_demon_server.match.lifecycle import MatchLifecycle
from racing_demon_server.match.seats import Seats
from racing_demon_server.match.state import JudgeState
from racing_demon_server.match.table import MISTAKE, Table
from racing_demon_server.net import handler
from racing_demon_server.tables import failures
from racing_demon_server.tables import room as rooms
from racing_demon_server.tables.broadcast import Broadcast
from racing_demon_server.tables.failures import MAX_FAILURES, RETRY_SECONDS
from racing_demon_server.tables.feed import CommittedTable, Feed, Reader, ReplayBuffer
from racing_demon_server.tables.observer import Observer
from racing_demon_server.tables.registry import FAILED_OFTEN
from racing_demon_server.tables.room import Room
from racing_demon_server.tables.spectators import Spectators
from tests.support import virtual_rooms
from tests.support.builds import pure, skip_unless_pure
from tests.support.inside import dealer_of, hand_of, hidden_board
from tests.support.invariants import status
from tests.support.journals import journaled
from tests.support.servers import Peer, serving
from tests.support.virtual_rooms import FakeConnection, answered, now, open_room, say, seat_at, virtual


class PlantedError(Exception):
    """A mistake of the server, planted by a test."""


def plant(monkeypatch: pytest.MonkeyPatch, cls: type, name: str) -> None:
    """Let a method do its work and then fail."""
    skip_unless_pure("replaces a method")
    real = getattr(cls, name)

    def fail(*arguments: object, **named: object) -> None:
        real(*arguments, **named)
        raise PlantedError

    monkeypatch.setattr(cls, name, fail)


def resume(peer: Peer) -> cl.Resume:
    """Return the request of somebody who comes back with nothing but a token."""
    return cl.Resume(code=peer.code, token=peer.token)


def tracebacks(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return what was logged with a traceback."""
    return [record.getMessage() for record in caplog.records if record.exc_info]


def verify_mistake(answer: object) -> None:
    """Check that a command was refused because judging it failed."""
    assert isinstance(answer, Refused)
    assert (answer.reason, answer.text) == (Reason.NOT_NOW, MISTAKE)


async def hear_all(client: Client, heard: list[Message]) -> None:
    """Note every message that a client receives."""
    async for message in client:
        heard.append(message)  # noqa: PERF401 - the last of it may raise


async def test_a_half_done_command_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nobody is told that the bot has left, and it is there; the refusal stands after a restart, too."""
    path = tmp_path / "journal.db"
    async with journaled(path) as served:
        async with (
            Peer.hosting(served.url) as ann,
            Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")) as ben,
        ):
            await ann.ask(cl.AddBot, level="hard")
            with monkeypatch.context() as planting:
                plant(planting, MatchLifecycle, "after_leave")
                command = ann.next(cl.RemoveBot, seat=2)
                verify_mistake(await ann.ask_again(command))
            verify_mistake(await ann.ask_again(command))
            assert isinstance(await ann.ask(cl.Say, text="All is well here"), Accepted)
            told = [type(each) for each in await ben.follow(ann.view.seq)]
            assert ev.Left not in told
            assert told[-1] is ev.Said
            assert not ben.view.seats[2].left
    async with journaled(path) as served, Peer.entered(served.url, resume(ann)) as again:
        assert again.view.seats.keys() == {0, 1, 2}
        assert isinstance(await again.ask(cl.RemoveBot, seat=2), Accepted)
    assert tracebacks(caplog) == ["a command could not be judged"]


async def test_the_refusal_outlives_a_restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that had no answer before the server was started anew gets it then."""
    path = tmp_path / "journal.db"
    async with journaled(path) as served, Peer.hosting(served.url) as ann:
        with monkeypatch.context() as planting:
            plant(planting, MatchLifecycle, "check_ready")
            command = ann.next(cl.Ready)
            verify_mistake(await ann.ask_again(command))
    async with journaled(path) as served, Peer.entered(served.url, resume(ann)) as again:
        assert not again.view.seats[0].ready
        verify_mistake(await again.ask_again(command))


async def test_a_wrong_type_takes_nothing_back_at_other_tables(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Compiled code checks the types that are declared, and raises within the room; all go on."""

    def decode(data: bytes | str) -> Message:
        message = decode_client(data)
        return message.model_copy(update={"seat": []}) if isinstance(message, cl.RemoveBot) else message

    monkeypatch.setattr(handler, "decode_client", decode)
    async with serving() as served, Peer.hosting(served.url) as ann, Peer.hosting(served.url) as stranger:
        await ann.ask(cl.AddBot, level="easy")
        verify_mistake(await ann.ask(cl.RemoveBot, seat=1))
        assert isinstance(await stranger.ask(cl.Say, text="All is well here"), Accepted)
        assert isinstance(await ann.ask(cl.AddBot, level="easy"), Accepted)
    (failure,) = [record.exc_info for record in caplog.records if record.exc_info]
    assert failure[0] is TypeError


@pure("replaces a method")
async def test_plays_judged_before_and_after_the_failure_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    """The play that failed is made nowhere; what came in the same write before and after it is."""
    async with serving() as served, Peer.hosting(served.url, seats=2) as ann:
        await ann.ask(cl.AddBot, level="easy")
        await ann.ask(cl.Start)
        await ann.until(ev.Signalled)
        hand = ann.view.hand
        assert hand is not None
        rules, board = hand.rules, hand.board
        play = next(play for play in rules.legal_plays(board, 0) if play.source == rules.layout.stock[0])
        commands = [
            cl.PlayCards.of(play, counter=ann.counter + number, seen=ann.view.seq) for number in (1, 2, 3)
        ]
        real = Hand.play

        def fail(hand: Hand, seat: int, command: cl.PlayCards, arrived: int) -> list[ev.Played]:
            played = real(hand, seat, command, arrived)
            if command.counter == commands[1].counter:
                raise PlantedError
            return played

        monkeypatch.setattr(Hand, "play", fail)
        ann.burst([*commands])
        ann.counter += 3
        answers: list[tuple[type[Message], int]] = []
        while len(answers) < 3:
            message = await ann.hear()
            if isinstance(message, Refused) or (isinstance(message, ev.Played) and message.seat == 0):
                answers.append((type(message), message.counter))
        counters = [command.counter for command in commands]
        assert answers == list(zip([ev.Played, Refused, ev.Played], counters, strict=True))
        await ann.ask(cl.Pause, paused=True)
        assert ann.view.board == served.registry.room(ann.code).table.view.board


async def test_a_table_that_fails_too_often_ends_with_its_tally(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A client plays on each time, until it is told that the table has ended, and how."""
    heard: list[Message] = []
    async with journaled(tmp_path / "journal.db") as served:
        ann = await Client.create(served.url, "Ann", Options(countdown_ms=0))
        await ann.ask(cl.AddBot(counter=ann.next_counter()))
        await ann.ask(cl.Start(counter=ann.next_counter()))
        async for message in ann:
            if isinstance(message, ev.Signalled):
                break
        plant(monkeypatch, MatchLifecycle, "after_leave")
        for _ in range(MAX_FAILURES + 1):
            await ann.send(cl.Kick(counter=ann.next_counter(), seat=1))
        with pytest.raises(TableEnded, match=FAILED_OFTEN):
            await hear_all(ann, heard)
        async with Peer.connect(served.url) as peer:
            await peer.greet()
            token = ann.token
            assert token is not None
            assert await peer.refusal(cl.Resume(code=ann.code, token=token)) is Reason.UNKNOWN_TABLE
        await ann.close()
    events = [type(each) for each in heard if isinstance(each, Event)]
    assert events[-2:] == [ev.HandOver, ev.MatchOver]
    assert ev.Left not in events
    assert len(tracebacks(caplog)) == MAX_FAILURES + 1
    assert not [each for each in caplog.records if each.levelno >= logging.ERROR and not each.exc_info]


async def test_who_fails_to_join_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who came in is told of the error, and not let in; the others notice nothing."""
    async with serving() as served, Peer.hosting(served.url) as ann, Peer.connect(served.url) as ben:
        await ben.greet()
        with monkeypatch.context() as planting:
            plant(planting, Seats, "join")
            assert await ben.refusal(cl.Join(code=ann.code, name="Ben")) is Reason.NOT_NOW
        assert (await ben.enter(cl.Join(code=ann.code, name="Ben"))).seat == 1
        assert [type(each) for each in await ann.follow(ann.view.seq + 1)] == [ev.Joined]


@virtual
async def test_a_timer_that_fails_is_rolled_back_and_runs_later(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nobody hears of the signal that failed, and play goes on when it can be given."""
    room = open_room()
    ann, conn = seat_at(room, "Ann")
    await say(room, conn, ann, cl.AddBot(counter=1, level="easy"))
    with monkeypatch.context() as planting:
        plant(planting, MatchLifecycle, "_signal")
        await say(room, conn, ann, cl.Start(counter=2))
        await answered()
        assert tracebacks(caplog) == ["what was due could not happen"]
        assert not [each for each in conn.events if isinstance(each, ev.Signalled)]
    failed_at = now()
    await conn.until(ev.Signalled)
    assert now() - failed_at == pytest.approx(RETRY_SECONDS * 1_000_000, abs=1_000)
    room.close()


@virtual
async def test_a_lost_connection_that_fails_is_told_later(monkeypatch: pytest.MonkeyPatch) -> None:
    """The others hear that somebody is away as soon as that can be judged."""
    room = open_room()
    _, conn = seat_at(room, "Ann")
    ben, gone = seat_at(room, "Ben")
    with monkeypatch.context() as planting:
        plant(planting, MatchLifecycle, "check_presence")
        room.leave(gone, ben)
    assert room.table.view.seats[ben].connected
    await asyncio.sleep(2 * RETRY_SECONDS)
    assert not room.table.view.seats[ben].connected
    assert [each.connected for each in conn.events if isinstance(each, ev.Connected)][-1] is False
    room.close()


JUDGED: Final = ("handle_command", "run_until", "run_next_timer", "connect", "join")
PARTS: Final = tuple(str(Path(str(module.__file__)).parent) for module in (judging, table_state, engine))
"""The packages whose lines judge."""


class Planter:
    """Lets the judge fail at a random line, at most once in a call of a table.

    Attributes:
        failures: how often it has failed.

    """

    def __init__(self, rng: random.Random) -> None:
        self.failures = 0
        self._rng = rng
        self._left = 0

    @contextmanager
    def planted(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
        """Plant mistakes, one in a few calls."""
        skip_unless_pure("traces lines")
        with monkeypatch.context() as planting:
            for name in JUDGED:
                planting.setattr(Table, name, self._failing(getattr(Table, name)))
            yield

    def _failing(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            if self._rng.random() < 0.9:
                return real(*arguments, **named)
            self._left = self._rng.choice([5, 30, 150, 600])
            self._left = self._rng.randrange(1, self._left)
            before = sys.gettrace()
            sys.settrace(self._enter)
            try:
                return real(*arguments, **named)
            finally:
                sys.settrace(before)

        return call

    def _enter(self, frame: FrameType, _event: str, _argument: object) -> Any:
        """Trace what the table calls, and not the last lines of the table, where all is done."""
        is_called = frame.f_code.co_name not in JUDGED and frame.f_code.co_filename.startswith(PARTS)
        return self._line if is_called else None

    def _line(self, _frame: FrameType, event: str, _argument: object) -> Any:
        if event == "line" and self._left:
            self._left -= 1
            if not self._left:
                self.failures += 1
                raise PlantedError
        return self._line


def mirror_of(room: Room, conn: FakeConnection) -> TableState:
    """Return the table as a connection was sent it."""
    mirror = TableState("TEST", room.table.view.options)
    for message in conn.heard:
        if isinstance(message, Snapshot):
            mirror.restore(message)
        elif isinstance(message, Event):
            mirror.apply(message)
    return mirror


def verify_whole(room: Room, conn: FakeConnection) -> None:
    """Check that what a player was sent is the judge's table, which has all its cards."""
    assert mirror_of(room, conn).snapshot(0) == room.table.view.snapshot(0)
    hand = hand_of(room.table)
    if hand is not None and room.table.view.in_hand:
        assert status(hand.rules, hand.board) == []
        assert status(hand.rules, hidden_board(dealer_of(hand))) == []


@pytest.mark.parametrize("wanted", [12, pytest.param(200, marks=pytest.mark.long)])
@virtual
async def test_whatever_line_fails_the_table_goes_on(wanted: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """After every mistake the player's mirror is the judge's table, and hands are played to their ends."""
    monkeypatch.setattr(failures, "MAX_FAILURES", 10 * wanted)
    monkeypatch.setattr(rooms, "RETRY_SECONDS", 0.05)
    room, rng = open_room(bot_speed=20, hands=99, target=10_000, seats=4), random.Random(wanted)
    planter, seen, counter = Planter(rng), 0, 0
    ann, conn = seat_at(room, "Ann")
    for level in ("easy", "easy"):
        counter += 1
        await say(room, conn, ann, cl.AddBot(counter=counter, level=level))
    with planter.planted(monkeypatch):
        while planter.failures < wanted:
            counter += 1
            commands: list[cl.Command] = [
                cl.Start(counter=counter),
                cl.Ready(counter=counter),
                cl.Stuck(counter=counter),
                cl.Say(counter=counter, text="Hm"),
                cl.Pause(counter=counter, paused=rng.random() < 0.3),
            ]
            await say(room, conn, ann, rng.choice(commands))
            if rng.random() < 0.05:
                room.connect(ann, connected=False)
                room.connect(ann)
            await asyncio.sleep(rng.uniform(0, 0.3))
            if planter.failures > seen:
                seen = planter.failures
                await answered()
                verify_whole(room, conn)
    final = [
        cl.Pause(counter=counter + 1, paused=False),
        cl.Start(counter=counter + 2),
        cl.Say(counter=counter + 3, text="It goes on"),
    ]
    await asyncio.sleep(60)
    await say(room, conn, ann, *final)
    assert conn.replies[-1] == Accepted(counter=counter + 3, seq=conn.events[-1].seq)
    verify_whole(room, conn)
    answers = [each.counter for each in conn.replies]
    assert answers == list(range(1, counter + 4))
    room.close()


class Listening(Observer):
    """An observer that is told of everything."""

    def published(self, table: CommittedTable, events: Sequence[Event]) -> None:
        """Hear of events."""

    def answered(
        self, table: CommittedTable, command: cl.Command, reply: Accepted | Refused, took_us: int
    ) -> None:
        """Hear of an answer."""


BEFORE: Final = (
    (EncodedEvent, "__init__"),
    (Room, "_refusal"),
    (Room, "_charge"),
    (JudgeState, "copy"),
    (TableState, "snapshot_for"),
    (Bot, "observe"),
    (SlicedSearch, "advance"),
    (BotScheduler, "apply"),
    (Broadcast, "apply_event"),
    (Broadcast, "answer"),
    (Broadcast, "send"),
    (Broadcast, "catch_up"),
    (Feed, "judged"),
    (ReplayBuffer, "add"),
    (Checkpoint, "of"),
    (TableJournal, "append"),
    (TableJournal, "write"),
    (Spectators, "publish"),
    (Reader, "take"),
    (Listening, "published"),
    (Listening, "answered"),
)
"""Where a mistake beside the judge is planted: before the work is done."""
AFTER: Final = (
    (TableJournal, "append"),
    (TableJournal, "append_details"),
    (JudgeState, "copy"),
    (Bot, "_wait"),
)
"""The same after it."""


class Trap:
    """Lets a method fail, when it is set.

    Attributes:
        is_set: whether the next call fails.

    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, cls: type, name: str, *, after: bool) -> None:
        self.is_set = False
        real = getattr(cls, name)

        def call(*arguments: Any, **named: Any) -> Any:
            if after:
                done = real(*arguments, **named)
            if self.is_set:
                self.is_set = False
                raise PlantedError
            return done if after else real(*arguments, **named)

        monkeypatch.setattr(cls, name, call)


class DurableJournal(NullJournal):
    """A journal that is told everything, and has written it at the loop's next step."""

    is_durable = True

    def write(self, changes: Sequence[Change], on_written: Callable[[], None]) -> None:
        """Call back later."""
        asyncio.get_running_loop().call_soon(on_written)


class Guest:
    """Somebody at a room who comes back if the connection is closed, as clients do."""

    def __init__(self, room: Room, come: Callable[[FakeConnection], None]) -> None:
        self._come = come
        self.conn = FakeConnection()
        come(self.conn)

    def come_back(self) -> None:
        """Come back if the connection was closed."""
        if self.conn.closing is not None:
            assert self.conn.closing.code is CloseCode.TRY_AGAIN
            self.conn = FakeConnection()
            self._come(self.conn)


@pytest.mark.parametrize("rounds", [1, pytest.param(9, marks=pytest.mark.long)])
@virtual
async def test_whatever_fails_beside_the_judge_the_table_goes_on(
    rounds: int, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Each mistake is caught in its table, and nobody misses anything for good."""
    skip_unless_pure("replaces methods")
    monkeypatch.setattr(failures, "MAX_FAILURES", 10_000)
    monkeypatch.setattr(rooms, "RETRY_SECONDS", 0.05)
    monkeypatch.setattr(scheduler, "RETRY_MS", 50)
    monkeypatch.setattr(table_journal, "CHECKPOINT_EVENTS", 50)
    monkeypatch.setattr(virtual_rooms, "NullJournal", DurableJournal)
    uncaught: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: uncaught.append(context))
    traps = [
        *(Trap(monkeypatch, cls, name, after=False) for cls, name in BEFORE),
        *(Trap(monkeypatch, cls, name, after=True) for cls, name in AFTER),
    ]
    options: dict[str, Any] = {"hands": 99, "target": 10_000, "seats": 4, "watch_delay_ms": 1_000}
    room = open_room(bot_speed=20, observers=[Listening()], **options)
    rng, counter = random.Random(rounds), 2
    seat = room.join("Ann", b"Ann", "")
    ann = Guest(room, lambda conn: room.attach(conn, seat, "0" * 64))
    eye = Guest(room, lambda conn: room.watch(conn, "", ""))
    bots = [cl.AddBot(counter=number, level="easy") for number in (1, 2)]
    await say(room, ann.conn, seat, *bots)
    planted = 0
    for trap in traps * rounds:
        trap.is_set, waited = True, 0
        while trap.is_set:
            counter, waited = counter + 1, waited + 1
            assert waited < 500
            commands: list[cl.Command] = [
                cl.Start(counter=counter),
                cl.Ready(counter=counter),
                cl.Stuck(counter=counter),
                cl.Say(counter=counter, text="Hm"),
                cl.Pause(counter=counter, paused=rng.random() < 0.3),
            ]
            await say(room, ann.conn, seat, rng.choice(commands))
            if rng.random() < 0.2:
                ann.conn.close(CloseCode.TRY_AGAIN, "")
                room.leave(ann.conn, seat)
            await asyncio.sleep(rng.uniform(0.1, 0.3))
            ann.come_back()
            eye.come_back()
        planted += 1
        await asyncio.sleep(0.2)
        for guest in (ann, eye):
            guest.come_back()
        await answered()
        verify_whole(room, ann.conn)
    await say(room, ann.conn, seat, cl.Pause(counter=counter + 1, paused=True))
    await asyncio.sleep(5)
    verify_whole(room, ann.conn)
    assert mirror_of(room, eye.conn).snapshot_for(None, 0) == room.table.view.snapshot_for(None, 0)
    assert len(tracebacks(caplog)) == planted
    assert uncaught == []
    room.close()
