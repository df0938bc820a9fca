"""The way in: versions, hello, and one place at one table."""

import asyncio

from racing_demon_protocol.enums import CloseCode, Reason
from racing_demon_protocol.wire.codec import VERSION, Encoding, encode
from racing_demon_protocol.wire.messages import Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import CaughtUp, Pong, Refused, Seated, Snapshot, Versions
from racing_demon_protocol.wire.options import Options
from racing_demon_server.net.connection import SLICE
from tests.support.cases import for_each
from tests.support.raw_websocket import request
from tests.support.servers import PATIENCE, Closing, Peer, serving, timeout

TOKEN = "0f" * 32

# Hello.


@for_each("encoding", Encoding)
async def test_versions_come_first(encoding: Encoding) -> None:
    """The server speaks first and says which versions it speaks."""
    async with serving() as served, Peer.connect(served.url, encoding) as peer:
        versions = await peer.hear()
        assert isinstance(versions, Versions)
        assert (versions.oldest, versions.newest) == (VERSION, VERSION)
        assert versions.software.startswith("racing-demon-server ")


async def test_a_client_of_the_future_is_told_so() -> None:
    """Too new a version closes with a sentence that says who needs an update."""
    async with serving() as served, Peer.connect(served.url) as peer:
        await peer.say(cl.Hello(version=VERSION + 1))
        text = "This server speaks version 1 of the protocol, you 2: update the server."
        assert Closing(CloseCode.VERSION, text) == await peer.closed()


async def test_a_foreign_version_closes_even_late() -> None:
    """A second hello in another version ends the conversation like a first."""
    async with serving() as served, Peer.hosting(served.url) as peer:
        await peer.say(cl.Hello(version=999))
        assert (await peer.closed()).code == CloseCode.VERSION


async def test_hello_is_said_once() -> None:
    """A second hello comes out of turn, and ends the conversation."""
    async with serving() as served, Peer.hosting(served.url) as peer:
        await peer.say(cl.Hello(version=VERSION))
        assert Closing(CloseCode.BAD_FRAME, "You have already said hello.") == await peer.closed()


@for_each(
    "message",
    [
        cl.Create(name="Ann"),
        cl.Join(code="BCDF", name="Ann"),
        cl.Watch(code="BCDF"),
        cl.Resume(code="BCDF", token=TOKEN),
        cl.Ping(stamp=1),
        cl.Ready(counter=1),
    ],
    ids=lambda message: type(message).__name__,
)
async def test_hello_comes_before_anything_else(message: Message) -> None:
    """Whatever is said before hello closes the connection."""
    async with serving() as served, Peer.connect(served.url) as peer:
        await peer.say(message)
        assert Closing(CloseCode.BAD_FRAME, "Say hello first.") == await peer.closed()


async def test_an_eager_client_is_understood() -> None:
    """Hello and join may be sent without waiting for the versions."""
    async with serving() as served, Peer.hosting(served.url) as ann, Peer.connect(served.url) as ben:
        ben.burst([cl.Hello(version=VERSION), cl.Join(code=ann.code, name="Ben"), cl.Ping(stamp=5)])
        heard = [type(await ben.hear()) for _ in range(5)]
        assert [Versions, Seated, Snapshot, CaughtUp, Pong] == heard


async def test_words_in_the_handshake_s_own_packet_are_understood() -> None:
    """Frames that come in one packet with the handshake wait for the server, in their order."""
    async with serving() as served:
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        words = [b"[1,1]", b'[4,"BCDF"]', b"[15,77]"]
        frames = [b"\x81" + bytes([0x80 | len(word)]) + bytes(4) + word for word in words]
        writer.write(request("/v1", "json") + b"".join(frames))
        answer = await timeout(PATIENCE, reader.readuntil(b"[69,77]"))
        assert answer.index(b"[64,1,1") < answer.index(b'"unknown_table"') < answer.index(b"[69,77]")
        writer.close()
        await writer.wait_closed()


async def test_what_comes_with_the_handshake_is_heard() -> None:
    """Frames that come in one packet with the handshake are taken behind it, each in its order."""
    async with serving() as served:
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        stamps = range(1, 40)
        frames = [plain_frame(cl.Hello(version=VERSION)), *(plain_frame(cl.Ping(stamp=n)) for n in stamps)]
        writer.write(request("/v1", "msgpack") + b"".join(frames))
        for stamp in stamps:
            pong = encode(Pong(stamp=stamp))
            assert isinstance(pong, bytes)
            await timeout(PATIENCE, reader.readuntil(pong))
        writer.close()
        await writer.wait_closed()


