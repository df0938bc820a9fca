"""A connection to a table: join, play, watch and resume.

A minimal bot::

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
from collections.abc import AsyncIterator, Sequence
from typing import Final, Self

from websockets.exceptions import ConnectionClosed

from racing_demon_client.errors import ConnectionFailed, TableEnded
from racing_demon_client.shared.title_text import SeatTitle
from racing_demon_protocol.engine.commit_reveal import SEED_SIZE
from racing_demon_protocol.enums import CloseCode, Reason
from racing_demon_protocol.errors import CommandRefused, InconsistentEvent, InvalidGame
from racing_demon_protocol.table.state import TableState
from racing_demon_protocol.wire.capabilities import (
    APPEARANCE,
    HANDICAPS,
    LISTS,
    MODERATION,
    RETURNS,
    TEAMS,
    lacking,
)
from racing_demon_protocol.wire.codec import Encoding
from racing_demon_protocol.wire.messages import Event, Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Dealt, Played
from racing_demon_protocol.wire.messages.server import (
    Accepted,
    CaughtUp,
    Refused,
    Seated,
    Snapshot,
    SpectatorList,
    Watchers,
)
from racing_demon_protocol.wire.options import NEEDED_BY, Options
from racing_demon_protocol.wire.presets import usual_options
from racing_demon_protocol.wire.serial_numbers import newest_counter

from .evening_titles import fetch_titles
from .shuffle_client import ContributionState, ShuffleClient
from .table_client import TableClient
from .transport import (
    ENTRY_SECONDS,
    PlayerAuthenticator,
    ServerConnection,
    close_reason,
)

FINAL_CLOSE_CODES: Final = frozenset(
    {CloseCode.TAKEN_OVER, CloseCode.KICKED, CloseCode.VERSION, CloseCode.BAD_FRAME}
)
"""Close codes after which the client does not reconnect."""
EXTENSION_OF: Final[dict[type[cl.Command], str]] = {
    cl.SetHandicap: HANDICAPS,
    cl.SetTeam: TEAMS,
    cl.CloseEntry: MODERATION,
    cl.EndMatch: RETURNS,
    cl.SetLastHand: RETURNS,
    cl.SetLateStart: RETURNS,
    cl.SetAppearance: APPEARANCE,
    cl.ListSpectators: MODERATION,
    cl.ListTable: LISTS,
    cl.RemoveSpectator: MODERATION,
    cl.Report: MODERATION,
}
"""The commands that only servers with an extension know."""


class Client(TableClient):
    """A place at a table, as a player or a spectator.

    Created by :meth:`create`, :meth:`join` or :meth:`watch`. Iteration survives a lost connection: the client
    resumes its seat, yields the missed messages first, and sends unanswered commands again. A player
    contributes to each hand's shuffle automatically.

    Attributes:
        url: the server's address.
        shuffle_client: this client's part in each shuffle.

    """

    def __init__(
        self,
        url: str,
        encoding: Encoding = Encoding.MSGPACK,
        patience: float = 60.0,
        *,
        program: bool = False,
        person: PlayerAuthenticator | None = None,
    ) -> None:
        super().__init__(patience)
        self.url = url
        self.shuffle_client = ShuffleClient(self.random_bytes)
        self._passphrase = ""
        self._connection = ServerConnection(
            url,
            encoding,
            lambda: self._view is not None and self._view.in_hand,
            program=program,
            person=person,
        )
        self._token: str | None = None
        self._epoch = self._next_epoch = ""
        self._unanswered: dict[int, cl.Command] = {}
        self._contributions: set[int] = set()
        self._posts: set[asyncio.Task[None]] = set()
        self._queued: deque[Message] = deque()
        self._said_leave = False
        self._return: asyncio.Task[Message] | None = None

    # Opening a table and taking a seat.

    @classmethod
    async def create(  # noqa: PLR0913 - the API of bots: everything optional is a keyword
        cls,
        url: str,
        name: str,
        options: Options | None = None,
        *,
        seated: bool = True,
        passphrase: str = "",
        listed: bool = True,
        known_deal: bytes | None = None,
        encoding: Encoding = Encoding.MSGPACK,
        program: bool = False,
        person: PlayerAuthenticator | None = None,
    ) -> Self:
        """Open a table and become its host, as a player or a spectator.

        If it is not ``listed``, no list and no announcement names it: whoever has its code finds it. With a
        ``known_deal``, 32 bytes, everybody can know the cards of all hands, and the options must be casual.

        With ``program`` everybody sees that a program plays, and standings tell it apart from people. With
        ``person`` the user is identified at a server that remembers people, and sits down under the name by
        which it knows that person.

        Raises:
            ConnectionFailed: the server cannot be reached.
            CommandRefused: the server refused the table.

        """
        options = options or usual_options()
        request = cl.Create(
            name=name,
            options=options,
            seated=seated,
            passphrase=passphrase,
            listed=listed,
            known_deal=None if known_deal is None else known_deal.hex(),
        )
        client = cls(url, encoding, program=program, person=person)
        client.is_listed = listed
        return await client._enter(request)

    @classmethod
    async def join(  # noqa: PLR0913 - the API of bots: everything optional is a keyword
        cls,
        url: str,
        code: str,
        name: str,
        *,
        passphrase: str = "",
        token: str = "",
        encoding: Encoding = Encoding.MSGPACK,
        program: bool = False,
        person: PlayerAuthenticator | None = None,
    ) -> Self:
        """Take a seat at a table.

        With ``program`` everybody sees that a program plays, and standings tell it apart from people. With
        ``person`` the user is identified at a server that remembers people, and sits down under the name by
        which it knows that person.

        If the answer is lost, a caller who chose the seat's token (64 hexadecimal digits) can ask again with
        it without taking a second seat.

        Raises:
            ConnectionFailed: the server cannot be reached.
            CommandRefused: the table does not exist, is full, or has another passphrase.

        """
        request = cl.Join(code=code, name=name, passphrase=passphrase, token=token)
        return await cls(url, encoding, program=program, person=person)._enter(request)

    @classmethod
    async def watch(
        cls, url: str, code: str, *, passphrase: str = "", encoding: Encoding = Encoding.MSGPACK
    ) -> Self:
        """Watch a table.

        Raises:
            ConnectionFailed: the server cannot be reached.
            CommandRefused: the table does not exist, or cannot be watched.

        """
        client = cls(url, encoding)
        client._passphrase = passphrase  # a spectator reconnects with it: there is no token
        return await client._enter(cl.Watch(code=code, passphrase=passphrase))

    @classmethod
    async def resume(cls, url: str, code: str, token: str, *, encoding: Encoding = Encoding.MSGPACK) -> Self:
        """Resume a seat with nothing but its token.

        Raises:
            ConnectionFailed: the server cannot be reached.
            CommandRefused: the table does not exist, or the token is not valid for a seat.

        """
        return await cls(url, encoding)._enter(cl.Resume(code=code, token=token))

    @property
    def token(self) -> str | None:
        """The secret that resumes the seat; ``None`` for a spectator. Never show it."""
        return self._token

    @property
    def has_left(self) -> bool:
        """Whether the seat was given up, or the player kicked."""
        state = None if self._view is None or self.seat is None else self._view.seats.get(self.seat)
        return self._said_leave or state is None or state.left

    @property
    def can_come_back(self) -> bool:
        """Whether a player who leaves now can take the seat back: in a match, if the server knows how."""
        knows = not lacking(self._connection.server_software, [RETURNS])
        return knows and self._view is not None and not self._view.between_matches

    @property
    def is_seat_kept(self) -> bool:
        """Whether the player has left, was not kicked, and can take the seat back."""
        return self._said_leave and self.can_come_back

    @property
    def contribution_state(self) -> ContributionState:
        """The state of this client's contribution to the last deal."""
        return self.shuffle_client.contribution_state

    @property
    def unanswered(self) -> tuple[cl.Command, ...]:
        """The unanswered commands, in order."""
        return tuple(
            command for counter, command in self._unanswered.items() if counter not in self._contributions
        )

    async def titles(self) -> Sequence[SeatTitle]:
        """Return the titles of the evening after a match, as soon as the server has made them."""
        return await fetch_titles(self._connection.address, self.view, self._token)

    def random_bytes(self) -> bytes:
        """Return 32 unpredictable bytes for one shuffle."""
        return secrets.token_bytes(SEED_SIZE)

    # Sending.

    async def send(self, command: cl.Command) -> None:
        """Send a command. It is kept until answered, and sent again after a lost connection."""
        if self._is_unknown(command):
            return
        command = self._remember(command)
        if self._entered:  # otherwise it is sent with the other unanswered commands after resuming
            await self._connection.send(command)

    def post(self, command: cl.Command) -> None:
        """Send a command without waiting: it is written in the loop's next turn."""
        if self._is_unknown(command):
            return
        command = self._remember(command)
        if self._entered:
            task = asyncio.create_task(self._connection.send(command))
            self._posts.add(task)
            task.add_done_callback(self._posts.discard)

    def _is_unknown(self, command: cl.Command) -> bool:
        """Return whether the server does not know a command, and answer it in the server's place."""
        words = {word for cls, word in EXTENSION_OF.items() if isinstance(command, cls)}
        if isinstance(command, cl.SetOptions):
            words |= {NEEDED_BY[name] for name in command.options.model_fields_set & NEEDED_BY.keys()}
        try:
            self._connection.verify_known(words)
        except CommandRefused as refused:
            refusal = Refused(counter=command.counter, reason=refused.reason, text=refused.text)
            self._queued.append(refusal)
            return True
        return False

    def _remember(self, command: cl.Command) -> cl.Command:
        """Keep a command until it is answered, and the hand it is meant for where that matters."""
        if isinstance(command, cl.HAND_COMMANDS) and not command.seen:
            command = command.model_copy(update={"seen": self.view.seq})
        self._unanswered[command.counter] = command
        self._said_leave = self._said_leave or isinstance(command, cl.Leave)
        return command

    async def ping(self, stamp: int) -> None:
        """Request a pong with the same stamp, which arrives as a message. Does nothing while disconnected."""
        if self._entered:
            with contextlib.suppress(ConnectionClosed):
                await self._connection.send(cl.Ping(stamp=stamp))

    async def ask(self, command: cl.Command) -> Accepted:
        """Send a command and wait for its answer; messages received meanwhile are yielded later.

        Raises:
            CommandRefused: the command was refused.
            ConnectionFailed: the connection was lost for good.

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
            self._queued.extendleft(reversed(passed))
        raise ConnectionFailed("The server closed the connection.")

    # Receiving.

    async def __aiter__(self) -> AsyncIterator[Message]:
        """Yield the table's messages until either side closes the connection.

        Raises:
            ConnectionFailed: the connection was lost and could not be resumed, or the server closed it.
            CommandRefused: the table, or the seat at it, is gone.

        """
        while True:
            if self._queued:
                yield self._queued.popleft()
                continue
            try:
                message = await self._connection.receive()
            except ConnectionClosed as closed:
                if not await self._reconnect(closed):
                    return
                continue
            if isinstance(message, Accepted | Refused) and 0 < message.counter not in self._unanswered:
                continue  # a repeated answer to a command that was sent twice
            self._apply(message)
            if isinstance(message, CaughtUp):
                await self._resend_unanswered()
            if not self._is_of_contribution(message):
                await self._contribute()
                yield message

    async def close(self) -> None:
        """Close the connection. The seat stays reserved until the player leaves."""
        self._goodbye = True
        if self._return is not None:
            self._return.cancel()
        await self._connection.close()

    async def leave(self) -> None:
        """Give up the seat for good and close the connection."""
        if self.seat is not None:
            await self.send(cl.Leave(counter=self.next_counter()))
        await self.close()

    # Implementation.

    async def _enter(self, request: Message) -> Self:
        try:
            answer = await self._connection.request_when_ready(request, self.patience)
            async with asyncio.timeout(ENTRY_SECONDS):
                self._handle_entry(answer)
                message: Message | None = None
                while not isinstance(message, CaughtUp):
                    message = await self._connection.receive()
                    self._apply(message)
                    self._queued.append(message)
        except ConnectionClosed as closed:
            raise ConnectionFailed(close_reason(closed)) from closed
        except TimeoutError as error:
            await self.close()
            raise ConnectionFailed(f"The server at {self.url} does not answer.") from error
        except BaseException:  # a cancelled request must not leave a seat taken
            await self.close()
            raise
        self._entered = True
        await self._contribute()
        return self

    def _handle_entry(self, answer: Message) -> None:
        """Enter the table with the server's answer.

        Raises:
            CommandRefused: the request was refused.

        """
        if isinstance(answer, Refused):
            raise CommandRefused(answer.reason, answer.text)
        self._apply(answer)
        self._queued.append(answer)

    def _apply(self, message: Message) -> None:
        try:
            match message:
                case Seated():
                    self.code, self.seat = message.code, message.seat
                    self._token = message.token
                    self._next_epoch = message.epoch
                    self._counter = newest_counter(self._counter, message.counter)
                    self.watchers = 0  # the next message sets it
                    self.spectators = ()
                case Snapshot():
                    self._view = TableState.from_snapshot(message)
                    self._epoch = self._next_epoch
                    self.shuffle_client.dealt(self._view, self.seat)
                case Event():
                    self._apply_event(message)
                case CaughtUp() if self._view is None or self._view.seq != message.seq:
                    raise InconsistentEvent("events are missing that the server announced")
                case Accepted() | Refused():
                    command = self._unanswered.pop(message.counter, None)
                    self.is_listed |= isinstance(message, Accepted) and isinstance(command, cl.ListTable)
                case Watchers():
                    self.watchers = message.count
                case SpectatorList():
                    self.spectators = message.spectators
        except (InconsistentEvent, InvalidGame) as error:
            raise ConnectionFailed(f"The server sent an invalid table: {error}.") from error

    def _apply_event(self, event: Event) -> None:
        if self._view is None:
            raise InconsistentEvent("an event before any table")
        self._view.apply(event)
        self._epoch = self._next_epoch
        if isinstance(event, Played) and event.seat == self.seat:
            self._unanswered.pop(event.counter, None)
        elif isinstance(event, Dealt):
            self.shuffle_client.dealt(self._view, self.seat)

    def _is_of_contribution(self, message: Message) -> bool:
        """Return whether a message answers this client's contribution, which no caller waits for."""
        if not isinstance(message, Accepted | Refused) or message.counter not in self._contributions:
            return False
        self._contributions.discard(message.counter)
        if isinstance(message, Refused):
            self.shuffle_client.refused(message)
        return True

    async def _contribute(self) -> None:
        """Send the next contribution to the shuffle, if one is due."""
        if not self._entered:
            return
        while self._posts:  # keep commands in the order of their counters
            await asyncio.wait(self._posts)
        command = self.shuffle_client.command(self.view, self.seat, self.next_counter)
        if command is not None:
            self._contributions.add(command.counter)
            await self.send(command)

    async def _reconnect(self, closed: ConnectionClosed) -> bool:
        """Resume after a lost connection; return ``False`` if the server closed it on purpose."""
        code = closed.rcvd.code if closed.rcvd is not None else None
        if code == CloseCode.GOING_AWAY:
            if self._said_leave:  # a host's table ends with its host
                return False
            raise TableEnded(close_reason(closed))
        if code in FINAL_CLOSE_CODES:
            raise ConnectionFailed(close_reason(closed))
        if code == 1000 or self._goodbye:
            return False
        self._entered = False
        self.notice("connection lost; reconnecting")
        self._return = asyncio.create_task(
            self._connection.request_again(self._resume_request(), self.patience)
        )
        try:
            await asyncio.wait([self._return])
        finally:
            self._return.cancel()
        if self._return.cancelled():  # the caller has left
            return False
        try:
            self._handle_entry(self._return.result())
        except CommandRefused as error:
            if self._said_leave and error.reason is Reason.BAD_TOKEN:  # the seat was given up, as requested
                return False
            raise
        return True

    def _resume_request(self) -> Message:
        if self._token is None:
            return cl.Watch(code=self.code, passphrase=self._passphrase)
        return cl.Resume(code=self.code, token=self._token, seq=self.view.seq, epoch=self._epoch)

    async def _resend_unanswered(self) -> None:
        """Send unanswered commands again once all missed messages have arrived.

        The server answers those it already knows as it did before.
        """
        if self._entered:
            return
        sent: set[int] = set()
        while unsent := [counter for counter in self._unanswered if counter not in sent]:
            sent.add(unsent[0])
            await self._connection.send(self._unanswered[unsent[0]])
        self._entered = True
        self.notice("reconnected")
