"""The journal of a server without durability: events are sent at once."""

import itertools
import logging
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

from .interface import JournalReader
from .operations import Change

log = logging.getLogger("racing_demon_server")


class NullJournal:
    """Keeps nothing, and never halts. See :class:`.interface.Journal`."""

    is_durable = False
    lead_us = 315_360_000_000_000  # ten years: there is no restart

    def __init__(self) -> None:
        self.is_halted = False
        self.needs = ""
        self.halted: Callable[[bool], None]  # never called
        self.fenced: Callable[[str], None]
        self._numbers = itertools.count(1)
        self._callbacks: deque[Callable[[], None]] = deque()
        self._is_telling = False

    def write(self, changes: Sequence[Change], on_written: Callable[[], None]) -> None:
        """Call back at once, or right after a callback that is running."""
        self._callbacks.append(on_written)
        if self._is_telling:
            return
        self._is_telling = True
        while self._callbacks:
            try:
                self._callbacks.popleft()()
            except Exception:
                log.exception("what has happened could not be told")
        self._is_telling = False

    def new_number(self) -> int:
        """Return a new table's number."""
        return next(self._numbers)

    def reading(self) -> AbstractContextManager[Sequence[JournalReader]]:
        """Return no reader: nothing is kept."""
        return nullcontext(())

    async def drained(self) -> None:
        """Return at once: nothing waits."""

    def close(self) -> None:
        """Do nothing."""
