"""Bridal Wreath."""

from racing_demon_protocol.engine.board import Shows
from racing_demon_protocol.engine.rules.special_rules import ChosenBase
from racing_demon_protocol.engine.specification import (
    Base,
    Cells,
    Deal,
    Doubt,
    Geometry,
    Reserve,
    SuitRule,
    Waste,
)

from .common import NO_REDEAL, aces, solitaire

GAME = solitaire(
    "bridal-wreath",
    "Bridal Wreath",
    "Cheney 47",
    packs=2,
    groups=(
        aces(8, base=Base.FIRST, suit=SuitRule.ANY, wrap=True),
        NO_REDEAL,
        Waste(),
        Reserve(name="wreath", size=21, shows=Shows.ALL, geometry=Geometry.WREATH),
        Cells(name="bridesmaids", count=10, takes=("waste",), geometry=Geometry.GRID, rows=(5, 5)),
    ),
    deal=(Deal(to="wreath"), Deal(to="bridesmaids", each=1)),
    specials=(ChosenBase(foundations="aces"),),
    skill=1,
    text=(
        "Twenty-one cards are a wreath, of which only the last can be played. Ten cards beside it are the "
        "bridesmaids, which can all be played. The first card turned may start the families, and then its "
        "rank starts all eight; or you may wait for an ace. They build up in any suit and continue from king "
        "to ace. The waste fills the bridesmaids' places."
    ),
    doubts=(
        Doubt(
            "In which direction do the families build?",
            "Up, continuing from king to ace, thirteen cards each.",
            "aces.wrap",
        ),
        Doubt(
            "When is the choice of the base made?",
            "When the first card is turned, and before the next one is.",
            "ChosenBase",
        ),
        Doubt("Which end of the wreath can be played?", "The last card dealt.", "wreath"),
    ),
)
