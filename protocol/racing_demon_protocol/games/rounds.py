"""Games that deal in rounds, on piles or in rows."""

from dataclasses import replace

from racing_demon_protocol.engine.board import Shows
from racing_demon_protocol.engine.cards import ACE, KING
from racing_demon_protocol.engine.rules.special_rules import (
    Draw,
    FamilyByLaying,
    GridEdges,
    KingOpensColumn,
    RowEnds,
    When,
)
from racing_demon_protocol.engine.specification import (
    ANYTHING,
    Build,
    Cells,
    Deal,
    Doubt,
    Geometry,
    Goal,
    Reserve,
    Space,
    Stock,
    SuitRule,
    Tableau,
    Unit,
)

from .common import ACES_OUT, DEALT, KINGS_OUT, NO_REDEAL, aces, families, kings, regrouped, solitaire

UP_OR_DOWN = (Build(suit=SuitRule.ANY), Build(delta=1, suit=SuitRule.ANY))

SALIQUE_LAW = solitaire(
    "salique-law",
    "Salique Law",
    "Cheney 10",
    packs=2,
    groups=(
        aces(8, suit=SuitRule.ANY, length=11),
        aces(8, name="queens", base=12, length=1),
        NO_REDEAL,
        DEALT,
        Tableau(name="kings", shape=(0,) * 8, shows=Shows.ALL, build=(ANYTHING,), unit=Unit.ONE, takes=()),
    ),
    deal=(Deal(to="kings", cards=("K*",)),),
    goal=Goal.FOUNDATIONS_FULL,
    specials=(KingOpensColumn(columns="kings"), Draw(groups=("kings",), when=When.HAND_OUT)),
    skill=2,
    text=(
        "A king is laid out, and the cards dealt go on it until another king starts the next column. Eight "
        "families build up from the aces to the jack in any suit; queens go to a row of their own. The last "
        "cards of columns can be played at any time. When the stock is empty, a bare king may take the last "
        "card of another column, and once you may play a buried card."
    ),
    doubts=(
        Doubt("Must queens go out?", "No.", "queens.forced_bases"),
        Doubt("How often may a card be drawn?", "Once.", "Draw.times"),
    ),
)

_ROUND_PILES = Tableau(
    name="lower", shape=(0,) * 4, build=UP_OR_DOWN, unit=Unit.ONE, space=Space(takes=()), gathers=1
)

ST_HELENA = solitaire(
    "st-helena",
    "Patience at St. Helena",
    "Cheney 14",
    packs=2,
    groups=(
        kings(),
        aces(),
        Stock(
            redeals=2,
            shuffle=True,
            rounds=(tuple(Deal(to=name, each=1) for name in ("lower", "upper", "sides")),),
        ),
        _ROUND_PILES,
        replace(_ROUND_PILES, name="upper"),
        replace(_ROUND_PILES, name="sides", geometry=Geometry.COLUMN, rows=(2, 2)),
    ),
    deal=(KINGS_OUT, ACES_OUT),
    specials=(
        FamilyByLaying(foundations="kings", groups=("upper", "sides")),
        FamilyByLaying(foundations="aces", groups=("lower", "sides")),
    ),
    text=(
        "Four kings lie in a row, with their aces below. Cards are dealt in rounds to twelve piles: four "
        "below the aces, four above the kings, and two on either side. Kings build down and aces build up, in"
        " suit. The last cards of piles also build on each other, up or down, in any suit. In the first deal "
        "the upper piles feed only the kings, the lower ones only the aces, and those at the sides both. The "
        "cards that are left may be taken up, shuffled and dealt again twice; then all piles feed all "
        "families."
    ),
    doubts=(
        Doubt(
            "May you play between the rounds?",
            "Yes, after each whole round; you call for the next one.",
            "stock.rounds",
        ),
        Doubt("What fills an emptied pile?", "The next round only.", "lower.space"),
        Doubt("Do the columns build in suit?", "No: only rank matters.", "lower.build"),
    ),
)

BLOCKADE = solitaire(
    "blockade",
    "Blockade",
    "Cheney 15",
    packs=2,
    groups=(
        *families(),
        NO_REDEAL,
        Cells(name="rows", count=110, counts=True, geometry=Geometry.GRID, rows=(10,) * 11),
        Reserve(name="drawn", size=0, takes=(), counts=True),
    ),
    deal=(),
    specials=(
        GridEdges(cells="rows", width=10),
        Draw(groups=("rows",), when=When.HAND_OUT, through="drawn"),
    ),
    skill=1,
    text=(
        "Cards are laid in rows of ten. In each suit one family builds up from an ace, and one builds down "
        "from a king. A card can be played if the place above it, or the place below it, is empty. Gaps are "
        "filled in order from the stock; when there are none, another row is dealt. When the stock is empty, "
        "one blocked card may be played."
    ),
    doubts=(
        Doubt(
            "Must gaps be filled before you play on?",
            "No, but before a new row is dealt.",
            "GridEdges.fill_first",
        ),
        Doubt("Where does the drawn card go?", "To a family, once.", "Draw.times"),
    ),
)

