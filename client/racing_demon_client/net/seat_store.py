"""The user's seats, stored so that a restarted client can resume them.

A token grants its seat, so the files are readable by their owner only, and tokens are never shown or logged.
A running client locks its seat's file; a second client at the same table takes a seat of its own.
"""

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from racing_demon_client.files import state_folder

LARGEST_FILE: Final = 4_096
KEPT_SECONDS: Final = 30 * 24 * 3_600
"""After this time a seat is forgotten: its table is gone."""


class StoredSeat:
    """A stored seat.

    Attributes:
        token: the seat's token; empty if there is none yet.

    Args:
        handle: the open file.

    """

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self.token = self._read()

    def keep(self, token: str) -> None:
        """Store a token. On a full disk only the ability to resume is lost."""
        self.token = token
        with contextlib.suppress(OSError):
            os.ftruncate(self._handle, 0)
            os.pwrite(self._handle, json.dumps({"token": self.token}).encode(), 0)

    def forget(self) -> None:
        """Forget the seat."""
        self.keep("")

    def _read(self) -> str:
        try:
            kept = json.loads(os.pread(self._handle, LARGEST_FILE, 0))
            token = kept["token"]
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            return ""
        return token if isinstance(token, str) and len(token) == 64 and token.isalnum() else ""


@contextmanager
def stored_seat(url: str, code: str) -> Iterator[StoredSeat | None]:
    """Yield the stored seat at a table, locked while the context lasts.

    Yields ``None`` if another client of this user holds it, or if nothing can be stored.
    """
    folder = state_folder() / "seats"
    name = hashlib.sha256(f"{url}#{code.strip().upper()}".encode()).hexdigest()[:32]
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _tidy(folder)
        handle = os.open(folder / name, os.O_CREAT | os.O_RDWR, 0o600)
    except OSError:
        yield None
        return
    try:
        yield StoredSeat(handle) if _lock(handle) else None
    finally:
        os.close(handle)


def _tidy(folder: Path) -> None:
    for old in folder.iterdir():
        with contextlib.suppress(OSError):
            if old.stat().st_mtime < time.time() - KEPT_SECONDS:
                old.unlink()


try:
    import fcntl

    def _lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True

except ImportError:  # Windows has neither fcntl nor os.pread, so seats are not stored there

    def _lock(handle: int) -> bool:
        return False
