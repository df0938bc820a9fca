"""Fourteen."""

from racing_demon_protocol.engine.mechanics.common import Out, Packets
from racing_demon_protocol.engine.mechanics.sums import Reach, Sums
from racing_demon_protocol.engine.specification import Deal, Doubt, Stock, Waste

from .common import places, solitaire

GAME = solitaire(
    "fourteen",
    "Fourteen",
    "Cheney 8",
    groups=(
        places(5, 5, 5, 5, 5),
        Stock(turn=1, shuffle=True),
        Waste(plays_to=()),
        Packets(name="aside", counts=True),
        Out(),
    ),
    deal=(Deal(to="place", each=1),),
    mechanic=Sums(total=14, reach=Reach.LINE, exchanges=1, regather=True),
    packs=2,
    skill=1,
    text=(
        "Five rows of five cards lie face up. Two cards in one row or one column that add up to fourteen are "
        "removed; jack, queen and king count as eleven, twelve and thirteen. The stock fills their places in"
        " the order of the deal. If there is no such pair while the stock lasts, two cards may change places,"
        " once. When the stock is empty, the cards of the lower rows are shuffled and fill the gaps in the "
        "upper ones, as often as there are gaps. You win when all cards are removed."
    ),
    doubts=(
        Doubt("How often may two cards change places?", "Once a game.", "mechanic.exchanges"),
        Doubt(
            "Which are the lower rows?",
            "Those that the cards left cannot fill: their cards are taken up together.",
            "mechanic.regather",
        ),
        Doubt("Must all pairs be taken before rows are taken up?", "No.", "mechanic.regather"),
    ),
)
"""The book says "the cards in the lower rows", so all lower rows are taken up, not only the lowest."""
