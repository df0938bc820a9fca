"""What strangers may take of the server, each limit at the real port."""

import asyncio
import re
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, Final

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode

from racing_demon_protocol.constants import WEBSOCKET_PATH
from racing_demon_protocol.enums import CloseCode, Reason
from racing_demon_protocol.wire.codec import VERSION
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Pong, Refused, Seated, Versions
from racing_demon_protocol.wire.options import Options
from racing_demon_server.settings import limit, limits
from tests.support.cases import for_each
from tests.support.servers import PATIENCE, Closing, Peer, serving, timeout

FAR = {"X-Forwarded-For": "203.0.113.9"}
FARTHER = {"X-Forwarded-For": "203.0.113.10"}
MANUAL: Final = Path(__file__).parents[3] / "docs" / "server.md"
BYTES: Final = {"": 1, "KiB": 1024, "MiB": 1024 * 1024}


@asynccontextmanager
async def greeted(url: str, headers: dict[str, str]) -> AsyncIterator[Peer]:
    """Connect through a proxy on this machine."""
    async with Peer.connect(url, additional_headers=headers) as peer:
        yield peer


async def test_one_address_may_have_so_many_connections() -> None:
    """One more is closed with a sentence; another address, and this machine, still come in."""
    async with serving(connections_per_address=2) as served:
        async with greeted(served.url, FAR) as one, greeted(served.url, FAR) as two:
            await one.greet()
            await two.greet()
            async with greeted(served.url, FAR) as three:
                expected = Closing(CloseCode.FULL, "Too many connections from your address.")
                assert expected == await three.closed()
            for headers in (FARTHER, {}):
                async with greeted(served.url, headers) as other:
                    await other.greet()
        async with greeted(served.url, FAR) as again:
            assert isinstance(await again.hear(), Versions)


async def test_one_address_may_open_so_many_tables() -> None:
    """One more is refused; the connection may still join, and others may open theirs."""
    async with serving(tables_per_minute=1e-6, table_burst=1) as served, Peer.hosting(served.url) as ann:
        answers = []
        for headers in (FAR, FAR, FARTHER):
            async with greeted(served.url, headers) as peer:
                await peer.greet()
                await peer.say(cl.Create(name="Ben", options=Options()))
                answer = await peer.hear()
                answers.append(answer.reason if isinstance(answer, Refused) else type(answer))
                if isinstance(answer, Refused):
                    await peer.enter(cl.Join(code=ann.code, name="Ben"))
        assert [Seated, Reason.TOO_FAST, Seated] == answers


async def test_silent_connections_make_room_for_others() -> None:
    """Of those who connect and ask for nothing the oldest go, and whoever speaks comes in."""
    async with serving(max_handshakes=3, entry_seconds=3_600.0) as served:
        silent = [socket.create_connection(("127.0.0.1", served.port)) for _ in range(10)]
        try:
            async with Peer.connect(served.url) as peer:
                await peer.greet()
            loop = asyncio.get_running_loop()
            for quiet in silent[:7]:
                quiet.setblocking(False)
                with suppress(ConnectionResetError):
                    assert await timeout(PATIENCE, loop.sock_recv(quiet, 1)) == b""
            for quiet in silent[8:]:
                quiet.setblocking(False)
                with pytest.raises(BlockingIOError):
                    quiet.recv(1)
        finally:
            for quiet in silent:
                quiet.close()


