"""Bytes to frames: short ones are taken at once, all others are the library's, and nobody can tell which."""

import asyncio
import random
import sys
from unittest.mock import ANY

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.frames import Close, Frame, Opcode

from racing_demon_protocol.enums import CloseCode
from racing_demon_protocol.wire.codec import Encoding
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.events import Said
from racing_demon_protocol.wire.messages.server import Accepted, Pong
from racing_demon_server.net.connection import short_message, wire_size
from tests.support.cases import for_each
from tests.support.servers import Closing, Peer, fragments, logged_warnings, serving

MESSAGES = 40
BURST = 60
NORMAL_CLOSURE = 1000
PROTOCOL_ERROR = 1002
FREELY = {
    "frames_per_second": 1e6,
    "frame_burst": 1e6,
    "controls_per_second": 1e6,
    "control_burst": 1e6,
    "units_per_connection": 1e6,
}


@for_each("length", [0, 1, 3, 4, 5, 124, 125])
def test_a_short_message_is_found_in_its_frame(length: int) -> None:
    """What the library masks comes out as it went in, whatever follows it; one byte less is no frame yet."""
    message = random.Random(length).randbytes(length)
    frame = Frame(Opcode.BINARY, message).serialize(mask=True)
    assert message == short_message(frame)
    assert message == short_message(frame + b"\x82")
    assert short_message(frame[:-1]) is None


@for_each(
    "frame",
    [
        Frame(Opcode.BINARY, b"1" * 126).serialize(mask=True),
        Frame(Opcode.TEXT, b"[7]").serialize(mask=True),
        Frame(Opcode.PING, b"1").serialize(mask=True),
        Frame(Opcode.BINARY, b"1", fin=False).serialize(mask=True),
        bytes([0xC2, *Frame(Opcode.BINARY, b"1").serialize(mask=True)[1:]]),
        Frame(Opcode.BINARY, b"1234").serialize(mask=False),
    ],
    ids=["long", "text", "control", "unfinished", "extended", "unmasked"],  # masks are drawn by chance
)
def test_what_else_comes_is_the_librarys(frame: bytes) -> None:
    """Long, text, control, unfinished, extended and unmasked frames are left to the library."""
    assert short_message(frame) is None


@for_each("length", [0, 125, 126, 65_535, 65_536])
def test_the_size_of_a_frame_on_the_wire(length: int) -> None:
    """A frame is as long as its own bytes."""
    frame = Frame(Opcode.BINARY, bytes(length))
    assert len(frame.serialize(mask=True)) == wire_size(frame)


@for_each("seed", range(8))
async def test_messages_come_in_their_order_however_they_are_cut(seed: int) -> None:
    """Frames, fragments, pings among them, and all of these in pieces: each message is answered, in order."""
    rng = random.Random(seed)
    async with serving(**FREELY) as server, Peer.connect(server.url) as peer:
        await _greet(peer)
        for stamp in range(MESSAGES):
            frames = _framed(rng, peer.frame_of(cl.Ping(stamp=stamp)))
            for piece in _pieces(rng, _bytes(*frames)):
                server.newest().data_received(piece)
        heard = [await peer.until(Pong) for _ in range(MESSAGES)]
        assert list(range(MESSAGES)) == [pong.stamp for pong in heard]


async def test_what_looks_like_a_frame_may_be_within_one() -> None:
    """The rest of a frame is never taken for a frame of its own, whatever it looks like."""
    async with serving(**FREELY) as server, Peer.connect(server.url) as peer:
        await _greet(peer)
        inner = _bytes(peer.frame_of(cl.Ping(stamp=1)))
        outer = _bytes(Frame(Opcode.BINARY, bytes(len(inner))))
        server.newest().data_received(outer[: -len(inner)])
        server.newest().data_received(inner)
        with pytest.raises(ConnectionClosed) as closed:  # and nothing is answered before
            await peer.frame()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == CloseCode.BAD_FRAME


