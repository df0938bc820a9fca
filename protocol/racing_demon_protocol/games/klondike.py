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

BASE_DOUBTS = (
    Doubt("Must aces, or other cards, be played to the middle?", "No.", "foundation.forced_bases"),
    Doubt(
        "Are the first three cards turned automatically?",
        "No: turning is a play, which you can make from the signal on.",
        "options.auto_first_turn",
    ),
    Doubt(
        "What if fewer than three cards are left in the stock?",
        "They are turned, and the last one can be played.",
        "stock.tail_rule",
    ),
    Doubt("How often is the waste turned over?", "As often as you like, without shuffling.", "stock.redeals"),
    Doubt("May part of a sequence move?", "Yes, any cards at its end.", "tableau.unit"),
    Doubt("May cards leave the foundations again?", "No.", "foundation.take_back"),
    Doubt("May a suit have several foundations?", "Yes, one for each ace.", "foundation.one_per_suit"),
    Doubt("What about a complete foundation?", "It counts, and takes no more cards.", "foundation.length"),
    Doubt(
        "Must you call when you go out?", "No: the last card ends the hand automatically.", "options.call_out"
    ),
    Doubt("May cards still land after the call?", "Only if you have to call.", "options.grace_ms"),
    Doubt(
        "What happens when nobody can play?", "The hand ends, and nobody gets a bonus.", "options.stall_rule"
    ),
    Doubt("What if two players have the same total?", "Both win.", "options.tie_break"),
    Doubt("How many hands make a match?", "Five, unless the host says otherwise.", "options.hands"),
    Doubt(
        "What happens when a player leaves?",
        "Their cards in the middle stay and count; their layout is frozen.",
        "options.on_leave",
    ),
    Doubt("How much of the waste is visible?", "Its top card.", "waste.view"),
    Doubt("May players join late?", "Yes, between hands.", "options.late_join"),
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
        "Everybody deals a Klondike layout from their own pack, and all play at once around shared "
        "foundations, which build up in suit from the aces. Build down on your own columns in alternate "
        "colors. Kings fill spaces. The stock is turned three cards at a time, as often as you like. Going "
        "out with the whole pack scores 52 points, plus a bonus of 10."
    ),
    doubts=BASE_DOUBTS,
)
"""Klondike layouts around shared foundations; going out with the whole pack scores 52 + 10."""

TRIANGLE = solitaire(
    "triangle",
    "Triangle",
    "Cheney 37",
    groups=(
        aces(take_back=TakeBack.FREE),
        Tableau(shape=(1, 2, 3, 4, 5, 6, 7), unit=Unit.ONE),
        Cells(name="open hand", count=24, geometry=Geometry.GRID, rows=(12, 12)),
    ),
    deal=(Deal(to="tableau"), Deal(to="open hand", each=1)),
    text=(
        "Seven columns of one to seven cards, only the last of each face up; the other twenty-four cards lie "
        "face up, and all can be played. Families build up in suit from the aces, and their top cards may be "
        "taken back. Build down on the columns in alternate colors, one card at a time. Any card fills a "
        "space."
    ),
    doubts=(Doubt("Can a face-up card be used before it is the last of its column?", "No.", "tableau.unit"),),
)

STAIRCASE = solitaire(
    "staircase",
    "Staircase",
    "Cheney 38",
    packs=2,
    groups=(
        aces(8),
        NO_REDEAL,
        DEALT,
        Reserve(name="buried", size=0, takes=("dealt",), locked=True),
        Tableau(shape=tuple(range(10, 0, -1))),
    ),
    text=(
        "Ten columns of ten to one cards, the last of each face up. Eight families build up in suit from the "
        "aces. Build down on the columns in alternate colors; sequences move together, and any card fills a "
        "space. The stock is turned one card at a time. A card that cannot be placed is buried; when the "
        "stock is empty, the buried cards can be played from the top."
    ),
    doubts=(
        Doubt(
            "At which side does the staircase begin?", "At the left; it makes no difference.", "tableau.shape"
        ),
    ),
)

TRIANGULAR_GAMES = (TRIANGLE, STAIRCASE)
