"""Fours."""

from dataclasses import replace

from racing_demon_protocol.engine.specification import Deal, Doubt, Stock

from .common import DOWN_IN_SUIT, FANS, aces, solitaire

GAME = solitaire(
    "fours",
    "Fours",
    "Cheney 46",
    groups=(
        aces(),
        Stock(relay=(Deal(to="fans", each=4),)),
        replace(FANS, shape=(4,) * 13, build=(DOWN_IN_SUIT,), rows=(5, 5, 3)),
    ),
    deal=(Deal(to="fans"),),
    skill=2,
    text=(
        "Thirteen fans of four cards. Families build up in suit from the aces; on the fans, a lower card goes"
        " on the next higher one of its suit. When nothing more can be played, the fans are taken up in "
        "order, so that all cards keep their sequence, and dealt again in fours, as often as that helps."
    ),
    doubts=(Doubt("Are the cards shuffled?", "No: they keep their order.", "stock.shuffle"),),
)
