"""What hostile clients do over raw sockets, one function an attack. Each gives all that the server takes."""

import contextlib
import json
import os
import random
import socket
import struct
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final, NamedTuple

import msgpack
from websockets.frames import Frame, Opcode

from tests.support.effort import LONG
from tests.support.raw_websocket import frames_of, request

PATIENCE: Final = 20.0
ATTACK_SECONDS: Final = float(os.environ.get("RACING_DEMON_ATTACK_SECONDS", "2" if LONG else "0.5"))
"""So long an attack goes on that is none of bytes, but of work."""
DELAY_SECONDS: Final = 2 * ATTACK_SECONDS
FAR: Final = "X-Forwarded-For: 203.0.113.9"


class Target(NamedTuple):
    """A server to attack: its port, and the code of a table there where cards move all the time."""

    port: int
    code: str


def connect(target: Target) -> socket.socket:
    """Open a TCP connection."""
    return socket.create_connection(("127.0.0.1", target.port), timeout=PATIENCE)


@contextmanager
def shaken_hands(target: Target, encoding: str = "msgpack", *headers: str) -> Iterator[socket.socket]:
    """Open a WebSocket, and say nothing on it."""
    with connect(target) as line:
        line.sendall(request("/v1", encoding, *headers))
        answer = b""
        while b"\r\n\r\n" not in answer:
            more = line.recv(65_536)
            if not more:
                break
            answer += more
        yield line


def pour(line: socket.socket, data: bytes) -> None:
    """Send as much as the server takes, and read what it says until it hangs up, or is silent."""
    with contextlib.suppress(OSError):
        line.sendall(data)
    line.settimeout(0.3)
    with contextlib.suppress(OSError):
        while line.recv(65_536):
            pass


def packed(*row: object) -> bytes:
    """Return a row as msgpack."""
    return bytes(msgpack.packb(row))


HELLO: Final = frames_of(packed(1, 1))
LONG_HEADERS: Final = [f"X-{number}: {'a' * 1_000}" for number in range(15)]


def stages(code: str) -> dict[str, bytes]:
    """Return what connections may have sent when they end early: each stage of one, with all that it takes.

    Those whose name has a question mark read the answer first.
    """
    asked = request("/v1", "msgpack", *LONG_HEADERS)
    greeted = asked + HELLO
    return {
        "nothing": b"",
        "request line": b"GET /v1 HT",
        "headers": asked[:-2],
        "headers without an end": request("/v1", "msgpack", *[f"X: {'a' * 2_000}"] * 124)[:-2],
        "page": request("/nothing/here", "msgpack", *LONG_HEADERS),
        "page?": request("/nothing/here", "msgpack", *LONG_HEADERS),
        "handshake?": asked,
        "hello?": greeted,
        "half a frame?": greeted + frames_of(bytes(4_000))[:-1],
        "half a message?": greeted + Frame(Opcode.BINARY, bytes(4_000), fin=False).serialize(mask=True),
        "watching?": greeted + frames_of(packed(4, code)),
    }


