"""Double Jump."""

from racing_demon_protocol.engine.mechanics.line import DoubleJump, Line
from racing_demon_protocol.engine.specification import Doubt, Geometry

from .common import NO_REDEAL, solitaire

GAME = solitaire(
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
