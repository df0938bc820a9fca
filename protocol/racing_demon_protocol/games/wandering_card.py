"""Wandering Card."""

from racing_demon_protocol.engine.board import Shows
from racing_demon_protocol.engine.mechanics.common import Packets
from racing_demon_protocol.engine.mechanics.travelling import Counting, Travelling
from racing_demon_protocol.engine.specification import Doubt, Geometry, Racing

from .common import HAND, NO_REDEAL, solitaire

ASIDE = Packets(name="aside", shows=Shows.ALL)

GAME = solitaire(
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
