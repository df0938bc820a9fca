"""The addresses of connections, and the limits of each. Times are microseconds.

A household behind one router is one address, so the limits allow a large party. A proxy in front of the
server names its clients; only proxies that the operator has named are trusted.
"""

import ipaddress
import math
import re
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from racing_demon_protocol.enums import Reason
from racing_demon_protocol.errors import CommandRefused
from racing_demon_protocol.formatting import pluralize
from racing_demon_server.rate_limit import Bucket
from racing_demon_server.settings import ServerSettings

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
SHARED_BITS: Final = 64
"""The bits of an IPv6 address that identify a household; a household chooses the rest."""
WIDER: Final = {56: 2, 48: 4}
"""How many times as much the wider IPv6 networks may have that homes, firms and hosters are given."""
PAIR: Final = re.compile(
    r"""(?P<comma>,)|(?P<name>[\w-]+)\s*=\s*(?:"(?P<quoted>[^"\\]*)"|(?P<token>[^\s,;"]*))""", re.ASCII
)
"""A parameter of ``Forwarded``, or the comma before the next hop."""
NOT_SAID: Final = "unknown"
"""Stands for all addresses that a proxy does not name."""
LOCAL: Final = "127.0.0.1"
MAX_REMEMBERED: Final = 10_000
MANY_SEARCHES: Final = "Too many tables are looked for; come back in a moment."
MINUTE: Final = 60.0
"""Seconds."""
EVENTS_PER_SECOND: Final = 100.0
EVENT_BURST: Final = 10_000_000.0
"""The events of plays that an address may cause, sustained and at once, before each costs more. They stay on
the disk, some 45 bytes each. 250 people behind one router need hours without a pause for the burst."""
POOL_SECONDS: Final = 5.0
"""A pool of units holds what flows into it in this many seconds."""


def networks(texts: Iterable[str]) -> tuple[Network, ...]:
    """Return networks in the form that operators write, like ``10.0.0.0/30``.

    Raises:
        ValueError: one is not a network.

    """
    return tuple(ipaddress.ip_network(text, strict=False) for text in texts)


class Origin(NamedTuple):
    """Where a connection comes from.

    Attributes:
        hops: the client's address, as far as it is known, and that of the trusted relay that connects for it,
            if there is one; as in ``X-Forwarded-For``.
        is_relay: whether there is one.

    """

    hops: str
    is_relay: bool

    @property
    def counted_as(self) -> str:
        """The name under which the client is counted: see :func:`believed_address`."""
        return _counted_as(self.hops.partition(",")[0])


def origin(
    peer: str, forwarded: Sequence[str], proxies: Sequence[Network], relays: Sequence[Network] = ()
) -> Origin:
    """Return where a connection comes from, as far as those are to be believed who pass it on.

    Args:
        peer: the peer's address, from the socket.
        forwarded: the values of ``X-Forwarded-For``, in order.
        proxies: the networks of trusted proxies.
        relays: the networks of trusted relays.

    """
    # The last one is what our proxy has seen; the ones before it can be forged.
    hops = [hop.strip() for value in forwarded for hop in value.split(",")]
    client = peer
    if hops and _is_in(client, proxies) and not _is_in(client, relays):
        client = hops.pop()
    if not _is_in(client, relays):
        return Origin(_said(client, peer), is_relay=False)
    asking = hops.pop() if hops else client
    return Origin(f"{_said(asking, peer)}, {_said(client, peer)}", is_relay=True)


def _said(client: str, peer: str) -> str:
    """Return an address without a port; a peer without any is on this machine."""
    address = parsed(client)
    if address is not None:
        return str(address)
    return LOCAL if client == peer else NOT_SAID


def _is_in(text: str, where: Sequence[Network]) -> bool:
    address = parsed(text)
    return address is not None and any(address in network for network in where)


def believed_address(peer: str, forwarded: Sequence[str], proxies: Sequence[Network]) -> str:
    """Return the name under which an address is counted; empty for this machine, which is not limited.

    All clients that a proxy names by something other than an address count as one.

    Args:
        peer: the peer's address, from the socket.
        forwarded: the values of ``X-Forwarded-For``, in order.
        proxies: the networks of trusted proxies.

    """
    return origin(peer, forwarded, proxies).counted_as


def _counted_as(client: str) -> str:
    address = parsed(client)
    if address is None:
        return NOT_SAID
    if address.is_loopback:
        return ""
    if address.version == 6:
        return str(ipaddress.ip_network((address, SHARED_BITS), strict=False))
    return str(address)


def named_clients(x_forwarded: Sequence[str], standard: Sequence[str]) -> list[str]:
    """Return the clients that proxies name, in order.

    ``Forwarded`` counts where there is no ``X-Forwarded-For``: a proxy that writes the one may pass the other
    on as its client has sent it.
    """
    return [*x_forwarded] or [hop.get("for", "") for hop in forwarded_hops(standard)]


def forwarded_hops(values: Sequence[str]) -> list[dict[str, str]]:
    """Return what ``Forwarded`` says of each hop (RFC 7239), the first one first, by lower-case name."""
    hops: list[dict[str, str]] = []
    for value in values:
        hops.append({})
        for pair in PAIR.finditer(value):
            if pair["comma"]:
                hops.append({})
            elif pair["name"]:
                hops[-1][pair["name"].lower()] = pair["quoted"] or pair["token"] or ""
    return hops


