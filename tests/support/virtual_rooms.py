"""Rooms without sockets, in virtual time: hours pass in no time, and always in the same way."""

import asyncio
import functools
import random
import selectors
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextvars import Context
from typing import Any, ParamSpec, TypeVar
from unittest import mock

from racing_demon_protocol.engine.deal import hand_seeds
from racing_demon_protocol.enums import CloseCode
from racing_demon_protocol.wire.codec import Encoding, decode_server, encode
from racing_demon_protocol.wire.messages import Event, Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Accepted, Refused, Snapshot
from racing_demon_protocol.wire.options import Options
from racing_demon_server.encoded_messages import Batch
from racing_demon_server.journal.clock_watermark import ClockWatermark
from racing_demon_server.journal.null_journal import NullJournal
from racing_demon_server.journal.table_journal import TableJournal
from racing_demon_server.match.seat_tokens import Actor
from racing_demon_server.settings import ServerSettings
from racing_demon_server.tables.feed import Backlog
from racing_demon_server.tables.observer import Observer
from racing_demon_server.tables.passphrase import Passphrase
from racing_demon_server.tables.room import InitialState, Room, RoomContext
from racing_demon_server.tables.spectators import FairScheduler
from tests.support.servers import NEWEST, Closing

Given = ParamSpec("Given")
T = TypeVar("T")


class _Clockwork(selectors.SelectSelector):
    """Waits for nothing: where a loop would sleep, the time jumps."""

    now = 1_000.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready:
            assert timeout is not None, "everybody waits, and nothing will ever happen"
            self.now += max(0.0, timeout)
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop whose clock jumps from one appointment to the next."""

    def __init__(self) -> None:
        self._clockwork = _Clockwork()
        super().__init__(self._clockwork)
        self._clock_resolution = 1e-8  # what can be told apart after a year

    def time(self) -> float:
        """Return its time, in seconds."""
        return self._clockwork.now


class RoundingLoop(VirtualLoop):
    """Keeps appointments to the millisecond, as uvloop does: some are early. To make one takes a microsecond.

    Attributes:
        appointments: how many were made.

    """

    appointments = 0

    def let_pass(self, seconds: float) -> None:
        """Let some time pass, in which nobody does anything."""
        self._clockwork.now += seconds

    def call_later(  # type: ignore[override]  # its arguments are not told apart here
        self, delay: float, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        """Do something after some time, in seconds."""
        self.appointments += 1
        self.let_pass(1e-6)
        return super().call_later(round(delay, 3), callback, *args, context=context)


def in_virtual_time(
    history: Coroutine[Any, Any, T],
    loop: Callable[[], VirtualLoop] = VirtualLoop,
    secret: Callable[[int], bytes] | None = None,
) -> T:
    """Run a story on a loop whose clock jumps from one appointment to the next.

    Secrets are the same in every run, unless a source of them is given: one deal in 400 is dead for
    somebody who plays alone.
    """
    source = random.Random(0).randbytes if secret is None else secret
    with mock.patch("secrets.token_bytes", source), asyncio.Runner(loop_factory=loop) as runner:
        return runner.run(history)


def now() -> int:
    """Return the microseconds on the loop's clock."""
    return round(asyncio.get_running_loop().time() * 1_000_000)


def virtual(history: Callable[Given, Coroutine[Any, Any, None]]) -> Callable[Given, None]:
    """Turn a story into a test that runs in virtual time, with the same fixtures and parameters."""

    @functools.wraps(history)
    def test(*args: Given.args, **kwargs: Given.kwargs) -> None:
        in_virtual_time(history(*args, **kwargs))

    return test


