"""Opens a WebSocket to a server, and says in a sentence why that did not work."""

from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidHandshake, InvalidStatus, InvalidURI
from websockets.typing import Subprotocol

from racing_demon_client.errors import ConnectionFailed
from racing_demon_protocol.wire.codec import MAX_SERVER_FRAME, VERSION, Encoding
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages.server import Versions

__all__ = ["Direct", "at_port", "dial", "verify_version"]

HEARTBEAT_SECONDS: Final = 4.0
"""How often the server is asked for a sign of life, and how long it may take: a dead line is noticed in 8."""
TOO_MANY: Final = "Too many connections came from your address of late. Wait a few seconds, and try again."


class Direct(connect):
    """A connection that goes where it was told to, and nowhere else."""

    def process_redirect(self, exc: Exception) -> Exception | str:
        """Follow no redirection: no server is to send us to another machine."""
        return exc


def at_port(url: str, port: int) -> str:
    """Return the address of the same host at another port."""
    parts = urlsplit(url)
    before, at, host = parts.netloc.rpartition("@")
    name = f"{host.partition(']')[0]}]" if host.startswith("[") else host.partition(":")[0]
    return parts._replace(netloc=f"{before}{at}{name}:{port}").geturl()


async def dial(url: str, encoding: Encoding, seconds: float) -> ClientConnection:
    """Return an open WebSocket; nothing has been said on it yet.

    Args:
        url: the server's address.
        encoding: how messages are written.
        seconds: how long it may take.

    Raises:
        ConnectionFailed: the server cannot be reached.

    """
    try:
        return await Direct(
            url,
            subprotocols=[Subprotocol(encoding)],
            compression=None,
            max_size=MAX_SERVER_FRAME,
            ping_interval=HEARTBEAT_SECONDS,
            ping_timeout=HEARTBEAT_SECONDS,
            open_timeout=seconds,
            close_timeout=1,
            user_agent_header="racing-demon",
        )
    except (InvalidURI, ValueError) as error:  # ValueError: a port or a name that cannot be
        raise ConnectionFailed(f"{url} is no address of a server, like ws://host:5252/v1.") from error
    except (OSError, TimeoutError, InvalidHandshake) as error:
        if isinstance(error, InvalidStatus) and error.response.status_code == HTTPStatus.TOO_MANY_REQUESTS:
            raise ConnectionFailed(TOO_MANY) from error
        text = f"There is no table server at {url}. Is it running, and is the address right?"
        raise ConnectionFailed(text) from error


def verify_version(message: Message) -> None:
    """Check that a server's first message names versions of which we speak one.

    Raises:
        ConnectionFailed: it does not; the text says who needs an update.

    """
    if isinstance(message, Versions) and not message.oldest <= VERSION <= message.newest:
        advice = "update this client" if message.oldest > VERSION else "the server needs an update"
        raise ConnectionFailed(
            f"The server speaks versions {message.oldest} to {message.newest} of the protocol, "
            f"this client {VERSION}: {advice}."
        )
