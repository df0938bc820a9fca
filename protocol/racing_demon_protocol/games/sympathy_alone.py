"""Sympathy, alone."""

from dataclasses import replace

from racing_demon_protocol.engine.mechanics.common import Out
from racing_demon_protocol.engine.mechanics.pairs import Sympathy
from racing_demon_protocol.engine.specification import Deals, Racing

from .sympathy import GAME as SYMPATHY
from .sympathy import deal_of, hand

GAME = replace(
    SYMPATHY,
    name="sympathy-alone",
    title="Sympathy, alone",
    groups=(Out(), *hand(), *hand("-left")),
    deal=(*deal_of(), *deal_of("-left")),
    mechanic=Sympathy(hands=("", "-left")),
    text=(
        "Sympathy with two packs for one player, whose right hand and left hand take the parts of the two "
        "players. Each has seventeen packets of three, face down, and a grace card. The left hand turns up "
        "the top of each packet. Then the right hand turns up one packet after another: a card that matches "
        "one of the left hand's is removed with it, and the card below is turned up next. When all packets of"
        " a hand lie face up, it is the other's turn. A hand with no card face up may use its grace card as a"
        " match. You win when all cards are removed."
    ),
    packs=2,
    deals=Deals.IDENTICAL,
    racing=Racing.IDENTICAL,
)
"""As entry 53 allows: "unless the right hand and the left may take their places"."""
