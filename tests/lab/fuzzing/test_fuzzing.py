"""Frames that are a little wrong: decoded here, and sent to a server through real sockets."""

import asyncio
import gc
import os
import random
import sys
import tracemalloc
from pathlib import Path
from typing import Final

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode

from racing_demon_protocol.wire.codec import Encoding
from racing_demon_protocol.wire.messages import client as cl
from tests.lab.fuzzing.frames import check_frame, mutant
from tests.support.processes import kib, server_process
from tests.support.servers import PATIENCE, Peer, deadline, timeout

pytestmark = pytest.mark.long

FRAMES: Final = int(os.environ.get("RACING_DEMON_FRAMES", "4000"))
SEED: Final = int(os.environ.get("RACING_DEMON_SEED", "1"))
AT_ONCE: Final = 20
"""Frames of one connection."""
SIDE_BY_SIDE: Final = 8
MAX_GROWTH_KIB: Final = 16 * 1024
MAX_LOG_BYTES: Final = 1_000_000
MiB: Final = 2**20


def test_mutants_are_decoded_or_refused() -> None:
    """No mutant of a good frame raises anything else, some are still messages, and none is kept."""
    rng = random.Random(SEED)
    frames = [mutant(rng, rng.choice(list(Encoding))) for _ in range(6_000)]
    assert len(set(frames)) > 4_000
    good = sum(check_frame(frame) for frame in frames[:3_000])
    gc.collect()
    tracemalloc.start()
    try:
        good += sum(check_frame(frame) for frame in frames[3_000:])
        gc.collect()
        grown, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert 500 < good < 5_500
    assert grown < MiB


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
async def test_mutants_through_sockets_leave_no_trace(tmp_path: Path) -> None:
    """The server goes on, grows by less than 16 MiB, and writes less than 1 MB and no exception."""
    log = tmp_path / "log"
    rng = random.Random(SEED)
    codes: dict[int, int] = {}
    batches = max(10, FRAMES // AT_ONCE)
    with log.open("w") as errors:
        async with server_process("--log-level", "info", "--limit", "max_tables=50", stderr=errors) as (
            server,
            url,
        ):
            async with Peer.hosting(url) as ann:
                size = 0
                for number in range(0, batches, SIDE_BY_SIDE):
                    if number >= batches // 10 and not size:
                        size = kib(server.pid, "VmRSS")
                    closings = await asyncio.gather(
                        *(bother(url, ann.code, rng.getrandbits(64)) for _ in range(SIDE_BY_SIDE))
                    )
                    for code in closings:
                        codes[code] = codes.get(code, 0) + 1
                growth = kib(server.pid, "VmRSS") - size
                await ann.ask(cl.Say, text="still here")
                assert server.process.returncode is None
    written = log.read_text()
    sys.stdout.write(
        f"\n{batches * AT_ONCE} frames on {batches} connections, seed {SEED}: closed with {codes}; "
        f"+{growth} KiB, log {len(written)} bytes\n"
    )
    assert "Traceback" not in written
    assert "a frame could not be handled" not in written
    assert len(written) < MAX_LOG_BYTES
    assert growth < MAX_GROWTH_KIB
    assert set(codes) <= {1000, 1002, 1006, 1007, 1009, 4000, 4001, 4002, 4004}


async def bother(url: str, code: str, seed: int) -> int:
    """Send a server some mutants on one connection, and return how that ended."""
    rng = random.Random(seed)
    encoding = rng.choice(list(Encoding))
    opcode = Opcode.BINARY if encoding is Encoding.MSGPACK else Opcode.TEXT
    async with Peer.connect(url, encoding) as peer:
        good = [
            cl.Hello(version=1),
            cl.Watch(code=code) if rng.random() < 0.5 else cl.Join(code=code, name="Eve"),
        ]
        frames = [peer.frame_of(message) for message in good[: rng.randrange(3)]]
        frames += [Frame(opcode, mutant(rng, encoding)) for _ in range(AT_ONCE)]
        data = bytearray(b"".join(frame.serialize(mask=True) for frame in frames))
        if rng.random() < 0.2:  # the WebSocket's own bytes, too
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        try:
            peer.socket.transport.write(data)
            await timeout(PATIENCE, peer.socket.close())
            async with deadline(lambda: f"still open after {data.hex()}"):
                while True:
                    await peer.frame()
        except ConnectionClosed as closed:
            return 1006 if closed.rcvd is None else closed.rcvd.code
