"""Encrypts the seeds of hands, so that a copy of the database does not reveal face-down cards."""

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from racing_demon_protocol.engine.commit_reveal import SEED_SIZE, matches_commitment
from racing_demon_server.journal.interface import JournalUnusable
from racing_demon_server.journal.reader import UnknownContents

MIN_KEY_BYTES: Final = 32
"""The minimum length of a key in bytes."""
SALT_SIZE: Final = 16


class EncryptedSeed(NamedTuple):
    """An encrypted seed: the id of its key, its salt, and the seed XOR a mask derived from both."""

    key_id: int
    salt: bytes
    masked: bytes


class ClusterKeys:
    """The keys of a cluster.

    The first one encrypts, and all decrypt, so that a new key can replace an old one.

    Args:
        keys: the keys; none if no seed is read or written.

    """

    def __init__(self, keys: Sequence[bytes] = ()) -> None:
        self._keys = {_id_of(key): key for key in keys}

    def encrypt(self, table_id: int, hand_id: str, seed: bytes) -> EncryptedSeed:
        """Encrypt the seed of a hand."""
        key_id, key = next(iter(self._keys.items()))
        salt = secrets.token_bytes(SALT_SIZE)
        return EncryptedSeed(key_id, salt, _xor(seed, _stream(key, salt, table_id, hand_id)))

    def decrypt(self, table_id: int, hand_id: str, kept: EncryptedSeed, commitment: str) -> bytes:
        """Return the seed of a hand.

        Raises:
            UnknownContents: the key is unknown, or the seed does not match its commitment.

        """
        key = self._keys.get(kept.key_id)
        if key is None:
            raise UnknownContents(f"the seed of hand {hand_id} needs another cluster key")
        if len(kept.masked) == SEED_SIZE:
            seed = _xor(kept.masked, _stream(key, kept.salt, table_id, hand_id))
            if matches_commitment(seed, hand_id, commitment):
                return seed
        raise UnknownContents(f"the seed of hand {hand_id} is not the one that was promised")


def read_keys(paths: Sequence[Path]) -> tuple[bytes, ...]:
    """Read keys from files.

    Raises:
        JournalUnusable: a file cannot be read, or is too short.

    """
    keys = []
    for path in paths:
        try:
            key = path.read_bytes()
        except OSError as error:
            raise JournalUnusable(f"The cluster key {path} cannot be read: {error.strerror}.") from error
        if len(key) < MIN_KEY_BYTES:
            raise JournalUnusable(
                f"The cluster key {path} is too short: it needs {MIN_KEY_BYTES} bytes of chance. "
                f"Make one with: head -c {MIN_KEY_BYTES} /dev/urandom > {path}"
            )
        keys.append(key)
    return tuple(keys)


def _id_of(key: bytes) -> int:
    return int.from_bytes(hashlib.sha256(b"racing-demon key id" + key).digest()[:3])


def _stream(key: bytes, salt: bytes, table_id: int, hand_id: str) -> bytes:
    return hmac.digest(key, salt + f"{table_id}/{hand_id}".encode(), hashlib.sha256)


def _xor(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))
