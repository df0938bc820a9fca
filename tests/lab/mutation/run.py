"""Plants single mistakes with mutmut, and lists those that the nearest tests do not notice.

mutmut wants the packages beside each other, so each group of modules is tried in a copy of its own, under
``.mutants``. What may stay unnoticed, and why, stands in ``accepted.toml``; mistakes that change only the
words of a sentence are not tried. A sample is drawn by a seed; where something of it was not noticed, every
other mistake in the same functions is tried, too. Interrupted, it tells what it has; ``--keep`` goes on,
with the code and the tests as they are by then. A group whose tests fail is left out.
"""

import argparse
import hashlib
import importlib.util
import json
import re
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any, Final, NamedTuple

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parents[2]
STAGE: Final = ROOT / ".mutants"
PACKAGES: Final = (
    "protocol/racing_demon_protocol",
    "server/racing_demon_server",
    "client/racing_demon_client",
    "client/racing_demon_web",
)
MOST_SHARE: Final = 0.02
"""Of all planted mistakes, so many may be survivors that are not accepted."""
KILLED: Final = {1, 3}
TIMEOUTS: Final = {24, 36, 152, 255, -24}
"""A mistake that lets a test run on and on is noticed, too."""

TIMEOUT_SECONDS: Final = 6.0
"""mutmut stops the tests of a mistake after fifteen times this and what they take without it, so that a busy
machine stops no others."""

DIFFS: Final = """
import json, sys
from mutmut.mutation.diff_apply import get_diff_for_mutant
print(json.dumps([get_diff_for_mutant(name, path=path) for name, path in json.load(sys.stdin)]))
"""
"""As `mutmut show`, for all at once."""


class MutmutFailed(Exception):
    """mutmut, or the tests of a group before anything was planted, failed."""


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


class Mistake(NamedTuple):
    """A mistake as it was planted: in which function, and the line before and after."""

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
        "--keep",
        action="store_true",
        help="go on from the last time with what was not tried, was not noticed, or has changed",
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    arguments = parser.parse_args()
    if unknown := set(arguments.groups) - set(groups):
        parser.error(f"there is no group {', '.join(sorted(unknown))}")
    if importlib.util.find_spec("mutmut") is None:
        parser.error("mutmut is not installed; install it: pip install -e '.[mutants]'")
    outcomes: list[Outcome] = []
    failed: list[str] = []
    for name in arguments.groups or groups:
        try:
            outcome, is_whole = _try_group(name, groups[name], arguments)
        except MutmutFailed as error:
            sys.stdout.write(f"\n{error}\n")
            failed.append(name)
            continue
        outcomes.append(outcome)
        if not is_whole:
            break
    sys.stdout.write(
        "\n| group | mistakes | tried | noticed | accepted | left | share |\n|---|--:|--:|--:|--:|--:|--:|\n"
    )
    sys.stdout.writelines(f"{outcome.row}\n" for outcome in outcomes)
    sys.stdout.writelines(f"{name}: not tried, its tests or mutmut failed\n" for name in failed)
    return int(bool(failed) or any(outcome.left > MOST_SHARE * outcome.tried for outcome in outcomes))


def _try_group(name: str, group: dict[str, Any], arguments: argparse.Namespace) -> tuple[Outcome, bool]:
    """Try a group, and print what is left; return the outcome, and whether nobody interrupted that."""
    began = time.monotonic()
    folder, accepted = STAGE / name, _accepted()
    if not arguments.keep:
        shutil.rmtree(folder, ignore_errors=True)
    _stage(folder, group)
    _forget_left(folder)
    planted = _plant(folder, arguments.jobs)
    is_whole = _try(folder, planted, accepted, arguments)
    left = [planted[name] for name in _left(folder, planted, accepted)]
    tried = _tried(folder, planted)
    spared = sum(planted[name] in accepted for name in tried)
    for each in left:
        sys.stdout.write(f"\n[[accepted]]\nfunction = {json.dumps(each.function)}\n")
        sys.stdout.write(f'was = {json.dumps(each.was)}\nnow = {json.dumps(each.now)}\nwhy = ""\n')
    sys.stdout.write(f"\n{name}: {time.monotonic() - began:.0f} s\n")
    sys.stdout.flush()
    return Outcome(name, len(planted), len(tried), spared, len(left)), is_whole


def _plant(folder: Path, jobs: int) -> dict[str, Mistake]:
    """Plant all mistakes of a group, and time the tests; return those that are no wording, by name."""
    _mutmut(folder, "run", f"--max-children={jobs}", "none", fails=True)
    return {name: each for name, each in _planted(folder).items() if not each.is_wording}


