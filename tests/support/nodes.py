"""Node.js and its tools, with which developers check the browser's scripts; nobody else needs them."""

import os
import shutil
from pathlib import Path
from typing import Final

import pytest

import racing_demon_web

TOOLS: Final = Path(__file__).parents[1] / "web"
SCRIPTS: Final = Path(racing_demon_web.__path__[0])


def node() -> str:
    """Return where Node.js is; where it is not, the test is passed over, unless browsers were required."""
    path = shutil.which("node")
    if path is None:
        _missing("Node.js: apt-get install nodejs")
    assert path is not None
    return path


def tool(name: str) -> Path:
    """Return a file of the packages that ``make lint`` installs."""
    node()
    path = TOOLS / "node_modules" / name
    if not path.exists():
        _missing(f"{name}: make lint")
    return path


def _missing(what: str) -> None:
    if os.environ.get("RACING_DEMON_BROWSER") == "required":
        pytest.fail(f"there is no {what}")
    pytest.skip(f"there is no {what}")
