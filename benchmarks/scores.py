"""How long standings over many matches take: the first time, and once their digests are kept.

python benchmarks/scores.py --matches 1000
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.protocol.records.test_standings import simulated

from racing_demon_protocol.records.format import record_lines

PROGRAM = (sys.executable, "-m", "racing_demon_client", "scores", "--json")


def main() -> int:
    """Simulate matches, keep their records, and add them up twice by the real program."""
    parser = argparse.ArgumentParser(prog="benchmarks/scores.py", description=__doc__.split("\n")[0])
    parser.add_argument("--matches", type=int, default=1_000, help="how many matches (default 1000)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        files = [str(_keep(Path(folder), number)) for number in range(arguments.matches)]
        size = sum(os.path.getsize(file) for file in files)
        sys.stdout.write(f"{len(files)} records, {size / 1e6:.0f} MB\n")
        environment = {**os.environ, "XDG_CACHE_HOME": folder}
        answers = set()
        for title in ("the first time", "again", "again"):
            begun, used = time.perf_counter(), _processor_seconds()
            done = subprocess.run([*PROGRAM, *files], env=environment, capture_output=True, check=True)  # noqa: S603
            took, used = time.perf_counter() - begun, _processor_seconds() - used
            sys.stdout.write(f"{title}: {took:.2f} s, of which the processor worked {used:.2f} s\n")
            answers.add(done.stdout)
    return 0 if len(answers) == 1 else 1


def _processor_seconds() -> float:
    """Return for how long programs that were started here have worked until now."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _keep(folder: Path, number: int) -> Path:
    path = folder / f"{number}.jsonl"
    path.write_text("".join(f"{line}\n" for line in record_lines(simulated(number))), encoding="utf-8")
    return path


if __name__ == "__main__":
    sys.exit(main())
