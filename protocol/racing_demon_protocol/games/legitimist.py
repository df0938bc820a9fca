"""The Legitimist."""

from racing_demon_protocol.engine.cards import RANK_NAMES
from racing_demon_protocol.engine.specification import Deal, Doubt, Stock, SuitRule, Waste

from .common import aces, solitaire

GAME = solitaire(
    "legitimist",
    "The Legitimist",
    "Cheney 7",
    packs=2,
    groups=(
        *(
            aces(1, name=f"from {RANK_NAMES[base - 1]}", base=base, step=-1, suit=SuitRule.ANY, wrap=True)
            for base in range(13, 5, -1)
        ),
        Stock(turn=1, redeals=2, shuffle=True),
        Waste(),
    ),
    deal=(Deal(to="from K", cards=("K*",)),),
    skill=1,
    text=(
        "A king is laid out and beside it, as they turn up, a queen, a jack, and so on down to a six. Each "
        "starts a family of thirteen that builds down in any suit and continues from ace to king. The waste "
        "may be shuffled and turned over twice."
    ),
    doubts=(
        Doubt(
            "Must the bases turn up in this order?",
            "No: each goes to its own place when it turns up.",
            "from Q.waits",
        ),
    ),
)
