"""Plant mistakes, one at a time, and list those that the nearest tests do not notice.

The nearest tests of a folder are those of the folder of the same name below tests/. They run once under
coverage.py; then each mutant meets the tests that run its line. With --against, the same mutants, by
function and kind, are planted in another checkout, too, and both counts are printed.
"""

import argparse
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from queue import SimpleQueue
from typing import Final, NamedTuple

from coverage.numbits import numbits_to_nums

from .mutants import Mutant, Tree, find_twin, mutants

ROOT: Final = Path(__file__).parents[3]
AREAS: Final = {
    "match": "server/racing_demon_server/match",
    "tables": "server/racing_demon_server/tables",
    "net": "server/racing_demon_server/net",
    "journal": "server/racing_demon_server/journal",
    "record": "protocol/racing_demon_protocol/records",
}
"""Short names of folders; others are given by their paths."""
COPIED: Final = ("protocol", "server", "client", "tests", "benchmarks", "docs", "deploy")
TESTS_SECONDS: Final = 1_800
MUTANT_SECONDS: Final = 120
MAX_TESTS: Final = 200
"""So many of the tests that run a line are tried, the quickest first."""
PYTEST: Final = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-n0", "-m", "not long")


class Planted(NamedTuple):
    """A mutant, and whether the tests noticed it."""

    mutant: Mutant
    outcome: str


class Bench:
    """Copies of a checkout in which mutants are planted, and which tests run which of its lines."""

    def __init__(self, tree: Tree, folder: Path, jobs: int) -> None:
        self._tree = tree
        self._copies: SimpleQueue[Path] = SimpleQueue()
        self._jobs = jobs
        self._tests: dict[str, dict[int, list[str]]] = {}
        self._seconds: dict[str, float] = {}
        for number in range(jobs):
            copy = folder / f"{number}"
            for name in COPIED:
                ignored = shutil.ignore_patterns("__pycache__", "node_modules")
                shutil.copytree(tree.root / name, copy / name, ignore=ignored)
            for file in tree.root.glob("*.*"):
                if file.is_file():
                    shutil.copy(file, copy)
            self._copies.put(copy)

    def measure(self, folders: Sequence[str]) -> None:
        """Run the nearest tests of folders, and keep which lines each of them runs."""
        copy = self._copies.get()
        tests = sorted({tests_of(copy, folder) for folder in folders})
        (copy / "contexts_plugin.py").write_text(Path(__file__).with_name("contexts.py").read_text())
        own = f"--include={','.join(f'{copy}/{folder}/*' for folder in folders)}"
        command = ("-m", "coverage", "run", "--data-file=.mutants.coverage", own)
        plugin = ("-p", "contexts_plugin", "--durations=0", "--durations-min=0")
        done = self._python(copy, *command, *PYTEST, *plugin, *tests, seconds=TESTS_SECONDS)
        for line in done.stdout.splitlines():
            seconds, _, rest = line.strip().partition("s ")
            if rest.startswith(("call", "setup", "teardown")):
                name = rest.split(maxsplit=1)[1]
                self._seconds[name] = self._seconds.get(name, 0.0) + float(seconds)
        lines = done.stdout.splitlines()
        failed = {line.split()[1] for line in lines if line.startswith(("FAILED", "ERROR"))}
        with closing(sqlite3.connect(copy / ".mutants.coverage")) as db:
            rows = db.execute(
                "SELECT path, context, numbits FROM line_bits JOIN file ON file.id = file_id"
                " JOIN context ON context.id = context_id WHERE context != ''"
            )
            for path, test, bits in rows:
                if test not in failed:
                    by_line = self._tests.setdefault(str(Path(path).relative_to(copy)), {})
                    for number in numbits_to_nums(bits):
                        by_line.setdefault(number, []).append(test)
        sys.stderr.write(f"{done.stdout.splitlines()[-1]}\n")
        self._copies.put(copy)

    def try_all(self, chosen: Sequence[Mutant]) -> Iterator[Planted]:
        """Plant mutants one after the other, some at the same time, and yield how they fared."""
        with ThreadPoolExecutor(self._jobs) as pool:
            yield from pool.map(self._try, chosen)

    def _try(self, mutant: Mutant) -> Planted:
        tests = self._tests.get(mutant.function.path, {}).get(mutant.line, [])
        if not tests:
            return Planted(mutant, "not reached")
        tests = sorted(tests, key=lambda name: self._seconds.get(name, 0.0))[:MAX_TESTS]
        copy = self._copies.get()
        file = copy / mutant.function.path
        try:
            file.write_text(mutant.text, encoding="utf-8")
            done = self._python(copy, *PYTEST, "-x", *tests, seconds=MUTANT_SECONDS)
        except subprocess.TimeoutExpired:
            return Planted(mutant, "found")
        finally:
            file.write_text(mutant.function.source, encoding="utf-8")
            self._copies.put(copy)
        return Planted(mutant, "found" if done.returncode else "survived")

    def _python(self, copy: Path, *arguments: str, seconds: float) -> "subprocess.CompletedProcess[str]":
        path = os.pathsep.join(map(str, (copy / "protocol", copy / "server", copy / "client", copy)))
        env = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(  # noqa: S603
            (sys.executable, *arguments),
            cwd=copy,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=seconds,
        )