NIVERNAISE = solitaire(
    "nivernaise",
    "Nivernaise",
    "Cheney 20",
    packs=2,
    groups=(
        *families(),
        Stock(redeals=2, shuffle=True, rounds=((Deal(to="piles", each=4),),)),
        Reserve(name="piles", size=4, count=6, gathers=1),
        Cells(name="sides", count=8, takes=("piles", "stock"), geometry=Geometry.COLUMN, rows=(4, 4)),
    ),
    deal=(Deal(to="sides", each=1), Deal(to="piles")),
    skill=2,
    text=(
        "Four cards lie on either side, and between them six piles of four. In each suit one family builds up"
        " from an ace, and one builds down from a king. Side cards and the top cards of piles can be played; "
        "a side place may be filled from a pile, or with the unseen next card of the stock. Whenever you "
        "like, four more cards go on each pile. When the stock is empty, the piles may be shuffled and dealt "
        "again, twice."
    ),
    doubts=(
        Doubt("Must a side place be filled at once?", "No: you may wait, as is common.", "sides.must"),
        Doubt(
            "Is the next card of the hand seen before it fills a place?",
            "No: it is taken as it comes.",
            "sides.takes",
        ),
        Doubt(
            "Must you be stuck before four more cards go on each pile?",
            "No: nobody can be made to see every play.",
            "stock.rounds",
        ),
        Doubt("What fills an empty pile?", "The next round only.", "piles.takes"),
    ),
)

NIVERNAISE_STRICT = replace(
    NIVERNAISE,
    name="nivernaise-strict",
    title="Nivernaise, by the strict rule",
    source="Cheney 20 and appendix, variant",
    groups=regrouped(NIVERNAISE, Cells, must=True),
    text="Nivernaise, but a side place must be filled as soon as it is empty.",
    doubts=NIVERNAISE.doubts[1:],
)

DUCHESS = solitaire(
    "duchess-of-luynes",
    "Duchess of Luynes",
    "Cheney 21",
    packs=2,
    groups=(
        *families(),
        Stock(
            redeals=3,
            rounds=(
                *((Deal(to="piles", each=1), Deal(to="aside", each=2)),) * 3,
                (Deal(to="piles", each=1),),
            ),
        ),
        Reserve(name="piles", size=0, count=4, gathers=1),
        Reserve(name="aside", size=0, gathers=1),
    ),
    deal=(),
    skill=1,
    text=(
        "Cards are dealt in rounds of six: one on each of four piles, and two set aside. In each suit one "
        "family builds up from an ace, and one builds down from a king. The top cards of the piles and of the"
        " cards set aside can be played, and nothing is filled. All may be taken up and dealt in the same way"
        " twice more, and then once more in fours, with none set aside."
    ),
    doubts=(
        Doubt(
            "What is taken up for a redeal?",
            "The piles and the cards set aside, pile one first, without shuffling.",
            "piles.gathers",
        ),
        Doubt(
            "Where do the last two cards go, which are too few for a round of six?",
            "On the first two piles.",
            "stock.rounds",
        ),
    ),
)

JUDGES_SPACE = Space(ranks=frozenset({KING}), takes=("columns",))

JUDGES = solitaire(
    "judges",
    "Rank and File, or Judges",
    "Cheney 34",
    packs=2,
    groups=(
        *families(),
        Stock(redeals=2, rounds=((Deal(to="row", each=1),),), relay=(Deal(to="columns", each=1),)),
        Tableau(
            name="columns",
            shape=(1,) * 11,
            shows=Shows.ALL,
            build=UP_OR_DOWN,
            unit=Unit.ONE,
            space=JUDGES_SPACE,
            gathers=-1,
        ),
        Cells(name="row", count=11, plays_to=("aces", "kings")),
    ),
    deal=(Deal(to="columns"),),
    specials=(RowEnds(row="row", columns="columns"),),
    skill=2,
    text=(
        "Eleven cards are laid in a row, all of which can be played to the families: in each suit one builds "
        "up from an ace, and one builds down from a king. Gaps in this row are filled. Then one row after "
        "another is dealt, and of the newest only the two cards at the right-hand end can be played. When the"
        " stock is empty, the last card of every column can be played; these cards build on each other up or "
        "down, and a king may fill an empty column. The cards that are left are taken up without shuffling "
        "and dealt again, twice."
    ),
    doubts=(
        Doubt("Do the columns build in suit?", "No: only rank matters.", "columns.build"),
        Doubt(
            "Which are the two right-hand end cards?",
            "The last two that still lie in the newest row.",
            "RowEnds.ends",
        ),
        Doubt(
            "Can the left-hand end be played, too?",
            "No; the variant judges-free allows it, and aces in spaces.",
            "RowEnds.left",
        ),
        Doubt(
            "May cards build on each other while rows are dealt?",
            "No: only when the stock is empty.",
            "row.plays_to",
        ),
        Doubt("May aces fill spaces?", "No: only kings.", "columns.space.ranks"),
        Doubt("Are gaps in later rows filled?", "No.", "RowEnds"),
        Doubt(
            "How are the columns taken up?", "The left one first, each from its lower end.", "columns.gathers"
        ),
    ),
)

JUDGES_FREE = replace(
    JUDGES,
    name="judges-free",
    title="Judges, with the left-hand end and aces",
    source="Cheney 34 and appendix, variant",
    groups=regrouped(JUDGES, Tableau, space=replace(JUDGES_SPACE, ranks=frozenset({ACE, KING}))),
    specials=(RowEnds(row="row", columns="columns", left=1),),
    text=(
        "Judges as some authorities allow it: the left-hand card of each new row can be played, too, and aces"
        " as well as kings may fill spaces."
    ),
    doubts=tuple(
        doubt for doubt in JUDGES.doubts if doubt.field not in {"RowEnds.left", "columns.space.ranks"}
    ),
)

ROUND_GAMES = (
    *(SALIQUE_LAW, ST_HELENA, BLOCKADE, NIVERNAISE, NIVERNAISE_STRICT),
    *(DUCHESS, JUDGES, JUDGES_FREE),
)
