"""Plants single mistakes with mutmut, and lists those that the nearest tests do not notice.

mutmut wants the packages beside each other, so each group of modules is tried in a copy of its own, under
``.mutants``. What may stay unnoticed, and why, stands in ``accepted.toml``. A sample is drawn by a seed;
where something of it was not noticed, every other mistake in the same functions is tried, too.
"""

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, NamedTuple

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[1]
STAGE: Final = ROOT / ".mutants"
PACKAGES: Final = (
    "protocol/racing_demon_protocol",
    "server/racing_demon_server",
    "client/racing_demon_client",
)
MOST_SHARE: Final = 0.02
"""Of all planted mistakes, so many may be survivors that are not accepted."""
KILLED: Final = {1, 3}
TIMEOUTS: Final = {24, 36, 152, 255, -24}
"""A mistake that lets a test run on and on is noticed, too."""


class Outcome(NamedTuple):
    """What became of the mistakes of one group."""

    group: str
    all: int
    """So many there are, tried or not."""
    tried: int
    accepted: int
    left: int
    """Neither noticed nor accepted."""

    @property
    def row(self) -> str:
        """As a row of a table."""
        caught = self.tried - self.accepted - self.left
        share = f"{self.left / max(1, self.tried):.1%}"
        cells = (self.group, self.all, self.tried, caught, self.accepted, self.left, share)
        return f"| {' | '.join(map(str, cells))} |"


class Survivor(NamedTuple):
    """A mistake that no test noticed: in which function, and the line before and after."""

    function: str
    was: str
    now: str

    @property
    def is_wording(self) -> bool:
        """Whether only what a sentence for people says has changed."""
        (was, said), (now, says) = (_sentences(line) for line in (self.was, self.now))
        return said != says and was in {now, now.replace("None", "''", 1)}


def _sentences(line: str) -> tuple[str, list[str]]:
    """Return a line without its texts of several words, and those."""
    found = re.findall(r"""f?"(?:[^"\\]|\\.)* (?:[^"\\]|\\.)*"|f?'[^']* [^']*'""", line)
    for text in found:
        line = line.replace(text, "''")
    return line, found


def main() -> int:
    """Try groups of modules, and return 1 if too much is unnoticed in one of them."""
    groups = tomllib.loads((HERE / "groups.toml").read_text("utf-8"))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"of {', '.join(groups)} (default: all)")
    parser.add_argument("--sample", type=int, metavar="N", help="try so many of each group (default: all)")
    parser.add_argument(
        "--seed", default="1", help="what a sample is drawn by; a larger one holds the smaller"
    )
    parser.add_argument(
        "--keep", action="store_true", help="go on in the copy of the last time with what it lacks"
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    arguments = parser.parse_args()
    accepted = _accepted()
    outcomes = []
    for name in arguments.groups or groups:
        began = time.monotonic()
        folder = STAGE / name
        if not (arguments.keep and folder.is_dir()):
            _stage(folder, groups[name])
        outcome, survivors = _try(folder, arguments, accepted)
        outcomes.append(outcome)
        for each in survivors:
            sys.stdout.write(f"\n[[accepted]]\nfunction = {json.dumps(each.function)}\n")
            sys.stdout.write(f'was = {json.dumps(each.was)}\nnow = {json.dumps(each.now)}\nwhy = ""\n')
        sys.stdout.write(f"\n{name}: {time.monotonic() - began:.0f} s\n")
        sys.stdout.flush()
    sys.stdout.write(
        "\n| group | mistakes | tried | noticed | accepted | left | share |\n|---|--:|--:|--:|--:|--:|--:|\n"
    )
    sys.stdout.writelines(f"{outcome.row}\n" for outcome in outcomes)
    return int(any(outcome.left > MOST_SHARE * outcome.tried for outcome in outcomes))


def _try(
    folder: Path, arguments: argparse.Namespace, accepted: set[Survivor]
) -> tuple[Outcome, list[Survivor]]:
    """Try the mistakes of a group; return what became of them, and those that are left."""
    jobs = arguments.jobs
    _mutmut(folder, "run", f"--max-children={jobs}", "none", fails=True)  # plants them, and times the tests
    planted = _codes(folder)
    drawn = sorted(planted, key=lambda name: hashlib.sha256(f"{arguments.seed} {name}".encode()).digest())
    _run(folder, drawn[: arguments.sample], jobs)
    survivors = _survivors(folder, jobs)
    near = {_place(name) for name, each in survivors.items() if not each.is_wording and each not in accepted}
    if near:
        _run(folder, [name for name in drawn if _place(name) in near], jobs)
        survivors = _survivors(folder, jobs)
    worded = sum(each.is_wording for each in survivors.values())
    counted = [each for each in survivors.values() if not each.is_wording]
    left = [each for each in counted if each not in accepted]
    tried = sum(code is not None for code in _codes(folder).values()) - worded
    return Outcome(folder.name, len(planted), tried, len(counted) - len(left), len(left)), left


def _run(folder: Path, names: list[str], jobs: int) -> None:
    """Try those mistakes that were not tried yet."""
    codes = _codes(folder)
    if wanted := [name for name in names if codes[name] is None]:
        _mutmut(folder, "run", f"--max-children={jobs}", *wanted)


def _accepted() -> set[Survivor]:
    listed = tomllib.loads((HERE / "accepted.toml").read_text("utf-8"))["accepted"]
    return {Survivor(each["function"], each["was"], each["now"]) for each in listed if each["why"]}


def _stage(folder: Path, group: dict[str, Any]) -> None:
    """Lay out a copy as mutmut wants it."""
    shutil.rmtree(folder, ignore_errors=True)
    ignored = shutil.ignore_patterns("__pycache__", ".mutants")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / Path(package).name, ignore=ignored)
    shutil.copytree(ROOT / "tests", folder / "tests", ignore=ignored)
    config = {
        "source_paths": [Path(package).name for package in PACKAGES],
        "only_mutate": group["modules"],
        "pytest_add_cli_args": ["-p", "no:cacheprovider", "-p", "no:xdist", *_deselected(group)],
        "pytest_add_cli_args_test_selection": group["tests"],
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in config.items()]
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    (folder / "pyproject.toml").write_text("\n".join([project, "[tool.mutmut]", *lines, ""]), "utf-8")


