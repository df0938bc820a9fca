"""The three densities of the table, and the choice of one that fits a terminal."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Density:
    """How roomy a table is drawn. All sizes are in cells.

    Attributes:
        name: its name in the settings.
        size: the minimum width and height of the terminal.
        side: the width of the side panel with players and feed.
        pitch: the maximum distance between the left edges of two columns.
        card: a card's width and height; a height of 1 means no frame.
        fan: the maximum rows between two cards of a column.
        slot: a foundation's width and height, including the gap to the next.
        backs: how many face-down cards of a column are drawn; the others become a number.
        player: the rows of another player.
        footer: the rows of the footer.

    """

    name: str
    size: tuple[int, int]
    side: int
    pitch: int
    card: tuple[int, int]
    fan: int
    slot: tuple[int, int]
    backs: int
    player: int
    footer: int


SMALL: Final = Density(
    "small", size=(80, 24), side=38, pitch=6, card=(2, 1), fan=1, slot=(4, 1), backs=0, player=1, footer=1
)
MEDIUM: Final = Density(
    "medium", size=(120, 40), side=47, pitch=10, card=(8, 3), fan=1, slot=(8, 2), backs=3, player=3, footer=2
)
LARGE: Final = Density(
    "large", size=(190, 58), side=74, pitch=16, card=(9, 5), fan=2, slot=(14, 4), backs=4, player=5, footer=1
)
DENSITIES: Final = {density.name: density for density in (SMALL, MEDIUM, LARGE)}
"""All densities by name, smallest first."""

SMALLEST: Final = SMALL.size
"""The smallest terminal that can show the table."""


def fitting_in(width: int, height: int) -> list[Density]:
    """Return the densities that fit a terminal, smallest first; always at least the smallest."""
    return [d for d in DENSITIES.values() if d.size[0] <= width and d.size[1] <= height] or [SMALL]


def choose(wanted: str, width: int, height: int) -> Density:
    """Return the wanted density if it fits, otherwise the roomiest that does."""
    fitting = fitting_in(width, height)
    return next((density for density in fitting if density.name == wanted), fitting[-1])
