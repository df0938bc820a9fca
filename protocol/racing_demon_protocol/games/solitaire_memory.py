"""Solitaire, by memory."""

from dataclasses import replace

from racing_demon_protocol.engine.board import Shows
from racing_demon_protocol.engine.specification import Doubt, SuitRule

from .common import DEALT, NO_REDEAL, aces, free_piles
from .solitaire import GAME as SOLITAIRE
from .solitaire import NOT_FORCED

GAME = replace(
    SOLITAIRE,
    name="solitaire-memory",
    title="Solitaire, by memory",
    source="Cheney 1, variant",
    groups=(aces(suit=SuitRule.ANY), NO_REDEAL, DEALT, replace(free_piles(4), shows=Shows.TOP)),
    text="Solitaire by the strict old rule: you have to remember the cards below the top of each pile.",
    doubts=(
        NOT_FORCED,
        Doubt("Which cards of a pile are visible?", "Only the top one.", "piles.shows"),
    ),
)
