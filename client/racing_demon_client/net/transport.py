"""Messages to and from one server, over a sequence of WebSockets.

A WebSocket follows no redirects, notices a silent server, and says in a sentence why it was not opened.
"""

import asyncio
import os
import ssl
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, Final, Protocol

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import (
    ConnectionClosed,
    ConnectionClosedError,
    InvalidHandshake,
    InvalidStatus,
    InvalidURI,
)
from websockets.typing import Subprotocol

from racing_demon_client.errors import ConnectionFailed, IncompatibleServer
from racing_demon_protocol.enums import CloseCode, Reason
from racing_demon_protocol.errors import CommandRefused, ForeignHost, InvalidFrame
from racing_demon_protocol.wire.capabilities import (
    FOLLOWS_MOVED,
    FORGETS,
    HEARS_NOTICES,
    PLAYS_BY_ITSELF,
    PROVES,
    REMEMBERS,
    SHOWS_RACES,
    UNLISTED,
    announced,
    in_words,
    lacking,
    needed,
    understands,
)
from racing_demon_protocol.wire.codec import MAX_SERVER_FRAME, VERSION, Encoding, decode_server, encode
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import (
    Challenge,
    Elsewhere,
    Identified,
    Moved,
    Refused,
    Versions,
)
from racing_demon_protocol.wire.redirects import at_port, moved_to

AUTHORITY: Final = "RACING_DEMON_CA"
"""The environment variable that names the file of an authority to be trusted besides the system's."""

TOO_MANY: Final = "Too many connections from your address. Wait a few seconds, and try again."


class NoRedirectConnect(connect):
    """A connection that follows no redirects. Its other settings are those of :class:`connect`."""

    def __init__(
        self,
        url: str,
        encoding: Encoding,
        *,
        max_size: int = MAX_SERVER_FRAME,
        close_timeout: float = 1,
        **settings: Any,
    ) -> None:
        super().__init__(
            url,
            subprotocols=[Subprotocol(encoding)],
            compression=None,
            max_size=max_size,
            ping_interval=None,  # HeartbeatConnection sends its own pings
            close_timeout=close_timeout,
            user_agent_header="racing-demon",
            **_trust(url),
            **settings,
        )

    def process_redirect(self, exc: Exception) -> Exception | str:
        """Follow no redirect: no server may send the client to another machine."""
        return exc


def _trust(url: str) -> dict[str, Any]:
    """Return the setting of a connection that trusts the authority that the user has named."""
    authority = os.environ.get(AUTHORITY, "")
    if not authority or not url.startswith("wss:"):
        return {}
    context = ssl.create_default_context()
    context.load_verify_locations(authority)
    return {"ssl": context}


async def open_websocket(url: str, encoding: Encoding, seconds: float) -> ClientConnection:
    """Return an open WebSocket on which nothing has been sent yet.

    Args:
        url: the server's address.
        encoding: the encoding of messages.
        seconds: the timeout.

    Raises:
        ConnectionFailed: the server cannot be reached.

    """
    with _readable_errors(url):
        return await NoRedirectConnect(url, encoding, open_timeout=seconds)


async def fetch_page(url: str, seconds: float, token: str = "") -> bytes | None:
    """Return a page of a server, of at most a mebibyte; ``None`` if it has no such page.

    A handshake at the address of a page is answered with the page. So pages are read with the TLS, proxies,
    timeouts and limits of all connections.

    Args:
        url: the page's address, with the scheme of a WebSocket.
        seconds: the timeout.
        token: tells the server who asks; empty for a guest.

    Raises:
        ConnectionFailed: the server cannot be reached.

    """
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    with _readable_errors(url):
        try:
            socket = await NoRedirectConnect(
                url, Encoding.JSON, open_timeout=seconds, additional_headers=headers
            )
        except InvalidStatus as answered:
            response = answered.response
            if response.status_code == HTTPStatus.TOO_MANY_REQUESTS:
                raise
            return bytes(response.body) if response.status_code == HTTPStatus.OK else None
    await socket.close()
    return None


@contextmanager
def _readable_errors(url: str) -> Iterator[None]:
    """Turn the library's errors into sentences."""
    try:
        yield
    except ssl.SSLCertVerificationError as error:
        why = f"The certificate of {url} is not trusted here: {error.verify_message}."
        advice = "Is the address right? If its owner has an authority of their own, name its file with --ca."
        raise ConnectionFailed(f"{why} {advice}") from error
    except (InvalidURI, ValueError) as error:  # ValueError: an invalid port or host name
        raise ConnectionFailed(f"{url} is not a server's address, like ws://host:5252/v1.") from error
    except (OSError, TimeoutError, InvalidHandshake) as error:
        if isinstance(error, InvalidStatus) and error.response.status_code == HTTPStatus.TOO_MANY_REQUESTS:
            raise ConnectionFailed(TOO_MANY) from error
        text = f"There is no server at {url}. Is it running, and is the address right?"
        raise ConnectionFailed(text) from error


