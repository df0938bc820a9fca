"""Named deals: daily ones, the same for everyone, and any word that friends agree on."""

import datetime as dt

from racing_demon_protocol.engine.commit_reveal import SEED_SIZE
from racing_demon_protocol.engine.deal import subseed

SOLO = bytes(SEED_SIZE)
"""The secret of all named deals. It is public: solo players have no opponents."""


def daily_seed(game: str, day: dt.date) -> bytes:
    """Return the seed of a game's daily deal: the same for everyone on the same date."""
    return subseed(SOLO, f"daily/{game}/{day.isoformat()}")


def named_seed(game: str, name: str) -> bytes:
    """Return the seed of a game's named deal."""
    return subseed(SOLO, f"deal/{game}/{name}")
