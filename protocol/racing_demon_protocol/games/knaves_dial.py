"""Knaves' Dial."""

from dataclasses import replace

from racing_demon_protocol.engine.rules.special_rules import RankPlaces
from racing_demon_protocol.engine.specification import Foundations, Geometry, Racing, SuitRule, Waste

from .common import TWO_REDEALS, aces, solitaire

KNAVE = 11


def hour(rank: int, length: int) -> Foundations:
    """Declare a rank's place on the dial: queens at eleven, kings at twelve, jacks in the center."""
    place = aces(1, name=f"rank {rank}", base=rank, step=0, suit=SuitRule.ALTERNATE, length=length)
    if rank == KNAVE:
        return replace(place, geometry=Geometry.CENTRE)
    return replace(place, geometry=Geometry.DIAL, rows=(rank - (rank > KNAVE),))


GAME = solitaire(
    "knaves-dial",
    "Knaves' Dial",
    "Cheney 26",
    groups=(*(hour(rank, 4) for rank in range(1, 14)), TWO_REDEALS, Waste()),
    deal=(),
    specials=(RankPlaces(),),
    racing=Racing.REFLEX,
    skill=0,
    text=(
        "Thirteen places form a dial, with the place of the jacks, or knaves, in the middle. First all "
        "places are filled with one suit, that of the first card. Then each place takes the other cards of "
        "its rank in alternate colors. The waste may be turned over twice. There is nothing to decide."
    ),
)
