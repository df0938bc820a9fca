"""How long a player waits for the screen: keys and opponents' plays, to paint, over real terminals."""

import argparse
import json
import re
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn

sys.path.insert(0, str(Path(__file__).parents[1]))  # as a script, this file knows only its own folder

from benchmarks.measure import measure_cpu, measure_events, measure_keys, variants
from benchmarks.programs import running
from benchmarks.pty_program import ProgramEnded
from benchmarks.report import numbers_of, table_of

NOTES: Final = """\
Five ways to have a key answered take turns, twenty keys each, on terminals that really exist: a raw loop, an
empty Textual application, and our table, idle and with opponents at work. Then opponents play while nobody
types. All of it stays on this machine, takes some three minutes by default, and judges nothing.
TEXTUAL_FPS in the environment is passed on, for comparing.
"""
MAX_EVENTS: Final = 40
MAX_CPU_SECONDS: Final = 10.0
MAX_SECONDS: Final = 120
MAX_SECONDS_A_KEY: Final = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print the table, and return the exit code."""
    arguments = parse(argv)
    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGHUP, end)
    signal.signal(signal.SIGALRM, end)
    signal.alarm(MAX_SECONDS + MAX_SECONDS_A_KEY * arguments.keys)
    events = max(2, min(MAX_EVENTS, arguments.keys // 5))
    seconds = max(0.5, min(MAX_CPU_SECONDS, arguments.keys / 20))
    total = 7 + arguments.keys * 0.52 + events * 0.7 + seconds * 2
    sys.stderr.write(f"Measuring {arguments.keys} keys a variant, in about {total:.0f} s.\n")
    try:
        with running(arguments.size) as programs:
            measured = variants(programs)
            measure_keys(programs, measured, arguments.keys)
            plays = measure_events(programs, events)
            cpu = measure_cpu(programs, seconds)
        numbers = numbers_of(measured, plays, cpu)
    except (ProgramEnded, ValueError) as error:
        sys.stderr.write(f"bench-ui: {error}\n")
        return 1
    except KeyboardInterrupt:
        return 130
    sys.stdout.write(table_of(numbers) + "\n")
    if arguments.json is not None:
        size = "x".join(map(str, arguments.size))
        text = json.dumps({"keys": arguments.keys, "size": size, **numbers}, indent=2)
        arguments.json.write_text(text + "\n", encoding="utf-8")
    return 0


def parse(argv: Sequence[str] | None) -> argparse.Namespace:
    """Return the arguments, or end the program."""
    parser = argparse.ArgumentParser(
        prog="bench-ui",
        description=__doc__,
        epilog=NOTES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--keys", type=_count, default=200, help="keys a variant (default 200)")
    parser.add_argument("--size", type=_size, default=(120, 40), help="of the terminals (default 120x40)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers there, too")
    return parser.parse_args(argv)


def _count(text: str) -> int:
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError("at least one key")
    return count


def _size(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{2,3})x(\d{2,3})", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no size like 120x40")
    return int(found[1]), int(found[2])


def end(number: int, frame: FrameType | None) -> NoReturn:
    """End by way of all contexts, so that nothing is left running."""
    if number == signal.SIGALRM:
        sys.stderr.write("bench-ui: this takes far too long, so it is ended.\n")
    raise SystemExit(128 + number)


if __name__ == "__main__":
    sys.exit(main())