def check_version(message: Message) -> None:
    """Check that a server's first message offers a protocol version that we speak.

    Raises:
        IncompatibleServer: it does not; the text says which side needs an update.

    """
    if isinstance(message, Versions) and not message.oldest <= VERSION <= message.newest:
        advice = "update this client" if message.oldest > VERSION else "update the server"
        raise IncompatibleServer(
            f"The server speaks versions {message.oldest} to {message.newest} of the protocol, "
            f"this client {VERSION}: {advice}."
        )


HEARTBEAT_SECONDS: Final = 1.5
"""The pause between pings during a hand, and the timeout of the answers: silence is noticed within 3 s."""
TIMEOUTS_BETWEEN_HANDS: Final = 3
"""Between hands there is one ping per this many timeouts."""
TIMEOUT_LATENCIES: Final = 4.0
"""On a slow network the timeout is this multiple of the latency."""
MAX_TIMEOUT_SECONDS: Final = 8.0
"""Seconds."""


class HeartbeatConnection:
    """A WebSocket whose reader fails if the server sends nothing for too long after a ping.

    Any message is a sign of life: on a slow network a pong may wait behind others. None is long enough to
    take seconds itself. If our own program does not read, the server is not to blame.

    Args:
        socket: the WebSocket.
        connect_seconds: the seconds that connecting took, which was two round trips or more.
        is_urgent: returns whether silence must be noticed soon, as during a hand.

    """

    def __init__(
        self, socket: ClientConnection, connect_seconds: float, is_urgent: Callable[[], bool]
    ) -> None:
        self._socket = socket
        self._first_latency = connect_seconds / 2
        self._is_urgent = is_urgent
        self._loop = asyncio.get_running_loop()
        self._received_at = self._pinged_at = self._loop.time()
        self._pong: asyncio.Future[float] | None = None
        self._timeouts = 0
        self._deadline = self._pinged_at + HEARTBEAT_SECONDS

    async def send(self, frame: bytes | str) -> None:
        """Send a message.

        Raises:
            ConnectionClosed: the connection is closed.

        """
        await self._socket.send(frame)

    async def recv(self) -> bytes | str:
        """Return the next message.

        Raises:
            ConnectionClosed: the connection is closed, or the server is silent.

        """
        while True:
            try:
                async with asyncio.timeout_at(self._deadline):
                    frame = await self._socket.recv()
            except TimeoutError:
                await self._check_and_ping()
            else:
                self._received_at = self._loop.time()
                return frame

    async def close(self) -> None:
        """Close the connection; this takes a second if the server is silent."""
        await self._socket.close()

    async def _check_and_ping(self) -> None:
        """Fail if the last ping was not answered, and send the next one if it is due."""
        if self._pong is not None and not self._pong.done() and self._received_at <= self._pinged_at:
            raise ConnectionClosedError(None, None)
        self._pong = None
        self._timeouts += 1
        now = self._loop.time()
        self._deadline = now + HEARTBEAT_SECONDS
        if self._timeouts < TIMEOUTS_BETWEEN_HANDS and not self._is_urgent():
            return
        self._timeouts = 0
        self._pinged_at = now
        self._pong = asyncio.ensure_future(await self._socket.ping())
        latency = max(self._socket.latency, self._first_latency)
        self._deadline = now + min(MAX_TIMEOUT_SECONDS, max(HEARTBEAT_SECONDS, TIMEOUT_LATENCIES * latency))


ENTRY_SECONDS: Final = 10.0
"""The timeout for the answer to a join, watch or resume request."""
FIRST_PAUSE: Final = 0.1
MAX_PAUSE_SECONDS: Final = 1.0
OPEN_SECONDS: Final = 5.0
RETRY_SECONDS: Final = 2.0
"""The timeout of one attempt to reconnect.

When a network recovers, a waiting attempt notices late, because TCP retries ever more rarely; a new attempt
notices at once. If connecting took long, attempts get more time.
"""
SOFTWARE: Final = announced("racing-demon", SHOWS_RACES, HEARS_NOTICES)
MAX_REDIRECTS: Final = 2
"""The number of redirects to another host that are followed before an answer."""


