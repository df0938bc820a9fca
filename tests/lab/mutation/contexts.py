"""A plugin for pytest: coverage.py and V8 note which test runs which line, here and in what it starts.

A program that a test starts counts for that test by :data:`TEST`, which its configuration of coverage.py
names. The variable begins like those of the interpreter, so that no test gets a fork of a program that
another has loaded: see ``tests/support/prepared.py``. Programs are asked to end before they are killed, since
whoever is killed notes nothing.
"""

import os
import signal
import threading
from asyncio.subprocess import Process
from itertools import count
from pathlib import Path
from typing import Final

import coverage
import pytest

TEST: Final = "PYTHON_TEST_THAT_RUNS"
"""The variable with the test's name."""
RULES: Final = "mutants.coveragerc"
"""The configuration of coverage.py, in the folder where pytest runs."""
SCRIPTS: Final = Path("mutants-v8")
"""Where Node.js notes what it has run: a folder for each test."""
NAME: Final = "test.txt"
"""Which test that was."""
LAST_SECONDS: Final = 5.0
"""How long a program may take to end."""

_numbers = count()
_kill = Process.kill


def pytest_configure() -> None:
    """Let programs be measured, and end so that they can write what they have run."""
    os.environ["COVERAGE_PROCESS_START"] = str(Path(RULES).resolve())
    Process.kill = _end  # type: ignore[assignment,method-assign]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Let what runs from now on count for a test."""
    current = coverage.Coverage.current()
    if current is not None:
        current.switch_context(item.nodeid)
    folder = item.config.rootpath / SCRIPTS / str(next(_numbers))
    folder.mkdir(parents=True)
    (folder / NAME).write_text(item.nodeid, encoding="utf-8")
    os.environ |= {TEST: item.nodeid, "NODE_V8_COVERAGE": str(folder)}


def _end(process: Process) -> None:
    process.send_signal(signal.SIGTERM)
    later = threading.Timer(LAST_SECONDS, _kill_late, [process])
    later.daemon = True
    later.start()


def _kill_late(process: Process) -> None:
    if process.returncode is None:
        os.kill(process.pid, signal.SIGKILL)
