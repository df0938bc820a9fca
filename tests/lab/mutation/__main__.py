"""Plant mistakes, one at a time, and list those that tests do not notice.

The tests of a folder run once under coverage.py: those below the folder of the same name in tests/ (of the
page, tests/web), or those that --tests names. What counts is what a test runs itself, in Python programs that
it starts, and in Node.js. Then each mutant meets the tests that run its line, the quickest first, until one
fails. Behind a cache only the first test of all runs a line: a mutant that survives there may be found by
others. What none of them finds meets the tests that --with names, whole, such as those of the page in a
browser. With --rest, what the selected tests have not found meets others of the same paths. With --against,
the same mutants, by function and kind, are planted in another checkout, too, and who found what the first did
not, and the other way round, is printed.
"""

import argparse
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from queue import SimpleQueue
from typing import Final, NamedTuple

from coverage.numbits import numbits_to_nums

from .contexts import NAME, RULES, SCRIPTS, TEST
from .mutants import PAGE, Mutant, Tree, find_twin, mutants
from .scripts import lines_run

ROOT: Final = Path(__file__).parents[3]
AREAS: Final = {
    "match": "server/racing_demon_server/match",
    "tables": "server/racing_demon_server/tables",
    "net": "server/racing_demon_server/net",
    "journal": "server/racing_demon_server/journal",
    "record": "protocol/racing_demon_protocol/records",
    "page": "client/racing_demon_web",
}
"""Short names of folders; others are given by their paths."""
COPIED: Final = ("protocol", "server", "client", "tests", "benchmarks", "docs", "deploy", "examples")
TESTS_SECONDS: Final = 3 * 3_600
MUTANT_SECONDS: Final = 120
SLOWER: Final = 5
"""Tests may take so many times as long as without the mutant, before it counts as found."""
FIRST: Final = 40
"""So many tests are tried first: most mutants are found by one of them, and few are soon collected."""
PYTEST: Final = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-n0")
DURATION: Final = re.compile(r"([\d.]+)s (?:call|setup|teardown) +(.+)")
"""A line of what pytest says with ``--durations``."""
SETTINGS: Final = """\
[run]
parallel = true
data_file = {copy}/.mutants.coverage
include = {own}
context = ${{{test}-}}
sigterm = true
disable_warnings = no-data-collected, module-not-imported, module-not-measured
"""
"""How coverage.py measures, also in the programs that tests start."""
NO_TESTS: Final = 5
"""What pytest exits with if it has none to run."""


class Planted(NamedTuple):
    """A mutant, and whether the tests noticed it."""

    mutant: Mutant
    outcome: str


class Contestant(NamedTuple):
    """What is tried.

    Attributes:
        tree: a checkout.
        select: which of its tests, as pytest's ``-m`` says it.

    """

    tree: Tree
    select: str

    def __str__(self) -> str:
        return f"{self.tree.root}, tests {self.select!r}"


