"""The open tables that a server lists: its own, and those of all servers on the same database.

Any server may be asked, so its list is limited and cleaned like announcements on the network.
"""

from contextlib import suppress
from typing import Annotated, Any, Final

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.links import full_url
from racing_demon_client.net.dialer import page
from racing_demon_client.net.probe import FoundTable
from racing_demon_protocol.constants import LONGEST_NAME, MOST_SEATS, WEBSOCKET_PATH
from racing_demon_protocol.discovery.mdns import MOST_TABLES, MOST_TEXT
from racing_demon_protocol.formatting import printable

PAGE: Final = "/tables.json"
OPEN_SECONDS: Final = 5.0
ENTRIES: Final = TypeAdapter(list[Any])


class _Entry(BaseModel):
    """What a server lists of a table."""

    code: Annotated[str, Field(pattern=r"^[A-Za-z0-9]{1,16}$")]
    game: Annotated[str, Field(min_length=1, max_length=MOST_TEXT)]
    host: Annotated[str, Field(max_length=LONGEST_NAME)]
    players: Annotated[int, Field(ge=0, le=MOST_SEATS)]
    seats: Annotated[int, Field(ge=1, le=MOST_SEATS)]
    locked: bool


async def listed_tables(address: str) -> list[FoundTable]:
    """Return the tables that a server lists, those with free seats first.

    Args:
        address: the server's address, as people write it.

    Raises:
        ConnectionFailed: it cannot be reached, or what it sends is no list of tables.

    """
    url = full_url(address)
    body = await page(url.removesuffix(WEBSOCKET_PATH) + PAGE, OPEN_SECONDS)
    try:
        entries = [] if body is None else ENTRIES.validate_json(body)
    except ValidationError as error:
        raise ConnectionFailed(f"What the server at {address} sends is no list of tables.") from error
    tables = []
    for entry in entries[:MOST_TABLES]:
        with suppress(ValidationError):
            tables.append(_table(url, _Entry.model_validate(entry)))
    return sorted(tables, key=lambda table: not table.free)


def _table(url: str, entry: _Entry) -> FoundTable:
    return FoundTable(
        code=entry.code.upper(),
        game=printable(entry.game),
        host=printable(entry.host).strip(),
        url=url,
        needs_passphrase=entry.locked,
        free=max(0, entry.seats - entry.players),
    )
