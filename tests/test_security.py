"""What SECURITY.md promises has been tried."""

import re
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
ROW: Final = re.compile(r"^\| ([^|]+?) \| (.+) \|$", re.MULTILINE)
TEST: Final = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")


def test_each_promise_names_an_attack_that_there_is() -> None:
    """Every promise names tests that tried to break it, each by its file and its name."""
    promised, tried = (ROOT / "SECURITY.md").read_text("utf-8").split("## How it is tested")
    promises = [name for name, _ in ROW.findall(promised) if name.strip()]
    rows = {name: TEST.findall(text) for name, text in ROW.findall(tried)}
    assert list(rows) == promises
    assert all(rows.values())
    for path, test in (each for row in rows.values() for each in row):
        source = (ROOT / path).read_text("utf-8")
        assert re.search(rf"^(async )?def {test}\(", source, re.MULTILINE), f"{path}::{test}"
