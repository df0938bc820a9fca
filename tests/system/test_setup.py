"""Setting the project up: which Python is taken, and what is said when there is none."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "deploy" / "venv.sh"
TOOLS = ("sh", "cat", "dirname", "touch")

OLD = f"""#!{sys.executable}
import sys
sys.version_info = (3, 10, 12)
exec(sys.argv[2])
"""
"""A Python that answers as one of Ubuntu 22.04 does."""

NEW = f"""#!/bin/sh
[ "$1" = -c ] && exec {sys.executable} "$@"
echo "$0 $*"
exit 7
"""
"""A Python that will do, and ends the set-up when it is to make the environment."""


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """Return a checkout's folder on a machine without any Python; its programs lie in ``bin``."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (tmp_path / "deploy").mkdir()
    (tmp_path / "deploy" / "venv.sh").write_text(SCRIPT.read_text())
    for tool in TOOLS:
        found = next(path for folder in ("/bin", "/usr/bin") if (path := Path(folder, tool)).exists())
        (programs / tool).symlink_to(found)
    return tmp_path


def install(machine: Path, name: str, program: str) -> None:
    """Put a program onto the machine."""
    path = machine / "bin" / name
    path.write_text(program)
    path.chmod(0o755)


def set_up(machine: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the set-up there."""
    return subprocess.run(  # noqa: S603 - our own script, with paths of the test
        [machine / "bin" / "sh", machine / "deploy" / "venv.sh"],
        env={"PATH": str(machine / "bin"), "LANG": os.environ.get("LANG", "C")} | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_an_old_python_alone_is_named_and_leaves_nothing_behind(machine: Path) -> None:
    """With Python 3.10 only, the set-up says what is missing and makes no environment."""
    install(machine, "python3", OLD)
    done = set_up(machine)
    assert done.returncode == 1
    assert "needs Python 3.11 or newer with its venv module. Found here: 3.10 (too old)." in done.stderr
    assert not (machine / ".venv").exists()


def test_no_python_at_all_is_said(machine: Path) -> None:
    """Without any Python, the set-up says so."""
    done = set_up(machine)
    assert done.returncode == 1
    assert "Found here: no Python." in done.stderr


def test_a_newer_python_beside_an_old_one_is_found(machine: Path) -> None:
    """Where ``python3`` is too old, a newer Python with its version in its name is taken."""
    install(machine, "python3", OLD)
    for name in ("python3.11", "python3.12", "python3.13"):
        install(machine, name, NEW)
        done = set_up(machine)
        assert done.returncode == 7
        assert done.stdout.endswith(f"{name} -m venv --clear .venv\n")
        (machine / "bin" / name).unlink()


def test_the_python_that_is_named_is_the_only_one_tried(machine: Path) -> None:
    """``PYTHON`` names the Python to take, in a folder with a space, too; no other is tried instead."""
    install(machine, "python3", NEW)
    (machine / "my bin").mkdir()
    install(machine, "../my bin/mine", OLD)
    done = set_up(machine, PYTHON=str(machine / "my bin" / "mine"))
    assert done.returncode == 1
    assert "Found here: 3.10 (too old)." in done.stderr