async def test_no_frame_begins_within_another_though_one_came_with_the_handshake() -> None:
    """Whatever a frame holds, and wherever its bytes are cut, the rest is not taken for one of its own."""
    join = plain_frame(cl.Join(code="BCDF", name="x" * 16 + "\x82" + "é" * 40))
    cut = join.index(b"\x82", 2)
    hello = plain_frame(cl.Hello(version=VERSION, software="x" * (cut - 10)))
    assert len(hello) == cut
    pad = "x" * (-len(request("/v1", "msgpack", "X: ") + hello) % SLICE)  # it ends in the slice of the hello
    async with serving() as served:
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        writer.write(request("/v1", "msgpack", f"X: {pad}") + hello)
        await timeout(PATIENCE, reader.readuntil(b"racing-demon-server"))
        served.newest().data_received(join[:cut])
        served.newest().data_received(join[cut:])
        await timeout(PATIENCE, reader.readuntil(b"There is no table with that code here."))
        writer.close()
        await writer.wait_closed()


async def test_what_comes_with_the_handshake_may_look_like_its_end() -> None:
    """A request ends with the first empty line, though a frame in the same slice holds the bytes of one."""
    pong = encode(Pong(stamp=0x0D0A0D0A))
    assert isinstance(pong, bytes)
    assert b"\r\n\r\n" in pong
    frames = plain_frame(cl.Hello(version=VERSION)) + plain_frame(cl.Ping(stamp=0x0D0A0D0A))
    pad = "x" * (-len(request("/v1", "msgpack", "X: ") + frames) % SLICE)
    async with serving() as served:
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        writer.write(request("/v1", "msgpack", f"X: {pad}") + frames)
        await timeout(PATIENCE, reader.readuntil(pong))
        writer.close()
        await writer.wait_closed()


def plain_frame(message: Message) -> bytes:
    """Return a client's short frame whose mask changes nothing."""
    data = encode(message)
    assert isinstance(data, bytes)
    return bytes((0x82, 0x80 | len(data))) + bytes(4) + data


# One place at one table.


async def test_a_table_is_opened_and_joined() -> None:
    """The host gets seat 0 and the next one seat 1, each with a token of its own."""
    async with (
        serving() as served,
        Peer.hosting(served.url) as ann,
        Peer.entered(served.url, cl.Join(code=ann.code, name="Ben")) as ben,
    ):
        assert [ann.place.seat, ben.place.seat] == [0, 1]
        assert ann.code == ben.code
        assert ann.token != ben.token
        assert [seat.name for seat in ben.view.seats.values()] == ["Ann", "Ben"]


async def test_a_host_may_only_watch() -> None:
    """A host without a seat still has a token and may deal."""
    async with serving() as served, Peer.hosting(served.url, seated=False) as host:
        assert host.place.seat is None
        assert len(host.token) == 64
        await host.ask(cl.AddBot)
        await host.ask(cl.Start)
        assert host.view.hand_seats == (0,)


async def test_a_spectator_has_no_token() -> None:
    """Whoever watches has nothing to come back with."""
    async with (
        serving() as served,
        Peer.hosting(served.url) as ann,
        Peer.entered(served.url, cl.Watch(code=ann.code)) as eve,
    ):
        assert (eve.place.seat, eve.place.token) == (None, None)


@for_each("cls", [cl.Start, cl.AddBot, cl.Ready, cl.Stuck, cl.Leave, cl.Call])
async def test_spectators_command_nothing(cls: type[cl.Command]) -> None:
    """A spectator's command is refused, also at a table whose host has no seat either."""
    async with (
        serving() as served,
        Peer.hosting(served.url, seated=False) as host,
        Peer.entered(served.url, cl.Watch(code=host.code)) as eve,
    ):
        seq = eve.view.seq
        refused = await eve.ask(cls)
        assert isinstance(refused, Refused)
        assert (refused.reason, refused.counter) == (Reason.NOT_SEATED, 1)
        assert seq == host.view.seq


async def test_commands_need_a_table() -> None:
    """A command before any table is refused, and another try is free."""
    async with serving() as served, Peer.connect(served.url) as peer:
        await peer.greet()
        refused = await peer.ask(cl.Ready)
        assert isinstance(refused, Refused)
        assert refused.reason == Reason.NOT_SEATED
        await peer.enter(cl.Create(name="Ann"))


