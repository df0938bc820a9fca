"""A seat's handicap, as messages and snapshots carry it."""

from typing import Annotated, Final

from pydantic import Field

from .base import WireModel

MAX_EXTRA_HEAP: Final = 29
"""The greatest difference between two heaps."""
MAX_DELAY_S: Final = 60
"""The longest delay of a seat's signal, in seconds."""
MAX_HANDICAP_POINTS: Final = 100
"""The most points that a handicap gives or takes in a hand."""


class Handicap(WireModel):
    """What makes the game harder or easier for a seat than for others."""

    heap: Annotated[int, Field(strict=True, ge=-MAX_EXTRA_HEAP, le=MAX_EXTRA_HEAP)] = 0
    """How many cards more the seat's reserve gets than the game says; negative: fewer."""
    delay_s: Annotated[int, Field(strict=True, ge=0, le=MAX_DELAY_S)] = 0
    """The head start of others, in seconds: they count from the fewest in the hand."""
    points: Annotated[int, Field(strict=True, ge=-MAX_HANDICAP_POINTS, le=MAX_HANDICAP_POINTS)] = 0
    """What is added to the seat's total for each hand; ``hand_over`` is without it."""


NO_HANDICAP: Final = Handicap()
"""What a seat has unless it is given another."""
