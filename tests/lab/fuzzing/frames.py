"""Frames made a little wrong, and what decoding them must come to.

In the tests the check meets seeded mutants of good frames; in :mod:`.guided` whatever atheris thinks of.
"""

import random
from collections.abc import Callable, Iterator
from typing import Any, Final

import msgpack

from racing_demon_protocol.errors import InvalidFrame
from racing_demon_protocol.wire.codec import Encoding, decode_client, decode_server, encode
from racing_demon_protocol.wire.messages import FROM_CLIENT, Message
from racing_demon_protocol.wire.messages import client as cl
from racing_demon_protocol.wire.options import Options

SEEDS: Final[tuple[Message, ...]] = (
    cl.Hello(version=1, software="my-client 0.1"),
    cl.Create(name="Ann", options=Options(hands=3, game="classic")),
    cl.Join(code="BCDF", name="Bob"),
    cl.Watch(code="BCDF"),
    cl.Resume(code="BCDF", token="0f" * 32, seq=1733),
    cl.PlayCards(counter=41, source=20, count=1, destination=-1, seen=1733),
    cl.Ready(counter=1),
    cl.AddBot(counter=3, level="hard"),
    cl.SetOptions(counter=5, options=Options(hands=7)),
    cl.Say(counter=6, text="Hello, wörld!"),
    cl.Ping(stamp=7),
)
ODD: Final[tuple[Any, ...]] = (
    *(None, True, False, -1, 0, 1, 2**31, 2**63, -(2**63), 1.5, float("nan"), float("-inf")),
    *("", "\x00", "[/]", "\x1b[2J", "x" * 1_025, b"", b"\xff", [], [[]], {}, {"a": 1}, {1: 1}),
    *(msgpack.ExtType(5, b""), msgpack.Timestamp(1, 1)),
)
BYTES: Final = bytes.fromhex("00 7f 80 8f 90 9f a0 bf c0 c1 c4 c7 c9 ca cb cf d3 d4 d8 db dc dd de df e0 ff")


def mutant(rng: random.Random, encoding: Encoding) -> bytes:
    """Return the bytes of a frame that a client might have sent, had it not been changed."""
    message = rng.choice(SEEDS)
    if rng.random() < 0.5:
        row = [rng.choice([message.TAG, rng.choice([*FROM_CLIENT]), 80]), *message.model_dump()]
        row[rng.randrange(len(row))] = rng.choice(ODD)
        if rng.random() < 0.2:
            del row[rng.randrange(len(row)) :]
        if encoding is Encoding.MSGPACK:
            return bytes(msgpack.packb(row))
    encoded = encode(message, encoding)
    frame = bytearray(encoded.encode() if isinstance(encoded, str) else encoded)
    for _ in range(rng.choice([0, 1, 1, 2, 5])):
        _change(frame, rng)
    return bytes(frame[:5_000])


def _change(frame: bytearray, rng: random.Random) -> None:
    place = rng.randrange(len(frame) + 1)
    match rng.randrange(5):
        case 0:
            frame[place : place + rng.randrange(4)] = rng.randbytes(rng.randrange(4))
        case 1:
            frame[place : place + 1] = bytes([rng.choice(BYTES)])
        case 2:
            del frame[place:]
        case 3:
            frame[place:place] = frame[rng.randrange(len(frame) + 1) :] * rng.choice([1, 1, 40])
        case 4 if place < len(frame):
            frame[place] ^= 1 << rng.randrange(8)


def check_frame(frame: bytes) -> bool:
    """Decode a frame in every way there is; tell whether a client's message is in it.

    Whatever is in it, nothing but :exc:`InvalidFrame` is raised, and a message comes out as it went in.
    """
    text = frame.decode(errors="surrogateescape")
    found = check_decoding(decode_client, frame) | check_decoding(decode_client, text)
    check_decoding(decode_server, frame)
    check_decoding(decode_server, text)
    return found


def check_decoding(decode: Callable[[bytes | str], Message], frame: bytes | str) -> bool:
    """Decode a frame in one way; tell whether there is a message in it, which must come out as it went in."""
    try:
        message = decode(frame)
    except InvalidFrame:
        return False
    for encoding in Encoding:
        again = decode(encode(message, encoding))
        assert message == again, f"{message!r} became {again!r}"
    return True


def neighbors(rng: random.Random, frame: bytes, count: int) -> Iterator[bytes]:
    """Yield so many frames that differ from one in a single byte."""
    for place, byte in zip(rng.choices(range(len(frame)), k=count), rng.randbytes(count), strict=True):
        yield frame[:place] + bytes((byte,)) + frame[place + 1 :]
