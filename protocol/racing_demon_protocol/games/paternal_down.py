"""Paternal, lower on higher only."""

from dataclasses import replace

from .common import DOWN_IN_SUIT, FANS, aces
from .paternal import GAME as PATERNAL
from .paternal import RELAID

GAME = replace(
    PATERNAL,
    name="paternal-down",
    title="Paternal, lower on higher only",
    source="Cheney 4, variant",
    groups=(aces(), RELAID, replace(FANS, build=(DOWN_IN_SUIT,))),
    text="Paternal, but you may build only a lower card on a higher one.",
)