class Bench:
    """Copies of a checkout in which mutants are planted, and which tests run which of its lines.

    Args:
        contestant: the checkout, and the selection of its tests.
        folder: where the copies go.
        jobs: how many copies.
        whole: the tests that are tried whole.

    """

    def __init__(self, contestant: Contestant, folder: Path, jobs: int, whole: Sequence[str]) -> None:
        self._pytest = (*PYTEST, "-m", contestant.select)
        self._whole = list(whole)
        self._whole_seconds = 0.0
        self._copies: SimpleQueue[Path] = SimpleQueue()
        self._jobs = jobs
        self._tests: dict[str, dict[int, set[str]]] = {}
        self._seconds: dict[str, float] = {}
        for number in range(jobs):
            copy = folder / f"{number}"
            root = contestant.tree.root
            for name in COPIED:
                ignored = shutil.ignore_patterns("__pycache__", "node_modules")
                shutil.copytree(root / name, copy / name, ignore=ignored)
            for file in root.glob("*.*"):
                if file.is_file():
                    shutil.copy(file, copy)
            if (tools := root / "tests" / "web" / "node_modules").exists():
                (copy / "tests" / "web" / "node_modules").symlink_to(tools)
            self._copies.put(copy)

    def measure(self, folders: Sequence[str], tests: Sequence[str]) -> None:
        """Run tests, or else those nearest to folders, and keep which lines each of them runs."""
        copy = self._copies.get()
        if folders:
            self._measure_lines(copy, folders, tests or sorted({tests_of(copy, each) for each in folders}))
        if self._whole:
            self._measure_whole(copy)
        self._copies.put(copy)

    def _measure_lines(self, copy: Path, folders: Sequence[str], tests: Sequence[str]) -> None:
        (copy / "contexts_plugin.py").write_text(Path(__file__).with_name("contexts.py").read_text())
        own = ",".join(f"{copy}/{folder}/*" for folder in folders)
        settings = copy / RULES
        settings.write_text(SETTINGS.format(copy=copy, own=own, test=TEST), encoding="utf-8")
        rc = f"--rcfile={settings}"
        plugin = ("-p", "contexts_plugin", "--durations=0", "--durations-min=0")
        command = ("-m", "coverage", "run", rc, *self._pytest, *plugin, *tests)
        done = self._python(copy, *command, seconds=TESTS_SECONDS)
        self._python(copy, "-m", "coverage", "combine", rc, seconds=TESTS_SECONDS)
        for line in done.stdout.splitlines():
            if duration := DURATION.match(line):
                seconds, name = duration.groups()
                self._seconds[name] = self._seconds.get(name, 0.0) + float(seconds)
        failed = failures(done.stdout)
        with closing(sqlite3.connect(copy / ".mutants.coverage")) as db:
            rows = db.execute(
                "SELECT path, context, numbits FROM line_bits JOIN file ON file.id = file_id"
                " JOIN context ON context.id = context_id WHERE context != ''"
            )
            for path, test, bits in rows:
                if test not in failed:
                    self._note(copy, path, test, numbits_to_nums(bits))
        for noted in (copy / SCRIPTS).glob("*/*.json"):
            test = noted.with_name(NAME).read_text(encoding="utf-8")
            for path, lines in lines_run(noted, copy / PAGE):
                if test not in failed:
                    self._note(copy, path, test, lines)
        sys.stderr.write(f"{done.stdout.splitlines()[-1]}\n")

    def _note(self, copy: Path, path: str, test: str, lines: Iterable[int]) -> None:
        by_line = self._tests.setdefault(str(Path(path).relative_to(copy)), {})
        for number in lines:
            by_line.setdefault(number, set()).add(test)

    def _measure_whole(self, copy: Path) -> None:
        """Run the tests that are tried whole, once, and leave out those that fail by themselves."""
        begun = time.monotonic()
        done = self._python(copy, *self._pytest, *self._whole, seconds=TESTS_SECONDS)
        self._whole_seconds = time.monotonic() - begun
        self._whole += [f"--deselect={test}" for test in sorted(failures(done.stdout))]
        sys.stderr.write(f"{done.stdout.splitlines()[-1]}\n")

    def try_all(self, chosen: Sequence[Mutant]) -> Iterator[Planted]:
        """Plant mutants one after the other, some at the same time, and yield how they fared."""
        with ThreadPoolExecutor(self._jobs) as pool:
            yield from pool.map(self._try, chosen)

    def _try(self, mutant: Mutant) -> Planted:
        tests = self._tests.get(mutant.function.path, {}).get(mutant.line, set())
        if not tests and not self._whole:
            return Planted(mutant, "not reached")
        quickest = sorted(tests, key=self._cost)
        copy = self._copies.get()
        file = copy / mutant.function.path
        try:
            file.write_text(mutant.text, encoding="utf-8")
            is_found = any(
                self._fails(copy, each, sum(map(self._cost, each)))
                for each in (quickest[:FIRST], quickest[FIRST:])
                if each
            ) or (bool(self._whole) and self._fails(copy, self._whole, self._whole_seconds))
        finally:
            file.write_text(mutant.function.source, encoding="utf-8")
            self._copies.put(copy)
        return Planted(mutant, "found" if is_found else "survived")

    def _cost(self, test: str) -> float:
        return self._seconds.get(test, 0.0)

    def _fails(self, copy: Path, arguments: Sequence[str], seconds: float) -> bool:
        """Return whether one of these tests fails, or takes far longer than without the mutant."""
        (copy / "arguments.txt").write_text("\n".join(arguments), encoding="utf-8")
        most = max(MUTANT_SECONDS, SLOWER * seconds)
        try:
            done = self._python(copy, *self._pytest, "-x", "@arguments.txt", seconds=most)
        except subprocess.TimeoutExpired:
            return True
        return done.returncode not in {0, NO_TESTS}

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


