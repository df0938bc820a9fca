"""Racing Demon."""

from racing_demon_protocol.engine.cards import KING, PACK_SIZE
from racing_demon_protocol.engine.specification import (
    Doubt,
    Foundations,
    Game,
    Space,
    Stock,
    Tableau,
    Waste,
)

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

GAME = Game(
    name="racing-demon",
    title="Klondike race",
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
        "colors. Only kings fill empty columns. The stock is turned three cards at a time, as often as you "
        f"like. Going out with the whole pack scores {PACK_SIZE} points and a bonus."
    ),
    doubts=BASE_DOUBTS,
)
"""Klondike layouts around shared foundations."""
