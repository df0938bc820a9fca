"""Solitaire."""

from racing_demon_protocol.engine.specification import Doubt, SuitRule

from .common import DEALT, NO_REDEAL, aces, free_piles, solitaire

NOT_FORCED = Doubt("Must a card that fits go up?", "No: you may hold it back.", "aces.forced_bases")

GAME = solitaire(
    "solitaire",
    "Solitaire",
    "Cheney 1",
    groups=(aces(suit=SuitRule.ANY), NO_REDEAL, DEALT, free_piles(4)),
    deal=(),
    text=(
        "There is no layout. Aces start four families, which build up to the king in any suit. A card that "
        "does not go up is put on one of four piles. Only their top cards can be played, and only to the "
        "families. Everything depends on where you put each card."
    ),
    doubts=(NOT_FORCED,),
)
