"""Reversible Sequences."""

from racing_demon_protocol.engine.specification import Doubt, Waste

from .common import (
    COLUMNS_IN_ROWS,
    DOWN_IN_SUIT,
    NO_REDEAL,
    SPACE_FROM_WASTE_OR_STOCK,
    UP_IN_SUIT,
    columns,
    families,
    solitaire,
)

GAME = solitaire(
    "reversible-sequences",
    "Reversible Sequences",
    "Cheney 50",
    packs=2,
    groups=(
        *families(),
        NO_REDEAL,
        Waste(),
        columns((4,) * 13, build=(DOWN_IN_SUIT, UP_IN_SUIT), space=SPACE_FROM_WASTE_OR_STOCK),
    ),
    deal=(COLUMNS_IN_ROWS,),
    text=(
        "Four rows of thirteen cards overlap; the other fifty-two are the stock. In each suit one family "
        "builds up from an ace, and one builds down from a king. Free cards build on each other up or down in"
        " suit; an empty column may be filled from the waste or the stock."
    ),
    doubts=(
        Doubt(
            "Are all the cards laid out, as the text says?",
            "No: only fifty-two; there must be a stock.",
            "columns.shape",
        ),
        Doubt("May the waste be built on columns?", "Yes.", "columns.takes"),
        Doubt("Is the waste turned over?", "No.", "stock.redeals"),
    ),
)
