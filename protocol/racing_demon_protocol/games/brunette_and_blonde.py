"""Brunette and Blonde."""

from racing_demon_protocol.engine.specification import Build, Doubt, SuitRule, Waste

from .common import COLUMNS_IN_ROWS, SPACE_FROM_WASTE_OR_STOCK, TWO_REDEALS, aces, columns, solitaire

GAME = solitaire(
    "brunette-and-blonde",
    "Brunette and Blonde",
    "Cheney 27",
    packs=2,
    groups=(
        aces(8, suit=SuitRule.ALTERNATE),
        TWO_REDEALS,
        Waste(),
        columns((1,) * 8, build=(Build(),), takes=("waste",), space=SPACE_FROM_WASTE_OR_STOCK),
    ),
    deal=(COLUMNS_IN_ROWS,),
    skill=2,
    text=(
        "Eight families build up from the aces in alternate colors. On eight columns, cards of the stock "
        "build down in alternate colors, too; an empty column may be filled from the waste or the stock. The "
        "waste is turned over twice."
    ),
    doubts=(
        Doubt(
            "May cards go from column to column?",
            "No: the source places only cards of the stock there.",
            "columns.takes",
        ),
        Doubt("May the waste be built on columns?", "Yes.", "columns.takes"),
        Doubt("Must spaces be filled?", "No.", "columns.space.fill"),
    ),
)
