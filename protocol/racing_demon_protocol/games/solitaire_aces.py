"""Solitaire, with the aces laid out."""

from dataclasses import replace

from .common import ACES_OUT
from .solitaire import GAME as SOLITAIRE

GAME = replace(
    SOLITAIRE,
    name="solitaire-aces",
    title="Solitaire, with the aces laid out",
    source="Cheney 1, variant",
    deal=(ACES_OUT,),
    text="Solitaire, made easier: the four aces are laid out at the start.",
)
