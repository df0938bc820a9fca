"""Servers that send a page in circles, or to strangers: it gives up with a sentence, and follows nobody."""

import asyncio
import urllib.request
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Browser
from websockets.asyncio.server import ServerConnection, serve
from websockets.datastructures import Headers
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from racing_demon_protocol.wire.codec import Encoding
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages.server import Elsewhere, Moved
from tests.support.browsers import NOT_UNDERSTOOD, phone
from tests.support.relay import WELCOME, speak
from tests.support.servers import serving

pytestmark = pytest.mark.long
VERSIONS, *_ = WELCOME
HUGE = 4_000_000
MAX_VISITS = 3
PASSED_ON = ("Content-Type", "Content-Security-Policy")


@asynccontextmanager
async def misleading(
    origin: str, answer: Callable[[int], Message | str]
) -> AsyncIterator[tuple[str, list[int]]]:
    """Serve another server's page, and answer each request for a seat in a way; give the URL, and all visits.

    Args:
        origin: the other server's.
        answer: returns the answer, a message or any frame, from its port.

    """
    visits: list[int] = []

    def fetch(path: str) -> Response:
        with urllib.request.urlopen(origin + path) as told:  # noqa: S310 - our own server
            body = told.read()
            kept = {name: told.headers[name] for name in PASSED_ON if name in told.headers}
        headers = Headers({**kept, "Content-Length": str(len(body)), "Connection": "close"})
        return Response(200, "OK", headers, body)

    async def page(connection: ServerConnection, request: Request) -> Response | None:
        return None if "Upgrade" in request.headers else await asyncio.to_thread(fetch, request.path)

    async def talk(connection: ServerConnection) -> None:
        visits.append(1)
        await speak(connection, VERSIONS, encoding=Encoding.JSON)
        for _ in range(2):
            await connection.recv()
        await speak(connection, answer(port), encoding=Encoding.JSON)
        await connection.wait_closed()

    protocols = [Subprotocol(Encoding.JSON)]
    async with serve(
        talk, "127.0.0.1", 0, subprotocols=protocols, process_request=page, close_timeout=1
    ) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        yield f"http://127.0.0.1:{port}", visits


async def test_a_page_does_not_go_in_circles(browser: Browser) -> None:
    """After two redirects the page says that the table is not to be found."""
    async with serving() as served, misleading(served.origin, lambda port: Elsewhere(port=port)) as told:
        url, visits = told
        async with phone(browser, f"{url}/BCDF") as player:
            await player.page.fill("#name", "Ann")
            await player.page.tap("#join")
            await player.page.locator("#problem", has_text="does not find this table").wait_for()
            assert len(visits) == 3
            assert player.complaints == []


async def test_a_page_follows_nobody_to_another_host(browser: Browser) -> None:
    """It did not say that it could, so no server may ask it to: it dials no stranger, and says why."""
    strangers: list[int] = []
    stranger = await asyncio.start_server(lambda _reader, _writer: strangers.append(1), "127.0.0.1", 0)
    async with stranger, serving() as served:
        moved = Moved(host="localhost", port=stranger.sockets[0].getsockname()[1])
        async with misleading(served.origin, lambda _port: moved) as (url, visits):
            async with phone(browser, f"{url}/BCDF") as player:
                await player.page.fill("#name", "Ann")
                await player.page.tap("#join")
                await player.page.locator("#problem", has_text="Another server has this table").wait_for()
                assert (len(visits), strangers) == (1, [])
                assert player.complaints == []


@pytest.mark.parametrize("frame", [f'[74,"{"a" * HUGE}",1]', f'[72,"{"1" * HUGE}"]', f"[72,{'1' * 400}]"])
async def test_a_redirect_too_large_to_be_true_ends_in_a_sentence(browser: Browser, frame: str) -> None:
    """A host of millions of letters, or a port that is none, is not dialled, and breaks no script."""
    async with serving() as served, misleading(served.origin, lambda _port: frame) as (url, visits):
        async with phone(browser, f"{url}/BCDF") as player:
            await player.page.fill("#name", "Ann")
            await player.page.tap("#join")
            await player.page.locator("#problem:not(:empty)").wait_for()
            assert len(visits) <= MAX_VISITS
            assert all(each.startswith(NOT_UNDERSTOOD) for each in player.complaints)
