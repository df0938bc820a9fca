"""Corners."""

from racing_demon_protocol.engine.specification import Base, Build, Deal, Doubt, Geometry, SuitRule, Waste

from .common import COLUMNS_IN_ROWS, NO_REDEAL, SPACE_FROM_WASTE_OR_STOCK, aces, columns, solitaire

GAME = solitaire(
    "corners",
    "Corners",
    "Cheney 33",
    groups=(
        aces(name="corners", base=Base.FIRST, wrap=True, geometry=Geometry.CORNERS),
        NO_REDEAL,
        Waste(),
        columns(
            (1,) * 5,
            build=(Build(suit=SuitRule.ANY),),
            space=SPACE_FROM_WASTE_OR_STOCK,
            geometry=Geometry.CROSS,
        ),
    ),
    deal=(Deal(to="corners", count=1), COLUMNS_IN_ROWS),
    text=(
        "The first card lies in a corner; its rank starts the families in all four corners, which build up in"
        " suit and continue from king to ace. Five cards form a cross between them, where you build down in "
        "any suit, one card at a time. A gap may be filled from the waste or the stock. The stock is turned "
        "only once."
    ),
    doubts=(
        Doubt(
            "Does a king go on an ace in the cross?",
            "No: the text mentions only an ace on a two.",
            "columns.wrap",
        ),
        Doubt(
            "May cards move in the cross only to make a space? (a stray semicolon)",
            "No: moves are free.",
            "columns.takes",
        ),
    ),
)