class PlayerAuthenticator(Protocol):
    """Somebody who tells servers that remember people who that is."""

    def answer(self, challenge: Challenge, *, is_older: bool) -> cl.PlayerRequest | None:
        """Return the answer to a server's challenge; ``None`` to stay a guest.

        Args:
            challenge: the server's question.
            is_older: whether the server is of a version that knows older proofs only.

        """

    def identified(self, answer: Identified) -> None:
        """Keep what the server knows this person by."""

    def refused(self, refusal: Refused) -> None:
        """Forget what the server does not know any more, if that is why it refuses."""

    def name_at_table(self, name: str) -> str:
        """Return the name under which to sit down, if somebody asks for a seat under a name."""


class ServerConnection:
    """The connections to one server, which may consist of several processes or hosts.

    Attributes:
        server_software: the server's name and version; empty until it has sent them.

    Args:
        url: the server's address.
        encoding: the encoding of messages.
        is_urgent: returns whether a silent server must be noticed soon.
        program: whether a program plays, and no person.
        person: tells a server that remembers people who somebody is; ``None`` for a guest.

    """

    def __init__(
        self,
        url: str,
        encoding: Encoding,
        is_urgent: Callable[[], bool],
        *,
        program: bool = False,
        person: PlayerAuthenticator | None = None,
    ) -> None:
        self.server_software = ""
        self._person = person
        self._url = url
        self._encoding = encoding
        self._is_urgent = is_urgent
        self._software = f"{SOFTWARE} {PLAYS_BY_ITSELF}" if program else SOFTWARE
        self._table_url = ""  # the table's own address, once the server has named it
        self._has_moved = False  # whether that is another host
        self._follows = True
        self._socket: HeartbeatConnection | None = None
        self._closing: set[asyncio.Task[None]] = set()
        self._open_seconds = OPEN_SECONDS

    @property
    def address(self) -> str:
        """The address of the table, if the server has named one, and otherwise the server's."""
        return self._table_url or self._url

    async def request(self, request: Message) -> Message:
        """Connect, send a request and return the answer.

        Follows one redirect to another port, and two to another host of the same server.

        Raises:
            CommandRefused: a table is to have what the server does not know.
            ConnectionClosed: the connection was closed.
            ConnectionFailed: the server cannot be reached, or redirects too often or to a foreign host.

        """
        ports = moves = 0
        while True:
            await self._open_nearest()
            if isinstance(request, cl.Create):
                words = needed(request.options, request.known_deal)
                self.verify_known(words | ({UNLISTED} if not request.listed else set()))
            await self.send(self._under_known_name(request))
            answer = await self.receive()
            if not isinstance(answer, Elsewhere | Moved):
                return answer
            await self.close()
            if isinstance(answer, Elsewhere):
                ports += 1
                self._table_url = at_port(self._table_url or self._url, answer.port)
            else:
                moves += 1
                self._move(answer)
            if ports > 1:
                raise ConnectionFailed(f"The server at {self._url} keeps redirecting to other ports.")
            if moves > MAX_REDIRECTS:
                raise ConnectionFailed(f"The server at {self._url} keeps redirecting to other hosts.")

    def _under_known_name(self, request: Message) -> Message:
        """Return a request for a seat under the name by which the server knows the person."""
        if self._person is None or not isinstance(request, cl.Create | cl.Join):
            return request
        return request.model_copy(update={"name": self._person.name_at_table(request.name)})

    def verify_known(self, words: Collection[str]) -> None:
        """Check that the server knows some extensions.

        Raises:
            CommandRefused: it does not, so whatever uses them would end the connection.

        """
        if lacks := lacking(self.server_software, words):
            text = f"This server does not know {in_words(lacks)}: update it, or play without."
            raise CommandRefused(Reason.BAD_OPTION, text)

    def _move(self, moved: Moved) -> None:
        """Remember the host that has the table.

        Raises:
            ConnectionFailed: this server may not send its clients there.

        """
        try:
            self._table_url, self._has_moved = moved_to(self._url, moved.host, moved.port), True
        except ForeignHost as error:
            self._forget_table_url()
            raise ConnectionFailed(str(error)) from error

    def _forget_table_url(self) -> None:
        self._table_url, self._has_moved = "", False

    async def _open_nearest(self) -> None:
        """Connect to the table's host, or to the first address if that host does not answer.

        Firewalls may hide that host from this network. The first server then passes our bytes on.

        Raises:
            ConnectionFailed: the server cannot be reached.

        """
        try:
            await self.open()
        except ConnectionFailed:
            if not self._has_moved:
                raise
            self._forget_table_url()
            self._follows = False
            await self.open()

    async def request_when_ready(self, request: Message, patience: float) -> Message:
        """Return the answer to a first request, sent again while the server still reads its tables.

        Raises:
            ConnectionClosed: the server has closed the connection, and not for that reason.
            TimeoutError: it does not answer.

        """
        loop = asyncio.get_running_loop()
        pause, give_up_at = FIRST_PAUSE, loop.time() + patience
        while True:
            try:
                async with asyncio.timeout(ENTRY_SECONDS):
                    return await self.request(request)
            except ConnectionClosed as closed:
                is_busy = closed.rcvd is not None and closed.rcvd.code == CloseCode.TRY_AGAIN
                if not is_busy or loop.time() >= give_up_at:
                    raise
            await asyncio.sleep(pause)
            pause = min(MAX_PAUSE_SECONDS, pause * 2)

    async def request_again(self, request: Message, patience: float) -> Message:
        """Retry a request for some seconds; a restarted server may have other workers.

        Raises:
            ConnectionFailed: no attempt was answered.

        """
        loop = asyncio.get_running_loop()
        pause, broken_at = FIRST_PAUSE, loop.time()
        if self._has_moved:  # that host may be down, and the table with another one
            self._forget_table_url()
        while True:
            try:
                async with asyncio.timeout(ENTRY_SECONDS):
                    return await self.request(request)
            except (ConnectionFailed, ConnectionClosed, TimeoutError) as error:
                await self.close()
                self._forget_table_url()
                waited = loop.time() - broken_at
                if waited >= patience:
                    text = f"The connection was lost, and could not be restored in {waited:.0f} seconds."
                    why = f" {error}" if isinstance(error, IncompatibleServer) else ""
                    raise ConnectionFailed(text + why) from error
                await asyncio.sleep(pause)
                pause = min(MAX_PAUSE_SECONDS, pause * 2)

    async def open(self) -> None:
        """Open a connection and exchange greetings.

        Raises:
            ConnectionFailed: the server cannot be reached.
            IncompatibleServer: it speaks another version.

        """
        loop = asyncio.get_running_loop()
        begun = loop.time()
        self._start_closing()
        socket = await open_websocket(self.address, self._encoding, self._open_seconds)
        connect_seconds = loop.time() - begun
        self._open_seconds = min(OPEN_SECONDS, max(RETRY_SECONDS, 3 * connect_seconds))
        self._socket = HeartbeatConnection(socket, connect_seconds, self._is_urgent)
        try:
            check_version(versions := await self.receive())
        except ConnectionFailed:
            await self.close()
            raise
        self.server_software = versions.software if isinstance(versions, Versions) else ""
        software = f"{self._software} {FOLLOWS_MOVED}" if self._follows else self._software
        person = self._person if understands(self.server_software, REMEMBERS) else None
        if person is not None:
            software += f" {REMEMBERS} {FORGETS} {PROVES}"
        await self.send(cl.Hello(version=VERSION, software=software))
        if person is not None:
            await self._introduce(person)

    async def _introduce(self, person: PlayerAuthenticator) -> None:
        """Tell the server who somebody is, as it asks; whoever it does not know stays a guest."""
        challenge = await self.receive()
        if not isinstance(challenge, Challenge):
            return
        answer = person.answer(challenge, is_older=not understands(self.server_software, PROVES))
        if answer is None:
            return
        await self.send(answer)
        known = await self.receive()
        if isinstance(known, Identified):
            person.identified(known)
        elif isinstance(known, Refused):
            person.refused(known)

    async def send(self, message: Message) -> None:
        """Send a message.

        Raises:
            ConnectionClosed: the connection is closed, and the message is not a command.

        """
        assert self._socket is not None
        try:
            await self._socket.send(encode(message, self._encoding))
        except ConnectionClosed:
            if not isinstance(message, cl.Command):
                raise  # commands stay unanswered and are sent again after resuming

    async def receive(self) -> Message:
        """Return the next message.

        Raises:
            ConnectionClosed: the connection is closed.
            ConnectionFailed: the server sent an invalid message.

        """
        assert self._socket is not None
        frame = await self._socket.recv()
        try:
            return decode_server(frame)
        except InvalidFrame as error:
            await self.close()
            raise ConnectionFailed(
                f"The server sent something that this client does not understand: {error}."
            ) from error

    def _start_closing(self) -> None:
        """Start closing the connection, if there is one. A silent server would make us wait."""
        if self._socket is not None:
            task = asyncio.create_task(self._socket.close())
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        """Close the connection, if there is one."""
        self._start_closing()
        await asyncio.gather(*self._closing)


def close_reason(closed: ConnectionClosed) -> str:
    """Return why a connection was closed, in a sentence: the server's own, if it gave one."""
    reason = closed.rcvd.reason if closed.rcvd is not None else ""
    return reason or "The connection to the server was lost."
