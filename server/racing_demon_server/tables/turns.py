"""Turns among the spectators of all tables: a few units of work every millisecond.

In between, the loop serves players. A gallery with more to do goes to the end of the line after each turn,
so a crowded one does not delay the others.
"""

import asyncio
from collections.abc import Callable
from typing import Final

STEP_UNITS: Final = 10
"""Units of work in one step, for all galleries together."""
STEP_SECONDS: Final = 0.001
"""Seconds between two steps."""

Turn = Callable[[int], int]
"""Does up to a number of units of work, and returns how many it has done."""


class Turns:
    """The galleries that wait for a turn, in order."""

    def __init__(self) -> None:
        self._waiting: dict[Turn, None] = {}
        self._step: asyncio.Handle | None = None

    def ask(self, turn: Turn) -> None:
        """Wait for a turn, unless it is waiting already."""
        self._waiting[turn] = None
        if self._step is None:
            self._step = asyncio.get_running_loop().call_soon(self._do_step)

    def withdraw(self, turn: Turn) -> None:
        """Stop waiting."""
        self._waiting.pop(turn, None)

    def _do_step(self) -> None:
        if not self._waiting:
            self._step = None
            return
        # First, so that the others continue if a turn fails.
        self._step = asyncio.get_running_loop().call_later(STEP_SECONDS, self._do_step)
        left = STEP_UNITS
        while left > 0 and self._waiting:
            turn = next(iter(self._waiting))
            del self._waiting[turn]
            left -= max(1, turn(left))
