"""A connection to a table: join, play, watch, and come back after a break.

Ten lines make a player::

    async with await Client.join("ws://127.0.0.1:5252/v1", "BCDF", "Ann") as me:
        await me.send(Ready(counter=me.next_counter()))
        async for _ in me:
            if not me.waiting and (play := next(me.legal_plays(), None)):
                await me.play(play)
"""

import asyncio
import contextlib
import secrets
from collections import deque
from collections.abc import AsyncIterator
from typing import Final, Self

from websockets.exceptions import ConnectionClosed

from racing_demon_client.errors import ConnectionFailed, TableEnded
from racing_demon_protocol.engine.shuffle import SEED_SIZE
from racing_demon_protocol.errors import CommandRefused, InconsistentEvent, InvalidGame
from racing_demon_protocol.reasons import CloseCode, Reason
from racing_demon_protocol.table.view import TableView
from racing_demon_protocol.wire.codec import Encoding
from racing_demon_protocol.wire.counters import newest_counter
from racing_demon_protocol.wire.messages import Event, Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Dealt, Played
from racing_demon_protocol.wire.messages.server import Accepted, CaughtUp, Refused, Seated, Snapshot, Watchers
from racing_demon_protocol.wire.options import Options

from .contributor import Contributor, ShareState
from .guest import Guest
from .transport import ENTRY_SECONDS, Transport, reason_of

__all__ = ["Client"]

GOING_AWAY: Final = 1001
FINAL: Final = frozenset({CloseCode.TAKEN_OVER, CloseCode.KICKED, CloseCode.VERSION, CloseCode.BAD_FRAME})
"""Close codes after which coming back would be wrong, or useless."""


