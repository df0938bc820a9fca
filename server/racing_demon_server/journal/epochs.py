"""The starts of a server that have written a table's log.

Sequence numbers alone do not identify the history of a table: a server that continues from an older copy
of its journal gives the same numbers to other events. So each start has a random name, its epoch.
"""

from collections.abc import Iterable
from itertools import pairwise

MOST = 16
"""The epochs of a table that are kept. A client that was last connected in an older one gets a snapshot."""


class Epochs:
    """The epochs of one table.

    Attributes:
        current: the epoch that writes the log now.

    Args:
        begun: the table's epochs, oldest first, each with the number of the last event before it; the last
            one is current.

    """

    def __init__(self, begun: Iterable[tuple[str, int]]) -> None:
        begun = list(begun)
        self.current = begun[-1][0]
        self._ended = {epoch: end for (epoch, _), (_, end) in pairwise(begun)}

    def contain(self, epoch: str, seq: int) -> bool:
        """Tell whether the log has the event that a client received with a number in an epoch.

        It has all events of the current epoch, and those of an earlier one up to its end. In a copy of the
        journal an epoch ends where the copy was made.
        """
        return epoch == self.current or seq <= self._ended.get(epoch, -1)
