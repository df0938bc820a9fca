"""Games on Klondike layouts: triangular columns whose last cards are face up."""

from racing_demon_protocol.engine.cards import KING
from racing_demon_protocol.engine.specification import (
    Cells,
    Deal,
    Doubt,
    Foundations,
    Game,
    Geometry,
    Reserve,
    Space,
    Stock,
    Tableau,
    TakeBack,
    Unit,
    Waste,
)

from .common import DEALT, NO_REDEAL, aces, solitaire

__all__ = ["BASE_DOUBTS", "RACING_DEMON", "TRIANGULAR_GAMES"]

BASE_DOUBTS = (
    Doubt("Must aces, or other cards, be played to the middle?", "No.", "foundation.forced_bases"),
    Doubt(
        "Are the first three cards turned by themselves?",
        "No: turning is a play, from the signal on.",
        "options.auto_first_turn",
    ),
    Doubt(
        "What holds when fewer than three are left?",
        "They are turned, and the last one is free.",
        "stock.tail_rule",
    ),
    Doubt("How often is the waste turned over?", "As often as one likes, unshuffled.", "stock.redeals"),
    Doubt(
        "Does a part of a sequence move?", "Yes, any tail of it that is itself a sequence.", "tableau.unit"
    ),
    Doubt("May cards leave the foundations again?", "No.", "foundation.take_back"),
    Doubt("May a suit have several foundations?", "Yes, one for each ace.", "foundation.one_per_suit"),
    Doubt("What of a finished foundation?", "It counts, and takes nothing more.", "foundation.length"),
    Doubt("Must one call out?", "No: the last card ends the hand by itself.", "options.call_out"),
    Doubt("May cards still land after the call?", "Only where one must call out.", "options.grace_ms"),
    Doubt(
        "What is done when nobody can play?",
        "The hand ends, without a bonus; the stocks may be shifted first.",
        "options.stall_rule",
    ),
    Doubt("What if two have the same total?", "Both have won.", "options.tie_break"),
    Doubt("How many hands make a match?", "Five, unless the host says otherwise.", "options.hands"),
    Doubt(
        "What of one who leaves?",
        "The cards in the middle stay and count; the layout is frozen.",
        "options.on_leave",
    ),
    Doubt("How much of the waste can be seen?", "Its top card.", "waste.view"),
    Doubt("May players come late?", "Between the hands.", "options.late_join"),
)
"""The doubts of Racing Demon that have a switch."""

RACING_DEMON = Game(
    name="racing-demon",
    title="Racing Demon",
    source="Racing Demon",
    groups=(
        Foundations(),
        Stock(),
        Waste(),
        Tableau(shape=(1, 2, 3, 4, 5, 6, 7), space=Space(ranks=frozenset({KING}))),
    ),
    text=(
        "Everybody deals a Klondike layout from a pack of their own, and all play at once around shared "
        "foundations, which rise in suit from the aces. Build down on your own columns, red and black in "
        "turn. Kings fill spaces. The stock is turned by threes, as often as wanted. Going out with the "
        "whole pack scores 52 points, and 10 more."
    ),
    doubts=BASE_DOUBTS,
)
"""Klondike layouts around shared foundations; going out with the whole pack scores 52 + 10."""

TRIANGLE = solitaire(
    "triangle",
    "Triangle",
    "37",
    groups=(
        aces(take_back=TakeBack.FREE),
        Tableau(shape=(1, 2, 3, 4, 5, 6, 7), unit=Unit.ONE),
        Cells(name="open hand", count=24, geometry=Geometry.GRID, rows=(12, 12)),
    ),
    deal=(Deal(to="tableau"), Deal(to="open hand", each=1)),
    skill=3,
    text=(
        "Seven columns of one to seven cards, only the ends face up; the other twenty-four cards are laid "
        "open, and all are free. Families rise from the aces in suit, and their tops may be taken back. "
        "Build down on the columns, red and black in turn, one card at a time, and any card fills a space."
    ),
    doubts=(
        Doubt(
            question="Is a card turned up usable before it ends its column?",
            answer="No.",
            field="tableau.unit",
        ),
    ),
)

STAIRCASE = solitaire(
    "staircase",
    "Staircase",
    "38",
    packs=2,
    groups=(
        aces(8),
        NO_REDEAL,
        DEALT,
        Reserve(name="buried", size=0, takes=("dealt",), locked=True),
        Tableau(shape=tuple(range(10, 0, -1))),
    ),
    skill=3,
    text=(
        "Ten columns of ten to one cards, the ends face up. Eight families rise from the aces in suit. Build "
        "down on the columns, red and black in turn, sequences move together, and anything fills a "
        "space. The hand is dealt card by card: what cannot be placed is buried, and comes to life again "
        "from the top when the hand is out."
    ),
    doubts=(
        Doubt(
            question="At which side does the staircase begin?",
            answer="At the left; it makes no difference.",
            field="tableau.shape",
        ),
    ),
)

TRIANGULAR_GAMES = (TRIANGLE, STAIRCASE)
