"""The commit–reveal scheme of a deal's seed, which anybody can check once the seed is revealed.

The seed is 32 bytes: a hash of random bytes from the server and the players, each bound by a commitment
before others knew any of them.
"""

import hashlib
import hmac
from collections.abc import Mapping
from typing import Final

SEED_SIZE: Final = 32
"""The size in bytes of a hand's seed, of the server's secret, and of a player's contribution."""
CONTRIBUTION: Final = b"racing-demon contribution 1\n"
DEAL: Final = b"racing-demon deal 1\n"
"""Separates the domains of the two hashes from each other, and from all others."""


def commitment(secret: bytes, hand_id: str) -> str:
    """Return the server's commitment: SHA-256 over its secret and the hand's id, in hexadecimal."""
    return hashlib.sha256(secret + hand_id.encode()).hexdigest()


def match_of(hand_id: str) -> str:
    """Return the name of a hand's match: ``BCDF/1`` of ``BCDF/1/3``."""
    return hand_id.rpartition("/")[0]


def next_draw_id(hand_id: str) -> str:
    """Return the id of a hand's next draw, after a void one: ``BCDF/1/3.2`` after ``BCDF/1/3``."""
    hand, _, draw = hand_id.partition(".")
    return f"{hand}.{int(draw or 1) + 1}"


def is_further_draw(hand_id: str) -> bool:
    """Return whether a hand's id is that of a further draw."""
    return "." in hand_id


def matches_commitment(secret: bytes, hand_id: str, published: str) -> bool:
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
