"""A server of several processes says which of its ports a table is at, and may not send anybody further."""

import asyncio
import contextlib
from http import HTTPStatus

import pytest
from websockets.asyncio.server import ServerConnection, serve
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from racing_demon_client.errors import ConnectionFailed
from racing_demon_client.net.client import Client
from racing_demon_client.net.server_query import has_table
from racing_demon_protocol.enums import Reason
from racing_demon_protocol.wire.codec import Encoding
from racing_demon_protocol.wire.messages.server import Elsewhere, Pong, Refused
from racing_demon_protocol.wire.redirects import at_port
from racing_demon_protocol.wire.redirects import port_of as wire_port_of
from tests.support.cases import for_each
from tests.support.ports import port_of
from tests.support.relay import WELCOME, Relay, babbling, speak, visited
from tests.support.servers import PATIENCE, timeout

VERSIONS, *_ = WELCOME


@for_each(
    ("url", "there"),
    [
        ("ws://127.0.0.1:5252/v1", "ws://127.0.0.1:5254/v1"),
        ("ws://[::1]:5252/v1", "ws://[::1]:5254/v1"),
        ("ws://[fe80::1%25eth0]/v1", "ws://[fe80::1%25eth0]:5254/v1"),
        ("wss://cards.example.org/v1", "wss://cards.example.org:5254/v1"),
        ("wss://ann:secret@cards.example.org:1/v1", "wss://ann:secret@cards.example.org:5254/v1"),
    ],
)
def test_another_port_is_of_the_same_host(url: str, there: str) -> None:
    """Nothing but the port is another."""
    assert there == at_port(url, 5254)


def test_an_address_without_a_port_has_that_of_its_scheme() -> None:
    """As in browsers: a table at the usual port is found again, whether its address says so or not."""
    assert [wire_port_of(f"{scheme}://cards.example.org/v1") for scheme in ("ws", "wss")] == [80, 443]


async def test_a_client_goes_where_the_table_is() -> None:
    """Sent to another port, it takes its seat there, and still knows the address that it was given."""
    async with (
        babbling(*WELCOME) as there,
        babbling(VERSIONS, Elsewhere(port=port_of(there))) as url,
        await Client.join(url, "BCDF", "Ann") as ann,
    ):
        assert (0, url) == (ann.seat, ann.url)


async def test_a_client_does_not_go_in_circles() -> None:
    """Whoever sends it on a second time has it give up, after two connections and with a sentence."""
    visits = 0

    async def send_on() -> None:
        nonlocal visits
        while True:
            visitor = await visitors.get()
            visits += 1
            await speak(visitor, VERSIONS, Elsewhere(port=port_of(url)))

    async with visited() as (url, visitors):
        sending = asyncio.create_task(send_on())
        with pytest.raises(ConnectionFailed, match="keeps redirecting to other ports"):
            await timeout(PATIENCE, Client.join(url, "BCDF", "Ann"))
        sending.cancel()
    assert visits == 2


@for_each("fields", ['"127.0.0.2"', '5254,"127.0.0.2"', '"5254"', "0", "65536", "-1", ""])
async def test_no_other_host_can_be_named(fields: str) -> None:
    """A message that says more than a port, or no port, is none of ours."""
    frame = f"[72,{fields}]" if fields else "[72]"
    async with babbling(VERSIONS, frame, encoding=Encoding.JSON) as url:
        with pytest.raises(ConnectionFailed, match="this client does not understand"):
            await timeout(PATIENCE, Client.join(url, "BCDF", "Ann", encoding=Encoding.JSON))


async def test_http_sends_nobody_elsewhere() -> None:
    """A redirection of the handshake is not followed: it could lead to any machine."""
    async with visited() as (elsewhere, visitors):

        def redirect(connection: ServerConnection, request: Request) -> Response:
            response = connection.respond(HTTPStatus.FOUND, "")
            response.headers["Location"] = elsewhere
            return response

        async def handle(connection: ServerConnection) -> None:
            await connection.wait_closed()

        protocol = Subprotocol(Encoding.MSGPACK)
        async with serve(handle, "127.0.0.1", 0, subprotocols=[protocol], process_request=redirect) as server:
            url = f"ws://127.0.0.1:{next(iter(server.sockets)).getsockname()[1]}/v1"
            with pytest.raises(ConnectionFailed, match="There is no server at"):
                await timeout(PATIENCE, Client.join(url, "BCDF", "Ann"))
        assert visitors.empty()


async def test_a_client_comes_back_to_where_the_table_was() -> None:
    """After a break it dials the port that it was sent to, and asks the first one only where that fails."""
    async with (
        visited() as (url, first),
        visited() as (server, second),
        Relay.before(server) as wire,
    ):
        joining = asyncio.create_task(Client.join(url, "BCDF", "Ann"))
        await speak(await timeout(PATIENCE, first.get()), VERSIONS, Elsewhere(port=port_of(wire.url)))
        await speak(await timeout(PATIENCE, second.get()), *WELCOME)
        ann = await timeout(PATIENCE, joining)

        async def listen() -> None:
            async for _ in ann:
                pass

        listening = asyncio.create_task(listen())
        wire.cut()
        await speak(await timeout(PATIENCE, second.get()), *WELCOME)
        assert first.empty()
        wire.open = False
        wire.cut()
        await speak(await timeout(PATIENCE, first.get()), *WELCOME)
        await ann.close()
        await timeout(PATIENCE, listening)


async def test_a_port_in_the_middle_of_a_conversation_means_nothing() -> None:
    """A client that has its place stays there."""
    async with (
        babbling(*WELCOME, Elsewhere(port=1), Pong(stamp=5)) as url,
        await Client.join(url, "BCDF", "Ann") as ann,
    ):
        async for message in ann:
            if isinstance(message, Pong):
                break
        assert ann.online


@for_each(("said", "is_there"), [(Reason.BAD_TOKEN, True), (Reason.UNKNOWN_TABLE, False), (None, False)])
async def test_a_table_that_is_looked_for_is_asked_where_it_is(said: Reason | None, is_there: bool) -> None:
    """Looking for tables follows once, too; a table is there if the second process says so."""
    async with contextlib.AsyncExitStack() as stack:
        answer = Elsewhere(port=9) if said is None else Refused(counter=0, reason=said, text="")
        there = await stack.enter_async_context(babbling(VERSIONS, answer))
        url = await stack.enter_async_context(babbling(VERSIONS, Elsewhere(port=port_of(there))))
        assert is_there is await has_table(url, "BCDF", PATIENCE)
