"""Seals data that shows the hidden cards of a hand, so that only the hand's secret opens it.

The journal holds that secret: in a file for its owner only, in a database masked by a key of the servers. So
sealed bytes are as safe as the secret, and cannot be altered unnoticed. Every seal has a salt of its own.
"""

import hashlib
import hmac
from typing import Final

SALT_SIZE: Final = 16
_MAC_SIZE: Final = 32


class BrokenSeal(Exception):
    """The bytes were sealed with another secret, or altered."""


def checkpoint_name(table: int, seq: int, hand_id: str) -> str:
    """Return the name with which a table's checkpoint after an event is sealed."""
    return f"checkpoint {table}/{seq}/{hand_id}"


def sealed(secret: bytes, salt: bytes, name: str, data: bytes) -> bytes:
    """Return sealed bytes.

    Args:
        secret: the secret of the hand.
        salt: random bytes that are used once.
        name: what the bytes are; the same name opens them.
        data: the bytes.

    """
    stream_key, mac_key = _keys(secret, salt, name)
    hidden = _xor(data, stream_key)
    return hmac.digest(mac_key, hidden, "sha256") + hidden


def opened(secret: bytes, salt: bytes, name: str, data: bytes) -> bytes:
    """Return what was sealed.

    Raises:
        BrokenSeal: it was sealed by another secret, salt or name, or is damaged.

    """
    stream_key, mac_key = _keys(secret, salt, name)
    mac, hidden = data[:_MAC_SIZE], data[_MAC_SIZE:]
    if not hmac.compare_digest(mac, hmac.digest(mac_key, hidden, "sha256")):
        raise BrokenSeal("its seal is not that of its hand")
    return _xor(hidden, stream_key)


def _keys(secret: bytes, salt: bytes, name: str) -> tuple[bytes, bytes]:
    keys = hmac.digest(secret, b"racing-demon seal" + salt + name.encode(), "sha512")
    return keys[:32], keys[32:]


def _xor(data: bytes, key: bytes) -> bytes:
    """Return data XOR the key stream of a key."""
    stream = hashlib.shake_256(key).digest(len(data))
    return (int.from_bytes(data) ^ int.from_bytes(stream)).to_bytes(len(data))