def _try(
    folder: Path, planted: dict[str, Mistake], accepted: set[Mistake], arguments: argparse.Namespace
) -> bool:
    """Try a sample, and what is near to those of it that are left; tell whether nobody interrupted that."""
    drawn = sorted(planted, key=lambda name: hashlib.sha256(f"{arguments.seed} {name}".encode()).digest())
    try:
        _run(folder, drawn[: arguments.sample], arguments.jobs)
        near = {_place(name) for name in _left(folder, planted, accepted)}
        _run(folder, [name for name in drawn if _place(name) in near], arguments.jobs)
    except KeyboardInterrupt:
        return False
    return True


def _tried(folder: Path, planted: dict[str, Mistake]) -> list[str]:
    codes = _codes(folder)
    return [name for name in planted if codes[name] is not None]


def _run(folder: Path, names: list[str], jobs: int) -> None:
    """Try those mistakes that were not tried yet."""
    codes = _codes(folder)
    if new := [name for name in names if codes[name] is None]:
        _mutmut(folder, "run", f"--max-children={jobs}", *new)


def _left(folder: Path, planted: dict[str, Mistake], accepted: set[Mistake]) -> list[str]:
    """Return the mistakes that no test noticed, or that no test meets, and that are not accepted."""
    noticed = KILLED | TIMEOUTS | {None}
    codes = _codes(folder)
    return [name for name, each in planted.items() if codes[name] not in noticed and each not in accepted]


def _accepted() -> set[Mistake]:
    listed = tomllib.loads((HERE / "accepted.toml").read_text("utf-8"))["accepted"]
    return {Mistake(each["function"], each["was"], each["now"]) for each in listed if each["why"]}


def _stage(folder: Path, group: dict[str, Any]) -> None:
    """Lay out a copy as mutmut wants it, or bring one up to date; mutmut keeps what it knows of the rest."""
    ignored = shutil.ignore_patterns("__pycache__", ".mutants")
    for copied in (*PACKAGES, "tests", "docs"):
        name = Path(copied).name
        shutil.rmtree(folder / name, ignore_errors=True)
        # Files of now: mutmut looks at none that is older than its own.
        shutil.copytree(ROOT / copied, folder / name, ignore=ignored, copy_function=shutil.copy)
    shutil.rmtree(folder / "mutants" / "tests", ignore_errors=True)
    config = {
        "also_copy": ["docs"],
        "source_paths": [Path(package).name for package in PACKAGES],
        "only_mutate": group["modules"],
        "timeout_constant": TIMEOUT_SECONDS,
        "pytest_add_cli_args": ["-p", "no:cacheprovider", "-n0", *_deselected(group)],
        "pytest_add_cli_args_test_selection": group["tests"],
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in config.items()]
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    (folder / "pyproject.toml").write_text("\n".join([project, "[tool.mutmut]", *lines, ""]), "utf-8")


def _forget_left(folder: Path) -> None:
    """Let the mistakes that were left be tried again: there may be tests for them by now."""
    for meta in (folder / "mutants").rglob("*.meta"):
        known = json.loads(meta.read_text("utf-8"))
        codes = known["exit_code_by_key"]
        known["exit_code_by_key"] = {
            name: code if code in KILLED | TIMEOUTS else None for name, code in codes.items()
        }
        meta.write_text(json.dumps(known), "utf-8")


def _deselected(group: dict[str, Any]) -> list[str]:
    return [f"--deselect={test}" for test in group.get("slow", [])]


def _mutmut(folder: Path, *arguments: str, fails: bool = False) -> str:
    command = [sys.executable, "-m", "mutmut", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode and not fails:
        raise MutmutFailed(f"mutmut failed in {folder}:\n{done.stdout[-3_000:]}{done.stderr[-3_000:]}")
    return done.stdout


def _codes(folder: Path) -> dict[str, int | None]:
    """Return how the tests ended with each mistake, by its name; ``None`` for one that was not tried."""
    codes: dict[str, int | None] = {}
    for meta in (folder / "mutants").rglob("*.meta"):
        codes |= json.loads(meta.read_text("utf-8"))["exit_code_by_key"]
    return codes


def _planted(folder: Path) -> dict[str, Mistake]:
    """Return all mistakes by their names."""
    mutants = folder / "mutants"
    names = [
        (name, str(meta.relative_to(mutants).with_suffix("")))
        for meta in sorted(mutants.rglob("*.meta"))
        for name in json.loads(meta.read_text("utf-8"))["exit_code_by_key"]
    ]
    command = [sys.executable, "-c", DIFFS]
    asked = json.dumps(names)
    done = subprocess.run(command, cwd=folder, input=asked, capture_output=True, text=True, check=True)  # noqa: S603
    diffs = json.loads(done.stdout)
    return {name: _mistake(name, diff) for (name, _), diff in zip(names, diffs, strict=True)}


def _mistake(name: str, diff: str) -> Mistake:
    changed = [line for line in diff.splitlines() if re.match(r"[-+](?![-+]{2})", line)]
    was = "\n".join(line[1:].strip() for line in changed if line[0] == "-")
    now = "\n".join(line[1:].strip() for line in changed if line[0] == "+")
    return Mistake(_function(name), was, now)


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
