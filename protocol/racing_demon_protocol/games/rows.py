"""Games with one row that is made shorter."""

from racing_demon_protocol.engine.mechanics.common import Out
from racing_demon_protocol.engine.mechanics.line import DoubleJump, Line, PushPin
from racing_demon_protocol.engine.specification import Doubt, Geometry

from .common import NO_REDEAL, solitaire

PUSH_PIN = solitaire(
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

DOUBLE_JUMP = solitaire(
    "double-jump",
    "Double Jump",
    "Cheney 19 and appendix",
    groups=(Line(count=52, geometry=Geometry.LINE), NO_REDEAL),
    deal=(),
    mechanic=DoubleJump(),
    skill=2,
    text=(
        "A pack is laid out in one line, card by card. A pile jumps to the right over exactly two others, "
        "onto a pile whose top card has the same suit or rank, and covers it. When all cards are dealt and "
        "three piles are left, the first may jump over one; when two are left, the first may go onto the "
        "second. One pile wins, which is very rare: four are a good result, three an excellent one."
    ),
    doubts=(
        Doubt(
            "Which way do piles jump, and which lies on top?",
            "To the right; the pile that jumps lies on top.",
            "mechanic",
        ),
        Doubt(
            "When may three piles, or two, be joined?",
            "When all cards are dealt, if suit or rank match.",
            "mechanic.final_jumps",
        ),
        Doubt("Must a pile jump?", "No.", "mechanic"),
        Doubt("What counts as success?", "One pile; in a race, the fewest piles win.", "mechanic.left"),
    ),
)
