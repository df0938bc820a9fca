"""A search in slices, each no longer than the caller can spare."""

from collections.abc import Generator
from typing import Final, Generic, TypeVar

UNIT_MICROSECONDS: Final = 10
"""The approximate cost of a unit of work: an upper bound on slow current machines."""

Result = TypeVar("Result")

SearchSteps = Generator[int, None, bool]
"""The work of a search: yields the units of each step, and returns the answer."""


class SlicedSearch(Generic[Result]):
    """The answer to a question about a hand, computed in slices.

    Work is counted in units and not in time, so the same search has the same slices everywhere. Dealers ask
    whether a seat can get any further, bots what to play.

    Attributes:
        result: ``None`` until it is known.
        units: the work done so far.

    """

    def __init__(self, steps: Generator[int, None, Result]) -> None:
        self.result: Result | None = None
        self.units = 0
        self._steps = steps

    def advance(self, units: int) -> Result | None:
        """Work for some units, and to the end of the step that they fall into; return the answer."""
        end = self.units + units
        try:
            while self.result is None and self.units < end:
                self.units += next(self._steps)
        except StopIteration as found:
            self.result = found.value
        return self.result

    def finish(self) -> Result:
        """Work to the end, however long it takes, and return the answer."""
        while self.result is None:
            self.advance(1)
        return self.result
