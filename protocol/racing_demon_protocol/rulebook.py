"""Which rules play which declaration. The mechanic that a game names decides, and nothing else of it."""

from collections.abc import Sequence
from typing import Final

from .building import BuildingRules
from .declaration import Building, Game, Mechanic
from .mechanics import MECHANICS
from .rules import Rules

__all__ = ["RULES", "make_rules"]

RULES: Final[dict[type[Mechanic], type[Rules]]] = {
    Building: BuildingRules,
    **MECHANICS,
}
"""The rules of every mechanic."""


def make_rules(game: Game, seats: Sequence[int]) -> Rules:
    """Return the rules of a game for the seats of one hand.

    Raises:
        InvalidGame: the declaration does not work out.

    """
    return RULES[type(game.mechanic)](game, seats)
