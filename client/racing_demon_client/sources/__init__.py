"""Sources of a table: a server, a broker, a record, or a solo game."""

from typing import Final

__all__ = ["PRACTICE_HANDS"]

PRACTICE_HANDS: Final = 3
"""The default length of a match against bots, in hands: six to twenty minutes, depending on their level."""
