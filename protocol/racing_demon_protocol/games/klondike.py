"""Games on Klondike layouts: triangular columns of which the ends are face up."""

from ..cards import KING
from ..declaration import (
    Cells,
    Deal,
    Doubt,
    Foundations,
    Game,
    Geometry,
    Reserve,
    Space,
    Stock,
    Tableau,
    TakeBack,
    Unit,
    Waste,
)
from .words import DEALT, NO_REDEAL, aces, solitaire

__all__ = ["RACING_DEMON", "TRIANGULAR_GAMES"]

RACING_DEMON = Game(
    name="racing-demon",
    title="Racing Demon",
    source="seed 002",
    groups=(
        Foundations(),
        Stock(),
        Waste(),
        Tableau(shape=(1, 2, 3, 4, 5, 6, 7), space=Space(ranks=frozenset({KING}))),
    ),
    text=(
        "Everybody deals a Klondike layout from a pack of their own, and all play at once around shared "
        "foundations, which rise in suit from the aces. On one's own columns one builds down, red and black "
        "in turn; kings fill spaces; the stock is turned by threes, as often as wanted. Out with the whole "
        "pack is 52 points and 10."
    ),
)
"""Klondike layouts around shared foundations; out with the whole pack, 52 plus 10."""

TRIANGLE = solitaire(
    "triangle",
    "Triangle",
    "37",
    groups=(
        aces(take_back=TakeBack.FREE),
        Tableau(shape=(1, 2, 3, 4, 5, 6, 7), unit=Unit.ONE),
        Cells(name="open hand", count=24, geometry=Geometry.GRID, rows=(12, 12)),
    ),
    deal=(Deal(to="tableau"), Deal(to="open hand", each=1)),
    skill=3,
    text=(
        "Seven columns of one to seven cards, only the ends face up; the other twenty-four cards are laid "
        "open, and all are free. Families rise from the aces in suit, and their tops may be taken back. On "
        "the columns one builds down, red and black in turn, one card at a time, and any card fills a space."
    ),
    doubts=(
        Doubt(
            question="Is a card turned up usable before it ends its column?",
            answer="No.",
            field="tableau.unit",
        ),
    ),
)

STAIRCASE = solitaire(
    "staircase",
    "Staircase",
    "38",
    packs=2,
    groups=(
        aces(8),
        NO_REDEAL,
        DEALT,
        Reserve(name="buried", size=0, takes=("dealt",), locked=True),
        Tableau(shape=tuple(range(10, 0, -1))),
    ),
    skill=3,
    text=(
        "Ten columns of ten to one cards, the ends face up. Eight families rise from the aces in suit; on "
        "the columns one builds down, red and black in turn, sequences move together, and anything fills a "
        "space. The hand is dealt card by card: what cannot be placed is buried, and comes to life again "
        "from the top when the hand is out."
    ),
    doubts=(
        Doubt(
            question="At which side does the staircase begin?",
            answer="At the left; it makes no difference.",
            field="tableau.shape",
        ),
    ),
)

TRIANGULAR_GAMES = (TRIANGLE, STAIRCASE)