async def test_one_address_may_have_so_many_requests_under_way() -> None:
    """Of the silent connections of one address the oldest go first, and those of others stay."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as looking:
        try:
            looking.connect(("192.0.2.1", 9))  # sends nothing
        except OSError:
            pytest.skip("this machine has no address but its own")
        address = looking.getsockname()[0]
    async with serving(host="0.0.0.0", handshakes_per_address=3, entry_seconds=3_600.0) as served:  # noqa: S104
        loop = asyncio.get_running_loop()
        other = socket.create_connection(("127.0.0.1", served.port))
        silent = [socket.create_connection((address, served.port)) for _ in range(5)]
        try:
            for quiet in silent[:2]:
                quiet.setblocking(False)
                with suppress(ConnectionResetError):
                    assert await timeout(PATIENCE, loop.sock_recv(quiet, 1)) == b""
            for quiet in (other, *silent[2:]):
                quiet.setblocking(False)
                with pytest.raises(BlockingIOError):
                    quiet.recv(1)
        finally:
            for quiet in (other, *silent):
                quiet.close()


@for_each(
    "headers",
    [[f"Cookie: a={'b' * 9_000}"], [f"Cookie: a={'b' * 4_000}"] * 5, ["A: b"] * 200],
    ids=["a long line", "long together", "many"],
)
async def test_who_asks_with_too_many_cookies_is_told_so(headers: list[str]) -> None:
    """A request that is too long gets an answer that a person understands."""
    async with serving() as served:
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        lines = ["GET / HTTP/1.1", "Host: localhost", *headers, "", ""]
        writer.write("\r\n".join(lines).encode())
        answer = (await timeout(PATIENCE, reader.read())).decode()
        assert answer.startswith("HTTP/1.1 431 Request Header Fields Too Large\r\n")
        assert "cookies" in answer
        writer.close()


async def test_a_browser_with_many_cookies_comes_in() -> None:
    """Up to 16 KB of a request are read, in lines of up to 8 KB."""
    async with serving() as served:
        cookies = {"Cookie": "; ".join(f"{number}={'c' * 100}" for number in range(70)), "X": "y" * 8_000}
        async with Peer.connect(served.url, additional_headers=cookies) as peer:
            await peer.greet()


async def test_a_slow_handshake_is_not_waited_for() -> None:
    """A request that comes letter by letter is given up."""
    async with serving(entry_seconds=0.2) as served:
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        writer.write(b"GET /v1 HTTP/1.1\r\nHost: x\r\n")
        assert await timeout(PATIENCE, reader.read()) == b""
        writer.close()


async def test_frames_before_the_answer_are_few() -> None:
    """Whoever floods the server together with the handshake is cut off."""
    async with serving() as served:
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        request = (
            "GET /v1 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
            "Sec-WebSocket-Protocol: racing-demon.v1+msgpack\r\n\r\n"
        )
        writer.write(request.encode() + Frame(Opcode.BINARY, b"\x92\x01\x01").serialize(mask=True) * 1_000)
        with pytest.raises((ConnectionResetError, asyncio.IncompleteReadError)):
            await timeout(PATIENCE, reader.readexactly(1_000_000))
        writer.close()
        async with Peer.connect(served.url) as peer:
            await peer.greet()


async def test_a_first_frame_may_come_with_the_handshake() -> None:
    """A client that does not wait for the versions is understood."""
    async with serving() as served:
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        request = (
            "GET /v1 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
            "Sec-WebSocket-Protocol: racing-demon.v1+json\r\n\r\n"
        )
        frames = [Frame(Opcode.TEXT, text).serialize(mask=True) for text in (b"[1,1]", b"[15,7]")]
        writer.write(request.encode() + b"".join(frames))
        await timeout(PATIENCE, reader.readuntil(b"[69,7]"))
        writer.close()


async def test_pings_have_a_limit_of_their_own() -> None:
    """Far fewer pings than frames are a flood; as many as libraries send are answered."""
    async with serving(controls_per_second=1e-6, control_burst=5) as served:
        async with Peer.connect(served.url) as peer:
            await peer.greet()
            waiter = await peer.socket.ping("there?")
            await timeout(PATIENCE, waiter)
            peer.write(*[Frame(Opcode.PING, b"")] * 5)
            assert Closing(CloseCode.FLOOD, "Too many pings a second.") == await peer.closed()


@for_each(("number", "is_taken"), [(16, True), (17, False)])
async def test_a_message_has_so_many_fragments(number: int, is_taken: bool) -> None:
    """Sixteen fragments are a message; one more is a flood."""
    async with serving() as served, Peer.connect(served.url) as peer:
        await peer.greet()
        whole = bytes(peer.frame_of(cl.Ping(stamp=5)).data)
        first = Frame(Opcode.BINARY, whole[:1], fin=False)
        middle = [Frame(Opcode.CONT, b"", fin=False)] * (number - 2)
        peer.write(first, *middle, Frame(Opcode.CONT, whole[1:]))
        if is_taken:
            assert Pong(stamp=5) == await peer.hear()
        else:
            expected = Closing(CloseCode.FLOOD, "Too many fragments of one message.")
            assert expected == await peer.closed()


async def test_nothing_more_of_a_flood_is_looked_at() -> None:
    """After the frame too many, not even a good command of the same packet is carried out."""
    async with serving(frames_per_second=1e-6, frame_burst=4) as served, Peer.hosting(served.url) as ann:
        room = served.registry.room(ann.code)
        pings = [cl.Ping(stamp=number) for number in range(2_000)]
        ann.burst([*pings, ann.next(cl.AddBot)])
        assert (await ann.closed()).code == CloseCode.FLOOD
        assert len(room.table.view.seats) == 1


async def test_what_follows_a_flood_is_not_even_parsed() -> None:
    """A ping that comes while the connection is closed for a flood has no answer."""
    async with serving(frames_per_second=1e-6, frame_burst=4) as served:
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        writer.write("\r\n".join(["GET /v1 HTTP/1.1", "Host: localhost", *UPGRADE, "", ""]).encode())
        for text in (b"[1,1]", *[b"[15,7]"] * 10):
            writer.write(Frame(Opcode.TEXT, text).serialize(mask=True))
        await timeout(PATIENCE, reader.readuntil(b"Too many frames a second."))
        writer.write(Frame(Opcode.PING, b"Anybody?").serialize(mask=True))
        assert await timeout(PATIENCE, reader.read()) == b""
        writer.close()


@for_each(
    ("settings", "host", "is_answered"),
    [
        ({}, "127.0.0.1:5252", True),
        ({"hosts": ("cards.example.org",)}, "cards.example.org:5252", True),
        ({"hosts": ("Cards.Example.org",)}, "CARDS.example.ORG", True),
        ({"hosts": ("cards.example.org",)}, "evil.example", False),
        ({"hosts": ("cards.example.org",)}, "cards.example.org.evil.example", False),
        ({"hosts": ("cards.example.org",)}, "127.0.0.1:5252", True),
        ({"hosts": ("cards.example.org",)}, "[::1]:5252", True),
        ({"hosts": ("cards.example.org",)}, "localhost", True),
    ],
)
async def test_a_server_with_a_name_answers_to_no_other(
    settings: dict[str, Any], host: str, is_answered: bool
) -> None:
    """A web page whose name was made to lead here is sent away, by WebSocket and by HTTP."""
    async with serving(**settings) as served:
        assert ("200 OK" if is_answered else "421 Misdirected") in await status(served.port, "/healthz", host)
        if is_answered:
            assert "101 Switching" in await status(served.port, "/v1", host, *UPGRADE)
        else:
            assert "421 Misdirected" in await status(served.port, "/v1", host, *UPGRADE)


async def test_a_foreign_name_gets_nothing_from_a_server_without_a_name() -> None:
    """A web page whose name was made to lead here reads nothing; a program may use any name to play."""
    async with serving() as served:
        for path in {"/", "/qr/BCDF.svg", *served.server.routes.paths} - {WEBSOCKET_PATH}:
            assert "421 Misdirected" in await status(served.port, path, "anything.example"), path
        assert "101 Switching" in await status(served.port, "/v1", "anything.example", *UPGRADE)


UPGRADE = (
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
    "Sec-WebSocket-Protocol: racing-demon.v1+json",
)


async def status(port: int, path: str, host: str, *headers: str) -> str:
    """Return the first line of the answer to a request."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    lines = [f"GET {path} HTTP/1.1", f"Host: {host}", *headers, "", ""]
    writer.write("\r\n".join(lines).encode())
    line = await timeout(PATIENCE, reader.readline())
    writer.close()
    return line.decode()


