"""Picture."""

from racing_demon_protocol.engine.specification import Cells, Deal, Doubt, Geometry, Waste

from .common import ACES_OUT, KINGS_OUT, TWO_REDEALS, WASTE_OR_STOCK, aces, kings, solitaire

GAME = solitaire(
    "picture",
    "Picture",
    "Cheney 22",
    packs=2,
    groups=(
        kings(one_per_suit=True, geometry=Geometry.COLUMN),
        aces(one_per_suit=True, geometry=Geometry.COLUMN),
        TWO_REDEALS,
        Waste(),
        Cells(name="picture", count=9, takes=WASTE_OR_STOCK, geometry=Geometry.GRID, rows=(3, 3, 3)),
    ),
    deal=(KINGS_OUT, ACES_OUT, Deal(to="picture", each=1)),
    skill=1,
    text=(
        "Nine cards are the picture, with four kings on its left and four aces on its right. Kings build down"
        " and aces build up, in suit. All cards of the picture can be played. A gap in it may be filled from "
        "the waste, or with the next card of the stock; the waste is turned over twice. At the end the "
        "picture is gone."
    ),
    doubts=(
        Doubt(
            "Are kings and aces laid out at the start, or do they come as they turn up?",
            "They are laid out.",
            "deal",
        ),
    ),
)
