"""Games that deal the whole pack in fans: only their last cards are free, and an empty fan stays empty."""

from dataclasses import replace

from racing_demon_protocol.engine.board import Shows
from racing_demon_protocol.engine.cards import KING
from racing_demon_protocol.engine.privileges import Draw
from racing_demon_protocol.engine.specification import (
    Build,
    Cells,
    Deal,
    Doubt,
    Geometry,
    Space,
    Stock,
    SuitRule,
    Tableau,
    Unit,
)

from .common import ACES_OUT, aces, solitaire

__all__ = ["FAN_GAMES"]

DOWN_IN_SUIT = Build(suit=SuitRule.SAME)
UP_IN_SUIT = Build(delta=1, suit=SuitRule.SAME)
STAYS_EMPTY = Space(takes=())
FANS = Tableau(
    name="fans",
    shape=(3,) * 16,
    shows=Shows.ALL,
    build=(DOWN_IN_SUIT, UP_IN_SUIT),
    unit=Unit.ONE,
    space=STAYS_EMPTY,
    gathers=1,
    geometry=Geometry.FANS,
    rows=(6, 6, 4),
)
RELAID = Stock(redeals=2, shuffle=True, relay=(Deal(to="fans", each=3),))

PATERNAL = solitaire(
    "paternal",
    "Paternal",
    "4",
    groups=(aces(), RELAID, FANS),
    deal=(ACES_OUT, Deal(to="fans")),
    specials=(Draw(groups=("fans",), marries=True),),
    skill=3,
    text=(
        "The aces are taken out, and the others lie in sixteen fans of three. Families rise in suit. The end "
        "of a fan may marry the next higher or the next lower card of its suit. What is left may be taken "
        "up, shuffled and laid again in threes, twice; and once in the game a covered card may be drawn."
    ),
    doubts=(
        Doubt(
            question='How often is it laid again? ("You may repeat this a third time.")',
            answer="Twice: three layings in all.",
            field="stock.redeals",
        ),
        Doubt(
            question="Where may the drawn card go?",
            answer="To a family, or in marriage.",
            field="Draw.marries",
        ),
    ),
)

PATERNAL_DOWN = replace(
    PATERNAL,
    name="paternal-down",
    title="Paternal, lower on higher only",
    source="Cheney 4, variant",
    groups=(aces(), RELAID, replace(FANS, build=(DOWN_IN_SUIT,))),
    text="Paternal, where only a lower card marries a higher one.",
)

PATERNAL_KINGS = replace(
    PATERNAL,
    name="paternal-kings",
    title="Paternal, with kings taken off",
    source="Cheney 4, variant",
    groups=(
        aces(),
        replace(FANS, gathers=0),
        Tableau(
            name="kings' places",
            shape=(0,) * 4,
            build=(DOWN_IN_SUIT,),
            unit=Unit.ONE,
            space=Space(ranks=frozenset({KING}), takes=("fans",)),
        ),
    ),
    specials=(),
    text=(
        "Paternal, where nothing is laid again and no card is drawn; but a king that ends a fan may be taken "
        "off to the table, and built down upon in suit."
    ),
    doubts=(
        Doubt(
            question="In which suit is built on the king?",
            answer="In his own.",
            field="kings' places.build",
        ),
    ),
)

TRIOS = solitaire(
    "trios",
    "The Trios",
    "5",
    groups=(
        aces(),
        replace(
            FANS,
            shape=(3,) * 16 + (2,) * 2,
            build=(
                Build(suit=SuitRule.ANY),
                Build(delta=0, suit=SuitRule.ANY, ranks=frozenset({11, 12, 13})),
            ),
            cap=3,
            gathers=0,
            rows=(6, 6, 6),
        ),
    ),
    deal=(Deal(to="fans"),),
    skill=2,
    text=(
        "Sixteen fans of three, and two of two. Families rise in suit from the aces. A lower card may marry "
        "a higher one of any suit, and a court card one of its own rank, but no fan ever holds more than "
        "three. Nothing is laid again."
    ),
    doubts=(
        Doubt(question="Does the limit of three bind the court cards, too?", answer="Yes.", field="fans.cap"),
    ),
)

FOURS = solitaire(
    "fours",
    "Fours",
    "46",
    groups=(
        aces(),
        Stock(relay=(Deal(to="fans", each=4),)),
        replace(FANS, shape=(4,) * 13, build=(DOWN_IN_SUIT,), rows=(5, 5, 3)),
    ),
    deal=(Deal(to="fans"),),
    skill=2,
    text=(
        "Thirteen fans of four. Families rise in suit from the aces, and on the fans a lower card marries "
        "the next higher of its suit. When nothing more can be done, the fans are taken up in order, so that "
        "no card changes its place in the row of all, and laid again in fours, as often as that leads to "
        "anything."
    ),
    doubts=(
        Doubt(question="Are the cards shuffled?", answer="No: they keep their order.", field="stock.shuffle"),
    ),
)

FLOWER_GARDEN = solitaire(
    "flower-garden",
    "The Flower Garden",
    "49",
    groups=(
        aces(),
        Tableau(
            name="garden",
            shape=(6,) * 6,
            shows=Shows.ALL,
            build=(Build(suit=SuitRule.ANY),),
        ),
        Cells(name="bouquet", count=16, geometry=Geometry.GRID, rows=(8, 8)),
    ),
    deal=(Deal(to="garden"), Deal(to="bouquet", each=1)),
    skill=3,
    text=(
        "Six fans of six are the garden, and the sixteen cards left are the bouquet: all of these are free. "
        "Families rise in suit from the aces. Build down in the garden in any suit, sequences move "
        "together, and anything fills an empty bed."
    ),
)

FAN_GAMES = (PATERNAL, PATERNAL_DOWN, PATERNAL_KINGS, TRIOS, FOURS, FLOWER_GARDEN)
