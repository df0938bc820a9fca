"""A server process under each attack of its own, while a match goes on and a prober measures it."""

import asyncio
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from racing_demon_protocol.wire.messages import client as cl
from tests.lab.attacks.attacks import ATTACKS, Target, end_early, stages
from tests.support.effort import LONG
from tests.support.ports import port_of
from tests.support.processes import SERVER, Running, kib, started
from tests.support.servers import PATIENCE, Peer, timeout

MAX_GROWTH_KIB = 16 * 1024
MAX_LOG_BYTES = 1_000_000
EARLY_ENDS = (2_000, 5_000, 20_000) if LONG else (100, 500)
"""The connections that end early in each stage. The first of them may fill what is used again."""
MAX_LEFT_KIB = (12 if LONG else 6) * 1024
"""What all others may leave: asyncio's transports wait for a sweep, half a kilobyte each."""
CHOSEN = os.environ.get("RACING_DEMON_ATTACKS", "").split(",")
"""The names of the attacks that are wanted; none for all, or for one in twelve of them in ``make test``."""
ARGUMENTS = (
    *("--host", "127.0.0.1", "--port", "0", "--bot-speed", "30"),
    *("--limit", "frames_per_second=1000", "--limit", "ping_seconds=600"),  # attackers answer no pings
)

pytestmark = [pytest.mark.long, pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")]


def busy_ms(pid: int) -> float:
    """Return the milliseconds of processor time that all threads of a process have had."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e6


def forget_peak(pid: int) -> None:
    """Let the peak of a process' memory begin anew."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")


async def longest_step(server: Running) -> float:
    """Return the milliseconds of processor time of the loop's longest step since the last time."""
    server.type("")
    return float((await server.line(r"^longest (\S+)$")).group(1))


async def waited(prober: Running) -> tuple[float, float, float]:
    """Return the 50th and 99th of a hundred waits since the last time, and the worst, in milliseconds."""
    prober.type("")
    half, most, worst, count = (await prober.line(r"^(\S+) (\S+) (\S+) (\d+)$")).groups()
    assert int(count) > 0, "the server has answered nobody"
    return float(half), float(most), float(worst)


async def test_no_single_attack_costs_much_or_stops_the_match(tmp_path: Path) -> None:
    """The server goes on, answers the prober, grows by less than 16 MiB, and writes little.

    How long the loop's longest step was busy, and how long the prober waited, is printed: both depend on
    the machine, and the second on all that it does besides.
    """
    log = tmp_path / "log"
    figures = []
    with log.open("w") as errors:
        journal = f"--journal={tmp_path / 'journal.sqlite'}"  # without it nobody is remembered
        async with started("tests.lab.attacks.timed", *ARGUMENTS, journal, stderr=errors) as server:
            url = (await server.line(r"listening on (\S+)")).group(1)
            async with started("tests.lab.attacks.prober", url) as prober:
                code = (await prober.line(r"^[A-Z]{8}$")).group()
                target = Target(port_of(url), code)
                for attack in (nothing, *chosen()):
                    figures.append((attack.__name__, await suffer(attack, server, prober, target)))  # noqa: PERF401
                assert server.process.returncode is None
    written = log.read_text()
    head = f"{'server CPU':>13} {'longest step':>13} {'p50 wait':>9} {'p99':>9} {'longest':>9} {'memory':>11}"
    sys.stdout.write(f"\n{'attack':18}{head}\n")
    for name, (busy, step, half, most, worst, growth) in figures:
        waits = "".join(f"{wait:7.2f} ms" for wait in (half, most, worst))
        sys.stdout.write(f"{name:18}{busy:11.1f} % {step:10.2f} ms{waits} {growth:7} KiB\n")
    sys.stdout.write(f"log: {len(written)} bytes\n")
    assert "Traceback" not in written
    assert "racing_demon_server/" not in written, written[:2_000]
    assert len(written) < MAX_LOG_BYTES
    assert {name: figure for name, figure in figures if figure.growth > MAX_GROWTH_KIB} == {}


@pytest.mark.timeout(3_600 if LONG else 300)
@pytest.mark.parametrize("program", [SERVER, "tests.lab.attacks.timed"])
async def test_nothing_is_left_of_connections_that_end_early(program: str) -> None:
    """While a hand is played, memory is flat over connections that end early, in each of their stages.

    The second program runs on asyncio's loop, the first on uvloop where that is installed.
    """
    figures: dict[str, list[int]] = {}
    arguments = ("--host", "127.0.0.1", "--port", "0", "--limit", "idle_table_seconds=86400")
    async with started(program, *arguments) as server:
        url = (await server.line(r"listening on (\S+)")).group(1)
        async with Peer.hosting(url, seated=False, hands=100, pause_after_ms=None) as host:
            for _ in range(4):
                await host.ask(cl.AddBot, level="hard")
            await host.ask(cl.Start)
        target = Target(port_of(url), host.code)
        sys.stdout.write(f"\nKiB of memory after {EARLY_ENDS}\n")
        for stage in stages(host.code):
            ended, sizes = 0, figures.setdefault(stage, [])
            for number in EARLY_ENDS:
                await asyncio.to_thread(end_early, target, stage, number - ended)
                sizes.append(kib(server.pid, "VmRSS"))
                ended = number
            sys.stdout.write(f"{stage:25}{''.join(f'{size:9}' for size in sizes)}\n")
            sys.stdout.flush()
    assert {stage: sizes for stage, sizes in figures.items() if sizes[-1] - sizes[0] > MAX_LEFT_KIB} == {}


def chosen() -> Sequence[Callable[[Target], None]]:
    """Return the attacks that are wanted."""
    if CHOSEN != [""]:
        return [each for each in ATTACKS if each.__name__ in CHOSEN]
    return ATTACKS if LONG else ATTACKS[::12]


class Figures(NamedTuple):
    """What an attack cost: percent of a processor, milliseconds, and the growth in KiB."""

    busy: float
    step: float
    half: float
    most: float
    worst: float
    growth: int


def nothing(_target: Target) -> None:
    """Leave the server alone."""
    time.sleep(1)


async def suffer(
    attack: Callable[[Target], None], server: Running, prober: Running, target: Target
) -> Figures:
    """Attack, and return what that cost."""
    before = kib(server.pid, "VmRSS")
    forget_peak(server.pid)
    await waited(prober)
    await longest_step(server)
    worked, begun = busy_ms(server.pid), time.monotonic()
    await timeout(6 * PATIENCE, asyncio.to_thread(attack, target))
    busy = (busy_ms(server.pid) - worked) / (time.monotonic() - begun) / 10
    half, most, worst = await waited(prober)
    step = await longest_step(server)
    assert step > 0, "the meter has seen no step of the loop"
    return Figures(busy, step, half, most, worst, kib(server.pid, "VmHWM") - before)
