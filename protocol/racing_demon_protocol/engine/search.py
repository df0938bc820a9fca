"""A search that stops and goes on: it never takes longer at a time than whoever asks can spare."""

from collections.abc import Generator
from typing import Final, Generic, TypeVar

__all__ = ["UNIT_MICROSECONDS", "Search", "Steps"]

UNIT_MICROSECONDS: Final = 10
"""What a unit of work is worth, roughly: so long a slow machine of today works on it, or less."""

Answer = TypeVar("Answer")

Steps = Generator[int, None, bool]
"""The work of a search: yields the units that each step took, and returns the answer in the end."""


class Search(Generic[Answer]):
    """The answer to a question about a hand, found out in slices.

    The work is counted in units and not in time, so the same search takes the same slices everywhere.
    Dealers ask whether a seat can still come further, bots what to play.

    Attributes:
        answer: ``None`` while it is not known.
        units: the work done so far.

    """

    def __init__(self, steps: Generator[int, None, Answer]) -> None:
        self.answer: Answer | None = None
        self.units = 0
        self._steps = steps

    def advance(self, units: int) -> Answer | None:
        """Work on for some units, and for the rest of the step that these end in; return the answer."""
        end = self.units + units
        try:
            while self.answer is None and self.units < end:
                self.units += next(self._steps)
        except StopIteration as found:
            self.answer = found.value
        return self.answer

    def finish(self) -> Answer:
        """Work on to the end, however long it takes, and return the answer."""
        while self.answer is None:
            self.advance(1)
        return self.answer
