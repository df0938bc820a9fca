"""A thread that works a little at a time, because while it works, no table gets the interpreter."""

import time
from collections.abc import Iterable, Iterator
from typing import Final, TypeVar

from .query import Stopping

WORK_SECONDS: Final = 0.0003
"""How long the thread works before it rests, so that the loop waits no longer for the interpreter."""
REST_SECONDS: Final = 0.001
"""How long it rests."""

Item = TypeVar("Item")


class Paced:
    """Works in steps, between which it may rest. Only one thread may use it.

    Attributes:
        is_stopping: whether the server is stopping: then the work ends after the next step.

    """

    def __init__(self) -> None:
        self._rested = time.monotonic()
        self.is_stopping = False

    def _paced(self, items: Iterable[Item]) -> Iterator[Item]:
        """Yield items, and rest between making some and using them; end early if the server is stopping."""
        for item in items:
            self._rest()
            yield item
            self._rest()

    def _rest(self) -> None:
        """Rest if the thread has worked long enough.

        Raises:
            Stopping: the server is stopping.

        """
        if self.is_stopping:
            raise Stopping
        if time.monotonic() - self._rested >= WORK_SECONDS:
            time.sleep(REST_SECONDS)
            self._rested = time.monotonic()
