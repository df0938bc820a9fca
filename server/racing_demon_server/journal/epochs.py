"""Which starts of a server have written a table's log.

Sequence numbers alone do not tell one history of a table from another: a server that goes on from an older
copy of its journal gives the same numbers to other events. So each start has an epoch, a random name.
"""

from collections.abc import Iterable
from itertools import pairwise

__all__ = ["MOST", "Epochs"]

MOST = 16
"""So many epochs of a table are remembered. Whoever was last connected in an older one gets a snapshot."""


class Epochs:
    """The epochs of one table.

    Attributes:
        current: the epoch that writes the log now.

    Args:
        begun: the table's epochs, the oldest first, each with the number of the last event before it. The
            last one is the current one.

    """

    def __init__(self, begun: Iterable[tuple[str, int]]) -> None:
        begun = list(begun)
        self.current = begun[-1][0]
        self._ended = {epoch: end for (epoch, _), (_, end) in pairwise(begun)}

    def contain(self, epoch: str, seq: int) -> bool:
        """Tell whether the log has the event that a client received as number ``seq`` in an epoch.

        It has all that was sent in the current epoch, and what was sent in an earlier one up to its end. A
        copy of the journal that was made before that event ends the epoch before it.
        """
        return epoch == self.current or seq <= self._ended.get(epoch, -1)
