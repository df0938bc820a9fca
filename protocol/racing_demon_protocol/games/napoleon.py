"""Napoleon."""

from racing_demon_protocol.engine.specification import Doubt, Waste

from .common import COLUMNS_IN_ROWS, SPACE_FROM_WASTE_OR_STOCK, TWO_REDEALS, aces, columns, solitaire

GAME = solitaire(
    "napoleon",
    "Napoleon",
    "Cheney 31",
    packs=2,
    groups=(
        aces(8),
        TWO_REDEALS,
        Waste(),
        columns((4,) * 10, takes=("columns",), space=SPACE_FROM_WASTE_OR_STOCK),
    ),
    deal=(COLUMNS_IN_ROWS,),
    text=(
        "Ten columns of four cards. Eight families build up from the aces in suit. Between columns, build "
        "down in suit, one card at a time. The waste feeds the families, and only the waste or the stock "
        "fills an empty column. The waste is turned over twice."
    ),
    doubts=(
        Doubt(
            "May the waste be built on columns?", "No: Pet names that as its own difference.", "columns.takes"
        ),
    ),
)
