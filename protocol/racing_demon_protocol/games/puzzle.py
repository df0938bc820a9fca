"""Puzzle: piles that are dealt below their foundations, again and again."""

from dataclasses import replace

from racing_demon_protocol.engine.cards import KING, PIQUET_RANKS
from racing_demon_protocol.engine.privileges import PairedColumn
from racing_demon_protocol.engine.specification import Doubt, Racing, Reserve, Stock, SuitRule

from .common import kings, solitaire

__all__ = ["PUZZLES"]

PUZZLE = solitaire(
    "puzzle",
    "Puzzle",
    "25",
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
        Doubt(question="Do families build in suit?", answer="No.", field="kings.suit"),
        Doubt(question="Where does the ace go?", answer="Last, after the seven.", field="kings.order"),
        Doubt(
            question="Which king goes above which pile?",
            answer="From left to right, as they turn up.",
            field="PairedColumn",
        ),
        Doubt(
            question="How are the piles taken up?",
            answer="Pile one first, each from its top; in the variant puzzle-all-piles from its first card.",
            field="piles.gathers",
        ),
        Doubt(
            question="Does a pile whose family is complete still get cards?",
            answer="No: they could not be used. In the variant puzzle-all-piles it does.",
            field="PairedColumn.finished",
        ),
        Doubt(
            question="Are the cards shuffled before they are dealt again?",
            answer="No; with the option shuffle they are, and then only patience decides.",
            field="stock.shuffle",
        ),
        Doubt(
            question="May cards be played during the deal?",
            answer="Only kings, which go up automatically.",
            field="PairedColumn.base",
        ),
        Doubt(
            question="When is the game lost?",
            answer="When the same piles come back.",
            field="stock.redeals",
        ),
    ),
)

ALL_PILES = replace(
    PUZZLE,
    name="puzzle-all-piles",
    title="Puzzle, always on four piles",
    source="Cheney 25, variant",
    groups=tuple(
        replace(group, gathers=1) if isinstance(group, Reserve) else group for group in PUZZLE.groups
    ),
    specials=(PairedColumn(piles="piles", base=KING, finished=True),),
    text=(
        "Puzzle, but cards are always dealt to all four piles, and each pile is taken up from its first card:"
        " hardly one deal in five hundred succeeds."
    ),
    doubts=(
        *(doubt for doubt in PUZZLE.doubts if doubt.field not in {"piles.gathers", "PairedColumn.finished"}),
        Doubt("How are the piles taken up?", "Pile one first, its first card first.", "piles.gathers"),
        Doubt("Does a pile whose family is complete still get cards?", "Yes.", "PairedColumn.finished"),
    ),
)

PUZZLES = (PUZZLE, ALL_PILES)
