"""Inks: the purpose of a cell. The palette maps them to colors."""

from enum import IntEnum, IntFlag
from typing import Final


class Role(IntEnum):
    """What is written."""

    TEXT = 0
    DIM = 1
    SPADES = 2
    HEARTS = 3
    CLUBS = 4
    DIAMONDS = 5
    BACK = 6
    """Card backs."""
    FRAME = 7
    """Frames, rules and dividers."""
    KEY = 8
    """The names of keys."""
    ACCENT = 9
    """Whatever concerns this player: their name, what to do next."""
    WARNING = 10
    """Refusals and a lost connection."""
    BANNER = 11
    """The countdown and banners."""


class Mark(IntFlag):
    """A cell's marks. An ink is a role combined with any marks: ``Role.HEARTS | Mark.AIR``."""

    NONE = 0
    FRESH = 16
    """Just changed."""
    AIR = 32
    """Played, not yet confirmed by the server."""
    HELD = 64
    """Picked up."""
    CURSOR = 128
    """Under the cursor."""
    FITS = 256
    """A hint: the held cards fit here."""
    STRONG = 512
    """A heading."""


SUIT_ROLES: Final = (Role.SPADES, Role.HEARTS, Role.CLUBS, Role.DIAMONDS)


def suit_role(suit: int) -> Role:
    """Return the role of a suit's cards."""
    return SUIT_ROLES[suit]
