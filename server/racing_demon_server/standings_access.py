"""Who may see the standings of a server."""

from enum import StrEnum


class StandingsAccess(StrEnum):
    """Who may see the standings of a server."""

    OFF = "off"
    """Nobody."""
    OPEN = "open"
    """Everybody who reaches the server."""
