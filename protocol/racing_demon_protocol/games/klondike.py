"""Games on Klondike layouts: seven columns of one to seven cards, kings to the spaces."""

from ..cards import KING
from ..declaration import Foundations, Game, Space, Stock, Tableau, Waste

__all__ = ["RACING_DEMON"]

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
)
"""Klondike layouts around shared foundations; out with the whole pack, 52 plus 10."""
