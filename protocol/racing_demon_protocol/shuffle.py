"""The deal from a seed: everybody can repeat it once the seed is told.

The seed is 32 secret bytes. SHAKE-256 stretches it, rejection sampling makes it uniform; Python's
``random`` would be predictable, and differ between versions.
"""

import hashlib
import hmac
from collections.abc import Iterator

from .cards import PACK_SIZE, Card

__all__ = ["SEED_SIZE", "commitment", "deck", "hand_seeds", "keeps", "subseed"]

SEED_SIZE = 32
"""Bytes in a hand's seed."""


def commitment(seed: bytes, hand_id: str) -> str:
    """Return what is published before the deal: SHA-256 over seed and hand id, in hexadecimal."""
    return hashlib.sha256(seed + hand_id.encode()).hexdigest()


def keeps(seed: bytes, hand_id: str, published: str) -> bool:
    """Tell whether a seed, told after the hand, keeps the promise made before it."""
    return hmac.compare_digest(commitment(seed, hand_id), published)


def subseed(seed: bytes, label: str) -> bytes:
    """Return a seed for one purpose, from a seed for all of them."""
    return hashlib.shake_256(seed + b"/" + label.encode()).digest(SEED_SIZE)


def hand_seeds(seed: bytes) -> Iterator[bytes]:
    """Yield the seed of each hand of a table, from one seed for all of them."""
    number = 0
    while True:
        number += 1
        yield subseed(seed, f"hand/{number}")


def deck(seed: bytes, pack: int) -> list[Card]:
    """Return the shuffled pack of a player, the first card to deal first.

    Fisher-Yates, from the last place down: the card of place ``i`` changes with that of a place from
    0 to ``i``, drawn from the bytes of SHAKE-256 over ``seed``, ``"/pack/"`` and the pack's number.
    """
    cards = list(range(pack * PACK_SIZE, (pack + 1) * PACK_SIZE))
    draws = _bytes(subseed(seed, f"pack/{pack}"))
    for place in range(PACK_SIZE - 1, 0, -1):
        other = _below(place + 1, draws)
        cards[place], cards[other] = cards[other], cards[place]
    return cards


def _bytes(seed: bytes) -> Iterator[int]:
    block = 0
    while True:
        yield from hashlib.shake_256(seed + block.to_bytes(4, "big")).digest(128)
        block += 1


def _below(limit: int, draws: Iterator[int]) -> int:
    """Return a uniform number below a limit of at most 256: bytes of the uneven rest are thrown away."""
    fair = 256 - 256 % limit
    return next(draw for draw in draws if draw < fair) % limit
