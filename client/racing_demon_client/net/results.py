"""Ask a server for results: its standings, and the record of a match by its link.

Any server may be asked, so what it sends is limited and cleaned.
"""

import asyncio
import re
import urllib.error
import urllib.request
from collections.abc import Mapping
from contextlib import suppress
from http.client import HTTPException
from typing import Annotated, Any, Final
from urllib.parse import urlencode, urlsplit

from pydantic import BaseModel, Field, ValidationError

from racing_demon_client.errors import ConnectionFailed, RecordUnreadable
from racing_demon_client.links import server_url
from racing_demon_protocol.constants import MAX_NAME_LENGTH, WEBSOCKET_PATH

from .introductions import player_token
from .transport import fetch_page

MATCH_LINK: Final = re.compile(r"(https?://[^\s/?#]+(?:/[^\s?#]+)?)/match/([\w-]{22})", re.ASCII)
"""A link to a match's page."""
PAGE_SECONDS: Final = 15.0
RECORD_SECONDS: Final = 60.0
MAX_RECORD_BYTES: Final = 64 * 1024 * 1024
MAX_ROWS: Final = 200
MAX_MS: Final = 4_102_444_800_000
"""The year 2100: later times are wrong, and some cannot be shown."""

Count = Annotated[int, Field(ge=0, le=2**53)]
Text = Annotated[str, Field(max_length=200)]
PlayerName = Annotated[str, Field(max_length=MAX_NAME_LENGTH)]


class StandingsRow(BaseModel):
    """A player's row, as a server sends it."""

    name: PlayerName
    bot: Text = ""
    player: Text = ""
    """The id of a player whom the server remembers."""
    met_ms: Annotated[int, Field(ge=0, le=MAX_MS)] | None = None
    """When the server met the player first, if others there have the name."""
    matches: Count
    wins: Count
    hands: Count
    points: Annotated[int, Field(ge=-(2**53), le=2**53)]
    outs: Count
    races_won: Count
    races_lost: Count
    rating: float | None = None
    provisional: bool | None = None


class TeamRow(BaseModel):
    """The row of a team, as a server sends it."""

    players: Annotated[list[PlayerName], Field(max_length=16)]
    matches: Count
    wins: Count
    hands: Count
    points: Annotated[int, Field(ge=-(2**53), le=2**53)]


class ServerStandings(BaseModel):
    """A page of a server's standings."""

    matches: Count
    unfinished: Count
    page: Count
    pages: Count
    rows: Annotated[list[StandingsRow], Field(max_length=MAX_ROWS)]
    teams: Annotated[list[TeamRow], Field(max_length=MAX_ROWS)] = []
    casual: Count = 0
    early: Count = 0


async def fetch_standings(address: str, query: Mapping[str, Any], token: str = "") -> ServerStandings | None:
    """Return a page of a server's standings; ``None`` if it shows none.

    Args:
        address: the server's address, as people write it.
        query: which matches count, and which page is wanted.
        token: tells the server who asks; empty for a guest.

    Raises:
        ConnectionFailed: it cannot be reached, or what it sends are no standings.

    """
    where = server_url(address).removesuffix(WEBSOCKET_PATH)
    body = await fetch_page(f"{where}{WEBSOCKET_PATH}/standings?{urlencode(query)}", PAGE_SECONDS, token)
    try:
        return None if body is None else ServerStandings.model_validate_json(body)
    except ValidationError as error:
        raise ConnectionFailed(f"What the server at {address} sends are no standings.") from error


async def fetch_record(link: str) -> str:
    """Return the record of a match, given the link to its page. Players get theirs with what was said.

    Raises:
        RecordUnreadable: it cannot be read.

    """
    match = MATCH_LINK.match(link)
    if match is None:
        raise RecordUnreadable(f"{link} is not the link to a match, like https://host/match/…")
    base, name = match.groups()
    token = ""
    with suppress(ConnectionFailed):  # then the page says why, or needs no token
        token = await player_token(f"ws{base.removeprefix('http')}{WEBSOCKET_PATH}")
    return await asyncio.to_thread(_download, f"{base}{WEBSOCKET_PATH}/matches/{name}/record", link, token)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirects: no server may send a client to another machine."""

    def redirect_request(self, *_: object) -> None:
        """Refuse."""


def _download(address: str, link: str, token: str) -> str:
    if urlsplit(address).scheme not in {"http", "https"}:
        raise RecordUnreadable(f"{link} is no web address.")
    opener = urllib.request.build_opener(_NoRedirects)
    request = urllib.request.Request(address, headers={"Authorization": f"Bearer {token}"} if token else {})  # noqa: S310 - see above
    try:
        with opener.open(request, timeout=RECORD_SECONDS) as answer:
            body = answer.read(MAX_RECORD_BYTES + 1)
    except urllib.error.HTTPError as error:
        raise RecordUnreadable(_refusal(error.code, link)) from error
    except HTTPException as error:  # it makes records while it sends them
        raise RecordUnreadable(f"The server stopped before the end of the record at {link}.") from error
    except (OSError, ValueError) as error:
        raise RecordUnreadable(
            f"There is no server at {link}. Is it running, and is the address right?"
        ) from error
    if len(body) > MAX_RECORD_BYTES:
        raise RecordUnreadable(f"The record at {link} is longer than {MAX_RECORD_BYTES >> 20} MiB.")
    try:
        return str(body, "utf-8")
    except UnicodeDecodeError as error:
        raise RecordUnreadable(f"What the server sends for {link} is no record.") from error


def _refusal(status: int, link: str) -> str:
    if status == 410:
        return f"The server has no record of {link} any more; its result remains on that page."
    if status == 403:
        return (
            f"The table of {link} is still open: its players can read the record, others when it is closed."
        )
    if status == 429:
        return "The server got too many requests from your address. Wait a few seconds, and try again."
    return f"There is no match at {link}, it is not over yet, or it is not yours to see."
