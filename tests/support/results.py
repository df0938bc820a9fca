"""What a real server says of its results over HTTP, and which it has."""

import asyncio
import contextlib
import json
import sqlite3
from collections.abc import Callable
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

from tests.support.servers import PATIENCE


class HasUrl(Protocol):
    """A server that is asked."""

    url: str


async def get(server: HasUrl, path: str, **headers: str) -> tuple[int, bytes]:
    """Return the status and the body of a page."""
    status, _, body = await get_tagged(server, path, **headers)
    return status, body


async def get_tagged(server: HasUrl, path: str, **headers: str) -> tuple[int, str, bytes]:
    """Return the status, the ETag and the body of a page."""

    def ask() -> tuple[int, str, bytes]:
        connection = HTTPConnection(urlsplit(server.url).netloc, timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.request("GET", path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.headers.get("ETag", ""), answer.read()

    return await asyncio.to_thread(ask)


async def page_with(
    server: HasUrl, path: str, is_there: Callable[[dict[str, Any]], bool], **headers: str
) -> dict[str, Any]:
    """Return a page as soon as something is there: results are made after what they are of."""
    async with asyncio.timeout(PATIENCE):
        while True:
            status, body = await get(server, path, **headers)
            assert status == 200
            found: dict[str, Any] = json.loads(body)
            if is_there(found):
                return found
            await asyncio.sleep(0.05)


async def status_of(server: HasUrl, path: str, status: int) -> None:
    """Wait until a page has a status."""
    async with asyncio.timeout(PATIENCE):
        while True:
            if (await get(server, path))[0] == status:
                return
            await asyncio.sleep(0.05)


async def standings_with(server: HasUrl, hands: int) -> dict[str, Any]:
    """Return the standings as soon as they have so many hands of each player."""
    return await page_with(
        server, "/v1/standings", lambda found: any(row["hands"] >= hands for row in found["rows"])
    )


def results_of(journal: Path) -> list[tuple[str, str]]:
    """Return the name and the link of each match in the results."""
    path = journal.with_stem(f"{journal.stem}-results")
    with contextlib.closing(sqlite3.connect(path)) as db:
        return db.execute("SELECT match, link FROM results ORDER BY match").fetchall()


def origin_of(server: HasUrl) -> str:
    """Return the server's address for browsers."""
    return server.url.replace("ws://", "http://").removesuffix("/v1")
