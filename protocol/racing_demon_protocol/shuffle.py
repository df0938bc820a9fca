"""The deal from a seed: everybody can repeat it once the seed is told.

The seed is 32 secret bytes. SHAKE-256 stretches it, rejection sampling makes it uniform; Python's
``random`` would be predictable, and differ between versions.
"""

import hashlib
import hmac
from collections.abc import Iterable, Iterator

from .cards import ALL_RANKS, PACK_SIZE, SUIT_SIZE, Card

__all__ = ["SEED_SIZE", "commitment", "deck", "hand_seeds", "keeps", "reshuffled", "subseed"]

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


def deck(seed: bytes, pack: int, *, packs: int = 1, ranks: tuple[int, ...] = ALL_RANKS) -> list[Card]:
    """Return the shuffled cards of a player, the first card to deal first.

    Fisher-Yates, from the last place down: the card of place ``i`` changes with that of a place from
    0 to ``i``, drawn from the bytes of SHAKE-256 over ``seed``, ``"/pack/"`` and the pack's number.

    Args:
        seed: the hand's 32 bytes.
        pack: the number of the player's first pack.
        packs: how many packs are shuffled together.
        ranks: the ranks of each.

    """
    cards = list(range(pack * PACK_SIZE, (pack + packs) * PACK_SIZE))
    if ranks != ALL_RANKS:
        cards = [card for card in cards if card % SUIT_SIZE + 1 in ranks]
    draws = _bytes(subseed(seed, f"pack/{pack}"))
    for place in range(len(cards) - 1, 0, -1):
        fair = 256 - 256 % (place + 1)  # bytes of the uneven rest are thrown away; no deck has 256 cards
        for draw in draws:
            if draw < fair:
                break
        other = draw % (place + 1)
        cards[place], cards[other] = cards[other], cards[place]
    return cards


def reshuffled(seed: bytes, label: str, cards: Iterable[Card]) -> list[Card]:
    """Return cards in an order that depends on nothing but the seed, the label, and which faces they are.

    Each copy of each face has a key of its own, from SHAKE-256 over ``seed``, ``"/"``, the label, and
    ``"/face/copy"``; the cards are sorted by their keys. So players who hold the same faces get the same
    order, and where they hold others, the faces they share come in the same order (catalogue 6.8).
    """
    copies: dict[int, int] = {}
    keyed = []
    for card in sorted(cards):
        face = card % PACK_SIZE
        copy = copies[face] = copies.get(face, 0) + 1
        keyed.append((subseed(seed, f"{label}/{face}/{copy}"), card))
    return [card for _, card in sorted(keyed)]


def _bytes(seed: bytes) -> Iterator[int]:
    block = 0
    while True:
        yield from hashlib.shake_256(seed + block.to_bytes(4, "big")).digest(128)
        block += 1
