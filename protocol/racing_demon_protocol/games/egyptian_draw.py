"""The Egyptian, with a draw."""

from dataclasses import replace

from racing_demon_protocol.engine.rules.special_rules import Draw

from .egyptian import GAME as EGYPTIAN

GAME = replace(
    EGYPTIAN,
    name="egyptian-draw",
    title="The Egyptian, with a draw",
    source="Cheney 17, variant",
    specials=(Draw(groups=("wings",), marries=True),),
    text="The Egyptian, but once a card may be taken out of a row, to go to a family or be built on.",
    doubts=EGYPTIAN.doubts[:1],
)
