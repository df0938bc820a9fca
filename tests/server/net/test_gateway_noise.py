"""Frames that are none of ours: each is answered with its close code, and disturbs nobody else."""

import gc
import json
import random
import tracemalloc

import msgpack
import pytest
from websockets.frames import Frame, Opcode

from racing_demon_protocol.enums import CloseCode, Reason
from racing_demon_protocol.wire.codec import MAX_CLIENT_FRAME, VERSION, Encoding
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.messages.server import Pong, Refused, Seated, Versions
from tests.support.cases import for_each
from tests.support.clocks import Standing
from tests.support.servers import Closing, Peer, fragments, logged_warnings, serving, serving_with

BAD = CloseCode.BAD_FRAME
TOO_LONG = 1009
MiB = 2**20


def packed(*row: object) -> bytes:
    """Return a row as msgpack."""
    return msgpack.packb(row)  # type: ignore[no-any-return]


def nested(depth: int) -> bytes:
    """Return arrays in arrays."""
    return b"\x91" * depth


BAD_MSGPACK: dict[str, bytes] = {
    "nothing": b"",
    "noise": bytes.fromhex("c1a5b7ff00"),
    "no array": packed(1)[1:],
    "a map": msgpack.packb({1: 1}),
    "an empty array": packed(),
    "a number as text": packed("1", 1),
    "a float for a tag": packed(1.0, 1),
    "true for a tag": packed(True, 1),
    "an unknown tag": packed(200, 1),
    "a huge tag": packed(2**64 - 1),
    "a tag of the server's": packed(64, 1, 1),
    "an event": packed(80, 1, 0, 1, 4, 1, 0),
    "too few fields": packed(3, "BCDF"),
    "too many fields": packed(3, "BCDF", "Ben", "", "Ben"),
    "a float": packed(15, 1.0),
    "not a number": packed(15, float("nan")),
    "a boolean for a number": packed(15, True),
    "a number for a boolean": packed(8, 1, 1),
    "a text for a number": packed(15, "1"),
    "nil for a number": packed(15, None),
    "too large a number": packed(15, 2**31),
    "a negative counter": packed(7, -1),
    "a card too many": packed(6, 1, 0, 105, 1, 0),
    "bytes for text": packed(3, b"BCDF", "Ben"),
    "text that is not UTF-8": b"\x93\x03\xa4BCDF\xa2\xff\xfe",
    "a lone surrogate": b"\x93\x03\xa4BCDF\xa3\xed\xa0\x80",
    "a date": packed(15, msgpack.Timestamp(1, 1)),
    "an extension": packed(15, msgpack.ExtType(5, b"x")),
    "an empty extension": packed(15, msgpack.ExtType(5, b"")),
    "an unknown option": packed(2, "Ann", {"cheat": True}),
    "an option twice of bad kind": packed(2, "Ann", {"hands": 2.0}),
    "options with a number for a name": b"\x93\x02\xa3Ann\x81\x01\x01",
    "two messages": packed(1, 1) + packed(1, 1),
    "half a message": packed(3, "BCDF", "Ben")[:-1],
    "deep arrays": nested(1_000) + b"\xc0",
    "deeper arrays": nested(4_000),
    "deep maps": b"\x81\xa1a" * 1_300,
    "a promise of 2^32 elements": b"\xdd\xff\xff\xff\xff",
    "a promise of 2^32 pairs": b"\xdf\xff\xff\xff\xff",
    "a promise of 2^32 letters": b"\xdb\xff\xff\xff\xff",
    "a wide array": b"\xdc\x0f\xf0" + b"\xc0" * 4_080,
    "nested wide arrays": (b"\xdc\x00\x40" + b"\xc0" * 63) * 61,
    "a long name": packed(3, "BCDF", "x" * 65),
    "a truncated token": packed(5, "BCDF", "0f" * 31, 0),
    "a token in capitals": packed(5, "BCDF", "0F" * 32, 0),
    "a token with a line's end": packed(5, "BCDF", "0f" * 31 + "f\n", 0),
}

