"""Run all checks and tests: each part in a process of its own, some at a time.

A process that runs one folder imports that folder's tests alone. For each part its time, its processor
seconds (programs that it starts included) and its last line are printed; all of its output, if it fails.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple

AT_ONCE: Final = 4
"""Parts; they keep two cores busy, though whole programs wait for each other more than they compute."""

BIN: Final = Path(sys.executable).parent
ENVIRONMENT: Final = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""What pytest and its plugins are compiled to is kept: a dozen processes load them."""


class Part(NamedTuple):
    """Some of the checks; ``paths`` are those of its tests, and other parts' folders are left out of them."""

    name: str
    paths: Sequence[str]
    workers: int = 0


# Those that take longest come first: what is started last is then soon done.
PARTS: Final = (
    Part("system", ["tests/system"], 3),
    Part("browser", ["tests/browser"], 2),
    Part("server", ["tests/server"]),
    Part("terminal", ["tests/client/terminal"]),
    Part("cluster", ["tests/cluster"]),
    Part("client", ["tests/client"]),
    Part("protocol", ["tests/protocol"]),
    Part("house", ["tests"]),
    Part("lab", ["tests/lab"]),
    Part("engine", ["tests/protocol/engine"]),
    Part("journal", ["tests/server/journal"]),
    Part("net", ["tests/server/net"]),
)
CHECKS: Final = {"lint": ["make", "--no-print-directory", "lint"], "types": [str(BIN / "mypy")]}


def command(part: Part) -> list[str]:
    """Return what runs the tests of a part."""
    others = [path for other in PARTS if other is not part for path in other.paths]
    inner = [path for path in others if any(path.startswith(f"{own}/") for own in part.paths)]
    spread = ["-n", str(part.workers), "--dist", "loadgroup"] if part.workers else []
    ignored = [f"--ignore={path}" for path in inner]
    return [str(BIN / "pytest"), "-q", "-m", "not long", "--durations=3", *spread, *ignored, *part.paths]


def run(name: str, words: Sequence[str]) -> bool:
    """Run one part, say what came of it, and tell whether it passed."""
    with tempfile.TemporaryFile() as output:
        start = time.monotonic()
        process = subprocess.Popen(  # noqa: S603
            words, env=ENVIRONMENT, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode(errors="replace").rstrip()
    seconds = f"{time.monotonic() - start:4.0f} s, {used.ru_utime + used.ru_stime:4.0f} of the processor"
    has_passed = process.returncode == 0
    told = text.rpartition("\n")[2].strip("= ") if has_passed else f"FAILED\n{text}"
    print(f"{name:9} {seconds}: {told}", flush=True)
    return has_passed


def main() -> int:
    """Run all parts, and return the exit code: 1 if one of them has failed."""
    start, parts = time.monotonic(), CHECKS | {part.name: command(part) for part in PARTS}
    print(f"{len(parts)} parts, {AT_ONCE} at a time, each told when it has ended:", flush=True)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        passed = dict(zip(parts, pool.map(run, parts, parts.values()), strict=True))
    failed = [name for name, has_passed in passed.items() if not has_passed]
    print(f"{time.monotonic() - start:.0f} s;", f"failed: {', '.join(failed)}" if failed else "all passed")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
