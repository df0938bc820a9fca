"""Ask a server: whether it has a table, and which tables it lists.

Any server may be asked, so what it sends is limited and cleaned, like announcements on the network.
"""

import asyncio
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import BaseModel, Field, TypeAdapter, ValidationError
from websockets.exceptions import WebSocketException

from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.links import server_url, short_address
from racing_demon_protocol.constants import MAX_NAME_LENGTH, MAX_SEATS, WEBSOCKET_PATH
from racing_demon_protocol.discovery.mdns import MAX_TABLES, MAX_TEXT
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import InvalidFrame
from racing_demon_protocol.formatting import printable
from racing_demon_protocol.wire.codec import VERSION, Encoding, decode_server, encode
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages.client import Hello, Resume
from racing_demon_protocol.wire.messages.server import Elsewhere, Refused, Versions
from racing_demon_protocol.wire.presets import Preset
from racing_demon_protocol.wire.redirects import at_port
from racing_demon_protocol.wire.saved_presets import MAX_SAVED, read_list

from .transport import NoRedirectConnect, fetch_page, open_websocket

PROBE_SECONDS: Final = 1.0
MAX_ANSWER_BYTES: Final = 4_096


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
        return short_address(self.url)


async def has_table(url: str, code: str, seconds: float = PROBE_SECONDS) -> bool:
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

    The request resumes a seat with a random token: only an existing table refuses it as such, and no seat is
    taken.
    """
    # Neighbors are reached directly, without a proxy.
    connecting = NoRedirectConnect(
        url, Encoding.MSGPACK, max_size=MAX_ANSWER_BYTES, open_timeout=None, close_timeout=0.1, proxy=None
    )
    async with connecting as socket:
        versions = decode_server(await socket.recv())
        if not isinstance(versions, Versions) or not versions.oldest <= VERSION <= versions.newest:
            return None
        await socket.send(encode(Hello(version=VERSION, software="racing-demon")))
        await socket.send(encode(Resume(code=code, token=secrets.token_hex(32), seq=0)))
        return decode_server(await socket.recv())


async def is_server(address: str) -> bool:
    """Return whether a Racing Demon server answers at an address, as people write it."""
    try:
        async with asyncio.timeout(LIST_SECONDS):
            async with await open_websocket(server_url(address), Encoding.MSGPACK, LIST_SECONDS) as socket:
                return isinstance(decode_server(await socket.recv()), Versions)
    except (ConnectionFailed, TimeoutError, WebSocketException, InvalidFrame):
        return False


async def find_server(addresses: Sequence[str]) -> str:
    """Return the address at which a server answers, of those at which it may be; if none does, the first."""
    for address in addresses if len(addresses) > 1 else ():
        if await is_server(address):
            return address
    return addresses[0]


TABLES_PAGE: Final = "/tables.json"
PRESETS_PAGE: Final = "/presets.json"
LIST_SECONDS: Final = 5.0
ENTRIES: Final = TypeAdapter(list[Any])


class _TableEntry(BaseModel):
    """What a server lists of a table."""

    code: Annotated[str, Field(pattern=r"^[A-Za-z0-9]{1,16}$")]
    game: Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]
    host: Annotated[str, Field(max_length=MAX_NAME_LENGTH)]
    players: Annotated[int, Field(ge=0, le=MAX_SEATS)]
    seats: Annotated[int, Field(ge=1, le=MAX_SEATS)]
    locked: bool


async def fetch_tables(address: str) -> list[FoundTable]:
    """Return the tables that a server lists, those with free seats first.

    Args:
        address: the server's address, as people write it.

    Raises:
        ConnectionFailed: it cannot be reached, or what it sends is no list of tables.

    """
    url, tables = server_url(address), []
    for entry in (await _fetch_list(address, TABLES_PAGE, "tables"))[:MAX_TABLES]:
        with suppress(ValidationError):
            tables.append(_table(url, _TableEntry.model_validate(entry)))
    return sorted(tables, key=lambda table: not table.free)


async def fetch_presets(address: str) -> dict[str, Preset]:
    """Return the presets of a server's own, by name; those that are not understood here are left out.

    Args:
        address: the server's address, as people write it.

    Raises:
        ConnectionFailed: it cannot be reached, or what it sends is no list of presets.

    """
    entries = await _fetch_list(address, PRESETS_PAGE, "presets")
    return {preset.name: preset for preset in read_list(entries[:MAX_SAVED])}


async def _fetch_list(address: str, page: str, what: str) -> list[Any]:
    """Return the list on a page of a server; it is empty where a server has no such page."""
    body = await fetch_page(server_url(address).removesuffix(WEBSOCKET_PATH) + page, LIST_SECONDS)
    try:
        return [] if body is None else ENTRIES.validate_json(body)
    except ValidationError as error:
        raise ConnectionFailed(f"What the server at {address} sends is no list of {what}.") from error


def _table(url: str, entry: _TableEntry) -> FoundTable:
    return FoundTable(
        code=entry.code.upper(),
        game=printable(entry.game),
        host=printable(entry.host).strip(),
        url=url,
        needs_passphrase=entry.locked,
        free=max(0, entry.seats - entry.players),
    )
