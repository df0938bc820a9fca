"""How certain it is that what was told is never lost."""

from enum import StrEnum

__all__ = ["Durability"]


class Durability(StrEnum):
    """What is certain when a play is told."""

    FULL = "full"
    """It is on the disk, and survives a power cut."""
    NORMAL = "normal"
    """It is in the file, and survives the death of the server; a power cut may take the newest."""
    NONE = "none"
    """Nothing is kept."""