async def test_no_message_begins_within_another() -> None:
    """Between two fragments a whole message is an error, as RFC 6455 has it (5.4)."""
    async with serving(**FREELY) as server, Peer.connect(server.url) as peer:
        await _greet(peer)
        ping = peer.frame_of(cl.Ping(stamp=1))
        server.newest().data_received(_bytes(fragments(ping, 1)[0]))
        server.newest().data_received(_bytes(ping))
        assert await peer.closed() == Closing(PROTOCOL_ERROR, ANY)


async def test_nothing_is_said_behind_a_good_bye(caplog: pytest.LogCaptureFixture) -> None:
    """Who says good-bye with the last words gets no event of these; all others do."""
    async with serving() as server, Peer.hosting(server.url) as ann:
        async with Peer.entered(server.url, cl.Join(code=ann.code, name="Ben")) as ben:
            good_bye = Frame(Opcode.CLOSE, Close(NORMAL_CLOSURE, "").serialize())
            ben.write(ben.frame_of(ben.next(cl.Say, text="Bye")), good_bye)
            assert (await ann.until(Said)).text == "Bye"
            assert (await ben.closed()).code == NORMAL_CLOSURE
    assert logged_warnings(caplog) == []


async def test_the_last_words_of_a_page_that_is_closed_are_heard(caplog: pytest.LogCaptureFixture) -> None:
    """What came with its close frame is carried out, though its socket is gone before it is answered."""
    closing = Frame(Opcode.CLOSE, Close(NORMAL_CLOSURE, "").serialize())
    async with serving() as server, Peer.hosting(server.url) as ann:
        join = cl.Join(code=ann.code, name="Ben")
        async with Peer.entered(server.url, join, Encoding.JSON) as ben:
            ben.write(ben.frame_of(ben.next(cl.Say, text="I must go")), closing)
            ben.socket.transport.abort()
            assert (await ann.until(Said)).text == "I must go"
    assert logged_warnings(caplog) == []


@pytest.mark.skipif(sys.platform == "win32", reason="there is no uvloop")
def test_what_is_read_behind_many_bytes_does_not_overtake_them() -> None:
    """On uvloop, too, a second burst is judged behind the last of the first, which is taken in slices."""
    import uvloop  # noqa: PLC0415 - it is not everywhere

    async def history() -> list[int]:
        fast = {"commands_per_second": 1e6, "command_burst": 1e6}
        async with serving(**FREELY, **fast) as server, Peer.hosting(server.url) as ann:
            said = [ann.frame_of(ann.next(cl.Ready, ready=bool(n % 2))) for n in range(2 * BURST)]
            ann.write(*said[:BURST])
            asyncio.get_running_loop().call_soon(ann.write, *said[BURST:])
            return [(await ann.until(Accepted)).counter for _ in range(2 * BURST)]

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        assert list(range(1, 2 * BURST + 1)) == runner.run(history())


async def _greet(peer: Peer) -> None:
    """Say hello, and wait until the server has read it."""
    await peer.greet()
    await peer.say(cl.Ping(stamp=MESSAGES))
    await peer.until(Pong)


def _bytes(*frames: Frame) -> bytes:
    return b"".join(frame.serialize(mask=True) for frame in frames)


def _framed(rng: random.Random, frame: Frame) -> list[Frame]:
    """Return a message's frame as it is, in fragments, or among frames that say nothing."""
    match rng.randrange(4):
        case 0:
            return fragments(frame, rng.randrange(1, len(frame.data)))
        case 1:
            return [Frame(Opcode.PING, rng.randbytes(rng.randrange(126))), frame]
        case _:
            return [frame]


def _pieces(rng: random.Random, data: bytes) -> list[bytes]:
    if rng.random() < 0.5:
        return [data]
    cut = rng.randrange(1, len(data))
    return [data[:cut], data[cut:]]


async def test_a_play_is_taken_in_the_call_that_read_it() -> None:
    """Even one that is made long, in text with spaces: else it would come after others that came later."""
    async with serving(**FREELY) as server, Peer.connect(server.url, Encoding.JSON) as peer:
        await _greet(peer)
        server.newest().data_received(_bytes(Frame(Opcode.TEXT, b"[15,1" + b" " * 230 + b"]")))
        assert not server.newest()._unread
        assert (await peer.until(Pong)).stamp == 1
