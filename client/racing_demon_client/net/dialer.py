"""Open a WebSocket to a server, or read one of its pages, or explain in a sentence why that failed."""

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any, Final

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidHandshake, InvalidStatus, InvalidURI
from websockets.typing import Subprotocol

from racing_demon_client.errors import ConnectionFailed, IncompatibleServer
from racing_demon_protocol.wire.codec import MAX_SERVER_FRAME, VERSION, Encoding
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages.server import Versions

TOO_MANY: Final = "Too many connections from your address. Wait a few seconds, and try again."


class Direct(connect):
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
            ping_interval=None,  # our heartbeat sends its own pings
            close_timeout=close_timeout,
            user_agent_header="racing-demon",
            **settings,
        )

    def process_redirect(self, exc: Exception) -> Exception | str:
        """Follow no redirect: no server may send the client to another machine."""
        return exc


async def dial(url: str, encoding: Encoding, seconds: float) -> ClientConnection:
    """Return an open WebSocket on which nothing has been sent yet.

    Args:
        url: the server's address.
        encoding: the encoding of messages.
        seconds: the timeout.

    Raises:
        ConnectionFailed: the server cannot be reached.

    """
    with _explained(url):
        return await Direct(url, encoding, open_timeout=seconds)


async def page(url: str, seconds: float) -> bytes | None:
    """Return a page of a server, of at most a mebibyte; ``None`` if it has no such page.

    A handshake at the address of a page is answered with the page. So pages are read with the TLS, proxies,
    timeouts and limits of all connections.

    Args:
        url: the page's address, with the scheme of a WebSocket.
        seconds: the timeout.

    Raises:
        ConnectionFailed: the server cannot be reached.

    """
    with _explained(url):
        try:
            socket = await Direct(url, Encoding.JSON, open_timeout=seconds)
        except InvalidStatus as answered:
            response = answered.response
            if response.status_code == HTTPStatus.TOO_MANY_REQUESTS:
                raise
            return bytes(response.body) if response.status_code == HTTPStatus.OK else None
    await socket.close()
    return None


@contextmanager
def _explained(url: str) -> Iterator[None]:
    """Turn the library's errors into sentences."""
    try:
        yield
    except (InvalidURI, ValueError) as error:  # ValueError: an invalid port or host name
        raise ConnectionFailed(f"{url} is not a server's address, like ws://host:5252/v1.") from error
    except (OSError, TimeoutError, InvalidHandshake) as error:
        if isinstance(error, InvalidStatus) and error.response.status_code == HTTPStatus.TOO_MANY_REQUESTS:
            raise ConnectionFailed(TOO_MANY) from error
        text = f"There is no server at {url}. Is it running, and is the address right?"
        raise ConnectionFailed(text) from error


def verify_version(message: Message) -> None:
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
