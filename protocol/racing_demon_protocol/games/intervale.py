"""Intervale."""

from racing_demon_protocol.engine.specification import Doubt, Unit, Waste

from .common import (
    COLUMNS_IN_ROWS,
    DOWN_IN_SUIT,
    NO_REDEAL,
    SPACE_FROM_WASTE_OR_STOCK,
    UP_IN_SUIT,
    aces,
    columns,
    solitaire,
)

GAME = solitaire(
    "intervale",
    "Intervale",
    "Cheney 51",
    packs=2,
    groups=(
        aces(8),
        NO_REDEAL,
        Waste(),
        columns(
            (3,) * 11,
            build=(DOWN_IN_SUIT, UP_IN_SUIT),
            unit=Unit.ONE_SIDE_SINGLE,
            space=SPACE_FROM_WASTE_OR_STOCK,
        ),
    ),
    deal=(COLUMNS_IN_ROWS,),
    text=(
        "Three rows of eleven cards overlap. Eight families build up from the aces in suit. The last cards of"
        " columns build on each other up or down in suit: a single card goes on a sequence, or a sequence on "
        "a single card, but never a sequence on a sequence. An empty column may be filled from the waste or "
        "the stock."
    ),
    doubts=(
        Doubt(
            "What counts as a single card?",
            "The last card of a column, if it does not continue the card above it.",
            "columns.unit",
        ),
    ),
)
