"""The benchmark of relays measures all that it says; how quick anything is, no test asks."""

import sys
from pathlib import Path

import pytest

from tests.support.measuring import measured

SIZES = ["--relayed", "6", "--direct", "3", "--rounds", "2", "--seconds", "0.5"]


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a thread's processor time")
async def test_each_kind_of_spectators_is_measured(tmp_path: Path) -> None:
    """With very few spectators each table has its costs, and the spectators receive what happens."""
    numbers, output = await measured("relays.py", tmp_path, *SIZES)
    assert set(numbers["cost_us"]) == {"nobody", "one", "relayed", "direct"}
    assert all(len(row) == 2 and min(row) > 0 for row in numbers["cost_us"].values())
    assert numbers["received_bytes"] > 0
    assert "6 spectators at a relay" in output
