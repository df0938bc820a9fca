"""What this user's programs remember of tables: seats, tables hosted here, and recent tables.

A seat's token grants the seat, so the files of seats are readable by their owner only, and tokens are never
shown or logged. A running client locks its seat's file; a second client at the same table takes a seat of its
own. If a host's terminal is closed, the table keeps running in its own process, and the next
``racing-demon host`` continues it. The welcome screen offers recent tables. Only programs write these files.
Invalid entries are ignored, and no problem with the files ends a game.
"""

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from racing_demon_client.links import short_address
from racing_demon_protocol.constants import MAX_NAME_LENGTH, MAX_SEATS

from .files import read_entries, replace_file, shown, state_folder
from .saved_people import folded

MAX_SEAT_BYTES: Final = 4_096
SEAT_SECONDS: Final = 30 * 24 * 3_600
"""Older seats are forgotten: their tables are gone."""
MAX_SEAT_FILES: Final = 256
"""Only this many of the newest files are read."""
MAX_SERVERS: Final = 6
MAX_URL: Final = 512


class StoredSeat:
    """A stored seat.

    Attributes:
        token: the seat's token; empty if there is none yet.
        name: the player's name; empty if an older client stored the seat.
        code: the table's code.
        servers: the addresses at which the seat was used, newest first.
        is_left: whether the player has left it within a match: its token gives it back to who joins.

    Args:
        handle: the open file.
        code: the table's code.

    """

    def __init__(self, handle: int, code: str) -> None:
        self._handle = handle
        self.code = code
        self.token = self.name = ""
        self.is_left = False
        self.servers: list[str] = []
        self._read()

    def store(self, token: str, name: str = "", server: str = "", *, is_left: bool = False) -> None:
        """Store a token. On a full disk only the ability to resume is lost.

        Args:
            token: the token.
            name: the player's name; empty for the one that is stored.
            server: the server's address, added to those that are stored.
            is_left: whether the player has left it within a match.

        """
        self.token, self.name, self.is_left = token, name or self.name, is_left
        self.servers = list(filter(None, dict.fromkeys([server, *self.servers])))[:MAX_SERVERS]
        facts: dict[str, Any] = {"token": token, "name": self.name}
        facts |= {"code": self.code, "servers": self.servers}
        if is_left:
            facts["left"] = True
        with contextlib.suppress(OSError):
            os.ftruncate(self._handle, 0)
            os.pwrite(self._handle, json.dumps(facts).encode(), 0)

    def forget(self) -> None:
        """Forget the seat."""
        self.servers, self.name = [], ""
        self.store("")

    def has_name(self, typed: str) -> bool:
        """Return whether the name is a typed one; servers add a number to a name that is taken."""
        name, own = folded(self.name), folded(typed)
        start, _, number = name.rpartition(" ")
        return name == own or (number.isdecimal() and start == own[: MAX_NAME_LENGTH - 2])

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
            kept = json.loads(os.pread(self._handle, MAX_SEAT_BYTES, 0))
        if not isinstance(kept, dict):
            return
        token, name, servers = kept.get("token"), kept.get("name"), kept.get("servers")
        if isinstance(token, str) and len(token) == 64 and token.isalnum():
            self.token = token
            self.name = name[:MAX_NAME_LENGTH] if isinstance(name, str) else ""
            self.is_left = kept.get("left") is True
            texts = servers if isinstance(servers, list) else []
            self.servers = [url for url in texts if isinstance(url, str) and len(url) <= MAX_URL]
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

    def release_others(self, wanted: StoredSeat | None) -> None:
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
            for path in _seat_files(folder):
                usual = code if path.name == name else ""  # older clients stored no code
                seat = _open_seat(path, usual, lambda seat: bool(seat.token) and seat.code == code)
                if seat is not None:
                    is_here = url in seat.servers or not seat.servers
                    (seats.here if is_here else seats.elsewhere).append(seat)
            numbers = ("", *(f"-{number}" for number in range(2, MAX_SEATS + 1)))
            paths = (folder / f"{name}{number}" for number in numbers)
            found = (_open_seat(path, code, lambda seat: not seat.token, os.O_CREAT) for path in paths)
            seats.empty = next(filter(None, found), None)
        yield seats
    finally:
        seats.release_others(None)


def _open_seat(
    path: Path, code: str, fits: Callable[[StoredSeat], bool], flags: int = 0
) -> StoredSeat | None:
    """Return the seat of a file, locked, if it fits and no other client has it."""
    try:
        seat = StoredSeat(os.open(path, os.O_RDWR | flags, 0o600), code)
    except OSError:
        return None
    if fits(seat) and seat.lock():
        return seat
    seat.close()
    return None


def _seat_files(folder: Path) -> list[Path]:
    """Forget old seats, and return the others' files, newest first."""
    found = []
    for entry in folder.iterdir():
        with contextlib.suppress(OSError):
            changed = entry.stat().st_mtime
            if changed < time.time() - SEAT_SECONDS:
                entry.unlink()
            else:
                found.append((changed, entry))
    return [entry for _, entry in sorted(found, reverse=True)[:MAX_SEAT_FILES]]


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


