"""Where connections come from, and how much one address may have and do. Times are microseconds.

A household behind one router is one address, so the limits are those of a large party. A proxy in front
of the server says for whom it asks; that is believed of those proxies alone that the operator has named.
"""

import ipaddress
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from racing_demon_server.rate_limit import Bucket
from racing_demon_server.settings import ServerSettings

__all__ = ["MINUTE", "POOL_SECONDS", "AddressLimits", "believed_address", "networks"]

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
SHARED_BITS: Final = 64
"""Of an IPv6 address so many bits are a household's; the rest it may choose as it likes."""
NOT_SAID: Final = "unknown"
"""Stands for the addresses that a proxy does not tell."""
MOST_REMEMBERED: Final = 10_000
MINUTE: Final = 60.0
"""Seconds."""
POOL_SECONDS: Final = 5.0
"""A pool of units holds what flows into it in so many seconds."""


def networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """Return networks as operators write them, like ``10.0.0.0/30``.

    Raises:
        ValueError: that is none.

    """
    return tuple(ipaddress.ip_network(text, strict=False) for text in texts)


def believed_address(peer: str, forwarded: Sequence[str], proxies: Sequence[Network]) -> str:
    """Return what an address is counted as; empty for this machine itself, which is not limited.

    All for whom a proxy says something that is no address are counted as one.

    Args:
        peer: the other end of the connection, as the socket has it.
        forwarded: the values of ``X-Forwarded-For``, in their order.
        proxies: the networks whose word is taken.

    """
    address = _parsed(peer)
    # The last one is what our proxy has seen; all before it is hearsay.
    hops = [hop.strip() for value in forwarded for hop in value.split(",")]
    if address is not None and hops and any(address in network for network in proxies):
        address = _parsed(hops[-1])
        if address is None:
            return NOT_SAID
    if address is None or address.is_loopback:
        return ""
    if address.version == 6:
        return str(ipaddress.ip_network((address, SHARED_BITS), strict=False))
    return str(address)


def _parsed(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return an address, without the zone or the port that may be written behind it."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


@dataclass(slots=True)
class _Place:
    """One address: its open connections, and what it may still do.

    Attributes:
        tables: the tables that it may open.
        units: what its connections may use together, beyond each one's share.
        misses: the wrong codes that it may ask for.
        connections: how many are open.

    """

    tables: Bucket
    units: Bucket
    misses: Bucket
    connections: int = 0


class AddressLimits:
    """What each address has and does; an empty one is this machine, and free."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._places: OrderedDict[str, _Place] = OrderedDict()

    def __len__(self) -> int:
        return len(self._places)

    def enter(self, address: str) -> bool:
        """Count a connection; tell whether its address may have it."""
        place = self._place(address)
        place.connections += 1
        return not address or place.connections <= self._settings.connections_per_address

    def leave(self, address: str) -> None:
        """Count a connection no more."""
        self._place(address).connections -= 1

    def take_table(self, address: str, at: int) -> bool:
        """Count a table that is opened; tell whether its address may open it now."""
        return not address or self._place(address).tables.take(at)

    def units(self, address: str) -> Bucket | None:
        """Return what all connections of an address draw on; ``None`` for this machine."""
        return self._place(address).units if address else None

    def take_request(self, address: str, at: int, units: int) -> bool:
        """Count an HTTP request that costs so much; tell whether its address may have an answer."""
        return not address or self._place(address).units.take(at, units)

    def may_miss(self, address: str, at: int) -> bool:
        """Tell whether an address may still ask for a table that is not there."""
        return not address or not self._place(address).misses.is_empty(at)

    def note_miss(self, address: str, at: int) -> None:
        """Count a code of a table that is not there."""
        if address:
            self._place(address).misses.take(at)

    def _place(self, address: str) -> _Place:
        place = self._places.get(address)
        if place is None:
            self._forget()
            settings = self._settings
            place = self._places[address] = _Place(
                tables=Bucket(settings.tables_per_minute / MINUTE, settings.table_burst),
                units=Bucket(settings.units_per_address, settings.units_per_address * POOL_SECONDS),
                misses=Bucket(settings.misses_per_minute / MINUTE, settings.miss_burst),
            )
        self._places.move_to_end(address)
        return place

    def _forget(self) -> None:
        """Make room: those go who have nothing open, whoever was seen longest ago first."""
        if len(self._places) < MOST_REMEMBERED:
            return
        idle = next((address for address, place in self._places.items() if not place.connections), None)
        if idle is not None:
            del self._places[idle]
