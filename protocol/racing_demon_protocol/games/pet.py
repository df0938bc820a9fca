"""The Pet Game."""

from racing_demon_protocol.engine.specification import Space, Waste

from .common import COLUMNS_IN_ROWS, NO_REDEAL, WASTE_OR_STOCK, aces, columns, solitaire

GAME = solitaire(
    "pet",
    "The Pet Game",
    "Cheney 31, second game",
    packs=2,
    groups=(
        aces(8),
        NO_REDEAL,
        Waste(),
        columns((4,) * 10, space=Space(takes=("columns", *WASTE_OR_STOCK))),
    ),
    deal=(COLUMNS_IN_ROWS,),
    text=(
        "Napoleon with more freedom: cards of the stock go on the columns, too, and any free card fills an "
        "empty one, the stock's next one included; but the waste is never turned over."
    ),
)
