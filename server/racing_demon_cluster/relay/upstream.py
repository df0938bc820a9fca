"""A relay's connection to the server that has a table."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Final
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidURI
from websockets.typing import Subprotocol

from racing_demon_protocol.enums import CloseCode
from racing_demon_protocol.errors import CommandRefused, ForeignHost, InvalidFrame, RacingDemonError
from racing_demon_protocol.wire.capabilities import (
    COUNTS_RELAYED,
    EXTENSIONS,
    FOLLOWS_MOVED,
    SHOWS_RACES,
    announced,
    understands,
)
from racing_demon_protocol.wire.codec import MAX_SERVER_FRAME, VERSION, Encoding, decode_server, encode
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages.client import Hello, Relaying, Watch
from racing_demon_protocol.wire.messages.server import Elsewhere, Moved, Refused, Seated, Versions
from racing_demon_protocol.wire.redirects import at_port, moved_to, port_of

MAX_REDIRECTS: Final = 3
OPEN_SECONDS: Final = 5.0
PING_SECONDS: Final = 1.5
PONG_SECONDS: Final = 2.0
SOFTWARE: Final = announced("racing-demon-relay", FOLLOWS_MOVED, SHOWS_RACES)
UNREACHABLE: Final = "The server of this table cannot be reached. Try again in a moment."
FINAL: Final = {1000: CloseCode.GOOD_BYE, 1001: CloseCode.GOOD_BYE, 4007: CloseCode.KICKED}
"""Close codes with which a server ends the table or refuses its spectators, and their translations."""


class Unreachable(RacingDemonError):
    """The server cannot be reached, or does not speak the protocol: try again later.

    Attributes:
        advice: what to tell spectators.

    """

    def __init__(self, why: str, advice: str = UNREACHABLE) -> None:
        super().__init__(why)
        self.advice = advice


class OtherProtocol(Unreachable):
    """The server speaks another version of the protocol; the advice says which side needs an update."""


class ClosedUpstream(RacingDemonError):
    """The server closed the connection for good, with a code and a reason for people."""

    def __init__(self, code: CloseCode, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


class UpstreamConnection:
    """A connection to a server, message by message.

    Attributes:
        counts_relayed: whether the server counts the spectators of relays.
        extensions: the extensions that it understands.

    Args:
        socket: the WebSocket.

    """

    def __init__(self, socket: ClientConnection) -> None:
        self.counts_relayed = False
        self.extensions: list[str] = []
        self._socket = socket

    async def send(self, message: Message) -> None:
        """Send a message."""
        await self._socket.send(encode(message, Encoding.MSGPACK))

    async def report(self, count: int, lacks: Sequence[str]) -> None:
        """Report how many spectators the relay has; ignore a lost connection, which the reader notices.

        Args:
            count: how many there are.
            lacks: the server's extensions that some of their clients do not understand.

        """
        with contextlib.suppress(ConnectionClosed):
            await self.send(Relaying(count=count, lacking=" ".join(lacks)))

    async def read(self) -> Message:
        """Return the next message.

        Raises:
            ClosedUpstream: the connection was closed for good.
            Unreachable: it was lost, or the message is invalid.

        """
        try:
            return decode_server(await self._socket.recv())
        except ConnectionClosed as closed:
            if closed.rcvd is not None and closed.rcvd.code in FINAL:
                raise ClosedUpstream(FINAL[closed.rcvd.code], closed.rcvd.reason) from None
            raise Unreachable(str(closed)) from None
        except InvalidFrame as error:
            raise Unreachable(f"invalid message: {error}") from error


@contextlib.asynccontextmanager
async def watching(
    url: str, code: str, passphrase: str, hops: str, met: Callable[[bool], None]
) -> AsyncIterator[UpstreamConnection]:
    """Connect to a server as a spectator of a table, and follow its redirects.

    Args:
        url: the server.
        code: the table's code.
        passphrase: the table's.
        hops: the spectator's origin, as in ``X-Forwarded-For``, for servers that trust this relay.
        met: called with whether the server trusts this relay.

    Raises:
        CommandRefused: the server refuses the spectator.
        OtherProtocol: it speaks another version of the protocol.
        ClosedUpstream: it closed the connection for good.
        Unreachable: it cannot be reached.

    """
    place = url
    for _ in range(MAX_REDIRECTS):
        try:
            async with await _connect(place, hops) as socket:
                upstream = UpstreamConnection(socket)
                async with asyncio.timeout(OPEN_SECONDS):
                    answer = await _enter(upstream, code, passphrase, met)
                if isinstance(answer, Seated):
                    yield upstream
                    return
                if isinstance(answer, Elsewhere):
                    place = at_port(place, answer.port)
                elif isinstance(answer, Moved):
                    place = moved_to(url, answer.host, answer.port)
                else:
                    raise Unreachable(f"an answer of type {type(answer).__name__}")
        except (OSError, TimeoutError, InvalidHandshake, InvalidURI, ConnectionClosed, ForeignHost) as error:
            raise Unreachable(str(error)) from error
    raise Unreachable("too many redirects")


async def _connect(url: str, hops: str) -> ClientConnection:
    try:
        return await connect(
            url,
            host=urlsplit(url).hostname,  # HTTP cannot redirect a connection with a given host and port
            port=port_of(url),
            proxy=None,  # a proxy would use them itself
            subprotocols=[Subprotocol(Encoding.MSGPACK)],
            compression=None,
            additional_headers={"X-Forwarded-For": hops},
            max_size=MAX_SERVER_FRAME,
            ping_interval=PING_SECONDS,
            ping_timeout=PONG_SECONDS,
            open_timeout=OPEN_SECONDS,
            close_timeout=1,
        )
    except ValueError as error:
        raise Unreachable(str(error)) from error


async def _enter(
    upstream: UpstreamConnection, code: str, passphrase: str, met: Callable[[bool], None]
) -> Message:
    versions = await upstream.read()
    if not isinstance(versions, Versions):
        raise Unreachable("it does not say which versions of the protocol it speaks")
    if not versions.oldest <= VERSION <= versions.newest:
        who = "this relay" if versions.oldest > VERSION else "that server"
        versions_of = f"version {versions.newest} of the protocol, this relay {VERSION}"
        raise OtherProtocol(versions_of, f"The table's server speaks {versions_of}: update {who}.")
    upstream.counts_relayed = understands(versions.software, COUNTS_RELAYED)
    upstream.extensions = [word for word in EXTENSIONS if understands(versions.software, word)]
    met(upstream.counts_relayed)
    await upstream.send(Hello(version=VERSION, software=SOFTWARE))
    await upstream.send(Watch(code=code, passphrase=passphrase))
    answer = await upstream.read()
    if isinstance(answer, Refused):
        raise CommandRefused(answer.reason, answer.text)
    return answer
