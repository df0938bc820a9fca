"""Queen's Cotillon."""

from racing_demon_protocol.engine.board import Shows
from racing_demon_protocol.engine.specification import Cells, Deal, Doubt, Geometry, Reserve, Waste

from .common import ACES_OUT, NO_REDEAL, aces, solitaire, suits_of

GAME = solitaire(
    "queens-cotillon",
    "Queen's Cotillon",
    "Cheney 52",
    packs=2,
    groups=(
        aces(step=2, wrap=True, one_per_suit=True),
        aces(name="deuces", base=2, step=2, wrap=True, one_per_suit=True),
        NO_REDEAL,
        Waste(),
        Reserve(name="left", size=3, count=4, shows=Shows.ALL),
        Cells(
            name="right",
            count=16,
            takes=("waste", "stock"),
            in_order=True,
            geometry=Geometry.GRID,
            rows=(4,) * 4,
        ),
    ),
    deal=(ACES_OUT, Deal(to="deuces", cards=suits_of("2")), Deal(to="left"), Deal(to="right", each=1)),
    skill=2,
    text=(
        "Four aces and four twos start families that go up by twos in suit: three on ace, four on two. The "
        "aces' families end with queens, the twos' with kings. On the left lie four columns of three cards; "
        "their last cards can be played, and their spaces stay empty. On the right lie sixteen single cards, "
        "all of which can be played; their places are filled from the waste, or from the stock when there is "
        "no waste."
    ),
    doubts=(
        Doubt("Do families build in suit?", "Yes: the source demands one base of each suit.", "aces.suit"),
        Doubt("Are the bases taken out first?", "Yes.", "deal"),
    ),
)