def tests_of(root: Path, folder: str) -> str:
    """Return the folder of the tests that are nearest to one of the product."""
    _, package, *rest = folder.split("/")
    tests = Path("tests", package.removeprefix("racing_demon_"), *rest)
    while not (root / tests).exists():
        tests = tests.parent
    return str(tests)


def sample(tree: Tree, folder: str, number: int | None, seed: str, other: Tree | None) -> list[Mutant]:
    """Draw mutants of a folder by a seed; a function gives one, before another gives two."""
    rng = random.Random(f"{seed} {folder}")
    piles = [rng.sample(found, len(found)) for each in tree.below(folder) if (found := mutants(each))]
    rng.shuffle(piles)
    chosen: list[Mutant] = []
    while piles and (number is None or len(chosen) < number):
        for pile in piles:
            mutant = pile.pop()
            if (other is None or find_twin(mutant, other)) and (number is None or len(chosen) < number):
                chosen.append(mutant)
        piles = [pile for pile in piles if pile]
    return chosen


def try_tree(tree: Tree, chosen: Sequence[Mutant], jobs: int) -> list[Planted]:
    """Try mutants in copies of a tree, and print how each fared."""
    tried = []
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(tree, Path(folder).resolve(), jobs)
        bench.measure(sorted({each.function.path.rpartition("/")[0] for each in chosen}))
        for planted in bench.try_all(chosen):
            sys.stdout.write(f"{planted.outcome:11} {planted.mutant}\n")
            sys.stdout.flush()
            tried.append(planted)
    return tried


def main() -> None:
    """Read the command line, and try what it names."""
    parser = argparse.ArgumentParser(prog="python -m tests.lab.mutation", description=__doc__)
    parser.add_argument("areas", nargs="*", default=[*AREAS], help=f"{', '.join(AREAS)}, or folders")
    parser.add_argument("--sample", type=int, metavar="N", help="so many mutants of each area (default: all)")
    parser.add_argument("--seed", default="1", help="what the sample is drawn by")
    parser.add_argument("--jobs", type=int, default=2, help="so many at a time (default: 2)")
    parser.add_argument("--against", type=Path, metavar="CHECKOUT", help="draw the sample there; try both")
    parser.add_argument("--list", action="store_true", help="only list the mutants")
    arguments = parser.parse_args()
    here = Tree(ROOT)
    drawn, other = (here, None) if arguments.against is None else (Tree(arguments.against.resolve()), here)
    chosen = [
        mutant
        for area in arguments.areas
        for mutant in sample(drawn, AREAS.get(area, area), arguments.sample, arguments.seed, other)
    ]
    trees = [(drawn, chosen)]
    if other is not None:
        trees.append((other, [twin for each in chosen if (twin := find_twin(each, other)) is not None]))
    if arguments.list:
        for pair in zip(*(each for _, each in trees), strict=True):
            sys.stdout.write("\n  = ".join(map(str, pair)) + "\n")
        return
    for tree, each in trees:
        outcomes = Counter(planted.outcome for planted in try_tree(tree, each, arguments.jobs))
        sys.stdout.write(f"{tree.root}: {json.dumps(outcomes)}\n")


if __name__ == "__main__":
    main()
