"""Games that deal the whole pack in fans: only their last cards are free, and an empty fan stays empty."""

from dataclasses import replace

from racing_demon_protocol.engine.board import Shows
from racing_demon_protocol.engine.cards import KING
from racing_demon_protocol.engine.rules.special_rules import Draw
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
    "Cheney 4",
    groups=(aces(), RELAID, FANS),
    deal=(ACES_OUT, Deal(to="fans")),
    specials=(Draw(groups=("fans",), marries=True),),
    text=(
        "The aces are laid out, and the other cards lie in sixteen fans of three. Families build up in suit. "
        "The end of a fan may be built on by the next higher or the next lower card of its suit. The cards "
        "that are left may be taken up, shuffled and dealt again in threes, twice. Once in the game, you may "
        "play a covered card."
    ),
    doubts=(
        Doubt(
            'How often is it dealt again? ("You may repeat this a third time.")',
            "Twice: three deals in all.",
            "stock.redeals",
        ),
        Doubt("Where may the drawn card go?", "To a family, or onto a column.", "Draw.marries"),
    ),
)

PATERNAL_DOWN = replace(
    PATERNAL,
    name="paternal-down",
    title="Paternal, lower on higher only",
    source="Cheney 4, variant",
    groups=(aces(), RELAID, replace(FANS, build=(DOWN_IN_SUIT,))),
    text="Paternal, but you may build only a lower card on a higher one.",
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
        "Paternal without redeals, and without playing a covered card. A king at the end of a fan may be "
        "moved to the table, and you may build down on it in suit."
    ),
    doubts=(Doubt("In which suit do you build on the king?", "In its own.", "kings' places.build"),),
)

TRIOS = solitaire(
    "trios",
    "The Trios",
    "Cheney 5",
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
        "Sixteen fans of three cards, and two of two. Families build up in suit from the aces. On the fans, a"
        " lower card goes on the next higher one of any suit, and a court card on one of its own rank, but "
        "building never brings a fan to more than three cards. There is no redeal."
    ),
    doubts=(Doubt("Does the limit of three apply to court cards, too?", "Yes.", "fans.cap"),),
)

FOURS = solitaire(
    "fours",
    "Fours",
    "Cheney 46",
    groups=(
        aces(),
        Stock(relay=(Deal(to="fans", each=4),)),
        replace(FANS, shape=(4,) * 13, build=(DOWN_IN_SUIT,), rows=(5, 5, 3)),
    ),
    deal=(Deal(to="fans"),),
    skill=2,
    text=(
        "Thirteen fans of four cards. Families build up in suit from the aces; on the fans, a lower card goes"
        " on the next higher one of its suit. When nothing more can be played, the fans are taken up in "
        "order, so that all cards keep their sequence, and dealt again in fours, as often as that helps."
    ),
    doubts=(Doubt("Are the cards shuffled?", "No: they keep their order.", "stock.shuffle"),),
)

FLOWER_GARDEN = solitaire(
    "flower-garden",
    "The Flower Garden",
    "Cheney 49",
    groups=(
        aces(),
        Tableau(name="garden", shape=(6,) * 6, shows=Shows.ALL, build=(Build(suit=SuitRule.ANY),)),
        Cells(name="bouquet", count=16, geometry=Geometry.GRID, rows=(8, 8)),
    ),
    deal=(Deal(to="garden"), Deal(to="bouquet", each=1)),
    text=(
        "Six fans of six cards are the garden, and the other sixteen cards are the bouquet; all of these can "
        "be played. Families build up in suit from the aces. Build down in the garden in any suit; sequences "
        "move together, and any card fills an empty bed."
    ),
)

FAN_GAMES = (PATERNAL, PATERNAL_DOWN, PATERNAL_KINGS, TRIOS, FOURS, FLOWER_GARDEN)
