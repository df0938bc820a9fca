"""What happens when, in a simulation without a loop."""

import heapq
import itertools
from collections.abc import Callable


class Agenda:
    """What is to happen, in the order of time.

    Attributes:
        now: the present moment, in seconds.

    """

    def __init__(self) -> None:
        self.now = 0.0
        self._numbers = itertools.count()
        self._due: list[tuple[float, int, Callable[[], None]]] = []

    def add(self, at: float, act: Callable[[], None]) -> None:
        """Do something at a moment."""
        heapq.heappush(self._due, (max(at, self.now), next(self._numbers), act))

    def pass_time(self, until: float) -> None:
        """Let everything happen that is due until a moment."""
        while self._due and self._due[0][0] <= until:
            self.now, _, act = heapq.heappop(self._due)
            act()
        self.now = until
