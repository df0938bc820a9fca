"""Knaves' Dial, with two packs."""

from dataclasses import replace

from racing_demon_protocol.engine.specification import Waste

from .common import TWO_REDEALS
from .knaves_dial import GAME as KNAVES_DIAL
from .knaves_dial import hour

GAME = replace(
    KNAVES_DIAL,
    name="knaves-dial-double",
    title="Knaves' Dial, with two packs",
    packs=2,
    groups=(*(hour(rank, 8) for rank in range(1, 14)), TWO_REDEALS, Waste()),
    text="Knaves' Dial with two packs: each place takes eight cards.",
)