@for_each("kind", ["join", "watch", "resume", "create"])
async def test_one_connection_has_one_place(kind: str) -> None:
    """Whoever has a place gets no second on the same connection, and keeps the first."""
    async with serving() as served, Peer.hosting(served.url) as ann:
        requests: dict[str, Message] = {
            "join": cl.Join(code=ann.code, name="Ann again"),
            "watch": cl.Watch(code=ann.code),
            "resume": cl.Resume(code=ann.code, token=ann.token),
            "create": cl.Create(name="Ann again"),
        }
        await ann.say(requests[kind])
        refused = await ann.until(Refused)
        assert (refused.reason, refused.counter) == (Reason.NOT_NOW, 0)
        assert len(served.registry) == 1
        await ann.ask(cl.AddBot)
        assert len(ann.view.seats) == 2


@for_each(
    ("request_", "reason"),
    [
        (cl.Join(code="ZZZZ", name="Ben"), Reason.UNKNOWN_TABLE),
        (cl.Watch(code="Zß\u202e"), Reason.UNKNOWN_TABLE),
        (cl.Resume(code="ZZZZ", token=TOKEN), Reason.UNKNOWN_TABLE),
        (cl.Create(name="\u200b"), Reason.BAD_NAME),
        (cl.Create(name="Ben", options=Options(game="bridge")), Reason.BAD_OPTION),
    ],
    ids=["join", "watch", "resume", "name", "options"],
)
async def test_after_a_refusal_another_try_is_free(request_: Message, reason: Reason) -> None:
    """What cannot be is refused with counter 0, leaves nothing behind, and does not close."""
    async with serving(max_tables=1) as served, Peer.connect(served.url) as peer:
        await peer.greet()
        await peer.say(request_)
        refused = await peer.hear()
        assert isinstance(refused, Refused)
        assert (reason, 0) == (refused.reason, refused.counter)
        await peer.enter(cl.Create(name="Ben"))


async def test_a_full_table_takes_nobody() -> None:
    """The ninth is refused, and may watch on the same connection."""
    async with serving() as served, Peer.hosting(served.url) as ann, Peer.connect(served.url) as ben:
        for _ in range(7):
            await ann.ask(cl.AddBot)
        await ben.greet()
        await ben.say(cl.Join(code=ann.code, name="Ben"))
        refused = await ben.hear()
        assert isinstance(refused, Refused)
        assert refused.reason == Reason.TABLE_FULL
        await ben.enter(cl.Watch(code=ann.code))


async def test_codes_may_be_spelt_freely() -> None:
    """A code is found in small letters and with blanks around it."""
    async with (
        serving() as served,
        Peer.hosting(served.url) as ann,
        Peer.entered(served.url, cl.Join(code=f" {ann.code.lower()} ", name="Ben")) as ben,
    ):
        assert ann.code == ben.code


# Limits on new connections.


async def test_who_asks_for_no_table_is_sent_away() -> None:
    """A connection that takes no place in time is closed, even if it talks."""
    async with serving(entry_seconds=0.2) as served, Peer.connect(served.url) as peer:
        await peer.greet()
        await peer.say(cl.Ping(stamp=1))
        assert Closing(CloseCode.TOO_LATE, "No table was requested in time.") == await peer.closed()


async def test_who_has_a_place_is_not_hurried() -> None:
    """The time for asking ends with the place at a table."""
    async with (
        serving(entry_seconds=0.2) as served,
        Peer.hosting(served.url) as ann,
        Peer.connect(served.url) as idle,
    ):
        assert (await idle.closed()).code == CloseCode.TOO_LATE  # it came later than Ann
        await ann.ask(cl.AddBot)


async def test_a_handshake_that_never_ends_is_cut_off() -> None:
    """A connection that sends no request is closed after the same time."""
    async with serving(entry_seconds=0.2) as served:
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        writer.write(b"GET /v1 HTTP/1.1\r\n")
        assert await timeout(PATIENCE, reader.read()) == b""
        writer.close()
        await writer.wait_closed()


async def test_a_full_server_says_so() -> None:
    """One connection too many is closed with a sentence; those inside go on, and leave room when they go."""
    async with serving(max_connections=1) as served:
        async with Peer.hosting(served.url) as ann:
            async with Peer.connect(served.url) as ben:
                ben.burst([cl.Hello(version=VERSION), cl.Create(name="Ben")])
                text = "The server is full. Try again later."
                assert Closing(CloseCode.FULL, text) == await ben.closed()
            await ann.ask(cl.AddBot)
        async with Peer.connect(served.url) as cat:
            assert isinstance(await cat.hear(), Versions)
