"""Encrypts the seeds of hands, so that a copy of the database does not reveal face-down cards.

So are the hashes of devices' secrets, with which and an overheard login one could pretend to be a player.
"""

import hashlib
import hmac
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from racing_demon_protocol.engine.commit_reveal import SEED_SIZE, matches_commitment
from racing_demon_server.journal.interface import JournalUnusable
from racing_demon_server.journal.reader import UnknownContents

MIN_KEY_BYTES: Final = 32
"""The minimum length of a key in bytes."""
SALT_SIZE: Final = 16
KEY_ID_SIZE: Final = 3
TAG_SIZE: Final = 16
SEALED_FROM: Final = KEY_ID_SIZE + TAG_SIZE
"""Where the secret begins in what was sealed."""


class EncryptedSeed(NamedTuple):
    """An encrypted seed: the id of its key, its salt, and the seed XOR a mask derived from both."""

    key_id: int
    salt: bytes
    masked: bytes


class UnknownKey(UnknownContents):
    """What was encrypted needs a key that is not given."""


class ClusterKeys:
    """The keys of a cluster.

    The first one encrypts, and all decrypt, so that a new key can replace an old one.

    Args:
        keys: the keys; none if no seed is read or written.

    """

    def __init__(self, keys: Sequence[bytes] = ()) -> None:
        self._keys = {_id_of(key): key for key in keys}

    @property
    def ids(self) -> Sequence[int]:
        """Their ids, which reveal nothing of them; the first is of the key that encrypts."""
        return tuple(self._keys)

    def encrypt(self, table_id: int, hand_id: str, seed: bytes) -> EncryptedSeed:
        """Encrypt the seed of a hand."""
        key_id, key = next(iter(self._keys.items()))
        salt = secrets.token_bytes(SALT_SIZE)
        return EncryptedSeed(key_id, salt, _xor(seed, _stream(key, salt, table_id, hand_id)))

    def decrypt(self, table_id: int, hand_id: str, kept: EncryptedSeed, commitment: str) -> bytes:
        """Return the seed of a hand.

        Raises:
            UnknownKey: the key is not given.
            UnknownContents: the seed does not match its commitment.

        """
        key = self._keys.get(kept.key_id)
        if key is None:
            raise UnknownKey(f"the seed of hand {hand_id} needs another cluster key")
        if len(kept.masked) == SEED_SIZE:
            seed = _xor(kept.masked, _stream(key, kept.salt, table_id, hand_id))
            if matches_commitment(seed, hand_id, commitment):
                return seed
        raise UnknownContents(f"the seed of hand {hand_id} is not the one that was promised")

    def derived(self, use: bytes) -> tuple[bytes, ...]:
        """Return keys for another use, one of each key."""
        return tuple(
            hmac.digest(key, b"racing-demon derived\n" + use, hashlib.sha256) for key in self._keys.values()
        )

    def sealed(self, secret: bytes) -> bytes:
        """Return a secret of at most 32 bytes, encrypted: the same for the same, so that it can be searched.

        The mask follows from the tag, and the tag from the secret and the key.
        """
        return next(self.sealings(secret))

    def sealings(self, secret: bytes) -> Iterator[bytes]:
        """Yield a secret as each key encrypts it."""
        for key_id, key in self._keys.items():
            tag = _tag(key, secret)
            yield key_id.to_bytes(KEY_ID_SIZE) + tag + _masked(key, tag, secret)

    def opened(self, sealed: bytes) -> bytes:
        """Return a secret that was sealed.

        Raises:
            UnknownContents: the key is unknown, or it was not sealed with that key.

        """
        key = self._keys.get(int.from_bytes(sealed[:KEY_ID_SIZE]))
        if key is None:
            raise UnknownContents("a device's key needs another cluster key")
        tag, masked = sealed[KEY_ID_SIZE:SEALED_FROM], sealed[SEALED_FROM:]
        secret = _masked(key, tag, masked)
        if not hmac.compare_digest(tag, _tag(key, secret)):
            raise UnknownContents("a device's key is not the one that was kept")
        return secret


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


def _tag(key: bytes, secret: bytes) -> bytes:
    return hmac.digest(key, b"racing-demon seal tag\n" + secret, hashlib.sha256)[:TAG_SIZE]


def _masked(key: bytes, tag: bytes, secret: bytes) -> bytes:
    stream = hmac.digest(key, b"racing-demon seal mask\n" + tag, hashlib.sha256)
    return _xor(secret, stream[: len(secret)])


def _xor(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))
