"""The benchmark of the terminal table measures all that it says; how quick it is, no test asks."""

import sys
from pathlib import Path

import pytest

from tests.support.measuring import measured

VARIANTS = {"raw", "empty", "table", "table_turn", "table_busy", "event"}


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
async def test_every_variant_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With very few keys every variant has its paints, whatever size the terminal around has."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    numbers, output = await measured("ui.py", tmp_path, "--keys", "4")
    rows = numbers["variants"]
    assert set(rows) == VARIANTS
    for row in rows.values():
        assert row["samples"] > 0
        assert row["title"] in output
        assert all(row[kind][share] > 0 for kind in ("first", "paint", "closed") for share in row[kind])
    assert numbers["ratio_p95"] > 0
