"""Decides which nodes are dead: those whose heartbeats have not changed for a lease of successful reads."""

from collections.abc import Mapping
from typing import Final

STARTING_SECONDS: Final = 20.0
"""Seconds after which a node without any heartbeat is dead, because starting may take long."""


class FailureDetector:
    """Watches the heartbeats of other nodes. Times are seconds on the watcher's own monotonic clock.

    Args:
        lease: how long a heartbeat must stay unchanged, while all reads succeed, until its node is dead.

    """

    def __init__(self, lease: float) -> None:
        self._lease = lease
        self._seen: dict[int, tuple[int, float]] = {}

    def observe(self, heartbeats: Mapping[int, int], began: float, ended: float) -> list[int]:
        """Record the heartbeats of all nodes that are not fenced, and return which of these are dead.

        Args:
            heartbeats: the number of heartbeats of each; 0 for a node that is starting.
            began: when the read began.
            ended: when the read ended.

        """
        self._seen = {node: seen for node, seen in self._seen.items() if node in heartbeats}
        dead = []
        for node, beat in heartbeats.items():
            seen, since = self._seen.get(node, (-1, ended))
            if beat != seen:
                self._seen[node] = beat, ended
            elif began - since > (self._lease if beat else max(self._lease, STARTING_SECONDS)):
                dead.append(node)
        return dead

    def forget(self) -> None:
        """Start all leases again, after a failed read."""
        self._seen.clear()
