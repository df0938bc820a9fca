"""The dead-hand test, in slices, so that it delays no player.

Times are microseconds on the caller's clock.
"""

from collections.abc import Iterable
from typing import Final

from racing_demon_protocol.engine.board import Board
from racing_demon_protocol.engine.dealer import Dealer
from racing_demon_protocol.engine.sliced_search import UNIT_MICROSECONDS, SlicedSearch

DEAD_CHECK_DELAY: Final = 500_000
"""Time from a play to the dead-hand test. Many plays share one test, and nearly all dead hands end within
a second."""
SLICE_UNITS: Final = 50
"""The work of one slice, less than two milliseconds in every game: see :mod:`.engine.sliced_search`."""
SLICE_GAP: Final = 2_000
"""Time between two slices, for everything else."""
REST: Final = 20 * UNIT_MICROSECONDS
"""After a search of several slices the next one waits this long for each unit of its work. Where every
search is long and somebody keeps playing, searching costs a few hundredths of the time."""


class DeadHandTest:
    """Finds out whether seats can still make progress.

    The tests of one hand are independent, so the time of an answer reveals nothing about other seats. Each
    has slots of its own, :data:`SLICE_GAP` apart from the others', so that they do not all run at once.

    Attributes:
        due: when to continue; ``None`` if nothing has changed since the last answer.

    Args:
        board: the public board of the hand.
        dealer: knows the hidden cards.
        begins: when to start.
        slot, slots: this test's number among so many that take turns.

    """

    def __init__(self, board: Board, dealer: Dealer, begins: int, slot: int = 0, slots: int = 1) -> None:
        self._phase, self._period = slot * SLICE_GAP, slots * SLICE_GAP
        self._is_alone = slots == 1
        self.due: int | None = self._in_phase(begins)
        self._board = board
        self._dealer = dealer
        self._dead: set[int] = set()
        self._search: tuple[int, SlicedSearch[bool]] | None = None
        self._rests_until = 0

    def work(self, seats: Iterable[int], at: int) -> bool:
        """SlicedSearch for one slice, and be due again soon if that gives no answer.

        Returns:
            Whether none of these seats can make progress; False while unknown.

        """
        left = SLICE_UNITS
        for seat in seats:
            if seat in self._dead:
                continue
            can_progress, done = self._advance(seat, left, at)
            left -= done
            if can_progress is None:
                self.due = self._in_phase(max(at + SLICE_GAP, self._rests_until))
                return False
            if can_progress:
                self.due = None
                return False
            self._dead.add(seat)
        self.due = None
        return True

    def forget(self, at: int) -> None:
        """Start the test anew after the cards have changed."""
        self._dead.clear()
        if self._search is not None:
            self._end_search(at)
            self.due = None
        self.ask(at)

    def ask(self, at: int) -> None:
        """Continue some time after ``at``, if not before."""
        if self.due is None:
            self.due = self._in_phase(at + DEAD_CHECK_DELAY)

    def shift(self, microseconds: int) -> None:
        """Delay what is due by the length of a pause."""
        if self.due is not None:
            self.due = self._in_phase(self.due + microseconds)

    def keep_pace(self, now: int) -> None:
        """Move overdue work past the present, so that late slices do not run all at once.

        A test that has not started goes before the next slice of one that has.
        """
        if self.due is not None and self.due <= now:
            self.due = self._in_phase(now + (1 if self._search is None else SLICE_GAP))

    def _in_phase(self, at: int) -> int:
        """Return this test's first slot at or after a moment: any time if it is alone."""
        return at if self._is_alone else at + (self._phase - at) % self._period

    def _advance(self, seat: int, units: int, at: int) -> tuple[bool | None, int]:
        """Continue the search for a seat.

        Return whether it can make progress, if known, and the work done.
        """
        if self._search is None and (units <= 0 or at < self._rests_until):
            return None, 0
        if self._search is None or self._search[0] != seat:
            self._search = seat, self._dealer.search(self._board, seat)
        search = self._search[1]
        before, can_progress = search.units, search.advance(units)
        if can_progress is not None:
            self._end_search(at)
        return can_progress, search.units - before

    def _end_search(self, at: int) -> None:
        if self._search is not None and self._search[1].units > SLICE_UNITS:
            self._rests_until = at + self._search[1].units * REST
        self._search = None