def parsed(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return an address without a port; ``None`` if it is none."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


@dataclass(slots=True)
class _Place:
    """One address: its open connections, and its limits.

    Attributes:
        tables: limits the tables that it opens.
        units: limits what its connections use beyond their shares.
        misses: limits the wrong codes that it asks for.
        events: counts the events that its plays cause.
        times: how many times as much it may have as an address.
        connections: the number of open ones.
        searches: the number that run: any of them may be for a wrong code.

    """

    tables: Bucket
    units: Bucket
    misses: Bucket
    events: Bucket
    times: int
    connections: int = 0
    searches: int = 0


class AddressLimits:
    """The limits of all addresses. The empty address is this machine, and not limited."""

    def __init__(self, settings: ServerSettings) -> None:
        self._settings = settings
        self._places: OrderedDict[str, _Place] = OrderedDict()
        self._searches = 0

    def __len__(self) -> int:
        return len(self._places)

    def enter(self, address: str) -> bool:
        """Count a connection. Return whether its address may have it."""
        places, most = self._places_of(address), self._settings.connections_per_address
        for place in places:
            place.connections += 1
        return not address or all(place.connections <= most * place.times for place in places)

    def leave(self, address: str) -> None:
        """Stop counting a connection."""
        for place in self._places_of(address):
            place.connections -= 1

    def take_table(self, address: str, at: int) -> bool:
        """Count a table that is opened. Return whether its address may open it now."""
        return not address or _take([place.tables for place in self._places_of(address)], at)

    def units(self, address: str) -> Bucket | None:
        """Return the units that all connections of an address share; ``None`` for this machine."""
        return self._places_of(address)[0].units if address else None

    def pools(self, address: str) -> list[Bucket]:
        """Return the units that the connections of an address share, also with its wider networks."""
        return [place.units for place in self._places_of(address)] if address else []

    def events(self, address: str) -> list[Bucket]:
        """Return what counts the events that an address causes, also with its wider networks."""
        return [place.events for place in self._places_of(address)] if address else []

    def take_request(self, address: str, at: int, units: int) -> bool:
        """Count the cost of an HTTP request. Return whether its address may have an answer."""
        return not address or _take(self.pools(address), at, units)

    def may_miss(self, address: str, at: int) -> bool:
        """Tell whether an address may ask for another unknown table."""
        return not address or not any(place.misses.is_empty(at) for place in self._places_of(address))

    def note_miss(self, address: str, at: int) -> None:
        """Count a code of an unknown table."""
        if address:
            _take([place.misses for place in self._places_of(address)], at)

    def too_many_misses(self) -> CommandRefused:
        """Return the refusal of an address that may not miss."""
        seconds = math.ceil(MINUTE / self._settings.misses_per_minute)
        wait = pluralize(seconds, "second")
        text = f"Too many wrong codes from your address: wait {wait}, and try again."
        return CommandRefused(Reason.TOO_FAST, text)

    def begin_search(self, address: str, at: int, shared: Bucket | None = None) -> bool:
        """Count a search for a table. Return whether its address may have it, if all that run are misses.

        Args:
            address: the address.
            at: the time.
            shared: misses that all addresses share; each leaves the others twice what it has used.

        """
        places = self._places_of(address)
        place = places[0]
        if address and any(each.misses.is_empty(at, each.searches + 1) for each in places):
            return False
        if address and shared is not None:
            used = place.misses.used(at) + place.searches
            if shared.is_empty(at, self._searches + math.ceil(2 * used) + 1):
                return False
        for each in places:
            each.searches += 1
        self._searches += 1
        return True

    def end_search(self, address: str) -> None:
        """Stop counting a search."""
        for place in self._places_of(address):
            place.searches -= 1
        self._searches -= 1

    def _places_of(self, address: str) -> list[_Place]:
        """Return the limits of an address, and those of the wider networks that it is in."""
        return [self._place(name, times) for name, times in networks_of(address)]

    def _place(self, address: str, times: int) -> _Place:
        place = self._places.get(address)
        if place is None:
            self._forget()
            settings = self._settings
            units = settings.units_per_address * times
            place = self._places[address] = _Place(
                tables=Bucket(settings.tables_per_minute * times / MINUTE, settings.table_burst * times),
                units=Bucket(units, units * POOL_SECONDS),
                misses=Bucket(settings.misses_per_minute * times / MINUTE, settings.miss_burst * times),
                events=Bucket(EVENTS_PER_SECOND * times, EVENT_BURST * times),
                times=times,
            )
        self._places.move_to_end(address)
        return place

    def _forget(self) -> None:
        """Make room: forget addresses that are not in use, the longest unseen first."""
        if len(self._places) < MAX_REMEMBERED:
            return
        for address, place in self._places.items():
            if not (place.connections or place.searches):
                del self._places[address]
                return


def _take(buckets: Sequence[Bucket], at: int, units: int = 1) -> bool:
    """Take tokens from all buckets if there are enough in each; otherwise take none."""
    if any(bucket.is_empty(at, units) for bucket in buckets):
        return False
    for bucket in buckets:
        bucket.take(at, units)
    return True


@lru_cache(maxsize=MAX_REMEMBERED)
def networks_of(address: str) -> tuple[tuple[str, int], ...]:
    """Return an address and the wider networks that it is in, and how many times as much each may have."""
    if not address.endswith(f"/{SHARED_BITS}"):
        return ((address, 1),)
    network = ipaddress.ip_network(address)
    wider = ((str(network.supernet(new_prefix=bits)), times) for bits, times in WIDER.items())
    return ((address, 1), *wider)
