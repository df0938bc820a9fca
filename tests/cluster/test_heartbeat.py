"""Which nodes are taken for dead."""

import pytest

from racing_demon_cluster.heartbeat import STARTING_SECONDS, FailureDetector

LEASE = 2.0


@pytest.mark.parametrize(("beat", "patience"), [(5, LEASE), (0, STARTING_SECONDS)])
def test_a_node_that_is_starting_has_more_time(beat: int, patience: float) -> None:
    """A node whose beat stands still is dead after the lease; one that has never beaten, much later."""
    watch = FailureDetector(LEASE)
    assert watch.observe({1: beat}, 0.0, 0.1) == []
    assert watch.observe({1: beat}, patience, patience) == []
    assert watch.observe({1: beat}, patience + 0.2, patience + 0.2) == [1]
