"""Which nodes are dead: those whose beats stand still for as long as somebody has looked."""

from collections.abc import Mapping
from typing import Final

__all__ = ["BeatWatch"]

STARTING_SECONDS: Final = 20.0
"""A node that has never beaten is dead after so long: it may take its time to start."""


class BeatWatch:
    """Watches the beats of other nodes. Times are seconds on the watcher's own rising clock.

    Args:
        lease: a node is dead whose beat has stood still for so long, in reads that all succeeded.

    """

    def __init__(self, lease: float) -> None:
        self._lease = lease
        self._seen: dict[int, tuple[int, float]] = {}

    def look(self, beats: Mapping[int, int], began: float, ended: float) -> list[int]:
        """Note the beats of all living nodes, and return which of these are dead.

        Args:
            beats: how often each has beaten; 0 for one that is starting.
            began: when the read began that tells them.
            ended: when it had ended.

        """
        self._seen = {node: seen for node, seen in self._seen.items() if node in beats}
        dead = []
        for node, beat in beats.items():
            seen, since = self._seen.get(node, (-1, ended))
            if beat != seen:
                self._seen[node] = beat, ended
            elif began - since > (self._lease if beat else max(self._lease, STARTING_SECONDS)):
                dead.append(node)
        return dead

    def forget(self) -> None:
        """Begin all waiting anew, after a read that failed."""
        self._seen.clear()
