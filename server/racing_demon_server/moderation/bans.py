"""The operator's bans: who may not connect, or say anything, until when, and why.

All processes of a server read the same file. The operator's command writes it, whether a server runs or not.
A ban has a kind: what it names, and what it forbids. Kinds that are not known here are kept.
"""

import contextlib
import ipaddress
import json
import logging
import os
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from racing_demon_server.journal.interface import JournalUnusable
from racing_demon_server.players.directory import ID_LENGTH, ID_LETTERS
from racing_demon_server.private_file import write_private
from racing_demon_server.rate_limits import MAX_REMEMBERED, SHARED_BITS

ADDRESS: Final = "address"
"""The kind of bans of addresses: their subject is a network."""
PLAYER: Final = "player"
"""The kind of bans of players: their subject is a player's id."""
DEVICE: Final = "device"
"""The kind of bans of devices: their subject is a player's id and the device's number, as in ``k3xw7q2m/17``.
"""
MUTE: Final = "mute-"
"""What is put before a kind for those who may be there, but not say anything."""
KICK: Final = "kick-"
"""What is put before a kind for those who lose their seats, and cannot come back for a moment."""
KICK_SECONDS: Final = 60
MAX_BANS: Final = 10_000
MAX_BYTES: Final = 4 * 1024 * 1024
MAX_REASON_BYTES: Final = 60
"""A reason must fit into a WebSocket's close frame, with the sentence before it."""
WIDEST: Final = {4: 8, 6: 16}
"""The fewest bits of a network that can be banned."""

log = logging.getLogger("racing_demon_server")

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


_SENTENCES: Final = {
    ADDRESS: "Your address is banned",
    DEVICE: "This device is banned",
    MUTE: "You are muted",
    KICK: "You were kicked, and may not come back",
}


class ServerBan(BaseModel):
    """A ban.

    Attributes:
        kind: what is banned.
        subject: whom it names, such as a network.
        made: when it was made, in seconds since 1970.
        until: when it expires.
        reason: why, in the operator's words; may be empty.

    """

    model_config = ConfigDict(frozen=True, extra="allow")

    kind: str = Field(max_length=32)
    subject: str = Field(max_length=200)
    made: int = Field(ge=0, lt=2**40)
    until: int = Field(ge=0, lt=2**40)
    reason: str = Field("", max_length=MAX_REASON_BYTES)

    @property
    def text(self) -> str:
        """The reason that a banned client gets."""
        until = datetime.fromtimestamp(self.until, UTC)
        why = f": {self.reason}" if self.reason else "."
        sort = sort_of(self.kind)
        what = _SENTENCES.get(sort or self.kind, "You are banned")
        return f"{what} here until {until:%Y-%m-%d %H:%M} UTC{why}"


_BANS: Final = TypeAdapter(list[ServerBan])


def banned_network(text: str) -> Network:
    """Return the network that a ban is for; of IPv6 at least the 64 bits that a household has.

    Raises:
        ValueError: it is none, or cannot be banned.

    """
    try:
        network = ipaddress.ip_network(text, strict=False)
    except ValueError:
        raise ValueError(
            f"{text!r} is no address: write one like 203.0.113.9, 203.0.113.0/24 or 2001:db8::/48"
        ) from None
    if network.network_address.is_loopback:
        raise ValueError(f"{text} is this machine, which cannot be banned")
    if network.version == 6 and network.prefixlen > SHARED_BITS:
        network = network.supernet(new_prefix=SHARED_BITS)
    if network.prefixlen < (least := WIDEST[network.version]):
        raise ValueError(f"{text} is too wide: a ban is for a network of {least} bits or more")
    return network


def sort_of(kind: str) -> str:
    """Return what a kind of bans begins with, if it does not keep people out altogether."""
    return next((each for each in (MUTE, KICK) if kind.startswith(each)), "")


def ban_subject(text: str) -> tuple[str, str]:
    """Return the kind and the subject of a ban: an address, a player's id, or that and a device's number.

    Raises:
        ValueError: it is none of these, or cannot be banned.

    """
    if found := re.fullmatch(rf"[{ID_LETTERS}]{{{ID_LENGTH}}}(/[1-9][0-9]{{0,17}})?", text):
        return (DEVICE if found[1] else PLAYER), text
    return ADDRESS, str(banned_network(text))


class Caller(NamedTuple):
    """Who uses a connection.

    Attributes:
        address: the name under which it is counted; empty for this machine.
        player: the player's id; empty for a guest.
        device: the number of the player's device.

    """

    address: str
    player: str = ""
    device: int = 0


class _Named:
    """The bans of one sort, by whom they name."""

    def __init__(self) -> None:
        self._networks: dict[tuple[int, int], dict[int, ServerBan]] = {}
        self._people: dict[str, ServerBan] = {}

    def add(self, kind: str, ban: ServerBan) -> None:
        """Add a ban, whose kind says what it names.

        Raises:
            ValueError: it names a network that cannot be banned.

        """
        if kind == ADDRESS:
            network = banned_network(ban.subject)
            size = network.version, network.prefixlen
            self._networks.setdefault(size, {})[_number(network, network.prefixlen)] = ban
        elif kind == PLAYER:
            self._people[ban.subject] = ban
        elif kind == DEVICE:  # it keeps its number if its player is merged into another one
            self._people[ban.subject.partition("/")[2]] = ban

    def of(self, person: Caller) -> Iterator[ServerBan]:
        """Yield the bans of somebody, expired ones too."""
        names = (person.player, str(person.device)) if person.player else ()
        yield from (self._people[name] for name in names if name in self._people)
        network = _network_of(person.address) if self._networks else None
        if network is None:
            return
        for (version, bits), banned in self._networks.items():
            if version == network.version and bits <= network.prefixlen:
                ban = banned.get(_number(network, bits))
                if ban is not None:
                    yield ban