BAD_JSON: dict[str, str] = {
    "nothing": "",
    "noise": "}{",
    "an object": "{}",
    "a word": '"hello"',
    "true for a tag": "[true,1]",
    "a float for a tag": "[1.0,1]",
    "an unknown tag": "[-7]",
    "a long tag": "[" + "9" * 4_000 + "]",
    "a float": "[15,1.0]",
    "not a number": "[15,NaN]",
    "infinity": "[15,Infinity]",
    "infinity by another name": "[15,1e999]",
    "a lone surrogate": '[3,"BCDF","\\ud800"]',
    "deep arrays": "[" * 4_000,
    "deep arrays closed": "[" * 2_000 + "]" * 2_000,
    "a byte order mark": "\ufeff[1,1]",
    "two messages": "[1,1][1,1]",
    "a comment": "[1,1]//",
    "a field too many": '[4,"BCDF","",1]',
}


async def test_what_is_no_message_closes(caplog: pytest.LogCaptureFixture) -> None:
    """Whatever no client sends closes with 4000 and a sentence, and is not worth a log line."""
    frames: list[tuple[Encoding, str, bytes | str]] = [
        *((Encoding.MSGPACK, name, frame) for name, frame in BAD_MSGPACK.items()),
        *((Encoding.JSON, name, frame) for name, frame in BAD_JSON.items()),
    ]
    understood = []
    async with serving() as served:
        for encoding, name, frame in frames:
            async with Peer.connect(served.url, encoding) as peer:
                await peer.greet()
                await peer.send(frame)
                code, reason = await peer.closed()
                if code != BAD or not reason.startswith("Not understood: "):
                    understood.append((encoding, name, code, reason))
    assert understood == []
    assert caplog.records == []


async def test_what_was_sent_is_not_repeated() -> None:
    """The sentence says which field will not do, and nothing of what was in it."""
    async with serving() as served, Peer.connect(served.url) as peer:
        await peer.greet()
        await peer.send(packed(5, "BCDF", "secret" * 10, 0))
        assert Closing(BAD, "Not understood: Resume: invalid value for token") == await peer.closed()


@for_each(
    ("encoding", "frame"),
    [(Encoding.MSGPACK, "[1,1]"), (Encoding.JSON, packed(1, 1))],
    ids=["text for msgpack", "binary for json"],
)
async def test_each_encoding_has_its_kind_of_frame(encoding: Encoding, frame: bytes | str) -> None:
    """The other kind of frame is not guessed at."""
    async with serving() as served, Peer.connect(served.url, encoding) as peer:
        await peer.send(frame)
        text = "Not understood: text frames are for JSON, binary frames for msgpack"
        assert Closing(BAD, text) == await peer.closed()


async def test_text_must_be_utf8() -> None:
    """A text frame of other bytes closes with a sentence."""
    async with serving() as served, Peer.connect(served.url, Encoding.JSON) as peer:
        peer.write(Frame(Opcode.TEXT, b'[3,"BCDF","\xff"]'))
        assert Closing(BAD, "Not understood: text that is not UTF-8") == await peer.closed()


@for_each("size", [MAX_CLIENT_FRAME + 1, 70_000])
async def test_long_frames_close(size: int) -> None:
    """More than 4096 bytes are not read."""
    async with serving() as served, Peer.connect(served.url) as peer:
        await peer.greet()
        await peer.send(b"\xc0" * size)
        assert (await peer.closed()).code == TOO_LONG


async def test_the_longest_frame_is_read() -> None:
    """4096 bytes are judged by what they say."""
    async with serving() as served, Peer.connect(served.url, Encoding.JSON) as peer:
        await peer.greet()
        await peer.send("[15,6]".ljust(MAX_CLIENT_FRAME))
        assert Pong(stamp=6) == await peer.hear()


async def test_a_promised_giant_is_not_waited_for() -> None:
    """A header that announces 2^62 bytes closes at once."""
    async with serving() as served, Peer.connect(served.url) as peer:
        peer.socket.transport.write(b"\x82\xff" + (2**62).to_bytes(8, "big") + bytes(4))
        assert (await peer.closed()).code == TOO_LONG