def end_early(target: Target, stage: str, number: int) -> None:
    """Connect so often, a hundred at once, and hang up in a stage: every second connection is reset."""
    data, answered = stages(target.code)[stage], stage.endswith("?")
    for begin in range(0, number, 100):
        lines = [connect(target) for _ in range(min(100, number - begin))]
        for line in lines:
            line.setblocking(False)
            with contextlib.suppress(OSError):
                line.send(data)
            line.settimeout(PATIENCE)
        for line in lines:
            with contextlib.suppress(OSError):
                if answered:
                    line.recv(1)
        if not answered:  # nothing tells when the server has read it
            time.sleep(0.05)
        for line in lines[::2]:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        for line in lines:
            line.close()
    with connect(target) as line:  # which is answered when all of them are gone
        pour_one(line, b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")


# The attacks.


def message_flood(target: Target) -> None:
    """Send fifty thousand good messages, as fast as the line takes them."""
    with shaken_hands(target) as line:
        pour(line, HELLO + frames_of(packed(15, 1)) * 50_000)


def command_flood(target: Target) -> None:
    """Watch, and send ten thousand commands."""
    with shaken_hands(target) as line:
        pour(line, HELLO + frames_of(packed(4, target.code)) + frames_of(packed(7, 1)) * 10_000)


def ping_flood(target: Target) -> None:
    """Send a hundred thousand pings of the WebSocket's own."""
    with shaken_hands(target) as line:
        pour(line, frames_of(b"", opcode=Opcode.PING) * 100_000)


def full_ping_flood(target: Target) -> None:
    """Send ten thousand pings with all that they can carry, and read no answer."""
    with shaken_hands(target) as line, contextlib.suppress(OSError):
        line.sendall(frames_of(bytes(125), opcode=Opcode.PING) * 10_000)


def empty_fragments(target: Target) -> None:
    """Begin a message, and go on with eight hundred thousand frames with nothing in them."""
    start = Frame(Opcode.BINARY, b"\x92", fin=False).serialize(mask=True)
    more = Frame(Opcode.CONT, b"", fin=False).serialize(mask=True)
    with shaken_hands(target) as line:
        pour(line, start + more * 800_000)


def long_fragments(target: Target) -> None:
    """Begin a message, and never end it, in pieces that are each short enough."""
    start = Frame(Opcode.BINARY, bytes(2_000), fin=False).serialize(mask=True)
    more = Frame(Opcode.CONT, bytes(2_000), fin=False).serialize(mask=True)
    with shaken_hands(target) as line:
        pour(line, start + more * 5_000)


def giant_header(target: Target) -> None:
    """Promise frames of 2^62 bytes, and send many of them."""
    for _ in range(20):
        with shaken_hands(target) as line:
            pour_one(line, b"\x82\xff" + (2**62).to_bytes(8, "big") + bytes(4) + bytes(2**20))


def deflated(target: Target) -> None:
    """Send a frame that says it is compressed, which was not agreed."""
    with shaken_hands(target, "msgpack", "Sec-WebSocket-Extensions: permessage-deflate") as line:
        pour(line, b"\xc2\xfe\x0f\xff" + bytes(4) + bytes(4_095))


def msgpack_bombs(target: Target) -> None:
    """Send 4 KiB that would be thirty megabytes if they were believed."""
    bombs = [
        b"\xdc\x0f\xff" * 1_365,
        b"\x91" * 4_096,
        b"\x81\xa1a" * 1_365,
        b"\xdd\xff\xff\xff\xff" * 819,
        b"\xdf\xff\xff\xff\xff" * 819,
        b"\xc6\xff\xff\xff\xff" + bytes(4_000),
        b"\xc9\xff\xff\xff\xff\x05" + bytes(4_000),
        (b"\xdc\x00\x40" + b"\xc0" * 63) * 61,
        b"\x93\x02\xa1a\xde\x00\x20" + b"\x80" * 4_000,
    ]
    for bomb in bombs * 5:
        with shaken_hands(target) as line:
            pour_one(line, HELLO + frames_of(bomb))


def json_bombs(target: Target) -> None:
    """Send the same as JSON."""
    bombs = [
        b"[" * 4_096,
        b'{"a":' * 819,
        b"[" + b"9" * 4_094,
        b'["' + b"\\ud800" * 680 + b'"]',
        b"-" * 4_000,
    ]
    for bomb in bombs * 5:
        with shaken_hands(target, "json") as line:
            pour_one(line, frames_of(b"[1,1]", bomb, opcode=Opcode.TEXT))


def wrong_types(target: Target) -> None:
    """Send floats, infinity, dates, extensions, bytes and booleans where numbers are wanted."""
    ext = msgpack.ExtType
    words = [
        1.5,
        float("nan"),
        float("inf"),
        ext(5, b"x"),
        msgpack.Timestamp(1, 1),
        b"x",
        True,
        None,
        2**63,
        {"a": 1},
    ]
    for word in words:
        with shaken_hands(target) as line:
            pour_one(line, HELLO + frames_of(packed(15, word)))


def bad_utf8(target: Target) -> None:
    """Send text that is no UTF-8."""
    for text in (b'[3,"\xff"]', b'[3,"\xed\xa0\x80"]', b"\xc0\xaf", b'[3,"\xf4\x90\x80\x80"]'):
        with shaken_hands(target, "json") as line:
            pour_one(line, frames_of(b"[1,1]", text, opcode=Opcode.TEXT))


def pour_one(line: socket.socket, data: bytes) -> None:
    """Send something, and read until the server hangs up."""
    with contextlib.suppress(OSError):
        line.sendall(data)
        line.shutdown(socket.SHUT_WR)
        while line.recv(65_536):
            pass


def slow_handshakes(target: Target) -> None:
    """Connect seven hundred times, and spell each request letter by letter."""
    lines = []
    try:
        for _ in range(700):
            line = connect(target)
            line.sendall(b"GET /v1 HT")
            lines.append(line)
        for letter in b"TP/":
            for line in lines:
                with contextlib.suppress(OSError):
                    line.sendall(bytes([letter]))
            time.sleep(0.02)
    finally:
        for line in lines:
            line.close()


def long_headers(target: Target) -> None:
    """Ask with more, and longer, headers than anybody has."""
    for header in (b"X: " + b"a" * 100_000 + b"\r\n", b"X-Header: 1\r\n" * 10_000, b"a" * 1_000_000):
        for _ in range(10):
            with connect(target) as line:
                pour_one(line, b"GET /v1 HTTP/1.1\r\nHost: x\r\n" + header)


def page_flood(target: Target) -> None:
    """Ask three hundred times for the pages that cost most."""
    for number in range(300):
        path = b"/metrics" if number % 2 else b"/healthz"
        with connect(target) as line:
            pour_one(line, b"GET " + path + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")


def connection_flood(target: Target) -> None:
    """Connect five hundred times from one address, and keep all of them open."""
    with contextlib.ExitStack() as stack:
        for _ in range(500):
            stack.enter_context(shaken_hands(target, "msgpack", FAR))


def silent_guests(target: Target) -> None:
    """Come in two hundred times, and never say who one is."""
    with contextlib.ExitStack() as stack:
        for _ in range(200):
            stack.enter_context(shaken_hands(target))
        time.sleep(0.5)


def non_readers(target: Target) -> None:
    """Watch on fifty connections, and never read a word."""
    with contextlib.ExitStack() as stack:
        for _ in range(50):
            line = stack.enter_context(connect(target))
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            line.sendall(request("/v1", "json"))
            line.sendall(frames_of(b"[1,1]", json.dumps([4, target.code]).encode(), opcode=Opcode.TEXT))
        time.sleep(1.5)


def table_flood(target: Target) -> None:
    """Open tables from one address, on many connections and on one."""
    for _ in range(30):
        with shaken_hands(target, "msgpack", FAR) as line:
            line.sendall(HELLO + frames_of(packed(2, "Eve", {"seats": 1000})))
            pour_one(line, frames_of(packed(2, "Eve")) + frames_of(b"", opcode=Opcode.CLOSE))
    with shaken_hands(target, "msgpack", FAR) as line:
        pour(line, HELLO + frames_of(packed(2, "[/]\x1b[2J")) * 500)


def token_guesses(target: Target) -> None:
    """Guess five thousand times at a seat, on ten connections."""
    rng = random.Random(1)
    for _ in range(10):
        guesses = [packed(5, target.code, rng.randbytes(32).hex(), 0) for _ in range(500)]
        with shaken_hands(target) as line:
            pour(line, HELLO + frames_of(*guesses))


def from_address(number: int) -> str:
    """Return the header by which a proxy on this machine says for whom it asks."""
    return f"X-Forwarded-For: 198.51.100.{number}"


def in_step(
    lines: list[socket.socket], a_second: int, seconds: float, frames: Callable[[int], bytes]
) -> None:
    """Send frames on all lines so often a second, and read what is answered."""
    for line in lines:
        line.setblocking(False)
    begun = time.monotonic()
    for step in range(round(a_second * seconds)):
        time.sleep(max(0.0, begun + step / a_second - time.monotonic()))
        data = frames(step)
        for line in lines:
            with contextlib.suppress(OSError):
                line.sendall(data)
            with contextlib.suppress(OSError):
                while line.recv(65_536):
                    pass


def option_changes(target: Target) -> None:
    """Change the options of three tables thirty times a second, to some that were not seen before."""
    with contextlib.ExitStack() as stack:
        lines = [stack.enter_context(shaken_hands(target, "msgpack", from_address(1))) for _ in range(3)]
        for line in lines:
            line.sendall(HELLO + frames_of(packed(2, "Eve")))
        in_step(lines, 30, ATTACK_SECONDS, lambda step: options_changed(step, {"redeals": step % 100}))


def options_changed(step: int, options: Mapping[str, object]) -> bytes:
    """Return a frame that changes a table's options."""
    row = {"game": "blockade", "out_bonus": step // 100, **options}
    return frames_of(packed(12, step + 1, row))


def many_pingers(target: Target) -> None:
    """Watch on sixty connections of one address, and send 280 pings a second on each."""
    pings = frames_of(packed(15, 1)) * 4
    with contextlib.ExitStack() as stack:
        lines = [stack.enter_context(shaken_hands(target, "msgpack", from_address(2))) for _ in range(60)]
        for line in lines:
            line.sendall(HELLO + frames_of(packed(4, target.code)))
        in_step(lines, 70, ATTACK_SECONDS, lambda _step: pings)


def deals_without_end(target: Target) -> None:
    """Deal hands of one card game after the other at ten tables, and give each up at once."""
    quick = {"game": "blockade", "hands": 1, "countdown_ms": 0, "tally_ms": 0, "pause_after_ms": None}
    with contextlib.ExitStack() as stack:
        lines = [stack.enter_context(shaken_hands(target, "msgpack", from_address(3))) for _ in range(10)]
        for line in lines:
            line.sendall(HELLO + frames_of(packed(2, "Eve", quick)))
        in_step(
            lines,
            15,
            ATTACK_SECONDS,
            lambda step: frames_of(packed(9, 2 * step + 1), packed(7, 2 * step + 2)),
        )


def handshake_flood(target: Target) -> None:
    """Shake hands again and again from one address, one connection after the other."""
    begun = time.monotonic()
    while time.monotonic() < begun + ATTACK_SECONDS:
        with shaken_hands(target, "msgpack", from_address(4)):
            pass


def code_guesses(target: Target) -> None:
    """Try fifteen thousand codes from one address, on fifty connections."""
    rng = random.Random(2)
    for _ in range(50):
        codes = ["".join(rng.choices("BCDFGHJKLMNPQRSTVWXZ", k=4)) for _ in range(300)]
        with shaken_hands(target, "msgpack", from_address(5)) as line:
            pour(line, HELLO + frames_of(*(packed(4, code) for code in codes)))


def delayed_options(target: Target) -> None:
    """Change the options of twelve tables whose spectators see everything a minute later."""
    delayed = {"watch_delay_ms": 60_000}
    with contextlib.ExitStack() as stack:
        lines = [stack.enter_context(shaken_hands(target, "msgpack", from_address(6))) for _ in range(12)]
        for line in lines:
            line.sendall(HELLO + frames_of(packed(2, "Eve", delayed)))
        in_step(lines, 30, DELAY_SECONDS, lambda step: options_changed(step, delayed))


def player_guesses(target: Target) -> None:
    """Be ten new players, and prove to be another five hundred times each, at tables of their own."""
    rng = random.Random(2)
    for number in range(10):
        with shaken_hands(target, "msgpack", from_address(20 + number)) as line:
            becoming = [packed(1, 1, "x players proves"), packed(40, "Eve", rng.randbytes(32).hex(), "")]
            guesses = [packed(41, "abcdefgh", 1, rng.randbytes(32).hex()) for _ in range(500)]
            line.sendall(frames_of(*becoming, packed(2, "Eve")))
            pour(line, b"")
            pour(line, frames_of(*guesses))


def player_proofs(target: Target) -> None:
    """Come back two hundred times as a player whom the server does not know, on new connections."""
    rng = random.Random(3)
    for number in range(200):
        with shaken_hands(target, "msgpack", from_address(40 + number % 100)) as line:
            guess = packed(41, "abcdefgh", number, rng.randbytes(32).hex())
            with contextlib.suppress(OSError):
                line.sendall(frames_of(packed(1, 1, "x players proves"), guess))
                line.recv(65_536)


ATTACKS: Final[tuple[Callable[[Target], None], ...]] = (
    message_flood,
    command_flood,
    ping_flood,
    full_ping_flood,
    empty_fragments,
    long_fragments,
    giant_header,
    deflated,
    msgpack_bombs,
    json_bombs,
    wrong_types,
    bad_utf8,
    slow_handshakes,
    long_headers,
    page_flood,
    connection_flood,
    silent_guests,
    non_readers,
    table_flood,
    token_guesses,
    option_changes,
    many_pingers,
    deals_without_end,
    handshake_flood,
    code_guesses,
    delayed_options,
    player_guesses,
    player_proofs,
)
"""All of them."""
