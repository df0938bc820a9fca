"""Demon, with the reserve face up."""

from racing_demon_protocol.engine.rules.special_rules import Grace
from racing_demon_protocol.engine.specification import Deal, Doubt, Heads, Stock, TailRule, Unit

from .common import solitaire
from .demon_a import (
    AFTER_THE_HEAP,
    AT_ONCE,
    BASES_DEALT,
    DEMON_GROUPS,
    FOUR_COLUMNS,
    HEAP_UP,
    NO_BONUS,
    WRAPS,
    demon_columns,
)

TWO_LEFT = Doubt("What if only two cards are left to turn?", "Either may be used.", "stock.tail_rule")

GAME = solitaire(
    "demon-b",
    "Demon, with the reserve face up",
    "Demon B",
    groups=(
        DEMON_GROUPS[0],
        Stock(tail_rule=TailRule.EITHER2, counts=True),
        DEMON_GROUPS[2],
        HEAP_UP,
        demon_columns(Unit.WHOLE),
        Heads(of="tableau", count=len(FOUR_COLUMNS)),
    ),
    deal=(Deal(to="reserve"), Deal(to="tableau"), Deal(to="foundation", count=1)),
    specials=(Grace(heads="heads"),),
    scoring=NO_BONUS,
    skill=2,
    text=(
        "A reserve of thirteen cards, its top card face up and free to play, four columns, and one card "
        "that starts the families: its rank is the base of all four, which build up in suit and continue from"
        " king to ace. Build down on the columns in alternate colors; the reserve fills spaces. The stock is"
        " turned three cards at a time, as often as you like. Once, after a full pass without a play, the top"
        " card of a family may go back to the foot or the head of a column."
    ),
    doubts=(
        WRAPS,
        Doubt("What moves between columns?", "One card, or a whole column.", "tableau.unit"),
        AT_ONCE,
        AFTER_THE_HEAP,
        TWO_LEFT,
        BASES_DEALT,
        Doubt(
            "What is the head of a column?",
            "The place under its first card, for a card of the other color that is one higher.",
            "Grace.heads",
        ),
        Doubt(
            "When is a player blocked?",
            "When no card can be played, and all of stock and waste was turned since the last play.",
            "Grace",
        ),
        Doubt("May the only card of a family be taken?", "No: it is the base, and stays.", "Grace"),
    ),
)
