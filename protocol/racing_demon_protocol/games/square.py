"""The Square."""

from racing_demon_protocol.engine.specification import Doubt, Geometry, Waste

from .common import COLUMNS_IN_ROWS, NO_REDEAL, SPACE_FROM_WASTE_OR_STOCK, aces, columns, solitaire

GAME = solitaire(
    "square",
    "The Square",
    "Cheney 28",
    packs=2,
    groups=(
        aces(8),
        NO_REDEAL,
        Waste(),
        columns((1,) * 12, space=SPACE_FROM_WASTE_OR_STOCK, geometry=Geometry.WREATH),
    ),
    deal=(COLUMNS_IN_ROWS,),
    skill=2,
    text=(
        "Twelve cards form three sides of a square. Inside it, eight families build up from the aces in suit."
        " Build down on the square in suit; an empty place may be filled from the waste or the stock. The "
        "stock is turned only once."
    ),
    doubts=(Doubt("Can the waste's top card be played anywhere?", "Yes.", "waste.plays_to"),),
)
