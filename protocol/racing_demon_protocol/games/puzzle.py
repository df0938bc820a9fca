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
        "A pack of thirty-two is dealt round and round on four piles. Kings go up as they come, to a row "
        "above, and each family descends to the ace with cards of the pile below it only, in any suit. The "
        "piles are taken up and dealt again, as often as you like, below the families that are not complete."
    ),
    doubts=(
        Doubt(question="Do families follow suit?", answer="No.", field="kings.suit"),
        Doubt(question="Where does the ace go?", answer="Last, after the seven.", field="kings.order"),
        Doubt(
            question="Which king comes above which pile?",
            answer="From left to right, as they appear.",
            field="PairedColumn",
        ),
        Doubt(
            question="How are the piles taken up?",
            answer="Pile one first, each from its top; in the variant puzzle-all-piles from its first card.",
            field="piles.gathers",
        ),
        Doubt(
            question="Is a pile dealt to whose family is complete?",
            answer="No: its cards could not be used. In the variant puzzle-all-piles it is.",
            field="PairedColumn.finished",
        ),
        Doubt(
            question="Are the cards shuffled before they are dealt again?",
            answer="No; with the option shuffle they are, and then patience alone decides.",
            field="stock.shuffle",
        ),
        Doubt(
            question="May cards be played while all are dealt?",
            answer="Kings only, which go up by themselves.",
            field="PairedColumn.base",
        ),
        Doubt(
            question="When is the game lost?",
            answer="When the piles come round as they were.",
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
        "Puzzle as it is when cards are always dealt on all four piles, and each pile is taken up from its "
        "first card: hardly a deal in five hundred succeeds."
    ),
    doubts=(
        *(doubt for doubt in PUZZLE.doubts if doubt.field not in {"piles.gathers", "PairedColumn.finished"}),
        Doubt("How are the piles taken up?", "Pile one first, its first card first.", "piles.gathers"),
        Doubt("Is a pile dealt to whose family is complete?", "Yes.", "PairedColumn.finished"),
    ),
)

PUZZLES = (PUZZLE, ALL_PILES)