def failures(output: str) -> set[str]:
    """Return the tests that pytest says to have failed."""
    return {line.split()[1] for line in output.splitlines() if line.startswith(("FAILED", "ERROR"))}


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


def try_out(contestant: Contestant, chosen: Sequence[Mutant], arguments: argparse.Namespace) -> list[Planted]:
    """Try mutants in copies of a tree, and print how each fared."""
    tried = []
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(contestant, Path(folder).resolve(), arguments.jobs, arguments.whole)
        folders = {each.function.path.rpartition("/")[0] for each in chosen}
        bench.measure(sorted(folders), arguments.tests)
        for planted in bench.try_all(chosen):
            sys.stdout.write(f"{planted.outcome:11} {planted.mutant}\n")
            sys.stdout.flush()
            tried.append(planted)
    outcomes = Counter(planted.outcome for planted in tried)
    sys.stdout.write(f"{contestant}: {json.dumps(outcomes)}\n")
    return tried


def parse() -> argparse.Namespace:
    """Return the arguments."""
    parser = argparse.ArgumentParser(prog="python -m tests.lab.mutation", description=__doc__)
    parser.add_argument("areas", nargs="*", default=[*AREAS], help=f"{', '.join(AREAS)}, or folders")
    parser.add_argument("--sample", type=int, metavar="N", help="so many mutants of each area (default: all)")
    parser.add_argument("--seed", default="1", help="what the sample is drawn by")
    parser.add_argument("--jobs", type=int, default=2, help="so many at a time (default: 2)")
    parser.add_argument(
        "--tests", nargs="+", default=[], metavar="PATH", help="in place of the nearest tests"
    )
    parser.add_argument(
        "--with", nargs="+", default=[], dest="whole", metavar="PATH", help="tests that are tried whole"
    )
    parser.add_argument(
        "--select", default="not long", metavar="MARKS", help='pytest\'s -m (default: "not long")'
    )
    parser.add_argument("--rest", metavar="MARKS", help="what survives meets the tests of these marks, too")
    parser.add_argument("--against", type=Path, metavar="CHECKOUT", help="draw the sample there; try both")
    parser.add_argument("--list", action="store_true", help="only list the mutants")
    return parser.parse_args()


def main() -> None:
    """Read the command line, and try what it names."""
    arguments = parse()
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
    first: list[Planted] = []
    for tree, each in trees:
        tried = try_out(Contestant(tree, arguments.select), each, arguments)
        if first:
            compare(first, tried)
        else:
            first = tried
        survivors = [planted.mutant for planted in tried if planted.outcome != "found"]
        if arguments.rest is not None and survivors:
            try_out(Contestant(tree, arguments.rest), survivors, arguments)


def compare(first: Sequence[Planted], tried: Sequence[Planted]) -> None:
    """Print which mutants the first contestant found alone, and which the second."""
    for before, now in zip(first, tried, strict=True):
        if before.outcome != now.outcome and "found" in {before.outcome, now.outcome}:
            sys.stdout.write(f"{before.outcome} before, now {now.outcome}: {now.mutant}\n")


if __name__ == "__main__":
    main()
