"""A search in slices, each no longer than the caller can spare."""

from collections.abc import Generator
from typing import Final, Generic, TypeVar

UNIT_MICROSECONDS: Final = 10
"""The approximate cost of a unit of work: an upper bound on slow current machines."""

Answer = TypeVar("Answer")

Steps = Generator[int, None, bool]
"""The work of a search: yields the units of each step, and returns the answer."""


class Search(Generic[Answer]):
    """The answer to a question about a hand, computed in slices.

    Work is counted in units and not in time, so the same search has the same slices everywhere. Dealers ask
    whether a seat can get any further, bots what to play.

    Attributes:
        answer: ``None`` until it is known.
        units: the work done so far.

    """

    def __init__(self, steps: Generator[int, None, Answer]) -> None:
        self.answer: Answer | None = None
        self.units = 0
        self._steps = steps

    def advance(self, units: int) -> Answer | None:
        """Work for some units, and to the end of the step that they fall into; return the answer."""
        end = self.units + units
        try:
            while self.answer is None and self.units < end:
                self.units += next(self._steps)
        except StopIteration as found:
            self.answer = found.value
        return self.answer

    def finish(self) -> Answer:
        """Work to the end, however long it takes, and return the answer."""
        while self.answer is None:
            self.advance(1)
        return self.answer
