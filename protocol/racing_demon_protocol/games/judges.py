"""Rank and File, or Judges."""

from racing_demon_protocol.engine.board import Shows
from racing_demon_protocol.engine.cards import KING
from racing_demon_protocol.engine.rules.special_rules import RowEnds
from racing_demon_protocol.engine.specification import Cells, Deal, Doubt, Space, Stock, Tableau, Unit

from .common import UP_OR_DOWN, families, solitaire

JUDGES_SPACE = Space(ranks=frozenset({KING}), takes=("columns",))

GAME = solitaire(
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
