"""Closed lists of words that settings have."""

from enum import StrEnum


class Durability(StrEnum):
    """How durable an event is when it is sent."""

    FULL = "full"
    """On the disk: it survives a power cut."""
    NORMAL = "normal"
    """In the file: it survives a crash of the server, but a power cut may take the newest events."""
    NONE = "none"
    """In memory only."""


class StandingsAccess(StrEnum):
    """Who may see the standings of a server."""

    OFF = "off"
    """Nobody."""
    PLAYERS = "players"
    """Players whom the server remembers: each sees those with whom they have finished a match."""
    OPEN = "open"
    """Everybody who reaches the server."""
