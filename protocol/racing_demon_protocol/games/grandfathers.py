"""Grandfathers."""

from racing_demon_protocol.engine.rules.special_rules import Draw, LayExtra, When
from racing_demon_protocol.engine.specification import (
    ANYTHING,
    Cells,
    Deal,
    Doubt,
    Geometry,
    Reserve,
    Space,
    Tableau,
    Unit,
)

from .common import DEALT, NO_REDEAL, families, solitaire

PLACES = Tableau(
    name="places",
    shape=(1,) * 20,
    build=(ANYTHING,),
    unit=Unit.ONE,
    takes=("dealt",),
    cap=2,
    spaces_first=True,
    space=Space(takes=("dealt",)),
    geometry=Geometry.GRID,
    rows=(10, 10),
)

EXTRA = Cells(name="extra", count=3, counts=True)
ALL_DOUBLED = LayExtra(places="places", cells="extra")
DRAWN = Reserve(name="drawn", size=0, takes=(), counts=True)

GAME = solitaire(
    "grandfathers",
    "Grandfathers",
    "Cheney 2",
    packs=2,
    groups=(*families(), NO_REDEAL, DEALT, PLACES, EXTRA, DRAWN),
    deal=(Deal(to="places"),),
    specials=(
        ALL_DOUBLED,
        Draw(groups=("places",), when=When.HAND_IN, after="extra"),
        Draw(groups=("places",), when=When.HAND_OUT, through="drawn"),
    ),
    skill=2,
    text=(
        "Twenty cards lie in two rows. In each suit one family builds up from an ace, and one builds down "
        "from a king. A card that does not go up fills an empty place or, when there is none, covers a card "
        "of your choice; no place holds more than two. When every place holds two and nothing fits, three "
        "more cards are laid out. After that, and again when the stock is empty, you may play one buried "
        "card."
    ),
    doubts=(
        Doubt(
            "Must empty places be filled before others are covered?",
            "Yes, by the card just dealt.",
            "places.spaces_first",
        ),
        Doubt(
            "What are the three extra cards?",
            "Three places, filled once in a game; all of them can be played.",
            "extra.count",
        ),
        Doubt(
            "Where does a drawn card go?",
            "Straight to a family: once when stuck, and once when the stock is empty.",
            "Draw.times",
        ),
    ),
)
