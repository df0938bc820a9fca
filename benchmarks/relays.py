"""What a play costs the server of a table without spectators, with one, and with thousands at a relay."""

import argparse
import asyncio
import contextlib
import json
import os
import resource
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from statistics import median
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parents[1]))  # as a script, this file knows only its own folder

from benchmarks.helpers import Helper, HelperEnded, processors
from benchmarks.player_group import PlayerGroup, player_group_at

NOTES: Final = """\
One server has four tables, with eight players each who turn their stocks a hundred times a second
together. Nobody watches the first table, and one spectator the second. A relay with many spectators
watches the third, and some spectators watch the fourth at the server. The tables play in turn, round after
round, and the others rest. Measured is the processor time of the server's loop a play. The relay and the
spectators run on other processors.
"""
MAX_SPECTATORS: Final = 8_000
MAX_ROUNDS: Final = 40
MAX_SECONDS: Final = 30.0
SETTLE_SECONDS: Final = 0.5
ENTRY_SECONDS: Final = 120.0
GROUP: Final = 250
"""So many spectators come with one question."""
SPARE_FILES: Final = 300
LIMITS: Final = (
    "ping_seconds=3600",
    "entry_seconds=60",
    "max_connections=9000",
    "connections_per_address=9000",
    "units_per_address=1e9",
    "units_per_server=1e9",
)
NOBODY, ONE, RELAYED, DIRECT = "nobody", "one", "relayed", "direct"


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the table, and return the exit code."""
    arguments = parse(argv)
    try:
        raise_file_limit(arguments.relayed + arguments.direct + SPARE_FILES)
        numbers = asyncio.run(measure(arguments))
    except (HelperEnded, ConnectionError, TimeoutError, ValueError, ExceptionGroup) as error:
        sys.stderr.write(f"bench-relays: {str(error) or type(error).__name__}\n")
        return 1
    except KeyboardInterrupt:
        return 130
    sys.stdout.write(table_of(numbers, arguments) + "\n")
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(numbers, indent=2) + "\n", encoding="utf-8")
    return 0


def raise_file_limit(files: int) -> None:
    """Raise the limit of open files for this process and those that it starts, as far as possible."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = files if hard == resource.RLIM_INFINITY else min(files, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


async def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the microseconds a play of each table and round, and what the spectators received."""
    command = ["--host=127.0.0.1", "--port=0", *(f"--limit={limit}" for limit in LIMITS)]
    owners, others = processors()
    async with AsyncExitStack() as stack:
        owner = await stack.enter_async_context(
            Helper.running("racing_demon_server", "--stop-with-stdin", "--relays=127.0.0.1", *command)
        )
        url = await owner.url()
        relay = await stack.enter_async_context(
            Helper.running("racing_demon_server", *command, f"--relay={url}")
        )
        readers = await stack.enter_async_context(Helper.running("benchmarks.readers"))
        owner.stay_on(owners)
        for each in (relay, readers):
            each.stay_on(others)
        groups = {
            name: await stack.enter_async_context(player_group_at(url))
            for name in (NOBODY, ONE, RELAYED, DIRECT)
        }
        places = (
            (ONE, url, 1),
            (RELAYED, await relay.url(), arguments.relayed),
            (DIRECT, url, arguments.direct),
        )
        for name, place, number in places:
            await _fill(readers, groups[name], place, number)
        rows: dict[str, list[float]] = {name: [] for name in groups}
        for _ in range(arguments.rounds):
            for name, group in groups.items():
                rows[name].append(await _cost_us(owner, group, arguments.seconds))
        told = await readers.ask("tell")
    if told["lost"]:
        raise ConnectionError(f"{told['lost']} spectators lost their connection")
    return {"cost_us": rows, "received_bytes": told["bytes"], "load": os.getloadavg()}


async def _fill(readers: Helper, group: PlayerGroup, place: str, number: int) -> None:
    """Let spectators come, and wait until the table's players see that all are there."""
    for come in range(0, number, GROUP):
        await readers.ask("watch", place, group.code, min(GROUP, number - come))
    deadline = time.monotonic() + ENTRY_SECONDS
    while group.watchers != number:
        if time.monotonic() > deadline:
            raise TimeoutError(f"{group.watchers} of {number} spectators came")
        await asyncio.sleep(0.1)


async def _cost_us(owner: Helper, group: PlayerGroup, seconds: float) -> float:
    """Let a group play; return the processor time of the owner's loop a play, in microseconds."""
    group.resting = False
    await asyncio.sleep(SETTLE_SECONDS)
    plays, before = group.plays, owner.loop_seconds()
    await asyncio.sleep(seconds)
    plays, after = group.plays - plays, owner.loop_seconds()
    group.resting = True
    await asyncio.sleep(SETTLE_SECONDS)
    if not plays:
        raise ValueError("nobody played")
    return 1e6 * (after - before) / plays


def table_of(numbers: dict[str, Any], arguments: argparse.Namespace) -> str:
    """Return the table for people."""
    rows = numbers["cost_us"]
    titles = {
        NOBODY: "nobody watches",
        ONE: "one spectator",
        RELAYED: f"{arguments.relayed:,} spectators at a relay",
        DIRECT: f"{arguments.direct:,} spectators at the server",
    }
    lines = [
        f"{'CPU of the server a play, us':34}{'median':>8}{'least':>8}{'most':>8}{'more than nobody':>20}"
    ]
    for name, title in titles.items():
        row, more = rows[name], median(_differences(rows, name))
        lines.append(f"{title:34}{median(row):8.0f}{min(row):8.0f}{max(row):8.0f}{more:20.1f}")
    load = ", ".join(f"{each:.1f}" for each in numbers["load"])
    return "\n".join([*lines, f"{arguments.rounds} rounds of {arguments.seconds:g} s, load {load}"])


def _differences(rows: dict[str, list[float]], name: str) -> list[float]:
    return [cost - without for cost, without in zip(rows[name], rows[NOBODY], strict=True)]


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the arguments, or end the program."""
    parser = argparse.ArgumentParser(
        prog="bench-relays",
        description=__doc__,
        epilog=NOTES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    crowd, rounds = between(int, 1, MAX_SPECTATORS), between(int, 1, MAX_ROUNDS)
    seconds = between(float, 0.1, MAX_SECONDS)
    parser.add_argument("--relayed", type=crowd, default=5_000, help="spectators at the relay (default 5000)")
    parser.add_argument("--direct", type=crowd, default=1_000, help="spectators at the server (default 1000)")
    parser.add_argument("--rounds", type=rounds, default=8, help="how often (default 8)")
    parser.add_argument("--seconds", type=seconds, default=4.0, help="for how long each time (default 4)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers there, too")
    return parser.parse_args(argv)


def between(kind: Callable[[str], float], least: float, most: float) -> Callable[[str], float]:
    """Return what reads a number that has to be between two."""

    def number(text: str) -> float:
        value = kind(text)
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{text} is not between {least:g} and {most:g}")
        return value

    return number


if __name__ == "__main__":
    sys.exit(main())
