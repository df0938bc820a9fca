"""How durable an event is when it is sent."""

from enum import StrEnum


class Durability(StrEnum):
    """How durable an event is when it is sent."""

    FULL = "full"
    """On the disk: it survives a power cut."""
    NORMAL = "normal"
    """In the file: it survives a crash of the server, but a power cut may take the newest events."""
    NONE = "none"
    """In memory only."""
