"""What a play costs on the server, how late it is seen, and who wins a race: beside bare relays."""

import argparse
import json
import os
import platform
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parents[1]))  # as a script, this file knows only its own folder

from benchmarks.yardsticks.beside_colyseus import beside_colyseus
from benchmarks.yardsticks.fairness import Size, fairness
from benchmarks.yardsticks.fanout import fan_out
from benchmarks.yardsticks.isolation import isolation
from benchmarks.yardsticks.latency import crowded, latency
from benchmarks.yardsticks.memory import memory
from benchmarks.yardsticks.processes import processes
from benchmarks.yardsticks.rows import Row, numbers_of, table_of
from benchmarks.yardsticks.script import rounds
from benchmarks.yardsticks.sizes import sizes
from benchmarks.yardsticks.small import rules, starts
from benchmarks.yardsticks.throughput import scaling, throughput

ROOT: Final = Path(__file__).parents[1]
NOTES: Final = """\
Servers run on one processor, the load on the others; all take turns, round after round. Processor time
is the server's alone. Where the machine has other things to do, times grow: compare ratios of one run.
What `make fast` has compiled last takes part in throughput, latency and colyseus.
"""
FILES: Final = 20_000
PHASE: Final = 0.4
"""The part of the seconds that a phase lasts: there are many."""
MAX_RACES: Final = 1_000_000
ENDLESS: Final = 86_400.0
FEW: Final = 3
"""Rounds of what takes long to set up."""


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the table, and return the exit code."""
    arguments = parse(argv)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(FILES, most), most))
    rows: list[Row] = []
    begin, is_whole = time.monotonic(), True
    for name, measure in parts(arguments).items():
        if arguments.only and name not in arguments.only:
            continue
        sys.stderr.write(f"{time.monotonic() - begin:4.0f} s  {name}\n")
        try:
            rows += measure()
        except (OSError, ValueError, LookupError, ImportError, subprocess.SubprocessError) as error:
            sys.stderr.write(f"bench: {name} is missing, the rest goes on: {error!r}\n")
            is_whole = False
        except KeyboardInterrupt:
            return 130
    sys.stdout.write(table_of(rows).lstrip("\n") + "\n\n" + surroundings() + "\n")
    if arguments.json is not None:
        text = json.dumps({"surroundings": surroundings(), "rows": numbers_of(rows)}, indent=2)
        arguments.json.write_text(text + "\n", encoding="utf-8")
    return 0 if is_whole else 1


def parts(arguments: argparse.Namespace) -> dict[str, Callable[[], list[Row]]]:
    """Return what is measured, in this order."""
    script = rounds()
    number, seconds, tables = arguments.rounds, arguments.seconds, arguments.tables
    size = Size(
        arguments.races,
        arguments.zero_races or MAX_RACES,
        ENDLESS if arguments.zero_races else arguments.race_seconds,
    )
    return {
        "sizes": lambda: sizes(script),
        "rules": lambda: rules(script),
        "starts": lambda: starts(number),
        "throughput": lambda: throughput(script, number, seconds, tables),
        "scaling": lambda: scaling(script, number, seconds, [1, tables, arguments.most_tables]),
        "processes": lambda: processes(script, number, seconds, max(1, tables // 2)),
        "latency": lambda: latency(script, number, seconds, tables, arguments.rate),
        "crowded": lambda: crowded(
            script, min(number, FEW), seconds, arguments.most_tables, arguments.idle, arguments.rate
        ),
        "colyseus": lambda: beside_colyseus(script, number, seconds, tables),
        "fan-out": lambda: fan_out(script, number, seconds, arguments.spectators),
        "isolation": lambda: isolation(script, number, seconds * PHASE),
        "memory": lambda: memory(script, min(number, FEW), tables, seconds),
        "fairness": lambda: fairness(script, size, number, tables),
    }


def surroundings() -> str:
    """Return what the numbers depend on: the commit, the machine, and what else it did."""
    git = ["git", "-C", str(ROOT), "describe", "--always", "--dirty"]
    commit = subprocess.run(git, capture_output=True, text=True, check=False).stdout.strip()  # noqa: S603
    model = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        if line.startswith("model name")
    ]
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return (
        f"commit {commit or 'unknown'}; {os.cpu_count()} x {model[0] if model else platform.machine()}; "
        f"{platform.system()} {platform.release()}; Python {platform.python_version()}; load {load}"
    )


def parse(argv: Sequence[str] | None) -> Any:
    """Return the arguments."""
    parser = argparse.ArgumentParser(
        prog="bench", description=__doc__, epilog=NOTES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5, help="how often each is measured (default 5)")
    parser.add_argument("--seconds", type=float, default=1.0, help="how long each time (default 1)")
    parser.add_argument("--tables", type=int, default=25, help="how many tables mostly (default 25)")
    parser.add_argument("--most-tables", type=int, default=500, help="how many at most (default 500)")
    parser.add_argument("--spectators", type=int, default=500, help="how many watch a table (default 500)")
    parser.add_argument("--idle", type=int, default=2_000, help="how many more look on idly (default 2000)")
    parser.add_argument(
        "--rate",
        type=float,
        default=0,
        help="plays a second where latency is measured (default: what keeps R0 half busy; people's pace)",
    )
    parser.add_argument("--races", type=int, default=800, help="how many races at each gap (default 800)")
    parser.add_argument("--zero-races", type=int, default=0, help="how many at 0 us, however long they take")
    parser.add_argument("--race-seconds", type=float, default=5.0, help="otherwise for how long (default 5)")
    parser.add_argument("--only", nargs="+", default=[], metavar="PART", help="these parts alone")
    parser.add_argument("--json", type=Path, help="also write the numbers to a file")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
