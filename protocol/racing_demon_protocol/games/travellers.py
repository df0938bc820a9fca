"""Travellers."""

from racing_demon_protocol.engine.board import Shows
from racing_demon_protocol.engine.mechanics.common import Out, Packets
from racing_demon_protocol.engine.mechanics.travelling import Travelling
from racing_demon_protocol.engine.specification import Deal, Doubt, Geometry, Racing

from .common import HAND, solitaire

GAME = solitaire(
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
