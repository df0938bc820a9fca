"""What spectators cost the players: how soon eight fast players see plays, without and with many."""

import argparse
import asyncio
import contextlib
import json
import resource
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).parents[1]))  # as a script, this file knows only its own folder

from benchmarks.helpers import HelperEnded
from benchmarks.spectator_report import numbers_of, table_of
from benchmarks.watching import measure_rounds, measure_silent

NOTES: Final = """\
A server, eight players on real sockets who turn their stocks a hundred times a second together, and
spectators who come and go in turn; then, on a second server, some spectators who never read among others who
do. Measured is the time from the moment that a player writes a play to its socket until each other player
reads it from its own. The spectators' processes give way to all others, as if they were on other machines.
All of it stays on this machine, takes about a minute and a half by default, and judges nothing.
"""
MAX_SPECTATORS: Final = 2_000
MAX_ROUNDS: Final = 20
MAX_SECONDS: Final = 30.0
SILENT_SECONDS: Final = 20.0
"""So long the server may keep spectators who never read, before the measurement ends without."""
SPARE_FILES: Final = 200


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the table, and return the exit code."""
    arguments = parse(argv)
    expected = 12 + arguments.rounds * (2 * arguments.seconds + 3) + arguments.seconds + 10
    sys.stderr.write(f"Measuring {arguments.rounds} rounds, in about {expected:.0f} s.\n")
    try:
        raise_file_limit(2 * max(arguments.spectators, arguments.readers + arguments.silent) + SPARE_FILES)
        numbers = asyncio.run(measure(arguments, 120 + 3 * expected))
    except (HelperEnded, ConnectionError, TimeoutError, ValueError, ExceptionGroup) as error:
        sys.stderr.write(f"bench-spectators: {str(error) or type(error).__name__}\n")
        return 1
    except asyncio.CancelledError:
        return 128 + signal.SIGTERM
    except KeyboardInterrupt:
        return 130
    sys.stdout.write(table_of(numbers) + "\n")
    if arguments.json is not None:
        sizes = {name: value for name, value in vars(arguments).items() if name != "json"}
        text = json.dumps({"sizes": sizes, **numbers}, indent=2)
        arguments.json.write_text(text + "\n", encoding="utf-8")
    return 0


async def measure(arguments: argparse.Namespace, most_seconds: float) -> dict[str, Any]:
    """Return all numbers; a signal to end, or too long a time, ends by way of all contexts."""
    task = asyncio.current_task()
    assert task is not None
    for number in (signal.SIGTERM, signal.SIGHUP):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    async with asyncio.timeout(most_seconds):
        rounds = await measure_rounds(arguments.spectators, arguments.rounds, arguments.seconds)
        silent = await measure_silent(arguments.readers, arguments.silent, arguments.seconds, SILENT_SECONDS)
    return numbers_of(rounds, silent)


def raise_file_limit(files: int) -> None:
    """Raise the limit of open files for this process and those that it starts, as far as possible."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = files if hard == resource.RLIM_INFINITY else min(files, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the arguments, or end the program."""
    parser = argparse.ArgumentParser(
        prog="bench-spectators",
        description=__doc__,
        epilog=NOTES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    crowd, rounds = between(int, 1, MAX_SPECTATORS), between(int, 1, MAX_ROUNDS)
    seconds = between(float, 0.1, MAX_SECONDS)
    parser.add_argument("--spectators", type=crowd, default=500, help="how many watch (default 500)")
    parser.add_argument("--rounds", type=rounds, default=4, help="how often, each way (default 4)")
    parser.add_argument("--seconds", type=seconds, default=5.0, help="for how long, each time (default 5)")
    parser.add_argument("--silent", type=crowd, default=50, help="how many never read (default 50)")
    parser.add_argument("--readers", type=crowd, default=100, help="how many others do (default 100)")
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