def _deselected(group: dict[str, Any]) -> list[str]:
    return [f"--deselect={test}" for test in group.get("slow", [])]


def _mutmut(folder: Path, *arguments: str, fails: bool = False) -> str:
    command = [sys.executable, "-m", "mutmut", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode and not fails:
        raise SystemExit(f"mutmut failed in {folder}:\n{done.stdout[-3_000:]}{done.stderr[-3_000:]}")
    return done.stdout


def _codes(folder: Path) -> dict[str, int | None]:
    """Return how the tests ended with each mistake, by its name; ``None`` for one that was not tried."""
    codes: dict[str, int | None] = {}
    for meta in (folder / "mutants").rglob("*.meta"):
        codes |= json.loads(meta.read_text("utf-8"))["exit_code_by_key"]
    return codes


def _survivors(folder: Path, jobs: int) -> dict[str, Survivor]:
    """Return the mistakes that no test noticed, or that no test meets, by their names."""
    unnoticed = sorted(
        name for name, code in _codes(folder).items() if code not in KILLED | TIMEOUTS | {None}
    )
    with ThreadPoolExecutor(jobs) as pool:  # each is a process of its own
        return dict(zip(unnoticed, pool.map(lambda name: _survivor(folder, name), unnoticed), strict=True))


def _survivor(folder: Path, name: str) -> Survivor:
    diff = _mutmut(folder, "show", name).splitlines()
    changed = [line for line in diff if re.match(r"[-+](?![-+]{2})", line)]
    was = "\n".join(line[1:].strip() for line in changed if line[0] == "-")
    now = "\n".join(line[1:].strip() for line in changed if line[0] == "+")
    return Survivor(_function(name), was, now)


def _place(name: str) -> str:
    """Return the function that a mistake is in, as mutmut writes it."""
    return name.rpartition("__mutmut_")[0]


def _function(name: str) -> str:
    """Return a function's name as people write it."""
    module, _, mangled = name.rpartition(".")
    mangled = mangled.rpartition("__mutmut_")[0]
    if mangled.startswith("xǁ"):
        return f"{module}.{'.'.join(mangled.split('ǁ')[1:])}"
    return f"{module}.{mangled.removeprefix('x_')}"


if __name__ == "__main__":
    sys.exit(main())
