"""Fifteen in a Row."""

from racing_demon_protocol.engine.rules.special_rules import OpeningRescue
from racing_demon_protocol.engine.specification import Doubt

from .common import COLUMNS_IN_ROWS, DOWN_IN_SUIT, UP_IN_SUIT, columns, families, solitaire

GAME = solitaire(
    "fifteen-in-a-row",
    "Fifteen in a Row",
    "Cheney 30",
    packs=2,
    groups=(*families(), columns((7,) * 14 + (6,), build=(DOWN_IN_SUIT, UP_IN_SUIT))),
    deal=(COLUMNS_IN_ROWS,),
    specials=(OpeningRescue(columns="columns"),),
    text=(
        "Both packs lie in overlapping rows of fifteen. In each suit one family builds up from an ace, and "
        "one builds down from a king. Until an ace and a king are out, you can only build on columns; if that"
        " frees neither, one may be taken from under one card. Free cards build on each other up or down in "
        "suit, and any of them may fill a cleared column."
    ),
    doubts=(
        Doubt(
            "What may you do before the first ace and king are out?",
            "Only build on columns.",
            "OpeningRescue.marriages_only",
        ),
        Doubt(
            "How deep may a card be taken from?",
            "From under the last card of a column, until an ace and a king are out.",
            "OpeningRescue.under",
        ),
    ),
)
