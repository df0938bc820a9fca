"""Paternal, with kings taken off."""

from dataclasses import replace

from racing_demon_protocol.engine.cards import KING
from racing_demon_protocol.engine.specification import Doubt, Space, Tableau, Unit

from .common import DOWN_IN_SUIT, FANS, aces
from .paternal import GAME as PATERNAL

GAME = replace(
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
