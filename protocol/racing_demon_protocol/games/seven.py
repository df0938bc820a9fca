"""Game of Seven."""

from racing_demon_protocol.engine.specification import Build, Doubt, Space, TakeBack, Waste

from .common import COLUMNS_IN_ROWS, NO_REDEAL, aces, columns, solitaire

GAME = solitaire(
    "seven",
    "Game of Seven",
    "Cheney 39",
    groups=(
        aces(name="foundation", take_back=TakeBack.TO_SPACE),
        NO_REDEAL,
        Waste(),
        columns((1,) * 7, build=(Build(),), space=Space(takes=("waste", "columns", "foundation"))),
    ),
    deal=(COLUMNS_IN_ROWS,),
    skill=2,
    text=(
        "Seven cards lie in a row. Families build up in suit from the aces; build down on the row in "
        "alternate colors, one card at a time. A space may be filled from the waste, from another column, or "
        "even with the top card of a family. The stock is turned only once."
    ),
    doubts=(
        Doubt(
            "May a family's top card be built on a column, too?",
            "No: it may only fill a space.",
            "foundation.take_back",
        ),
    ),
)