class ServerBans:
    """The bans in force. See :mod:`.bans`.

    Args:
        path: the file; ``None`` for no bans.
        now: returns the seconds since 1970.
        shared: the file with the last copy of the bans that several servers share; ``None`` for none.

    Raises:
        JournalUnusable: the file cannot be read.

    """

    def __init__(self, path: Path | None, now: Callable[[], float], *, shared: Path | None = None) -> None:
        self._path = path
        self._shared_path = shared
        self._shared = () if shared is None else read_bans(shared)
        self._now = now
        self._named: dict[str, _Named] = {}
        self.reload()

    def reload(self) -> None:
        """Read the file again.

        Raises:
            JournalUnusable: the file cannot be read. The bans stay as they were.

        """
        named = {sort: _Named() for sort in ("", MUTE, KICK)}
        for ban in (*self._shared, *(() if self._path is None else read_bans(self._path))):
            sort = sort_of(ban.kind)
            try:
                named[sort].add(ban.kind.removeprefix(sort), ban)
            except ValueError as error:
                raise JournalUnusable(f"The bans in {self._path} cannot be read: {error}.") from error
        self._named = named

    def share(self, bans: Sequence[ServerBan]) -> None:
        """Let other bans be those that several servers share, and keep a copy for when none can be asked."""
        self._shared = bans
        self.reload()
        if self._shared_path is not None:
            try:
                write_private(self._shared_path, _written(bans))
            except OSError:
                log.exception("the copy of the bans cannot be written")

    def of_address(self, address: str) -> ServerBan | None:
        """Return the ban of an address, by the name under which it is counted; ``None`` if it has none."""
        return self.of(Caller(address))

    def of(self, person: Caller) -> ServerBan | None:
        """Return why somebody may not be here; ``None`` if they may."""
        return self._in_force("", person) or self.kick_of(person)

    def kick_of(self, person: Caller) -> ServerBan | None:
        """Return why somebody loses their seat; ``None`` if they do not."""
        return self._in_force(KICK, person)

    def mute_of(self, person: Caller) -> ServerBan | None:
        """Return why somebody may not say anything; ``None`` if they may."""
        return self._in_force(MUTE, person)

    def _in_force(self, sort: str, person: Caller) -> ServerBan | None:
        return next((ban for ban in self._named[sort].of(person) if ban.until > self._now()), None)


@lru_cache(maxsize=MAX_REMEMBERED)
def _network_of(address: str) -> Network | None:
    """Return an address as a network; ``None`` for this machine, and for clients that are not named."""
    try:
        return ipaddress.ip_network(address)
    except ValueError:
        return None


def _number(network: Network, bits: int) -> int:
    """Return the first bits of a network's address."""
    return int(network.network_address) >> (network.max_prefixlen - bits)


# The file.


def read_bans(path: Path) -> Sequence[ServerBan]:
    """Return all bans of a file, expired ones too; none if there is no file.

    Raises:
        JournalUnusable: it cannot be read.

    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        return _BANS.validate_json(data)
    except FileNotFoundError:
        return ()
    except OSError as error:
        why = error.strerror
    except ValidationError:
        why = "it is damaged"
    raise JournalUnusable(
        f"The bans in {path} cannot be read: {why}. Repair the file, or move it away to have none."
    )


def add_ban(path: Path, ban: ServerBan) -> None:
    """Add a ban to a file, in place of an earlier one of the same subject.

    Raises:
        JournalUnusable: it cannot be read or written.
        ValueError: there are too many bans.

    """
    with _changing(path, ban.made) as bans:
        bans[:] = [each for each in bans if (each.kind, each.subject) != (ban.kind, ban.subject)]
        if len(bans) == MAX_BANS:
            raise ValueError(f"there are {MAX_BANS:,} bans already: ban wider networks, or lift some")
        bans.append(ban)


def lift_bans(path: Path, kind: str, subject: str, now: int) -> int:
    """Remove the bans of a subject from a file. Return how many there were.

    Raises:
        JournalUnusable: it cannot be read or written.

    """
    with _changing(path, now) as bans:
        kept = [each for each in bans if (each.kind, each.subject) != (kind, subject)]
        lifted = len(bans) - len(kept)
        bans[:] = kept
    return lifted


def _written(bans: Sequence[ServerBan]) -> str:
    return json.dumps([ban.model_dump() for ban in bans], indent=1)


@contextlib.contextmanager
def _changing(path: Path, now: int) -> Iterator[list[ServerBan]]:
    """Give the unexpired bans of a file, and write what has become of them. Nobody else writes meanwhile."""
    import fcntl  # noqa: PLC0415 - not there on Windows

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        folder = os.open(path.parent, os.O_RDONLY)
    except OSError as error:
        raise JournalUnusable(f"The bans in {path} cannot be written: {error.strerror}.") from error
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        bans = [ban for ban in read_bans(path) if ban.until > now]
        yield bans
        write_private(path, _written(bans))
        os.fsync(folder)
    except OSError as error:
        raise JournalUnusable(f"The bans in {path} cannot be written: {error.strerror}.") from error
    finally:
        os.close(folder)
