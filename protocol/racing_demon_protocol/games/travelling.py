"""Games of travelling packets: a card goes under the packet of its rank, whose top travels on."""

from racing_demon_protocol.engine.board import Shows
from racing_demon_protocol.engine.cards import KING
from racing_demon_protocol.engine.mechanics.common import Out, Packets
from racing_demon_protocol.engine.mechanics.travelling import Counting, Travelling, Weaving
from racing_demon_protocol.engine.specification import (
    Cells,
    Deal,
    Doubt,
    Foundations,
    Geometry,
    Owner,
    Racing,
    Stock,
)

from .common import NO_REDEAL, solitaire

HAND = Cells(name="hand", count=1, counts=True)
ASIDE = Packets(name="aside", shows=Shows.ALL)

TRAVELLERS = solitaire(
    "travellers",
    "Travellers",
    "Travellers",
    groups=(
        Packets(count=12, numbered=True, under=True, geometry=Geometry.GRID, rows=(4, 4, 4)),
        Packets(name="spare", shows=Shows.NONE),
        HAND,
        Out(),
    ),
    deal=(Deal(to="packet", each=4), Deal(to="spare", each=4)),
    mechanic=Travelling(rounds_from="spare"),
    racing=Racing.REFLEX,
    skill=0,
    text=(
        "All cards lie face down in packets of four: three rows of four packets, numbered one to twelve, and "
        "a spare one. The top card of the spare packet is turned up and goes under the packet of its number, "
        "face up; that packet's top card goes under its own packet, and so on, until a king turns up. Kings "
        "have no place and are put away; then the next spare card starts a new round. You win when all "
        "packets are complete, and lose when the spare packet is used up first."
    ),
    doubts=(
        Doubt(
            "What is a complete packet?",
            "One to which all four of its cards have moved. It is not enough that they were dealt there.",
            "mechanic.complete",
        ),
    ),
)

CLOCK = solitaire(
    "clock",
    "The Clock",
    "Cheney 18",
    groups=(Packets(count=13, numbered=True, under=True, geometry=Geometry.DIAL), HAND),
    deal=(Deal(to="packet", each=4),),
    mechanic=Travelling(rounds_from="packet"),
    racing=Racing.REFLEX,
    skill=0,
    text=(
        "Thirteen packets of four lie face down: twelve are the hours of a clock, and the thirteenth lies in "
        "the middle. The top card of the middle is turned up and goes under the packet of its hour, face up; "
        "that packet's top card goes under its own, and so on. Kings go under the middle. You win when all "
        "cards lie face up, and lose when the fourth king comes first. The chance is one in thirteen."
    ),
)

WANDERING_CARD = solitaire(
    "wandering-card",
    "Wandering Card",
    "Cheney 13",
    groups=(
        Packets(count=13, numbered=True, shows=Shows.ALL, under=True, geometry=Geometry.GRID, rows=(7, 6)),
        NO_REDEAL,
        ASIDE,
        HAND,
    ),
    deal=(),
    mechanic=Travelling(rounds_from="aside", counting=Counting.AFTER_FIRST),
    racing=Racing.REFLEX,
    skill=0,
    text=(
        "The pack is laid in four layers on thirteen places, face up. From the second layer on, count the "
        "places: a card that falls on its own number is set aside. Then the cards set aside go, one after "
        "another, under the packets of their numbers; the top card of that packet goes under its own, and so "
        "on, until a top card is already at home. You win when thirteen packets, in order, hold four equal "
        "cards each."
    ),
    doubts=(
        Doubt(
            "Does the first layer count, too?", "No: counting begins with the second.", "mechanic.counting"
        ),
        Doubt("What if no card is set aside?", "Then the game is lost at once.", "mechanic.rounds_from"),
    ),
)

WEAVERS = solitaire(
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
