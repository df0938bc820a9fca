"""A load on a server: what it is, and what was measured of both."""

import atexit
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Final

from benchmarks.yardsticks.entering import Socket
from benchmarks.yardsticks.script import SEATS, Step
from benchmarks.yardsticks.sizes import PLAY_BYTES

ROOT: Final = Path(__file__).parents[2]
LAST_SECONDS: Final = 10.0
"""A load that has said what was measured, or nothing more, ends by itself."""
SOURCES: Final = Path(__file__).parent


class Kind(StrEnum):
    """What a load is made for: a hand of ours, dealt anew at its end; plays that go round; others."""

    GAME = "game"
    CYCLE = "cycle"
    RELAY = "relay"
    COLYSEUS = "colyseus"


@dataclass(frozen=True, kw_only=True)
class Load:
    """What is sent.

    Attributes:
        steps: the script; the load begins again at its end.
        kind: what the load is made for.
        payload: what a relay is sent for each play.
        window: how many steps may be on their way at a table.
        rate: plays a second over all tables; 0 for as many as go.
        seconds: how long it is measured.
        warm_up: how long before that it goes on already.
        phases: into how many parts that time is divided.

    """

    steps: Sequence[Step]
    kind: Kind = Kind.GAME
    payload: bytes = bytes(PLAY_BYTES)
    window: int = 1
    rate: float = 0
    seconds: float = 3.0
    warm_up: float = 0.7
    phases: int = 1


@dataclass(frozen=True)
class Measured:
    """What was measured. Latencies are microseconds, from a play to the last of its table.

    Attributes:
        plays: how many there were a second.
        server_us: the server's processor time a play.
        delivery_us: the same for each event that anybody got.
        server_busy: the share of the time that the server was on its processor.
        load_busy: the same for the load.
        p50: half of the latencies are no longer.
        p99: 99 of 100 are no longer.
        p999: 999 of 1,000 are no longer.
        most: the longest.
        phases: of each phase, the median and the 99th percentile.

    """

    plays: float
    server_us: float
    delivery_us: float
    server_busy: float
    load_busy: float
    p50: float
    p99: float
    p999: float
    most: float
    phases: Sequence[tuple[float, float]]


class Program:
    """A server in a process of its own.

    Attributes:
        pid: the number of the process.
        url: where it listens.
        last_words: what it has said after that, when it has ended.

    """

    def __init__(self, process: "subprocess.Popen[bytes]", url: str) -> None:
        self.pid = process.pid
        self.url = url
        self.last_words = ""

    def cpu_seconds(self) -> float:
        """Return the processor time of all its threads, and of its children's."""
        return sum(_thread_ns(pid) for pid in [self.pid, *_children(self.pid)]) / 1e9

    def await_stop(self) -> None:
        """Wait until it stands still, after a signal that is to stop it."""
        stat = Path(f"/proc/{self.pid}/stat")
        while stat.read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "T":
            time.sleep(0.0001)

    def memory(self) -> int:
        """Return the bytes that it alone has in memory."""
        text = Path(f"/proc/{self.pid}/smaps_rollup").read_text(encoding="utf-8")
        fields = dict(line.split(":", 1) for line in text.splitlines()[1:])
        return sum(int(fields[name].split()[0]) for name in ("Private_Clean", "Private_Dirty")) * 1_024


def _thread_ns(pid: int) -> int:
    tasks = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(task.read_text(encoding="utf-8").split()[0]) for task in tasks)


def _children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()
    return [int(child) for child in found]


def cores() -> tuple[Collection[int], Collection[int]]:
    """Return the processors for the server, and for the load: the same where there is but one."""
    first, *others = sorted(os.sched_getaffinity(0))
    return {first}, set(others or [first])


