"""A table's passphrase: a salted hash, and a limit on guesses. Times are microseconds."""

import hashlib
import hmac
from collections import OrderedDict
from typing import Self

from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.reasons import Reason
from racing_demon_server.rate_limit import Bucket

SECONDS_A_TRY = 2
MOST_TRIES = 10
MOST_ADDRESSES = 1_000


class Passphrase:
    """The passphrase of a table.

    Attributes:
        salt: the salt of the hash.
        hash: the hash; ``None`` without a passphrase.

    Args:
        passphrase: the passphrase; empty for none.
        salt: random bytes.

    """

    def __init__(self, passphrase: str, salt: bytes) -> None:
        self.salt = salt
        self.hash = self._hashed(passphrase) if passphrase else None
        self._tries: OrderedDict[str, Bucket] = OrderedDict()

    @classmethod
    def restored(cls, salt: bytes, hash_: bytes | None) -> Self:
        """Return a passphrase that was stored as a hash."""
        lock = cls("", salt)
        lock.hash = hash_
        return lock

    def verify(self, passphrase: str, address: str, at: int) -> None:
        """Check a passphrase. Wrong guesses use up the guesses of their address only.

        Raises:
            CommandRefused: the passphrase is wrong, or the address has guessed too often.

        """
        if self.hash is None:
            return
        if not passphrase:  # who does not know yet that there is one has guessed nothing
            raise CommandRefused(Reason.BAD_PASSPHRASE, "This table needs a passphrase.")
        tries = self._tries.get(address)
        if tries is not None and tries.is_empty(at):
            text = f"Too many wrong passphrases; wait {SECONDS_A_TRY} seconds, and try again."
            raise CommandRefused(Reason.TOO_FAST, text)
        if not hmac.compare_digest(self.hash, self._hashed(passphrase)):
            self._note_try(address, at)
            raise CommandRefused(Reason.BAD_PASSPHRASE, "That is not this table's passphrase.")

    def _note_try(self, address: str, at: int) -> None:
        """Count a wrong guess. Of many addresses, the one with the oldest guess is forgotten."""
        tries = self._tries.setdefault(address, Bucket(1 / SECONDS_A_TRY, MOST_TRIES))
        self._tries.move_to_end(address)
        tries.take(at)
        if len(self._tries) > MOST_ADDRESSES:
            self._tries.popitem(last=False)

    def _hashed(self, passphrase: str) -> bytes:
        return hashlib.blake2b(passphrase.encode(), salt=self.salt).digest()