async def test_broken_websockets_close(caplog: pytest.LogCaptureFixture) -> None:
    """What breaks RFC 6455 closes with its 1002, and leaves no traceback."""
    broken = {
        "unmasked": b"\x82\x02\x92\x01",
        "unknown opcode": b"\x83\x80\x00\x00\x00\x00",
        "reserved bit": b"\xc2\x80\x00\x00\x00\x00",
        "a continuation of nothing": b"\x80\x80\x00\x00\x00\x00",
        "a ping in fragments": b"\x09\x80\x00\x00\x00\x00",
    }
    async with serving() as served:
        for name, data in broken.items():
            async with Peer.connect(served.url) as peer:
                peer.socket.transport.write(data)
                assert (await peer.closed()).code == 1002, name
    assert logged_warnings(caplog) == []


# Fragments.


@for_each("encoding", Encoding)
async def test_a_message_may_come_in_fragments(encoding: Encoding) -> None:
    """A message in three frames, one of them empty, is one message."""
    async with serving() as served, Peer.hosting(served.url, encoding) as ann:
        command = ann.next(cl.AddBot, level="hard")
        ann.write(*fragments(ann.frame_of(command), 2, 2))
        await ann.follow(ann.view.seq + 1)
        assert ann.view.seats[1].bot == "hard"


async def test_fragments_keep_their_place_in_the_row() -> None:
    """A message in fragments is taken before the one that follows it, in one packet with it."""
    async with serving() as served, Peer.hosting(served.url) as ann, Peer.connect(served.url) as ben:
        hello = ben.frame_of(cl.Hello(version=VERSION))
        join = ben.frame_of(cl.Join(code=ann.code, name="Ben"))
        ben.write(*fragments(hello, 1, 2), join)
        assert [Versions, Seated] == [type(await ben.hear()) for _ in range(2)]


async def test_a_ping_may_come_between_fragments() -> None:
    """Control frames in the middle of a message are answered, and the message is whole."""
    async with serving() as served, Peer.connect(served.url) as peer:
        await peer.greet()
        first, second = fragments(peer.frame_of(cl.Ping(stamp=8)), 1)
        waiter = await peer.socket.ping("now")
        peer.write(first, Frame(Opcode.PING, b"here"), second)
        assert Pong(stamp=8) == await peer.hear()
        await waiter


async def test_fragments_together_have_the_same_limit() -> None:
    """Small frames do not add up to a long message."""
    async with serving() as served, Peer.connect(served.url) as peer:
        await peer.greet()
        peer.write(*fragments(Frame(Opcode.BINARY, bytes(MAX_CLIENT_FRAME + 1)), *range(500, 4_000, 500)))
        assert (await peer.closed()).code == TOO_LONG


async def test_fragments_of_bad_text_close() -> None:
    """Bad UTF-8 that is put together from fragments closes like any other."""
    async with serving() as served, Peer.connect(served.url, Encoding.JSON) as peer:
        await peer.greet()
        peer.write(*fragments(Frame(Opcode.TEXT, b'[3,"\xff","x"]'), 4))
        assert Closing(BAD, "Not understood: text that is not UTF-8") == await peer.closed()


async def test_a_letter_may_be_cut_in_two() -> None:
    """A fragment may end within a letter."""
    async with (
        serving() as served,
        Peer.hosting(served.url) as ann,
        Peer.connect(served.url, Encoding.JSON) as ben,
    ):
        await ben.greet()
        frame = ben.frame_of(cl.Join(code=ann.code, name="Zoë"))
        ben.write(*fragments(frame, bytes(frame.data).index(b"\xc3") + 1))
        await ann.follow(ann.view.seq + 1)
        assert ann.view.seats[1].name == "Zoë"


async def test_endless_fragments_are_a_flood() -> None:
    """Empty fragments without end close the connection, and are not kept."""
    async with serving() as served, Peer.connect(served.url) as peer:
        await peer.greet()
        empty = Frame(Opcode.CONT, b"", fin=False)
        peer.write(Frame(Opcode.BINARY, b"\x92", fin=False), *[empty] * 20_000)
        assert (await peer.closed()).code == CloseCode.FLOOD


# Too much.


