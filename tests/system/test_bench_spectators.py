"""The benchmark of spectators measures all that it says; how quick anything is, no test asks."""

import sys
from pathlib import Path

import pytest

from tests.support.measuring import measured

ROWS = {"alone", "watched", "readers", "silent"}
SIZES = ["--spectators", "6", "--rounds", "2", "--seconds", "0.5", "--silent", "3", "--readers", "3"]


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="there are no limits of files to raise")
async def test_both_kinds_of_spectators_are_measured(tmp_path: Path) -> None:
    """With very few spectators every row has its times, and no reader misses an event."""
    numbers, output = await measured("spectators.py", tmp_path, *SIZES)
    assert set(numbers["rows"]) == ROWS
    for row in numbers["rows"].values():
        assert row["samples"] > 0
        assert 0 < row["p50"] <= row["p95"] <= row["p99"] <= row["max"]
        assert row["title"] in output
    assert len(numbers["ratio_p99_by_round"]) == 2
    assert all(ratio > 0 for ratio in [*numbers["ratio"].values(), *numbers["silent_ratio"].values()])
    assert numbers["spectators"]["frames_a_second"] > 0
    assert numbers["spectators"]["gaps"] == numbers["silent"]["gaps"] == 0
    assert numbers["silent"]["gone"] + numbers["silent"]["left"] == 3
    assert numbers["silent"]["in_system"] > 0 or sys.platform != "linux"
