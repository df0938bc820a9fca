"""What distance means for a race: a player beside the server, and one whose packets take a while each way.

python -m benchmarks.distance [--round-trips 5 50 150] [--races 24]

Both want the same place, at tables of a real server. The far one plays first, the near one a little later.
The far one is on a machine of its own, a network namespace. All packets between the two machines are held
back for half of the round trip, each way, so that TCP sees the distance, too: this needs root on Linux. The
lead that decides follows from races that are spread evenly over leads from nothing to the whole round trip.
The other two times are medians: from the far player's key to the card's confirmation, and by how much later
than the near player the far one sees a card.
"""

import argparse
import fcntl
import os
import select
import statistics
import struct
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from itertools import pairwise
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from typing import Final, NamedTuple

from tests.support.machines import inside, run

from racing_demon_protocol.wire.codec import VERSION, decode_server
from racing_demon_protocol.wire.messages.client import Create, Hello, Join, Start
from racing_demon_protocol.wire.messages.events import Played, Signalled
from racing_demon_protocol.wire.messages.server import Refused, Seated, Snapshot

from .yardsticks.entering import Socket
from .yardsticks.loading import ours, program
from .yardsticks.script import OPTIONS, SEATS, contested

NEAR: Final = "10.79.0.1"
FAR: Final = "10.79.0.2"
DEVICE: Final = "cable"
TUNSETIFF: Final = 0x400454CA
IFF_TUN: Final = 0x0001
IFF_NO_PI: Final = 0x1000
"""Packets are read as they are, without a head that says what they are. See tuntap.rst of Linux."""
PACKET: Final = 65_536
LOOK_SECONDS: Final = 0.002
"""So long before its moment, waiting becomes looking at the clock."""


class Race(NamedTuple):
    """A race, with times in milliseconds.

    Attributes:
        lead: by how much the far player pressed earlier.
        far_won: whether that was enough.
        confirmed: from the far player's key to the answer.
        behind: from when the near player saw the card that came first to when the far one did.

    """

    lead: float
    far_won: bool
    confirmed: float
    behind: float


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print a table, and return the exit code."""
    parser = argparse.ArgumentParser(
        prog="distance", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--round-trips", type=float, nargs="+", default=[5, 50, 150], metavar="MS")
    parser.add_argument("--races", type=int, default=24, metavar="N")
    arguments = parser.parse_args(argv)
    sys.stdout.write(
        "round trip   near is first, though later by up to   own card confirmed   cards seen later\n"
    )
    for trip in arguments.round_trips:
        with (
            machines_apart(trip / 2_000) as (near, far),
            inside(near),
            program(*ours("asyncio", host=NEAR)) as server,
        ):
            races = [
                run_race(server.url, far, trip * (number + 0.5) / arguments.races)
                for number in range(arguments.races)
            ]
        confirmed, behind = (
            statistics.median(getattr(race, name) for race in races) for name in ("confirmed", "behind")
        )
        sys.stdout.write(
            f"{trip:7.0f} ms {deciding_lead(races):30.1f} ms {confirmed:19.1f} ms {behind:15.1f} ms\n"
        )
        sys.stdout.flush()
    return 0


def deciding_lead(races: Sequence[Race]) -> float:
    """Return the lead between those with which the far player loses and wins, with the fewest exceptions."""
    leads = sorted(race.lead for race in races)
    between = [(one + other) / 2 for one, other in pairwise(leads)]
    return min(between, key=lambda cut: sum((race.lead > cut) is not race.far_won for race in races))


def run_race(url: str, far_machine: str, lead: float) -> Race:
    """Run a race at a table of its own; the far player presses earlier by a lead in milliseconds."""
    near, far, *_ = contested()
    with ExitStack() as stack:
        party, code = list[Socket](), ""
        for seat in range(SEATS):
            with inside(far_machine) if seat == far.seat else nullcontext():
                player = Socket(url)
            stack.callback(player.close)
            player.say(Hello(version=VERSION))
            name = f"Player {seat + 1}"
            player.say(Join(code=code, name=name) if code else Create(name=name, options=OPTIONS))
            code = player.until(Seated.TAG)[1]
            player.until(Snapshot.TAG)
            party.append(player)
        party[0].say(Start(counter=1))
        seen = max(player.until(Signalled.TAG)[1] for player in party)
        counters = [2 if seat == 0 else 1 for seat in range(SEATS)]
        heard: dict[int, tuple[float, float, bool]] = {}
        listening = [
            threading.Thread(target=listen, args=(party[each.seat], each.seat, heard)) for each in (near, far)
        ]
        for thread in listening:
            thread.start()
        pressed = time.perf_counter()
        party[far.seat].say(far.message(counters[far.seat], seen))
        wait_until(pressed + lead / 1_000)
        party[near.seat].say(near.message(counters[near.seat], seen))
        for thread in listening:
            thread.join()
    near_saw, _, _ = heard[near.seat]
    far_saw, answered, far_won = heard[far.seat]
    return Race(lead, far_won, (answered - pressed) * 1_000, (far_saw - near_saw) * 1_000)


def listen(player: Socket, seat: int, heard: dict[int, tuple[float, float, bool]]) -> None:
    """Note when a player sees the place taken, when its own play is answered, and whether it was first."""
    saw = answered = 0.0
    won = False
    while not (saw and answered):
        message = decode_server(player.data())
        now = time.perf_counter()
        if isinstance(message, Played):
            saw = saw or now
            won = won or message.seat == seat
        if isinstance(message, Refused) or (isinstance(message, Played) and message.seat == seat):
            answered = now
    heard[seat] = saw, answered, won


def wait_until(moment: float) -> None:
    """Wait until a moment of ``time.perf_counter``, to a few microseconds."""
    time.sleep(max(0.0, moment - time.perf_counter() - LOOK_SECONDS))
    while time.perf_counter() < moment:
        pass


@contextmanager
def machines_apart(seconds: float) -> Iterator[tuple[str, str]]:
    """Make two machines whose packets to each other are delayed; return their network namespaces."""
    names = [f"rd-{os.getpid()}-{end}" for end in ("near", "far")]
    devices = list[int]()
    holding: BaseProcess | None = None
    try:
        for name, own, other in zip(names, (NEAR, FAR), (FAR, NEAR), strict=True):
            run("ip", "netns", "add", name)
            with inside(name):
                devices.append(open_device())
                run("ip", "addr", "add", own, "peer", other, "dev", DEVICE)
                for device in (DEVICE, "lo"):
                    run("ip", "link", "set", device, "up")
        holding = get_context("fork").Process(target=hold_back, args=(*devices, seconds))
        holding.start()
        yield names[0], names[1]
    finally:
        if holding is not None:
            holding.terminate()
            holding.join()
        for opened in devices:
            os.close(opened)
        for name in names:
            with suppress(OSError, subprocess.SubprocessError):
                run("ip", "netns", "del", name)


def open_device() -> int:
    """Make a network device whose packets a program reads and writes."""
    device = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", DEVICE.encode(), IFF_TUN | IFF_NO_PI))
    return device


def hold_back(one: int, other: int, seconds: float) -> None:
    """Pass packets between two devices forever, each after a delay."""
    to = {one: other, other: one}
    held = deque[tuple[float, int, bytes]]()
    while True:
        wait = max(0.0, held[0][0] - time.monotonic()) if held else None
        for source in select.select(to, (), (), wait)[0]:
            held.append((time.monotonic() + seconds, to[source], os.read(source, PACKET)))
        while held and held[0][0] <= time.monotonic():
            _, target, packet = held.popleft()
            os.write(target, packet)


if __name__ == "__main__":
    sys.exit(main())
