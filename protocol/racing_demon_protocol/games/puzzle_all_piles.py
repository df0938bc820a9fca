"""Puzzle, always on four piles."""

from dataclasses import replace

from racing_demon_protocol.engine.cards import KING
from racing_demon_protocol.engine.rules.special_rules import PairedColumn
from racing_demon_protocol.engine.specification import Doubt, Reserve

from .common import regrouped
from .puzzle import GAME as PUZZLE

GAME = replace(
    PUZZLE,
    name="puzzle-all-piles",
    title="Puzzle, always on four piles",
    source="Cheney 25, variant",
    groups=regrouped(PUZZLE, Reserve, gathers=1),
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
