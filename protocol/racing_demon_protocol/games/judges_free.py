"""Judges, with the left-hand end and aces."""

from dataclasses import replace

from racing_demon_protocol.engine.cards import ACE, KING
from racing_demon_protocol.engine.rules.special_rules import RowEnds
from racing_demon_protocol.engine.specification import Tableau

from .common import regrouped
from .judges import GAME as JUDGES
from .judges import JUDGES_SPACE

GAME = replace(
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