@contextmanager
def program(*command: str) -> Iterator[Program]:
    """Run a server on its own processor until the context ends; its first lines say where it listens."""
    server_cores, _ = cores()
    process = subprocess.Popen(  # noqa: S603 - our own programs
        command,
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # each load ends by tearing its connections
        preexec_fn=lambda: os.sched_setaffinity(0, server_cores),  # noqa: PLW1509 - there are no threads
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        at = -1
        while at < 0:
            line = process.stdout.readline().decode()
            if not line:
                raise ConnectionError(f"{command} did not start")
            at = line.find("ws://")
        server = Program(process, line[at:].strip())
        yield server
        process.stdin.close()
        server.last_words = process.stdout.read().decode()
    finally:
        process.stdin.close()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


class Stopped:
    """A process that stands still outside of its contexts."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        os.kill(pid, signal.SIGSTOP)

    def __enter__(self) -> None:
        os.kill(self._pid, signal.SIGCONT)

    def __exit__(self, *_: object) -> None:
        os.kill(self._pid, signal.SIGSTOP)


def ours(loop: str = "uvloop", python: str = sys.executable, **fields: Any) -> list[str]:
    """Return the command for the server that is measured, as it is installed beside a Python."""
    pairs = [f"{name}={value}" for name, value in fields.items()]
    return [python, "-m", "benchmarks.yardsticks.whole", loop, *pairs]


def relay(name: str, event_bytes: int) -> list[str]:
    """Return the command for a yardstick."""
    return [sys.executable, "-m", "benchmarks.yardsticks.relay", name, str(event_bytes)]


@contextmanager
def background(
    load: Load, sockets: Sequence[Socket], watchers: Sequence[Socket] = (), seats: int = SEATS
) -> "Iterator[subprocess.Popen[bytes]]":
    """Put a load on sockets that sit at a server's tables, as long as the context lasts."""
    _, load_cores = cores()
    numbers = [found.fileno() for found in (*sockets, *watchers)]
    process = subprocess.Popen(  # noqa: S603 - compiled here
        [str(compiled(SOURCES / "load.c"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=numbers,
        preexec_fn=lambda: os.sched_setaffinity(0, load_cores),  # noqa: PLW1509 - there are no threads
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(_input(load, numbers, len(sockets) // seats, len(watchers), seats).encode())
        process.stdin.close()
        process.stdout.readline()
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def measure(
    server: Program,
    load: Load,
    sockets: Sequence[Socket],
    watchers: Sequence[Socket] = (),
    seats: int = SEATS,
) -> Measured:
    """Put a load on a server, and return what was measured."""
    return measure_phases(server, load, sockets, lambda _: None, watchers, seats)


def measure_phases(  # noqa: PLR0913, PLR0917
    server: Program,
    load: Load,
    sockets: Sequence[Socket],
    begin: Callable[[int], None],
    watchers: Sequence[Socket] = (),
    seats: int = SEATS,
) -> Measured:
    """Do the same, and call ``begin`` with the number of each phase as it begins."""
    with background(load, sockets, watchers, seats) as process:
        assert process.stdout is not None
        before = server.cpu_seconds()
        begin(0)
        for number in range(1, load.phases):
            process.stdout.readline()
            begin(number)
        line = process.stdout.readline()
        used = server.cpu_seconds() - before
        code = process.wait(LAST_SECONDS)
    if not line:
        raise ConnectionError(f"the load broke off (exit code {code})")
    return _measured(json.loads(line), used)


def _input(load: Load, numbers: Sequence[int], tables: int, watchers: int, seats: int) -> str:
    per_step = sum(len(step.plays) for step in load.steps) / len(load.steps)
    lines = [
        f"{load.kind} {seats} {tables} {watchers} {load.window}",
        f"{load.rate / per_step} {load.warm_up} {load.seconds} {load.phases}",
        load.payload.hex() if load.kind is Kind.RELAY else "-",
        str(len(load.steps)),
    ]
    for step in load.steps:
        lines.append(f"{len(step.plays)} {step.frames}")
        lines += [f"{seat} {play.source} {play.count} {play.destination}" for seat, play in step.plays]
    return "\n".join([*lines, *map(str, numbers)]) + "\n"


def _measured(told: dict[str, Any], used: float) -> Measured:
    if told["refused"] or not told["plays"]:
        raise ValueError(f"the script does not fit the server: {told}")
    return Measured(
        plays=told["plays"] / told["seconds"],
        server_us=used / told["plays"] * 1e6,
        delivery_us=used / (told["deliveries"] + told["watched"]) * 1e6,
        server_busy=used / told["seconds"],
        load_busy=told["load_cpu"] / told["seconds"],
        p50=told["p50"],
        p99=told["p99"],
        p999=told["p999"],
        most=told["max"],
        phases=[(p50, p99) for p50, p99 in told["phases"]],
    )


@cache
def compiled(source: Path) -> Path:
    """Return a program of ours in C, compiled.

    Raises:
        FileNotFoundError: there is no C compiler.

    """
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise FileNotFoundError("no C compiler: on Debian, apt install gcc")
    folder = tempfile.mkdtemp(prefix="racing-demon-bench-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    target = Path(folder) / source.stem
    subprocess.run([compiler, "-O2", "-o", target, source], check=True)  # noqa: S603
    return target
