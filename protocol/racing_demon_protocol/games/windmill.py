"""The Windmill."""

from racing_demon_protocol.engine.rules.special_rules import BasesFirst
from racing_demon_protocol.engine.specification import Cells, Deal, Doubt, Geometry, SuitRule, Waste

from .common import NO_REDEAL, WASTE_OR_STOCK, aces, kings, solitaire

GAME = solitaire(
    "windmill",
    "The Windmill",
    "Cheney 9",
    packs=2,
    groups=(
        aces(1, name="hub", suit=SuitRule.ANY, wrap=True, length=52, geometry=Geometry.CENTRE),
        kings(name="arms", suit=SuitRule.ANY, geometry=Geometry.CORNERS),
        NO_REDEAL,
        Waste(),
        Cells(name="sails", count=8, takes=WASTE_OR_STOCK, geometry=Geometry.MILL),
    ),
    deal=(Deal(to="hub", cards=("A*",)), Deal(to="sails", each=1)),
    specials=(BasesFirst(foundation="hub", bases="arms"),),
    skill=1,
    text=(
        "An ace is the hub. All suits build up on it four times round, fifty-two cards in all. The first four"
        " kings are the arms, which build down in any suit. Eight cards are the sails. They can be played; an"
        " empty place there may be filled from the waste, or with the next card of the stock. The waste is "
        "not turned over."
    ),
    doubts=(
        Doubt(
            "May a king go to the hub while an arm is empty?",
            "No: the first four kings belong to the arms.",
            "BasesFirst",
        ),
        Doubt("May cards go from an arm to the hub?", "No.", "arms.take_back"),
        Doubt("Must the sails be filled?", "No.", "sails.must"),
    ),
)
