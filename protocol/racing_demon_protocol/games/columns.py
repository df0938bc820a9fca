"""Games with columns whose last cards are free."""

from dataclasses import replace
from typing import Any

from racing_demon_protocol.engine.board import Shows
from racing_demon_protocol.engine.rules.special_rules import BottomCards, BumpKing, Draw, OpeningRescue
from racing_demon_protocol.engine.specification import (
    Base,
    Build,
    Deal,
    Doubt,
    Geometry,
    Space,
    SuitRule,
    Tableau,
    TakeBack,
    Unit,
    Waste,
)

from .common import ACES_OUT, NO_REDEAL, TWO_REDEALS, WASTE_OR_STOCK, aces, families, solitaire

DOWN = Build(suit=SuitRule.SAME)
UP = Build(delta=1, suit=SuitRule.SAME)
FROM_WASTE_OR_STOCK = Space(takes=WASTE_OR_STOCK)
ROWS = Deal(to="columns", rows=True)


def _columns(shape: tuple[int, ...], **changes: Any) -> Tableau:
    common = {"name": "columns", "shows": Shows.ALL, "build": (DOWN,), "unit": Unit.ONE}
    return Tableau(shape=shape, **{**common, **changes})


EGYPTIAN = solitaire(
    "egyptian",
    "The Egyptian",
    "Cheney 17",
    groups=(
        aces(),
        _columns((5,) * 8 + (4,) * 2, name="wings", build=(DOWN, UP), geometry=Geometry.FANS, rows=(2,) * 5),
    ),
    deal=(ACES_OUT, Deal(to="wings")),
    text=(
        "The aces stand one above another, with a row of five cards on either side of each, and two rows of "
        "four below. Only the outer ends can be played. Families build up in suit; the ends build on each "
        "other up or down in suit, one card at a time, and any end card may fill a cleared row."
    ),
    doubts=(
        Doubt("Do both wings form one row?", "No: each wing is a row of its own.", "wings.shape"),
        Doubt("May a card be drawn?", "No; the variant egyptian-draw allows one.", "specials"),
    ),
)

EGYPTIAN_DRAW = replace(
    EGYPTIAN,
    name="egyptian-draw",
    title="The Egyptian, with a draw",
    source="Cheney 17, variant",
    specials=(Draw(groups=("wings",), marries=True),),
    text="The Egyptian, but once a card may be taken out of a row, to go to a family or be built on.",
    doubts=EGYPTIAN.doubts[:1],
)

