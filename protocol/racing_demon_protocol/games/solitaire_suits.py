"""Solitaire, following suit."""

from dataclasses import replace

from racing_demon_protocol.engine.specification import Stock

from .common import DEALT, aces, free_piles
from .solitaire import GAME as SOLITAIRE

GAME = replace(
    SOLITAIRE,
    name="solitaire-suits",
    title="Solitaire, following suit",
    source="Cheney 1, variant",
    groups=(aces(), Stock(turn=1, redeals=2, shuffle=True), DEALT, replace(free_piles(4), gathers=1)),
    text=(
        "Solitaire, made harder: the families build in suit. To make up for that, the four piles may be taken"
        " up, shuffled and dealt again, twice."
    ),
)
