"""Plants single mistakes with mutmut, and lists those that the nearest tests do not notice.

mutmut wants the packages beside each other, so each group of modules is tried in a copy of its own, under
``.mutants``. What may stay unnoticed, and why, stands in ``accepted.toml``.
"""

import argparse
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
    """Try groups of modules, and return 1 if too much is unnoticed."""
    groups = tomllib.loads((HERE / "groups.toml").read_text("utf-8"))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"of {', '.join(groups)} (default: all)")
    parser.add_argument("--digits", default="", help="a sample: mistakes whose numbers end so, such as 37")
    parser.add_argument("--jobs", type=int, default=2, help="processes at a time")
    arguments = parser.parse_args()
    accepted = _accepted()
    tried = left = 0
    for name in arguments.groups or groups:
        began = time.monotonic()
        folder = _stage(name, groups[name])
        sample = [f"*__mutmut_*{digit}" for digit in arguments.digits]
        _mutmut(folder, "run", f"--max-children={arguments.jobs}", *sample)
        codes = _codes(folder)
        survivors = _survivors(folder, codes, arguments.jobs)
        counted = len(codes) - sum(each.is_wording for each in survivors)
        survivors = [each for each in survivors if not each.is_wording]
        unexplained = [each for each in survivors if each not in accepted]
        tried, left = tried + counted, left + len(unexplained)
        seconds = time.monotonic() - began
        sys.stdout.write(
            f"{name}: {counted} mistakes, {len(survivors)} not noticed, of which {len(unexplained)} "
            f"are not accepted; {seconds:.0f} s\n"
        )
        for each in unexplained:
            sys.stdout.write(f"\n[[accepted]]\nfunction = {json.dumps(each.function)}\n")
            sys.stdout.write(f'was = {json.dumps(each.was)}\nnow = {json.dumps(each.now)}\nwhy = ""\n')
        sys.stdout.flush()
    sys.stdout.write(f"{left} of {tried} are neither noticed nor accepted: {left / max(1, tried):.1%}\n")
    return int(left > MOST_SHARE * tried)


def _accepted() -> set[Survivor]:
    listed = tomllib.loads((HERE / "accepted.toml").read_text("utf-8"))["accepted"]
    return {Survivor(each["function"], each["was"], each["now"]) for each in listed if each["why"]}


def _stage(name: str, group: dict[str, Any]) -> Path:
    """Lay out a copy as mutmut wants it, and return where it is."""
    folder = STAGE / name
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
    return folder


def _deselected(group: dict[str, Any]) -> list[str]:
    return [f"--deselect={test}" for test in group.get("slow", [])]


def _mutmut(folder: Path, *arguments: str) -> str:
    command = [sys.executable, "-m", "mutmut", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        raise SystemExit(f"mutmut failed in {folder}:\n{done.stdout[-3_000:]}{done.stderr[-3_000:]}")
    return done.stdout


def _codes(folder: Path) -> dict[str, int]:
    """Return how the tests ended with each mistake that was tried, by its name."""
    codes: dict[str, int | None] = {}
    for meta in (folder / "mutants").rglob("*.meta"):
        codes |= json.loads(meta.read_text("utf-8"))["exit_code_by_key"]
    return {name: code for name, code in codes.items() if code is not None}


def _survivors(folder: Path, codes: dict[str, int], jobs: int) -> list[Survivor]:
    """Return the mistakes that no test noticed, or that no test meets."""
    names = sorted(name for name, code in codes.items() if code not in KILLED | TIMEOUTS)
    with ThreadPoolExecutor(jobs) as pool:  # each is a process of its own
        return list(pool.map(lambda name: _survivor(folder, name), names))


def _survivor(folder: Path, name: str) -> Survivor:
    diff = _mutmut(folder, "show", name).splitlines()
    changed = [line for line in diff if re.match(r"[-+](?![-+]{2})", line)]
    was = "\n".join(line[1:].strip() for line in changed if line[0] == "-")
    now = "\n".join(line[1:].strip() for line in changed if line[0] == "+")
    return Survivor(_function(name), was, now)


def _function(name: str) -> str:
    """Return a function's name as people write it."""
    module, _, mangled = name.rpartition(".")
    mangled = mangled.rpartition("__mutmut_")[0]
    if mangled.startswith("xǁ"):
        return f"{module}.{'.'.join(mangled.split('ǁ')[1:])}"
    return f"{module}.{mangled.removeprefix('x_')}"


if __name__ == "__main__":
    sys.exit(main())
