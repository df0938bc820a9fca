"""Eight fast players on real sockets."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any, Final, NoReturn

import msgpack
from websockets.asyncio.client import ClientConnection, connect
from websockets.frames import Frame, Opcode
from websockets.typing import Subprotocol

from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.codec import VERSION, Encoding, decode_server, encode
from racing_demon_protocol.wire.messages import Event, Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Played
from racing_demon_protocol.wire.messages.server import Refused, Seated, Snapshot, Watchers
from racing_demon_protocol.wire.options import Options

PLAYERS: Final = 8
MIN_PAUSE: Final = 0.06
MAX_PAUSE: Final = 0.1
"""Seconds between two plays of one player: eight of them make a hundred plays a second."""
PATIENCE: Final = 20.0


class DirectConnection(ClientConnection):
    """A WebSocket that hands frames over in the call that has read them."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._hear: Callable[[bytes], None] | None = None
        self._early: list[bytes] = []

    def begin(self, hear: Callable[[bytes], None]) -> None:
        """Hand all frames over, those first that were read before."""
        self._hear = hear
        for frame in self._early:
            hear(frame)

    def process_event(self, event: Any) -> None:
        """Take messages, which the server never cuts into fragments; leave the rest to the library."""
        if not isinstance(event, Frame) or event.opcode is not Opcode.BINARY:
            super().process_event(event)
        elif self._hear is None:
            self._early.append(bytes(event.data))
        else:
            self._hear(bytes(event.data))


@dataclass(slots=True)
class Player:
    """One player.

    Attributes:
        socket: the connection.
        seat: the seat, once it is there.
        counter: the number of the last command.
        waiting: whether that is not answered yet.
        entered: whether the snapshot has come.

    """

    socket: DirectConnection
    seat: int | None = None
    counter: int = 0
    waiting: bool = False
    entered: bool = False

    def write(self, message: Message) -> None:
        """Write a message to the socket now."""
        frame = encode(message)
        assert isinstance(frame, bytes)
        self.socket.transport.write(Frame(Opcode.BINARY, frame).serialize(mask=True))


class PlayerGroup:
    """Players who turn their stocks as fast as hard bots, which is possible at any time.

    Attributes:
        code: the table's code.
        watchers: how many watch the table, as the players are told.
        plays: how many plays were made.
        resting: whether nobody plays for now.

    """

    def __init__(self, url: str) -> None:
        self.resting = True
        self.code = ""
        self.watchers = 0
        self.plays = 0
        self._url = url
        self._players: list[Player] = []
        self._view: TableState | None = None
        self._changed = asyncio.Event()

    @property
    def seq(self) -> int:
        """The number of the last event."""
        return 0 if self._view is None else self._view.seq

    async def until(self, is_so: Callable[[], bool]) -> None:
        """Wait until something that the players hear of is so.

        Raises:
            TimeoutError: it is not.

        """
        async with asyncio.timeout(PATIENCE):
            while not is_so():
                self._changed.clear()
                await self._changed.wait()

    async def enter(self, stack: AsyncExitStack) -> None:
        """Take the seats, one after the other, and deal; the stack closes the connections."""
        for number in range(1, PLAYERS + 1):
            opening = connect(
                self._url,
                subprotocols=[Subprotocol(Encoding.MSGPACK)],
                compression=None,
                close_timeout=1,
                create_connection=DirectConnection,
            )
            socket = await stack.enter_async_context(opening)
            assert isinstance(socket, DirectConnection)
            player = Player(socket)
            self._players.append(player)
            socket.begin(lambda frame, player=player: self._hear(player, frame))  # type: ignore[misc]
            player.write(cl.Hello(version=VERSION))
            player.write(self._request(f"Player {number}"))
            await self.until(lambda player=player: player.entered)  # type: ignore[misc]
        host = self._players[0]
        host.counter += 1
        host.write(cl.Start(counter=host.counter))
        await self.until(lambda: self._view is not None and self._view.in_hand)

    def _request(self, name: str) -> Message:
        if self.code:
            return cl.Join(code=self.code, name=name)
        return cl.Create(name=name, options=Options(hands=100, countdown_ms=0, tally_ms=0))

    async def play_on(self) -> None:
        """Play until the task is cancelled.

        Raises:
            ConnectionError: a player was cut off.

        """
        async with asyncio.TaskGroup() as group:
            for number, player in enumerate(self._players):
                chance = random.Random(number)  # noqa: S311 - no secret, and the same each time
                group.create_task(self._keep_playing(player, chance))

    async def _keep_playing(self, player: Player, chance: random.Random) -> NoReturn:
        while True:
            await asyncio.sleep(chance.uniform(MIN_PAUSE, MAX_PAUSE))
            if player.socket.close_code is not None:
                raise ConnectionError(f"a player was cut off: {player.socket.close_reason}")
            play = self._turn(player)
            if play is not None and player.seat is not None:
                player.counter += 1
                player.waiting = True
                command = cl.PlayCards.of(play, counter=player.counter, seen=self.seq)
                player.write(command)
                self.plays += 1

    def _turn(self, player: Player) -> Play | None:
        """Return the play that turns a player's stock; none while the last one is not answered."""
        view, seat = self._view, player.seat
        if self.resting or player.waiting or view is None or seat is None or not view.in_hand:
            return None
        assert view.hand is not None
        return view.hand.rules.stock_play(view.hand.board, seat)

    # Listening.

    def _hear(self, player: Player, frame: bytes) -> None:
        tag = msgpack.unpackb(frame)[0]
        if player is self._players[0] or not player.entered or tag == Refused.TAG:
            self._follow(player, decode_server(frame))
        self._changed.set()

    def _follow(self, player: Player, message: Message) -> None:
        """Learn from a message; what happens at the table, from the first player's alone."""
        match message:
            case Seated():
                self.code, player.seat = message.code, message.seat
            case Snapshot():
                player.entered = True
                if self._view is None:
                    self._view = TableState.from_snapshot(message)
            case Refused():
                player.waiting = False
            case Watchers():
                self.watchers = message.count
            case Event() if player is self._players[0]:
                assert self._view is not None
                self._view.apply(message)
                if isinstance(message, Played):
                    self._answered(message)

    def _answered(self, played: Played) -> None:
        player = next(player for player in self._players if player.seat == played.seat)
        if player.counter == played.counter:
            player.waiting = False


@asynccontextmanager
async def player_group_at(url: str) -> AsyncIterator[PlayerGroup]:
    """Seat eight players at a table of their own, and let them play as long as the context lasts.

    Raises:
        ConnectionError: one of them was cut off.

    """
    group = PlayerGroup(url)
    async with AsyncExitStack() as stack:
        await group.enter(stack)
        playing = asyncio.create_task(group.play_on())
        try:
            yield group
            if playing.done():
                playing.result()
        finally:
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)
