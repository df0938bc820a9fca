"""Whose card came to which foundation, and when: who comes too late is told by whom, and by how much."""

from array import array
from typing import Final, NamedTuple

__all__ = ["MOST", "Arrival", "RaceLog"]

MOST: Final = 4_096
"""So many are remembered at most, and half as many at least: cards can be taken back and come again."""
FIELDS: Final = 4


class Arrival(NamedTuple):
    """When a card came to a foundation, and from whom.

    Attributes:
        pile: the foundation.
        seq: the number of the play's event.
        seat: whose play it was.
        at: when it arrived, in microseconds on the server's clock.

    """

    pile: int
    seq: int
    seat: int
    at: int


class RaceLog:
    """The newest arrivals of a hand: numbers in a row, as a whole hand of objects takes long to let go of."""

    def __init__(self) -> None:
        self._numbers = array("q")

    def note(self, *arrival: int) -> None:
        """Note the fields of the newest :class:`Arrival`."""
        self._numbers.extend(arrival)
        if len(self._numbers) > MOST * FIELDS:
            del self._numbers[: MOST // 2 * FIELDS]

    def since(self, seq: int) -> dict[int, list[Arrival]]:
        """Return what came after an event, by foundation, the newest first."""
        found: dict[int, list[Arrival]] = {}
        for begin in range(len(self._numbers) - FIELDS, -1, -FIELDS):
            arrival = Arrival(*self._numbers[begin : begin + FIELDS])
            if arrival.seq <= seq:
                break
            found.setdefault(arrival.pile, []).append(arrival)
        return found
