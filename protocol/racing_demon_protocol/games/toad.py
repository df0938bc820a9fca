"""The Toad."""

from racing_demon_protocol.engine.specification import Deal, Doubt, Reserve, SuitRule

from .common import DEALT, NO_REDEAL, aces, free_piles, solitaire

GAME = solitaire(
    "toad",
    "The Toad",
    "Cheney 35",
    packs=2,
    groups=(aces(8, suit=SuitRule.ANY), NO_REDEAL, DEALT, Reserve(name="toad", size=13), free_piles(5)),
    deal=(Deal(to="toad"),),
    text=(
        "Thirteen cards are the toad: a reserve whose top card can be played. Eight families build up from "
        "the aces in any suit. Cards that do not go up are put on five piles."
    ),
    doubts=(
        Doubt("What about aces in the reserve?", "They wait there until they are reached.", "toad.size"),
        Doubt("Does the reserve lie face up?", "Yes, and only its top can be used.", "toad.shows"),
    ),
)
