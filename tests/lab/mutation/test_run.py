"""The command that plants mistakes, where it cannot."""

import argparse
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.lab.mutation import run

WITHOUT_MUTMUT = """
import runpy, sys
sys.modules["mutmut"] = None
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def test_without_mutmut_it_says_how_to_install_it() -> None:
    """In one sentence, before anything is copied."""
    command = [sys.executable, "-c", WITHOUT_MUTMUT, str(Path(run.__file__)), "rules"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.returncode == 2
    said = "mutmut is not installed; install it: pip install -e '.[mutants]'\n"
    assert done.stderr.endswith(f"error: {said}")


def test_a_group_whose_tests_fail_does_not_stop_the_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are tried, and at the end the command fails and names the group."""

    def try_group(name: str, group: dict[str, Any], _: argparse.Namespace) -> tuple[run.Outcome, bool]:
        assert group["tests"]
        if name == "rules":
            raise run.MutmutFailed("a test of rules failed")
        return run.Outcome(name, 9, 9, 0, 0), True

    monkeypatch.setattr(run, "_try_group", try_group)
    monkeypatch.setitem(sys.modules, "mutmut", pytest)  # whether it is installed or not
    monkeypatch.setattr(sys, "argv", ["run.py", "rules", "record"])
    assert run.main() == 1
    said = capsys.readouterr().out
    assert "a test of rules failed" in said
    assert "| record | 9 | 9 | 9 | 0 | 0 | 0.0% |" in said
    assert said.endswith("rules: not tried, its tests or mutmut failed\n")