BRUNETTE = solitaire(
    "brunette-and-blonde",
    "Brunette and Blonde",
    "Cheney 27",
    packs=2,
    groups=(
        aces(8, suit=SuitRule.ALTERNATE),
        TWO_REDEALS,
        Waste(),
        _columns((1,) * 8, build=(Build(),), takes=("waste",), space=FROM_WASTE_OR_STOCK),
    ),
    deal=(ROWS,),
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

SQUARE = solitaire(
    "square",
    "The Square",
    "Cheney 28",
    packs=2,
    groups=(
        aces(8),
        NO_REDEAL,
        Waste(),
        _columns((1,) * 12, space=FROM_WASTE_OR_STOCK, geometry=Geometry.WREATH),
    ),
    deal=(ROWS,),
    skill=2,
    text=(
        "Twelve cards form three sides of a square. Inside it, eight families build up from the aces in suit."
        " Build down on the square in suit; an empty place may be filled from the waste or the stock. The "
        "stock is turned only once."
    ),
    doubts=(Doubt("Can the waste's top card be played anywhere?", "Yes.", "waste.plays_to"),),
)

FIFTEEN = solitaire(
    "fifteen-in-a-row",
    "Fifteen in a Row",
    "Cheney 30",
    packs=2,
    groups=(*families(), _columns((7,) * 14 + (6,), build=(DOWN, UP))),
    deal=(ROWS,),
    specials=(OpeningRescue(columns="columns"),),
    text=(
        "Both packs lie in overlapping rows of fifteen. In each suit one family builds up from an ace, and "
        "one builds down from a king. Until an ace and a king are out, you can only build on columns; if that"
        " frees neither, one may be taken from under one card. Free cards build on each other up or down in "
        "suit, and any of them may fill a cleared column."
    ),
    doubts=(
        Doubt(
            "What may you do before the first ace and king are out?",
            "Only build on columns.",
            "OpeningRescue.marriages_only",
        ),
        Doubt(
            "How deep may a card be taken from?",
            "From under the last card of a column, until an ace and a king are out.",
            "OpeningRescue.under",
        ),
    ),
)

NAPOLEON = solitaire(
    "napoleon",
    "Napoleon",
    "Cheney 31",
    packs=2,
    groups=(
        aces(8),
        TWO_REDEALS,
        Waste(),
        _columns((4,) * 10, takes=("columns",), space=FROM_WASTE_OR_STOCK),
    ),
    deal=(ROWS,),
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

PET = solitaire(
    "pet",
    "The Pet Game",
    "Cheney 31, second game",
    packs=2,
    groups=(
        aces(8),
        NO_REDEAL,
        Waste(),
        _columns((4,) * 10, space=Space(takes=("columns", *WASTE_OR_STOCK))),
    ),
    deal=(ROWS,),
    text=(
        "Napoleon with more freedom: cards of the stock go on the columns, too, and any free card fills an "
        "empty one, the stock's next one included; but the waste is never turned over."
    ),
)

OLD_STAGER = solitaire(
    "old-stager",
    "The Old Stager",
    "Cheney 32",
    packs=2,
    groups=(aces(8), NO_REDEAL, Waste(), _columns((3,) * 13, space=Space(takes=("waste",)))),
    deal=(Deal(to="columns", each=1),),
    specials=(BumpKing(columns="columns", rows=3), BottomCards(count=3)),
    text=(
        "Thirteen columns of three cards. A king dealt onto a lower card of its suit may move on by one "
        "place, and the next card fills the place it left; or leave it, and turn the stock to deal on. Eight "
        "families build up from the aces; build down on the columns, both in suit. Only the waste fills an "
        "empty column. The stock is turned once; at the end three cards may be taken from the bottom of the "
        "waste and turned again."
    ),
    doubts=(
        Doubt(
            "What happens with the three cards?",
            "They are turned one by one, like cards of the stock; once.",
            "BottomCards.count",
        ),
        Doubt(
            "Which lower card lets a king move on?",
            "Any card of its suit in the column. The king moves only if you like, and may move again.",
            "BumpKing",
        ),
        Doubt(
            "What if the waste is empty when a space is to be filled?",
            "A card is turned first.",
            "columns.space.takes",
        ),
    ),
)

CORNERS = solitaire(
    "corners",
    "Corners",
    "Cheney 33",
    groups=(
        aces(name="corners", base=Base.FIRST, wrap=True, geometry=Geometry.CORNERS),
        NO_REDEAL,
        Waste(),
        _columns(
            (1,) * 5, build=(Build(suit=SuitRule.ANY),), space=FROM_WASTE_OR_STOCK, geometry=Geometry.CROSS
        ),
    ),
    deal=(Deal(to="corners", count=1), ROWS),
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

SEVEN = solitaire(
    "seven",
    "Game of Seven",
    "Cheney 39",
    groups=(
        aces(name="foundation", take_back=TakeBack.TO_SPACE),
        NO_REDEAL,
        Waste(),
        _columns((1,) * 7, build=(Build(),), space=Space(takes=("waste", "columns", "foundation"))),
    ),
    deal=(ROWS,),
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

REVERSIBLE = solitaire(
    "reversible-sequences",
    "Reversible Sequences",
    "Cheney 50",
    packs=2,
    groups=(
        *families(),
        NO_REDEAL,
        Waste(),
        _columns((4,) * 13, build=(DOWN, UP), space=FROM_WASTE_OR_STOCK),
    ),
    deal=(ROWS,),
    text=(
        "Four rows of thirteen cards overlap; the other fifty-two are the stock. In each suit one family "
        "builds up from an ace, and one builds down from a king. Free cards build on each other up or down in"
        " suit; an empty column may be filled from the waste or the stock."
    ),
    doubts=(
        Doubt(
            "Are all the cards laid out, as the text says?",
            "No: only fifty-two; there must be a stock.",
            "columns.shape",
        ),
        Doubt("May the waste be built on columns?", "Yes.", "columns.takes"),
        Doubt("Is the waste turned over?", "No.", "stock.redeals"),
    ),
)

INTERVALE = solitaire(
    "intervale",
    "Intervale",
    "Cheney 51",
    packs=2,
    groups=(
        aces(8),
        NO_REDEAL,
        Waste(),
        _columns((3,) * 11, build=(DOWN, UP), unit=Unit.ONE_SIDE_SINGLE, space=FROM_WASTE_OR_STOCK),
    ),
    deal=(ROWS,),
    text=(
        "Three rows of eleven cards overlap. Eight families build up from the aces in suit. The last cards of"
        " columns build on each other up or down in suit: a single card goes on a sequence, or a sequence on "
        "a single card, but never a sequence on a sequence. An empty column may be filled from the waste or "
        "the stock."
    ),
    doubts=(
        Doubt(
            "What counts as a single card?",
            "The last card of a column, if it does not continue the card above it.",
            "columns.unit",
        ),
    ),
)

COLUMN_GAMES = (
    *(EGYPTIAN, EGYPTIAN_DRAW, BRUNETTE, SQUARE, FIFTEEN, NAPOLEON),
    *(PET, OLD_STAGER, CORNERS, SEVEN, REVERSIBLE, INTERVALE),
)
