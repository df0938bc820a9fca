"""Who may see the standings of a server."""

from enum import StrEnum


class StandingsAccess(StrEnum):
    """Who may see the standings of a server."""

    OFF = "off"
    """Nobody."""
    PLAYERS = "players"
    """Players whom the server remembers: each sees those with whom they have finished a match."""
    OPEN = "open"
    """Everybody who reaches the server."""
