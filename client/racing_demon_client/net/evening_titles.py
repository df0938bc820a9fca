"""Ask a server for the titles of an evening, once a match is over.

Any server may be asked, so what it sends is limited.
"""

import asyncio
from typing import Annotated, Final
from urllib.parse import urlencode

from pydantic import BaseModel, Field, ValidationError

from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.shared.title_text import Number, SeatTitle
from racing_demon_protocol.constants import MAX_SEATS, WEBSOCKET_PATH
from racing_demon_protocol.table.state import TableState

from .transport import fetch_page

PAGE_SECONDS: Final = 5.0
AGAIN_SECONDS: Final = 1.0
"""The pause between requests: results are made after a match's last event."""
TRIES: Final = 20


class EveningTitles(BaseModel):
    """The titles after the newest match of a table; which one that is, its last hand shows."""

    hands: Annotated[int, Field(ge=0, le=2**53)]
    points: Annotated[dict[int, Number], Field(max_length=MAX_SEATS)]
    titles: Annotated[list[SeatTitle], Field(max_length=MAX_SEATS)]

    def are_after(self, match: TableState) -> bool:
        """Return whether that match is the one that a table has just played."""
        last = match.results[-1]
        points = dict(zip(last.seats, last.points, strict=True))
        return self.hands == len(match.results) and self.points == points


async def fetch_titles(url: str, match: TableState, token: str | None) -> list[SeatTitle]:
    """Return the titles of the evening after a match, as soon as a server has made them.

    There are none for bots, if it keeps no results or does not answer, and once another match begins.

    Args:
        url: the address of the server that has the table.
        match: the table after the match.
        token: that of a seat; ``None`` for a spectator.

    """
    deal = match.commitment
    query = urlencode({"table": match.code, "hand": deal})
    page = f"{url.removesuffix(WEBSOCKET_PATH)}{WEBSOCKET_PATH}/titles?{query}"
    for _ in range(TRIES if _has_people(match) else 0):
        if match.commitment != deal or not match.results:
            break
        try:
            body = await fetch_page(page, PAGE_SECONDS, token or "")
            found = None if body is None else EveningTitles.model_validate_json(body)
        except (ConnectionFailed, ValidationError):  # nobody has asked, so nobody is told
            break
        if found is None:
            break
        if match.results and found.are_after(match):
            return found.titles
        await asyncio.sleep(AGAIN_SECONDS)
    return []


def _has_people(match: TableState) -> bool:
    players = match.results[-1].seats if match.results else ()
    return any(seat not in match.seats or not match.seats[seat].bot for seat in players)
