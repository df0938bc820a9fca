"""The benchmark of the server measures all that it says; how quick anything is, no test asks."""

import asyncio
import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from benchmarks.yardsticks.script import Recorder, rounds, singles
from benchmarks.yardsticks.sizes import sizes

ROOT = Path(__file__).parents[2]
SIZES = ["--rounds", "2", "--seconds", "0.3", "--tables", "2", "--most-tables", "3"]

needs_load = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None, reason="the load is compiled, and made for Linux"
)


async def run(*arguments: str) -> str:
    """Run the benchmark, and return what it prints."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(ROOT / "benchmarks" / "server.py"), *arguments), stdout=pipe, stderr=pipe
    )
    try:
        async with asyncio.timeout(150):
            output, complaints = await process.communicate()
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()
    assert process.returncode == 0, complaints.decode()
    return output.decode()


def of(rows: Sequence[dict[str, Any]], section: str) -> dict[str, list[float]]:
    """Return the values of the rows of the section that begins so, by their names."""
    return {row["name"]: row["values"] for row in rows if row["section"].startswith(section)}


@needs_load
async def test_every_part_measures_what_it_says(tmp_path: Path) -> None:
    """With a small load every row has its values, and the table has every row."""
    file = tmp_path / "numbers.json"

    output = await run(*SIZES, "--json", str(file))

    rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
    for row in rows:
        assert row["name"] in output
        assert row["low"] <= row["median"] <= row["high"]
    throughput = of(rows, "Throughput")
    for contestant in ("R0, the bare relay on uvloop", "R1, the floor", "ours, uvloop", "ours, asyncio"):
        for what in ("server CPU a play", "plays", "server busy", "load busy"):
            assert len(throughput[f"{contestant}: {what}"]) == 2
            assert all(value > 0 for value in throughput[f"{contestant}: {what}"])
    assert len(of(rows, "Tables beside each other")) == 4


def test_a_play_an_event_and_a_snapshot_do_not_grow_unnoticed() -> None:
    """Over a whole hand in msgpack they stay within the bytes that they were given."""
    found = sizes(rounds())

    assert [row.verdict for row in found if "MISSED" in row.verdict] == []
    assert len(found) == 3


def test_plays_of_a_round_may_arrive_in_any_order() -> None:
    """Backwards, too, every play of the script is legal and leads to as many events."""
    recorder, script = Recorder(), rounds()

    for step in script:
        events = [event for written in reversed(step.plays) for event in recorder.carry_out(written)]
        assert len(events) == step.frames

    assert len(script) > 40
    assert sum(step.frames for step in singles(script)) == sum(step.frames for step in script)
