"""A thread that works a little at a time, because while it works, no table gets the interpreter."""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeVar

from racing_demon_server.players.store import PlayersStore

from .names import Names
from .query import Stopping
from .store import Reading, ResultsStore

WORK_SECONDS: Final = 0.0003
"""How long the thread works before it rests, so that the loop waits no longer for the interpreter."""
REST_SECONDS: Final = 0.001
"""How long it rests."""

Item = TypeVar("Item")


class PacedResults:
    """Works on results in steps, between which it may rest. Only one thread may use it.

    Attributes:
        is_stopping: whether the server is stopping: then the work ends after the next step.

    Args:
        file: keeps the results.
        reading: opens the journal of this server, or of this process.
        name: the journal's name among those that share the results.
        players: keeps the players, for this thread; ``None`` if all are guests.
        now_ms: returns the milliseconds since 1970, by which tokens end.

    """

    def __init__(
        self,
        file: ResultsStore,
        reading: Reading,
        name: str,
        players: PlayersStore | None = None,
        *,
        now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
    ) -> None:
        self.is_stopping = False
        self._rested = time.monotonic()
        self._file = file
        self._players = players
        self._names = Names(players, self._paced)
        self._reading = reading
        self._name = name
        self._now_ms = now_ms

    def close(self) -> None:
        """Close the files."""
        self._file.close()
        if self._players is not None:
            self._players.close()

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
