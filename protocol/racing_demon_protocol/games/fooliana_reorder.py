"""Fooliana, with threes in another order."""

from dataclasses import replace

from racing_demon_protocol.engine.rules.special_rules import Reorder
from racing_demon_protocol.engine.specification import Cells, Doubt, Stock

from .common import regrouped
from .fooliana import BOTTOM
from .fooliana import GAME as FOOLIANA

GAME = replace(
    FOOLIANA,
    name="fooliana-reorder",
    title="Fooliana, with threes in another order",
    source="Cheney 36, variant",
    specials=(BOTTOM, Reorder(held="held")),
    groups=(
        *regrouped(FOOLIANA, Stock, counts=True),
        Cells(name="held", count=3, counts=True),
    ),
    text=(
        "Fooliana with one more chance: after a full pass without a play, you may change the order within the"
        " next threes. The three cards are set aside, and you put them on the waste one by one in any order. "
        "You can do this for twelve threes."
    ),
    doubts=(
        *FOOLIANA.doubts[:-1],
        Doubt(
            "In which order are the threes then dealt, and how many?",
            "In any order; twelve of them, one pass through a whole stock. Only full threes count.",
            "Reorder.times",
        ),
    ),
)
