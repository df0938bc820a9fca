"""Where connections come from.

A proxy in front of the server names its clients; only proxies that the operator has named are trusted.
"""

import ipaddress
import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from racing_demon_server.rate_limits import NOT_SAID, SHARED_BITS

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
PAIR: Final = re.compile(
    r"""(?P<comma>,)|(?P<name>[\w-]+)\s*=\s*(?:"(?P<quoted>[^"\\]*)"|(?P<token>[^\s,;"]*))""", re.ASCII
)
"""A parameter of ``Forwarded``, or the comma before the next hop."""
LOCAL: Final = "127.0.0.1"


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
        """The name under which the client is counted; empty for this machine, which is not limited.

        All clients that a proxy names by something other than an address count as one.
        """
        address = parsed(self.hops.partition(",")[0])
        if address is None:
            return NOT_SAID
        if address.is_loopback:
            return ""
        if address.version == 6:
            return str(ipaddress.ip_network((address, SHARED_BITS), strict=False))
        return str(address)


def origin(
    peer: str, forwarded: Sequence[str], proxies: Sequence[Network], relays: Sequence[Network] = ()
) -> Origin:
    """Return where a connection comes from, as far as the proxies that forward it are trusted.

    Args:
        peer: the peer's address, from the socket.
        forwarded: the values of ``X-Forwarded-For``, in order.
        proxies: the networks of trusted proxies.
        relays: the networks of trusted relays.

    """
    # Each proxy adds whom it has seen: what stands before the last one that is no proxy can be forged.
    hops = [hop.strip() for value in forwarded for hop in value.split(",")]
    client = peer
    while hops and _is_in(client, proxies) and not _is_in(client, relays):
        client = hops.pop()
    if not _is_in(client, relays):
        return Origin(_address_text(client, peer), is_relay=False)
    asking = hops.pop() if hops else client
    return Origin(f"{_address_text(asking, peer)}, {_address_text(client, peer)}", is_relay=True)


def trusted_hops(peer: str, forwarded: Sequence[str], proxies: Sequence[Network]) -> int:
    """Return how many hops in a row are trusted proxies, from the peer on. See :func:`origin`."""
    hops = [peer, *(hop.strip() for hop in reversed(",".join(forwarded).split(",")))]
    return next((count for count, hop in enumerate(hops) if not _is_in(hop, proxies)), len(hops))


def _address_text(client: str, peer: str) -> str:
    """Return an address without a port; a peer without any is on this machine."""
    address = parsed(client)
    if address is not None:
        return str(address)
    return LOCAL if client == peer else NOT_SAID


def _is_in(text: str, where: Sequence[Network]) -> bool:
    address = parsed(text)
    return address is not None and any(address in network for network in where)


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