MAX_HOSTED: Final = 8
MAX_HOSTED_BYTES: Final = 16 * 1024
HOSTED_SECONDS: Final = 12 * 3_600
"""A table that was opened earlier belongs to another evening, and is not continued."""


class HostedTable(BaseModel):
    """A table on a server that this user has started."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    code: Annotated[str, Field(pattern=r"^[A-Z]{1,16}$")]
    """The table's code."""
    port: Annotated[int, Field(strict=True, ge=1, le=65_535)]
    """The server's port."""
    pid: Annotated[int, Field(strict=True, ge=1)]
    """The server's process, for people who look for it."""
    has_ipv6: bool
    """Whether the server listens on IPv6, too."""
    journal: str | None
    """The journal that was named; ``None`` for the usual one."""
    at: Annotated[float, Field(allow_inf_nan=False)]
    """When the table was opened, in seconds since 1970."""
    tunnel_key: Annotated[str, Field(pattern=r"^([0-9a-f]{64})?$")] = ""
    """The secret of its invitations over the internet, which outlive the server; empty if it has none."""


def hosted_tables() -> tuple[HostedTable, ...]:
    """Return this evening's tables, newest first, without invalid entries."""
    found = []
    for entry in read_entries(_hosted_path(), MAX_HOSTED_BYTES):
        with contextlib.suppress(ValidationError):
            found.append(HostedTable.model_validate(entry))
    return tuple(table for table in found if 0 <= time.time() - table.at < HOSTED_SECONDS)[:MAX_HOSTED]


def save_hosted(table: HostedTable) -> None:
    """Put a table first, replacing an older entry for it."""
    _write_hosted([table, *(old for old in hosted_tables() if old.code != table.code)])


def forget_hosted(code: str) -> None:
    """Forget a table that has ended."""
    _write_hosted([old for old in hosted_tables() if old.code != code])


def _write_hosted(tables: list[HostedTable]) -> None:
    # If this fails, the table merely cannot be continued later.
    with contextlib.suppress(OSError):
        replace_file(
            _hosted_path(), json.dumps([each.model_dump() for each in tables[:MAX_HOSTED]], indent=1).encode()
        )


def _hosted_path() -> Path:
    return state_folder() / "hosted.json"


MAX_RECENT: Final = 8
MAX_RECENT_BYTES: Final = 64 * 1024


def _without_secrets(url: str) -> str:
    """Return an address without user name, password, query and fragment."""
    scheme, mark, rest = url.partition("://") if "://" in url else ("", "", url)
    rest = rest.rpartition("@")[2].partition("?")[0].partition("#")[0]
    rest = short_address(rest)
    if not rest:
        raise ValueError("no address")
    return scheme + mark + rest


def _dated(text: str) -> str:
    datetime.fromisoformat(text)
    return text


PrintableText = AfterValidator(shown)


class RecentTable(BaseModel):
    """A table that this user was at."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    url: Annotated[
        str, Field(min_length=1, max_length=MAX_URL), PrintableText, AfterValidator(_without_secrets)
    ]
    """The server's address, as a user may type it; credentials are not stored."""
    code: Annotated[str, Field(min_length=1, max_length=16), PrintableText]
    """The table's code."""
    name: Annotated[str, Field(max_length=64), PrintableText]
    """The player's name there."""
    how: Literal["joined", "watched", "hosted"]
    """How the table was opened."""
    at: Annotated[str, Field(max_length=40), PrintableText, AfterValidator(_dated)]
    """When that was, in ISO 8601."""

    @classmethod
    def now(cls, url: str, code: str, name: str, how: str) -> Self | None:
        """Return the table opened now, or ``None`` if it cannot be stored.

        The code comes from a server and the rest from users, so both are checked.
        """
        at = datetime.now().astimezone().isoformat(timespec="seconds")
        try:
            return cls.model_validate({"url": url, "code": code, "name": name, "how": how, "at": at})
        except ValidationError:
            return None


def recents_path() -> Path:
    """Return the path of the file."""
    return state_folder() / "recent.json"


def recent_tables(path: Path) -> tuple[RecentTable, ...]:
    """Return the recent tables, newest first, without invalid entries."""
    recents: dict[tuple[str, str], RecentTable] = {}
    for entry in read_entries(path, MAX_RECENT_BYTES):
        with contextlib.suppress(ValidationError):
            recent = RecentTable.model_validate(entry)
            recents.setdefault((recent.url, recent.code), recent)
    return tuple(recents.values())[:MAX_RECENT]


def save_recent(path: Path, recent: RecentTable) -> None:
    """Put a table first, replacing an older entry for it."""
    others = [old for old in recent_tables(path) if (old.url, old.code) != (recent.url, recent.code)]
    lines = [each.model_dump() for each in [recent, *others][:MAX_RECENT]]
    # A full disk or a read-only home costs a shortcut, not the game.
    with contextlib.suppress(OSError):
        replace_file(path, json.dumps(lines, ensure_ascii=False, indent=1).encode())
