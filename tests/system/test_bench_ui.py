"""The benchmark of the terminal table measures all that it says; how quick it is, no test asks."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
VARIANTS = {"raw", "empty", "table", "table_turn", "table_busy", "event"}


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
async def test_every_variant_is_measured(tmp_path: Path) -> None:
    """With very few keys every variant has its paints, in times above zero, and no key is without one."""
    file = tmp_path / "numbers.json"
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, ROOT / "benchmarks" / "ui.py", "--keys", "4", "--size", "80x24", "--json", file),
        stdout=pipe,
        stderr=pipe,
    )
    try:
        async with asyncio.timeout(100):
            output, complaints = await process.communicate()
    finally:
        if process.returncode is None:
            process.terminate()  # which stops all that it has started
            await process.wait()

    assert process.returncode == 0, complaints.decode()
    numbers = json.loads(file.read_text(encoding="utf-8"))
    rows = numbers["variants"]
    assert set(rows) == VARIANTS
    for row in rows.values():
        assert row["samples"] > 0
        assert row["title"] in output.decode()
        assert all(row[kind][share] > 0 for kind in ("first", "paint", "closed") for share in row[kind])
    assert numbers["ratio_p95"] > 0