class Client(Guest):
    """One place at a table, on a seat or watching.

    Iterating goes on after a broken connection: the seat is taken up again, what was missed comes first,
    and commands in doubt are sent once more. A player contributes to the shuffle of each hand without
    being asked. Made by :meth:`create`, :meth:`join` or :meth:`watch`.

    Attributes:
        url: the server's address.
        contributor: what this client contributes to each shuffle, and what became of it.

    """

    def __init__(self, url: str, encoding: Encoding = Encoding.MSGPACK, patience: float = 60.0) -> None:
        super().__init__(patience)
        self.url = url
        self.contributor = Contributor(self.random_bytes)
        self._passphrase = ""
        self._link = Transport(url, encoding)
        self._token: str | None = None
        self._epoch = self._next_epoch = ""
        self._in_doubt: dict[int, cl.Command] = {}
        self._contributions: set[int] = set()
        self._posts: set[asyncio.Task[None]] = set()
        self._early: deque[Message] = deque()
        self._said_leave = False
        self._return: asyncio.Task[Message] | None = None

    # Taking a place.

    @classmethod
    async def create(  # noqa: PLR0913
        cls,
        url: str,
        name: str,
        options: Options | None = None,
        *,
        seated: bool = True,
        passphrase: str = "",
        encoding: Encoding = Encoding.MSGPACK,
    ) -> Self:
        """Open a table and become its host, on a seat or watching; others may need the passphrase.

        Raises:
            ConnectionFailed: the server cannot be reached.
            CommandRefused: it does not want this table.

        """
        request = cl.Create(name=name, options=options or Options(), seated=seated, passphrase=passphrase)
        return await cls(url, encoding)._enter(request)

    @classmethod
    async def join(  # noqa: PLR0913
        cls,
        url: str,
        code: str,
        name: str,
        *,
        passphrase: str = "",
        token: str = "",
        encoding: Encoding = Encoding.MSGPACK,
    ) -> Self:
        """Take a seat at a table.

        Whoever draws the seat's token (64 hexadecimal digits) may ask again with it if the answer was lost:
        no second seat is taken.

        Raises:
            ConnectionFailed: the server cannot be reached.
            CommandRefused: there is no such table, or no seat at it, or it has another passphrase.

        """
        request = cl.Join(code=code, name=name, passphrase=passphrase, token=token)
        return await cls(url, encoding)._enter(request)

    @classmethod
    async def watch(
        cls, url: str, code: str, *, passphrase: str = "", encoding: Encoding = Encoding.MSGPACK
    ) -> Self:
        """Watch a table.

        Raises:
            ConnectionFailed: the server cannot be reached.
            CommandRefused: there is no such table.

        """
        client = cls(url, encoding)
        client._passphrase = passphrase  # whoever watches comes back by it, for want of a token
        return await client._enter(cl.Watch(code=code, passphrase=passphrase))

    @classmethod
    async def resume(cls, url: str, code: str, token: str, *, encoding: Encoding = Encoding.MSGPACK) -> Self:
        """Take a seat up again with its token, from a program that knows nothing else of it.

        Raises:
            ConnectionFailed: the server cannot be reached.
            CommandRefused: there is no such table, or the token opens no seat there.

        """
        return await cls(url, encoding)._enter(cl.Resume(code=code, token=token))

    @property
    def token(self) -> str | None:
        """The secret that opens the seat again; ``None`` for whoever watches. It is not to be shown."""
        return self._token

    @property
    def has_left(self) -> bool:
        """Whether the seat was given up, or taken away, for good."""
        state = None if self._view is None or self.seat is None else self._view.seats.get(self.seat)
        return self._said_leave or state is None or state.left

    @property
    def part(self) -> ShareState:
        """What became of the own contribution to the hand that was dealt last."""
        return self.contributor.part

    @property
    def in_doubt(self) -> tuple[cl.Command, ...]:
        """The commands that are not answered yet, in their order."""
        return tuple(
            command for counter, command in self._in_doubt.items() if counter not in self._contributions
        )

    def random_bytes(self) -> bytes:
        """Return 32 bytes that nothing foretells, for one shuffle."""
        return secrets.token_bytes(SEED_SIZE)

    # Speaking.

    async def send(self, command: cl.Command) -> None:
        """Send a command. It is kept until it is answered, and sent again after a break."""
        command = self._note(command)
        if self._entered:  # else it is sent with all others in doubt, once all that was missed has come
            await self._link.write(command)

    def post(self, command: cl.Command) -> None:
        """Send a command without waiting: it is in doubt at once, and goes out as soon as the loop turns."""
        command = self._note(command)
        if self._entered:
            task = asyncio.create_task(self._link.write(command))
            self._posts.add(task)
            task.add_done_callback(self._posts.discard)

    def _note(self, command: cl.Command) -> cl.Command:
        """Keep a command until it is answered. Of some it matters which hand they are meant for."""
        if isinstance(command, cl.HAND_COMMANDS) and not command.seen:
            command = command.model_copy(update={"seen": self.view.seq})
        self._in_doubt[command.counter] = command
        self._said_leave = self._said_leave or isinstance(command, cl.Leave)
        return command

    async def ping(self, stamp: int) -> None:
        """Ask for a pong with the same stamp, which comes as a message; not while there is no connection."""
        if self._entered:
            with contextlib.suppress(ConnectionClosed):
                await self._link.write(cl.Ping(stamp=stamp))

    async def ask(self, command: cl.Command) -> Accepted:
        """Send a command and wait for its answer; messages that come before are given later.

        Raises:
            CommandRefused: the answer is a refusal.
            ConnectionFailed: no answer will come.

        """
        await self.send(command)
        passed: list[Message] = []
        try:
            async for message in self:
                if isinstance(message, Refused) and message.counter == command.counter:
                    raise CommandRefused(message.reason, message.text)
                if isinstance(message, Accepted) and message.counter == command.counter:
                    return message
                passed.append(message)
        finally:
            self._early.extendleft(reversed(passed))
        raise ConnectionFailed("The server ended the conversation.")

    # Listening.

    async def __aiter__(self) -> AsyncIterator[Message]:
        """Yield the table's messages until one of the two sides says goodbye.

        Raises:
            ConnectionFailed: the connection broke and could not be restored, or the server ended it.
            CommandRefused: the table, or the seat at it, is gone.

        """
        while True:
            if self._early:
                yield self._early.popleft()
                continue
            try:
                message = await self._link.read()
            except ConnectionClosed as closed:
                if not await self._come_back(closed):
                    return
                continue
            if isinstance(message, Accepted | Refused) and 0 < message.counter not in self._in_doubt:
                continue  # it answers once more what was sent again after a break
            self._follow(message)
            if isinstance(message, CaughtUp):
                await self._go_on()
            if not self._is_of_contribution(message):
                await self._contribute()
                yield message

    async def close(self) -> None:
        """End the connection. A seat stays the player's until it is left."""
        self._goodbye = True
        if self._return is not None:
            self._return.cancel()
        await self._link.hang_up()

    async def leave(self) -> None:
        """Give the seat up for good, and end the connection."""
        if self.seat is not None:
            await self.send(cl.Leave(counter=self.next_counter()))
        await self.close()

    # Below the surface.

    async def _enter(self, request: Message) -> Self:
        try:
            async with asyncio.timeout(ENTRY_SECONDS):
                self._take_place(await self._link.ask(request))
                message: Message | None = None
                while not isinstance(message, CaughtUp):
                    message = await self._link.read()
                    self._follow(message)
                    self._early.append(message)
        except ConnectionClosed as closed:
            raise ConnectionFailed(reason_of(closed)) from closed
        except TimeoutError as error:
            await self.close()
            raise ConnectionFailed(f"The server at {self.url} does not answer.") from error
        except BaseException:  # whoever does not want it any more cancels it, and must not keep a seat so
            await self.close()
            raise
        self._entered = True
        await self._contribute()
        return self

    def _take_place(self, answer: Message) -> None:
        """Take the place that was asked for.

        Raises:
            CommandRefused: it is not given.

        """
        if isinstance(answer, Refused):
            raise CommandRefused(answer.reason, answer.text)
        self._follow(answer)
        self._early.append(answer)

    def _follow(self, message: Message) -> None:
        try:
            match message:
                case Seated():
                    self.code, self.seat = message.code, message.seat
                    self._token = message.token
                    self._next_epoch = message.epoch
                    self._counter = newest_counter(self._counter, message.counter)
                    self.watchers = 0  # else it is told next
                case Snapshot():
                    self._view = TableView.from_snapshot(message)
                    self._epoch = self._next_epoch
                    self.contributor.dealt(self._view, self.seat)
                case Event():
                    self._follow_event(message)
                case CaughtUp() if self._view is None or self._view.seq != message.seq:
                    raise InconsistentEvent("all is said to have come, and has not")
                case Accepted() | Refused():
                    self._in_doubt.pop(message.counter, None)
                case Watchers():
                    self.watchers = message.count
        except (InconsistentEvent, InvalidGame) as error:
            raise ConnectionFailed(f"The server sent a table that cannot be: {error}.") from error

    def _follow_event(self, event: Event) -> None:
        if self._view is None:
            raise InconsistentEvent("an event before any table")
        self._view.apply(event)
        self._epoch = self._next_epoch
        if isinstance(event, Played) and event.seat == self.seat:
            self._in_doubt.pop(event.counter, None)
        elif isinstance(event, Dealt):
            self.contributor.dealt(self._view, self.seat)

    def _is_of_contribution(self, message: Message) -> bool:
        """Tell whether a message answers what this client has contributed: nobody else has asked for that."""
        if not isinstance(message, Accepted | Refused) or message.counter not in self._contributions:
            return False
        self._contributions.discard(message.counter)
        if isinstance(message, Refused):
            self.contributor.refused(message)
        return True

    async def _contribute(self) -> None:
        """Send what this client is to contribute to the next shuffle now, if anything."""
        if not self._entered:
            return
        while self._posts:  # commands go out in the order of their numbers
            await asyncio.wait(self._posts)
        command = self.contributor.command(self.view, self.seat, self.next_counter)
        if command is not None:
            self._contributions.add(command.counter)
            await self.send(command)

    async def _come_back(self, closed: ConnectionClosed) -> bool:
        """Take the place up again after a break; ``False`` where the server meant to end it."""
        code = closed.rcvd.code if closed.rcvd is not None else None
        if code == GOING_AWAY:
            raise TableEnded(reason_of(closed))
        if code in FINAL:
            raise ConnectionFailed(reason_of(closed))
        if code == 1000 or self._goodbye:
            return False
        self._entered = False
        self.notice("the connection broke; trying to come back")
        self._return = asyncio.create_task(self._link.ask_again(self._way_back(), self.patience))
        try:
            await asyncio.wait([self._return])
        finally:
            self._return.cancel()
        if self._return.cancelled():  # whoever waited for it has left
            return False
        try:
            self._take_place(self._return.result())
        except CommandRefused as error:
            if self._said_leave and error.reason is Reason.BAD_TOKEN:  # the seat is given up, as was asked
                return False
            raise
        return True

    def _way_back(self) -> Message:
        if self._token is None:
            return cl.Watch(code=self.code, passphrase=self._passphrase)
        return cl.Resume(code=self.code, token=self._token, seq=self.view.seq, epoch=self._epoch)

    async def _go_on(self) -> None:
        """Go on after a break, now that all that was missed has come: send again what is in doubt.

        What was answered before the break is answered again, by an event or by the answer that is kept.
        """
        if self._entered:
            return
        sent: set[int] = set()
        while unsent := [counter for counter in self._in_doubt if counter not in sent]:
            sent.add(unsent[0])
            await self._link.write(self._in_doubt[unsent[0]])
        self._entered = True
        self.notice("the connection is back")
