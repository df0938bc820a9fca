"""Nivernaise, by the strict rule."""

from dataclasses import replace

from racing_demon_protocol.engine.specification import Cells

from .common import regrouped
from .nivernaise import GAME as NIVERNAISE

GAME = replace(
    NIVERNAISE,
    name="nivernaise-strict",
    title="Nivernaise, by the strict rule",
    source="Cheney 20 and appendix, variant",
    groups=regrouped(NIVERNAISE, Cells, must=True),
    text="Nivernaise, but a side place must be filled as soon as it is empty.",
    doubts=NIVERNAISE.doubts[1:],
)
