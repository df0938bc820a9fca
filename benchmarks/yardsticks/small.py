"""What is measured without a load: the rules alone, and how soon programs are there."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Final

from benchmarks.yardsticks.loading import program
from benchmarks.yardsticks.rows import Row
from benchmarks.yardsticks.script import Recorder, Step
from racing_demon_protocol.wire.codec import Encoding, decode_client, pack
from racing_demon_protocol.wire.messages import Event
from racing_demon_server.encoded_messages import EncodedEvent

REPEATS: Final = 5
AIM_HELP_MS, AIM_READY_MS = 150, 400


def rules(script: Sequence[Step]) -> list[Row]:
    """Return the processor time of the steps of a play, each over the whole hand, the best of some runs."""
    found: dict[str, list[float]] = {}
    for _ in range(REPEATS):
        for name, value in _rules_once(script).items():
            found.setdefault(name, []).append(value)
    section = f"Parts of a play, in one process, the best of {REPEATS} hands"
    return [Row(section, name, "us", [min(values)]) for name, values in found.items()]


def _rules_once(script: Sequence[Step]) -> dict[str, float]:
    recorder, judged, legal, frames, sent = Recorder(), 0.0, 0.0, list[bytes](), list[Event]()
    view = recorder.table.view
    for step in script:
        assert view.hand is not None
        begin = time.thread_time()
        for written in step.plays:
            list(view.hand.rules.legal_plays(view.hand.board, written.seat))
        legal += time.thread_time() - begin
        for written in step.plays:
            frames.append(pack(written.message(1, view.seq)))
            begin = time.thread_time()
            events = recorder.carry_out(written)
            judged += time.thread_time() - begin
            sent += events
    return {
        "legal_plays, eight seats, mid-hand": 1e6 * legal / len(frames),
        "judge and carry out one play": 1e6 * judged / len(frames),
        "decode and validate one play": _each(decode_client, frames),
        "encode and frame one event": _each(_framed, sent),
    }


def _framed(event: Event) -> bytes:
    return EncodedEvent(event, 0).framed(Encoding.MSGPACK)


def _each(act: Callable[..., object], items: Sequence[object]) -> float:
    begin = time.thread_time()
    for item in items:
        act(item)
    return 1e6 * (time.thread_time() - begin) / len(items)


def starts(rounds: int) -> list[Row]:
    """Return how long programs take until they have said what they say, when they are compiled.

    Python keeps what it has compiled beside the sources, unless it is told not to; the first start does that.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    helps, ready, used = [], [], list[float]()
    for _ in range(rounds + 1):
        begin = time.monotonic()
        subprocess.run(
            [sys.executable, "-m", "racing_demon_client", "--help"], capture_output=True, check=True
        )
        helps.append(1_000 * (time.monotonic() - begin))
        begin = time.monotonic()
        with program(sys.executable, "-m", "racing_demon_server", *SERVER) as server:
            ready.append(1_000 * (time.monotonic() - begin))
            used.append(1_000 * server.cpu_seconds())
    section = "Start"
    return [
        Row(section, "racing-demon --help", "ms", helps[1:], at_most=AIM_HELP_MS),
        Row(section, "racing-demon-server is ready", "ms", ready[1:], at_most=AIM_READY_MS),
        Row(section, "racing-demon-server, its processor time until then", "ms", used[1:]),
    ]


SERVER: Final = ("--port=0", "--host=127.0.0.1", "--durability=none", "--stop-with-stdin")
