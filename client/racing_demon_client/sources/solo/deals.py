"""Deals that have a name: a day's, the same for everyone, or any word that friends agree upon."""

import datetime as dt

from racing_demon_protocol.engine.shuffle import SEED_SIZE, subseed

__all__ = ["daily_seed", "named_seed"]

SOLO = bytes(SEED_SIZE)
"""What all named deals follow from; it is no secret, for nobody plays against anybody."""


def daily_seed(game: str, day: dt.date) -> bytes:
    """Return the seed of a game's deal of a day: the same for everyone who writes the same date."""
    return subseed(SOLO, f"daily/{game}/{day.isoformat()}")


def named_seed(game: str, name: str) -> bytes:
    """Return the seed of a game's deal that has a name."""
    return subseed(SOLO, f"deal/{game}/{name}")
