"""The operator's bans: who may not connect, until when, and why.

All processes of a server read the same file. The operator's command writes it, whether a server runs or not.
A ban has a kind, so that others than addresses can be banned; kinds that are not known here are kept.
"""

import contextlib
import ipaddress
import json
import os
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from racing_demon_server.journal.interface import JournalUnusable
from racing_demon_server.private_file import write_private
from racing_demon_server.rate_limits import MAX_REMEMBERED, SHARED_BITS

ADDRESS: Final = "address"
"""The kind of bans of addresses: their subject is a network."""
MAX_BANS: Final = 10_000
MAX_BYTES: Final = 4 * 1024 * 1024
MAX_REASON_BYTES: Final = 60
"""A reason must fit into a WebSocket's close frame, with the sentence before it."""
WIDEST: Final = {4: 8, 6: 16}
"""The fewest bits of a network that can be banned."""

Network = ipaddress.IPv4Network | ipaddress.IPv6Network


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
        return f"Your address is banned here until {until:%Y-%m-%d %H:%M} UTC{why}"


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


class ServerBans:
    """The bans in force. See :mod:`.bans`.

    Args:
        path: the file; ``None`` for no bans.
        now: returns the seconds since 1970.

    Raises:
        JournalUnusable: the file cannot be read.

    """

    def __init__(self, path: Path | None, now: Callable[[], float]) -> None:
        self._path = path
        self._now = now
        self._networks: dict[tuple[int, int], dict[int, ServerBan]] = {}
        self.reload()

    def reload(self) -> None:
        """Read the file again.

        Raises:
            JournalUnusable: the file cannot be read. The bans stay as they were.

        """
        networks: dict[tuple[int, int], dict[int, ServerBan]] = {}
        for ban in [] if self._path is None else read_bans(self._path):
            if ban.kind == ADDRESS:
                try:
                    network = banned_network(ban.subject)
                except ValueError as error:
                    raise JournalUnusable(f"The bans in {self._path} cannot be read: {error}.") from error
                size = network.version, network.prefixlen
                networks.setdefault(size, {})[_number(network, network.prefixlen)] = ban
        self._networks = networks

    def of_address(self, address: str) -> ServerBan | None:
        """Return the ban of an address, by the name under which it is counted; ``None`` if it has none."""
        network = _network_of(address) if self._networks else None
        if network is None:
            return None
        for (version, bits), banned in self._networks.items():
            if version == network.version and bits <= network.prefixlen:
                ban = banned.get(_number(network, bits))
                if ban is not None and ban.until > self._now():
                    return ban
        return None


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
        write_private(path, json.dumps([ban.model_dump() for ban in bans], indent=1))
        os.fsync(folder)
    except OSError as error:
        raise JournalUnusable(f"The bans in {path} cannot be written: {error.strerror}.") from error
    finally:
        os.close(folder)