async def test_far_too_many_frames_close() -> None:
    """Beyond 600 frames at once a connection is closed."""
    async with serving_with(None, Standing()) as served, Peer.connect(served.url) as peer:
        await peer.greet()
        peer.burst([cl.Ping(stamp=number) for number in range(1_000)])
        assert Closing(CloseCode.FLOOD, "Too many frames a second.") == await peer.closed()


async def test_pings_are_frames() -> None:
    """A flood of the WebSocket's own pings is a flood."""
    async with serving_with(None, Standing()) as served, Peer.connect(served.url) as peer:
        await peer.greet()
        peer.write(*[Frame(Opcode.PING, b"")] * 1_000)
        assert (await peer.closed()).code == CloseCode.FLOOD


async def test_commands_beyond_the_limit_are_refused() -> None:
    """Who sends more commands than the server takes is told so for each, and goes on later."""
    async with (
        serving(commands_per_second=1e-6, command_burst=3) as served,
        Peer.hosting(served.url) as ann,
    ):
        ann.burst([ann.next(cl.Ready, ready=bool(number % 2)) for number in range(5)])
        refusals = [await ann.until(Refused) for _ in range(2)]
        assert [(r.reason, r.counter) for r in refusals] == [(Reason.TOO_FAST, 4), (Reason.TOO_FAST, 5)]


async def test_what_was_too_fast_was_not_judged() -> None:
    """The counter of a command that was too fast can be used again."""
    async with (
        serving(commands_per_second=1e-6, command_burst=1) as served,
        Peer.hosting(served.url) as ann,
    ):
        await ann.ask(cl.AddBot)
        refused = await ann.ask(cl.AddBot)
        assert isinstance(refused, Refused)
        async with Peer.entered(served.url, cl.Resume(code=ann.code, token=ann.token)) as again:
            assert again.place.counter == 1
            await again.ask(cl.AddBot)
            assert len(again.view.seats) == 3


# Everybody else.


async def test_noise_disturbs_nobody_at_the_table(caplog: pytest.LogCaptureFixture) -> None:
    """While spectators of a table send nothing but noise, its host plays on and loses no event."""
    async with serving(max_tables=1) as served, Peer.hosting(served.url) as ann:
        codes = []
        for frame in list(BAD_MSGPACK.values())[::4]:
            async with Peer.entered(served.url, cl.Watch(code=ann.code)) as noisy:
                await noisy.send(frame)
                await ann.ask(cl.Ready, ready=ann.counter % 2 == 0)
                codes.append((await noisy.closed()).code)
        assert {BAD} == set(codes)
        assert ann.view.seq == served.registry.room(ann.code).table.view.seq
    assert caplog.records == []


@pytest.mark.long
async def test_bad_frames_leave_nothing_in_memory() -> None:
    """Thousands of bad frames of every kind, each on its connection, and the memory is as before."""
    rng = random.Random(1)
    frames = [*BAD_MSGPACK.values(), b"\xc0" * 5_000]

    async def wave(url: str, number: int) -> None:
        for _ in range(number):
            async with Peer.connect(url) as peer:
                await peer.greet()
                noise = [Frame(Opcode.BINARY, rng.choice(frames)) for _ in range(20)]
                peer.write(*noise)
                assert (await peer.closed()).code in {BAD, TOO_LONG}

    async with serving() as served:
        await wave(served.url, 20)
        gc.collect()
        tracemalloc.start()
        try:
            await wave(served.url, 100)
            gc.collect()
            grown, _ = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert grown < MiB


async def test_bad_resumes_in_json_tell_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """A token that fails is in no answer and in no log, however it fails."""
    secret = "5ec2e7" * 10
    async with serving() as served, Peer.hosting(served.url, Encoding.JSON) as ann:
        for token in (secret, secret + "0000", secret + "zzzz"):
            async with Peer.connect(served.url, Encoding.JSON) as peer:
                await peer.greet()
                await peer.send(json.dumps([5, ann.code, token, 0]))
                if len(token) == 64 and token.isalnum() and "z" not in token:
                    assert "5ec2e7" not in str(await peer.frame())
                else:
                    assert "5ec2e7" not in (await peer.closed()).reason
    assert "5ec2e7" not in caplog.text
