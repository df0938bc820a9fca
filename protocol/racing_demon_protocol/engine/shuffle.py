"""The deal from a seed, which anybody can repeat once the seed is revealed.

The seed is 32 bytes: a hash of random bytes from the server and the players, each bound by a commitment
before others knew any of them. SHAKE-256 expands it, and rejection sampling makes the shuffle uniform.
Python's ``random`` would be predictable, and differ between versions.
"""

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from .cards import ALL_RANKS, PACK_SIZE, SUIT_SIZE, Card

SEED_SIZE: Final = 32
"""The size in bytes of a hand's seed, of the server's secret, and of a player's contribution."""
CONTRIBUTION: Final = b"racing-demon contribution 1\n"
DEAL: Final = b"racing-demon deal 1\n"
"""Separates the domains of the two hashes from each other, and from all others."""


def commitment(secret: bytes, hand_id: str) -> str:
    """Return the server's commitment: SHA-256 over its secret and the hand's id, in hexadecimal."""
    return hashlib.sha256(secret + hand_id.encode()).hexdigest()


def redrawn(hand_id: str) -> str:
    """Return the id of a hand's next draw, after a void one: ``BCDF/1/3.2`` after ``BCDF/1/3``."""
    hand, _, draw = hand_id.partition(".")
    return f"{hand}.{int(draw or 1) + 1}"


def is_redrawn(hand_id: str) -> bool:
    """Return whether a hand's id is that of a further draw."""
    return "." in hand_id


def keeps(secret: bytes, hand_id: str, published: str) -> bool:
    """Return whether a secret, revealed after the hand, matches the server's commitment."""
    return hmac.compare_digest(commitment(secret, hand_id), published)


def contribution_hash(value: bytes, promised: str, hand_id: str, seat: int) -> str:
    """Return a player's commitment to a contribution, in hexadecimal.

    It is valid for one seat, one hand and one secret of the server.

    Args:
        value: the player's 32 random bytes.
        promised: the server's commitment.
        hand_id: the hand's id.
        seat: the player's seat.

    """
    return hashlib.sha256(
        CONTRIBUTION + bytes.fromhex(promised) + bytes([seat]) + value + hand_id.encode()
    ).hexdigest()


def deal_seed(secret: bytes, hand_id: str, contributions: Mapping[int, bytes]) -> bytes:
    """Return the seed of a hand's deal.

    Without contributions it is the server's secret.

    Args:
        secret: the server's secret.
        hand_id: the hand's id.
        contributions: the players' revealed bytes, by seat.

    """
    if not contributions:
        return secret
    values = b"".join(bytes([seat]) + contributions[seat] for seat in sorted(contributions))
    return hashlib.sha256(DEAL + secret + bytes([len(contributions)]) + values + hand_id.encode()).digest()


def subseed(seed: bytes, label: str) -> bytes:
    """Derive a seed for one purpose from a common seed."""
    return hashlib.shake_256(seed + b"/" + label.encode()).digest(SEED_SIZE)


def hand_seeds(seed: bytes) -> Iterator[bytes]:
    """Yield the seed of each hand of a table, derived from one seed."""
    number = 0
    while True:
        number += 1
        yield subseed(seed, f"hand/{number}")


def deck(seed: bytes, pack: int, *, packs: int = 1, ranks: tuple[int, ...] = ALL_RANKS) -> list[Card]:
    """Return a player's shuffled cards, in the order of the deal.

    This is a Fisher-Yates shuffle from the last place down: the card at place ``i`` is swapped with that at a
    place from 0 to ``i``, drawn from the bytes of SHAKE-256 over ``seed``, ``"/pack/"`` and the pack's
    number.

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
        fair = 256 - 256 % (place + 1)  # reject bytes of the uneven rest; no deck has 256 cards
        for draw in draws:
            if draw < fair:
                break
        other = draw % (place + 1)
        cards[place], cards[other] = cards[other], cards[place]
    return cards


def reshuffled(seed: bytes, label: str, cards: Iterable[Card]) -> list[Card]:
    """Return cards in an order that depends only on the seed, the label, and their faces.

    Each copy of each face has a key from SHAKE-256 over ``seed``, ``"/"``, the label, and ``"/face/copy"``;
    cards are sorted by key. So players with the same faces get the same order, and if their faces differ,
    those they share come in the same order.
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
