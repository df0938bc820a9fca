"""The dead-hand test, in slices: no other player waits while it thinks.

Times are microseconds on the clock of whoever calls; nothing here reads one.
"""

from collections.abc import Iterable
from typing import Final

from racing_demon_protocol.engine.board import Board
from racing_demon_protocol.engine.dealer import Dealer
from racing_demon_protocol.engine.search import UNIT_MICROSECONDS, Search

__all__ = ["DEAD_CHECK_DELAY", "SLICE_GAP", "DeadHandTest"]

DEAD_CHECK_DELAY: Final = 500_000
"""From a play to the test whether the hand is dead. Many plays share one test; nearly all dead hands end
within a second."""
SLICE_UNITS: Final = 60
"""The work of one slice: see :mod:`.engine.search`. With the rest of its last step it takes
less than two milliseconds in every game."""
SLICE_GAP: Final = 2_000
"""From one slice to the next: time for all others."""
REST: Final = 20 * UNIT_MICROSECONDS
"""After a search that took several slices the next one waits so long for each unit of its work: where every
search is long, and somebody goes on playing, that costs a few hundredths of the time."""


class DeadHandTest:
    """Finds out whether seats can still come further, whenever their cards have changed.

    Several tests of one hand know nothing of each other: from the time at which one tells its answer nobody
    can conclude what others have to do. So that they do not all work at once each has a phase of its own.

    Attributes:
        due: when to work on; ``None`` if nothing has changed since all was known.

    Args:
        board: the public board of the hand.
        dealer: the one who knows the hidden cards.
        begins: when to begin.
        phase: microseconds after a multiple of :data:`SLICE_GAP` at which it works; ``None``: at any time.

    """

    def __init__(self, board: Board, dealer: Dealer, begins: int, phase: int | None = None) -> None:
        self._phase = phase
        self.due: int | None = self._in_phase(begins)
        self._board = board
        self._dealer = dealer
        self._dead: set[int] = set()
        self._search: tuple[int, Search[bool]] | None = None
        self._rests_until = 0

    def work(self, seats: Iterable[int], at: int) -> bool:
        """Do one slice; be due again soon if that does not tell all.

        Returns:
            Whether it is known by now that none of these seats can come further.

        """
        left = SLICE_UNITS
        for seat in seats:
            if seat in self._dead:
                continue
            leads_on, done = self._advance(seat, left, at)
            left -= done
            if leads_on is None:
                self.due = self._in_phase(max(at + SLICE_GAP, self._rests_until))
                return False
            if leads_on:
                self.due = None
                return False
            self._dead.add(seat)
        self.due = None
        return True

    def forget(self, at: int) -> None:
        """Ask anew, some time after the cards have changed."""
        self._dead.clear()
        if self._search is not None:
            self._end_search(at)
            self.due = None
        self.ask(at)

    def ask(self, at: int) -> None:
        """Work on some time after ``at``, if not before."""
        if self.due is None:
            self.due = self._in_phase(at + DEAD_CHECK_DELAY)

    def shift(self, microseconds: int) -> None:
        """Put off what is due, after a pause of so long."""
        if self.due is not None:
            self.due += microseconds

    def keep_pace(self, now: int) -> None:
        """Leave what is overdue for later: slices that are late do not come all at once.

        A test that has not begun yet comes before the next slice of one that has.
        """
        if self.due is not None and self.due < now:
            self.due = now + (1 if self._search is None else SLICE_GAP)

    def _in_phase(self, at: int) -> int:
        """Return the next time of this test's phase that is not before a moment."""
        return at if self._phase is None else at + (self._phase - at) % SLICE_GAP

    def _advance(self, seat: int, units: int, at: int) -> tuple[bool | None, int]:
        """Search on for a seat; return whether it can come further, if that is known, and the work done."""
        if self._search is None and (units <= 0 or at < self._rests_until):
            return None, 0
        if self._search is None or self._search[0] != seat:
            self._search = seat, self._dealer.search(self._board, seat)
        search = self._search[1]
        before, leads_on = search.units, search.advance(units)
        if leads_on is not None:
            self._end_search(at)
        return leads_on, search.units - before

    def _end_search(self, at: int) -> None:
        if self._search is not None and self._search[1].units > SLICE_UNITS:
            self._rests_until = at + self._search[1].units * REST
        self._search = None
