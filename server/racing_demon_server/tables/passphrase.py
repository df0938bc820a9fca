"""A table's passphrase: a salted hash, and a limit on guesses. Times are microseconds."""

import asyncio
import hashlib
import hmac
from collections import Counter, OrderedDict
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused, RacingDemonError
from racing_demon_server.rate_limits import TokenBucket

SECONDS_A_TRY: Final = 2
MAX_TRIES: Final = 10
MAX_ADDRESSES: Final = 1_000
MAX_HASHES: Final = 16
"""The most passphrases that are being hashed or waiting."""
MAX_HASHES_OF_ADDRESS: Final = 4
SCRYPT: Final = b"\x01"
"""The prefix of hashes by scrypt. Older ones are 64 bytes of BLAKE2b, without a prefix."""
OLDER_SIZE: Final = 64
SALT_SIZE: Final = 16


def slow_hash(passphrase: str, salt: bytes) -> bytes:
    """Return the hash that is stored: each guess takes 16 MiB and much of a second."""
    return SCRYPT + hashlib.scrypt(passphrase.encode(), salt=salt, n=2**14, r=8, p=5, dklen=32)


class Unchecked(RacingDemonError):
    """A passphrase needs :func:`slow_hash`, and then :meth:`Passphrase.check`."""

    def __init__(self, lock: "Passphrase", passphrase: str) -> None:
        super().__init__("a passphrase is not checked yet")
        self.lock = lock
        self.passphrase = passphrase


class PassphraseHasher:
    """Hashes passphrases in a thread, one by one, so that no table waits."""

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(1, "passphrase")
        self._waiting: Counter[str] = Counter()

    async def hash(self, passphrase: str, salt: bytes, address: str) -> bytes:
        """Return the hash of a passphrase for an address.

        Raises:
            CommandRefused: too many are being hashed.

        """
        is_full = self._waiting.total() >= MAX_HASHES
        if is_full or self._waiting[address] >= MAX_HASHES_OF_ADDRESS:
            text = "Too many passphrases are being checked; wait a moment, and try again."
            raise CommandRefused(Reason.TOO_FAST, text)
        self._waiting[address] += 1
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._executor, slow_hash, passphrase, salt)
        finally:
            self._waiting[address] -= 1
            self._waiting += Counter()  # drops the addresses for which none is left

    def close(self) -> None:
        """Stop hashing."""
        self._executor.shutdown(wait=False, cancel_futures=True)


class Passphrase:
    """The passphrase of a table.

    Attributes:
        salt: the salt of the hash.
        hash: the hash that is stored; ``None`` without one.
        is_renewed: whether it replaces an older one, and is not stored yet; the caller resets it.

    Args:
        salt: random bytes.
        hash_: the stored hash, from :func:`slow_hash` or older.
        passphrase: the passphrase, where it is known; empty where not.

    """

    def __init__(self, salt: bytes, hash_: bytes | None = None, passphrase: str = "") -> None:
        self.salt = salt
        self.hash = hash_
        self.is_renewed = False
        # Never stored. After the first check, checking is quick.
        self._quick = self._hashed(passphrase) if passphrase else None
        if self._is_older:
            self._quick = hash_
        self._tries: OrderedDict[str, TokenBucket] = OrderedDict()

    def verify(self, passphrase: str, address: str, at: int) -> None:
        """Check a passphrase. Wrong guesses use up the guesses of their address only.

        Raises:
            CommandRefused: the passphrase is wrong, or the address has guessed too often.
            Unchecked: it must be hashed first.

        """
        if self.hash is None and self._quick is None:
            return
        if not passphrase:  # a client that sends none has not guessed
            raise CommandRefused(Reason.BAD_PASSPHRASE, "This table needs a passphrase.")
        tries = self._tries.get(address)
        if tries is not None and tries.is_empty(at):
            text = f"Too many wrong passphrases; wait {SECONDS_A_TRY} seconds, and try again."
            raise CommandRefused(Reason.TOO_FAST, text)
        if self._quick is None:
            raise Unchecked(self, passphrase)
        if not hmac.compare_digest(self._quick, self._hashed(passphrase)):
            raise self._refusal(address, at)
        if self._is_older:
            raise Unchecked(self, passphrase)  # it is right, and now has a slow hash

    @property
    def _is_older(self) -> bool:
        return self.hash is not None and len(self.hash) == OLDER_SIZE

    def check(self, passphrase: str, hash_: bytes, address: str, at: int) -> None:
        """Check a passphrase by its slow hash; after that, the right one is recognized without it.

        Raises:
            CommandRefused: the passphrase is wrong.

        """
        if self._is_older:
            self.hash, self.is_renewed = hash_, True
        elif self.hash is None or not hmac.compare_digest(self.hash, hash_):
            raise self._refusal(address, at)
        self._quick = self._hashed(passphrase)

    def _refusal(self, address: str, at: int) -> CommandRefused:
        self._count_try(address, at)
        return CommandRefused(Reason.BAD_PASSPHRASE, "That is not this table's passphrase.")

    def _count_try(self, address: str, at: int) -> None:
        """Count a wrong guess. Of many addresses, the one with the oldest guess is forgotten."""
        tries = self._tries.setdefault(address, TokenBucket(1 / SECONDS_A_TRY, MAX_TRIES))
        self._tries.move_to_end(address)
        tries.take(at)
        if len(self._tries) > MAX_ADDRESSES:
            self._tries.popitem(last=False)

    def _hashed(self, passphrase: str) -> bytes:
        return hashlib.blake2b(passphrase.encode(), salt=self.salt).digest()
