"""Which nodes are taken for dead."""

from racing_demon_cluster.heartbeat import STARTING_SECONDS, FailureDetector
from tests.support.cases import for_each

LEASE = 2.0


@for_each(("beat", "patience"), [(5, LEASE), (0, STARTING_SECONDS)])
def test_a_node_that_is_starting_has_more_time(beat: int, patience: float) -> None:
    """A node whose beat stands still is dead after the lease; one that has never beaten, much later."""
    watch = FailureDetector(LEASE)
    assert watch.observe({1: beat}, 1, 0.0, 0.1) == []
    assert watch.observe({1: beat}, 5, patience, patience) == []
    assert watch.observe({1: beat}, 5, patience + 0.2, patience + 0.2) == [1]


def test_nobody_is_dead_while_no_heartbeat_arrives() -> None:
    """A database that has stood still for a minute, or the watcher itself: others get as many chances."""
    watch = FailureDetector(LEASE)
    assert watch.observe({1: 7}, 20, 0.0, 0.1) == []
    assert watch.observe({1: 7}, 20, 60.0, 60.1) == []
    assert watch.observe({1: 7}, 22, 61.0, 61.1) == []
    assert watch.observe({1: 8}, 23, 61.5, 61.6) == []


def test_a_node_is_dead_however_slow_the_database_is() -> None:
    """Three answers of three seconds each are enough."""
    watch = FailureDetector(LEASE)
    found = [watch.observe({1: 7}, own, 3.0 * own, 3.0 * own + 3.0) for own in range(4)]
    assert found == [[], [], [], [1]]