@for_each("path", ["/qr/BCDF.svg", "/origin.json", "/healthz", "/v1", "/nothing"])
@for_each(
    "host",
    ["127.0.0.1:99999", "127.0.0.1:x", "[::1", "::1]", "ann@127.0.0.1", "127.0.0.1:80/x", "a\r\nHost: b"],
)
async def test_a_host_that_there_cannot_be_is_refused(path: str, host: str) -> None:
    """The request is wrong, and no page has to ask for that."""
    async with serving(web=True) as served:
        assert await status(served.port, path, host, *UPGRADE) == "HTTP/1.1 400 Bad Request\r\n"


def test_every_limit_can_be_set() -> None:
    """Each takes a number of its kind above zero."""
    for name, default in limits().items():
        assert (name, 7) == limit(f"{name}=7")
        assert isinstance(limit(f"{name}=7")[1], type(default))


def test_the_manual_states_every_limit() -> None:
    """Its table has the name of each limit, and the defaults in the order of the names."""
    stated: dict[str, float] = {}
    for limit_text, default in re.findall(
        r"^\| (.+?) \| (.+?) \|", MANUAL.read_text("utf-8").partition("\n## Limits\n")[2], re.MULTILINE
    ):
        numbers = re.findall(r"(\d[\d,.]*)(?: ([KM]iB))?", default)
        for name, (number, unit) in zip(re.findall(r"`(\w+)`", limit_text), numbers, strict=False):
            stated[name] = float(number.replace(",", "")) * BYTES[unit]
    assert stated == limits()


@for_each("text", ["", "max_tables", "max_tables=0", "max_tables=x", "max_tables=1.5", "port=1"])
def test_what_is_no_limit_is_told(text: str) -> None:
    """The sentence names the limits that there are, or the number that is wanted."""
    with pytest.raises(ValueError, match=r"there is no limit|number above 0"):
        limit(text)


async def test_the_versions_come_first() -> None:
    """A limit of one does not stand in the way of a client that waits its turn."""
    async with serving(max_handshakes=1, connections_per_address=1) as served:
        async with greeted(served.url, FAR) as peer:
            await peer.greet()
            await peer.say(cl.Ping(stamp=VERSION))
            assert Pong(stamp=VERSION) == await peer.hear()


async def test_a_connection_that_was_refused_does_not_count() -> None:
    """Whoever has tried too often has the connection as soon as there is one to have."""
    async with serving(connections_per_address=1) as served:
        async with greeted(served.url, FAR) as first:
            await first.greet()
            async with greeted(served.url, FAR) as second:
                assert (await second.closed()).code == CloseCode.FULL
        async with asyncio.timeout(PATIENCE):
            is_let_in = False
            while not is_let_in:  # the server may not know yet that the first has gone
                async with greeted(served.url, FAR) as again:
                    with suppress(ConnectionClosed):
                        is_let_in = isinstance(await again.hear(), Versions)
