"""Inks: what a cell of the picture is for. Which colours that means is the palette's business."""

from enum import IntEnum, IntFlag
from typing import Final

__all__ = ["Mark", "Role", "suit_role"]


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
    """What concerns the player: the own name, what to do next."""
    WARNING = 10
    """Refusals, a lost connection."""
    BANNER = 11
    """The countdown, and what fills the screen."""


class Mark(IntFlag):
    """What is special about it. An ink is a role with any marks: ``Role.HEARTS | Mark.AIR``."""

    NONE = 0
    FRESH = 16
    """Changed a moment ago."""
    AIR = 32
    """Played, and the server has not agreed yet."""
    HELD = 64
    """Picked up."""
    CURSOR = 128
    """Under the cursor."""
    FITS = 256
    """A hint: what is held fits here."""
    STRONG = 512
    """A heading."""


SUIT_ROLES: Final = (Role.SPADES, Role.HEARTS, Role.CLUBS, Role.DIAMONDS)


def suit_role(suit: int) -> Role:
    """Return the role of a suit's cards."""
    return SUIT_ROLES[suit]
