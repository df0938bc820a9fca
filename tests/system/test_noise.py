"""A server process under fire, while a match is going on."""

import asyncio
import random
import sys
from contextlib import suppress
from pathlib import Path

import msgpack
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from racing_demon_client.net.client import Client
from racing_demon_client.net.local_server import local_server
from racing_demon_protocol.engine.board import Play
from racing_demon_protocol.enums import Phase, Reason
from racing_demon_protocol.wire.codec import Encoding
from racing_demon_protocol.wire.messages.client import AddBot, Start, Stuck
from racing_demon_protocol.wire.messages.events import Played
from racing_demon_protocol.wire.messages.server import Refused
from racing_demon_protocol.wire.options import Options
from tests.support.effort import amount
from tests.support.ports import port_of
from tests.support.servers import deadline

ATTACKERS = amount(60, 300)
FRAMES = 20
MAX_GROWTH_KIB = 16 * 1024


def hostile_frames(rng: random.Random, code: str) -> list[bytes]:
    """Return frames of every bad kind: noise, wrong types, bombs, messages out of turn."""
    anything: list[object] = [
        None,
        True,
        -1,
        2**63,
        1.5,
        float("nan"),
        "x" * 300,
        b"bin",
        [[[]]],
        {"a": 1},
        code,
    ]
    frames = [rng.randbytes(rng.randrange(200)) for _ in range(FRAMES)]
    for _ in range(FRAMES):
        row = [rng.choice([*range(17), 80, 2**40]), *rng.choices(anything, k=rng.randrange(8))]
        frames.append(msgpack.packb(row))
    frames += [b"\xdd\xff\xff\xff\xff", b"\x91" * 4_000, b"\xdc\x0f\xff" + b"\xc0" * 4_000]
    frames += [msgpack.packb([1, 1, "fine"]), msgpack.packb([3, "ZZZZ", "Nobody"]), msgpack.packb([4, code])]
    rng.shuffle(frames)
    return frames


async def attack(url: str, code: str, seed: int) -> int:
    """Send hostile frames until the server has had enough; return the close code."""
    rng = random.Random(seed)
    encoding = rng.choice(list(Encoding))
    async with connect(url, subprotocols=[Subprotocol(encoding)], compression=None) as socket:
        try:
            if rng.random() < 0.5:
                await socket.send(msgpack.packb([1, 1]) if encoding is Encoding.MSGPACK else "[1,1]")
            for frame in hostile_frames(rng, code):
                await socket.send(frame, text=rng.random() < 0.3)
            async with deadline(lambda: f"still open, seed {seed}"):
                while True:
                    await socket.recv()
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd is not None else 1006


def resident_kib(port: int) -> int:
    """Return the resident memory of the server process that was started with a port's pipe."""
    for status in Path("/proc").glob("[0-9]*/status"):
        with suppress(OSError):  # other tests' programs end meanwhile
            command = (status.parent / "cmdline").read_bytes()
            if b"racing_demon_server" in command and _listens(status.parent, port):
                lines = dict(line.split(":", 1) for line in status.read_text().splitlines())
                return int(lines["VmRSS"].split()[0])
    raise LookupError(f"no server listens on {port}")


def _listens(process: Path, port: int) -> bool:
    inodes = {link.readlink().name for link in (process / "fd").iterdir() if link.is_symlink()}
    table = (process / "net" / "tcp").read_text().splitlines()[1:]
    rows = [line.split() for line in table]
    return any(
        row[1].endswith(f":{port:04X}") and row[3] == "0A" and f"socket:[{row[9]}]" in inodes for row in rows
    )


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
async def test_noise_stops_nobody_and_leaves_nothing_behind() -> None:
    """Hostile connections are closed one by one; the match goes on, and memory stays flat."""
    options = Options(hands=100, countdown_ms=0, tally_ms=0)
    async with (
        local_server(bot_speed=30) as url,
        await Client.create(url, "Ann", options, seated=False) as me,
    ):
        for _ in range(4):
            await me.ask(AddBot(counter=me.next_counter()))
        await me.ask(Start(counter=me.next_counter()))
        port = port_of(url)
        codes = set()
        sizes = []
        for wave in range(3):
            attacks = (attack(url, me.code, ATTACKERS * wave + number) for number in range(ATTACKERS))
            codes |= set(await asyncio.gather(*attacks))
            sizes.append(resident_kib(port))
        before = me.view.seq
        async for message in me:
            if isinstance(message, Played) and message.seq > before + 500:
                break

        assert codes <= {4000, 1007, 1009}
        assert sizes[-1] - sizes[0] < MAX_GROWTH_KIB


@pytest.mark.long
async def test_plays_out_of_their_time_are_refused() -> None:
    """Plays before the signal, with others' piles, and after the end: each has its own refusal."""
    options = Options(hands=2, countdown_ms=5_000, tally_ms=600_000)
    async with (
        local_server(bot_speed=1_000, seed=bytes(32)) as url,
        await Client.create(url, "Ann", options) as ann,
        await Client.join(url, ann.code, "Bob") as bob,
    ):
        await ann.send(AddBot(counter=ann.next_counter()))
        await ann.ask(Start(counter=ann.next_counter()))
        refusals = []
        await _until(ann, Phase.COUNTDOWN)
        assert ann.view.hand is not None
        stock, waste = ann.view.hand.rules.layout.stock[0], ann.view.hand.rules.layout.waste[0]
        turn = Play(stock, 3, waste)
        refusals.append(await _refusal(ann, await ann.play(turn)))
        await _until(ann, Phase.PLAYING)
        wrong = Play(ann.view.hand.rules.layout.waste[1], 1, 0), Play(250, 1, -1), Play(0, 1, stock)
        counters = [await ann.play(play) for play in (*wrong, turn)]
        refusals += [await _refusal(ann, counter) for counter in counters[:3]]
        await bob.leave()
        async for _ in ann:
            if ann.view.phase is Phase.TALLY:
                break
            if not ann.waiting and not ann.view.seats[0].stuck:  # the bot may still find something
                await ann.send(Stuck(counter=ann.next_counter()))
        refusals.append(Reason.TOO_FAST)  # "stuck" may have used up the commands of a second
        while refusals[-1] is Reason.TOO_FAST:
            refusals[-1] = await _refusal(ann, await ann.play(turn))

        assert refusals == [
            Reason.NOT_STARTED,
            Reason.NOT_YOUR_PILE,
            Reason.UNKNOWN_PILE,
            Reason.ILLEGAL,
            Reason.HAND_OVER,
        ]


async def _until(client: Client, phase: Phase) -> None:
    async for _ in client:
        if client.view.phase is phase:
            return


async def _refusal(client: Client, counter: int) -> Reason:
    async for message in client:
        if isinstance(message, Refused) and message.counter == counter:
            return message.reason
    raise AssertionError("the conversation ended")
