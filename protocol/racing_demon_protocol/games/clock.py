"""The Clock."""

from racing_demon_protocol.engine.mechanics.common import Packets
from racing_demon_protocol.engine.mechanics.travelling import Travelling
from racing_demon_protocol.engine.specification import Deal, Geometry, Racing

from .common import HAND, solitaire

GAME = solitaire(
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
