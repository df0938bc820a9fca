"""The user's seats, stored so that a restarted client can resume them.

A token grants its seat, so the files are readable by their owner only, and tokens are never shown or logged.
A running client locks its seat's file; a second client at the same table takes a seat of its own.
"""

import contextlib
import hashlib
import json
import os
import time
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from racing_demon_client.files import state_folder
from racing_demon_protocol.constants import LONGEST_NAME, MOST_SEATS

LARGEST_FILE: Final = 4_096
KEPT_SECONDS: Final = 30 * 24 * 3_600
"""After this time a seat is forgotten: its table is gone."""
MOST_FILES: Final = 256
"""So many of the newest files are looked into."""
MOST_SERVERS: Final = 6
LONGEST_URL: Final = 512


class StoredSeat:
    """A stored seat.

    Attributes:
        token: the seat's token; empty if there is none yet.
        name: the player's name; empty if an older client stored the seat.
        code: the table's code.
        servers: the addresses at which the seat was used, newest first.

    Args:
        handle: the open file.
        code: the table's code.

    """

    def __init__(self, handle: int, code: str) -> None:
        self._handle = handle
        self.code = code
        self.token = self.name = ""
        self.servers: list[str] = []
        self._read()

    def keep(self, token: str, name: str = "", server: str = "") -> None:
        """Store a token. On a full disk only the ability to resume is lost.

        Args:
            token: the token.
            name: the player's name; empty for the one that is stored.
            server: the server's address, added to those that are stored.

        """
        self.token, self.name = token, name or self.name
        self.servers = list(filter(None, dict.fromkeys([server, *self.servers])))[:MOST_SERVERS]
        facts = {"token": token, "name": self.name, "code": self.code, "servers": self.servers}
        with contextlib.suppress(OSError):
            os.ftruncate(self._handle, 0)
            os.pwrite(self._handle, json.dumps(facts).encode(), 0)

    def forget(self) -> None:
        """Forget the seat."""
        self.servers, self.name = [], ""
        self.keep("")

    def is_called(self, typed: str) -> bool:
        """Return whether the name is a typed one; servers add a number to a name that is taken."""
        name, own = (unicodedata.normalize("NFKC", each).casefold() for each in (self.name, typed.strip()))
        start, _, number = name.rpartition(" ")
        return name == own or (number.isdecimal() and start == own[: LONGEST_NAME - 2])

    def lock(self) -> bool:
        """Keep other clients from using the seat; return whether none does."""
        return _lock(self._handle)

    def close(self) -> None:
        """Let other clients use the seat."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def _read(self) -> None:
        kept: Any = None
        with contextlib.suppress(OSError, ValueError, RecursionError):
            kept = json.loads(os.pread(self._handle, LARGEST_FILE, 0))
        if not isinstance(kept, dict):
            return
        token, name, servers = kept.get("token"), kept.get("name"), kept.get("servers")
        if isinstance(token, str) and len(token) == 64 and token.isalnum():
            self.token = token
            self.name = name[:LONGEST_NAME] if isinstance(name, str) else ""
            texts = servers if isinstance(servers, list) else []
            self.servers = [url for url in texts if isinstance(url, str) and len(url) <= LONGEST_URL]
            self.code = kept["code"] if isinstance(kept.get("code"), str) else self.code


@dataclass
class TableSeats:
    """The seats that this user has at a table, except those that other running clients use.

    Attributes:
        here: the seats at this address, the one used last first.
        elsewhere: the seats at tables of the same code at other addresses, which may be the same table.
        empty: a file for another seat; ``None`` if nothing can be stored.

    """

    here: list[StoredSeat] = field(default_factory=list)
    elsewhere: list[StoredSeat] = field(default_factory=list)
    empty: StoredSeat | None = None

    def keep_only(self, wanted: StoredSeat | None) -> None:
        """Let other clients use all seats but one."""
        for seat in (*self.here, *self.elsewhere, self.empty):
            if seat is not None and seat is not wanted:
                seat.close()


@contextmanager
def stored_seats(url: str, code: str) -> Iterator[TableSeats]:
    """Yield this user's seats at a table, locked while the context lasts."""
    folder = state_folder() / "seats"
    code = code.strip().upper()
    name = hashlib.sha256(f"{url}#{code}".encode()).hexdigest()[:32]
    seats = TableSeats()
    try:
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            for path in _tidied(folder):
                usual = code if path.name == name else ""  # older clients stored no code
                seat = _opened(path, usual, lambda seat: bool(seat.token) and seat.code == code)
                if seat is not None:
                    is_here = url in seat.servers or not seat.servers
                    (seats.here if is_here else seats.elsewhere).append(seat)
            numbers = ("", *(f"-{number}" for number in range(2, MOST_SEATS + 1)))
            paths = (folder / f"{name}{number}" for number in numbers)
            found = (_opened(path, code, lambda seat: not seat.token, os.O_CREAT) for path in paths)
            seats.empty = next(filter(None, found), None)
        yield seats
    finally:
        seats.keep_only(None)


def _opened(path: Path, code: str, fits: Callable[[StoredSeat], bool], flags: int = 0) -> StoredSeat | None:
    """Return the seat of a file, locked, if it fits and no other client has it."""
    try:
        seat = StoredSeat(os.open(path, os.O_RDWR | flags, 0o600), code)
    except OSError:
        return None
    if fits(seat) and seat.lock():
        return seat
    seat.close()
    return None


def _tidied(folder: Path) -> list[Path]:
    """Forget old seats, and return the others' files, newest first."""
    found = []
    for entry in folder.iterdir():
        with contextlib.suppress(OSError):
            changed = entry.stat().st_mtime
            if changed < time.time() - KEPT_SECONDS:
                entry.unlink()
            else:
                found.append((changed, entry))
    return [entry for _, entry in sorted(found, reverse=True)[:MOST_FILES]]


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
