"""People who come to a table, play, are cut off, return, leave, and stay to watch; each writes all down."""

import asyncio
import json
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final, Self

import msgpack
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from racing_demon_protocol.engine.board import Kind
from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.errors import CommandRefused, InconsistentEvent
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.codec import VERSION, Encoding, decode_server, encode
from racing_demon_protocol.wire.messages import Event, Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Played
from racing_demon_protocol.wire.messages.server import Accepted, CaughtUp, Refused, Seated, Snapshot
from tests.lab.comings.board import Move, Wrong
from tests.lab.comings.judge import Frame, Refusal, is_event
from tests.support.servers import NEWEST, deadline

SNAPSHOT: Final = Snapshot.TAG
CAUGHT_UP: Final = CaughtUp.TAG
MOST_TURNS: Final = 30
"""After so many turns without a play somebody says to be stuck."""


class Visitor:
    """Somebody with a socket of their own.

    Attributes:
        streams: what was heard on each connection, from the first frame after ``seated`` on.
        refusals: the plays that were refused as illegal.
        is_open: whether the connection stands.
        has_left: whether the seat was given up.

    """

    def __init__(self, url: str, rng: random.Random) -> None:
        self.streams: list[list[Frame]] = []
        self.refusals: list[Refusal] = []
        self.is_open = self.has_left = False
        self.place = Seated(code="?")
        self._url = url
        self._rng = rng
        self._encoding = rng.choice(list(Encoding))
        self._socket: ClientConnection
        self._view: TableState | None = None
        self._epoch = ""
        self._counter = 0
        self._turns = 0
        self._waiting: dict[int, cl.Command] = {}
        self._answers: dict[int, Message] = {}
        self._news = asyncio.Condition()
        self._listening: asyncio.Task[None] | None = None

    @classmethod
    async def at(cls, url: str, rng: random.Random, request: Message) -> Self:
        """Take a place at a table.

        Raises:
            CommandRefused: there is none.

        """
        visitor = cls(url, rng)
        await visitor.enter(request)
        return visitor

    @property
    def view(self) -> TableState:
        """The mirror of the table."""
        assert self._view is not None
        return self._view

    @property
    def is_playing(self) -> bool:
        """Whether a seat is kept, and the connection stands."""
        return self.is_open and not self.has_left and self.place.seat is not None

    async def enter(self, request: Message) -> None:
        """Connect, and take a place at a table.

        Raises:
            CommandRefused: there is none.

        """
        self._socket = await connect(
            self._url, subprotocols=[Subprotocol(self._encoding)], compression=None, ping_interval=None
        )
        async with deadline(lambda: f"an answer to {request}"):
            await self._socket.recv()
            await self._say(cl.Hello(version=VERSION, software=NEWEST))
            await self._say(request)
            answer = decode_server(await self._socket.recv())
        if isinstance(answer, Refused):
            await self._socket.close()
            raise CommandRefused(answer.reason, answer.text)
        assert isinstance(answer, Seated)
        self.place, self._epoch = answer, answer.epoch
        self._counter = max(self._counter, answer.counter)
        self._waiting.clear()
        self.streams.append([])
        self.is_open = True
        self._listening = asyncio.create_task(self._listen())
        await self.until(lambda: any(frame[0] == CAUGHT_UP for frame in self.streams[-1]))

    async def come_back(self) -> None:
        """Return to the seat, or to where one watched, after the line was cut."""
        seq = self.view.seq
        if self.place.seat is None or self.has_left:
            await self.enter(cl.Watch(code=self.place.code))
        else:
            token = self.place.token
            assert token is not None
            await self.enter(cl.Resume(code=self.place.code, token=token, seq=seq, epoch=self._epoch))

    def cut(self) -> None:
        """Break the line without a word."""
        self._socket.transport.abort()

    async def close(self) -> None:
        """Go for good."""
        await self._socket.close()
        if self._listening is not None:
            await self._listening

    # Saying.

    async def _say(self, message: Message) -> None:
        await self._socket.send(encode(message, self._encoding))

    async def send(self, command: cl.Command) -> None:
        """Send a command, if the line stands."""
        self._waiting[command.counter] = command
        try:
            await self._say(command)
        except ConnectionClosed:
            self.is_open = False

    def next(self, cls: type[cl.Command], **fields: object) -> cl.Command:
        """Return the seat's next command."""
        self._counter += 1
        return cls(counter=self._counter, **fields)

    async def ask(self, cls: type[cl.Command], **fields: object) -> Message | None:
        """Send a command, and return how it was answered; ``None`` if the line broke."""
        command = self.next(cls, **fields)
        await self.send(command)
        await self.until(lambda: command.counter not in self._waiting)
        return self._answers.pop(command.counter, None)

    async def strike(self) -> None:
        """Send some plays in a row, as the table looks now; now and then what is nonsense."""
        view, seat, rng = self.view, self.place.seat, self._rng
        if view.phase not in {Phase.PLAYING, Phase.GRACE} or view.hand is None or seat not in view.hand_seats:
            return
        assert seat is not None
        rules, board = view.hand.rules, view.hand.board
        if rng.random() < 0.03:
            piles = len(board.piles)
            nonsense = (rng.randrange(piles), rng.randint(1, 4), rng.randrange(-1, piles))
            await self._play(*nonsense)
        if rules.is_out(board, seat) and rng.random() < 0.7:
            await self.send(self.next(cl.Call, seen=view.seq))
        plays = list(rules.legal_plays(board, seat))
        useful = [play for play in plays if board.is_progress(play)]
        if useful and rng.random() < 0.9:
            self._turns = 0
            for play in rng.sample(useful, min(len(useful), rng.randint(1, 3))):
                is_up = board.piles[play.destination].kind is Kind.FOUNDATION
                anywhere = is_up and rng.random() < 0.2
                await self._play(play.source, play.count, -1 if anywhere else play.destination)
        elif rules.allows_shifts and rng.random() < 0.2:
            await self.send(self.next(cl.ShiftStock))
        elif plays and self._turns < MOST_TURNS:
            self._turns += 1
            turn = rules.stock_play(board, seat)
            play = turn if turn in plays and rng.random() < 0.8 else rng.choice(plays)
            assert play is not None
            await self._play(play.source, play.count, play.destination)
        else:
            self._turns = 0
            await self.send(self.next(cl.Stuck, seen=view.seq))

    async def _play(self, source: int, count: int, destination: int) -> None:
        where = {"source": source, "count": count, "destination": destination}
        await self.send(self.next(cl.PlayCards, seen=self.view.seq, **where))

    async def leave(self) -> None:
        """Give the seat up, with plays on their way, and stay to watch if that is allowed."""
        await self.strike()
        self.has_left = True
        await self.send(self.next(cl.Leave))

    # Hearing.

    async def _listen(self) -> None:
        # What does not follow ends the listening: all of it is looked at when the match is over.
        with suppress(ConnectionClosed, InconsistentEvent):
            async for frame in self._socket:
                self._hear(frame)
                async with self._news:
                    self._news.notify_all()
        self.is_open = False
        self._waiting.clear()
        async with self._news:
            self._news.notify_all()

    def _hear(self, frame: str | bytes) -> None:
        raw: Frame = json.loads(frame) if isinstance(frame, str) else msgpack.unpackb(frame)
        self.streams[-1].append(raw)
        message = decode_server(frame)
        if isinstance(message, Snapshot):
            self._view = TableState.from_snapshot(message)
        elif isinstance(message, Event):
            self.view.apply(message)
        own = isinstance(message, Played) and message.seat == self.place.seat
        if own or isinstance(message, Accepted | Refused):
            self._answered(message)

    def _answered(self, message: Message) -> None:
        counter: int = message.counter  # type: ignore[attr-defined]
        command = self._waiting.pop(counter, None)
        self._answers[counter] = message
        if (
            isinstance(message, Refused)
            and message.reason is Reason.ILLEGAL
            and isinstance(command, cl.PlayCards)
            and self.place.seat is not None
        ):
            move = Move(command.source, command.count, command.destination)
            self.refusals.append(Refusal(self.place.seat, move, command.seen, self.view.seq))

    def _state(self) -> str:
        return f"seat {self.place.seat} at {self.view.seq}, {self._waiting}"

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds, or the line is cut."""
        async with deadline(self._state), self._news:
            await self._news.wait_for(lambda: holds() or not self.is_open)

    async def until_seq(self, seq: int) -> None:
        """Wait until an event is heard."""
        await self.until(lambda: self.view.seq >= seq)

    async def until_answered(self) -> None:
        """Wait until all commands are answered."""
        await self.until(lambda: not self._waiting)


def log_of(visitor: Visitor) -> tuple[Frame, list[Frame]]:
    """Return the first snapshot of somebody who was never cut off, and all events after it."""
    (stream,) = visitor.streams
    events = [frame for frame in stream if is_event(frame)]
    return next(frame for frame in stream if frame[0] == SNAPSHOT), events


def check_streams(visitors: Iterable[Visitor], log: Sequence[Frame], *, may_skip: bool) -> int:
    """Check that all have heard the same, without a gap, from where each came in.

    Args:
        visitors: who was there.
        log: all events of the table.
        may_skip: whether spectators hear later, so that a snapshot may stand for what they missed.

    Returns:
        How many events were compared.

    Raises:
        Wrong: somebody has heard something else.

    """
    by_seq = {frame[1]: frame for frame in log}
    compared = 0
    for visitor in visitors:
        newest = 0
        for stream in visitor.streams:
            try:
                newest, events = _check_stream(stream, by_seq, newest, may_skip=may_skip)
            except Wrong as wrong:
                wrong.add_note(f"heard by seat {visitor.place.seat}")
                raise
            compared += events
    return compared


def _check_stream(
    stream: Sequence[Frame], log: Mapping[int, Frame], newest: int, *, may_skip: bool
) -> tuple[int, int]:
    """Check what one connection told to somebody who knew events up to a number; return the last one."""
    events, is_caught_up = 0, False
    for frame in stream:
        kind, *fields = frame
        if kind == SNAPSHOT:
            if is_caught_up and not may_skip and fields[0] != newest:
                raise Wrong(f"after event {newest} a snapshot of {fields[0]}")
            newest = fields[0]
        elif kind == CAUGHT_UP:
            is_caught_up = True
            if fields[0] != newest:
                raise Wrong(f"caught up with {fields[0]} at {newest}")
        elif is_event(frame):
            if fields[0] != newest + 1 or [*frame] != [*log[fields[0]]]:
                raise Wrong(f"after event {newest} {frame}, where others have {log.get(fields[0])}")
            newest, events = fields[0], events + 1
    return newest, events
