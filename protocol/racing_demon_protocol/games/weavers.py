"""Weavers."""

from racing_demon_protocol.engine.board import Shows
from racing_demon_protocol.engine.cards import KING
from racing_demon_protocol.engine.mechanics.common import Packets
from racing_demon_protocol.engine.mechanics.travelling import Weaving
from racing_demon_protocol.engine.specification import Deal, Doubt, Foundations, Geometry, Owner, Stock

from .common import HAND, solitaire

GAME = solitaire(
    "weavers",
    "Weavers",
    "Cheney 44",
    groups=(
        Foundations(owner=Owner.PLAYER, count=8, base=KING, step=-1),
        Packets(
            count=12,
            numbered=True,
            shows=Shows.ALL,
            under=True,
            gathers=1,
            geometry=Geometry.GRID,
            rows=(6, 6),
        ),
        Stock(turn=1, redeals=2),
        Packets(name="aside", shows=Shows.ALL, gathers=1),
        HAND,
    ),
    deal=(Deal(to="foundation", cards=("KS", "KS", "KH", "KH", "KC", "KC", "KD", "KD")),),
    mechanic=Weaving(),
    packs=2,
    skill=1,
    text=(
        "Eight kings are the bases of foundations, built down in suit. The other cards are dealt in turn to "
        "twelve numbered places; a card that falls on its own number is set aside as a weaver. Top cards go "
        "to the foundations. When none fits, a weaver goes under the packet of its number, that packet's top "
        "card under its own, and so on, until a top card fits. When nothing more can be done, the cards are "
        "taken up as they lie and dealt again, twice; a rank that is used up loses its place. You win when "
        "all cards are on the foundations."
    ),
    doubts=(
        Doubt(
            "What if a packet holds nothing but its own rank?",
            "The journey ends there, and the weaver is used up.",
            "mechanic",
        ),
        Doubt(
            "In which order are the packets taken up?",
            "The first place first, which is also dealt first; weavers last.",
            "packet.gathers",
        ),
        Doubt(
            "What is the number of a place when others are gone?", "That of its rank, as before.", "mechanic"
        ),
        Doubt(
            "May the weaver on its way go to a foundation?", "Yes, as soon as it fits.", "mechanic.from_hand"
        ),
    ),
)
