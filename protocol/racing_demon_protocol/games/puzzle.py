"""Puzzle."""

from racing_demon_protocol.engine.cards import KING, PIQUET_RANKS
from racing_demon_protocol.engine.rules.special_rules import PairedColumn
from racing_demon_protocol.engine.specification import Doubt, Racing, Reserve, Stock, SuitRule

from .common import kings, solitaire

GAME = solitaire(
    "puzzle",
    "Puzzle",
    "Cheney 25",
    ranks=PIQUET_RANKS,
    groups=(
        kings(suit=SuitRule.ANY, order=(13, 12, 11, 10, 9, 8, 7, 1), length=8),
        Stock(),
        Reserve(name="piles", size=0, count=4, gathers=-1),
    ),
    deal=(),
    specials=(PairedColumn(piles="piles", base=KING),),
    racing=Racing.REFLEX,
    skill=0,
    text=(
        "A pack of thirty-two cards is dealt in turn to four piles. Kings go up as they come, to a row above."
        " Each family builds down to the ace in any suit, and takes only cards from the pile below it. The "
        "piles are taken up and dealt again, as often as you like, below the families that are not complete."
    ),
    doubts=(
        Doubt("Do families build in suit?", "No.", "kings.suit"),
        Doubt("Where does the ace go?", "Last, after the seven.", "kings.order"),
        Doubt("Which king goes above which pile?", "From left to right, as they turn up.", "PairedColumn"),
        Doubt(
            "How are the piles taken up?",
            "Pile one first, each from its top; in the variant puzzle-all-piles from its first card.",
            "piles.gathers",
        ),
        Doubt(
            "Does a pile whose family is complete still get cards?",
            "No: they could not be used. In the variant puzzle-all-piles it does.",
            "PairedColumn.finished",
        ),
        Doubt(
            "Are the cards shuffled before they are dealt again?",
            "No; with the option shuffle they are, and then only patience decides.",
            "stock.shuffle",
        ),
        Doubt(
            "May cards be played during the deal?",
            "Only kings, which go up automatically.",
            "PairedColumn.base",
        ),
        Doubt("When is the game lost?", "When the same piles come back.", "stock.redeals"),
    ),
)
