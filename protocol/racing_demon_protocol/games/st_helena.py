"""Patience at St. Helena."""

from dataclasses import replace

from racing_demon_protocol.engine.rules.special_rules import FamilyByLaying
from racing_demon_protocol.engine.specification import Deal, Doubt, Geometry, Space, Stock, Tableau, Unit

from .common import ACES_OUT, KINGS_OUT, UP_OR_DOWN, aces, kings, solitaire

ROUND_PILES = Tableau(
    name="lower", shape=(0,) * 4, build=UP_OR_DOWN, unit=Unit.ONE, space=Space(takes=()), gathers=1
)

GAME = solitaire(
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
        ROUND_PILES,
        replace(ROUND_PILES, name="upper"),
        replace(ROUND_PILES, name="sides", geometry=Geometry.COLUMN, rows=(2, 2)),
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
