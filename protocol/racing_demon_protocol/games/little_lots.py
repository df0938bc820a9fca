"""Little Lots."""

from racing_demon_protocol.engine.board import Shows
from racing_demon_protocol.engine.mechanics.common import Out
from racing_demon_protocol.engine.mechanics.pairs import Ranks
from racing_demon_protocol.engine.specification import Deal, Doubt, Geometry, Racing, Reserve

from .common import solitaire

GAME = solitaire(
    "little-lots",
    "Little Lots",
    "Cheney 12",
    groups=(
        Reserve(name="lot", size=4, count=8, shows=Shows.LAST, geometry=Geometry.GRID, rows=(4, 4)),
        Out(),
    ),
    deal=(Deal(to="lot"),),
    mechanic=Ranks(),
    ranks=(1, 7, 8, 9, 10, 11, 12, 13),
    racing=Racing.REFLEX,
    skill=1,
    text=(
        "Thirty-two cards, sevens to aces, lie in eight lots of four, the top ones face up. Two equal top "
        "cards are removed, and the cards below them are turned up. When no pair is left, a lot of exactly "
        "two cards may be turned up: if they match each other, they are removed. You win when the table is "
        "empty. You have a choice only where three or four top cards are equal."
    ),
    doubts=(
        Doubt(
            "Which lots of two may be turned up, and when?",
            "Any of them, when no pair is left.",
            "mechanic.last_pairs",
        ),
    ),
)