class FakeConnection:
    """A listener that writes down what it gets.

    Attributes:
        frames: what was in every frame, as it came.
        written: the frames that came in writes, whole.
        writes: how many messages each write had.
        closing: how it was closed, if it was.
        shows_races: whether it understands lost races.
        software: what its client says of itself.
        address: where it comes from.
        owes: whether it may owe what its plays have led to.

    """

    owes = False
    address = ""

    def __init__(
        self,
        encoding: Encoding = Encoding.MSGPACK,
        *,
        shows_races: bool = True,
        software: str = NEWEST,
    ) -> None:
        self.encoding = encoding
        self.shows_races = shows_races
        self.software = software
        self.frames: list[bytes | str] = []
        self.written: list[bytes] = []
        self.writes: list[int] = []
        self.closing: Closing | None = None
        self._news = asyncio.Event()

    def send(self, events: Batch) -> None:
        """Take what comes in one write."""
        self.writes.append(len(events.messages))
        for frames in events.messages:
            framed = frames.framed(self.encoding)
            self.written.append(framed)
            data = framed[2:] if framed[1] < 126 else framed[4:]  # RFC 6455, 5.2
            self._take(data.decode() if self.encoding is Encoding.JSON else data)

    def settle(self, at: int) -> bool:
        """Owe nothing."""
        return True

    def charge(self, events: int, kept: int) -> None:
        """Pay nothing."""

    def owe(self, units: int) -> None:
        """Pay nothing."""

    def reply(self, message: Message) -> None:
        """Take a message."""
        self._take(encode(message, self.encoding))

    def _take(self, frame: bytes | str) -> None:
        self.frames.append(frame)
        self._news.set()

    def close(self, code: CloseCode, reason: str) -> None:
        """Take a good-bye."""
        self.closing = Closing(code, reason)

    async def until(self, cls: type[Message]) -> None:
        """Wait until a message of a kind has come."""
        looked_at = 0
        while not any(isinstance(decode_server(frame), cls) for frame in self.frames[looked_at:]):
            looked_at = len(self.frames)
            self._news.clear()
            await self._news.wait()

    @property
    def heard(self) -> list[Message]:
        """Every message so far."""
        return [decode_server(frame) for frame in self.frames]

    @property
    def events(self) -> list[Event]:
        """Every event so far."""
        return [message for message in self.heard if isinstance(message, Event)]

    @property
    def snapshots(self) -> list[Snapshot]:
        """Every snapshot so far."""
        return [message for message in self.heard if isinstance(message, Snapshot)]

    @property
    def replies(self) -> list[Accepted | Refused]:
        """Every answer so far."""
        return [message for message in self.heard if isinstance(message, Accepted | Refused)]


def open_room(
    *,
    bot_speed: float = 1.0,
    kept_events: int = 2_048,
    delayed_bytes: int = 1_000_000,
    backlog: Backlog | None = None,
    scheduler: FairScheduler | None = None,
    seeds: Iterator[bytes] | None = None,
    contributions: bool = True,
    matches_per_hour: float = 120.0,
    observers: Sequence[Observer] = (),
    **options: Any,
) -> Room:
    """Open a room on the running loop."""
    asked = Options(**{"countdown_ms": 0, "tally_ms": 0, **options})
    settings = ServerSettings(
        bot_speed=bot_speed,
        kept_events=kept_events,
        contributions=contributions,
        matches_per_hour=matches_per_hour,
    )
    backlog = Backlog(delayed_bytes, delayed_bytes) if backlog is None else backlog
    context = RoomContext(
        settings, now, backlog, scheduler or FairScheduler(), lambda: True, lambda room: None, observers
    )
    secrets, journal = hand_seeds(bytes(32)) if seeds is None else seeds, NullJournal()
    return Room(
        InitialState.of_new_table("TEST", asked, secrets, context, locked=False),
        context,
        journal=TableJournal(journal, 1, lambda: 0, ClockWatermark(journal, now)),
        lock=Passphrase(bytes(16)),
        epoch="5a",
        bot_seed=bytes(32),
    )


def seat_at(room: Room, name: str, encoding: Encoding = Encoding.MSGPACK) -> tuple[int, FakeConnection]:
    """Seat somebody at a room, as the gateway does."""
    conn = FakeConnection(encoding)
    seat = room.join(name, name.encode(), "")
    room.broadcast.take_seat(conn, seat)
    room.broadcast.catch_up(conn, 0)
    room.connect(seat)
    return seat, conn


async def say(room: Room, conn: FakeConnection, actor: Actor, *commands: cl.Command) -> None:
    """Let commands arrive together, and wait until they are judged and answered."""
    for command in commands:
        room.put(conn, actor, command, now())
    await answered()


async def answered() -> None:
    """Wait until what has arrived is judged, which is the loop's next step, and told, the one after it."""
    await asyncio.sleep(0)
    await asyncio.sleep(0)
