"""The benchmark of several processes measures what all of them do."""

import shutil
import sys

import pytest
from benchmarks.yardsticks.loading import Load, measure
from benchmarks.yardsticks.processes import seated, serving
from benchmarks.yardsticks.script import rounds


@pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None, reason="the load is compiled, and made for Linux"
)
@pytest.mark.parametrize("count", [1, pytest.param(2, marks=pytest.mark.long)])
def test_plays_go_to_every_process(count: int) -> None:
    """Each has its table, and its plays and processor time are counted."""
    with serving(count) as server, seated(server, 1) as sockets:
        measured = measure(server, Load(steps=rounds(), seconds=0.3, warm_up=0.1), sockets)
    assert len(sockets) == 8 * count
    assert measured.plays > 0
    assert measured.server_us > 0
