"""Which card arrived on which foundation, and when.

It tells a beaten player who was faster, and by how much.
"""

from array import array
from collections.abc import Sequence
from typing import Final, NamedTuple

MOST: Final = 4_096
"""The most arrivals kept; at least half as many are. Cards can be taken back and played again."""
FIELDS: Final = 4


class Arrival(NamedTuple):
    """The arrival of a card on a foundation.

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
    """The newest arrivals of a hand. They are numbers in one list, because many objects take long to free."""

    def __init__(self) -> None:
        self._numbers = array("q")

    def note(self, *arrival: int) -> None:
        """Append the fields of the newest :class:`Arrival`."""
        self._numbers.extend(arrival)
        if len(self._numbers) > MOST * FIELDS:
            del self._numbers[: MOST // 2 * FIELDS]

    def state(self) -> list[int]:
        """Return everything as numbers, for :meth:`restore`."""
        return self._numbers.tolist()

    def restore(self, numbers: Sequence[int]) -> None:
        """Continue with the arrivals of an earlier moment."""
        self._numbers = array("q", numbers)

    def since(self, seq: int) -> dict[int, list[Arrival]]:
        """Return the arrivals after an event, by foundation, newest first."""
        found: dict[int, list[Arrival]] = {}
        for begin in range(len(self._numbers) - FIELDS, -1, -FIELDS):
            arrival = Arrival(*self._numbers[begin : begin + FIELDS])
            if arrival.seq <= seq:
                break
            found.setdefault(arrival.pile, []).append(arrival)
        return found
