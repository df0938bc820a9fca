"""What a program can do beyond the protocol's version: words behind its name in ``software``."""

from typing import Final

FOLLOWS_MOVED: Final = "moved"
"""The word in a client's ``software`` that says that it follows ``moved``."""
COUNTS_RELAYED: Final = "relaying"
"""The word in a server's ``software`` that says that relays may send ``relaying``."""
SHOWS_RACES: Final = "races"
"""The word in a client's ``software`` that says that it understands ``race_lost``."""


def understands(software: str, word: str) -> bool:
    """Return whether a program's ``software`` has a word behind its name."""
    return word in software.split()[1:]
