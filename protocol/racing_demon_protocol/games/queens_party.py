"""The Queen's Party."""

from racing_demon_protocol.engine.cards import KING
from racing_demon_protocol.engine.rules.special_rules import JointEntry
from racing_demon_protocol.engine.specification import Cells, Deal, Doubt, Geometry, Reserve

from .common import DEALT, NO_REDEAL, aces, solitaire

GAME = solitaire(
    "queens-party",
    "The Queen's Party",
    "Cheney 29",
    groups=(
        aces(name="royal", base=KING, one_per_suit=True, order=(13, 12), length=2),
        aces(name="imperial", one_per_suit=True, order=(1, *range(11, 1, -1)), length=11),
        NO_REDEAL,
        DEALT,
        Reserve(name="waiting", size=0, takes=("dealt",), plays_to=("antechamber",)),
        Cells(name="antechamber", count=16, takes=("dealt", "waiting"), geometry=Geometry.WREATH),
    ),
    deal=(Deal(to="antechamber", each=1),),
    specials=(JointEntry(group="antechamber", foundations=("royal", "imperial")),),
    skill=1,
    text=(
        "Sixteen cards wait in the antechamber. The king and queen of a suit enter the hall together, and so "
        "do the ace and jack; the suit then builds down on the jack to the two. A card just dealt may "
        "follow there, or take an empty place in the antechamber. Otherwise it is put aside, and cards put "
        "aside can only fill such places."
    ),
    doubts=(
        Doubt(
            "May the card just dealt enter with its partner?",
            "No: both come from the antechamber.",
            "JointEntry.group",
        ),
        Doubt("May a card put aside go straight into the hall?", "No.", "waiting.plays_to"),
    ),
)
