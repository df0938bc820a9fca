"""What distance means for a race: a player beside the server, and one whose bytes take a while each way.

python -m benchmarks.distance [--round-trips 5 50 150] [--races 24]

Both want the same place, at tables of a real server. The far one plays first, the near one a little later.
The far one's connection leads through a program that holds all bytes back for half of the round trip, each
way. From so many races, spread evenly over leads from nothing to the whole round trip, follows the lead that
decides. The other two times are medians: from the far player's key to the card's confirmation, and by how
much later than the near player the far one sees a card.
"""

import argparse
import asyncio
import queue
import statistics
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from itertools import pairwise
from typing import Final, NamedTuple

from racing_demon_protocol.wire.codec import VERSION, decode_server
from racing_demon_protocol.wire.messages.client import Create, Hello, Join, Start
from racing_demon_protocol.wire.messages.events import Played, Signalled
from racing_demon_protocol.wire.messages.server import Refused, Seated, Snapshot

from .yardsticks.entering import Socket
from .yardsticks.loading import ours, program
from .yardsticks.script import OPTIONS, SEATS, contested

HOST: Final = "127.0.0.1"
PIECE: Final = 65_536
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
    with program(*ours("asyncio")) as server:
        for trip in arguments.round_trips:
            with far_way(server.url, trip / 2_000) as far_url:
                races = [
                    run(server.url, far_url, trip * (number + 0.5) / arguments.races)
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


def run(url: str, far_url: str, lead: float) -> Race:
    """Run a race at a table of its own; the far player presses earlier by a lead in milliseconds."""
    near, far, *_ = contested()
    with ExitStack() as stack:
        party, code = list[Socket](), ""
        for seat in range(SEATS):
            player = Socket(far_url if seat == far.seat else url)
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
    """Note when a player sees the place taken, when the own play is answered, and whether it was first."""
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
def far_way(url: str, seconds: float) -> Iterator[str]:
    """Give a URL whose bytes take so many seconds more each way."""
    port, found = int(url.rpartition(":")[2].partition("/")[0]), queue.SimpleQueue[Forwarding]()
    thread = threading.Thread(target=lambda: asyncio.run(forward(port, seconds, found)))
    thread.start()
    forwarding = found.get()
    try:
        yield url.replace(f":{port}", f":{forwarding.port}")
    finally:
        forwarding.loop.call_soon_threadsafe(forwarding.end.set)
        thread.join()


class Forwarding(NamedTuple):
    """The program that holds bytes back: where it listens, and how it ends."""

    port: int
    loop: asyncio.AbstractEventLoop
    end: asyncio.Event


async def forward(port: int, seconds: float, found: "queue.SimpleQueue[Forwarding]") -> None:
    """Forward connections to a port, and hold their bytes back."""
    loop, end = asyncio.get_running_loop(), asyncio.Event()

    def write(writer: asyncio.StreamWriter, data: bytes) -> None:
        if not data:
            writer.close()
        elif not writer.is_closing():
            writer.write(data)

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        data = b"?"
        while data:
            try:
                data = await reader.read(PIECE)
            except OSError:
                data = b""
            loop.call_later(seconds, write, writer, data)

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        behind, there = await asyncio.open_connection(HOST, port)
        with suppress(asyncio.CancelledError):  # Python 3.11 logs an error for those that end with the loop
            await asyncio.gather(pump(reader, there), pump(behind, writer))

    serving = await asyncio.start_server(accept, HOST, 0)
    found.put(Forwarding(serving.sockets[0].getsockname()[1], loop, end))
    await end.wait()
    serving.close()


if __name__ == "__main__":
    sys.exit(main())
