"""The spectators of all tables take turns: a few units of work every millisecond, however many have some.

In between the loop is free for the players' cards. Whoever has much to do stands last again after each turn,
so one crowded gallery does not keep the others waiting.
"""

import asyncio
from collections.abc import Callable
from typing import Final

__all__ = ["STEP_SECONDS", "STEP_UNITS", "Turn", "Turns"]

STEP_UNITS: Final = 10
"""So much is done in one step, by all together."""
STEP_SECONDS: Final = 0.001
"""From one step to the next."""

Turn = Callable[[int], int]
"""Does as many units of work as it is given at the most, and returns how many it has done."""


class Turns:
    """Who waits for a turn, in their order."""

    def __init__(self) -> None:
        self._waiting: dict[Turn, None] = {}
        self._step: asyncio.Handle | None = None

    def ask(self, turn: Turn) -> None:
        """Wait for a turn, if it does not wait already."""
        self._waiting[turn] = None
        if self._step is None:
            self._step = asyncio.get_running_loop().call_soon(self._do_step)

    def withdraw(self, turn: Turn) -> None:
        """Wait no more."""
        self._waiting.pop(turn, None)

    def _do_step(self) -> None:
        if not self._waiting:
            self._step = None
            return
        # First, as the others go on where a turn fails.
        self._step = asyncio.get_running_loop().call_later(STEP_SECONDS, self._do_step)
        left = STEP_UNITS
        while left > 0 and self._waiting:
            turn = next(iter(self._waiting))
            del self._waiting[turn]
            left -= max(1, turn(left))
