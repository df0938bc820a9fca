"""Ask a server whether an announced table exists: a killed host does not withdraw its announcement."""

import asyncio
import secrets
from dataclasses import dataclass
from typing import Final

from websockets.exceptions import WebSocketException

from racing_demon_protocol.constants import WEBSOCKET_PATH
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import InvalidFrame
from racing_demon_protocol.wire.addresses import at_port
from racing_demon_protocol.wire.codec import VERSION, Encoding, decode_server, encode
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages.client import Hello, Resume
from racing_demon_protocol.wire.messages.server import Elsewhere, Refused, Versions

from .dialer import Direct

PROBE_SECONDS: Final = 1.0
MOST_BYTES: Final = 4_096


@dataclass(frozen=True, kw_only=True, slots=True)
class FoundTable:
    """A table that was found on the network and has answered, or that its server lists.

    All texts are short and printable.

    Attributes:
        code: its code.
        game: the name of its game, as announced.
        host: the name of its host, as announced; empty if it has none.
        url: the server's full address.
        needs_passphrase: whether it has a passphrase.
        free: how many seats are free; ``None`` if that is not known.

    """

    code: str
    game: str
    host: str
    url: str
    needs_passphrase: bool = False
    free: int | None = None

    @property
    def address(self) -> str:
        """The address as people write it."""
        return self.url.removesuffix(WEBSOCKET_PATH)


async def answers(url: str, code: str, seconds: float = PROBE_SECONDS) -> bool:
    """Return whether a Racing Demon server at this address has a table with this code.

    Args:
        url: the server's full address.
        code: the table's code.
        seconds: the timeout.

    """
    try:
        async with asyncio.timeout(seconds):
            answer = await _answer(url, code)
            if isinstance(answer, Elsewhere):
                answer = await _answer(at_port(url, answer.port), code)
            return isinstance(answer, Refused) and answer.reason is not Reason.UNKNOWN_TABLE
    except (OSError, TimeoutError, ValueError, WebSocketException, InvalidFrame):
        return False


async def _answer(url: str, code: str) -> Message | None:
    """Return a server's answer about a table; ``None`` if it does not speak our protocol.

    The request resumes a seat with a new random token, which only an existing table can refuse. So it takes
    no
    seat, and the table does not notice it.
    """
    # Neighbors are reached directly, without a proxy.
    connecting = Direct(
        url, Encoding.MSGPACK, max_size=MOST_BYTES, open_timeout=None, close_timeout=0.1, proxy=None
    )
    async with connecting as socket:
        versions = decode_server(await socket.recv())
        if not isinstance(versions, Versions) or not versions.oldest <= VERSION <= versions.newest:
            return None
        await socket.send(encode(Hello(version=VERSION, software="racing-demon")))
        await socket.send(encode(Resume(code=code, token=secrets.token_hex(32), seq=0)))
        return decode_server(await socket.recv())
