"""A table's passphrase: kept as a salted hash, and asked for slowly. Times are microseconds."""

import hashlib
import hmac
from collections import OrderedDict
from typing import Self

from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.reasons import Reason
from racing_demon_server.rate_limit import Bucket

__all__ = ["Passphrase"]

SECONDS_A_TRY = 2
MOST_TRIES = 10
MOST_ADDRESSES = 1_000


class Passphrase:
    """Opens to a passphrase.

    Attributes:
        salt: what the hash was made with.
        hash: the hash; ``None`` where nothing is asked for.

    Args:
        passphrase: the passphrase; an empty one lets everybody in.
        salt: random bytes.

    """

    def __init__(self, passphrase: str, salt: bytes) -> None:
        self.salt = salt
        self.hash = self._hashed(passphrase) if passphrase else None
        self._tries: OrderedDict[str, Bucket] = OrderedDict()

    @classmethod
    def restored(cls, salt: bytes, hash_: bytes | None) -> Self:
        """Return a lock as it was kept."""
        lock = cls("", salt)
        lock.hash = hash_
        return lock

    @property
    def is_locked(self) -> bool:
        """Whether a passphrase is asked for at all."""
        return self.hash is not None

    def verify(self, passphrase: str, address: str, at: int) -> None:
        """Let somebody in. Whoever guesses uses up the guesses of one address, and keeps nobody else out.

        Raises:
            CommandRefused: that is not the passphrase, or too many were tried from there of late.

        """
        if self.hash is None:
            return
        if not passphrase:  # who does not know yet that there is one has guessed nothing
            raise CommandRefused(Reason.BAD_PASSPHRASE, "This table asks for a passphrase.")
        tries = self._tries.get(address)
        if tries is not None and tries.is_empty(at):
            text = f"Too many wrong passphrases; wait {SECONDS_A_TRY} seconds, and try again."
            raise CommandRefused(Reason.TOO_FAST, text)
        if not hmac.compare_digest(self.hash, self._hashed(passphrase)):
            self._note_try(address, at)
            raise CommandRefused(Reason.BAD_PASSPHRASE, "This table has another passphrase.")

    def _note_try(self, address: str, at: int) -> None:
        """Count a wrong guess; of many addresses the one that has not guessed for longest is forgotten."""
        tries = self._tries.setdefault(address, Bucket(1 / SECONDS_A_TRY, MOST_TRIES))
        self._tries.move_to_end(address)
        tries.take(at)
        if len(self._tries) > MOST_ADDRESSES:
            self._tries.popitem(last=False)

    def _hashed(self, passphrase: str) -> bytes:
        return hashlib.blake2b(passphrase.encode(), salt=self.salt).digest()
