"""Push Pin."""

from racing_demon_protocol.engine.mechanics.common import Out
from racing_demon_protocol.engine.mechanics.line import Line, PushPin
from racing_demon_protocol.engine.specification import Doubt, Geometry

from .common import NO_REDEAL, solitaire

GAME = solitaire(
    "push-pin",
    "Push Pin",
    "Cheney 11",
    groups=(Line(count=2 * 52 + 1, geometry=Geometry.LINE), NO_REDEAL, Out()),
    deal=(),
    mechanic=PushPin(),
    packs=2,
    skill=1,
    text=(
        "Two packs are laid out in one line, card by card. A card that lies between two of the same suit, or "
        "between two of the same rank, may be pushed out; so may several cards of one suit that lie between "
        "two of the same rank. The line closes up. After the last card, the first one may move to the end, "
        "once. You win when two cards are left. To push several out, play the last of them onto the first."
    ),
    doubts=(
        Doubt("How often may the first card go to the end?", "Once.", "mechanic.end_shift"),
        Doubt("Must the two cards beside a block be of one suit?", "No: only of the same rank.", "mechanic"),
        Doubt("Must a card be pushed out?", "No.", "mechanic"),
        Doubt("May cards be pushed out during the deal?", "Yes, and later.", "mechanic.while_laying"),
    ),
)
